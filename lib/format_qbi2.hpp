// format_qbi2.hpp: the bytes of a QBI2 index (qbi(5)).
//
//   head | offsets | group bits | rank | radix | suffixes
//
// Rows are in (hash, offset) order; rows of one hash form a group. Each hash is stored once,
// split into a prefix of radix_bits bits (its place in the radix table) and a suffix.
// Only format_qbi1.cpp and format_qbi2.cpp know where in a file something stands. Counts
// that come from a file are checked here, before anything is computed from them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "le_bytes.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/types.hpp"

namespace qbix::qbi2 {

inline constexpr size_t kHeadBytes = 128;
inline constexpr unsigned kRowsPerWord = 64;
inline constexpr unsigned kWordsPerBlock = 8;  // one rank entry a block of group bits
inline constexpr unsigned kRowsPerBlock = kRowsPerWord * kWordsPerBlock;
inline constexpr unsigned kMaxSuffixBytes = 7;

inline constexpr bool is_radix_bits(int radix_bits) noexcept {
    return radix_bits == 8 || radix_bits == 12 || radix_bits == 16;
}

// What a writer takes when the choice is left to it.
int default_radix_bits(uint64_t n_rows) noexcept;

// Counts, and the places (file offsets) that follow from them.
struct Layout {
    int radix_bits = 0;
    unsigned suffix_bytes = 0;
    uint64_t n_rows = 0;    // N
    uint64_t n_unique = 0;  // K
    uint64_t n_words = 0;   // of group bits
    uint64_t n_rank = 0;    // entries, one more than blocks
    uint64_t n_radix = 0;   // entries, one more than prefixes
    uint64_t offsets_at = 0;
    uint64_t group_bits_at = 0;
    uint64_t rank_at = 0;
    uint64_t radix_at = 0;
    uint64_t suffixes_at = 0;
    uint64_t file_size_bytes = 0;

    uint64_t n_blocks() const noexcept { return n_rank - 1; }
    uint64_t n_prefixes() const noexcept { return n_radix - 1; }
    uint64_t suffix_limit() const noexcept { return uint64_t{1} << (64 - radix_bits); }

    uint64_t prefix_of(NameHash hash) const noexcept { return hash.value >> (64 - radix_bits); }
    uint64_t suffix_of(NameHash hash) const noexcept { return hash.value & (suffix_limit() - 1); }
    NameHash join(uint64_t prefix, uint64_t suffix) const noexcept {
        return {prefix << (64 - radix_bits) | suffix};
    }

    // REQUIRES (all): the number is below the section's count.
    uint64_t offset_place(uint64_t row) const noexcept { return offsets_at + row * 8; }
    uint64_t word_place(uint64_t word) const noexcept { return group_bits_at + word * 8; }
    uint64_t rank_place(uint64_t entry) const noexcept { return rank_at + entry * 8; }
    uint64_t radix_place(uint64_t entry) const noexcept { return radix_at + entry * 8; }
    uint64_t suffix_place(uint64_t group) const noexcept {
        return suffixes_at + group * suffix_bytes;
    }
};

// nullopt when the counts do not fit 64 bits or contradict each other.
// REQUIRES: is_radix_bits(radix_bits).
std::optional<Layout> make_layout(uint64_t n_rows, uint64_t n_unique, int radix_bits) noexcept;

bool has_magic(std::span<const uint8_t> file_start) noexcept;

std::array<uint8_t, kHeadBytes> encode_head(const Layout& layout, const BamIdentity& bam) noexcept;

struct Head {
    Layout layout;
    BamIdentity bam;
};

// `file_start` is the first kHeadBytes of the file, or all of a shorter one.
// Throws Error kNotIndex or kBadIndex; afterwards every section lies inside the file.
Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size_bytes,
                 const std::string& path);

// The ends of the directories: what opening checks, for it costs constant work.
struct Edges {
    uint64_t first_word, last_word;
    uint64_t first_rank, last_rank;
    uint64_t first_radix, last_radix;
};

// Throws Error kBadIndex.
void check_edges(const Layout& layout, const Edges& edges, const std::string& path);

// ---- pieces of sections ----------------------------------------------------------------

// The suffix whose last byte stands before `end`. A suffix is always preceded by other bytes
// of the file, so eight bytes are loaded and the foreign ones shifted out.
// REQUIRES: 8 readable bytes before `end`.
inline uint64_t load_suffix_before(const uint8_t* end, unsigned suffix_bytes) noexcept {
    return load_le<uint64_t>(end - 8) >> (64 - 8 * suffix_bytes);
}

// Sets the bit of each row that is the first of its hash, row i of `rows` at bit
// `first_bit + i` of `words`, and returns how many. REQUIRES: the words are zero.
uint64_t mark_groups(std::span<const IndexRow> rows, bool continues_group, unsigned first_bit,
                     std::span<uint64_t> words) noexcept;

// Writes the offsets of `rows`, 8 bytes each.
void encode_offsets(std::span<const IndexRow> rows, uint8_t* out) noexcept;

// How many hashes have each prefix; counted from many threads.
using PrefixCounts = std::vector<std::atomic<uint64_t>>;

// Writes the suffixes of those rows whose bits are set in `words`, adds them to `counts`,
// and returns how many bytes were written. Bit 0 of words[0] stands for rows[row_of_bit0],
// which may lie before the rows where that bit is not set.
// REQUIRES: room for the suffixes and 8 bytes more at `out`.
size_t encode_suffixes(const Layout& layout, std::span<const IndexRow> rows, ptrdiff_t row_of_bit0,
                       std::span<const uint64_t> words, uint8_t* out,
                       PrefixCounts& counts) noexcept;

}  // namespace qbix::qbi2
