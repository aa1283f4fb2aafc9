// byte_sink.hpp: where the bytes of an index, or of one of its sections, go.
#pragma once

#include <cstdint>
#include <span>

namespace qbix {

class ByteSink {
   public:
    virtual ~ByteSink() = default;
    // Writes all bytes at `place`; any thread. Throws Error.
    virtual void write_at(uint64_t place, std::span<const uint8_t> bytes) = 0;
};

}  // namespace qbix
