// format_qbx.hpp: the bytes of the container of a .qbx index, and of its identity section
// (qbx(5)).
//
//   head | sections, each followed by its checksums | table of contents
//
// Only this file and its .cpp know where in the file something stands; format_qbx_*.hpp know
// the inside of the other sections. Numbers that come from a file are checked here, before
// anything is computed from them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbx_section.hpp"

namespace qbix::qbx {

inline constexpr size_t kHeadBytes = 64;
inline constexpr uint64_t kSectionAlignment = 64;

// What a section holds: four letters. The values are part of the format.
enum class Kind : uint32_t {
    kBam = 0x494d4142,     // "BAMI": which BAM file this is the index of
    kBlocks = 0x434f4c42,  // "BLOC": where records are
    kNames = 0x454d414e,   // "NAME": which records have a name
};

struct SectionEntry {
    Kind kind = Kind::kBam;
    bool is_required = true;  // a reader that does not know the kind refuses the file
    QbxExtent extent;

    // The letters of the kind, for messages.
    std::string name() const;
};

bool has_magic(std::span<const uint8_t> file_start) noexcept;

// Bytes of the checksums that follow a section of that size; none where it is one chunk.
uint64_t sums_size_bytes(uint64_t section_bytes) noexcept;

// ---- head and table of contents --------------------------------------------------------

struct Head {
    uint64_t file_size_bytes = 0;
    uint64_t toc_place = 0;
    uint64_t toc_size_bytes = 0;
    uint64_t toc_sum = 0;
};

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept;
// `file_start` is the first kHeadBytes of the file, or all of a shorter one. Throws Error
// kNotIndex, kBadIndex; afterwards the table of contents lies inside the file and is small.
Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size_bytes,
                 const std::string& path);

std::vector<uint8_t> encode_toc(std::span<const SectionEntry> entries);
// Throws Error kNotIndex for a required section of a kind that is not known, kBadIndex;
// afterwards every section and its checksums lie inside the file, and no kind comes twice.
// Optional sections of unknown kinds are left out.
std::vector<SectionEntry> decode_toc(std::span<const uint8_t> toc, const Head& head,
                                     const std::string& path);

// ---- identity --------------------------------------------------------------------------

struct SampledBlock {
    uint64_t coffset = 0;
    uint64_t size_bytes = 0;
    uint64_t sum = 0;  // of its compressed bytes
    bool operator==(const SampledBlock&) const = default;
};

struct Identity {
    BamIdentity bam;
    uint64_t n_records = 0;
    bool has_eof_block = true;
    uint64_t eof_coffset = 0;  // of the EOF block; without one, the size of the file
    std::vector<SampledBlock> samples;
    bool operator==(const Identity&) const = default;
};

inline constexpr size_t kMaxSamples = 16;

std::vector<uint8_t> encode_identity(const Identity& identity);
// Throws Error kBadIndex, and what the section throws.
Identity decode_identity(const QbxSection& section);

}  // namespace qbix::qbx
