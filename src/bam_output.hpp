// bam_output.hpp: a BAM file by way of libbgzf_writer, with an index of regions on request.
#pragma once

#include <htslib/sam.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bgzfw/writer.hpp"
#include "created_file.hpp"
#include "written_indexes.hpp"

namespace qbix::cli {

struct BamOutputSpec {
    std::string path;  // "-" is standard output
    int level = bgzfw::kDefaultLevel;
    int n_workers = 0;
    std::string index_path;  // of the index of regions; empty: none
};

class BamOutput {
   public:
    // Opens the file. Throws std::exception, like all members.
    // What is not closed is abandoned: no error, no file.
    BamOutput(const BamOutputSpec& spec, const sam_hdr_t* header);

    void write(const bam1_t& record);
    // Whole records with their block_size.
    void write_encoded(std::span<const uint8_t> records) { writer_->write_encoded(records); }
    void close();

   private:
    std::string path_;
    OutputDescriptor file_;
    WrittenIndexes indexes_;
    std::optional<bgzfw::Writer> writer_;  // outlived by what it writes to
};

}  // namespace qbix::cli
