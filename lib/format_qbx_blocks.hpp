// format_qbx_blocks.hpp: the bytes of the section of a .qbx that says where records are
// (qbx(5)).
//
//   frames | directory | tail
//
// It lists the blocks in which a record starts. 64 of them make a frame, in which what each
// adds to the first of the frame is packed into as many bits as the largest takes; the first
// itself is in the directory. The sizes are known at the end, so the section can be written
// while the BAM file is read.
//
// Only this file and its .cpp know where in the section something stands.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "le_bytes.hpp"

namespace qbix::qbx_blocks {

inline constexpr uint64_t kFrameBlocks = 64;
inline constexpr uint64_t kFrameEntryBytes = 32;
inline constexpr uint64_t kTailBytes = 32;
// A number is read by one load of 8 bytes that begins at any bit of a byte. Behind a frame
// there are always 8 more bytes.
inline constexpr unsigned kMaxBits = 56;
inline constexpr unsigned kMaxUoffsetBits = 16;

struct Tail {
    uint64_t n_blocks = 0;
    uint64_t n_records = 0;
    uint64_t directory_at = 0;

    uint64_t n_frames() const noexcept { return n_blocks / kFrameBlocks + (n_blocks % 64 != 0); }
    uint64_t blocks_in(uint64_t frame) const noexcept {
        const uint64_t n_left = n_blocks - frame * kFrameBlocks;
        return n_left < kFrameBlocks ? n_left : kFrameBlocks;
    }
    // REQUIRES: frame < n_frames().
    uint64_t entry_place(uint64_t frame) const noexcept {
        return directory_at + frame * kFrameEntryBytes;
    }
};

std::array<uint8_t, kTailBytes> encode_tail(const Tail& tail) noexcept;
// Throws Error kBadIndex; afterwards the directory ends where the tail begins.
Tail decode_tail(const uint8_t* bytes, uint64_t section_bytes, const std::string& path);

// What the directory says of a frame.
struct Frame {
    uint64_t first_coffset;
    uint64_t first_ordinal;
    uint64_t place;
    uint8_t coffset_bits;
    uint8_t ordinal_bits;
    uint8_t uoffset_bits;
};

inline uint64_t packed_bytes(uint64_t n, unsigned bits) noexcept {
    return (n * bits + 63) / 64 * 8;
}

inline uint64_t frame_bytes(const Frame& frame, uint64_t n_blocks) noexcept {
    return packed_bytes(n_blocks, frame.coffset_bits) + packed_bytes(n_blocks, frame.ordinal_bits) +
           packed_bytes(n_blocks, frame.uoffset_bits);
}

// Number `i` of those that are packed at `p`.
inline uint64_t packed(const uint8_t* p, uint64_t i, unsigned bits) noexcept {
    const uint64_t at = i * bits;
    return load_le<uint64_t>(p + at / 8) >> (at % 8) & ((uint64_t{1} << bits) - 1);
}

void encode_frame_entry(const Frame& frame, uint8_t* out) noexcept;

inline uint64_t entry_first_ordinal(const uint8_t* entry) noexcept {
    return load_le<uint64_t>(entry + 8);
}
inline uint64_t entry_first_coffset(const uint8_t* entry) noexcept {
    return load_le<uint64_t>(entry);
}
inline Frame decode_frame_entry(const uint8_t* entry) noexcept {
    return {entry_first_coffset(entry),
            entry_first_ordinal(entry),
            load_le<uint64_t>(entry + 16),
            entry[24],
            entry[25],
            entry[26]};
}

inline bool reserved_is_zero(const uint8_t* entry) noexcept {
    return load_le<uint64_t>(entry + 24) >> 24 == 0;
}

// Appends `values` to `out`, packed.
void pack(std::span<const uint64_t> values, unsigned bits, std::vector<uint8_t>& out);

}  // namespace qbix::qbx_blocks
