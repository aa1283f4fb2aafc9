// bracket_search.hpp: narrowing a range of ascending 64-bit keys around a target.
//
// Hashes are uniform, so the target's place can be guessed by interpolation, and it lies
// within a few times sqrt(n) of the guess. A round probes both ends of that window; the two
// loads are independent of each other. 2^20 keys take four rounds where halving takes 16.
// Keys that are not uniform cost a halving every other round: O(log n) in the worst case,
// whatever the bytes are.
//
// The search is a state machine without loads of its own, so that a batch can prefetch the
// probes of many targets before it looks at the first.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace qbix {

// Invariants while keys ascend:
//   key[lo] <= target, or lo is where the search began;
//   key[hi] > target, or hi is where the search began.
struct Bracket {
    uint64_t lo;
    uint64_t hi;
    uint64_t key_lo;  // lower bound of the keys in [lo, hi)
    uint64_t key_hi;  // upper bound
    bool halve = false;

    uint64_t size() const noexcept { return hi - lo; }
};

struct Probes {
    uint64_t first;
    uint64_t second;  // >= first
};

// REQUIRES: bracket.size() >= 2, key_lo <= target <= key_hi.
inline Probes next_probes(const Bracket& bracket, uint64_t target) noexcept {
    const uint64_t n = bracket.size();
    if (bracket.halve) return {bracket.lo + n / 2, bracket.lo + n / 2};
    const double fraction = static_cast<double>(target - bracket.key_lo) /
                            (static_cast<double>(bracket.key_hi - bracket.key_lo) + 1.0);
    const auto guess = std::min(static_cast<uint64_t>(fraction * static_cast<double>(n)), n - 1);
    const uint64_t window = uint64_t{1} << ((std::bit_width(n) + 1) / 2);
    return {bracket.lo + (guess > window ? guess - window : 0),
            bracket.lo + (n - 1 - guess > window ? guess + window : n - 1)};
}

inline void narrow(Bracket& bracket, Probes probes, uint64_t first_key, uint64_t second_key,
                   uint64_t target) noexcept {
    const uint64_t n = bracket.size();
    if (first_key > target) {
        bracket.hi = probes.first;
        bracket.key_hi = first_key;
    } else if (second_key > target) {
        bracket.lo = probes.first;
        bracket.key_lo = first_key;
        bracket.hi = probes.second;
        bracket.key_hi = second_key;
    } else {
        bracket.lo = probes.second;
        bracket.key_lo = second_key;
    }
    bracket.halve = bracket.size() > n / 2;
}

}  // namespace qbix
