#include "qbix/record_pipeline.hpp"

#include <algorithm>

#include "bam_record.hpp"
#include "bam_scan.hpp"
#include "ordered_output.hpp"
#include "qbix/error.hpp"
#include "thread_group.hpp"

namespace qbix {
namespace {

void stop_if_cancelled(const PipelineOptions& options) {
    if (options.cancel && options.cancel->load(std::memory_order_relaxed))
        throw Error(ErrorCode::kCancelled, "cancelled");
}

// A thread's share of the candidates: those of some consecutive blocks.
constexpr size_t kShareBlocks = 8;
constexpr size_t kShareCandidates = 4096;  // a block's candidates stay together all the same

std::vector<size_t> share_begins(std::span<const NameCandidate> candidates) {
    std::vector<size_t> begins;
    size_t n_blocks = kShareBlocks, begin = 0;
    for (size_t i = 0; i < candidates.size(); ++i) {
        const bool new_block =
            i == 0 || candidates[i].voffset.coffset() != candidates[i - 1].voffset.coffset();
        if (!new_block || (n_blocks++ < kShareBlocks && i - begin < kShareCandidates)) continue;
        begins.push_back(begin = i);
        n_blocks = 1;
    }
    begins.push_back(candidates.size());
    return begins;
}

class FetchThread {
   public:
    FetchThread(const NameIndex& index, const BamFile& bam, std::unique_ptr<RecordWorker> worker,
                OrderedOutput& output)
        : fetcher_(index, bam), worker_(std::move(worker)), output_(output) {}

    // False when the output has ended. A fault ends it after what came before.
    bool run_share(uint64_t number, std::span<const NameCandidate> share, const NameList& names,
                   const PipelineOptions& options) {
        try {
            stop_if_cancelled(options);
            for (const NameCandidate& candidate : share)
                if (const auto record =
                        fetcher_.fetch(candidate.place(), names.name(candidate.name))) {
                    worker_->process(*record, out_);
                    ++n_records_;
                }
        } catch (...) {
            output_.submit(number, out_, true);
            throw;
        }
        return output_.submit(number, out_);
    }

    uint64_t n_records() const { return n_records_; }
    uint64_t n_blocks_read() const { return fetcher_.blocks_read(); }

   private:
    NameFetcher fetcher_;
    std::unique_ptr<RecordWorker> worker_;
    OrderedOutput& output_;
    std::vector<uint8_t> out_;
    uint64_t n_records_ = 0;
};

class ScanThread : public RecordVisitor {
   public:
    ScanThread(std::unique_ptr<RecordWorker> worker, OrderedOutput& output)
        : worker_(std::move(worker)), output_(output) {}

    void visit(std::span<const ScannedRecord> records, uint64_t) override {
        if (fault_) return;
        try {
            for (const ScannedRecord& record : records)
                worker_->process({record.voffset, {record.bytes, record_size(record.bytes)}}, out_);
        } catch (...) {
            fault_ = std::current_exception();  // told when the chunk ends
        }
    }

    bool end_chunk(uint64_t number, bool is_last) override {
        const bool goes_on = output_.submit(number, out_, is_last || fault_);
        if (fault_) std::rethrow_exception(fault_);
        return goes_on;
    }

   private:
    std::unique_ptr<RecordWorker> worker_;
    OrderedOutput& output_;
    std::vector<uint8_t> out_;
    std::exception_ptr fault_;
};

}  // namespace

PipelineReport fetch_records(const NameIndex& index, const BamFile& bam,
                             std::span<const NameCandidate> candidates, const NameList& names,
                             const MakeRecordWorker& make_worker, const RecordSink& sink,
                             const PipelineOptions& options) {
    PipelineReport report;
    if (candidates.empty()) return report;
    const std::vector<size_t> begins = share_begins(candidates);
    const size_t n_shares = begins.size() - 1;
    const size_t n_threads = std::min(options.n_threads, n_shares);
    OrderedOutput output(sink, options.memory_bytes);
    std::vector<std::unique_ptr<FetchThread>> threads;
    for (size_t i = 0; i < n_threads; ++i)
        threads.push_back(std::make_unique<FetchThread>(index, bam, make_worker(), output));
    std::atomic<size_t> next_share{0};
    run_threads(
        n_threads,
        [&](size_t t) {
            for (size_t i; (i = next_share.fetch_add(1)) < n_shares;) {
                const auto share = candidates.subspan(begins[i], begins[i + 1] - begins[i]);
                if (!threads[t]->run_share(i, share, names, options)) return;
            }
        },
        [&] { next_share = n_shares; });
    for (const auto& thread : threads) {
        report.n_records += thread->n_records();
        report.n_blocks_read += thread->n_blocks_read();
    }
    return report;
}

PipelineReport scan_records(const BamFile& bam, const MakeRecordWorker& make_worker,
                            const RecordSink& sink, const PipelineOptions& options) {
    OrderedOutput output(sink, options.memory_bytes);
    std::vector<std::unique_ptr<ScanThread>> threads;
    std::vector<RecordVisitor*> visitors;
    for (size_t i = 0; i < options.n_threads; ++i) {
        threads.push_back(std::make_unique<ScanThread>(make_worker(), output));
        visitors.push_back(threads.back().get());
    }
    ScanOptions scan;
    scan.cancel = options.cancel;
    return {scan_bam(bam, visitors, scan), 0};
}

}  // namespace qbix
