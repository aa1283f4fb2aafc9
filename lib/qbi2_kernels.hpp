// qbi2_kernels.hpp: the two inner steps of a QBI2 lookup that gain from newer instructions,
// chosen at run time. The portable ones are always built and are the reference in tests.
#pragma once

#include <cstdint>
#include <vector>

namespace qbix::qbi2 {

inline constexpr unsigned kMaxRun = 16;          // suffixes that find_suffix() compares
inline constexpr unsigned kRunReachBytes = 120;  // how far before the run's end it reads

// Positions of two neighbouring set bits; -1 where the words hold none.
struct BitPair {
    int first;
    int second;
};

struct Kernels {
    const char* name;

    // Of the n_suffixes suffixes that end before `end`, the one that equals `suffix`:
    // its number from the start of the run, or -1.
    // REQUIRES: n_suffixes <= kMaxRun; kRunReachBytes readable bytes before `end`, of which
    // those before the run do not matter.
    int (*find_suffix)(const uint8_t* end, unsigned n_suffixes, unsigned suffix_bytes,
                       uint64_t suffix) noexcept;

    // The set bit with number `number` (from 0) of up to 8 words, and the set bit after it.
    BitPair (*select_pair)(const uint8_t* words, unsigned n_words, unsigned number) noexcept;
};

const Kernels& portable_kernels() noexcept;

// All that this processor runs, the fastest last.
std::vector<Kernels> all_kernels();
const Kernels& best_kernels();

}  // namespace qbix::qbi2
