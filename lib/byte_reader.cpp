#include "byte_reader.hpp"

#include <cerrno>
#include <cstring>

#include "qbix/error.hpp"

namespace qbix {

ByteReader::ByteReader(const std::string& path) : path_(path), file_(hopen(path.c_str(), "r")) {
    if (!file_)
        throw Error(ErrorCode::kOpen, "failed to open \"" + path + "\": " + std::strerror(errno));
}

size_t ByteReader::read_at(uint64_t offset, std::span<uint8_t> out) {
    if (offset != position_ && hseek(file_.get(), static_cast<off_t>(offset), SEEK_SET) < 0)
        throw Error(ErrorCode::kIo, "failed to seek in \"" + path_ + "\" to offset " +
                                        std::to_string(offset) + ": " + std::strerror(errno));
    position_ = offset;
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
    const off_t end = hseek(file_.get(), 0, SEEK_END);
    if (end < 0)
        throw Error(ErrorCode::kIo,
                    "failed to find the size of \"" + path_ + "\": " + std::strerror(errno));
    position_ = static_cast<uint64_t>(end);
    return position_;
}

}  // namespace qbix
