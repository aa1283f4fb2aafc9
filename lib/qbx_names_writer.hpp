// qbx_names_writer.hpp: sorted rows into the names section of a .qbx, from many threads.
//
// A row is {hash, ordinal}: the ordinal stands in the place of the virtual offset. Pieces are
// cut anywhere; regions of the section by hash. Two things go along the chain of pieces, each
// in a turn of its own: the region that is still open at a piece's end, with its names so
// far, and then the place where the next bytes go. In between, and outside of every turn, a
// piece encodes the regions that ended in it. In memory stay the directory (32 bytes a region
// of up to 32,768 records) and, for each piece in work, its encoded regions; the groups of a
// region are written as they grow, so that one name may have all records.
//
// The bytes depend on the rows and the width of remainders alone: not on threads or pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "byte_sink.hpp"
#include "format_qbx_names.hpp"
#include "hand_off.hpp"
#include "qbx_region_builder.hpp"
#include "row_sink.hpp"

namespace qbix {

class QbxNamesWriter final : public RowSink {
   public:
    // Places in `sink` count from the section's start. `sink` must outlive the writer.
    // remainder_bits: 16, 24, 32; absent names find a false candidate about once in 3,300,
    // 1.3 million and 430 million lookups. Throws Error kUsage.
    explicit QbxNamesWriter(ByteSink& sink, unsigned remainder_bits = 16);
    ~QbxNamesWriter() override;

    void begin(uint64_t n_rows) override;
    void consume(const RowPiece& piece) override;
    void abort() noexcept override;
    // Writes what is still open, the directory and the head. The section is whole afterwards.
    void finish() override;

    // After finish().
    uint64_t n_names() const noexcept { return head_.n_names; }
    uint64_t size_bytes() const noexcept { return head_.size_bytes(); }

   private:
    using Builder = std::unique_ptr<RegionBuilder>;
    struct Work;

    size_t n_of_first_region(std::span<const IndexRow> rows) const;
    void split(std::span<const IndexRow> rows, Work& work) const;
    void hand_on_open_region(const RowPiece& piece, Work& work);
    void encode_middle(Work& work);
    void encode(RegionBuilder& region, Work& work);
    void write_in_turn(const RowPiece& piece, Work& work);

    Builder take_builder(NameHash hash);
    void return_builder(Builder builder);

    ByteSink& sink_;
    qbx_names::Head head_;
    std::vector<qbx_names::Region> directory_;  // each entry is written by one piece
    HandOff<Builder> open_region_;              // turns are numbers of rows
    HandOff<uint64_t> next_place_{qbx_names::kHeadBytes};

    std::mutex mutex_;  // guards what follows
    std::vector<Builder> idle_builders_;
};

// A whole section in memory, for tests and benchmarks.
std::vector<uint8_t> encode_qbx_names(std::span<const IndexRow> rows, unsigned remainder_bits = 16);

}  // namespace qbix
