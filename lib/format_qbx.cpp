#include "format_qbx.hpp"

#include <algorithm>

#include "checksum.hpp"
#include "index_errors.hpp"
#include "le_bytes.hpp"

namespace qbix::qbx {
namespace {

constexpr uint8_t kMagic[4] = {'Q', 'B', 'X', '1'};
constexpr uint32_t kRequired = 1;  // the only flag of a section
constexpr uint64_t kMaxTocBytes = 64 << 10;
constexpr uint64_t kChunkBytes = QbxSection::kChunkBytes;

// Where the fields of the head stand.
enum : size_t {
    kHeadSizeAt = 4,
    kFlagsAt = 6,
    kFileSizeAt = 8,
    kTocPlaceAt = 16,
    kTocSizeAt = 24,
    kTocSumAt = 32,
    kHeadReservedAt = 40,  // 16 bytes
    kHeadSumAt = 56,       // of what is before it
};

// Of an entry of the table of contents.
enum : size_t {
    kKindAt = 0,
    kSectionFlagsAt = 4,
    kPlaceAt = 8,
    kSizeAt = 16,
    kSumsPlaceAt = 24,
    kRootSumAt = 32,
    kEntryBytes = 40,
};

// Of the identity section.
enum : size_t {
    kBamSizeAt = 0,
    kBamMtimeAt = 8,
    kBamHeaderHashAt = 16,
    kRecordCountAt = 24,
    kHasEofAt = 32,
    kEofPlaceAt = 40,
    kSampleCountAt = 48,
    kSamplesAt = 56,
};
constexpr size_t kSampleBytes = 24;

// Whether [place, place + size) lies behind the head and inside the file.
bool is_inside(uint64_t place, uint64_t size_bytes, uint64_t file_size_bytes) noexcept {
    return place >= kHeadBytes && place <= file_size_bytes && size_bytes <= file_size_bytes - place;
}

bool is_known(Kind kind) noexcept {
    return kind == Kind::kBam || kind == Kind::kBlocks || kind == Kind::kNames;
}

SectionEntry decode_entry(const uint8_t* p, const Head& head, const std::string& path) {
    SectionEntry entry;
    entry.kind = static_cast<Kind>(load_le<uint32_t>(p + kKindAt));
    const uint32_t flags = load_le<uint32_t>(p + kSectionFlagsAt);
    entry.is_required = flags & kRequired;
    entry.extent = {load_le<uint64_t>(p + kPlaceAt), load_le<uint64_t>(p + kSizeAt),
                    load_le<uint64_t>(p + kSumsPlaceAt), load_le<uint64_t>(p + kRootSumAt)};
    const QbxExtent& extent = entry.extent;
    if (flags & ~kRequired)
        throw_not_index(path, "the section " + entry.name() +
                                  " has flags that this version of qbix does not know");
    if (extent.place % kSectionAlignment != 0 ||
        !is_inside(extent.place, extent.size_bytes, head.file_size_bytes) ||
        (extent.size_bytes > kChunkBytes &&
         !is_inside(extent.sums_place, sums_size_bytes(extent.size_bytes), head.file_size_bytes)))
        throw_bad_index(path, "the section " + entry.name() + " is not inside the file");
    return entry;
}

}  // namespace

std::string SectionEntry::name() const {
    std::string text = "\"....\"";
    for (int i = 0; i < 4; ++i) {
        const auto letter = static_cast<char>(static_cast<uint32_t>(kind) >> (8 * i));
        if (letter >= '!' && letter <= '~') text[static_cast<size_t>(1 + i)] = letter;
    }
    return text;
}

bool has_magic(std::span<const uint8_t> file_start) noexcept {
    return file_start.size() >= sizeof kMagic &&
           std::memcmp(file_start.data(), kMagic, sizeof kMagic) == 0;
}

uint64_t sums_size_bytes(uint64_t section_bytes) noexcept {
    uint64_t n_bytes = 0;
    while (section_bytes > kChunkBytes) {
        section_bytes = (section_bytes - 1) / kChunkBytes * 8 + 8;
        n_bytes += section_bytes;
    }
    return n_bytes;
}

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept {
    std::array<uint8_t, kHeadBytes> bytes{};
    std::memcpy(bytes.data(), kMagic, sizeof kMagic);
    store_le<uint16_t>(&bytes[kHeadSizeAt], kHeadBytes);
    store_le<uint64_t>(&bytes[kFileSizeAt], head.file_size_bytes);
    store_le<uint64_t>(&bytes[kTocPlaceAt], head.toc_place);
    store_le<uint64_t>(&bytes[kTocSizeAt], head.toc_size_bytes);
    store_le<uint64_t>(&bytes[kTocSumAt], head.toc_sum);
    store_le<uint64_t>(&bytes[kHeadSumAt], checksum_of({bytes.data(), kHeadSumAt}));
    return bytes;
}

Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size, const std::string& path) {
    if (!has_magic(file_start)) throw_not_index(path, "no QBX1 magic");
    if (file_start.size() < kHeadBytes) throw_bad_index(path, "the file ends inside its head");
    const uint8_t* bytes = file_start.data();
    if (load_le<uint64_t>(bytes + kHeadSumAt) != checksum_of({bytes, kHeadSumAt}))
        throw_bad_index(path, "the checksum of its head is wrong");
    const auto* reserved = bytes + kHeadReservedAt;
    if (load_le<uint16_t>(bytes + kHeadSizeAt) != kHeadBytes ||
        load_le<uint16_t>(bytes + kFlagsAt) != 0 ||
        std::any_of(reserved, bytes + kHeadSumAt, [](uint8_t byte) { return byte != 0; }))
        throw_not_index(path, "it has features that this version of qbix does not know");
    Head head;
    head.file_size_bytes = load_le<uint64_t>(bytes + kFileSizeAt);
    head.toc_place = load_le<uint64_t>(bytes + kTocPlaceAt);
    head.toc_size_bytes = load_le<uint64_t>(bytes + kTocSizeAt);
    head.toc_sum = load_le<uint64_t>(bytes + kTocSumAt);
    if (head.file_size_bytes != file_size)
        throw_bad_index(path, "it should have " + std::to_string(head.file_size_bytes) +
                                  " bytes and has " + std::to_string(file_size));
    if (head.toc_size_bytes > kMaxTocBytes || head.toc_size_bytes % kEntryBytes != 0 ||
        !is_inside(head.toc_place, head.toc_size_bytes, file_size))
        throw_bad_index(path, "the table of contents is not inside the file");
    return head;
}

