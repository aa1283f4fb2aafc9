// qbix/qbi_index.hpp: a read-name index in one of the exchange formats, QBI1 or QBI2.
//
// Opening maps the file (or, for a URL, opens a reader) and does constant work: head,
// section places, first and last directory entries. Everything a count or an offset from
// the file leads to is checked before use, so a damaged index gives an Error or a missing
// name, never a crash; validate() walks the whole structure. The bytes are specified in
// qbi(5).
//
// A handle is complete when constructed, immutable, and safe for many threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/name_index.hpp"
#include "qbix/types.hpp"

namespace qbix {

class IndexBytes;

class QBIX_EXPORT QbiIndex final : public NameIndex {
   public:
    // Throws Error: kOpen, kIo, kNotIndex (not a QBI file, or one of an unknown kind),
    // kBadIndex.
    explicit QbiIndex(const std::string& path);
    QbiIndex(const std::string& path, IndexBytes&& opened);
    ~QbiIndex() override;

    const std::string& path() const noexcept override;
    IndexFormat format() const noexcept override;
    int radix_bits() const noexcept;  // QBI2: 8, 12 or 16; QBI1: 0
    uint64_t size_bytes() const noexcept override;
    uint64_t record_count() const noexcept override;  // N, from the head
    // Number of distinct hashes: QBI2 keeps it in the head; QBI1 does not (nullopt).
    std::optional<uint64_t> unique_hash_count() const noexcept;
    const BamIdentity& bam_identity() const noexcept override;

    bool has_name(NameHash hash) const override { return !find(hash).empty(); }
    void find_places(NameHash hash, std::vector<RecordPlace>& places) const override;
    void find_places_batch(std::span<const NameHash> hashes, PlaceGroups& found) const override;
    bool matches(NameHash asked, NameHash found) const override { return asked == found; }
    void visit_names(const std::function<void(uint64_t n_records)>& visit) const override;
    void check_belongs(const BamFile& bam) const override;

    // Rows whose hash equals `hash`; empty when there is none.
    // O(log) in the worst case, usually three cache lines. Throws Error (kBadIndex, kIo).
    RowRange find(NameHash hash) const;

    // find() for many: out[i] answers hashes[i]. Interleaves the probes, so that a list
    // costs a fraction of single calls. REQUIRES: out.size() == hashes.size().
    void find_batch(std::span<const NameHash> hashes, std::span<RowRange> out) const;

    // Appends the virtual offsets of `rows` (ascending within one hash) to `out`.
    // REQUIRES: rows within [0, record_count()].
    void read_voffsets(RowRange rows, std::vector<VirtualOffset>& out) const;

    // The row `row`, through directories where there are any: for sampling, not scanning.
    // REQUIRES: row < record_count().
    IndexRow row_at(uint64_t row) const;

    // Walks the whole file: order of rows and suffixes, directories, bit counts.
    // Throws Error kBadIndex naming the first inconsistency.
    void validate() const;

    struct State;
    const State& state() const noexcept { return *state_; }

   private:
    std::unique_ptr<const State> state_;
};

// Forward cursor over all rows in order. Keeps its place in every section: no search a row.
// Many cursors may walk one index. The index must outlive the cursor.
class QBIX_EXPORT RowCursor {
   public:
    // Starts at `first_row`. REQUIRES: first_row <= record_count().
    explicit RowCursor(const QbiIndex& index, uint64_t first_row = 0);
    ~RowCursor();
    // Fills up to out.size() rows; returns how many (0 at the end). Throws Error.
    size_t next(std::span<IndexRow> out);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// A distinct hash and its rows.
struct HashGroup {
    NameHash hash;
    RowRange rows;
};

// Forward cursor over the distinct hashes in ascending order.
class QBIX_EXPORT GroupCursor {
   public:
    explicit GroupCursor(const QbiIndex& index);
    ~GroupCursor();
    // Fills up to out.size() groups; returns how many (0 at the end). Throws Error.
    size_t next(std::span<HashGroup> out);

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Sizes in bytes that `n_records` records with `n_unique` distinct hashes take.
QBIX_EXPORT uint64_t qbi1_size_bytes(uint64_t n_records);
// REQUIRES: radix_bits is 8, 12 or 16.
QBIX_EXPORT uint64_t qbi2_size_bytes(uint64_t n_records, uint64_t n_unique, int radix_bits);

}  // namespace qbix
