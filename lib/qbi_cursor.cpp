// Cursors walk the sections side by side and keep their place in each. They work in chunks:
// the hashes of a chunk's groups are put together first, then rows or groups are handed out.
#include <algorithm>
#include <array>
#include <bit>
#include <variant>
#include <vector>

#include "format_qbi1.hpp"
#include "index_errors.hpp"
#include "qbi_state.hpp"

namespace qbix {
namespace {

constexpr size_t kChunkRows = 1024;

// The distinct hashes of a QBI2 in order.
class HashWalker {
   public:
    // Starts at `group`, which has the prefix `prefix`. REQUIRES: group <= K.
    HashWalker(const QbiIndex::State& index, uint64_t group, uint64_t prefix)
        : path_(index.path),
          layout_(index.layout),
          radix_(index.bytes, layout_.radix_at, layout_.suffixes_at),
          suffixes_(index.bytes, layout_.suffixes_at - 8, layout_.file_size_bytes),
          group_(group),
          prefix_(prefix),
          prefix_end_(radix_entry(prefix + 1)) {}

    uint64_t n_left() const noexcept { return layout_.n_unique - group_; }

    // REQUIRES: out.size() <= n_left(). Throws Error kBadIndex, kIo.
    void next(std::span<NameHash> out) {
        while (!out.empty()) {
            while (group_ >= prefix_end_) enter_next_prefix();
            const size_t n = std::min<uint64_t>(out.size(), prefix_end_ - group_);
            join_suffixes(out.first(n));
            group_ += n;
            out = out.subspan(n);
        }
    }

   private:
    uint64_t radix_entry(uint64_t entry) {
        return load_le<uint64_t>(radix_.view(layout_.radix_place(entry), 8));
    }

    void enter_next_prefix() {
        if (++prefix_ == layout_.n_prefixes()) {
            throw_bad_index(path_, "the radix table counts too few hashes");
        }
        prefix_end_ = radix_entry(prefix_ + 1);
    }

    void join_suffixes(std::span<NameHash> out) {
        const unsigned suffix_bytes = layout_.suffix_bytes;
        const uint64_t place = layout_.suffix_place(group_);
        const uint8_t* end = suffixes_.view(place - 8, 8 + out.size() * suffix_bytes) + 8;
        for (NameHash& hash : out) {
            end += suffix_bytes;
            hash = layout_.join(prefix_, qbi2::load_suffix_before(end, suffix_bytes));
        }
    }

    const std::string& path_;
    const qbi2::Layout& layout_;
    SectionWalker radix_;
    SectionWalker suffixes_;
    uint64_t group_;
    uint64_t prefix_;
    uint64_t prefix_end_;  // number of the first group of the next prefix
};

// ---- rows ------------------------------------------------------------------------------

class Qbi1Rows {
   public:
    Qbi1Rows(const QbiIndex::State& index, uint64_t first_row)
        : n_rows_(index.n_rows),
          rows_(index.bytes, qbi1::kHeadBytes, index.bytes.size_bytes()),
          row_(first_row) {}

    uint64_t n_left() const noexcept { return n_rows_ - row_; }

    // REQUIRES: 1 <= out.size() <= n_left().
    void next(std::span<IndexRow> out) {
        const size_t n_bytes = out.size_bytes();
        std::memcpy(out.data(), rows_.view(qbi1::row_place(row_), n_bytes), n_bytes);
        row_ += out.size();
    }

   private:
    uint64_t n_rows_;
    SectionWalker rows_;
    uint64_t row_;
};

class Qbi2Rows {
   public:
    Qbi2Rows(const QbiIndex::State& index, uint64_t first_row)
        : Qbi2Rows(index, first_row,
                   first_row == 0 || first_row == index.n_rows ? GroupPlace{}
                                                               : group_of_row(index, first_row)) {}

    uint64_t n_left() const noexcept { return layout_.n_rows - row_; }

