// record_walk.hpp: from inflated blocks to records, across block and chunk borders.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bam_scan.hpp"
#include "qbix/types.hpp"

namespace qbix {

// A block whose data lie at [data_begin, data_end) of some buffer.
struct InflatedBlock {
    uint64_t coffset = 0;
    size_t data_begin = 0;
    size_t data_end = 0;
};

// Finds the records in a stream of blocks that arrives in pieces. What a piece leaves
// unfinished stays in the walk; it moves from thread to thread with the pieces.
class RecordWalk {
   public:
    // `first_record` as bgzf_tell() gives it after the header; the first piece must begin
    // with the block at its coffset. Of a record that is split between pieces at most
    // `bytes_needed` bytes are kept.
    RecordWalk(VirtualOffset first_record, uint64_t bytes_needed);
    RecordWalk() = default;

    // Walks a piece: `blocks` tile [0, data.size()) of `data`; `next_coffset` is where the
    // block after them starts. Appends the records that start here, and the one that started
    // before and is now known far enough, to `records`; its bytes are kept in `held` (which
    // the caller keeps as long as `records`).
    // Throws Error kDamaged with `path` in its message; `records` holds what came before.
    void walk(std::span<const uint8_t> data, std::span<const InflatedBlock> blocks,
              uint64_t next_coffset, const std::string& path, std::vector<ScannedRecord>& records,
              std::vector<uint8_t>& held);

    // The blocks are over. Throws Error kTruncated when a record is not.
    void finish(const std::string& path) const;

    uint64_t n_records() const noexcept { return n_records_; }

   private:
    size_t continue_split_record(std::span<const uint8_t> data, const std::string& path,
                                 std::vector<ScannedRecord>& records, std::vector<uint8_t>& held);
    void check_record(const uint8_t* record, VirtualOffset voffset, const std::string& path) const;

    uint64_t bytes_needed_ = 0;
    uint64_t n_records_ = 0;
    uint64_t n_to_skip_ = 0;      // bytes of the last record (or the header) still to come
    std::vector<uint8_t> head_;   // bytes so far of a record that is not known far enough
    VirtualOffset next_voffset_;  // where that record, or else the next one, starts
    VirtualOffset last_voffset_;  // where the record that n_to_skip_ belongs to starts
};

}  // namespace qbix
