// block_starts.hpp: the blocks in which records start, put in order while many threads scan.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "bam_scan.hpp"
#include "block_locator.hpp"

namespace qbix {

// Receives blocks in ascending order, never two calls at a time. A block whose records lie in
// two chunks comes twice.
using BlockStartSink = std::function<void(std::span<const BlockStart>)>;

// Chunks end out of order, though rarely by much: what is early waits.
class BlockStartOrder {
   public:
    explicit BlockStartOrder(BlockStartSink sink) : sink_(std::move(sink)) {}

    // The blocks of chunk `number`; each number once, from 0 on. Throws what the sink throws.
    void give(uint64_t number, std::vector<BlockStart>&& starts) {
        const std::lock_guard lock(mutex_);
        waiting_[number] = std::move(starts);
        for (; !waiting_.empty() && waiting_.begin()->first == next_; ++next_) {
            sink_(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
        }
    }

   private:
    BlockStartSink sink_;
    std::mutex mutex_;
    std::map<uint64_t, std::vector<BlockStart>> waiting_;
    uint64_t next_ = 0;
};

// Appends the block of each record that starts in another one than the record before.
inline void append_block_starts(std::span<const ScannedRecord> records, uint64_t first_ordinal,
                                std::vector<BlockStart>& starts) {
    uint64_t coffset = starts.empty() ? UINT64_MAX : starts.back().coffset;
    for (size_t i = 0; i < records.size(); ++i) {
        const VirtualOffset voffset = records[i].voffset;
        if (voffset.coffset() == coffset) continue;
        coffset = voffset.coffset();
        starts.push_back({coffset, voffset.uoffset(), first_ordinal + i});
    }
}

}  // namespace qbix
