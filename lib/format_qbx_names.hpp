// format_qbx_names.hpp: the bytes of the names section of a .qbx (qbx(5)).
//
//   head | regions | directory
//
// The sorted distinct hashes are cut by their top bits into regions of some ten thousand
// records, so that numbers inside a region stay small at any size of file and widths adapt.
// A region is: long groups | lines | entries | overflow. A name's place in its region is
// computed from its hash: a 64-byte line and a remainder, both ascending with the hash. The
// line holds the remainders of its names and how many names stand in the lines before it,
// which together give the name's rank, and that its entry: the first ordinal, and the
// distance to the second, or where the long group begins.
//
// Only this file and its .cpp know where in the section something stands.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include "le_bytes.hpp"
#include "qbix/types.hpp"

namespace qbix::qbx_names {

inline constexpr uint64_t kHeadBytes = 64;
inline constexpr uint64_t kLineBytes = 64;
inline constexpr uint64_t kRegionEntryBytes = 32;
inline constexpr unsigned kMaxRegionBits = 16;
inline constexpr uint64_t kRecordsPerRegion = 32 << 10;  // at most, up to 2^31 records
// An entry is read by one load of 8 bytes that begins at any bit of a byte.
inline constexpr unsigned kMaxEntryBits = 57;
inline constexpr uint64_t kMaxNamesPerRegion = uint64_t{1} << 27;  // a rank in a line's head
inline constexpr uint64_t kMaxRecords = uint64_t{1} << 48;

constexpr uint64_t round_up(uint64_t value, uint64_t multiple) noexcept {
    return (value + multiple - 1) / multiple * multiple;
}

// Bits that hold every number up to `greatest`.
constexpr unsigned bits_for(uint64_t greatest) noexcept {
    return static_cast<unsigned>(std::bit_width(greatest));
}

constexpr uint64_t low_mask(unsigned n_bits) noexcept { return (uint64_t{1} << n_bits) - 1; }

// ---- head and directory ----------------------------------------------------------------

struct Head {
    unsigned region_bits = 0;
    unsigned remainder_bits = 16;
    uint64_t n_records = 0;
    uint64_t n_names = 0;
    uint64_t directory_at = kHeadBytes;

    uint64_t n_regions() const noexcept { return uint64_t{1} << region_bits; }
    uint64_t size_bytes() const noexcept { return directory_at + n_regions() * kRegionEntryBytes; }
    uint64_t region_of(NameHash hash) const noexcept {
        return hash.value >> 1 >> (63 - region_bits);
    }
    // REQUIRES: region < n_regions().
    uint64_t region_entry_place(uint64_t region) const noexcept {
        return directory_at + region * kRegionEntryBytes;
    }
};

unsigned default_region_bits(uint64_t n_records) noexcept;

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept;
// Throws Error kBadIndex; afterwards the directory lies inside the section.
Head decode_head(std::span<const uint8_t> section_start, uint64_t section_bytes,
                 const std::string& path);

// An entry of the directory: places are from the start of the section. All zero where the
// region has no names.
struct Region {
    uint64_t long_at = 0;   // long groups
    uint64_t lines_at = 0;  // a multiple of 64
    uint32_t n_lines = 0;
    uint32_t n_names = 0;
    uint32_t n_overflow = 0;  // 32-bit words
    uint8_t first_bits = 0;   // of an entry: first ordinal, or place in the long groups
    uint8_t delta_bits = 0;   // of an entry: distance to the second ordinal

    unsigned entry_bits() const noexcept { return unsigned{first_bits} + delta_bits; }
    uint64_t entries_at() const noexcept { return lines_at + n_lines * kLineBytes; }
    uint64_t overflow_at() const noexcept {
        return entries_at() + round_up(uint64_t{n_names} * entry_bits(), 64) / 8;
    }
    uint64_t overflow_end() const noexcept { return overflow_at() + uint64_t{n_overflow} * 4; }
    uint64_t end() const noexcept { return round_up(overflow_end(), kLineBytes); }
    // delta_bits all set: the entry leads to a long group. With none every group is single.
    uint64_t long_code() const noexcept { return low_mask(delta_bits); }

