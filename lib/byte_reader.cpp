#include "byte_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {

ByteReader::ByteReader(const std::string& path)
    : path_(path), is_remote_(!local_path(path)), file_(hopen(path.c_str(), "r")) {
    if (!file_)
        throw Error(ErrorCode::kOpen, "failed to open \"" + path + "\": " + std::strerror(errno));
}

size_t ByteReader::read_at(uint64_t offset, std::span<uint8_t> out) {
    seek(offset);
    size_t n_read = 0;
    while (n_read < out.size()) {
        const ssize_t n = hread(file_.get(), out.data() + n_read, out.size() - n_read);
        if (n < 0)
            throw Error(ErrorCode::kIo, "failed to read \"" + path_ + "\" at offset " +
                                            std::to_string(position_) + ": " +
                                            std::strerror(errno));
        if (n == 0) break;
        n_read += static_cast<size_t>(n);
        position_ += static_cast<uint64_t>(n);
    }
    return n_read;
}

// Where htslib would skip ahead in a running transfer it is done here: its own way, in 1.16,
// now and then goes on at the wrong place.
void ByteReader::skip(uint64_t n_bytes) {
    std::vector<uint8_t> skipped(std::min<uint64_t>(n_bytes, 64 << 10));
    while (n_bytes > 0) {
        const ssize_t n =
            hread(file_.get(), skipped.data(), std::min<uint64_t>(n_bytes, skipped.size()));
        if (n <= 0) return;  // at the end: the read that follows finds nothing, either
        n_bytes -= static_cast<uint64_t>(n);
    }
}

void ByteReader::seek(uint64_t offset) {
    constexpr uint64_t kHtslibSkips = 5 << 18;  // it skips 1,000,000 bytes beyond its buffer
    if (offset == position_) return;
    if (is_remote_ && offset > position_ && offset - position_ < kHtslibSkips)
        skip(offset - position_);
    else if (hseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throw Error(ErrorCode::kIo, "failed to seek in \"" + path_ + "\" to offset " +
                                        std::to_string(offset) + ": " + std::strerror(errno));
    position_ = offset;
}

uint64_t ByteReader::size_bytes() {
    // To the last byte: an HTTP server refuses the range that begins at the end.
    const off_t last = hseek(file_.get(), -1, SEEK_END);
    const off_t position = last >= 0 ? last : hseek(file_.get(), 0, SEEK_END);
    if (position < 0)
        throw Error(ErrorCode::kIo,
                    "failed to find the size of \"" + path_ + "\": " + std::strerror(errno));
    position_ = static_cast<uint64_t>(position);
    return last >= 0 ? position_ + 1 : position_;
}

}  // namespace qbix
