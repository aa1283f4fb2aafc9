#include "index_bytes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "index_errors.hpp"
#include "le_bytes.hpp"
#include "local_path.hpp"
#include "unique_fd.hpp"

namespace qbix {
namespace {

constexpr size_t kPageBytes = 32 << 10;  // about what one request costs in time
constexpr size_t kMaxPages = 64;
constexpr size_t kPieceBytes = 1 << 20;  // of a remote section that is walked
constexpr uint64_t kReadAheadBytes = 4 << 20;

Error open_error(const std::string& path, int error_number) {
    return Error(ErrorCode::kOpen,
                 "failed to open \"" + path + "\": " + std::strerror(error_number));
}

}  // namespace

// ---- MappedFile ------------------------------------------------------------------------

MappedFile::MappedFile(const std::string& path) {
    // Without O_NONBLOCK a FIFO would be waited for.
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) throw open_error(path, errno);
    struct stat status;
    if (fstat(fd.get(), &status) != 0) throw open_error(path, errno);
    if (!S_ISREG(status.st_mode)) throw_not_index(path, "not a regular file");
    if (status.st_size == 0) throw_not_index(path, "the file is empty");
    size_ = static_cast<size_t>(status.st_size);
    void* address = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd.get(), 0);
    if (address == MAP_FAILED) {
        throw Error(ErrorCode::kIo, "failed to map \"" + path + "\": " + std::strerror(errno));
    }
    data_ = static_cast<const uint8_t*>(address);
    madvise(address, size_, MADV_RANDOM);  // advice: failure costs time only
}

MappedFile::~MappedFile() { munmap(const_cast<uint8_t*>(data_), size_); }

void MappedFile::will_need(uint64_t place, uint64_t n_bytes) const noexcept {
    constexpr uint64_t kAlignment = 64 << 10;  // a multiple of every page size in use
    const uint64_t begin = place / kAlignment * kAlignment;
    const uint64_t end = std::min<uint64_t>(place + n_bytes, size_);
    madvise(const_cast<uint8_t*>(data_) + begin, end - begin, MADV_WILLNEED);
}

// ---- PagedFile -------------------------------------------------------------------------

PagedFile::PagedFile(const std::string& url) : reader_(url), size_(reader_.size_bytes()) {}

void PagedFile::fetch(uint64_t place, std::span<uint8_t> out) {
    if (reader_.read_at(place, out) != out.size()) {
        throw_bad_index(reader_.path(),
                        "the file ends before byte " + std::to_string(place + out.size()));
    }
}

const PagedFile::Page& PagedFile::page(uint64_t number) {
    Page* oldest = nullptr;
    for (Page& page : pages_) {
        if (page.number == number) {
            page.last_use = ++n_uses_;
            return page;
        }
        if (oldest == nullptr || page.last_use < oldest->last_use) oldest = &page;
    }
    if (pages_.size() < kMaxPages) oldest = &pages_.emplace_back();
    oldest->number = UINT64_MAX;  // should the fetch throw
    oldest->bytes.resize(std::min<uint64_t>(kPageBytes, size_ - number * kPageBytes));
    fetch(number * kPageBytes, oldest->bytes);
    oldest->number = number;
    oldest->last_use = ++n_uses_;
    return *oldest;
}

void PagedFile::read(uint64_t place, std::span<uint8_t> out) {
    const std::lock_guard lock(mutex_);
    while (!out.empty()) {
        const Page& source = page(place / kPageBytes);
        const size_t skip = place % kPageBytes;
        const size_t n_bytes = std::min(out.size(), source.bytes.size() - skip);
        std::memcpy(out.data(), source.bytes.data() + skip, n_bytes);
        out = out.subspan(n_bytes);
        place += n_bytes;
    }
}

void PagedFile::read_once(uint64_t place, std::span<uint8_t> out) {
    const std::lock_guard lock(mutex_);
    fetch(place, out);
}

// ---- IndexBytes ------------------------------------------------------------------------

IndexBytes::IndexBytes(const std::string& path, bool map_local) {
    const std::optional<std::string> local = local_path(path);
    if (local && map_local) {
        mapped_ = std::make_unique<MappedFile>(*local);
    } else {
        paged_ = std::make_unique<PagedFile>(path);
    }
}

uint64_t IndexBytes::size_bytes() const noexcept {
    return mapped_ ? mapped_->size() : paged_->size();
}

void IndexBytes::read(uint64_t place, std::span<uint8_t> out) const {
    if (out.empty()) return;
    if (mapped_) {
        std::memcpy(out.data(), mapped_->data() + place, out.size());
    } else {
        paged_->read(place, out);
    }
}

uint64_t IndexBytes::read_u64(uint64_t place) const {
    uint8_t bytes[8];
    read(place, bytes);
    return load_le<uint64_t>(bytes);
}

// ---- SectionWalker ---------------------------------------------------------------------

void SectionWalker::move_window(uint64_t place, size_t n_bytes) {
    const MappedFile* mapped = bytes_->mapped();
    const uint64_t n_wanted = std::max<uint64_t>(mapped ? kReadAheadBytes : kPieceBytes, n_bytes);
    const uint64_t n_window = std::min(n_wanted, section_end_ - place);
    if (mapped) {
        mapped->will_need(place, n_window);
        window_ = mapped->data() + place;
    } else {
        window_begin_ = window_end_ = 0;  // should the read throw
        piece_.resize(n_window);
        bytes_->paged()->read_once(place, piece_);
        window_ = piece_.data();
    }
    window_begin_ = place;
    window_end_ = place + n_window;
}

}  // namespace qbix
