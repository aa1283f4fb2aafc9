// record_source.hpp: records one by one through htslib's bam1_t: for inputs, outputs and
// orders that the record pipeline does not serve.
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <string>
#include <vector>

#include "output.hpp"
#include "qbix/name_lookup.hpp"

struct hFILE;

namespace qbix::cli {

class RecordSource {
   public:
    virtual ~RecordSource() = default;

    // To edit it, duplicate it first.
    virtual const sam_hdr_t* header() const = 0;

    // The next record; false after the last. Throws std::exception.
    virtual bool next(bam1_t* record) = 0;
};

// Where to read: SAM, BAM or CRAM, "-" for standard input.
struct Input {
    std::string path;
    const htsFormat* format = nullptr;  // its options
    ThreadPool* pool = nullptr;
    hFILE* stream = nullptr;  // `path`, if it is already open; open_scan() takes it over
};

// All records.
std::unique_ptr<RecordSource> open_scan(const Input& input);

// The records of each region in turn, through the file's index of regions. With `is_merged`
// the regions are united, and each record comes once, in file order.
std::unique_ptr<RecordSource> open_regions(const Input& input,
                                           const std::vector<std::string>& regions, bool is_merged);

// Whether there is an index of regions.
bool has_region_index(const std::string& path);

// The candidates that have their names, in the order in which they are given. All must
// outlive the source.
std::unique_ptr<RecordSource> open_candidates(const NameIndex& index, const BamFile& bam,
                                              const NameList& names,
                                              const std::vector<NameCandidate>& candidates);

}  // namespace qbix::cli
