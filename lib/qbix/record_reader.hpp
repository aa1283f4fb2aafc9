// qbix/record_reader.hpp: encoded BAM records by virtual offset.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/types.hpp"

struct bam1_t;

namespace qbix {

// One encoded record: block_size field and all that it counts (SAM specification, 4.2).
// The lengths inside have been checked against block_size.
struct RecordView {
    VirtualOffset voffset;
    std::span<const uint8_t> bytes;

    std::string_view qname() const noexcept;
};

// Reads records of one BAM. Keeps the last block, so ascending offsets decompress each
// block once. CRC and size of every block are checked. One reader, one thread; any number
// of readers on one BamFile, which must outlive them.
class QBIX_EXPORT RecordReader {
   public:
    explicit RecordReader(const BamFile& bam);
    ~RecordReader();
    RecordReader(const RecordReader&) = delete;
    RecordReader& operator=(const RecordReader&) = delete;

    // The record that starts at `voffset`. The view is valid until the next call.
    // Throws Error: kIo; kForeignIndex when no block or no record starts there (an offset
    // from an index of another file); kDamaged, kTruncated.
    RecordView read(VirtualOffset voffset) { return read_at({voffset, 0}); }
    // The same for a record that is counted from another one; the view has its own offset.
    RecordView read_at(const RecordPlace& place);

    // How many records start in the block between `first` and `voffset`, which is of the same
    // block: what a place has to skip. Throws Error as read() does.
    uint32_t number_in_block(VirtualOffset first, VirtualOffset voffset);

    uint64_t blocks_read() const noexcept;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

// Decodes into `out` (which keeps its buffers). Throws Error kDamaged when the record
// contradicts itself or the header.
QBIX_EXPORT void decode_record(const RecordView& record, const sam_hdr_t* header, bam1_t* out);

}  // namespace qbix
