#include "qbix/index_check.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "index_errors.hpp"
#include "name_peek.hpp"
#include "name_rows.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/qbi_index.hpp"
#include "qbix/record_reader.hpp"
#include "qbx_state.hpp"
#include "row_sink.hpp"

namespace qbix {
namespace {

constexpr uint64_t kSamples = 4;
constexpr uint64_t kRowsToChooseFrom = 64;  // for each sample

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
    throw_foreign_index(index.path(), bam.path(), "row " + std::to_string(row_number) + ": " + why);
}

// Spill files go here: an index may lie in a read-only directory, or be remote.
std::string tmp_prefix() {
    const char* dir = std::getenv("TMPDIR");
    return std::string(dir && *dir ? dir : "/tmp") + "/qbix-check";
}

void require_record_count(const NameIndex& index, const BamFile& bam, uint64_t n_records) {
    if (n_records != index.record_count())
        throw Error(ErrorCode::kBadIndex,
                    "the index \"" + index.path() + "\" has " +
                        std::to_string(index.record_count()) + " records, \"" + bam.path() +
                        "\" has " + std::to_string(n_records) + "; rebuild it with: qbix index");
}

// Compares the rows of the BAM with those of the index.
class CompareSink : public RowSink {
   public:
    CompareSink(const QbiIndex& index, const BamFile& bam) : index_(index), bam_(bam) {}

    void begin(uint64_t n_rows) override { require_record_count(index_, bam_, n_rows); }

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

CheckReport check_qbi(const QbiIndex& index, const BamFile& bam, const NameRowsOptions& options) {
    index.validate();
    CompareSink sink(index, bam);
    return {stream_name_rows(bam, sink, options).n_records, sink.n_unique()};
}

// ---- .qbx ------------------------------------------------------------------------------

// Looks the rows of the BAM up. That each is found where it should, and that the index holds
// no more ordinals than there are records, is the proof that it holds exactly them.
class LookUpSink : public RowSink {
   public:
    LookUpSink(const QbxIndex& index, const BamFile& bam) : index_(index), bam_(bam) {}

    void begin(uint64_t n_rows) override { require_record_count(index_, bam_, n_rows); }

    void consume(const RowPiece& piece) override {
        std::vector<NameHash> hashes;
        OrdinalGroups found;
        std::span<const IndexRow> rows = piece.rows;
        uint64_t n_hashes = 0;
        while (!rows.empty()) {
            size_t n_rows = 0;
            for (hashes.clear(); n_rows < rows.size(); ++n_rows) {
                if (n_rows > 0 && rows[n_rows].hash == hashes.back()) continue;
                if (hashes.size() == kBatchHashes) break;
                hashes.push_back(rows[n_rows].hash);
            }
            index_.state().names.find_batch(hashes, found);
            compare(rows.first(n_rows), found);
            n_hashes += hashes.size();
            rows = rows.subspan(n_rows);
        }
        n_unique_ += n_hashes - piece.continues_group;
    }

    void abort() noexcept override {}
    void finish() override {
        if (n_unique_ != index_.unique_hash_count()) refuse("the number of names differs");
    }

    uint64_t n_unique() const { return n_unique_; }

   private:
    static constexpr size_t kBatchHashes = 4096;

    // REQUIRES: found.of(i) is for the i-th hash of `rows`.
    void compare(std::span<const IndexRow> rows, OrdinalGroups& found) const {
        size_t i_hash = 0;
        for (size_t begin = 0, end; begin < rows.size(); begin = end, ++i_hash) {
            for (end = begin + 1; end < rows.size() && rows[end].hash == rows[begin].hash;) ++end;
            std::span ordinals(found.ordinals.data() + found.begins[i_hash],
                               found.begins[i_hash + 1] - found.begins[i_hash]);
            // More than one name may have been found, each in order.
            std::sort(ordinals.begin(), ordinals.end());
            size_t at = 0;
            for (const IndexRow& row : rows.subspan(begin, end - begin)) {
                while (at < ordinals.size() && ordinals[at] < row.voffset.value) ++at;
                if (at == ordinals.size() || ordinals[at] != row.voffset.value)
                    refuse("record " + std::to_string(row.voffset.value) +
                           " is not found under its name");
            }
        }
    }

