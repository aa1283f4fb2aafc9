// qbx_identity.hpp: of which BAM file a .qbx is the index.
#pragma once

#include <cstdint>
#include <span>

#include "format_qbx.hpp"
#include "qbix/bam_file.hpp"

namespace qbix {

// How many blocks of the BAM are remembered.
inline constexpr size_t kSampledBlocks = 4;

// Reads the blocks at `coffsets`. Throws Error kIo, kForeignIndex when no block starts there.
qbx::Identity identify(const BamFile& bam, uint64_t n_records, std::span<const uint64_t> coffsets);

// Size, header and sampled blocks; the modification time decides nothing. Throws Error
// kForeignIndex, kIo. `index_path` is for messages.
void check_identity(const qbx::Identity& identity, const BamFile& bam,
                    const std::string& index_path);

}  // namespace qbix
