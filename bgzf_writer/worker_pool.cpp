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
    work_came_.notify_all();
    room_came_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
}

bool WorkerPool::try_push(std::unique_ptr<Chunk>& chunk) {
    const std::lock_guard lock(mutex_);
    if (queue_.size() >= capacity_) return false;
    enqueue(std::move(chunk));
    return true;
}

void WorkerPool::push(std::unique_ptr<Chunk> chunk) {
    std::unique_lock lock(mutex_);
    if (queue_.size() >= capacity_) {
        room_came_.wait(lock, [&] { return stopping_ || queue_.size() <= capacity_ / 2; });
    }
    enqueue(std::move(chunk));
}

void WorkerPool::enqueue(std::unique_ptr<Chunk> chunk) {
    if (stopping_) return;
    queue_.push_back(std::move(chunk));
    work_came_.notify_one();
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

// Null when the pool stops.
std::unique_ptr<Chunk> WorkerPool::wait_for_work() {
    std::unique_lock lock(mutex_);
    work_came_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (stopping_) return nullptr;
    auto chunk = std::move(queue_.front());
    queue_.pop_front();
    if (queue_.size() == capacity_ / 2) room_came_.notify_all();
    return chunk;
}

void WorkerPool::run() noexcept {
    std::unique_ptr<BlockEncoder> encoder;
    while (auto chunk = wait_for_work()) {
        try {
            if (!encoder) encoder = make_encoder_();
        } catch (...) {
            // work() tells
        }
        work_(std::move(chunk), encoder.get());
    }
}

}  // namespace bgzfw
