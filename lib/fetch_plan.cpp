#include "qbix/fetch_plan.hpp"

#include <algorithm>

#include "bgzf_block.hpp"
#include "byte_reader.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

// Costs in inflations of one block, as bench/inflate_floor does them. CPU times on one thread of
// an Intel Xeon, g++ 12 -O2, and what the constants make of them (bench/plan.sh shows both ways,
// for lists that touch more and more blocks):
//
//   5,096 blocks of short reads (65 kB of data, 197 records each; an inflation takes 86 us)
//     fetch 5,089 blocks, 40,240 records      496 ms = 5,760 inflations; 5,700 by the constants
//     scan for 20,051 names                   542 ms = 6,290; 6,110
//     scan for one name                       493 ms = 5,730; 6,110
//   51,549 blocks of long reads (55 kB of data, 5 records each; 171 us)
//     fetch 10,828 blocks, 12,084 records     1,994 ms = 11,650; 12,130
//     scan for 10,000 names                   9,754 ms = 57,000; 56,820
constexpr double kFetchBlockCost = 1.12;    // a read of its own, the record found and copied
constexpr double kScanBlockCost = 1.10;     // records put together over block borders
constexpr double kScanRecordCost = 0.0005;  // the name looked up in the list

constexpr size_t kBatchNames = 4096;
constexpr uint64_t kSampledBlocks = 16;

uint64_t count_touched_blocks(const std::vector<NameCandidate>& candidates) {
    uint64_t n_blocks = 0;
    for (size_t i = 0; i < candidates.size(); ++i)
        n_blocks +=
            i == 0 || candidates[i].voffset.coffset() != candidates[i - 1].voffset.coffset();
    return n_blocks;
}

// Blocks in the file, from the mean size of some that the candidates lie in.
uint64_t estimate_blocks(const BamFile& bam, const std::vector<NameCandidate>& candidates) {
    ByteReader file(bam.path());
    const uint64_t n_samples = std::min<uint64_t>(kSampledBlocks, candidates.size());
    uint64_t n_bytes = 0;
    for (uint64_t i = 0; i < n_samples; ++i) {
        const uint64_t coffset = candidates[i * candidates.size() / n_samples].voffset.coffset();
        uint8_t head[kBgzfHeadBytes];
        const size_t n_read = file.read_at(coffset, head);
        const auto size = n_read == sizeof head ? bgzf_block_size(head) : std::nullopt;
        if (!size)
            throw Error(ErrorCode::kForeignIndex,
                        "no BGZF block starts at offset " + std::to_string(coffset) + " of \"" +
                            bam.path() + "\": the index is of another file, or the BAM is damaged");
        n_bytes += *size;
    }
    return std::max<uint64_t>(bam.identity().size_bytes * n_samples / n_bytes, 1);
}

void choose_scan(FetchPlan& plan, const std::string& reason) {
    plan.kind = PlanKind::kScan;
    plan.reason = reason;
    plan.candidates = {};
}

}  // namespace

FetchPlan plan_fetch(const NameIndex& index, const BamFile& bam, const NameList& names,
                     const PlanOptions& options) {
    // Below this many blocks a scan is not worth asking about.
    constexpr uint64_t kFewBlocks = 256;
    FetchPlan plan;
    plan.n_names = names.size();
    const uint64_t most_candidates = options.memory_bytes / sizeof(NameCandidate);
    for (size_t begin = 0; begin < names.size(); begin += kBatchNames) {
        plan.n_names_indexed += append_candidates(
            index, names, begin, std::min(begin + kBatchNames, names.size()), plan.candidates);
        plan.n_candidates = plan.candidates.size();
        if (plan.candidates.size() > most_candidates)
            choose_scan(plan, "there are more candidates than the memory limit holds");
        else if (plan.n_candidates > index.record_count() / 2 && plan.n_candidates > kFewBlocks)
            choose_scan(plan, "most records of the file are candidates");
        if (plan.kind == PlanKind::kScan) return plan;
    }
    std::sort(plan.candidates.begin(), plan.candidates.end());
    plan.n_touched_blocks = count_touched_blocks(plan.candidates);
    plan.fetch_cost = kFetchBlockCost * static_cast<double>(plan.n_touched_blocks);
    plan.reason = "few blocks hold all candidates";
    if (plan.n_touched_blocks <= kFewBlocks) return plan;

    plan.n_blocks_estimated = estimate_blocks(bam, plan.candidates);
    plan.scan_cost = kScanBlockCost * static_cast<double>(plan.n_blocks_estimated) +
                     kScanRecordCost * static_cast<double>(index.record_count());
    if (plan.fetch_cost > plan.scan_cost) choose_scan(plan, "nearly every block holds a candidate");
    return plan;
}

}  // namespace qbix
