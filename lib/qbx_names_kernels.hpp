// qbx_names_kernels.hpp: comparing remainders with the slots of lines, chosen at run time.
// The scalar version is always built and is the reference in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu_features.hpp"

namespace qbix::qbx_names {

// Bit s of masks[i]: slot s of lines[i] holds remainders[i]. Bits of slots beyond the count
// in the line's head are 0; those of a line that overflows may be set by what else it holds.
// REQUIRES: 64 readable bytes at each line.
using MatchLines = void (*)(const uint8_t* const* lines, const uint32_t* remainders,
                            uint32_t* masks, size_t n) noexcept;

struct Kernels {
    SimdLevel level;
    MatchLines match16;
    MatchLines match24;
    MatchLines match32;

    MatchLines match(unsigned remainder_bits) const noexcept {
        return remainder_bits == 16 ? match16 : remainder_bits == 24 ? match24 : match32;
    }
};

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

// All that this processor runs, the fastest last.
std::vector<const Kernels*> all_kernels();
const Kernels& best_kernels() noexcept;

}  // namespace qbix::qbx_names
