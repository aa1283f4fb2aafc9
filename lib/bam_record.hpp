// bam_record.hpp: the fixed part of an encoded BAM record (SAM specification, 4.2).
#pragma once

#include <cstdint>

#include "le_bytes.hpp"

namespace qbix {

inline constexpr size_t kBlockSizeBytes = 4;      // the block_size field, not counted by itself
inline constexpr size_t kFixedBytes = 36;         // block_size and the fields before the name
inline constexpr size_t kMaxReadNameBytes = 255;  // l_read_name, a byte

// All bytes of the record, its block_size field included.
inline uint64_t record_size(const uint8_t* record) noexcept {
    return uint64_t{kBlockSizeBytes} + load_le<uint32_t>(record);
}
inline uint8_t record_l_read_name(const uint8_t* record) noexcept { return record[12]; }
inline const uint8_t* record_read_name(const uint8_t* record) noexcept {
    return record + kFixedBytes;
}

// Whether the lengths in the fixed part fit into block_size: the same conditions under which
// htslib reads a record. REQUIRES: kFixedBytes readable bytes.
inline bool record_is_consistent(const uint8_t* record) noexcept {
    const uint64_t block_size = load_le<uint32_t>(record);
    const uint64_t l_read_name = record_l_read_name(record);
    const uint64_t n_cigar = load_le<uint16_t>(record + 16);
    const uint64_t l_seq = load_le<uint32_t>(record + 20);
    const uint64_t least = 32 + l_read_name + 4 * n_cigar + (l_seq + 1) / 2 + l_seq;
    return l_read_name > 0 && l_seq <= INT32_MAX && block_size <= INT32_MAX && least <= block_size;
}

}  // namespace qbix
