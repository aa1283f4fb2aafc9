// chunk.hpp: a run of whole records, cut into blocks: the unit that is compressed by one
// thread and takes one place in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "block_format.hpp"
#include "byte_buffer.hpp"

namespace bgzfw {

// Where blocks end, for records put one after the other. The rule is htslib's: a record that
// fits a block is not split; a longer one starts a block, and its rest shares the last one.
class BlockLayout {
   public:
    // Whether the open block must be closed before a record of `n` bytes.
    bool closes_before(size_t n) const noexcept { return open_ > 0 && open_ + n > kMaxPayload; }

    void add_record(size_t n) {
        if (closes_before(n)) close_block();
        for (; n > kMaxPayload; n -= kMaxPayload) sizes_.push_back(kMaxPayload);
        open_ += static_cast<uint32_t>(n);
        ++n_records_;
    }

    void close_block() {
        if (open_ > 0) sizes_.push_back(open_);
        open_ = 0;
    }

    uint64_t n_records() const noexcept { return n_records_; }
    bool empty() const noexcept { return sizes_.empty() && open_ == 0; }
    size_t n_closed() const noexcept { return sizes_.size(); }
    // Payload sizes of the closed blocks.
    const std::vector<uint32_t>& sizes() const noexcept { return sizes_; }

    void clear() noexcept {
        sizes_.clear();
        open_ = 0;
        n_records_ = 0;
    }

   private:
    std::vector<uint32_t> sizes_;
    uint32_t open_ = 0;  // bytes in the block that is not closed
    uint64_t n_records_ = 0;
};

struct Chunk {
    enum class Holds { kRecords, kHeader };

    Holds holds = Holds::kRecords;
    uint64_t number = 0;                 // place in the file, from 0
    size_t admitted_bytes = 0;           // what CommitQueue counts it as
    ByteBuffer raw;                      // records; empty when they are the caller's and not needed
    BlockLayout layout;                  // of the records
    ByteBuffer packed;                   // the blocks, for engines that take them compressed
    std::vector<uint32_t> packed_sizes;  // of the blocks

    void clear() noexcept {
        holds = Holds::kRecords;
        raw.clear();
        layout.clear();
        packed.clear();
        packed_sizes.clear();
    }
};

}  // namespace bgzfw
