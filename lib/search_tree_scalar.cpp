// search_tree_scalar.cpp: searching without vector instructions; always built, on any
// machine, and the reference for the other levels.
#include <cstring>

#include "search_tree_kernel.hpp"

#define QBIX_TARGET

namespace qbix::search_tree {
namespace {

__attribute__((always_inline)) inline uint64_t count_below(const uint64_t* node, uint64_t key) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < kNodeKeys; ++i) n += node[i] < key;
    return n;
}

__attribute__((always_inline)) inline uint64_t equal_mask(const uint64_t* node, uint64_t key) {
    uint64_t mask = 0;
    for (uint64_t i = 0; i < kNodeKeys; ++i) mask |= uint64_t{node[i] == key} << i;
    return mask;
}

// Over all 32 lanes, of which the first two are first_leaf: compilers turn that into the
// vectors that every x86-64 or ARM machine has, but not a loop over 30.
__attribute__((always_inline)) inline uint64_t count_below(const DirectoryLine& line,
                                                           uint16_t within) {
    uint16_t lanes[sizeof line / sizeof(uint16_t)];
    std::memcpy(lanes, &line, sizeof line);
    uint16_t n = 0;
    for (uint16_t lane : lanes) n = static_cast<uint16_t>(n + (lane < within));
    return static_cast<uint64_t>(n - (lanes[0] < within) - (lanes[1] < within));
}

#include "search_tree_traverse.inc"

}  // namespace

const Kernel kScalarKernel = {SimdLevel::kScalar, kAllWays};

}  // namespace qbix::search_tree
