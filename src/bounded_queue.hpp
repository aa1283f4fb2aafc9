// bounded_queue.hpp: things on their way from one thread to others.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace qbix::cli {

template <class T>
class BoundedQueue {
   public:
    explicit BoundedQueue(size_t capacity) : capacity_(capacity) {}

    // Waits while the queue is full. False when it was closed: nobody will take the item.
    bool push(T item) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || items_.size() < capacity_; });
        if (is_closed_) return false;
        items_.push_back(std::move(item));
        changed_.notify_all();
        return true;
    }

    // Waits while the queue is empty. nullopt when it is closed and empty.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return is_closed_ || !items_.empty(); });
        if (items_.empty()) return std::nullopt;
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        changed_.notify_all();
        return item;
    }

    // What is in the queue can still be taken.
    void close() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        changed_.notify_all();
    }

    // What is in the queue is dropped.
    void abort() {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
        items_.clear();
        changed_.notify_all();
    }

   private:
    const size_t capacity_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> items_;
    bool is_closed_ = false;
};

}  // namespace qbix::cli