std::vector<uint8_t> encode_toc(std::span<const SectionEntry> entries) {
    std::vector<uint8_t> bytes(entries.size() * kEntryBytes);
    uint8_t* p = bytes.data();
    for (const SectionEntry& entry : entries) {
        store_le<uint32_t>(p + kKindAt, static_cast<uint32_t>(entry.kind));
        store_le<uint32_t>(p + kSectionFlagsAt, entry.is_required ? kRequired : 0);
        store_le<uint64_t>(p + kPlaceAt, entry.extent.place);
        store_le<uint64_t>(p + kSizeAt, entry.extent.size_bytes);
        store_le<uint64_t>(p + kSumsPlaceAt, entry.extent.sums_place);
        store_le<uint64_t>(p + kRootSumAt, entry.extent.root_sum);
        p += kEntryBytes;
    }
    return bytes;
}

std::vector<SectionEntry> decode_toc(std::span<const uint8_t> toc, const Head& head,
                                     const std::string& path) {
    if (checksum_of(toc) != head.toc_sum)
        throw_bad_index(path, "the checksum of its table of contents is wrong");
    std::vector<SectionEntry> entries;
    for (size_t at = 0; at < toc.size(); at += kEntryBytes) {
        const SectionEntry entry = decode_entry(toc.data() + at, head, path);
        if (!is_known(entry.kind)) {
            if (!entry.is_required) continue;
            throw_not_index(path,
                            "it needs a newer version of qbix, for its section " + entry.name());
        }
        for (const SectionEntry& other : entries)
            if (other.kind == entry.kind)
                throw_bad_index(path, "it has two sections " + entry.name());
        entries.push_back(entry);
    }
    return entries;
}

std::vector<uint8_t> encode_identity(const Identity& identity) {
    std::vector<uint8_t> bytes(kSamplesAt + identity.samples.size() * kSampleBytes);
    store_le<uint64_t>(&bytes[kBamSizeAt], identity.bam.size_bytes);
    store_le<uint64_t>(&bytes[kBamMtimeAt], identity.bam.mtime_ns);
    store_le<uint64_t>(&bytes[kBamHeaderHashAt], identity.bam.header_hash);
    store_le<uint64_t>(&bytes[kRecordCountAt], identity.n_records);
    store_le<uint64_t>(&bytes[kHasEofAt], identity.has_eof_block);
    store_le<uint64_t>(&bytes[kEofPlaceAt], identity.eof_coffset);
    store_le<uint64_t>(&bytes[kSampleCountAt], identity.samples.size());
    uint8_t* p = bytes.data() + kSamplesAt;
    for (const SampledBlock& sample : identity.samples) {
        store_le<uint64_t>(p, sample.coffset);
        store_le<uint64_t>(p + 8, sample.size_bytes);
        store_le<uint64_t>(p + 16, sample.sum);
        p += kSampleBytes;
    }
    return bytes;
}

Identity decode_identity(const QbxSection& section) {
    const uint8_t* p = section.view(0, kSamplesAt);
    Identity identity;
    identity.bam.size_bytes = load_le<uint64_t>(p + kBamSizeAt);
    identity.bam.mtime_ns = load_le<uint64_t>(p + kBamMtimeAt);
    identity.bam.header_hash = load_le<uint64_t>(p + kBamHeaderHashAt);
    identity.n_records = load_le<uint64_t>(p + kRecordCountAt);
    identity.has_eof_block = load_le<uint64_t>(p + kHasEofAt) != 0;
    identity.eof_coffset = load_le<uint64_t>(p + kEofPlaceAt);
    const uint64_t n_samples = load_le<uint64_t>(p + kSampleCountAt);
    if (n_samples > kMaxSamples || section.size_bytes() != kSamplesAt + n_samples * kSampleBytes)
        throw_bad_index(section.path(), "the identity section has a wrong size");
    p = section.view(kSamplesAt, n_samples * kSampleBytes);
    for (uint64_t i = 0; i < n_samples; ++i, p += kSampleBytes)
        identity.samples.push_back(
            {load_le<uint64_t>(p), load_le<uint64_t>(p + 8), load_le<uint64_t>(p + 16)});
    return identity;
}

}  // namespace qbix::qbx
