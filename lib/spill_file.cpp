#include "spill_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "qbix/error.hpp"

namespace qbix {

UniqueFd open_spill_file(const std::string& prefix) {
    std::string path = prefix + ".spill.XXXXXX";
    UniqueFd fd(mkstemp(path.data()));
    if (!fd)
        throw Error(ErrorCode::kOpen,
                    "failed to create a temporary file \"" + path + "\": " + std::strerror(errno));
    unlink(path.c_str());
    return fd;
}

void write_spill(int fd, std::span<const uint8_t> bytes, uint64_t offset,
                 const std::string& prefix) {
    while (!bytes.empty()) {
        const ssize_t n = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw Error(ErrorCode::kIo, "failed to write a temporary file at \"" + prefix +
                                            "\": " + std::strerror(n < 0 ? errno : ENOSPC));
        offset += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

void read_spill(int fd, std::span<uint8_t> bytes, uint64_t offset, const std::string& prefix) {
    while (!bytes.empty()) {
        const ssize_t n = pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw Error(ErrorCode::kIo, "failed to read a temporary file at \"" + prefix +
                                            "\": " + std::strerror(n < 0 ? errno : EIO));
        offset += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

}  // namespace qbix
