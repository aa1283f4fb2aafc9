// output_header.hpp: the header of what is written, changed from that of the input.
#pragma once

#include <htslib/sam.h>

#include <functional>
#include <memory>
#include <string>

namespace qbix::cli {

struct DestroyHeader {
    void operator()(sam_hdr_t* header) const noexcept { sam_hdr_destroy(header); }
};
using Header = std::unique_ptr<sam_hdr_t, DestroyHeader>;

struct DestroyRecord {
    void operator()(bam1_t* record) const noexcept { bam_destroy1(record); }
};
using Record = std::unique_ptr<bam1_t, DestroyRecord>;

Header duplicate_header(const sam_hdr_t* header);

// Adds a @PG line for this command. Throws std::runtime_error.
void add_program_line(sam_hdr_t* header, int argc, char** argv);

// The whole command line as typed, for @PG; main() sets it before it dispatches. Unset,
// add_program_line() joins the command's own arguments.
void set_typed_command_line(int argc, char** argv);

// Takes back what @HD says of the order of records. Throws std::runtime_error.
void mark_unsorted(sam_hdr_t* header);

// Removes the @RG lines for which `is_kept` is false. Throws std::runtime_error.
void prune_read_groups(sam_hdr_t* header, const std::function<bool(const std::string&)>& is_kept);

}  // namespace qbix::cli
