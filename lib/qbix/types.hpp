// qbix/types.hpp: the integers that must not be mixed up, each in a type of its own.
#pragma once

#include <compare>
#include <cstdint>

namespace qbix {

// XXH3-64 (seed 0) of a QNAME. Equal hashes make a candidate, never a proof.
struct NameHash {
    uint64_t value = 0;
    auto operator<=>(const NameHash&) const = default;
};

// A BGZF virtual offset (SAM specification, 4.1.1): file offset of a block, and the
// offset of a byte in that block's uncompressed data.
struct VirtualOffset {
    uint64_t value = 0;

    static constexpr VirtualOffset make(uint64_t coffset, uint32_t uoffset) {
        return {coffset << 16 | uoffset};
    }
    constexpr uint64_t coffset() const { return value >> 16; }
    constexpr uint32_t uoffset() const { return static_cast<uint32_t>(value & 0xffff); }
    auto operator<=>(const VirtualOffset&) const = default;
};

// Where a record is: `n_skip` records after the one that starts at `voffset`, in the same block.
// What an index knows of a record that it numbers; with n_skip 0 the exact place.
struct RecordPlace {
    VirtualOffset voffset;
    uint32_t n_skip = 0;
    auto operator<=>(const RecordPlace&) const = default;
};

// One line of a read-name index: a record's name hash and where the record starts.
// Rows are ordered by hash, then offset.
struct IndexRow {
    NameHash hash;
    VirtualOffset voffset;
    auto operator<=>(const IndexRow&) const = default;
};

// A half-open range of row numbers of an index.
struct RowRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    constexpr uint64_t size() const { return end - begin; }
    constexpr bool empty() const { return begin == end; }
    bool operator==(const RowRange&) const = default;
};

}  // namespace qbix
