#include "commit_queue.hpp"

#include <string>
#include <utility>

#include "bgzfw/error.hpp"

namespace bgzfw {

CommitQueue::CommitQueue(Write write, FirstError& error, uint32_t window, size_t max_bytes)
    : write_(std::move(write)), error_(error), max_bytes_(max_bytes), slots_(window) {}

template <class Predicate>
void CommitQueue::wait(std::unique_lock<std::mutex>& lock, Predicate ready) {
    ++n_waiting_;
    progress_.wait(lock, [&] { return error_.is_set() || ready(); });
    --n_waiting_;
    error_.rethrow_if_set();
}

void CommitQueue::take_in(Chunk& chunk, uint64_t number, size_t size_bytes) {
    slot(number).admitted = true;
    chunk.number = number;
    chunk.admitted_bytes = size_bytes;
    ++n_admitted_;
    in_flight_bytes_ += size_bytes;
}

void CommitQueue::admit_next(Chunk& chunk, size_t size_bytes) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] {
        const uint64_t n_in_flight = n_admitted_ - n_written_;
        return n_in_flight == 0 || (n_in_flight < slots_.size() && has_memory(size_bytes));
    });
    take_in(chunk, n_admitted_, size_bytes);
}

void CommitQueue::admit(Chunk& chunk, uint64_t number, size_t size_bytes) {
    std::unique_lock lock(mutex_);
    wait(lock, [&] {
        return number <= n_written_ ||
               (number - n_written_ < slots_.size() && has_memory(size_bytes));
    });
    if (number < n_written_ || slot(number).admitted) {
        throw Error(ErrorCode::kUsage, "batch " + std::to_string(number) + " was submitted twice");
    }
    take_in(chunk, number, size_bytes);
}

void CommitQueue::commit(std::unique_ptr<Chunk> chunk) noexcept {
    std::unique_lock lock(mutex_);
    ++n_arrived_;
    Slot& own = slot(chunk->number);
    own.chunk = std::move(chunk);
    if (committing_) return;
    committing_ = true;
    while (!error_.is_set() && slot(n_written_).chunk) {
        auto next = std::move(slot(n_written_).chunk);
        const size_t size_bytes = next->admitted_bytes;
        lock.unlock();
        write_out(std::move(next));
        lock.lock();
        slot(n_written_).admitted = false;
        ++n_written_;
        in_flight_bytes_ -= size_bytes;
        if (n_waiting_ > 0) progress_.notify_all();
    }
    committing_ = false;
    if (n_waiting_ > 0) progress_.notify_all();
}

void CommitQueue::write_out(std::unique_ptr<Chunk> chunk) noexcept {
    try {
        write_(std::move(chunk));
    } catch (...) {
        error_.set(current_error(ErrorCode::kInternal));
    }
}

void CommitQueue::finish() {
    std::unique_lock lock(mutex_);
    wait(lock, [&] { return n_arrived_ == n_admitted_ && !committing_; });
    if (n_written_ != n_admitted_) {
        throw Error(ErrorCode::kUsage, "batch " + std::to_string(n_written_) +
                                           " was never submitted, later ones were");
    }
}

void CommitQueue::wait_until_idle() noexcept {
    std::unique_lock lock(mutex_);
    ++n_waiting_;
    progress_.wait(lock, [&] { return !committing_; });
    --n_waiting_;
}

void CommitQueue::wake_all() noexcept {
    std::lock_guard lock(mutex_);
    progress_.notify_all();
}

}  // namespace bgzfw
