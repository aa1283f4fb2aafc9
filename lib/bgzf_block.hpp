// bgzf_block.hpp: one BGZF block: its head, its tail, its inflation (SAM specification, 4.1).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "le_bytes.hpp"

struct libdeflate_decompressor;

namespace qbix {

inline constexpr size_t kBgzfHeadBytes = 18;
inline constexpr size_t kBgzfTailBytes = 8;  // CRC32, ISIZE
inline constexpr size_t kBgzfMaxBlockBytes = 65536;
inline constexpr size_t kBgzfMaxDataBytes = 65536;

// The 28 bytes that end a whole BAM file: a block with no data.
inline constexpr uint8_t kBgzfEofBlock[28] = {0x1f, 0x8b, 8,   4,   0, 0, 0,  0, 0, 0xff,
                                              6,    0,    'B', 'C', 2, 0, 27, 0, 3, 0,
                                              0,    0,    0,   0,   0, 0, 0,  0};

// Size in bytes of the block whose first kBgzfHeadBytes are at `head`; nullopt when that is
// no BGZF head. Only the layout that htslib reads: one extra field, "BC".
inline std::optional<uint32_t> bgzf_block_size(const uint8_t* head) noexcept {
    const bool is_bgzf = load_le<uint32_t>(head) == 0x04088b1fU &&
                         load_le<uint16_t>(head + 10) == 6 &&
                         load_le<uint32_t>(head + 12) == 0x00024342U;
    const uint32_t size = load_le<uint16_t>(head + 16) + 1U;
    if (!is_bgzf || size < kBgzfHeadBytes + kBgzfTailBytes) return std::nullopt;
    return size;
}

// ISIZE of a whole block: bytes of data, as the block claims.
inline uint32_t bgzf_data_size(std::span<const uint8_t> block) noexcept {
    return load_le<uint32_t>(block.data() + block.size() - 4);
}

enum class InflateStatus { kOk, kBadSize, kBadData, kBadCrc };

// What an InflateStatus other than kOk means, for messages.
const char* describe(InflateStatus status) noexcept;

// Inflates blocks; one for a thread.
class BlockInflater {
   public:
    BlockInflater();
    ~BlockInflater();
    BlockInflater(const BlockInflater&) = delete;
    BlockInflater& operator=(const BlockInflater&) = delete;

    // Inflates a whole block into `out` and checks ISIZE and CRC.
    // REQUIRES: bgzf_block_size() of it == block.size(); bgzf_data_size(block) bytes at out,
    // where that is at most kBgzfMaxDataBytes (else kBadSize, nothing written).
    InflateStatus inflate(std::span<const uint8_t> block, uint8_t* out) noexcept;

   private:
    libdeflate_decompressor* decompressor_;
};

}  // namespace qbix
