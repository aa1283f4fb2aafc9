// chunk_pool.hpp: used chunks, kept for their buffers, so that no block costs an allocation.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "chunk.hpp"

namespace bgzfw {

class ChunkPool {
   public:
    std::unique_ptr<Chunk> take() {
        std::lock_guard lock(mutex_);
        if (free_.empty()) return std::make_unique<Chunk>();
        auto chunk = std::move(free_.back());  // the last one used: its pages are warm
        free_.pop_back();
        free_bytes_ -= chunk->raw.capacity() + chunk->packed.capacity();
        return chunk;
    }

    void give(std::unique_ptr<Chunk> chunk) {
        const size_t n_bytes = chunk->raw.capacity() + chunk->packed.capacity();
        if (n_bytes > kLargestKept) return;
        chunk->clear();
        const std::lock_guard lock(mutex_);
        if (free_bytes_ + n_bytes > kMostKept) return;
        free_bytes_ += n_bytes;
        free_.push_back(std::move(chunk));
    }

   private:
    static constexpr size_t kLargestKept = 4 << 20;  // a huge batch must not stay for ever
    static constexpr size_t kMostKept = 16 << 20;

    std::mutex mutex_;
    std::vector<std::unique_ptr<Chunk>> free_;
    size_t free_bytes_ = 0;
};

}  // namespace bgzfw
