#include "qbix/index_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "name_peek.hpp"
#include "name_rows.hpp"
#include "qbix/error.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/record_reader.hpp"
#include "row_sink.hpp"

namespace qbix {
namespace {

constexpr uint64_t kSamples = 4;
constexpr uint64_t kRowsToChooseFrom = 64;  // for each sample

[[noreturn]] void refuse_foreign(const QbiIndex& index, const BamFile& bam,
                                 const std::string& why) {
    throw Error(ErrorCode::kForeignIndex, "the index \"" + index.path() +
                                              "\" does not belong to \"" + bam.path() +
                                              "\": " + why + "; rebuild it with: qbix index");
}

// The row of [begin, end) whose record has the least before it in its block.
uint64_t cheapest_row(const QbiIndex& index, uint64_t begin, uint64_t end) {
    std::vector<VirtualOffset> voffsets;
    index.read_voffsets({begin, end}, voffsets);
    const auto least = std::min_element(
        voffsets.begin(), voffsets.end(),
        [](VirtualOffset a, VirtualOffset b) { return a.uoffset() < b.uoffset(); });
    return begin + static_cast<uint64_t>(least - voffsets.begin());
}

NameHash hash_at(const BamFile& bam, NamePeek& peek, VirtualOffset voffset) {
    if (const auto qname = peek.qname_at(voffset)) return hash_name(*qname);
    return hash_name(RecordReader(bam).read(voffset).qname());
}

void check_row(const QbiIndex& index, uint64_t row_number, const BamFile& bam, NamePeek& peek) {
    const IndexRow row = index.row_at(row_number);
    std::string why =
        "the record at virtual offset " + std::to_string(row.voffset.value) + " has another name";
    try {
        if (hash_at(bam, peek, row.voffset) == row.hash) return;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::kForeignIndex) throw;
        why = error.what();
    }
    refuse_foreign(index, bam, "row " + std::to_string(row_number) + ": " + why);
}

// Spill files go here: an index may lie in a read-only directory, or be remote.
std::string tmp_prefix() {
    const char* dir = std::getenv("TMPDIR");
    return std::string(dir && *dir ? dir : "/tmp") + "/qbix-check";
}

// Compares the rows of the BAM with those of the index.
class CompareSink : public RowSink {
   public:
    CompareSink(const QbiIndex& index, const BamFile& bam) : index_(index), bam_(bam) {}

    void begin(uint64_t n_rows) override {
        if (n_rows != index_.record_count())
            throw Error(ErrorCode::kBadIndex,
                        "the index \"" + index_.path() + "\" has " +
                            std::to_string(index_.record_count()) + " records, \"" + bam_.path() +
                            "\" has " + std::to_string(n_rows) + "; rebuild it with: qbix index");
    }

    void consume(const RowPiece& piece) override {
        RowCursor cursor(index_, piece.first_row);
        std::vector<IndexRow> indexed(std::min<size_t>(piece.rows.size(), 4096));
        uint64_t n_new_hashes = 0;
        for (size_t i = 0; i < piece.rows.size();) {
            const size_t n = cursor.next(
                std::span(indexed).first(std::min(indexed.size(), piece.rows.size() - i)));
            for (size_t k = 0; k < n; ++k, ++i) {
                if (indexed[k] != piece.rows[i]) refuse(piece.first_row + i, indexed[k]);
                n_new_hashes +=
                    i == 0 ? !piece.continues_group : piece.rows[i].hash != piece.rows[i - 1].hash;
            }
        }
        n_unique_ += n_new_hashes;
    }

    void abort() noexcept override {}
    void finish() override {}

    uint64_t n_unique() const { return n_unique_; }

   private:
    [[noreturn]] void refuse(uint64_t row_number, const IndexRow& row) const {
        throw Error(ErrorCode::kBadIndex,
                    "the index \"" + index_.path() + "\" is damaged: row " +
                        std::to_string(row_number) + " (hash " + std::to_string(row.hash.value) +
                        ", virtual offset " + std::to_string(row.voffset.value) +
                        ") is not what \"" + bam_.path() + "\" holds; rebuild it with: qbix index");
    }

    const QbiIndex& index_;
    const BamFile& bam_;
    std::atomic<uint64_t> n_unique_{0};
};

}  // namespace

void check_belongs(const QbiIndex& index, const BamFile& bam) {
    const BamIdentity& indexed = index.bam_identity();
    const BamIdentity& actual = bam.identity();
    if (indexed.size_bytes != actual.size_bytes)
        refuse_foreign(index, bam,
                       "it was built for a file of " + std::to_string(indexed.size_bytes) +
                           " bytes, this one has " + std::to_string(actual.size_bytes));
    if (indexed.header_hash != actual.header_hash)
        refuse_foreign(index, bam, "it was built for a file with another header");
    const uint64_t n_rows = index.record_count();
    if (n_rows == 0) return;
    NamePeek peek(bam.path());
    const uint64_t n_choices = std::min(n_rows, kRowsToChooseFrom);
    for (uint64_t i = 0; i < kSamples; ++i) {
        const uint64_t begin = (n_rows - n_choices) / (kSamples - 1) * i;
        check_row(index, cheapest_row(index, begin, begin + n_choices), bam, peek);
    }
}

CheckReport check_full(const QbiIndex& index, const BamFile& bam, int n_threads,
                       uint64_t memory_bytes, const std::atomic<bool>* cancel) {
    check_belongs(index, bam);
    index.validate();
    CompareSink sink(index, bam);
    NameRowsOptions options;
    options.n_threads = static_cast<size_t>(n_threads);
    options.memory_bytes = memory_bytes;
    options.spill_prefix = tmp_prefix();
    options.cancel = cancel;
    return {stream_name_rows(bam, sink, options).n_records, sink.n_unique()};
}

}  // namespace qbix
