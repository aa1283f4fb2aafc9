#include "format_qbx_names.hpp"

#include <algorithm>

#include "index_errors.hpp"

namespace qbix::qbx_names {
namespace {

constexpr uint32_t kVersion = 1;

// Places of the head's fields.
constexpr size_t kVersionAt = 0;
constexpr size_t kRegionBitsAt = 4;
constexpr size_t kRemainderBitsAt = 5;
constexpr size_t kRecordsAt = 8;
constexpr size_t kNamesAt = 16;
constexpr size_t kDirectoryAt = 24;
constexpr size_t kHeadEnd = 32;  // zeros from here

}  // namespace

unsigned default_region_bits(uint64_t n_records) noexcept {
    if (n_records == 0) return 0;
    return std::min(kMaxRegionBits, bits_for((n_records - 1) / kRecordsPerRegion));
}

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept {
    std::array<uint8_t, kHeadBytes> bytes{};
    store_le<uint32_t>(&bytes[kVersionAt], kVersion);
    bytes[kRegionBitsAt] = static_cast<uint8_t>(head.region_bits);
    bytes[kRemainderBitsAt] = static_cast<uint8_t>(head.remainder_bits);
    store_le<uint64_t>(&bytes[kRecordsAt], head.n_records);
    store_le<uint64_t>(&bytes[kNamesAt], head.n_names);
    store_le<uint64_t>(&bytes[kDirectoryAt], head.directory_at);
    return bytes;
}

Head decode_head(std::span<const uint8_t> start, uint64_t section_bytes, const std::string& path) {
    if (section_bytes < kHeadBytes + kRegionEntryBytes || start.size() < kHeadBytes) {
        throw_bad_index(path,
                        "the names section has only " + std::to_string(section_bytes) + " bytes");
    }
    const auto version = load_le<uint32_t>(&start[kVersionAt]);
    if (version != kVersion) {
        throw_not_index(path, "its names section has version " + std::to_string(version) +
                                  ", which is newer than this program");
    }
    const Head head{start[kRegionBitsAt], start[kRemainderBitsAt],
                    load_le<uint64_t>(&start[kRecordsAt]), load_le<uint64_t>(&start[kNamesAt]),
                    load_le<uint64_t>(&start[kDirectoryAt])};
    const bool has_zeros =
        start[6] == 0 && start[7] == 0 &&
        std::all_of(&start[kHeadEnd], &start[0] + kHeadBytes, [](uint8_t b) { return b == 0; });
    if (head.region_bits > kMaxRegionBits || !is_remainder_bits(head.remainder_bits) ||
        !has_zeros || head.n_names > head.n_records || head.n_records > kMaxRecords) {
        throw_bad_index(path, "impossible numbers in the head of the names section");
    }
    const uint64_t directory_bytes = head.n_regions() * kRegionEntryBytes;
    if (section_bytes < kHeadBytes + directory_bytes || head.directory_at % kLineBytes != 0 ||
        head.directory_at != section_bytes - directory_bytes) {
        throw_bad_index(path, "the directory of the names section is not at its end");
    }
    return head;
}

void encode_region(const Region& region, uint8_t* out) noexcept {
    store_le<uint64_t>(out, region.long_at);
    store_le<uint64_t>(out + 8, region.lines_at);
    store_le<uint32_t>(out + 16, region.n_lines);
    store_le<uint32_t>(out + 20, region.n_names);
    store_le<uint32_t>(out + 24, region.n_overflow);
    out[28] = region.first_bits;
    out[29] = region.delta_bits;
    out[30] = out[31] = 0;
}

}  // namespace qbix::qbx_names