    // REQUIRES: 1 <= out.size() <= min(n_left(), kChunkRows).
    void next(std::span<IndexRow> out) {
        const unsigned first_bit = row_ % qbi2::kRowsPerWord;
        const uint64_t n_starts = load_bits(first_bit, out.size());
        if (n_starts > hashes_.n_left()) bad_bits();
        hashes_.next(std::span(chunk_hashes_).subspan(1, n_starts));
        const uint8_t* offsets = offsets_.view(layout_.offset_place(row_), out.size() * 8);
        size_t group = 0;  // in chunk_hashes_; 0 is the group that the chunk before ended in
        for (size_t i = 0; i < out.size(); ++i) {
            const size_t bit = first_bit + i;
            group += words_[bit / 64] >> (bit % 64) & 1;
            out[i] = {chunk_hashes_[group], {load_le<uint64_t>(offsets + 8 * i)}};
        }
        chunk_hashes_[0] = chunk_hashes_[group];
        row_ += out.size();
        if (row_ == layout_.n_rows && hashes_.n_left() != 0) bad_bits();
    }

   private:
    Qbi2Rows(const QbiIndex::State& index, uint64_t first_row, GroupPlace first)
        : path_(index.path),
          layout_(index.layout),
          offsets_(index.bytes, layout_.offsets_at, layout_.group_bits_at),
          bits_(index.bytes, layout_.group_bits_at, layout_.rank_at),
          hashes_(index, first.group, first.prefix),
          row_(first_row) {}

    // Takes the group bits of the next n_rows rows, no others; returns how many are set. The
    // first row of all counts as the start of a group: its hash is the first to be taken.
    uint64_t load_bits(unsigned first_bit, size_t n_rows) {
        const size_t n_words = (first_bit + n_rows + 63) / 64;
        std::memcpy(words_.data(), bits_.view(layout_.word_place(row_ / 64), n_words * 8),
                    n_words * 8);
        words_[0] &= ~uint64_t{0} << first_bit;
        words_[n_words - 1] &= ~uint64_t{0} >> (n_words * 64 - first_bit - n_rows);
        if (first_chunk_) words_[0] |= uint64_t{1} << first_bit;
        first_chunk_ = false;
        uint64_t n_set = 0;
        for (size_t word = 0; word < n_words; ++word) n_set += std::popcount(words_[word]);
        return n_set;
    }

    [[noreturn]] void bad_bits() const {
        throw_bad_index(path_, "the group bits do not count as many groups as the head");
    }

    const std::string& path_;
    const qbi2::Layout& layout_;
    SectionWalker offsets_;
    SectionWalker bits_;
    HashWalker hashes_;
    uint64_t row_;
    bool first_chunk_ = true;
    std::array<uint64_t, kChunkRows / 64 + 1> words_;
    std::array<NameHash, kChunkRows + 1> chunk_hashes_{};
};

// ---- groups ----------------------------------------------------------------------------

class Qbi1Groups {
   public:
    explicit Qbi1Groups(const QbiIndex::State& index) : rows_(index, 0) { refill(); }

    size_t next(std::span<HashGroup> out) {
        size_t n_out = 0;
        while (n_out < out.size() && !chunk_.empty()) {
            const NameHash hash = chunk_.front().hash;
            const uint64_t begin = row_;
            while (!chunk_.empty() && chunk_.front().hash == hash) advance();
            out[n_out++] = {hash, {begin, row_}};
        }
        return n_out;
    }

   private:
    void advance() {
        ++row_;
        chunk_ = chunk_.subspan(1);
        if (chunk_.empty()) refill();
    }

    void refill() {
        const size_t n = std::min<uint64_t>(rows_.n_left(), kChunkRows);
        chunk_ = std::span(buffer_).first(n);
        if (n != 0) rows_.next(chunk_);
    }

