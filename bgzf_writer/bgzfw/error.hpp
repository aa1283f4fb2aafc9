// bgzfw/error.hpp: the one exception of libbgzf_writer.
//
// The first error of a writer, from whatever thread, is the one that every later call on
// it throws again, close() included.
#pragma once

#include <stdexcept>
#include <string>

#include "bgzfw/export.hpp"

namespace bgzfw {

enum class ErrorCode {
    kUsage,        // an option or an argument is out of its range, or a call out of order
    kUnsupported,  // this build lacks the backend or the feature
    kOpen,         // the output cannot be opened or created
    kIo,           // a write or the final close failed: os_errno() says why
    kHeader,       // the SAM or BAM header is malformed
    kRecord,       // a record is malformed, or does not fit the header
    kHook,         // the commit hook threw
    kAbandoned,    // given up: a producer or the writer ended without finish() or close()
    kInternal,     // a backend broke its word
};

class BGZFW_EXPORT Error : public std::runtime_error {
   public:
    // `message` is one line, without a newline at its end.
    Error(ErrorCode code, const std::string& message, int os_errno = 0)
        : std::runtime_error(message), code_(code), os_errno_(os_errno) {}

    ErrorCode code() const noexcept { return code_; }
    int os_errno() const noexcept { return os_errno_; }  // 0 where none is known

   private:
    ErrorCode code_;
    int os_errno_;
};

}  // namespace bgzfw
