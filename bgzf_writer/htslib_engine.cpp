// htslib_engine.cpp: blocks by htslib, bytes by us.
//
// bgzf writes into a pipe. Its own file end would hide errno, write an EOF block on any
// close, and not tell offsets while threads run. A thread of ours reads the pipe, finds the
// blocks, and does all that: it is the only user of the sink. After an error it reads on and
// drops what comes, so that htslib never sees a closed pipe and never waits for ever.
#include "build_config.hpp"
#if BGZFW_WITH_HTSLIB

#include <fcntl.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "bgzfw/error.hpp"
#include "block_format.hpp"
#include "chunk_pool.hpp"
#include "engine.hpp"
#include "place_reporter.hpp"

namespace bgzfw {

namespace {

static_assert(kMaxPayload == BGZF_BLOCK_SIZE);

constexpr int kPipeBytes = 1 << 20;
constexpr size_t kForwardBytes = 1 << 18;

[[noreturn]] void fail(const std::string& what, int os_errno) {
    throw Error(ErrorCode::kInternal,
                "htslib backend: " + what +
                    (os_errno ? ": " + std::generic_category().message(os_errno) : ""),
                os_errno);
}

struct Pipe {
    Pipe() {
        int fds[2];
        if (pipe(fds) != 0) fail("cannot open a pipe", errno);
        for (int fd : fds) fcntl(fd, F_SETFD, FD_CLOEXEC);
#ifdef F_SETPIPE_SZ
        fcntl(fds[1], F_SETPIPE_SZ, kPipeBytes);  // a wish: an unprivileged user may be short
#endif
        read_fd = fds[0];
        write_fd = fds[1];
    }
    ~Pipe() {
        if (read_fd >= 0) close(read_fd);
        if (write_fd >= 0) close(write_fd);
    }
    int read_fd = -1;
    int write_fd = -1;
};

// The thread that moves blocks from the pipe into the sink, and tells the hook.
class Forwarder {
   public:
    Forwarder(const EngineContext& context, int pipe_fd)
        : context_(context),
          reporter_(context.hook),
          pipe_fd_(pipe_fd),
          buffer_(kForwardBytes),
          thread_([this] { run(); }) {}
    ~Forwarder() { join(); }

    // The blocks of `chunk` will come next.
    void expect(std::unique_ptr<Chunk> chunk) {
        std::lock_guard lock(mutex_);
        expected_.push_back(std::move(chunk));
    }

    // REQUIRES: the pipe's other end is closed, or about to be.
    void join() {
        if (thread_.joinable()) thread_.join();
    }

    // REQUIRES: joined.
    bool is_complete() const { return expected_.empty() && n_filled_ == 0; }

   private:
    void run() noexcept {
        try {
            while (fill()) forward();
        } catch (...) {
            context_.error.set(current_error(ErrorCode::kInternal));
            n_filled_ = 0;
            while (fill()) n_filled_ = 0;
        }
    }

    bool fill() {
        ssize_t n;
        do {
            n = read(pipe_fd_, buffer_.data() + n_filled_, buffer_.size() - n_filled_);
        } while (n < 0 && errno == EINTR);
        if (n > 0) n_filled_ += static_cast<size_t>(n);
        return n > 0;
    }

    void forward() {
        size_t n_whole = 0;
        while (const size_t size = next_block(n_whole)) {
            const uint32_t n_payload = load_u32(buffer_.data() + n_whole + size - 4);
            if (n_payload == 0) {  // the EOF block, which is not htslib's to write
                write_out(n_whole);
                drop(size);
                n_whole = 0;
                continue;
            }
            note_block(size, n_payload);
            n_whole += size;
        }
        write_out(n_whole);
    }

    // Size of the block that starts there; 0 when it is not whole yet.
    size_t next_block(size_t position) {
        if (n_filled_ - position < kBlockHeaderBytes) return 0;
        const size_t size = framed_block_size(buffer_.data() + position);
        if (size == 0) fail("what it wrote is no BGZF block", 0);
        return n_filled_ - position >= size ? size : 0;
    }

