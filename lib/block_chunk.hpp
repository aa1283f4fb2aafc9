// block_chunk.hpp: one chunk on its way through the scan: compressed bytes, its blocks,
// their data.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "bgzf_block.hpp"
#include "chunk_source.hpp"
#include "record_walk.hpp"

namespace qbix {

// The bytes of a block that a chunk border cuts, on their way to the next chunk.
struct CutBlock {
    uint64_t coffset = 0;        // where the block starts
    std::vector<uint8_t> bytes;  // what the chunks so far hold of it
    bool is_end = false;         // nothing follows: the file ended, or is damaged, before
};

class BlockChunk {
   public:
    BlockChunk() : buffer_(kBgzfMaxBlockBytes + kChunkBytes) {}

    // Where to read the chunk's bytes to.
    std::span<uint8_t> read_area() { return {buffer_.data() + kBgzfMaxBlockBytes, kChunkBytes}; }

    // Puts the head of a cut block before the `n_read` bytes of the chunk, finds the blocks,
    // and leaves in `cut` what remains for the next chunk. What is wrong is kept: see fault().
    void find_blocks(CutBlock& cut, size_t n_read, const std::string& path);

    // Inflates blocks from where the last call ended, at most about 2 MiB of data (one chunk
    // rarely has more), and returns false when none were left. A block that is damaged ends
    // the chunk there, as fault().
    bool inflate_some(BlockInflater& inflater, const std::string& path);

    // Whether all blocks are inflated by one call of inflate_some().
    bool is_small() const noexcept { return n_data_bytes_ <= kDataBytesAtOnce; }

    // Of the last inflate_some(). They end before a damaged block.
    std::span<const uint8_t> data() const noexcept { return {data_.data(), n_inflated_}; }
    std::span<const InflatedBlock> blocks() const noexcept { return inflated_; }
    // Where the block after those starts.
    uint64_t next_coffset() const noexcept { return next_coffset_; }

    // What ended the blocks early, to be thrown once the records before it are done.
    std::exception_ptr fault() const noexcept { return fault_; }
    void set_fault(std::exception_ptr fault) noexcept { fault_ = std::move(fault); }

    uint64_t number = 0;
    bool is_last = false;

   private:
    static constexpr size_t kDataBytesAtOnce = 2 << 20;

    struct FoundBlock {
        uint64_t coffset;
        std::span<const uint8_t> bytes;
    };

    std::vector<uint8_t> buffer_;  // kBgzfMaxBlockBytes for a cut block, then the chunk
    std::vector<FoundBlock> found_;
    size_t i_next_ = 0;          // of found_, to inflate
    uint64_t end_coffset_ = 0;   // after the last of found_
    uint64_t n_data_bytes_ = 0;  // of all found_, as they claim
    std::vector<uint8_t> data_;
    size_t n_inflated_ = 0;
    std::vector<InflatedBlock> inflated_;
    uint64_t next_coffset_ = 0;
    std::exception_ptr fault_;
};

}  // namespace qbix
