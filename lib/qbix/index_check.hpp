// qbix/index_check.hpp: does this index belong to this BAM, and is it whole?
#pragma once

#include <atomic>
#include <cstdint>

#include "qbix/bam_file.hpp"
#include "qbix/export.hpp"
#include "qbix/name_index.hpp"

namespace qbix {

// Size and header hash must be equal; the modification time decides nothing. Then, of a
// .qbi, a few rows spread over the index are read back and their QNAME hashes compared; of a
// .qbx, the checksums of a few blocks of the BAM.
// Throws Error kForeignIndex (or what reading throws).
QBIX_EXPORT void check_belongs(const NameIndex& index, const BamFile& bam);

struct CheckReport {
    uint64_t n_records = 0;  // of the BAM, walked
    uint64_t n_unique = 0;
};

// Everything: check_belongs(), all checksums and the structure of the index, and that it holds
// exactly the records of the BAM: each row is a record start with that hash, and each record
// has its row; of a .qbx, too, that each record is where its number leads. One pass over the BAM
// within `memory_bytes`. Throws Error with the first difference.
QBIX_EXPORT CheckReport check_full(const NameIndex& index, const BamFile& bam, int n_threads,
                                   uint64_t memory_bytes, const std::atomic<bool>* cancel);

}  // namespace qbix
