// An index out of another one.
//
// From QBI to QBI the rows are the same. From QBI to QBX each row's virtual offset becomes the
// ordinal of the record, which is the offset's rank among all offsets. Two sorts within the
// memory limit find it: row numbers by offset, which gives each its ordinal and, on the way,
// the blocks; then ordinals by row number, which brings them back beside the hashes.
#include <bit>

#include "index_errors.hpp"
#include "index_target.hpp"
#include "name_rows.hpp"
#include "output_file.hpp"
#include "qbi_writer.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_check.hpp"
#include "qbix/qbi_index.hpp"
#include "qbx_build.hpp"
#include "row_sorter.hpp"

namespace qbix {
namespace {

constexpr size_t kPieceRows = 65536;

void stop_if_cancelled(const BuildOptions& options) {
    if (options.cancel && options.cancel->load(std::memory_order_relaxed))
        throw Error(ErrorCode::kCancelled, "cancelled");
}

// Hands the rows of an index on to `sink`.
void stream_rows(const QbiIndex& index, const BuildOptions& options, RowSink& sink) {
    sink.begin(index.record_count());
    RowCursor cursor(index);
    std::vector<IndexRow> rows(kPieceRows);
    NameHash last_hash;
    for (uint64_t first_row = 0; const size_t n = cursor.next(rows); first_row += n) {
        stop_if_cancelled(options);
        sink.consume({first_row, {rows.data(), n}, first_row > 0 && rows[0].hash == last_hash});
        last_hash = rows[n - 1].hash;
    }
    sink.finish();
}

// ---- to QBX ----------------------------------------------------------------------------

// Receives sorted rows in order, from the one thread that sorts.
template <class Take>
class TakeRows final : public RowSink {
   public:
    explicit TakeRows(Take take) : take_(take) {}
    void begin(uint64_t) override {}
    void consume(const RowPiece& piece) override {
        for (size_t i = 0; i < piece.rows.size(); ++i) take_(piece.rows[i], piece.first_row + i);
    }
    void abort() noexcept override {}
    void finish() override {}

   private:
    Take take_;
};

// Pairs of numbers, sorted by the first. RowBuckets splits by the top byte, so the first
// number is shifted up until it fills its 64 bits. The second ascends as pairs are added.
class PairSorter {
   public:
    PairSorter(uint64_t first_limit, const BuildOptions& options, const std::string& index_path)
        : shift_(static_cast<unsigned>(std::countl_zero(first_limit))),
          options_(options),
          prefix_(spill_prefix(options, index_path)),
          rows_(collection_bytes(options.memory_bytes / 2), prefix_) {}

    void add(uint64_t first, uint64_t second) { rows_.add({first << shift_}, {second}); }

    // Calls take(first, second, number) in order.
    template <class Take>
    void sort(Take take) {
        TakeRows sink([&](const IndexRow& row, uint64_t number) {
            take(row.hash.value >> shift_, row.voffset.value, number);
        });
        NameRowsOptions sort;
        sort.memory_bytes = options_.memory_bytes / 2;
        sort.spill_prefix = prefix_;
        sort.cancel = options_.cancel;
        RowBuckets* const collections[] = {&rows_};
        sort_collected(collections, sink, sort);
    }

    uint64_t spilled_bytes() const noexcept { return rows_.spilled_bytes(); }

