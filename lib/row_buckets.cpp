#include "row_buckets.hpp"

#include <algorithm>

#include "spill_file.hpp"

namespace qbix {
namespace {

constexpr size_t kSpillBufferPages = 64;

uint32_t pages_for(uint64_t memory_bytes) {
    const uint64_t n_pages = std::max<uint64_t>(memory_bytes / kPageBytes, 2 * kBuckets);
    return static_cast<uint32_t>(std::min<uint64_t>(n_pages, PageArena::kNoPage - 1));
}

}  // namespace

RowBuckets::RowBuckets(uint64_t memory_bytes, std::string spill_prefix)
    : arena_(pages_for(memory_bytes)), spill_prefix_(std::move(spill_prefix)) {}

// Sets the base to the block of `voffset` and leaves room for a row in the page.
void RowBuckets::make_room(Stream& stream, VirtualOffset voffset) {
    if (static_cast<size_t>(stream.end - stream.next) < 2 * kRowBytes) open_page(stream);
    stream.base = voffset.coffset() << 16;
    put(stream, voffset.coffset(), kRebase);
}

void RowBuckets::open_page(Stream& stream) {
    close_page(stream);
    uint32_t page = arena_.take();
    if (page == PageArena::kNoPage) {
        spill();
        page = arena_.take();
    }
    uint8_t* head = arena_.at(page);
    store_le<uint32_t>(head, stream.page);
    stream.page = page;
    stream.next = head + kPageHeadBytes;
    stream.end = stream.next + kPageRoomBytes;
}

void RowBuckets::close_page(Stream& stream) noexcept {
    if (stream.page == PageArena::kNoPage) return;
    uint8_t* head = arena_.at(stream.page);
    store_le<uint32_t>(head + 4, static_cast<uint32_t>(stream.next - head - kPageHeadBytes));
}

void RowBuckets::spill() {
    if (!spill_file_) spill_file_ = open_spill_file(spill_prefix_);
    Spill spill;
    std::vector<uint32_t> pages;
    for (size_t b = 0; b < kBuckets; ++b) {
        Stream& stream = streams_[b];
        close_page(stream);
        pages.clear();
        for (uint32_t page = stream.page; page != PageArena::kNoPage;
             page = load_le<uint32_t>(arena_.at(page)))
            pages.push_back(page);
        spill[b] = {spill_end_, pages.size()};
        write_pages(pages);
        stream.page = PageArena::kNoPage;
        stream.next = stream.end = nullptr;
    }
    spills_.push_back(spill);
    arena_.reset();
}

void RowBuckets::write_pages(std::span<const uint32_t> pages) {
    std::vector<uint8_t> buffer(std::min(pages.size(), kSpillBufferPages) * kPageBytes);
    while (!pages.empty()) {
        const size_t n = std::min(pages.size(), kSpillBufferPages);
        for (size_t i = 0; i < n; ++i)
            std::copy_n(arena_.at(pages[i]), kPageBytes, buffer.data() + i * kPageBytes);
        write_spill(spill_file_.get(), {buffer.data(), n * kPageBytes}, spill_end_, spill_prefix_);
        spill_end_ += n * kPageBytes;
        pages = pages.subspan(n);
    }
}

void RowBuckets::spill_all() {
    spill();
    arena_.free_all();
}

BucketReader::BucketReader(const RowBuckets& buckets, size_t bucket)
    : buckets_(buckets), bucket_(bucket), arena_page_(buckets.streams_[bucket].page) {}

bool BucketReader::next_spilled_page() {
    while (spilled_at_ == spilled_.size()) {
        if (i_spill_ == buckets_.spills_.size()) return false;
        const RowBuckets::SpillRun& run = buckets_.spills_[i_spill_][bucket_];
        const uint64_t n = std::min<uint64_t>(run.n_pages - i_spilled_page_, kSpillBufferPages);
        if (n == 0) {
            ++i_spill_;
            i_spilled_page_ = 0;
            continue;
        }
        spilled_.resize(n * kPageBytes);
        spilled_at_ = 0;
        read_spill(buckets_.spill_file_.get(), spilled_,
                   run.file_offset + i_spilled_page_ * kPageBytes, buckets_.spill_prefix_);
        i_spilled_page_ += n;
    }
    const uint8_t* page = spilled_.data() + spilled_at_;
    spilled_at_ += kPageBytes;
    row_ = page + RowBuckets::kPageHeadBytes;
    page_end_ = row_ + load_le<uint32_t>(page + 4);
    return true;
}

bool BucketReader::next_page() {
    if (arena_page_ == PageArena::kNoPage) return next_spilled_page();
    const uint8_t* page = buckets_.arena_.at(arena_page_);
    const RowBuckets::Stream& stream = buckets_.streams_[bucket_];
    row_ = page + RowBuckets::kPageHeadBytes;
    page_end_ = arena_page_ == stream.page ? stream.next : row_ + load_le<uint32_t>(page + 4);
    arena_page_ = load_le<uint32_t>(page);
    return true;
}

size_t BucketReader::next(std::span<IndexRow> out) {
    const uint64_t high_hash = uint64_t{bucket_} << 56;
    size_t n = 0;
    while (n < out.size()) {
        if (row_ == page_end_) {
            if (!next_page()) break;
            continue;
        }
        const uint64_t word = load_le<uint64_t>(row_);
        const uint64_t delta = word >> 56 | uint64_t{load_le<uint32_t>(row_ + 8)} << 8;
        row_ += RowBuckets::kRowBytes;
        if (delta == RowBuckets::kRebase)
            base_ = (word & RowBuckets::kLowHashMask) << 16;
        else
            out[n++] = {{high_hash | (word & RowBuckets::kLowHashMask)}, {base_ + delta}};
    }
    return n;
}

}  // namespace qbix
