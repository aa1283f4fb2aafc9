// qbx_section.hpp: one section of an opened .qbx index: bytes that are checked when they are
// first touched.
//
// A section is cut into chunks of 64 KiB, each with a checksum (qbx(5)). Whoever reads a
// section first calls touch() for the bytes that it wants, and may then use plain pointers:
// the chunks are there, and they are those that were written. Each chunk is verified once a
// handle; afterwards touch() is a test of a bit. Of a local file the bytes are those of the
// mapping; of a remote one the chunks are fetched into memory as they are touched.
//
// Right checksums do not make bytes trustworthy, for anybody can compute them: numbers that
// are read from a section are compared with its size before they lead anywhere. touch() does
// that for places.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "index_bytes.hpp"

namespace qbix {

// Where a section is, and what its checksums begin from: the checksum of the section where
// that is a single chunk; else the checksums of its chunks are a table at sums_place, with
// checksums of its own that follow it, and root_sum is the last of them all.
struct QbxExtent {
    uint64_t place = 0;       // in the file
    uint64_t size_bytes = 0;  // without checksums
    uint64_t sums_place = 0;
    uint64_t root_sum = 0;
};

// Safe for many threads once constructed (and preloaded). Neither copied nor moved.
class QbxSection {
   public:
    static constexpr uint64_t kChunkBytes = 64 << 10;

    // `bytes` must outlive the section; `name` is for messages.
    // REQUIRES: the extent and its checksums lie inside the file.
    QbxSection(const IndexBytes& bytes, const std::string& path, const QbxExtent& extent,
               std::string name);
    // Bytes that need no check: of a builder, of a test. They must outlive the section.
    static std::unique_ptr<QbxSection> of_memory(std::span<const uint8_t> bytes,
                                                 std::string name = "section");
    ~QbxSection();
    QbxSection(const QbxSection&) = delete;
    QbxSection& operator=(const QbxSection&) = delete;

    // Readable where touched. Constant after preload().
    const uint8_t* data() const noexcept { return data_; }
    uint64_t size_bytes() const noexcept { return size_bytes_; }
    // Of the index file, for messages.
    const std::string& path() const noexcept { return path_; }

    // Makes [place, place + n_bytes) readable. Throws Error: kBadIndex when a checksum is
    // wrong or the place is not in the section; kIo.
    void touch(uint64_t place, uint64_t n_bytes) const {
        if (place > size_bytes_ || n_bytes > size_bytes_ - place) [[unlikely]]
            throw_outside(place, n_bytes);
        if (n_bytes == 0) return;
        uint64_t chunk = place / kChunkBytes;
        const uint64_t last = (place + n_bytes - 1) / kChunkBytes;
        do {
            if (!is_verified(chunk)) [[unlikely]]
                verify(chunk);
        } while (chunk++ < last);
    }
    // touch() and the pointer.
    const uint8_t* view(uint64_t place, uint64_t n_bytes) const {
        touch(place, n_bytes);
        return data_ + place;
    }

    // Verifies everything, chunk after chunk. Throws Error.
    void touch_all() const { touch(0, size_bytes_); }

    // Copies the section into huge pages, where there are any, and verifies all of it: many
    // lookups then cost less. Before anybody has asked for data(). Throws Error.
    void preload();

   private:
    class Memory;  // of our own: there when it is written to

    QbxSection(std::span<const uint8_t> bytes, std::string name);

    bool is_verified(uint64_t chunk) const noexcept {
        return verified_[chunk / 64].load(std::memory_order_acquire) >> (chunk % 64) & 1;
    }
    uint64_t n_chunks() const noexcept { return (size_bytes_ + kChunkBytes - 1) / kChunkBytes; }
    void verify(uint64_t chunk) const;
    void check_sum(uint64_t chunk, std::span<const uint8_t> bytes) const;
    void fetch(uint64_t chunk) const;
    [[noreturn]] void throw_outside(uint64_t place, uint64_t n_bytes) const;

    const uint8_t* data_ = nullptr;
    uint64_t size_bytes_ = 0;
    // A bit a chunk: it is there, and its checksum is right.
    std::unique_ptr<std::atomic<uint64_t>[]> verified_;
    std::string path_;
    std::string name_;
    const IndexBytes* bytes_ = nullptr;  // none: nothing to check
    QbxExtent extent_;
    std::unique_ptr<const QbxSection> sums_;  // the table of checksums, if there is one
    std::unique_ptr<Memory> memory_;          // behind data_, of a remote or preloaded section
    mutable std::mutex fetch_mutex_;          // guards memory_ of a remote section
};

}  // namespace qbix
