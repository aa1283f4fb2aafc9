#include "byte_reader.hpp"

#include <cerrno>
#include <cstring>

#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {

ByteReader::ByteReader(const std::string& path) : path_(path), is_remote_(!local_path(path)) {
    open();
}

void ByteReader::open() {
    file_.reset(hopen(path_.c_str(), "r"));
    if (!file_)
        throw Error(ErrorCode::kOpen, "failed to open \"" + path_ + "\": " + std::strerror(errno));
}

// Goes to `offset`. htslib 1.16 now and then delivers bytes of an old place after a second seek
// in a remote file, or takes it for ended: there each seek has a handle of its own.
void ByteReader::seek(uint64_t offset) {
    if (is_remote_ && was_used_) open();
    was_used_ = true;
    if (hseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throw Error(ErrorCode::kIo, "failed to seek in \"" + path_ + "\" to offset " +
                                        std::to_string(offset) + ": " + std::strerror(errno));
    position_ = offset;
}

size_t ByteReader::read_at(uint64_t offset, std::span<uint8_t> out) {
    if (offset != position_) seek(offset);
    was_used_ = true;
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

uint64_t ByteReader::size_bytes() {
    was_used_ = true;
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
