// byte_sink.hpp: where the bytes of an index, or of one of its sections, go.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace qbix {

class ByteSink {
   public:
    virtual ~ByteSink() = default;
    // Writes all bytes at `place`; any thread. Throws Error.
    virtual void write_at(uint64_t place, std::span<const uint8_t> bytes) = 0;
};

// For one thread.
class MemorySink final : public ByteSink {
   public:
    void write_at(uint64_t place, std::span<const uint8_t> written) override {
        if (bytes.size() < place + written.size()) bytes.resize(place + written.size());
        std::copy(written.begin(), written.end(), bytes.begin() + static_cast<int64_t>(place));
    }

    std::vector<uint8_t> bytes;
};

}  // namespace qbix
