// qbx_long_group.hpp: reading a group of three or more ordinals, or of two far apart.
#pragma once

#include <algorithm>
#include <cstdint>

#include "format_qbx_names.hpp"
#include "index_errors.hpp"
#include "qbx_section.hpp"

namespace qbix {

// Calls visit(ordinal) for each ordinal of the group at `place` in the region's long groups,
// ascending and below n_records, and returns the place behind the group. The bytes are
// touched as they are read. Throws Error kBadIndex, kIo.
template <class Visit>
uint64_t read_long_group(const QbxSection& section, uint64_t n_records,
                         const qbx_names::Region& region, uint64_t place, const Visit& visit) {
    constexpr uint64_t kBytesAtOnce = 4096;
    const auto bad = [&] {
        throw_bad_index(section.path(), "names: a group of records without an end");
    };
    const uint64_t end = region.lines_at;
    uint64_t at = region.long_at + place;
    uint64_t touched = at;  // readable up to here
    const auto next = [&] {
        if (at + qbx_names::kMaxVarintBytes > touched) {
            if (at >= end) bad();
            touched = at + std::min(kBytesAtOnce, end - at);
            section.touch(at, touched - at);
        }
        uint64_t value = 0;
        const uint8_t* p =
            qbx_names::load_varint(section.data() + at, section.data() + touched, value);
        if (p == nullptr) bad();
        at = static_cast<uint64_t>(p - section.data());
        return value;
    };
    uint64_t ordinal = next();
    for (uint64_t delta = 1; delta != 0; ordinal += delta) {
        if (ordinal >= n_records) {
            throw_bad_index(section.path(), "names: an ordinal beyond the last record");
        }
        visit(ordinal);
        delta = next();
        if (delta > n_records) bad();
    }
    return at - region.long_at;
}

}  // namespace qbix
