// worker_pool.hpp: threads that compress, each with its own encoder.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "block_encoder.hpp"
#include "chunk.hpp"

namespace bgzfw {

class WorkerPool {
   public:
    // Calls work(chunk, encoder) from `n_workers` threads; it must not throw. Encoders are made
    // in their threads; when that fails, work() gets none. Throws what starting threads throws.
    using Work = std::function<void(std::unique_ptr<Chunk>, BlockEncoder*)>;
    WorkerPool(int n_workers, std::function<std::unique_ptr<BlockEncoder>()> make_encoder,
               Work work);
    ~WorkerPool();  // stop()
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Takes `chunk` unless two a worker are queued already.
    bool try_push(std::unique_ptr<Chunk>& chunk);
    bool has_room();

    // Takes `chunk`, after waiting until one a worker is queued.
    void push(std::unique_ptr<Chunk> chunk);

    // Takes back a queued chunk; null when there is none.
    std::unique_ptr<Chunk> try_pop();

    // Drops what is queued, and joins. What is pushed afterwards is dropped.
    void stop() noexcept;

   private:
    void run() noexcept;
    std::unique_ptr<Chunk> wait_for_work();
    void enqueue(std::unique_ptr<Chunk> chunk);

    const std::function<std::unique_ptr<BlockEncoder>()> make_encoder_;
    const Work work_;
    const size_t capacity_;

    std::mutex mutex_;
    std::condition_variable work_came_;
    std::condition_variable room_came_;
    std::deque<std::unique_ptr<Chunk>> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace bgzfw
