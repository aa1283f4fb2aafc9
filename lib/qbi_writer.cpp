#include "qbi_writer.hpp"

#include <algorithm>
#include <bit>

#include "format_qbi1.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

using qbi2::kRowsPerBlock;
using qbi2::kRowsPerWord;
using qbi2::kWordsPerBlock;

// Rows whose offsets or suffixes are encoded before they are written: 256 KiB.
constexpr size_t kRowsAtOnce = 32 << 10;

class OutputFileSink final : public ByteSink {
   public:
    explicit OutputFileSink(OutputFile& file) : file_(file) {}
    void write_at(uint64_t place, std::span<const uint8_t> bytes) override {
        file_.write_at(place, bytes);
    }

   private:
    OutputFile& file_;
};

template <class T>
std::span<const uint8_t> bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

size_t words_for(const RowPiece& piece) {
    return (piece.first_row % kRowsPerWord + piece.rows.size() + kRowsPerWord - 1) / kRowsPerWord;
}

}  // namespace

// Scratch of one consume(), kept for the next: memory that was touched before is cheaper.
struct QbiWriter::Buffers {
    std::vector<uint64_t> words;  // group bits of the piece, aligned like the file's words
    std::vector<uint64_t> rank;
    std::vector<uint8_t> bytes;
};

QbiWriter::QbiWriter(std::unique_ptr<ByteSink> owned, ByteSink* sink, IndexFormat format,
                     int radix_bits, const BamIdentity& bam)
    : owned_sink_(std::move(owned)),
      sink_(owned_sink_ ? *owned_sink_ : *sink),
      format_(format),
      wanted_radix_bits_(radix_bits),
      bam_(bam) {
    const bool valid =
        radix_bits == 0 || (format == IndexFormat::kQbi2 && qbi2::is_radix_bits(radix_bits));
    if (!valid) {
        throw Error(ErrorCode::kUsage,
                    format == IndexFormat::kQbi1
                        ? "QBI1 has no radix bits"
                        : "radix bits must be 8, 12 or 16, not " + std::to_string(radix_bits));
    }
}

QbiWriter::QbiWriter(ByteSink& sink, IndexFormat format, int radix_bits, const BamIdentity& bam)
    : QbiWriter(nullptr, &sink, format, radix_bits, bam) {}

QbiWriter::QbiWriter(OutputFile& file, IndexFormat format, int radix_bits, const BamIdentity& bam)
    : QbiWriter(std::make_unique<OutputFileSink>(file), nullptr, format, radix_bits, bam) {}

QbiWriter::~QbiWriter() = default;

void QbiWriter::begin(uint64_t n_rows) {
    n_rows_ = n_rows;
    if (format_ == IndexFormat::kQbi1) {
        size_bytes_ = qbi1_size_bytes(n_rows);
        return;
    }
    const int radix_bits =
        wanted_radix_bits_ != 0 ? wanted_radix_bits_ : qbi2::default_radix_bits(n_rows);
    const auto layout = qbi2::make_layout(n_rows, n_rows, radix_bits);
    if (!layout) throw Error(ErrorCode::kUsage, "too many records for an index");
    layout_ = *layout;
    prefix_counts_ = qbi2::PrefixCounts(layout_.n_prefixes());
}

void QbiWriter::consume(const RowPiece& piece) {
    if (format_ == IndexFormat::kQbi1) {
        consume_qbi1(piece);
    } else {
        consume_qbi2(piece);
    }
}

void QbiWriter::abort() noexcept {
    const std::lock_guard lock(mutex_);
    aborted_ = true;
    turn_came_.notify_all();
}

void QbiWriter::finish() {
    if (next_row_ != n_rows_) {
        throw Error(ErrorCode::kUsage, "the index was finished after " + std::to_string(next_row_) +
                                           " of " + std::to_string(n_rows_) + " rows");
    }
    if (format_ == IndexFormat::kQbi1) {
        finish_qbi1();
    } else {
        finish_qbi2();
    }
}

// ---- QBI1 ------------------------------------------------------------------------------

