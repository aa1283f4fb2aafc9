// qbix/bam_file.hpp: an opened BAM: its header, its identity, where its records begin.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "qbix/export.hpp"
#include "qbix/types.hpp"

struct sam_hdr_t;

namespace qbix {

// What an index remembers of the BAM that it was built for.
struct BamIdentity {
    uint64_t size_bytes = 0;
    uint64_t mtime_ns = 0;     // since the epoch; 0 where the source has none (remote files)
    uint64_t header_hash = 0;  // FNV-1a 64 over the header text as htslib reads it

    bool operator==(const BamIdentity&) const = default;
};

// A BAM whose header has been read. Opening takes a local path or any URL that htslib
// opens; standard input is refused, for there is no identity to compare. Complete when
// constructed, immutable, safe for many threads. Record bytes are read by RecordReader
// and by the builder, each through handles of their own.
class QBIX_EXPORT BamFile {
   public:
    // Sniffs by content. Throws Error: kOpen, kIo, kNotBam (the message says what the file
    // is and what to do with it), kTruncated, kDamaged.
    explicit BamFile(const std::string& path);
    ~BamFile();
    BamFile(const BamFile&) = delete;
    BamFile& operator=(const BamFile&) = delete;

    const std::string& path() const noexcept;
    const BamIdentity& identity() const noexcept;

    // Owned by this object and not parsed: duplicate it (sam_hdr_dup) before any call that
    // edits it. sam_format1() and target_name[] are fine from many threads.
    const sam_hdr_t* header() const noexcept;

    // Where the first record starts (or would start), as bgzf_tell() says it.
    VirtualOffset first_record() const noexcept;

    // Whether the file ends with the 28-byte BGZF EOF block.
    bool has_eof_block() const noexcept;

   private:
    struct State;
    std::unique_ptr<const State> state_;
};

}  // namespace qbix
