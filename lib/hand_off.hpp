// hand_off.hpp: one value passed along a numbered chain of turns, from thread to thread.
//
// The owner of turn n takes the value, changes it, and gives it to turn n + 1. Only one
// value exists, so memory does not grow with the number of turns.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

namespace qbix {

template <class T>
class HandOff {
   public:
    // The value waits for turn `first_turn`.
    explicit HandOff(T value = {}, uint64_t first_turn = 0)
        : value_(std::move(value)), turn_(first_turn) {}

    // Whether take(turn) would not wait.
    bool is_turn(uint64_t turn) {
        const std::lock_guard lock(mutex_);
        return turn_ == turn || aborted_;
    }

    // Waits for `turn` and moves the value to `out`; false when the chain was aborted.
    bool take(uint64_t turn, T& out) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return turn_ == turn || aborted_; });
        if (aborted_) return false;
        out = std::move(value_);
        return true;
    }

    // REQUIRES: the caller took turn `next_turn` - 1 (or an earlier one, when it speaks for
    // all turns up to here).
    void give(uint64_t next_turn, T value) {
        {
            const std::lock_guard lock(mutex_);
            value_ = std::move(value);
            turn_ = next_turn;
        }
        changed_.notify_all();
    }

    // Ends all waits, now and later.
    void abort() noexcept {
        {
            const std::lock_guard lock(mutex_);
            aborted_ = true;
        }
        changed_.notify_all();
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    T value_;
    uint64_t turn_;
    bool aborted_ = false;
};

}  // namespace qbix
