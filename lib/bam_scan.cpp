#include "bam_scan.hpp"

#include <array>
#include <deque>
#include <exception>
#include <vector>

#include "block_chunk.hpp"
#include "chunk_source.hpp"
#include "hand_off.hpp"
#include "qbix/error.hpp"
#include "record_walk.hpp"
#include "thread_group.hpp"

namespace qbix {
namespace {

// What all threads of one scan share.
struct Scan {
    Scan(const BamFile& bam_file, const ScanOptions& scan_options)
        : path(bam_file.path()),
          options(scan_options),
          source(bam_file.path(), bam_file.first_record().coffset()),
          cut_blocks(CutBlock{bam_file.first_record().coffset(), {}, false}),
          walks(RecordWalk(bam_file.first_record(), scan_options.bytes_needed)) {}

    const std::string path;
    const ScanOptions& options;
    ChunkSource source;
    HandOff<CutBlock> cut_blocks;
    HandOff<RecordWalk> walks;
    uint64_t n_records = 0;  // set by the owner of the last chunk

    void abort() noexcept {
        cut_blocks.abort();
        walks.abort();
    }
};

// A thread of the scan.
class ScanWorker {
   public:
    ScanWorker(Scan& scan, RecordVisitor& visitor)
        : scan_(scan), visitor_(visitor), reader_(scan.source) {
        for (auto& chunk : chunks_) free_.push_back(&chunk);
    }

    void run() {
        for (;;) {
            while (!waiting_.empty() && (free_.empty() || is_turn(*waiting_.front())))
                if (!walk_front()) return;
            BlockChunk* chunk = free_.back();
            if (!fetch(*chunk)) break;
            free_.pop_back();
            waiting_.push_back(chunk);
        }
        while (!waiting_.empty())
            if (!walk_front()) return;
    }

   private:
    // Reads the next chunk, finds and inflates its blocks; false when there is none.
    bool fetch(BlockChunk& chunk) {
        ChunkSource::Claim claim;
        std::exception_ptr read_fault;
        try {
            reader_.next(chunk.read_area(), claim);
        } catch (const Error&) {
            read_fault = std::current_exception();  // told when the records before it are done
        }
        chunk.number = claim.number;
        CutBlock cut;
        if (!scan_.cut_blocks.take(chunk.number, cut)) return false;
        if (cut.is_end) {
            scan_.cut_blocks.give(chunk.number + 1, std::move(cut));
            return false;
        }
        chunk.find_blocks(cut, claim.n_bytes, scan_.path);
        if (read_fault) chunk.set_fault(read_fault);
        scan_.cut_blocks.give(chunk.number + 1, std::move(cut));
        if (chunk.is_small()) chunk.inflate_some(inflater_, scan_.path);
        return true;
    }

    bool is_turn(const BlockChunk& chunk) { return scan_.walks.is_turn(chunk.number); }

    // Walks the oldest chunk when its turn comes; false when the scan has ended.
    bool walk_front() {
        BlockChunk& chunk = *waiting_.front();
        RecordWalk walk;
        if (!scan_.walks.take(chunk.number, walk)) return false;
        records_.clear();
        const uint64_t first_ordinal = walk_chunk(chunk, walk);
        const bool is_last = chunk.is_last || chunk.fault();
        if (is_last)
            scan_.n_records = walk.n_records();
        else
            scan_.walks.give(chunk.number + 1, std::move(walk));
        keep_fault(chunk, [&] { visit(first_ordinal); });
        const bool goes_on = visitor_.end_chunk(chunk.number, is_last || chunk.fault());
        if (chunk.fault()) std::rethrow_exception(chunk.fault());
        if (!goes_on) scan_.abort();
        waiting_.pop_front();
        free_.push_back(&chunk);
        return goes_on;
    }

    // Finds the chunk's records; returns the ordinal of the first that is still to be visited.
    uint64_t walk_chunk(BlockChunk& chunk, RecordWalk& walk) {
        uint64_t first_ordinal = walk.n_records();
        const auto walk_data = [&] {
            return keep_fault(chunk, [&] {
                walk.walk(chunk.data(), chunk.blocks(), chunk.next_coffset(), scan_.path, records_,
                          held_);
            });
        };
        bool is_good = true;
        if (chunk.is_small()) {
            is_good = walk_data();
        } else {
            while (is_good && chunk.inflate_some(inflater_, scan_.path))
                is_good = walk_data() && keep_fault(chunk, [&] {
                              visit(first_ordinal);
                              first_ordinal = walk.n_records();
                          });
        }
        keep_fault(chunk, [&] { report(walk, chunk); });
        if (chunk.is_last && !chunk.fault()) keep_fault(chunk, [&] { walk.finish(scan_.path); });
        return first_ordinal;
    }

    // What `step` throws becomes the chunk's fault, told when its good records are done.
    template <class Step>
    bool keep_fault(BlockChunk& chunk, Step step) {
        try {
            step();
            return true;
        } catch (...) {
            chunk.set_fault(std::current_exception());
            return false;
        }
    }

    void visit(uint64_t first_ordinal) {
        if (!records_.empty()) visitor_.visit(records_, first_ordinal);
        records_.clear();
    }

    void report(const RecordWalk& walk, const BlockChunk& chunk) {
        if (scan_.options.on_progress)
            scan_.options.on_progress(walk.n_records(), chunk.next_coffset());
        if (scan_.options.cancel && scan_.options.cancel->load(std::memory_order_relaxed))
            throw Error(ErrorCode::kCancelled, "cancelled");
    }

    Scan& scan_;
    RecordVisitor& visitor_;
    ChunkSource::Reader reader_;
    BlockInflater inflater_;
    std::array<BlockChunk, 4> chunks_;
    std::vector<BlockChunk*> free_;
    std::deque<BlockChunk*> waiting_;  // inflated, in ascending order, to be walked
    std::vector<ScannedRecord> records_;
    std::vector<uint8_t> held_;  // a record that began in an earlier chunk
};

}  // namespace

uint64_t scan_bam(const BamFile& bam, std::span<RecordVisitor* const> visitors,
                  const ScanOptions& options) {
    Scan scan(bam, options);
    run_threads(
        visitors.size(), [&](size_t i) { ScanWorker(scan, *visitors[i]).run(); },
        [&] { scan.abort(); });
    return scan.n_records;
}

}  // namespace qbix
