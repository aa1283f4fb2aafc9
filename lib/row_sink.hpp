// row_sink.hpp: where sorted index rows go: into a file, or into a comparison.
#pragma once

#include <cstdint>
#include <span>

#include "qbix/types.hpp"

namespace qbix {

// A run of rows of the final order.
struct RowPiece {
    uint64_t first_row = 0;  // row number of rows[0]
    std::span<const IndexRow> rows;
    // rows[0] has the hash of row first_row - 1: its group began in an earlier piece.
    bool continues_group = false;
};

// begin() once; then consume() from many threads; then finish() once, unless something
// threw. Together the pieces cover [0, n_rows) exactly once, none is empty.
class RowSink {
   public:
    virtual ~RowSink() = default;

    virtual void begin(uint64_t n_rows) = 0;

    // May wait for the pieces before this one, never for a later one: threads take pieces
    // in ascending order, so the lowest piece in work always proceeds. On an error in any
    // thread abort() is called, which ends all waits with an Error.
    virtual void consume(const RowPiece& piece) = 0;
    virtual void abort() noexcept = 0;

    virtual void finish() = 0;
};

// All rows at once, from begin() to finish().
inline void hand_over(std::span<const IndexRow> rows, RowSink& sink) {
    sink.begin(rows.size());
    if (!rows.empty()) sink.consume({.first_row = 0, .rows = rows, .continues_group = false});
    sink.finish();
}

}  // namespace qbix
