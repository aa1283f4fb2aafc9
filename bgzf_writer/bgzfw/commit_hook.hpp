// bgzfw/commit_hook.hpp: be told where each record went, in file order, while writing.
//
// This is what an index needs that is built in the same pass as the file.
#pragma once

#include <cstdint>
#include <span>

#include "bgzfw/export.hpp"

namespace bgzfw {

// A BGZF virtual offset is coffset << 16 | uoffset: the file offset of a block, and the
// offset of a byte in that block's uncompressed data (SAM specification, 4.1.1).
struct CommittedRecord {
    uint64_t begin_voffset = 0;
    // Where a reader stands after the record, as bgzf_tell() says it: the start of the
    // following block when the record ends with its own.
    uint64_t end_voffset = 0;
    std::span<const uint8_t> bytes;  // the encoded record with its block_size field

    uint64_t begin_coffset() const { return begin_voffset >> 16; }
    uint32_t begin_uoffset() const { return static_cast<uint32_t>(begin_voffset & 0xffff); }
};

// Calls come in file order and never two at once, from whichever thread wrote the records;
// everything said in one call happened before the next. A call must not use the writer.
// What it throws becomes the writer's error. Whoever implements it outlives the writer.
class BGZFW_EXPORT CommitHook {
   public:
    virtual ~CommitHook();

    // Once, before anything else: the header is written, records begin here.
    virtual void on_header(uint64_t first_record_voffset);

    // These records, with all before them, have been taken by write(2). The spans are
    // valid during the call.
    virtual void on_records(std::span<const CommittedRecord> records) = 0;
};

}  // namespace bgzfw
