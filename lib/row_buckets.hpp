// row_buckets.hpp: rows collected by one thread, split by the top byte of their hash, in
// bounded memory.
//
// What building costs here is fresh memory, so a row takes 12 bytes, not 16: the top byte
// of its hash is its bucket, and its offset is kept as 40 bits from a base that the stream
// of a bucket changes when it must (every 16 MiB of file, and at each page). Pages come from
// one arena; when it is full, all of it goes to an unlinked file, bucket by bucket, so that
// a bucket is read back in as many long runs as there were spills.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "le_bytes.hpp"
#include "page_arena.hpp"
#include "qbix/types.hpp"
#include "unique_fd.hpp"

namespace qbix {

inline constexpr size_t kBuckets = 256;

class RowBuckets {
   public:
    // `spill_prefix`: where spill files are created. The arena is reserved at once and
    // touched as it fills. At least one page a bucket is taken, whatever `memory_bytes` says.
    RowBuckets(uint64_t memory_bytes, std::string spill_prefix);

    // REQUIRES: offsets ascend from call to call. Throws Error kIo (disk full).
    void add(NameHash hash, VirtualOffset voffset) {
        Stream& stream = streams_[hash.value >> 56];
        if (stream.next == stream.end || voffset.value - stream.base >= kRebase)
            make_room(stream, voffset);
        put(stream, hash.value & kLowHashMask, voffset.value - stream.base);
        ++stream.n_rows;
    }

    uint64_t count(size_t bucket) const noexcept { return streams_[bucket].n_rows; }
    uint64_t spilled_bytes() const noexcept { return spill_end_; }

    // Writes everything out and gives the arena back.
    void spill_all();

   private:
    friend class BucketReader;

    static constexpr uint64_t kLowHashMask = (uint64_t{1} << 56) - 1;
    static constexpr size_t kRowBytes = 12;
    static constexpr size_t kPageHeadBytes = 8;  // u32 previous page, u32 bytes of rows
    static constexpr size_t kPageRoomBytes = (kPageBytes - kPageHeadBytes) / kRowBytes * kRowBytes;
    // In the place of an offset: the row only sets the base, which is its other field.
    static constexpr uint64_t kRebase = (uint64_t{1} << 40) - 1;

    struct Stream {
        uint8_t* next = nullptr;  // where the next row goes
        uint8_t* end = nullptr;   // of the room in its page
        uint64_t base = 0;        // virtual offset
        uint64_t n_rows = 0;
        uint32_t page = PageArena::kNoPage;
    };
    struct SpillRun {
        uint64_t file_offset = 0;
        uint64_t n_pages = 0;
    };
    using Spill = std::array<SpillRun, kBuckets>;

    // 12 bytes: 56 bits of hash, 40 bits of offset.
    static void put(Stream& stream, uint64_t low_hash, uint64_t delta) noexcept {
        store_le<uint64_t>(stream.next, low_hash | delta << 56);
        store_le<uint32_t>(stream.next + 8, static_cast<uint32_t>(delta >> 8));
        stream.next += kRowBytes;
    }
    void make_room(Stream& stream, VirtualOffset voffset);
    void open_page(Stream& stream);
    void close_page(Stream& stream) noexcept;
    void spill();
    void write_pages(std::span<const uint32_t> pages);

    PageArena arena_;
    std::string spill_prefix_;
    std::array<Stream, kBuckets> streams_{};
    std::vector<Spill> spills_;
    UniqueFd spill_file_;
    uint64_t spill_end_ = 0;
};

// Reads one bucket of one RowBuckets back, in no particular order.
class BucketReader {
   public:
    // Nothing may be added while a reader lives.
    BucketReader(const RowBuckets& buckets, size_t bucket);

    // Writes up to out.size() rows; returns how many, 0 at the end. Throws Error kIo.
    size_t next(std::span<IndexRow> out);

   private:
    bool next_page();
    bool next_spilled_page();

    const RowBuckets& buckets_;
    size_t bucket_;
    uint32_t arena_page_;
    size_t i_spill_ = 0;
    uint64_t i_spilled_page_ = 0;
    std::vector<uint8_t> spilled_;  // some pages of a run
    size_t spilled_at_ = 0;
    const uint8_t* row_ = nullptr;
    const uint8_t* page_end_ = nullptr;
    uint64_t base_ = 0;
};

}  // namespace qbix
