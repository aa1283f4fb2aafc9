// qbix/text_digest.hpp: a digest of a long text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "qbix/export.hpp"

namespace qbix {

// XXH3-128 of all bytes given to add(), in order; how they are cut into calls does not matter.
// Not for texts that somebody makes to collide. For one thread at a time.
class QBIX_EXPORT TextDigest {
   public:
    TextDigest();  // throws std::bad_alloc
    ~TextDigest();
    TextDigest(const TextDigest&) = delete;
    TextDigest& operator=(const TextDigest&) = delete;

    void add(std::span<const uint8_t> bytes) noexcept;

    // 32 lower-case hexadecimal digits, as "xxhsum -H2" prints them.
    std::string hex() const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace qbix
