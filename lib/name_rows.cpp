#include "name_rows.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "bam_record.hpp"
#include "bam_scan.hpp"
#include "qbix/error.hpp"
#include "record_name_hash.hpp"
#include "row_sorter.hpp"

namespace qbix {
namespace {

constexpr uint64_t kScanBytesPerThread = 5 << 19;  // what scan_bam() takes: 2.5 MiB

// Collects rows with the offsets of the records.
class NameVisitor : public RecordVisitor {
   public:
    NameVisitor(uint64_t memory_bytes, const std::string& spill_prefix)
        : rows(memory_bytes, spill_prefix) {}

    void visit(std::span<const ScannedRecord> records, uint64_t) override {
        hash(records);
        for (size_t i = 0; i < records.size(); ++i) rows.add(hashes_[i], records[i].voffset);
    }

    RowBuckets rows;

   protected:
    void hash(std::span<const ScannedRecord> records) {
        hashes_.resize(records.size());
        hash_record_names(records, hashes_);
    }

    std::vector<NameHash> hashes_;
};

// Collects rows with the ordinals of the records, and the blocks.
class OrdinalVisitor final : public NameVisitor {
   public:
    OrdinalVisitor(uint64_t memory_bytes, const std::string& spill_prefix, BlockStartOrder& blocks)
        : NameVisitor(memory_bytes, spill_prefix), blocks_(blocks) {}

    void visit(std::span<const ScannedRecord> records, uint64_t first_ordinal) override {
        hash(records);
        for (size_t i = 0; i < records.size(); ++i) rows.add(hashes_[i], {first_ordinal + i});
        append_block_starts(records, first_ordinal, starts_);
    }

    bool end_chunk(uint64_t number, bool) override {
        blocks_.give(number, std::move(starts_));
        starts_.clear();
        return true;
    }

   private:
    BlockStartOrder& blocks_;
    std::vector<BlockStart> starts_;
};

// For the rows of one thread, while the scan takes its share.
uint64_t rows_bytes_per_thread(uint64_t memory_bytes, size_t n_threads) {
    const uint64_t rows = collection_bytes(memory_bytes);
    const uint64_t scan = kScanBytesPerThread * n_threads;
    return (rows - std::min(rows, scan)) / n_threads;
}

// Every thread has pages and chunks of its own, so few bytes do not serve many threads.
constexpr uint64_t kLeastMemoryPerThread = 4 << 20;

size_t affordable_threads(const NameRowsOptions& options) {
    return std::min<uint64_t>(options.n_threads, options.memory_bytes / kLeastMemoryPerThread);
}

using Visitors = std::vector<std::unique_ptr<NameVisitor>>;

uint64_t scan_names(const BamFile& bam, const Visitors& visitors, const NameRowsOptions& options) {
    std::vector<RecordVisitor*> pointers;
    for (const auto& visitor : visitors) pointers.push_back(visitor.get());
    return scan_bam(bam, pointers,
                    {.bytes_needed = kFixedBytes + kMaxReadNameBytes,
                     .on_progress = options.on_progress,
                     .cancel = options.cancel});
}

}  // namespace

uint64_t sort_collected(std::span<RowBuckets* const> collections, RowSink& sink,
                        const NameRowsOptions& options) {
    const std::vector<const RowBuckets*> sorted(collections.begin(), collections.end());
    SortOptions sort{options.n_threads,
                     options.memory_bytes - collection_bytes(options.memory_bytes),
                     options.spill_prefix, options.cancel};
    const auto has_spilled = [](const RowBuckets* rows) { return rows->spilled_bytes() > 0; };
    if (std::any_of(sorted.begin(), sorted.end(), has_spilled) ||
        largest_bucket(sorted) * kSortBytesPerRow > sort.memory_bytes / sort.n_threads) {
        for (RowBuckets* rows : collections) rows->spill_all();
        sort.memory_bytes = options.memory_bytes;
    }
    sort_rows(sorted, sink, sort);
    uint64_t spilled_bytes = 0;
    for (const RowBuckets* rows : collections) spilled_bytes += rows->spilled_bytes();
    return spilled_bytes;
}

NameRowsReport stream_name_rows(const BamFile& bam, RowSink& sink, const NameRowsOptions& options) {
    if (options.memory_bytes < kLeastMemoryBytes)
        throw Error(ErrorCode::kUsage, "the memory limit is too small: at least 16M is needed");
    NameRowsOptions affordable = options;
    affordable.n_threads = affordable_threads(options);
    const uint64_t rows_bytes = rows_bytes_per_thread(options.memory_bytes, affordable.n_threads);
    BlockStartOrder blocks(options.on_blocks);
    Visitors visitors;
    std::vector<RowBuckets*> collections;
    for (size_t i = 0; i < affordable.n_threads; ++i) {
        if (options.on_blocks)
            visitors.push_back(
                std::make_unique<OrdinalVisitor>(rows_bytes, options.spill_prefix, blocks));
        else
            visitors.push_back(std::make_unique<NameVisitor>(rows_bytes, options.spill_prefix));
        collections.push_back(&visitors.back()->rows);
    }

    NameRowsReport report;
    report.n_records = scan_names(bam, visitors, options);
    report.spilled_bytes = sort_collected(collections, sink, affordable);
    return report;
}

}  // namespace qbix
