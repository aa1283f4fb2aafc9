// scaled.hpp: fewer repetitions under the sanitizers, which are 5 to 15 times slower.
#pragma once

#include <cstddef>

#ifdef __has_feature  // clang's way to tell; g++ defines macros
#define QBIX_HAS_FEATURE(x) __has_feature(x)
#else
#define QBIX_HAS_FEATURE(x) 0
#endif

namespace qbix_test {

#if defined(__SANITIZE_THREAD__) || QBIX_HAS_FEATURE(thread_sanitizer)
inline constexpr size_t kSanitizerSlowdown = 10;
#elif defined(__SANITIZE_ADDRESS__) || QBIX_HAS_FEATURE(address_sanitizer)
inline constexpr size_t kSanitizerSlowdown = 5;
#else
inline constexpr size_t kSanitizerSlowdown = 1;
#endif

// For repetitions with other random data each time: what counts over many runs.
constexpr size_t scaled(size_t n) { return n / kSanitizerSlowdown; }

}  // namespace qbix_test
