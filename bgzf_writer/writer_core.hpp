// writer_core.hpp: what a writer and its producers share; the wiring of the rooms.
//
//   RecordPacker -> (compress here | WorkerPool) -> CommitQueue -> Engine -> FdSink
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "bgzfw/bam_header.hpp"
#include "bgzfw/options.hpp"
#include "block_encoder.hpp"
#include "chunk_pool.hpp"
#include "commit_queue.hpp"
#include "engine.hpp"
#include "fd_sink.hpp"
#include "first_error.hpp"
#include "sam_encoder.hpp"
#include "worker_pool.hpp"

namespace bgzfw {

// All functions are for any thread, but for close(), give_up() and the constructor.
class WriterCore {
   public:
    WriterCore(std::unique_ptr<FdSink> sink, const BamHeader& header, const Options& options);
    ~WriterCore();  // give_up()
    WriterCore(const WriterCore&) = delete;
    WriterCore& operator=(const WriterCore&) = delete;

    const Options& options() const noexcept { return options_; }  // resolved
    const BamHeader& header() const noexcept { return header_; }
    uint64_t bytes_written() const noexcept { return sink_->bytes_written(); }
    uint64_t n_records() const noexcept { return n_records_.load(std::memory_order_relaxed); }
    FirstError& error() noexcept { return error_; }

    // Throws Error, see SamHeader.
    const SamHeader& sam_header();

    std::unique_ptr<Chunk> take_chunk() { return chunk_pool_.take(); }

    // What a caller does that finds all workers behind. A producer always helps: it would have
    // to wait for processors that other producers use. The one thread of a stream helps as
    // long as there are processors beside those of the workers; beyond that one thread more
    // only costs the others their caches (5 to 10 % of the time).
    enum class WhenBusy { kHelp, kWait };
    WhenBusy when_busy_for_stream() const noexcept { return when_busy_for_stream_; }

    // Gives the chunk the next place in the file. `encoder` is the caller's own, made when
    // it is first needed. Throws the first error.
    void dispatch(std::unique_ptr<Chunk> chunk, WhenBusy when_busy,
                  std::unique_ptr<BlockEncoder>& encoder);

    // Gives the chunk the place `number`. The records are in `payload`: the chunk's own raw
    // bytes, or the caller's memory. Throws the first error.
    void dispatch_batch(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                        uint64_t number, std::unique_ptr<BlockEncoder>& encoder);

    void producer_opened() noexcept { ++n_producers_; }
    void producer_finished() noexcept { --n_producers_; }

    // Ends the file. Throws the first error.
    void close();
    // Joins all threads; the file stays without EOF block.
    void give_up() noexcept;

   private:
    std::unique_ptr<Engine> make_engine();
    void write_header();
    void hand_on(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                 std::unique_ptr<BlockEncoder>& encoder);
    void pack_and_commit(std::unique_ptr<Chunk> chunk, std::span<const uint8_t> payload,
                         BlockEncoder& encoder);
    void run_job(std::unique_ptr<Chunk> chunk, BlockEncoder* encoder) noexcept;
    std::unique_ptr<BlockEncoder> make_encoder() const;
    BlockEncoder& encoder_of(std::unique_ptr<BlockEncoder>& encoder) const;
    void finish();

    const Options options_;
    const BamHeader header_;
    FirstError error_;
    std::unique_ptr<FdSink> sink_;
    ChunkPool chunk_pool_;
    std::atomic<int> n_producers_{0};
    std::atomic<uint64_t> n_records_{0};  // handed over
    std::once_flag sam_header_once_;
    std::optional<SamHeader> sam_header_;  // made when first used
    bool complete_ = false;                // the EOF block is written and the file closed

    CommitQueue commits_;
    std::unique_ptr<Engine> engine_;  // null when given up
    const bool wants_packed_;
    const WhenBusy when_busy_for_stream_;
    std::unique_ptr<WorkerPool> workers_;  // null when the callers, or htslib, compress
};

}  // namespace bgzfw
