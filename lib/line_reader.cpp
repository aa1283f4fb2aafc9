#include "line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

std::string shown(const std::string& path) {
    return path == "-" ? "standard input" : "\"" + path + "\"";
}

}  // namespace

LineReader::LineReader(const std::string& path, size_t max_line_bytes)
    : path_(path), max_line_bytes_(max_line_bytes), text_(kBufferBytes) {
    open();
    start();
}

void LineReader::fail(const std::string& what) const {
    throw Error(ErrorCode::kIo, "failed to read " + shown(path_) + ": " + what);
}

void LineReader::open() {
    if (path_ == "-")
        fd_ = UniqueFd(dup(STDIN_FILENO));
    else if (std::optional<std::string> path = local_path(path_))
        fd_ = UniqueFd(::open(path->c_str(), O_RDONLY | O_CLOEXEC));
    else
        remote_.reset(hopen(path_.c_str(), "r"));
    if (!fd_ && !remote_)
        throw Error(ErrorCode::kOpen, "failed to open " + shown(path_) + ": " + strerror(errno));
}

// Looks at the first bytes: gzip, or a byte-order mark.
void LineReader::start() {
    auto starts_with = [this](std::string_view prefix) {
        return end_ >= prefix.size() && memcmp(text_.data(), prefix.data(), prefix.size()) == 0;
    };
    while (end_ < 3 && fill()) {
    }
    if (starts_with("\x1f\x8b")) {
        raw_.assign(text_.begin(), text_.end());
        inflater_.reset(new z_stream{});
        if (inflateInit2(inflater_.get(), 15 + 16) != Z_OK) throw std::bad_alloc();
        in_member_ = true;
        inflater_->next_in = raw_.data();
        inflater_->avail_in = static_cast<uInt>(end_);
        begin_ = end_ = 0;
        while (end_ < 3 && fill()) {
        }
    }
    if (starts_with("\xef\xbb\xbf"))
        begin_ = 3;
    else if (starts_with("\xff\xfe") || starts_with("\xfe\xff"))
        fail("it is UTF-16 text; convert it (iconv -f UTF-16 -t UTF-8)");
}

// Adds to the text buffer; false at the end of the file.
bool LineReader::fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    uint8_t* out = text_.data() + end_;
    size_t size = text_.size() - end_;
    size_t n = inflater_ ? inflate_some(out, size) : read_raw(out, size);
    end_ += n;
    return n > 0;
}

size_t LineReader::read_raw(uint8_t* out, size_t size) {
    ssize_t n;
    do {
        n = fd_ ? ::read(fd_.get(), out, size) : hread(remote_.get(), out, size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) fail(strerror(errno));
    return static_cast<size_t>(n);
}

size_t LineReader::inflate_some(uint8_t* out, size_t size) {
    inflater_->next_out = out;
    inflater_->avail_out = static_cast<uInt>(size);
    while (inflater_->avail_out == size) {
        if (inflater_->avail_in == 0) {
            size_t n = read_raw(raw_.data(), raw_.size());
            if (n == 0 && in_member_) fail("the gzip data is cut off");
            if (n == 0) return 0;
            inflater_->next_in = raw_.data();
            inflater_->avail_in = static_cast<uInt>(n);
        }
        if (!in_member_) {
            inflateReset(inflater_.get());
            in_member_ = true;
        }
        int status = inflate(inflater_.get(), Z_NO_FLUSH);
        if (status == Z_STREAM_END)
            in_member_ = false;
        else if (status != Z_OK && status != Z_BUF_ERROR)
            fail("the gzip data is damaged");
    }
    return size - inflater_->avail_out;
}

bool LineReader::next(Line& line) {
    line_.clear();
    line.is_cut = false;
    if (begin_ == end_ && !fill()) return false;
    for (bool is_whole = false; !is_whole && (begin_ < end_ || fill());) {
        const uint8_t* from = text_.data() + begin_;
        const void* newline = memchr(from, '\n', end_ - begin_);
        size_t n = newline ? static_cast<const uint8_t*>(newline) - from : end_ - begin_;
        // One byte more than allowed: it may be the CR of the line end.
        size_t kept = std::min(n, max_line_bytes_ + 1 - line_.size());
        line_.append(reinterpret_cast<const char*>(from), kept);
        line.is_cut |= kept < n;
        is_whole = newline != nullptr;
        begin_ += n + is_whole;
    }
    ++line_number_;
    if (!line.is_cut && !line_.empty() && line_.back() == '\r') line_.pop_back();
    if (line_.size() > max_line_bytes_) {
        line.is_cut = true;
        line_.resize(max_line_bytes_);
    }
    line.text = line_;
    return true;
}

}  // namespace qbix