    [[noreturn]] void refuse(const std::string& why) const {
        throw_bad_index(index_.path(), why + " in \"" + bam_.path() + "\"");
    }

    const QbxIndex& index_;
    const BamFile& bam_;
    std::atomic<uint64_t> n_unique_{0};
};

// Compares the blocks of the BAM with those of the index, in order.
class BlockComparer {
   public:
    BlockComparer(const QbxIndex& index, const BamFile& bam) : index_(index), bam_(bam) {}

    void compare(std::span<const BlockStart> blocks) {
        for (const BlockStart& block : blocks) {
            if (block.coffset == last_coffset_) continue;
            last_coffset_ = block.coffset;
            if (n_blocks_ >= index_.block_count() ||
                index_.state().blocks.block(n_blocks_) != block)
                refuse("at offset " + std::to_string(block.coffset));
            ++n_blocks_;
        }
    }

    void finish() const {
        if (n_blocks_ != index_.block_count()) refuse("at the end");
    }

   private:
    [[noreturn]] void refuse(const std::string& where) const {
        throw_bad_index(index_.path(),
                        "the blocks of \"" + bam_.path() + "\" are others, " + where);
    }

    const QbxIndex& index_;
    const BamFile& bam_;
    uint64_t n_blocks_ = 0;
    uint64_t last_coffset_ = UINT64_MAX;
};

void validate(const QbxIndex& index) {
    const QbxIndex::State& state = index.state();
    state.blocks_section->touch_all();
    state.names_section->touch_all();
    state.blocks.validate();
    uint64_t n_records = 0;
    state.names.walk([&](const QbxNames::Name& name) { n_records += name.n_records; });
    if (n_records != index.record_count())
        throw_bad_index(index.path(), "its names do not have as many records as it counts");
}

CheckReport check_qbx(const QbxIndex& index, const BamFile& bam, NameRowsOptions options) {
    validate(index);
    if (index.state().file.identity().has_eof_block != bam.has_eof_block())
        throw_bad_index(index.path(), "it is wrong about the end-of-file block");
    LookUpSink sink(index, bam);
    BlockComparer blocks(index, bam);
    options.on_blocks = [&](std::span<const BlockStart> starts) { blocks.compare(starts); };
    const NameRowsReport report = stream_name_rows(bam, sink, options);
    blocks.finish();
    return {report.n_records, sink.n_unique()};
}

}  // namespace

void QbiIndex::check_belongs(const BamFile& bam) const {
    check_size_and_header(bam_identity(), bam, path());
    const uint64_t n_rows = record_count();
    if (n_rows == 0) return;
    NamePeek peek(bam.path());
    const uint64_t n_choices = std::min(n_rows, kRowsToChooseFrom);
    for (uint64_t i = 0; i < kSamples; ++i) {
        const uint64_t begin = (n_rows - n_choices) / (kSamples - 1) * i;
        check_row(*this, cheapest_row(*this, begin, begin + n_choices), bam, peek);
    }
}

void check_belongs(const NameIndex& index, const BamFile& bam) { index.check_belongs(bam); }

CheckReport check_full(const NameIndex& index, const BamFile& bam, int n_threads,
                       uint64_t memory_bytes, const std::atomic<bool>* cancel) {
    index.check_belongs(bam);
    NameRowsOptions options;
    options.n_threads = static_cast<size_t>(n_threads);
    options.memory_bytes = memory_bytes;
    options.spill_prefix = tmp_prefix();
    options.cancel = cancel;
    if (const auto* qbx = dynamic_cast<const QbxIndex*>(&index))
        return check_qbx(*qbx, bam, options);
    return check_qbi(dynamic_cast<const QbiIndex&>(index), bam, options);
}

}  // namespace qbix