   private:
    unsigned shift_;
    const BuildOptions& options_;
    std::string prefix_;
    RowBuckets rows_;
};

// Both sorters live at once, each with half of the memory.
void qbi_to_qbx(const QbiIndex& from, const BamFile& bam, OutputFile& file,
                const BuildOptions& options, BuildReport& report) {
    constexpr uint64_t kAllOffsets = UINT64_MAX;
    const uint64_t n_records = from.record_count();
    const uint64_t offset_limit =
        std::min(bam.identity().size_bytes, kAllOffsets >> 16) << 16 | 0xffff;
    PairSorter by_offset(offset_limit, options, report.index_path);
    RowCursor cursor(from);
    std::vector<IndexRow> rows(kPieceRows);
    for (uint64_t row = 0; const size_t n = cursor.next(rows);) {
        stop_if_cancelled(options);
        for (size_t i = 0; i < n; ++i, ++row) {
            if (rows[i].voffset.value > offset_limit)
                throw_bad_index(from.path(),
                                "row " + std::to_string(row) + " is beyond the end of the BAM");
            by_offset.add(rows[i].voffset.value, row);
        }
    }

    QbxBuild build(file, options.remainder_bits);
    PairSorter by_row(std::max<uint64_t>(n_records, 1), options, report.index_path);
    uint64_t last_coffset = UINT64_MAX, last_voffset = UINT64_MAX;
    by_offset.sort([&](uint64_t voffset, uint64_t row, uint64_t ordinal) {
        if (voffset == last_voffset)
            throw_bad_index(from.path(),
                            "two rows have the virtual offset " + std::to_string(voffset));
        last_voffset = voffset;
        by_row.add(row, ordinal);
        if (VirtualOffset{voffset}.coffset() == last_coffset) return;
        last_coffset = VirtualOffset{voffset}.coffset();
        const BlockStart block{last_coffset, VirtualOffset{voffset}.uoffset(), ordinal};
        build.add_blocks({&block, 1});
    });

    // The rows come again, and now each finds its ordinal waiting.
    RowCursor hashes(from);
    std::vector<IndexRow> piece;
    size_t at = 0;
    NameHash last_hash;
    build.begin(n_records);
    rows.clear();
    const auto hand_on = [&](uint64_t end_row) {
        if (piece.empty()) return;
        const uint64_t first_row = end_row - piece.size();
        build.consume({first_row, piece, first_row > 0 && piece[0].hash == last_hash});
        last_hash = piece.back().hash;
        piece.clear();
    };
    by_row.sort([&](uint64_t, uint64_t ordinal, uint64_t row) {
        if (at == rows.size()) {
            rows.resize(kPieceRows);
            rows.resize(hashes.next(rows));
            at = 0;
        }
        piece.push_back({rows[at++].hash, {ordinal}});
        if (piece.size() == kPieceRows) hand_on(row + 1);
    });
    hand_on(n_records);
    build.finish();
    build.complete(bam, from.bam_identity());
    report.n_unique = build.n_names();
    report.index_bytes = build.size_bytes();
    report.spilled_bytes = by_offset.spilled_bytes() + by_row.spilled_bytes();
}

// ---- to QBI ----------------------------------------------------------------------------

void qbi_to_qbi(const QbiIndex& from, OutputFile& file, const BuildOptions& options,
                BuildReport& report) {
    QbiWriter writer(file, options.format, options.radix_bits, from.bam_identity());
    stream_rows(from, options, writer);
    report.radix_bits = writer.radix_bits();
    report.n_unique = writer.n_unique();
    report.index_bytes = writer.size_bytes();
}

}  // namespace

BuildReport convert_index(const std::string& from_index, const std::string& bam_path,
                          const BuildOptions& options) {
    check_threads_and_memory(options);
    const BamFile bam(bam_path);
    const auto opened = open_name_index(from_index);
    opened->check_belongs(bam);
    const auto* from = dynamic_cast<const QbiIndex*>(opened.get());
    if (!from) return build_index(bam_path, options);
    BuildReport report;
    report.index_path = options.index_path.empty() ? default_index_path(bam_path, options.format)
                                                   : options.index_path;
    report.format = options.format;
    report.n_records = from->record_count();
    refuse_to_overwrite_data(report.index_path);
    OutputFile file(report.index_path);
    if (options.format == IndexFormat::kQbx)
        qbi_to_qbx(*from, bam, file, options, report);
    else
        qbi_to_qbi(*from, file, options, report);
    file.commit();
    return report;
}

}  // namespace qbix
