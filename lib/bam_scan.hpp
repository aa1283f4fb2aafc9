// bam_scan.hpp: all records of a BAM, once, decompressed by many threads.
//
// The file is cut into chunks of 64 KiB of compressed bytes, which threads take in turn.
// Two things pass from chunk to chunk in file order: the bytes of the block that the
// boundary cuts (known as soon as a chunk has been read), and the record that the boundary
// cuts (known once the chunk before has been inflated). A thread whose predecessor is late
// keeps its inflated chunk and takes another one, so all of them keep inflating. What is
// done with the records is done by the thread that inflated them, while they are in its
// cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "qbix/bam_file.hpp"
#include "qbix/types.hpp"

namespace qbix {

struct ScannedRecord {
    const uint8_t* bytes;  // from the block_size field on
    VirtualOffset voffset;
};

// Receives the records that one thread inflated. Calls to one visitor never overlap; calls
// to different visitors do.
class RecordVisitor {
   public:
    virtual ~RecordVisitor() = default;

    // Consecutive records; the first has ordinal `first_ordinal`. Later calls have higher
    // ordinals, with gaps that other visitors fill. The bytes are valid during the call, at
    // least ScanOptions::bytes_needed of each (or the whole record where it is shorter), and
    // its lengths have been checked (record_is_consistent).
    virtual void visit(std::span<const ScannedRecord> records, uint64_t first_ordinal) = 0;

    // After the visits of a chunk (there may be none). Chunks are numbered from 0 in file
    // order, and each number comes once, to the visitor that saw its records, in ascending
    // order for each visitor. `is_last`: nothing follows, because of the end or of a fault.
    // Returns false to end the scan.
    virtual bool end_chunk(uint64_t /*number*/, bool /*is_last*/) { return true; }
};

struct ScanOptions {
    uint64_t bytes_needed = UINT64_MAX;  // of each record, from its start; at least kFixedBytes
    // Called about once a chunk, never twice at a time, with what has been walked so far.
    std::function<void(uint64_t n_records, uint64_t coffset)> on_progress;
    const std::atomic<bool>* cancel = nullptr;  // true: throw kCancelled soon
};

// Scans with one thread for each visitor, the caller's among them; returns the number of
// records. Every block's size and CRC is checked. Throws Error: the first fault in file
// order (kTruncated, kDamaged, kIo), after all records before it have been visited,
// whatever the number of threads; or what a visitor threw. Memory of a thread: four chunks, each
// with 128 KiB of compressed bytes and what they inflate to, at most 2 MiB (some 300 KiB in usual
// files), so up to 8.5 MiB; the records' places, 16 bytes each; and the longest record.
uint64_t scan_bam(const BamFile& bam, std::span<RecordVisitor* const> visitors,
                  const ScanOptions& options);

}  // namespace qbix
