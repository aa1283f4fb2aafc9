// commit_queue.hpp: finished chunks from many threads, handed on in file order.
//
// A chunk's life: admitted (it has its number, and memory is accounted for), compressed by
// whoever, committed. There is no writing thread: whoever commits the chunk that is next
// writes it out, and then whatever has arrived behind it; others leave theirs and go on.
//
// Invariants, under the mutex:
//  1. n_written <= n_arrived <= n_admitted.
//  2. A number that is admitted is being compressed or has arrived: no thread waits for
//     admission while it holds one. So the chunk that is next always comes, and admission,
//     the only wait, always ends.
//  3. An admitted number is below n_written + window: its slot is free.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "chunk.hpp"
#include "first_error.hpp"

namespace bgzfw {

class CommitQueue {
   public:
    // `write` takes chunks in order, one thread at a time; what it throws goes to `error`.
    // At most `window` chunks and, unless a single one is larger, `max_bytes` are admitted
    // and not yet written.
    using Write = std::function<void(std::unique_ptr<Chunk>)>;
    CommitQueue(Write write, FirstError& error, uint32_t window, size_t max_bytes);

    // Admits the next number. Throws the first error.
    void admit_next(Chunk& chunk, size_t size_bytes);

    // Admits a number of the caller's; the next one to be written never waits.
    // Throws Error kUsage when it has been used before, or the first error.
    void admit(Chunk& chunk, uint64_t number, size_t size_bytes);

    // Takes an admitted chunk, which is ready to be written. Never waits for other chunks,
    // but may be the one that writes.
    void commit(std::unique_ptr<Chunk> chunk) noexcept;

    // Waits until everything admitted is written. Throws Error kUsage when a number is
    // missing, or the first error. REQUIRES: no thread is about to admit.
    void finish();

    // Waits until no thread writes. REQUIRES: the FirstError is set, so that none will begin.
    void wait_until_idle() noexcept;

    // To be called when the FirstError is set.
    void wake_all() noexcept;

   private:
    struct Slot {
        bool admitted = false;
        std::unique_ptr<Chunk> chunk;
    };

    Slot& slot(uint64_t number) { return slots_[number % slots_.size()]; }
    bool has_memory(size_t size_bytes) const { return in_flight_bytes_ + size_bytes <= max_bytes_; }
    void take_in(Chunk& chunk, uint64_t number, size_t size_bytes);
    void write_out(std::unique_ptr<Chunk> chunk) noexcept;
    template <class Predicate>
    void wait(std::unique_lock<std::mutex>& lock, Predicate ready);

    const Write write_;
    FirstError& error_;
    const size_t max_bytes_;

    std::mutex mutex_;
    std::condition_variable progress_;
    int n_waiting_ = 0;
    std::vector<Slot> slots_;  // as many as the window is wide
    bool committing_ = false;  // a thread is in the loop of commit()
    uint64_t n_written_ = 0;   // also: the number that is next
    uint64_t n_arrived_ = 0;
    uint64_t n_admitted_ = 0;
    size_t in_flight_bytes_ = 0;
};

}  // namespace bgzfw
