// block_format.hpp: the one owner of BGZF's byte layout (SAM specification, 4.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "little_endian.hpp"

namespace bgzfw {

// Uncompressed bytes in a block at most. A BGZF block may hold 65536, but then deflate could
// not fall back to stored bytes within kMaxBlockBytes. The same as htslib's.
inline constexpr size_t kMaxPayload = 0xff00;

inline constexpr size_t kMaxBlockBytes = 0x10000;
inline constexpr size_t kBlockHeaderBytes = 18;
inline constexpr size_t kBlockFooterBytes = 8;
inline constexpr size_t kBlockFrameBytes = kBlockHeaderBytes + kBlockFooterBytes;

inline constexpr std::array<uint8_t, 28> kEofBlock = {
    31, 139, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, 66, 67, 2, 0, 27, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};

// Writes header and footer around `n_deflated` bytes at block + kBlockHeaderBytes.
// Returns the size of the block.
inline size_t frame_block(uint8_t* block, size_t n_deflated, uint32_t crc, size_t n_payload) {
    const size_t size = n_deflated + kBlockFrameBytes;
    for (size_t i = 0; i < 16; ++i) block[i] = kEofBlock[i];
    store_u16(block + 16, static_cast<uint32_t>(size - 1));
    store_u32(block + size - 8, crc);
    store_u32(block + size - 4, static_cast<uint32_t>(n_payload));
    return size;
}

// Size of the block that starts with these kBlockHeaderBytes; 0 when it is no block as
// frame_block() and htslib make them.
inline size_t framed_block_size(const uint8_t* header) {
    for (size_t i = 0; i < 16; ++i) {
        // Bytes 4-9 are a time stamp and hints that a reader ignores.
        if ((i < 4 || i > 9) && header[i] != kEofBlock[i]) return 0;
    }
    const size_t size = size_t{load_u16(header + 16)} + 1;
    return size > kBlockFrameBytes ? size : 0;
}

}  // namespace bgzfw
