// record_source.hpp: the records that a command works on, in file order, out of an index
// or by a scan.
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <string>
#include <string_view>

#include "name_selection.hpp"
#include "output.hpp"

namespace qbix::cli {

class RecordSource {
   public:
    virtual ~RecordSource() = default;

    // To edit it, duplicate it first.
    virtual const sam_hdr_t* header() const = 0;

    // The next record; false after the last. Throws std::exception.
    virtual bool next(bam1_t* record) = 0;

    // Whether the file has a record named `name`. REQUIRES: next() has returned false, and
    // `name` is a selected name as clean_fastq_name() changes it, and not selected itself.
    // Throws std::exception.
    virtual bool has_name(std::string_view name) const = 0;
};

// Reads the whole of `path` ("-": standard input; SAM, BAM or CRAM) and hands out the
// records with a selected name; all, where `selection` is nullptr.
std::unique_ptr<RecordSource> open_scan(const std::string& path, ThreadPool& pool,
                                        NameSelection* selection);

// Fetches the selected records with the index at `index_path`, which must belong to the BAM.
std::unique_ptr<RecordSource> open_indexed(const std::string& path, const std::string& index_path,
                                           NameSelection& selection);

}  // namespace qbix::cli
