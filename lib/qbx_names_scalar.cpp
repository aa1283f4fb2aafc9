// qbx_names_scalar.cpp: comparing without vector instructions, and the choice of kernels.
#include "format_qbx_names.hpp"
#include "qbx_names_kernels.hpp"

namespace qbix::qbx_names {
namespace {

template <unsigned kRemainderBits>
void match_lines(const uint8_t* const* lines, const uint32_t* remainders, uint32_t* masks,
                 size_t n) noexcept {
    for (size_t i = 0; i < n; ++i) {
        uint32_t equal = 0;
        for (unsigned slot = 0; slot < line_shape(kRemainderBits).n_slots; ++slot) {
            equal |= uint32_t{load_slot(lines[i], slot, kRemainderBits) == remainders[i]} << slot;
        }
        masks[i] = equal & ((1U << line_count(load_le<uint32_t>(lines[i]))) - 1);
    }
}

}  // namespace

const Kernels kScalarKernels = {SimdLevel::kScalar, match_lines<16>, match_lines<24>,
                                match_lines<32>};

std::vector<const Kernels*> all_kernels() {
    std::vector<const Kernels*> kernels = {&kScalarKernels};
#if defined(__x86_64__)
    if (best_simd_level() >= SimdLevel::kAvx2) kernels.push_back(&kAvx2Kernels);
    if (best_simd_level() >= SimdLevel::kAvx512) kernels.push_back(&kAvx512Kernels);
#endif
    return kernels;
}

const Kernels& best_kernels() noexcept {
#if defined(__x86_64__)
    const SimdLevel level = best_simd_level();
    if (level >= SimdLevel::kAvx512) return kAvx512Kernels;
    if (level >= SimdLevel::kAvx2) return kAvx2Kernels;
#endif
    return kScalarKernels;
}

}  // namespace qbix::qbx_names
