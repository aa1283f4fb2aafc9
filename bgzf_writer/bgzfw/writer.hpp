// bgzfw/writer.hpp: a BAM file being written.
//
//     bgzfw::Writer out("out.bam", bgzfw::BamHeader::from_sam_text(text), {.level = 1});
//     out.write_encoded(records);
//     out.close();
//
// A record that fits into a block is not split, and block borders depend on the records
// alone (with batches: on the sequence of batches), never on threads or backend. So do the
// bytes of one backend in one version; between backends and versions only the decoded
// records are promised to be equal.
//
// No fsync, no seek, no change of signal dispositions: a closed pipe raises SIGPIPE unless
// the program ignores it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bgzfw/bam_header.hpp"
#include "bgzfw/commit_hook.hpp"
#include "bgzfw/error.hpp"
#include "bgzfw/export.hpp"
#include "bgzfw/options.hpp"
#include "bgzfw/producer.hpp"

namespace bgzfw {

class WriterCore;

// write_encoded(), write_sam(), write(), begin_record() and end_record() are for one thread
// at a time and act as one producer (Order::kAsWritten only); see producer.hpp for what they
// take. producer(), cancel(), bytes_written() and the getters are for any thread.
// Memory: 64 MB + 2 MB for each worker and producer at most (levels above 8 take more: 10 MB
// each), plus the size of the largest batch for each producer.
class BGZFW_EXPORT Writer {
   public:
    // Creates or truncates `path`; "-" is standard output, which stays open. Throws Error:
    // kOpen, kUsage, kUnsupported.
    Writer(const std::string& path, const BamHeader& header, const Options& options = {});
    // Writes to `fd`, which stays open and the caller's; `name` is for messages.
    Writer(int fd, const std::string& name, const BamHeader& header, const Options& options = {});
    // Without close() before: gives up. No EOF block is written, so that the file shows
    // what it is. Joins all threads.
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void write_encoded(std::span<const uint8_t> records);
    void write_sam(std::string_view lines);
    void write(const bam1_t& record);  // defined in bgzfw/bam1.hpp
    uint8_t* begin_record(size_t size_bytes);
    void end_record();

    // Producers may outlive the writer, but are of no use then.
    Producer producer();

    // Makes the writer fail with kAbandoned and wakes whoever waits in a call.
    void cancel(const std::string& reason) noexcept;

    // Writes what is left, then, if all went well, the EOF block. Throws the first error,
    // however long ago it happened; also when a producer is not finished or a batch number
    // is missing. A second call does nothing, or throws the same error.
    void close();

    // What write(2) has taken so far, the header included.
    uint64_t bytes_written() const noexcept;

    // Records in chunks that are being compressed or written, or have been; all of them after
    // close().
    uint64_t n_records() const noexcept;

    Backend backend() const noexcept;  // never kAuto
    int level() const noexcept;        // never kDefaultLevel

   private:
    std::shared_ptr<WriterCore> core_;
    std::unique_ptr<RecordPacker> own_;  // null with Order::kByBatch
};

}  // namespace bgzfw
