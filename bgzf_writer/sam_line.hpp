// sam_line.hpp: a SAM line of the usual form straight to a BAM record.
//
// htslib's parser makes a bam1_t on the way and asks more questions than nearly all lines need.
// This one takes only lines that it knows to be right, and leaves every other one (malformed,
// or with what it does not know) to htslib, which has the last word on what a line means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bgzfw/bam_header.hpp"

namespace bgzfw {

// The reference list of a header. Immutable, for any thread.
class ReferenceNumbers {
   public:
    explicit ReferenceNumbers(const BamHeader& header);  // copies the names

    // -1 when there is no such name in the list.
    int32_t find(std::string_view name) const {
        const auto it = numbers_.find(name);
        return it == numbers_.end() ? -1 : it->second;
    }

   private:
    std::string names_;  // what the keys point into
    std::unordered_map<std::string_view, int32_t> numbers_;
};

// What an encoded line of `n` bytes takes at most.
inline size_t most_encoded_bytes(size_t n) { return 2 * n + 64; }

struct SamLine;

// One encoder, one thread.
class SamLineEncoder {
   public:
    explicit SamLineEncoder(const ReferenceNumbers& references) : references_(references) {}

    // Writes the record of `line` (without line end) to `out`, where there is room for
    // most_encoded_bytes(). Returns its size; 0 when the line is not of the usual form.
    size_t encode(std::string_view line, uint8_t* out);

   private:
    struct Places {
        int32_t reference = -1;
        int32_t mate_reference = -1;
    };
    bool find_places(const SamLine& line, Places& places);
    int32_t reference(std::string_view name);

    const ReferenceNumbers& references_;
    std::string last_name_;  // references mostly repeat
    int32_t last_number_ = -1;
};

}  // namespace bgzfw
