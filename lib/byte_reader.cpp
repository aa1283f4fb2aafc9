#include "byte_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

bool is_http_underneath(const std::string& url) {
    const std::string scheme = url.substr(0, url.find(':'));
    for (const char* known :
         {"http", "https", "s3", "s3+http", "s3+https", "gs", "gs+http", "gs+https"})
        if (scheme == known) return true;
    return false;
}

[[noreturn]] void throw_open_error(const std::string& path) {
    const int reason = errno;
    throw Error(ErrorCode::kOpen, "failed to open \"" + path + "\": " + std::strerror(reason));
}

}  // namespace

ByteReader::ByteReader(const std::string& path) : path_(path) {
    const auto local = local_path(path);
    if (!local) {
        knows_ranges_ = is_http_underneath(path);
        return;
    }
    fd_ = UniqueFd(open(local->c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd_) throw_open_error(path_);
}

void ByteReader::fail(const char* what, uint64_t offset) const {
    const int reason = errno;
    throw Error(ErrorCode::kIo, std::string("failed to ") + what + " \"" + path_ + "\" at offset " +
                                    std::to_string(offset) + ": " + std::strerror(reason));
}

size_t ByteReader::read_local(uint64_t offset, std::span<uint8_t> out) {
    size_t n_read = 0;
    while (n_read < out.size()) {
        const ssize_t n = pread(fd_.get(), out.data() + n_read, out.size() - n_read,
                                static_cast<off_t>(offset + n_read));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("read", offset + n_read);
        if (n == 0) break;
        n_read += static_cast<size_t>(n);
    }
    return n_read;
}

// Asks for the bytes from `offset` on: as many as are wanted, or as were read in a row. Returns
// false when the file ends there.
bool ByteReader::open_range(uint64_t offset, uint64_t n_wanted) {
    constexpr long kWholeFile = 200;
    const uint64_t n_bytes = std::max(n_wanted, n_in_a_row_);
    const std::string range =
        "Range: bytes=" + std::to_string(offset) + "-" + std::to_string(offset + n_bytes - 1);
    long response = 0;  // stays so where the scheme keeps it to itself
    file_.reset(hopen(path_.c_str(), "r:", "httphdr", range.c_str(), "http_response_ptr", &response,
                      nullptr));
    if (!file_) {
        const int reason = errno;
        if (offset > 0 && size_bytes() <= offset) return false;
        errno = reason;
        throw_open_error(path_);
    }
    if (response == kWholeFile && offset > 0)
        throw Error(ErrorCode::kIo, "the server of \"" + path_ +
                                        "\" does not answer requests for a part of a file");
    end_ = response == kWholeFile ? UINT64_MAX : offset + n_bytes;
    return true;
}

bool ByteReader::open_remote(uint64_t offset, uint64_t n_wanted) {
    if (knows_ranges_) return open_range(offset, n_wanted);
    file_.reset(hopen(path_.c_str(), "r"));
    if (!file_) throw_open_error(path_);
    if (offset > 0 && hseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        fail("seek in", offset);
    end_ = UINT64_MAX;
    return true;
}

size_t ByteReader::read_at(uint64_t offset, std::span<uint8_t> out) {
    if (fd_) return read_local(offset, out);
    if (offset != position_) {
        file_.reset();
        n_in_a_row_ = 0;
        position_ = offset;
    }
    size_t n_read = 0;
    while (n_read < out.size()) {
        const uint64_t place = offset + n_read;
        const uint64_t n_wanted = out.size() - n_read;
        if ((!file_ || place == end_) && !open_remote(place, n_wanted)) break;
        const ssize_t n = hread(file_.get(), out.data() + n_read, std::min(n_wanted, end_ - place));
        if (n < 0) fail("read", place);
        if (n == 0) break;
        n_read += static_cast<size_t>(n);
        position_ = offset + n_read;
        n_in_a_row_ += static_cast<uint64_t>(n);
    }
    return n_read;
}

uint64_t ByteReader::size_bytes() {
    if (fd_) {
        const off_t size = lseek(fd_.get(), 0, SEEK_END);
        if (size < 0) fail("find the size of", 0);
        return static_cast<uint64_t>(size);
    }
    // A handle that has sought once must not do so again.
    const HFilePtr file(hopen(path_.c_str(), "r"));
    if (!file) throw_open_error(path_);
    // To the last byte: an HTTP server refuses the range that begins at the end.
    const off_t last = hseek(file.get(), -1, SEEK_END);
    if (last >= 0) return static_cast<uint64_t>(last) + 1;
    const off_t size = hseek(file.get(), 0, SEEK_END);
    if (size >= 0) return static_cast<uint64_t>(size);
    throw Error(ErrorCode::kIo, "failed to find the size of \"" + path_ +
                                    "\": its server does not answer requests for a part of a file");
}

}  // namespace qbix