void QbiWriter::consume_qbi1(const RowPiece& piece) {
    sink_.write_at(qbi1::row_place(piece.first_row), bytes_of(piece.rows));
    uint64_t n_groups = piece.continues_group ? 0 : 1;
    for (size_t i = 1; i < piece.rows.size(); ++i) {
        n_groups += piece.rows[i].hash != piece.rows[i - 1].hash;
    }
    const std::lock_guard lock(mutex_);
    n_groups_ += n_groups;
    next_row_ += piece.rows.size();
}

void QbiWriter::finish_qbi1() { sink_.write_at(0, qbi1::encode_head({n_rows_, bam_})); }

// ---- QBI2 ------------------------------------------------------------------------------

void QbiWriter::consume_qbi2(const RowPiece& piece) {
    std::unique_ptr<Buffers> buffers = take_buffers();
    const unsigned first_bit = piece.first_row % kRowsPerWord;
    buffers->words.assign(words_for(piece), 0);
    const uint64_t n_groups =
        qbi2::mark_groups(piece.rows, piece.continues_group, first_bit, buffers->words);
    const bool shares_tail = (first_bit + piece.rows.size()) % kRowsPerWord != 0;
    announce(piece.first_row, {.n_rows = piece.rows.size(),
                               .n_groups = n_groups,
                               .tail_bits = shares_tail ? buffers->words.back() : 0,
                               .tail_is_head = shares_tail && buffers->words.size() == 1});
    write_offsets(piece, *buffers);  // while the pieces before count
    const Turn turn = take_turn(piece.first_row);
    write_suffixes(piece, turn.first_group, *buffers);
    write_group_bits(piece, turn, *buffers);
    return_buffers(std::move(buffers));
}

// Puts the piece in line, and tells as many pieces as possible what came before them.
void QbiWriter::announce(uint64_t first_row, const Turn& announced) {
    const std::lock_guard lock(mutex_);
    turns_.emplace(first_row, announced);
    for (auto next = turns_.find(next_row_); next != turns_.end(); next = turns_.find(next_row_)) {
        Turn& turn = next->second;
        turn.first_group = n_groups_;
        turn.head_bits = head_bits_;
        turn.ready = true;
        next_row_ += turn.n_rows;
        n_groups_ += turn.n_groups;
        head_bits_ = turn.tail_bits | (turn.tail_is_head ? head_bits_ : 0);
    }
    turn_came_.notify_all();
}

QbiWriter::Turn QbiWriter::take_turn(uint64_t first_row) {
    std::unique_lock lock(mutex_);
    const auto own = turns_.find(first_row);
    turn_came_.wait(lock, [&] { return own->second.ready || aborted_; });
    if (!own->second.ready) throw Error(ErrorCode::kCancelled, "the index was given up");
    const Turn turn = own->second;
    turns_.erase(own);
    return turn;
}

void QbiWriter::write_offsets(const RowPiece& piece, Buffers& buffers) {
    for (size_t begin = 0; begin < piece.rows.size(); begin += kRowsAtOnce) {
        const auto rows =
            piece.rows.subspan(begin, std::min(kRowsAtOnce, piece.rows.size() - begin));
        buffers.bytes.resize(rows.size() * 8);
        qbi2::encode_offsets(rows, buffers.bytes.data());
        sink_.write_at(layout_.offset_place(piece.first_row + begin), buffers.bytes);
    }
}

void QbiWriter::write_suffixes(const RowPiece& piece, uint64_t first_group, Buffers& buffers) {
    constexpr size_t kWordsAtOnce = kRowsAtOnce / kRowsPerWord;
    const std::span<const uint64_t> words = buffers.words;
    const auto first_bit = static_cast<ptrdiff_t>(piece.first_row % kRowsPerWord);
    uint64_t place = layout_.suffix_place(first_group);
    for (size_t begin = 0; begin < words.size(); begin += kWordsAtOnce) {
        const auto some = words.subspan(begin, std::min(kWordsAtOnce, words.size() - begin));
        buffers.bytes.resize((some.size() * kRowsPerWord + 1) * 8);
        const auto row_of_bit0 = static_cast<ptrdiff_t>(begin * kRowsPerWord) - first_bit;
        const size_t n_bytes = qbi2::encode_suffixes(layout_, piece.rows, row_of_bit0, some,
                                                     buffers.bytes.data(), prefix_counts_);
        sink_.write_at(place, std::span(buffers.bytes).first(n_bytes));
        place += n_bytes;
    }
}

