// qbx_fixtures.hpp: .qbx files and sections for tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "block_locator_writer.hpp"
#include "byte_sink.hpp"

namespace qbix::test {

// Keeps what is written; what lies between is 0xee.
struct MemorySink final : ByteSink {
    void write_at(uint64_t place, std::span<const uint8_t> data) override {
        if (bytes.size() < place + data.size()) bytes.resize(place + data.size(), 0xee);
        std::copy(data.begin(), data.end(), bytes.begin() + static_cast<ptrdiff_t>(place));
    }
    std::vector<uint8_t> bytes;
};

inline std::vector<uint8_t> encode_blocks(std::span<const BlockStart> blocks, uint64_t n_records) {
    MemorySink sink;
    BlockLocatorWriter writer(sink);
    writer.add(blocks);
    writer.finish(n_records);
    return sink.bytes;
}

}  // namespace qbix::test
