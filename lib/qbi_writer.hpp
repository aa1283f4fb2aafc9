// qbi_writer.hpp: sorted rows into a QBI1 or QBI2 file, from many threads.
//
// Where the offsets, group bits and rank entries of a piece stand follows from its row
// numbers; where its suffixes stand follows from how many groups began before it. So each
// piece counts its groups, and that count alone is handed from piece to piece in order;
// everything is written outside the lock. The last word of a piece, which the next piece
// shares, goes along with the count. In memory stay the radix table and small buffers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "byte_sink.hpp"
#include "format_qbi2.hpp"
#include "output_file.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/qbi_index.hpp"
#include "row_sink.hpp"

namespace qbix {

class QbiWriter final : public RowSink {
   public:
    // radix_bits: 8, 12, 16, or 0 to choose by the number of records; QBI1 has none.
    // The sink or file must outlive the writer. Throws Error kUsage.
    QbiWriter(ByteSink& sink, IndexFormat format, int radix_bits, const BamIdentity& bam);
    QbiWriter(OutputFile& file, IndexFormat format, int radix_bits, const BamIdentity& bam);
    ~QbiWriter() override;

    void begin(uint64_t n_rows) override;
    void consume(const RowPiece& piece) override;
    void abort() noexcept override;
    // Writes the head and what belongs to no piece. The file is whole afterwards.
    void finish() override;

    // After finish().
    int radix_bits() const noexcept { return layout_.radix_bits; }  // QBI1: 0
    uint64_t n_unique() const noexcept { return n_groups_; }
    uint64_t size_bytes() const noexcept { return size_bytes_; }

   private:
    struct Buffers;

    // Writes to `owned` if there is one, else to `sink`.
    QbiWriter(std::unique_ptr<ByteSink> owned, ByteSink* sink, IndexFormat format, int radix_bits,
              const BamIdentity& bam);

    // What a piece tells the pieces after it, and what it is told.
    struct Turn {
        uint64_t n_rows;
        uint64_t n_groups;   // that start in it
        uint64_t tail_bits;  // its bits in its last word, if the next piece shares it
        bool tail_is_head;   // its first word is its last: bits before it go along
        uint64_t first_group = 0;
        uint64_t head_bits = 0;  // of earlier pieces in its first word
        bool ready = false;
    };

    void consume_qbi1(const RowPiece& piece);
    void consume_qbi2(const RowPiece& piece);
    void announce(uint64_t first_row, const Turn& turn);
    Turn take_turn(uint64_t first_row);
    void write_offsets(const RowPiece& piece, Buffers& buffers);
    void write_suffixes(const RowPiece& piece, uint64_t first_group, Buffers& buffers);
    void write_group_bits(const RowPiece& piece, const Turn& turn, Buffers& buffers);
    void finish_qbi1();
    void finish_qbi2();
    void write_directory_ends();
    void write_radix();
    void write_u64s(uint64_t place, std::span<const uint64_t> values);

    std::unique_ptr<Buffers> take_buffers();
    void return_buffers(std::unique_ptr<Buffers> buffers);

    std::unique_ptr<ByteSink> owned_sink_;
    ByteSink& sink_;
    const IndexFormat format_;
    const int wanted_radix_bits_;
    const BamIdentity bam_;
    uint64_t n_rows_ = 0;
    qbi2::Layout layout_;  // until finish() without the number of groups
    qbi2::PrefixCounts prefix_counts_;
    uint64_t size_bytes_ = 0;

    std::mutex mutex_;  // guards what follows
    std::condition_variable turn_came_;
    std::map<uint64_t, Turn> turns_;  // by first row: announced, not yet taken
    uint64_t next_row_ = 0;           // first row of the next piece in order
    uint64_t n_groups_ = 0;           // that start before next_row_
    uint64_t head_bits_ = 0;          // group bits before next_row_ in its word
    bool aborted_ = false;
    std::vector<std::unique_ptr<Buffers>> idle_buffers_;
};

// A whole index in memory, for tests and benchmarks.
std::vector<uint8_t> encode_qbi(std::span<const IndexRow> rows, IndexFormat format, int radix_bits,
                                const BamIdentity& bam);

}  // namespace qbix
