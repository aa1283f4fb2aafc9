// search_tree_scalar.cpp: searching without vector instructions; always built, on any
// machine, and the reference for the other levels.
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

__attribute__((always_inline)) inline uint64_t count_below(const DirectoryLine& line,
                                                           uint16_t within) {
    uint64_t n = 0;
    for (uint16_t greatest : line.greatest) n += greatest < within;
    return n;
}

#include "search_tree_traverse.inc"

}  // namespace

const Kernel kScalarKernel = {SimdLevel::kScalar, kAllWays};

}  // namespace qbix::search_tree
