// With name_hash.cpp one of the two files that know xxHash.
#define XXH_INLINE_ALL
#include "qbix/text_digest.hpp"

#include <xxhash.h>

#include <cstdio>

namespace qbix {

struct TextDigest::State {
    XXH3_state_t xxh3;
};

TextDigest::TextDigest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh3); }

TextDigest::~TextDigest() = default;

void TextDigest::add(std::span<const uint8_t> bytes) noexcept {
    XXH3_128bits_update(&state_->xxh3, bytes.data(), bytes.size());
}

std::string TextDigest::hex() const {
    XXH128_canonical_t bytes;
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(&state_->xxh3));
    std::string hex;
    for (unsigned char byte : bytes.digest) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        hex += digits;
    }
    return hex;
}

}  // namespace qbix
