// record_name_hash.hpp: the name hashes of many records at a time, for the scan.
#pragma once

#include <span>

#include "bam_scan.hpp"
#include "qbix/types.hpp"

namespace qbix {

// out[i] = hash_name() of the QNAME of records[i]. REQUIRES: equal sizes.
void hash_record_names(std::span<const ScannedRecord> records, std::span<NameHash> out) noexcept;

}  // namespace qbix
