#include "ordered_output.hpp"

namespace qbix {

bool OrderedOutput::submit(uint64_t number, std::vector<uint8_t>& bytes, bool is_last) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return ended_ || number == next_ || waiting_bytes_ + bytes.size() <= max_waiting_bytes_;
    });
    if (ended_) return false;
    waiting_bytes_ += bytes.size();
    Buffer& buffer = waiting_[number];
    buffer = {std::move(bytes), is_last};
    bytes.clear();
    if (!spare_.empty()) {
        bytes.swap(spare_.back());
        spare_.pop_back();
    }
    if (number == next_ && !writing_) write_out(lock);
    return !ended_;
}

// Hands on all buffers whose turn it is. The lock is open while the sink works.
void OrderedOutput::write_out(std::unique_lock<std::mutex>& lock) {
    writing_ = true;
    while (!ended_ && !waiting_.empty() && waiting_.begin()->first == next_) {
        Buffer buffer = std::move(waiting_.begin()->second);
        waiting_.erase(waiting_.begin());
        lock.unlock();
        try {
            if (!buffer.bytes.empty()) sink_(buffer.bytes);
        } catch (...) {
            abort();
            throw;
        }
        lock.lock();
        waiting_bytes_ -= buffer.bytes.size();
        buffer.bytes.clear();
        spare_.push_back(std::move(buffer.bytes));
        ++next_;
        ended_ = ended_ || buffer.is_last;
        changed_.notify_all();
    }
    writing_ = false;
}

void OrderedOutput::abort() noexcept {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
}

}  // namespace qbix
