#include "byte_reader.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {

ByteReader::ByteReader(const std::string& path)
    : path_(path), is_remote_(!local_path(path)), file_(hopen(path.c_str(), "r")) {
    if (!file_)
        throw Error(ErrorCode::kOpen, "failed to open \"" + path + "\": " + std::strerror(errno));
}

size_t ByteReader::read_at(uint64_t offset, std::span<uint8_t> out) {
    if (offset != position_ && hseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throw Error(ErrorCode::kIo, "failed to seek in \"" + path_ + "\" to offset " +
                                        std::to_string(offset) + ": " + std::strerror(errno));
    position_ = offset;
    size_t n_read = 0;
    bool may_reopen = is_remote_;
    while (n_read < out.size()) {
        const ssize_t n = hread(file_.get(), out.data() + n_read, out.size() - n_read);
        if (n < 0)
            throw Error(ErrorCode::kIo, "failed to read \"" + path_ + "\" at offset " +
                                            std::to_string(position_) + ": " +
                                            std::strerror(errno));
        if (n == 0 && !(std::exchange(may_reopen, false) && reopen())) break;
        n_read += static_cast<size_t>(n);
        position_ += static_cast<uint64_t>(n);
    }
    return n_read;
}

// htslib 1.16 now and then sees the end of a remote file too early after seeks near the end.
// False when the place is the end indeed.
bool ByteReader::reopen() {
    file_.reset(hopen(path_.c_str(), "r"));
    if (!file_)
        throw Error(ErrorCode::kIo,
                    "failed to open \"" + path_ + "\" again: " + std::strerror(errno));
    return hseek(file_.get(), static_cast<off_t>(position_), SEEK_SET) >= 0;
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