    Qbi1Rows rows_;
    std::vector<IndexRow> buffer_ = std::vector<IndexRow>(kChunkRows);
    std::span<IndexRow> chunk_;  // rows not yet handed out
    uint64_t row_ = 0;
};

class Qbi2Groups {
   public:
    explicit Qbi2Groups(const QbiIndex::State& index)
        : path_(index.path),
          layout_(index.layout),
          bits_(index.bytes, layout_.group_bits_at, layout_.rank_at),
          hashes_(index, 0, 0) {
        start_ = next_start();
    }

    size_t next(std::span<HashGroup> out) {
        size_t n_out = 0;
        while (n_out < out.size() && hashes_.n_left() != 0) {
            const size_t n =
                std::min<uint64_t>({out.size() - n_out, hashes_.n_left(), chunk_hashes_.size()});
            hashes_.next(std::span(chunk_hashes_).first(n));
            for (size_t i = 0; i < n; ++i) {
                const uint64_t begin = start_;
                start_ = next_start();
                out[n_out++] = {chunk_hashes_[i], {begin, start_}};
            }
        }
        if (hashes_.n_left() == 0 && start_ != layout_.n_rows) bad_bits();
        return n_out;
    }

   private:
    // The row of the next set bit. A group ends where the next one starts, so each is found
    // once; the last one found is the sentinel.
    uint64_t next_start() {
        while (word_ == 0) {
            if (n_words_read_ == layout_.n_words) bad_bits();
            word_ = load_le<uint64_t>(bits_.view(layout_.word_place(n_words_read_++), 8));
        }
        const uint64_t row = (n_words_read_ - 1) * qbi2::kRowsPerWord + std::countr_zero(word_);
        word_ &= word_ - 1;
        return row;
    }

    [[noreturn]] void bad_bits() const {
        throw_bad_index(path_, "the group bits do not count as many groups as the head");
    }

    const std::string& path_;
    const qbi2::Layout& layout_;
    SectionWalker bits_;
    HashWalker hashes_;
    uint64_t n_words_read_ = 0;
    uint64_t word_ = 0;   // bits not yet handed out of the last word read
    uint64_t start_ = 0;  // of the next group
    std::array<NameHash, kChunkRows> chunk_hashes_;
};

template <class Variant, class Qbi1, class Qbi2, class... Arguments>
Variant open_cursor(const QbiIndex& index, Arguments... arguments) {
    if (index.format() == IndexFormat::kQbi1) {
        return Variant(std::in_place_type<Qbi1>, index.state(), arguments...);
    }
    return Variant(std::in_place_type<Qbi2>, index.state(), arguments...);
}

}  // namespace

struct RowCursor::State {
    std::variant<Qbi1Rows, Qbi2Rows> rows;
};

RowCursor::RowCursor(const QbiIndex& index, uint64_t first_row)
    : state_(new State{open_cursor<decltype(State::rows), Qbi1Rows, Qbi2Rows>(index, first_row)}) {}
RowCursor::~RowCursor() = default;

size_t RowCursor::next(std::span<IndexRow> out) {
    return std::visit(
        [out](auto& rows) {
            size_t n_out = 0;
            while (n_out < out.size() && rows.n_left() != 0) {
                const size_t n =
                    std::min<uint64_t>({out.size() - n_out, rows.n_left(), kChunkRows});
                rows.next(out.subspan(n_out, n));
                n_out += n;
            }
            return n_out;
        },
        state_->rows);
}

struct GroupCursor::State {
    std::variant<Qbi1Groups, Qbi2Groups> groups;
};

GroupCursor::GroupCursor(const QbiIndex& index)
    : state_(new State{open_cursor<decltype(State::groups), Qbi1Groups, Qbi2Groups>(index)}) {}
GroupCursor::~GroupCursor() = default;

size_t GroupCursor::next(std::span<HashGroup> out) {
    return std::visit([out](auto& groups) { return groups.next(out); }, state_->groups);
}

}  // namespace qbix
