// qbix/record_pipeline.hpp: records of a BAM through the caller's filter and encoder, on many
// threads, and the results to one sink in file order.
//
// Two ways lead to the records: fetching the blocks that an index points to, or scanning the
// file. Both give the same output.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_list.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/record_reader.hpp"

namespace qbix {

// Filters and encodes; one object a thread, never called from two at a time.
class RecordWorker {
   public:
    virtual ~RecordWorker() = default;

    // Appends what `record` makes (SAM text, encoded records, or nothing) to `out`; bytes of
    // one call stay together. What it throws ends the pipeline: what came before in the file
    // is still put out.
    virtual void process(const RecordView& record, std::vector<uint8_t>& out) = 0;
};

// Makes the worker of one thread.
using MakeRecordWorker = std::function<std::unique_ptr<RecordWorker>()>;

// Receives the output in order, whole process() results, never two calls at a time. What it
// throws ends the pipeline.
using RecordSink = std::function<void(std::span<const uint8_t>)>;

struct PipelineOptions {
    size_t n_threads = 1;                        // busy threads, the caller's included
    uint64_t memory_bytes = uint64_t{64} << 20;  // of output that waits for its turn
    const std::atomic<bool>* cancel = nullptr;   // true: throw Error kCancelled soon
};

struct PipelineReport {
    uint64_t n_records = 0;      // handed to process()
    uint64_t n_blocks_read = 0;  // fetch_records() only
};

// Fetches `candidates` (ascending, as find_candidates() of `index` gives them), proves each by the
// record's name, and processes those that pass, in file order. A block is inflated once, but
// for records that go over the edge between two threads' shares.
// Throws Error kForeignIndex and what RecordReader throws; what came before is put out.
QBIX_EXPORT PipelineReport fetch_records(const NameIndex& index, const BamFile& bam,
                                         std::span<const NameCandidate> candidates,
                                         const NameList& names, const MakeRecordWorker& make_worker,
                                         const RecordSink& sink, const PipelineOptions& options);

// Processes every record of the file, in order. Throws Error like scan: the first fault in
// file order, after everything before it has been put out, for any number of threads.
QBIX_EXPORT PipelineReport scan_records(const BamFile& bam, const MakeRecordWorker& make_worker,
                                        const RecordSink& sink, const PipelineOptions& options);

}  // namespace qbix