// The words of which this piece has the last row, and the rank entries of which it has the
// first row.
void QbiWriter::write_group_bits(const RowPiece& piece, const Turn& turn, Buffers& buffers) {
    const uint64_t first_word = piece.first_row / kRowsPerWord;
    std::vector<uint64_t>& words = buffers.words;
    words[0] |= turn.head_bits;
    uint64_t n_set = turn.first_group - static_cast<unsigned>(std::popcount(turn.head_bits));
    buffers.rank.clear();
    uint64_t first_entry = 0;
    for (size_t i = 0; i < words.size(); ++i) {
        const uint64_t word = first_word + i;
        if (word % kWordsPerBlock == 0 && word * kRowsPerWord >= piece.first_row) {
            if (buffers.rank.empty()) first_entry = word / kWordsPerBlock;
            buffers.rank.push_back(n_set);
        }
        n_set += static_cast<unsigned>(std::popcount(words[i]));
    }
    const uint64_t end_row = piece.first_row + piece.rows.size();
    const std::span<const uint64_t> whole =
        std::span(words).first(end_row / kRowsPerWord - first_word);
    if (!whole.empty()) write_u64s(layout_.word_place(first_word), whole);
    if (!buffers.rank.empty()) write_u64s(layout_.rank_place(first_entry), buffers.rank);
}

void QbiWriter::finish_qbi2() {
    const auto layout = qbi2::make_layout(n_rows_, n_groups_, layout_.radix_bits);
    if (!layout) throw Error(ErrorCode::kUsage, "the rows are not in order");
    layout_ = *layout;
    size_bytes_ = layout_.file_size_bytes;
    write_directory_ends();
    write_radix();
    sink_.write_at(0, qbi2::encode_head(layout_, bam_));
}

// The word with the sentinel bit, and the rank entries that no row starts.
void QbiWriter::write_directory_ends() {
    const uint64_t sentinel = uint64_t{1} << (n_rows_ % kRowsPerWord);
    const uint64_t last_word[] = {head_bits_ | sentinel};
    write_u64s(layout_.word_place(layout_.n_words - 1), last_word);

    const uint64_t first_entry = (n_rows_ + kRowsPerBlock - 1) / kRowsPerBlock;
    std::vector<uint64_t> rank(layout_.n_rank - first_entry, n_groups_);
    rank.back() = n_groups_ + 1;
    write_u64s(layout_.rank_place(first_entry), rank);
}

void QbiWriter::write_radix() {
    std::vector<uint64_t> radix;
    radix.reserve(layout_.n_radix);
    uint64_t n_before = 0;
    for (const std::atomic<uint64_t>& count : prefix_counts_) {
        radix.push_back(n_before);
        n_before += count.load(std::memory_order_relaxed);
    }
    radix.push_back(n_before);
    write_u64s(layout_.radix_at, radix);
}

void QbiWriter::write_u64s(uint64_t place, std::span<const uint64_t> values) {
    sink_.write_at(place, bytes_of(values));
}

std::unique_ptr<QbiWriter::Buffers> QbiWriter::take_buffers() {
    const std::lock_guard lock(mutex_);
    if (idle_buffers_.empty()) return std::make_unique<Buffers>();
    std::unique_ptr<Buffers> buffers = std::move(idle_buffers_.back());
    idle_buffers_.pop_back();
    return buffers;
}

void QbiWriter::return_buffers(std::unique_ptr<Buffers> buffers) {
    const std::lock_guard lock(mutex_);
    idle_buffers_.push_back(std::move(buffers));
}

// ---- in memory -------------------------------------------------------------------------

std::vector<uint8_t> encode_qbi(std::span<const IndexRow> rows, IndexFormat format, int radix_bits,
                                const BamIdentity& bam) {
    MemorySink sink;
    QbiWriter writer(sink, format, radix_bits, bam);
    hand_over(rows, writer);
    return std::move(sink.bytes);
}

}  // namespace qbix
