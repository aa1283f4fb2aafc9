// qbix/record_filter.hpp: the filters of `samtools view`, with their exact meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "qbix/export.hpp"

struct bam1_t;
struct sam_hdr_t;

namespace qbix {

// What a record must meet; the options of samtools view that say so stand behind each. An
// empty specification passes everything.
struct FilterSpec {
    uint16_t all_flags = 0;        // -f: all of these bits
    uint16_t no_flags = 0;         // -F: none of these bits
    uint16_t any_flags = 0;        // --rf: at least one of these bits; 0: no condition
    uint16_t not_all_flags = 0;    // -G: not all of these bits at once; 0: no condition
    int min_mapq = 0;              // -q
    int64_t min_query_length = 0;  // -m: CIGAR operations that consume the query, and H

    std::optional<std::string> library;  // -l: LB of the record's @RG

    // -r, -R: the value of RG. A record without RG passes, unless ungrouped_pass is false.
    std::optional<std::unordered_set<std::string>> read_groups;
    bool read_groups_are_excluded = false;  // -R ^FILE: the listed groups are dropped instead
    bool ungrouped_pass = true;             // -n: false; also without read_groups

    // -d, -D: the tag is there and, where values are given, has one of them. Integers of any
    // width compare by their decimal text, A, Z and H by their characters; f and B never do.
    struct TagValues {
        std::string tag;  // two characters
        std::optional<std::unordered_set<std::string>> values;
    };
    std::optional<TagValues> tag;

    // -s, --subsample: the share of names to keep; 0: all. The seed is used as it is (samtools
    // first passes a seed other than 0 through srand() and rand()).
    double subsample_fraction = 0;
    uint32_t subsample_seed = 0;

    std::string expression;  // -e: htslib's filter expression; "": none

    bool is_empty() const;
};

// A specification ready to be asked. One thread; any number of them on one header, which must
// outlive construction only.
class QBIX_EXPORT RecordFilter {
   public:
    // Throws Error kUsage when the expression cannot be parsed.
    RecordFilter(const FilterSpec& spec, const sam_hdr_t* header);
    ~RecordFilter();

    // Cheap conditions first. Throws Error kUsage when the expression cannot be evaluated on
    // this record (an unknown symbol, a comparison of unlike things): samtools drops such
    // records instead. `header` is that of the record.
    bool passes(const bam1_t* record, const sam_hdr_t* header);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace qbix
