// search_tree_kernel.hpp: what the searching code of SearchTree needs to know of a tree, and
// the table of functions that each SIMD level fills in.
//
// The traversals are written once, in search_tree_traverse.inc, and compiled once for each
// level with the comparison of a node inlined in them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu_features.hpp"
#include "qbix/search_tree.hpp"

namespace qbix::search_tree {

inline constexpr uint64_t kNodeKeys = 8;
inline constexpr uint64_t kNodeBytes = 64;
inline constexpr uint64_t kFanout = kNodeKeys + 1;
inline constexpr int kMaxInnerLevels = 20;  // 9^20 leaves are more than memory can hold

// One line of the directory: the leaves whose greatest key falls into it, in order.
struct alignas(64) DirectoryLine {
    static constexpr int kCapacity = 30;

    uint32_t first_leaf;           // leaves whose greatest key falls into an earlier line
    uint16_t greatest[kCapacity];  // 16 bits of each leaf's greatest key; unused ones 0xffff
};
static_assert(sizeof(DirectoryLine) == kNodeBytes);

__extension__ using Wide = unsigned __int128;

// Where keys fall in a directory: their distance from `least`, scaled so that the range of
// the keys fills the lines.
struct DirectoryMap {
    uint64_t least = 0;
    uint64_t range = 0;  // the greatest key less `least`; not 0
    unsigned shift = 0;  // leading zeros of range
    uint64_t scale = 0;

    // The line, times 2^16, and 16 bits of where in it: ordered like the keys. Keys beyond
    // the ends fall where the ends do.
    __attribute__((always_inline)) uint64_t place(uint64_t key) const noexcept {
        uint64_t distance;
        if (__builtin_sub_overflow(key, least, &distance)) distance = 0;
        if (distance > range) distance = range;
        return static_cast<uint64_t>(static_cast<Wide>(distance << shift) * scale >> 48);
    }
    __attribute__((always_inline)) static uint64_t line(uint64_t place) noexcept {
        return place >> 16;
    }
    __attribute__((always_inline)) static uint16_t within(uint64_t place) noexcept {
        return static_cast<uint16_t>(place);
    }
};

// Invariants:
// 1. Leaves are consecutive; the last is filled up with 2^64-1, so that counting the keys
//    below a query never counts past n_keys. There is at least one leaf.
// 2. Slot c of inner node j of a level is the greatest key under its child c, or 2^64-1
//    where that child holds the last key or does not exist. A descent by the number of slots
//    below the query therefore stays inside the tree and ends in the leaf that holds the
//    first key >= query, or in the last leaf.
// 3. A directory, where there is one, leads to that leaf or to one at most kMaxTies before.
struct TreeView {
    static constexpr uint64_t kMaxTies = 4;

    uint64_t n_keys = 0;
    uint64_t last_leaf_at = 0;  // bytes from the first leaf
    int n_inner = 0;            // levels above the leaves; 0 with a directory
    const std::byte* level[kMaxInnerLevels + 1] = {};  // from the root; [n_inner]: the leaves
    const DirectoryLine* directory = nullptr;
    DirectoryMap map;
};

struct Kernel {
    static constexpr int kAsks = 3;        // in the order of Ask
    static constexpr int kTraversals = 4;  // batches of 16, 32, 128; interleaved

    using One = uint64_t (*)(const TreeView&, uint64_t key) noexcept;
    using Many = void (*)(const TreeView&, const uint64_t* keys, uint64_t* answers,
                          size_t n) noexcept;

    struct Ways {
        One one;
        Many many[kTraversals];
    };

    SimdLevel level;
    const Ways* ways;  // kAsks of them
};

extern const Kernel kScalarKernel;
#if defined(__x86_64__)
extern const Kernel kAvx2Kernel;
extern const Kernel kAvx512Kernel;
#endif

}  // namespace qbix::search_tree
