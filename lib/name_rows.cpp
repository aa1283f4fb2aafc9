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

class NameVisitor : public RecordVisitor {
   public:
    NameVisitor(uint64_t memory_bytes, const std::string& spill_prefix)
        : rows(memory_bytes, spill_prefix) {}

    void visit(std::span<const ScannedRecord> records, uint64_t) override {
        hashes_.resize(records.size());
        hash_record_names(records, hashes_);
        for (size_t i = 0; i < records.size(); ++i) rows.add(hashes_[i], records[i].voffset);
    }

    RowBuckets rows;

   private:
    std::vector<NameHash> hashes_;
};

// How the memory is shared out: while scanning most of it holds rows; they stay there for
// the sort if they fit, else they go to disk and the sort has it all.
struct MemoryPlan {
    MemoryPlan(uint64_t memory_bytes, size_t n_threads)
        : whole(memory_bytes), sort_beside_rows(memory_bytes / 4) {
        const uint64_t rows = memory_bytes - sort_beside_rows;
        const uint64_t scan = kScanBytesPerThread * n_threads;
        rows_per_thread = (rows - std::min(rows, scan)) / n_threads;
    }

    uint64_t whole;
    uint64_t sort_beside_rows;
    uint64_t rows_per_thread;
};

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

NameRowsReport stream_name_rows(const BamFile& bam, RowSink& sink, const NameRowsOptions& options) {
    if (options.memory_bytes < kLeastMemoryBytes)
        throw Error(ErrorCode::kUsage, "the memory limit is too small: at least 16M is needed");
    const size_t n_threads = affordable_threads(options);
    const MemoryPlan memory(options.memory_bytes, n_threads);
    Visitors visitors;
    std::vector<const RowBuckets*> collections;
    for (size_t i = 0; i < n_threads; ++i) {
        visitors.push_back(
            std::make_unique<NameVisitor>(memory.rows_per_thread, options.spill_prefix));
        collections.push_back(&visitors.back()->rows);
    }

    NameRowsReport report;
    report.n_records = scan_names(bam, visitors, options);

    SortOptions sort{n_threads, memory.sort_beside_rows, options.spill_prefix, options.cancel};
    const bool has_spilled = std::any_of(collections.begin(), collections.end(),
                                         [](auto rows) { return rows->spilled_bytes() > 0; });
    if (has_spilled ||
        largest_bucket(collections) * kSortBytesPerRow > memory.sort_beside_rows / n_threads) {
        for (const auto& visitor : visitors) visitor->rows.spill_all();
        sort.memory_bytes = memory.whole;
    }
    sort_rows(collections, sink, sort);
    for (const auto& visitor : visitors) report.spilled_bytes += visitor->rows.spilled_bytes();
    return report;
}

}  // namespace qbix
