// index_bytes.hpp: the bytes of an opened index file: mapped when it is local, read through
// hFILE and kept in pages when it is remote.
//
// Neither checks a place: callers have compared their sections with size_bytes() before.
// A mapped file that another process truncates ends the process (SIGBUS); indexes are
// replaced by rename, which does not touch a mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "byte_reader.hpp"

namespace qbix {

// A whole local file, read-only and shared. Owner of the mapping.
class MappedFile {
   public:
    // Throws Error: kOpen, kIo, kNotIndex when it is not a regular file or empty.
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const uint8_t* data() const noexcept { return data_; }
    size_t size() const noexcept { return size_; }

    // Asks the kernel to read ahead what will be walked soon (lookups are random).
    void will_need(uint64_t place, uint64_t n_bytes) const noexcept;

   private:
    const uint8_t* data_ = nullptr;
    size_t size_ = 0;
};

// A remote file. Small reads go through a cache of pages, so that a lookup costs a few
// requests, and repeated ones none. Safe for many threads (one mutex: the network is slower).
class PagedFile {
   public:
    // Throws Error: kOpen, kIo.
    explicit PagedFile(const std::string& url);

    uint64_t size() const noexcept { return size_; }

    // Fills `out`. Throws Error: kIo, kBadIndex when the file ends before.
    void read(uint64_t place, std::span<uint8_t> out);
    // The same past the cache, for walking.
    void read_once(uint64_t place, std::span<uint8_t> out);

   private:
    struct Page {
        uint64_t number = UINT64_MAX;
        uint64_t last_use = 0;
        std::vector<uint8_t> bytes;
    };

    const Page& page(uint64_t number);  // with mutex_ held
    void fetch(uint64_t place, std::span<uint8_t> out);

    std::mutex mutex_;
    ByteReader reader_;
    uint64_t size_;
    uint64_t n_uses_ = 0;
    std::vector<Page> pages_;
};

class IndexBytes {
   public:
    explicit IndexBytes(const std::string& path);

    uint64_t size_bytes() const noexcept;
    const MappedFile* mapped() const noexcept { return mapped_.get(); }  // or
    PagedFile* paged() const noexcept { return paged_.get(); }           // one is nullptr

    void read(uint64_t place, std::span<uint8_t> out) const;
    uint64_t read_u64(uint64_t place) const;

   private:
    std::unique_ptr<MappedFile> mapped_;
    std::unique_ptr<PagedFile> paged_;
};

// Walks a section forward, window by window: a window of the mapping, for which the kernel
// is asked to read ahead, or a large piece read from the remote file. One walker, one thread.
class SectionWalker {
   public:
    // REQUIRES: [begin, end) inside the file.
    SectionWalker(const IndexBytes& bytes, uint64_t begin, uint64_t end)
        : bytes_(&bytes), section_end_(end), window_begin_(begin), window_end_(begin) {}

    SectionWalker(const SectionWalker&) = delete;
    SectionWalker& operator=(const SectionWalker&) = delete;

    // The bytes [place, place + n_bytes), until the next call. Places should ascend.
    // REQUIRES: inside the section. Throws Error kIo.
    const uint8_t* view(uint64_t place, size_t n_bytes) {
        if (place < window_begin_ || place + n_bytes > window_end_) move_window(place, n_bytes);
        return window_ + (place - window_begin_);
    }

   private:
    void move_window(uint64_t place, size_t n_bytes);

    const IndexBytes* bytes_;
    uint64_t section_end_;
    uint64_t window_begin_;
    uint64_t window_end_;
    const uint8_t* window_ = nullptr;  // the byte at window_begin_
    std::vector<uint8_t> piece_;       // the window of a remote file
};

}  // namespace qbix
