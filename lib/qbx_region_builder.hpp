// qbx_region_builder.hpp: collects the names of one region and encodes them (qbx(5)).
//
// Memory: 24 bytes a name and what the groups of three or more take, of which the bytes can
// be taken out and written while the region is still growing: a name with all records of a
// file needs no more room than another.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "format_qbx_names.hpp"
#include "qbix/types.hpp"

namespace qbix {

class RegionBuilder {
   public:
    // Begins another region; memory stays.
    void reset(uint64_t region) noexcept;

    uint64_t region() const noexcept { return region_; }

    // Rows of the region; ordinals are in voffset.value. REQUIRES: rows ascend over all calls.
    void add(std::span<const IndexRow> rows);

    // The bytes of long groups so far, if there are at least `least_bytes`: they stand at the
    // region's start, after those taken earlier. Otherwise leaves `out` alone.
    void take_long_bytes(size_t least_bytes, std::vector<uint8_t>& out);

    // Appends the region to `out`, without the bytes that were taken, and returns its
    // directory entry with places counted from the region's start, `n_taken_bytes` before
    // what was appended. Throws Error kUsage where the numbers do not fit the format.
    qbx_names::Region finish(const qbx_names::Head& head, std::vector<uint8_t>& out);
    uint64_t n_taken_bytes() const noexcept { return n_taken_bytes_; }

   private:
    static constexpr uint64_t kSingle = 0;
    static constexpr uint64_t kLong = UINT64_MAX;
    struct Name {
        NameHash hash;
        uint64_t first;  // ordinal; place of a long group
        uint64_t delta;  // kSingle, distance to the second ordinal, kLong
    };

    void add_to_last(uint64_t ordinal);
    void end_group();
    void put(uint64_t value);
    unsigned choose_delta_bits(unsigned max_bits) const;
    void move_wide_pairs(unsigned delta_bits);
    void encode_lines(const qbx_names::Head& head, const qbx_names::Region& region, uint8_t* lines);
    void encode_entries(const qbx_names::Region& region, uint8_t* entries) const noexcept;

    uint64_t region_ = 0;
    std::vector<Name> names_;
    uint64_t last_ordinal_ = 0;
    std::vector<uint8_t> long_bytes_;
    uint64_t n_taken_bytes_ = 0;
    std::vector<uint32_t> overflow_;    // of the region being encoded
    std::vector<uint32_t> remainders_;  // of the line being encoded
};

}  // namespace qbix
