#include "worker_pool.hpp"

#include <utility>

namespace bgzfw {

WorkerPool::WorkerPool(int n_workers, std::function<std::unique_ptr<BlockEncoder>()> make_encoder,
                       Work work)
    : make_encoder_(std::move(make_encoder)),
      work_(std::move(work)),
      capacity_(2 * static_cast<size_t>(n_workers)) {
    try {
        for (int i = 0; i < n_workers; ++i) threads_.emplace_back([this] { run(); });
    } catch (...) {
        stop();
        throw;
    }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() noexcept {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
        queue_.clear();
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

bool WorkerPool::try_push(std::unique_ptr<Chunk>& chunk) {
    {
        std::lock_guard lock(mutex_);
        if (queue_.size() >= capacity_) return false;
        if (stopping_) {
            chunk.reset();
            return true;
        }
        queue_.push_back(std::move(chunk));
    }
    wake_.notify_one();
    return true;
}

bool WorkerPool::has_room() {
    std::lock_guard lock(mutex_);
    return queue_.size() < capacity_;
}

std::unique_ptr<Chunk> WorkerPool::try_pop() {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) return nullptr;
    auto chunk = std::move(queue_.front());
    queue_.pop_front();
    return chunk;
}

void WorkerPool::run() noexcept {
    std::unique_ptr<BlockEncoder> encoder;
    for (;;) {
        std::unique_ptr<Chunk> chunk;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
            if (stopping_) return;
            chunk = std::move(queue_.front());
            queue_.pop_front();
        }
        try {
            if (!encoder) encoder = make_encoder_();
        } catch (...) {
        }
        work_(std::move(chunk), encoder.get());
    }
}

}  // namespace bgzfw
