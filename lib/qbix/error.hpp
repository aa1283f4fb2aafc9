// qbix/error.hpp: the one exception family of libqbix.
//
// Thrown by everything that opens, builds, reads or writes. "Not found" is never an
// error: lookups return an empty result. Functions marked noexcept do not throw.
#pragma once

#include <stdexcept>
#include <string>

namespace qbix {

enum class ErrorCode {
    kUsage,         // an argument or option is out of its range
    kOpen,          // a file cannot be opened or created
    kIo,            // a read, write, seek or rename failed
    kNotBam,        // the input is not a BAM file (plain gzip, SAM, CRAM, anything else)
    kTruncated,     // the BAM ends inside a block or a record
    kNoEof,         // the BAM is whole but its BGZF EOF block is missing
    kDamaged,       // the BAM is corrupt: bad block, CRC, size, or record
    kNotIndex,      // the file is not an index that this version reads
    kBadIndex,      // the file is an index, but its structure is inconsistent
    kForeignIndex,  // the index was built for another BAM
    kCancelled,     // the caller asked to stop
};

class Error : public std::runtime_error {
   public:
    // `message` is one line that names the file, the offset where it matters, what is
    // wrong and what to do; it does not end in a newline.
    Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}

    ErrorCode code() const noexcept { return code_; }

   private:
    ErrorCode code_;
};

}  // namespace qbix
