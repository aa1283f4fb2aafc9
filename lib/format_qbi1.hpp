// format_qbi1.hpp: the bytes of a QBI1 index: a head, then one (hash, offset) row a record.
//
// Only format_qbi1.cpp and format_qbi2.cpp know where in a file something stands. Counts
// that come from a file are checked here, before anything is computed from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "qbix/bam_file.hpp"
#include "qbix/types.hpp"

namespace qbix::qbi1 {

inline constexpr size_t kHeadBytes = 48;
inline constexpr size_t kRowBytes = 16;

// A row in memory is a row on disk: rows are read and written by copying.
static_assert(sizeof(IndexRow) == kRowBytes && std::is_trivially_copyable_v<IndexRow> &&
              std::is_standard_layout_v<IndexRow>);

struct Head {
    uint64_t n_rows = 0;
    BamIdentity bam;
};

bool has_magic(std::span<const uint8_t> file_start) noexcept;

// nullopt when it does not fit 64 bits.
std::optional<uint64_t> file_size_bytes(uint64_t n_rows) noexcept;

// REQUIRES: row < n_rows of a file whose size was checked.
inline uint64_t row_place(uint64_t row) noexcept { return kHeadBytes + row * kRowBytes; }

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept;

// `file_start` is the first kHeadBytes of the file, or all of a shorter one.
// Throws Error kNotIndex or kBadIndex; afterwards every row lies inside the file.
Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size_bytes,
                 const std::string& path);

}  // namespace qbix::qbi1
