// fd_sink.hpp: the one caller of write(2) and close(2) on the output.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

namespace bgzfw {

// Used by one thread at a time; bytes_written() by any.
class FdSink {
   public:
    // Creates or truncates `path`; "-" is standard output. Throws Error kOpen.
    explicit FdSink(const std::string& path);
    // `fd` stays the caller's.
    FdSink(int fd, std::string name) : name_(std::move(name)), fd_(fd) {}
    ~FdSink();
    FdSink(const FdSink&) = delete;
    FdSink& operator=(const FdSink&) = delete;

    // Writes everything, however many calls that takes; waits for a non-blocking
    // descriptor. Throws Error kIo with path, reason and bytes_written().
    void write(std::span<const uint8_t> bytes);

    // Closes what was opened here; quota and network errors may show up only now.
    void close();

    uint64_t bytes_written() const noexcept { return n_written_.load(std::memory_order_relaxed); }
    const std::string& name() const noexcept { return name_; }

   private:
    [[noreturn]] void fail(const char* verb, int os_errno) const;

    std::string name_;
    int fd_ = -1;
    bool owns_fd_ = false;
    std::atomic<uint64_t> n_written_{0};
};

}  // namespace bgzfw
