#include "qbx_names_writer.hpp"

#include <algorithm>
#include <utility>

#include "qbix/error.hpp"

namespace qbix {

using namespace qbx_names;

namespace {

// Groups of three or more are written when they have come to this.
constexpr size_t kLongBytesInMemory = 1 << 20;

}  // namespace

// The rows of a piece by what becomes of them, and what it has to write.
struct QbxNamesWriter::Work {
    std::span<const IndexRow> head;    // of the first region, which earlier pieces may have begun
    std::span<const IndexRow> middle;  // of whole regions
    std::span<const IndexRow> tail;    // of the last region, which later pieces may go on with
    std::vector<Builder> ended;        // regions that the head ended, or that ended before it
    std::vector<uint8_t> bytes;        // of all that ended, one behind the other
    std::vector<std::pair<uint64_t, Region>> regions;  // places from the start of `bytes`
    std::vector<uint8_t> long_bytes;                   // of the region that stays open: behind them
};

QbxNamesWriter::QbxNamesWriter(ByteSink& sink, unsigned remainder_bits) : sink_(sink) {
    if (!is_remainder_bits(remainder_bits)) {
        throw Error(ErrorCode::kUsage, "remainders of names have 16, 24 or 32 bits, not " +
                                           std::to_string(remainder_bits));
    }
    head_.remainder_bits = remainder_bits;
}

QbxNamesWriter::~QbxNamesWriter() = default;

void QbxNamesWriter::begin(uint64_t n_rows) {
    if (n_rows > kMaxRecords) throw Error(ErrorCode::kUsage, "too many records for an index");
    head_.n_records = n_rows;
    head_.region_bits = default_region_bits(n_rows);
    directory_.assign(head_.n_regions(), {});
}

void QbxNamesWriter::consume(const RowPiece& piece) {
    Work work;
    split(piece.rows, work);
    hand_on_open_region(piece, work);
    for (Builder& region : work.ended) {
        encode(*region, work);
        return_builder(std::move(region));
    }
    encode_middle(work);
    write_in_turn(piece, work);
}

// Rows at the start of `rows` that are of one region.
size_t QbxNamesWriter::n_of_first_region(std::span<const IndexRow> rows) const {
    const uint64_t region = head_.region_of(rows.front().hash);
    const auto end = std::partition_point(rows.begin(), rows.end(), [&](const IndexRow& row) {
        return head_.region_of(row.hash) == region;
    });
    return static_cast<size_t>(end - rows.begin());
}

void QbxNamesWriter::split(std::span<const IndexRow> rows, Work& work) const {
    const size_t n_head = n_of_first_region(rows);
    work.head = rows.first(n_head);
    const std::span<const IndexRow> rest = rows.subspan(n_head);
    const uint64_t last_region = head_.region_of(rows.back().hash);
    const auto tail = std::partition_point(rest.begin(), rest.end(), [&](const IndexRow& row) {
        return head_.region_of(row.hash) != last_region;
    });
    work.middle = rest.first(static_cast<size_t>(tail - rest.begin()));
    work.tail = rest.subspan(work.middle.size());
}

void QbxNamesWriter::hand_on_open_region(const RowPiece& piece, Work& work) {
    Builder tail;
    if (!work.tail.empty()) {
        tail = take_builder(work.tail.front().hash);
        tail->add(work.tail);
    }
    Builder open;
    if (!open_region_.take(piece.first_row, open)) {
        throw Error(ErrorCode::kCancelled, "the index was given up");
    }
    if (open && open->region() != head_.region_of(work.head.front().hash)) {
        work.ended.push_back(std::move(open));
    }
    if (!open) open = take_builder(work.head.front().hash);
    open->add(work.head);
    if (tail) {
        work.ended.push_back(std::move(open));
        open = std::move(tail);
    }
    open->take_long_bytes(kLongBytesInMemory, work.long_bytes);
    open_region_.give(piece.first_row + piece.rows.size(), std::move(open));
}

void QbxNamesWriter::encode_middle(Work& work) {
    if (work.middle.empty()) return;
    Builder region = take_builder(work.middle.front().hash);
    for (auto rows = work.middle; !rows.empty();) {
        const size_t n = n_of_first_region(rows);
        region->reset(head_.region_of(rows.front().hash));
        region->add(rows.first(n));
        encode(*region, work);
        rows = rows.subspan(n);
    }
    return_builder(std::move(region));
}

void QbxNamesWriter::encode(RegionBuilder& builder, Work& work) {
    // Only the first region of a piece can have bytes in the file already.
    const uint64_t start = work.bytes.size() - builder.n_taken_bytes();
    Region region = builder.finish(head_, work.bytes);
    region.long_at += start;
    region.lines_at += start;
    work.regions.emplace_back(builder.region(), region);
}

void QbxNamesWriter::write_in_turn(const RowPiece& piece, Work& work) {
    uint64_t place = 0;
    if (!next_place_.take(piece.first_row, place)) {
        throw Error(ErrorCode::kCancelled, "the index was given up");
    }
    const uint64_t long_place = place + work.bytes.size();
    next_place_.give(piece.first_row + piece.rows.size(), long_place + work.long_bytes.size());
    for (auto& [number, region] : work.regions) {
        region.long_at += place;
        region.lines_at += place;
        directory_[number] = region;
    }
    if (!work.bytes.empty()) sink_.write_at(place, work.bytes);
    if (!work.long_bytes.empty()) sink_.write_at(long_place, work.long_bytes);
}

void QbxNamesWriter::abort() noexcept {
    open_region_.abort();
    next_place_.abort();
}

void QbxNamesWriter::finish() {
    if (!open_region_.is_turn(head_.n_records)) {
        throw Error(ErrorCode::kUsage, "the index was finished before all rows had come");
    }
    Work work;
    Builder open;
    open_region_.take(head_.n_records, open);
    if (open) encode(*open, work);
    write_in_turn({.first_row = head_.n_records, .rows = {}}, work);

    next_place_.take(head_.n_records, head_.directory_at);
    std::vector<uint8_t> entries(directory_.size() * kRegionEntryBytes);
    for (size_t i = 0; i < directory_.size(); ++i) {
        head_.n_names += directory_[i].n_names;
        encode_region(directory_[i], &entries[i * kRegionEntryBytes]);
    }
    sink_.write_at(head_.directory_at, entries);
    sink_.write_at(0, encode_head(head_));
}

QbxNamesWriter::Builder QbxNamesWriter::take_builder(NameHash hash) {
    Builder builder;
    {
        const std::lock_guard lock(mutex_);
        if (!idle_builders_.empty()) {
            builder = std::move(idle_builders_.back());
            idle_builders_.pop_back();
        }
    }
    if (!builder) builder = std::make_unique<RegionBuilder>();
    builder->reset(head_.region_of(hash));
    return builder;
}

void QbxNamesWriter::return_builder(Builder builder) {
    const std::lock_guard lock(mutex_);
    idle_builders_.push_back(std::move(builder));
}

// ---- in memory -------------------------------------------------------------------------

std::vector<uint8_t> encode_qbx_names(std::span<const IndexRow> rows, unsigned remainder_bits) {
    MemorySink sink;
    QbxNamesWriter writer(sink, remainder_bits);
    hand_over(rows, writer);
    return std::move(sink.bytes);
}

}  // namespace qbix
