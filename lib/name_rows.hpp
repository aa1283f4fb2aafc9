// name_rows.hpp: one scan of a BAM, and its (name hash, place) rows in order to a sink. The
// place is the virtual offset of the record or, in its stead, the ordinal.
//
// The steps that building an index and checking one against its BAM share.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "block_starts.hpp"
#include "qbix/bam_file.hpp"
#include "row_buckets.hpp"
#include "row_sink.hpp"

namespace qbix {

struct NameRowsOptions {
    size_t n_threads = 1;
    uint64_t memory_bytes = 0;
    std::string spill_prefix;
    std::function<void(uint64_t n_records, uint64_t coffset)> on_progress;
    const std::atomic<bool>* cancel = nullptr;
    // Given: rows have ordinals, and the blocks in which records start go here during the scan.
    BlockStartSink on_blocks;
};

struct NameRowsReport {
    uint64_t n_records = 0;
    uint64_t spilled_bytes = 0;
};

// Throws what scan_bam(), sort_rows() and the sink throw; Error kUsage when memory_bytes is
// below kLeastMemoryBytes.
NameRowsReport stream_name_rows(const BamFile& bam, RowSink& sink, const NameRowsOptions& options);

// Sorts the rows of all collections into `sink`. A quarter of the memory is free for that
// while the rows stay where they are; if it is too little, they go to disk, and all is free.
// Returns how many bytes were spilled. Throws what sort_rows() throws.
uint64_t sort_collected(std::span<RowBuckets* const> collections, RowSink& sink,
                        const NameRowsOptions& options);

// What collections may take of options.memory_bytes, together.
inline uint64_t collection_bytes(uint64_t memory_bytes) { return memory_bytes - memory_bytes / 4; }

inline constexpr uint64_t kLeastMemoryBytes = uint64_t{16} << 20;

}  // namespace qbix