    bool operator==(const Region&) const = default;
};

void encode_region(const Region& region, uint8_t* out) noexcept;

inline Region decode_region(const uint8_t* entry) noexcept {
    return {load_le<uint64_t>(entry),
            load_le<uint64_t>(entry + 8),
            load_le<uint32_t>(entry + 16),
            load_le<uint32_t>(entry + 20),
            load_le<uint32_t>(entry + 24),
            entry[28],
            entry[29]};
}

// ---- from a hash to its line -----------------------------------------------------------

struct LinePlace {
    uint32_t line;
    uint32_t remainder;
    auto operator<=>(const LinePlace&) const = default;
};

// REQUIRES: n_lines != 0 (otherwise the line is 0, and does not exist).
inline LinePlace place_in_region(NameHash hash, unsigned region_bits, unsigned remainder_bits,
                                 uint32_t n_lines) noexcept {
    const auto product =
        static_cast<unsigned __int128>(hash.value << region_bits) * uint64_t{n_lines};
    return {static_cast<uint32_t>(product >> 64),
            static_cast<uint32_t>(static_cast<uint64_t>(product) >> (64 - remainder_bits))};
}

// ---- lines -----------------------------------------------------------------------------
//
// u32: names before the line in its region << 5 | number of names, then the slots of the
// remainders. 31 names: as many as fit before the overflow slots and, where those point,
// a list of the rest: u32 count, then that many u32 remainders.

inline constexpr unsigned kCountBits = 5;
inline constexpr uint32_t kOverflows = (1U << kCountBits) - 1;

struct LineShape {
    unsigned n_slots;     // remainders that a line holds
    unsigned n_inline;    // those of a line that overflows
    unsigned pointer_at;  // where such a line keeps the place of its list, in words
    unsigned load;        // names a line that a region is built for
};

// REQUIRES: is_remainder_bits(remainder_bits).
constexpr bool is_remainder_bits(unsigned remainder_bits) noexcept {
    return remainder_bits == 16 || remainder_bits == 24 || remainder_bits == 32;
}
constexpr LineShape line_shape(unsigned remainder_bits) noexcept {
    if (remainder_bits == 16) return {30, 28, 60, 20};
    if (remainder_bits == 24) return {20, 18, 40, 13};
    return {15, 14, 60, 10};
}

inline uint32_t line_count(uint32_t line_head) noexcept { return line_head & kOverflows; }
inline uint32_t line_base(uint32_t line_head) noexcept { return line_head >> kCountBits; }

// 16 and 32 bits: side by side. 24: the low 16 bits of all 20, then the high 8 of all.
inline constexpr unsigned kSlotsAt = 4;
inline constexpr unsigned kHighBytesAt = kSlotsAt + 20 * 2;

inline uint32_t load_slot(const uint8_t* line, unsigned slot, unsigned remainder_bits) noexcept {
    const uint8_t* low = line + kSlotsAt + slot * 2;
    if (remainder_bits == 16) return load_le<uint16_t>(low);
    if (remainder_bits == 24) {
        return load_le<uint16_t>(low) | uint32_t{line[kHighBytesAt + slot]} << 16;
    }
    return load_le<uint32_t>(line + kSlotsAt + slot * 4);
}

inline void store_slot(uint8_t* line, unsigned slot, unsigned remainder_bits,
                       uint32_t remainder) noexcept {
    if (remainder_bits == 32) {
        store_le<uint32_t>(line + kSlotsAt + slot * 4, remainder);
        return;
    }
    store_le<uint16_t>(line + kSlotsAt + slot * 2, static_cast<uint16_t>(remainder));
    if (remainder_bits == 24) line[kHighBytesAt + slot] = static_cast<uint8_t>(remainder >> 16);
}

// ---- entries and long groups -----------------------------------------------------------

// Entry `rank` begins at this bit of the entries; 8 bytes are loaded from its byte on. They
// lie inside the section, for the directory follows.
inline uint64_t entry_bit(uint64_t rank, unsigned entry_bits) noexcept { return rank * entry_bits; }

struct Entry {
    uint64_t first;
    uint64_t delta;
};
inline Entry load_entry(const uint8_t* byte, unsigned bit, unsigned first_bits,
                        unsigned delta_bits) noexcept {
    const uint64_t value = load_le<uint64_t>(byte) >> bit;
    return {value & low_mask(first_bits), value >> first_bits & low_mask(delta_bits)};
}

// A long group: the first ordinal, the distances from each to the next, then 0; each in
// 7-bit pieces, low ones first, with the top bit set in all bytes but the last.
inline constexpr unsigned kMaxVarintBytes = 10;

inline unsigned varint_bytes(uint64_t value) noexcept {
    return (static_cast<unsigned>(std::bit_width(value | 1)) + 6) / 7;
}

// Writes at most kMaxVarintBytes; returns the end.
inline uint8_t* store_varint(uint8_t* out, uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *out++ = static_cast<uint8_t>(value | 0x80);
    *out++ = static_cast<uint8_t>(value);
    return out;
}

// Reads up to `end`; nullptr when the number does not end there or has more than 64 bits.
inline const uint8_t* load_varint(const uint8_t* p, const uint8_t* end, uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; p != end && shift < 64; shift += 7) {
        const uint8_t byte = *p++;
        value |= uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) return shift == 63 && byte > 1 ? nullptr : p;
    }
    return nullptr;
}

}  // namespace qbix::qbx_names
