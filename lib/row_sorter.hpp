// row_sorter.hpp: sorts what RowBuckets collected and hands it on in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "row_buckets.hpp"
#include "row_sink.hpp"

namespace qbix {

struct SortOptions {
    size_t n_threads = 1;
    uint64_t memory_bytes = 0;  // for everything that sorting takes beside the arenas
    std::string spill_prefix;
    const std::atomic<bool>* cancel = nullptr;
};

// Rows of the largest bucket, over all collections.
uint64_t largest_bucket(std::span<const RowBuckets* const> collections);

// Bytes that sorting a row takes, what its sink needs included.
inline constexpr uint64_t kSortBytesPerRow = 3 * sizeof(IndexRow);

// Sorts the rows of all collections together and feeds `sink`, from begin() to finish().
// A bucket that fits a thread's share of the memory is sorted there; a larger one (very
// many records, or very many of one name) in runs on disk, which are then merged.
// Throws what the sink throws, Error kIo, kCancelled.
void sort_rows(std::span<const RowBuckets* const> collections, RowSink& sink,
               const SortOptions& options);

}  // namespace qbix
