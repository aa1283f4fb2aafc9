// qbix/fetch_plan.hpp: fetch the blocks that an index points to, or scan the whole file?
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_list.hpp"
#include "qbix/name_lookup.hpp"

namespace qbix {

enum class PlanKind { kFetch, kScan };

struct FetchPlan {
    PlanKind kind = PlanKind::kFetch;
    std::string reason;                     // one clause, for people
    std::vector<NameCandidate> candidates;  // in file order; empty when the plan is to scan

    uint64_t n_names = 0;
    uint64_t n_names_indexed = 0;     // names with a candidate, as far as looked up
    uint64_t n_candidates = 0;        // as far as collected
    uint64_t n_touched_blocks = 0;    // that hold the start of a candidate; 0: not counted
    uint64_t n_blocks_estimated = 0;  // of the file; 0: not estimated
    // What each way is expected to cost, in inflated blocks; 0: not estimated.
    double fetch_cost = 0;
    double scan_cost = 0;
};

struct PlanOptions {
    uint64_t memory_bytes = uint64_t{256} << 20;  // for candidates; more than fit: scan
};

// Looks all names up and decides. Does not read BAM data but the heads of a few blocks.
// Throws Error (kBadIndex, kIo, kForeignIndex when an offset leads to no block).
QBIX_EXPORT FetchPlan plan_fetch(const NameIndex& index, const BamFile& bam, const NameList& names,
                                 const PlanOptions& options);

}  // namespace qbix
