#include "fd_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "bgzfw/error.hpp"

namespace bgzfw {

namespace {

std::string reason(int os_errno) { return std::generic_category().message(os_errno); }

void wait_until_writable(int fd) {
    pollfd waiting{fd, POLLOUT, 0};
    poll(&waiting, 1, -1);  // any error shows up in the write that follows
}

}  // namespace

FdSink::FdSink(const std::string& path) : name_(path) {
    if (path == "-") {
        name_ = "standard output";
        fd_ = STDOUT_FILENO;
        return;
    }
    do {
        fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (fd_ < 0 && errno == EINTR);
    if (fd_ < 0) {
        const int os_errno = errno;
        throw Error(ErrorCode::kOpen,
                    "failed to open \"" + path + "\" for writing: " + reason(os_errno), os_errno);
    }
    owns_fd_ = true;
}

FdSink::~FdSink() {
    if (owns_fd_) ::close(fd_);
}

void FdSink::write(std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
        if (n > 0) {
            n_written_.fetch_add(static_cast<uint64_t>(n), std::memory_order_relaxed);
            bytes = bytes.subspan(static_cast<size_t>(n));
        } else if (n == 0) {
            fail("write", EIO);
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            wait_until_writable(fd_);
        } else if (errno != EINTR) {
            fail("write", errno);
        }
    }
}

void FdSink::close() {
    if (!std::exchange(owns_fd_, false)) return;
    // After EINTR the descriptor is gone on Linux: a second close could hit another file.
    if (::close(fd_) != 0 && errno != EINTR) fail("close", errno);
}

void FdSink::fail(const char* verb, int os_errno) const {
    throw Error(ErrorCode::kIo,
                std::string("failed to ") + verb + " \"" + name_ + "\": " + reason(os_errno) +
                    " (" + std::to_string(bytes_written()) + " bytes written)",
                os_errno);
}

}  // namespace bgzfw