    void note_block(size_t size, uint32_t n_payload) {
        std::lock_guard lock(mutex_);
        if (expected_.empty()) fail("more blocks came than were asked for", 0);
        Chunk& chunk = *expected_.front();
        const auto& sizes = chunk.layout.sizes();
        if (sizes[chunk.packed_sizes.size()] != n_payload) {
            fail("a block holds " + std::to_string(n_payload) + " bytes instead of " +
                     std::to_string(sizes[chunk.packed_sizes.size()]),
                 0);
        }
        chunk.packed_sizes.push_back(static_cast<uint32_t>(size));
        if (chunk.packed_sizes.size() < sizes.size()) return;
        passed_.push_back(std::move(expected_.front()));
        expected_.pop_front();
    }

    void write_out(size_t n) {
        context_.sink.write({buffer_.data(), n});
        drop(n);
        for (auto& chunk : passed_) {
            reporter_.report(*chunk);
            context_.pool.give(std::move(chunk));
        }
        passed_.clear();
    }

    void drop(size_t n) {
        std::memmove(buffer_.data(), buffer_.data() + n, n_filled_ - n);
        n_filled_ -= n;
    }

    EngineContext context_;
    PlaceReporter reporter_;
    const int pipe_fd_;
    std::vector<uint8_t> buffer_;  // holds more than the largest block
    size_t n_filled_ = 0;
    std::vector<std::unique_ptr<Chunk>> passed_;  // all of their blocks have been seen

    std::mutex mutex_;
    std::deque<std::unique_ptr<Chunk>> expected_;

    std::thread thread_;  // last: starts when the rest is there
};

class HtslibEngine final : public Engine {
   public:
    HtslibEngine(const EngineContext& context, int level, int n_threads, hts_tpool* shared_pool)
        : forwarder_(context, pipe_.read_fd) {
        open_bgzf(level);
        int status = 0;
        if (shared_pool != nullptr) {
            status = bgzf_thread_pool(bgzf_, shared_pool, 0);
        } else if (n_threads > 0) {
            status = bgzf_mt(bgzf_, n_threads, 0);
        }
        if (status != 0) {
            close_bgzf();
            fail("cannot start its threads", errno);
        }
    }

    ~HtslibEngine() override { close_bgzf(); }

    bool wants_packed() const noexcept override { return false; }

    void write(std::unique_ptr<Chunk> chunk) override {
        if (chunk->layout.sizes().empty()) return;
        // The forwarder may take the chunk back once its last block is queued.
        const std::span<const uint32_t> sizes = chunk->layout.sizes();
        const uint8_t* payload = chunk->raw.data();
        forwarder_.expect(std::move(chunk));
        for (uint32_t size : sizes) {
            if (bgzf_write(bgzf_, payload, size) != static_cast<ssize_t>(size) ||
                close_block() < 0) {
                fail("cannot compress a block (bgzf error " + std::to_string(bgzf_->errcode) + ")",
                     0);
            }
            payload += size;
        }
    }

    void finish() override {
        const int status = close_bgzf();
        if (status != 0) fail("closing failed", 0);
        if (!forwarder_.is_complete()) fail("blocks are missing", 0);
    }

   private:
    void open_bgzf(int level) {
        hFILE* file = hdopen(pipe_.write_fd, "w");
        if (file != nullptr) {
            pipe_.write_fd = -1;
            const std::string mode = "w" + std::to_string(level);
            bgzf_ = bgzf_hopen(file, mode.c_str());
            if (bgzf_ == nullptr) hclose_abruptly(file);
        } else {
            close(std::exchange(pipe_.write_fd, -1));
        }
        if (bgzf_ == nullptr) fail("cannot open its file on a pipe", errno);
    }

    // Unlike bgzf_flush() this does not wait for the threads.
    int close_block() { return bgzf_flush_try(bgzf_, BGZF_BLOCK_SIZE); }

    int close_bgzf() {
        if (bgzf_ == nullptr) return 0;
        const int status = bgzf_close(std::exchange(bgzf_, nullptr));
        forwarder_.join();
        return status;
    }

    Pipe pipe_;
    Forwarder forwarder_;
    BGZF* bgzf_ = nullptr;
};

}  // namespace

std::unique_ptr<Engine> make_htslib_engine(const EngineContext& context, int level, int n_threads,
                                           hts_tpool* shared_pool) {
    return std::make_unique<HtslibEngine>(context, level, n_threads, shared_pool);
}

}  // namespace bgzfw

#endif
