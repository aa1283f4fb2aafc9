// ordered_output.hpp: numbered buffers from many threads, handed on in the order of their
// numbers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <vector>

namespace qbix {

class OrderedOutput {
   public:
    // Called with one buffer after the other, never twice at a time, by whichever thread
    // completes the order.
    using Sink = std::function<void(std::span<const uint8_t>)>;

    // At most about `max_waiting_bytes` are kept for numbers whose turn has not come.
    OrderedOutput(Sink sink, uint64_t max_waiting_bytes)
        : sink_(std::move(sink)), max_waiting_bytes_(max_waiting_bytes) {}

    // Hands over buffer `number`: each once, from 0 on, each thread in ascending order. Waits
    // while too much waits already, but never when it is this number's turn. After the last
    // buffer (of which there may be several candidates: the lowest counts) nothing is handed
    // on. Returns false when the output has ended: the caller should stop. `bytes` is empty
    // afterwards. Throws what the sink throws; that ends the output too.
    bool submit(uint64_t number, std::vector<uint8_t>& bytes, bool is_last = false);

    // Ends the output: submit() returns false from now on.
    void abort() noexcept;

   private:
    struct Buffer {
        std::vector<uint8_t> bytes;
        bool is_last = false;
    };

    void write_out(std::unique_lock<std::mutex>& lock);

    Sink sink_;
    const uint64_t max_waiting_bytes_;
    std::mutex mutex_;  // guards what follows
    std::condition_variable changed_;
    std::map<uint64_t, Buffer> waiting_;
    std::vector<std::vector<uint8_t>> spare_;  // emptied buffers, for their memory
    uint64_t waiting_bytes_ = 0;
    uint64_t next_ = 0;
    bool writing_ = false;
    bool ended_ = false;
};

}  // namespace qbix
