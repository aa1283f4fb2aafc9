// block_locator_writer.hpp: the section of blocks of a .qbx, written while the BAM is read.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "block_locator.hpp"
#include "byte_sink.hpp"
#include "format_qbx_blocks.hpp"

namespace qbix {

// In memory stay one frame, a buffer, and the directory: half a byte a block.
class BlockLocatorWriter {
   public:
    // Places in `sink` count from the section's start. `sink` must outlive the writer.
    explicit BlockLocatorWriter(ByteSink& sink) : sink_(sink) {}

    // Blocks in ascending order. The same block may come again: its first time counts.
    void add(std::span<const BlockStart> blocks) {
        for (const BlockStart& block : blocks) add(block);
    }
    void add(const BlockStart& block);

    // The section is whole afterwards. Once.
    void finish(uint64_t n_records);
    uint64_t size_bytes() const noexcept { return size_bytes_; }

    // After finish(): some of the blocks, the last among them, spread evenly, ascending.
    std::vector<uint64_t> sample_coffsets(size_t n_at_most) const;

   private:
    void end_frame();
    void flush();

    ByteSink& sink_;
    std::vector<BlockStart> frame_;
    std::vector<qbx_blocks::Frame> directory_;
    std::vector<uint8_t> buffer_;
    uint64_t size_bytes_ = 0;  // of what was written or is in the buffer
    uint64_t n_blocks_ = 0;
    uint64_t last_coffset_ = UINT64_MAX;
};

}  // namespace qbix
