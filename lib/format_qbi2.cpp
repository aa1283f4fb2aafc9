#include "format_qbi2.hpp"

#include <algorithm>
#include <bit>

#include "index_errors.hpp"

namespace qbix::qbi2 {
namespace {

constexpr uint8_t kMagic[4] = {'Q', 'B', 'I', '2'};
constexpr uint8_t kBlockWordsLog2 = 3;
constexpr uint8_t kHashXxh3 = 1;
constexpr uint64_t kMaxRowsOfRadix8 = 522'240;  // where P = 16 becomes the smaller file
static_assert(1u << kBlockWordsLog2 == kWordsPerBlock);

// Where the fields of the head stand.
enum : size_t {
    kHeaderSizeAt = 4,
    kFlagsAt = 6,
    kRadixBitsAt = 8,
    kSuffixBytesAt = 9,
    kBlockWordsLog2At = 10,
    kHashAlgorithmAt = 11,
    kReservedAt = 12,
    kRecordCountAt = 16,
    kUniqueCountAt = 24,
    kBamSizeAt = 32,
    kBamMtimeAt = 40,
    kBamHeaderHashAt = 48,
    kHashSeedAt = 56,
    kOffsetsAt = 64,
    kGroupBitsAt = 72,
    kRankAt = 80,
    kRadixAt = 88,
    kSuffixesAt = 96,
    kFileSizeAt = 104,
    kRadixCountAt = 112,
    kRankCountAt = 120,
};

unsigned suffix_bytes_of(int radix_bits) noexcept {
    return static_cast<unsigned>((64 - radix_bits + 7) / 8);
}

// Adds n * size to `place`; false on overflow.
bool advance(uint64_t& place, uint64_t n, uint64_t size) noexcept {
    uint64_t bytes;
    return !__builtin_mul_overflow(n, size, &bytes) &&
           !__builtin_add_overflow(place, bytes, &place);
}

// The fields that say of what kind the file is.
void check_kind(const uint8_t* head, const std::string& path) {
    if (load_le<uint16_t>(head + kHeaderSizeAt) != kHeadBytes) {
        throw_not_index(path, "a QBI2 head of unknown size");
    }
    if (load_le<uint16_t>(head + kFlagsAt) != 0) {
        throw_not_index(path, "QBI2 flags that this version does not know");
    }
    if (head[kHashAlgorithmAt] != kHashXxh3 || load_le<uint64_t>(head + kHashSeedAt) != 0) {
        throw_not_index(path, "a QBI2 hash or seed that this version does not know");
    }
    if (!is_radix_bits(head[kRadixBitsAt]) ||
        head[kSuffixBytesAt] != suffix_bytes_of(head[kRadixBitsAt]) ||
        head[kBlockWordsLog2At] != kBlockWordsLog2) {
        throw_not_index(path, "QBI2 parameters that this version does not know");
    }
    if (load_le<uint32_t>(head + kReservedAt) != 0) {
        throw_bad_index(path, "the reserved bytes of the head are not zero");
    }
}

// The places in the head follow from the counts; they are there to be compared.
bool places_agree(const uint8_t* head, const Layout& layout) noexcept {
    return load_le<uint64_t>(head + kOffsetsAt) == layout.offsets_at &&
           load_le<uint64_t>(head + kGroupBitsAt) == layout.group_bits_at &&
           load_le<uint64_t>(head + kRankAt) == layout.rank_at &&
           load_le<uint64_t>(head + kRadixAt) == layout.radix_at &&
           load_le<uint64_t>(head + kSuffixesAt) == layout.suffixes_at &&
           load_le<uint64_t>(head + kFileSizeAt) == layout.file_size_bytes &&
           load_le<uint64_t>(head + kRadixCountAt) == layout.n_radix &&
           load_le<uint64_t>(head + kRankCountAt) == layout.n_rank;
}

}  // namespace

int default_radix_bits(uint64_t n_rows) noexcept { return n_rows <= kMaxRowsOfRadix8 ? 8 : 16; }

std::optional<Layout> make_layout(uint64_t n_rows, uint64_t n_unique, int radix_bits) noexcept {
    if (n_unique > n_rows || (n_unique == 0) != (n_rows == 0)) return std::nullopt;
    Layout layout;
    layout.radix_bits = radix_bits;
    layout.suffix_bytes = suffix_bytes_of(radix_bits);
    layout.n_rows = n_rows;
    layout.n_unique = n_unique;
    layout.n_words = n_rows / kRowsPerWord + 1;  // the sentinel bit is bit N
    layout.n_rank = (layout.n_words + kWordsPerBlock - 1) / kWordsPerBlock + 1;
    layout.n_radix = (uint64_t{1} << radix_bits) + 1;

    uint64_t place = layout.offsets_at = kHeadBytes;
    bool fits = advance(place, n_rows, 8);
    layout.group_bits_at = place;
    fits = fits && advance(place, layout.n_words, 8);
    layout.rank_at = place;
    fits = fits && advance(place, layout.n_rank, 8);
    layout.radix_at = place;
    fits = fits && advance(place, layout.n_radix, 8);
    layout.suffixes_at = place;
    fits = fits && advance(place, n_unique, layout.suffix_bytes);
    layout.file_size_bytes = place;
    if (!fits) return std::nullopt;
    return layout;
}

bool has_magic(std::span<const uint8_t> file_start) noexcept {
    return file_start.size() >= sizeof kMagic &&
           std::memcmp(file_start.data(), kMagic, sizeof kMagic) == 0;
}

std::array<uint8_t, kHeadBytes> encode_head(const Layout& layout, const BamIdentity& bam) noexcept {
    std::array<uint8_t, kHeadBytes> bytes{};
    std::memcpy(bytes.data(), kMagic, sizeof kMagic);
    store_le<uint16_t>(&bytes[kHeaderSizeAt], kHeadBytes);
    bytes[kRadixBitsAt] = static_cast<uint8_t>(layout.radix_bits);
    bytes[kSuffixBytesAt] = static_cast<uint8_t>(layout.suffix_bytes);
    bytes[kBlockWordsLog2At] = kBlockWordsLog2;
    bytes[kHashAlgorithmAt] = kHashXxh3;
    store_le<uint64_t>(&bytes[kRecordCountAt], layout.n_rows);
    store_le<uint64_t>(&bytes[kUniqueCountAt], layout.n_unique);
    store_le<uint64_t>(&bytes[kBamSizeAt], bam.size_bytes);
    store_le<uint64_t>(&bytes[kBamMtimeAt], bam.mtime_ns);
    store_le<uint64_t>(&bytes[kBamHeaderHashAt], bam.header_hash);
    store_le<uint64_t>(&bytes[kOffsetsAt], layout.offsets_at);
    store_le<uint64_t>(&bytes[kGroupBitsAt], layout.group_bits_at);
    store_le<uint64_t>(&bytes[kRankAt], layout.rank_at);
    store_le<uint64_t>(&bytes[kRadixAt], layout.radix_at);
    store_le<uint64_t>(&bytes[kSuffixesAt], layout.suffixes_at);
    store_le<uint64_t>(&bytes[kFileSizeAt], layout.file_size_bytes);
    store_le<uint64_t>(&bytes[kRadixCountAt], layout.n_radix);
    store_le<uint64_t>(&bytes[kRankCountAt], layout.n_rank);
    return bytes;
}

Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size, const std::string& path) {
    if (!has_magic(file_start)) throw_not_index(path, "no QBI2 magic");
    if (file_start.size() < kHeadBytes) throw_bad_index(path, "the file ends inside its head");
    const uint8_t* bytes = file_start.data();
    check_kind(bytes, path);
    const std::optional<Layout> layout =
        make_layout(load_le<uint64_t>(bytes + kRecordCountAt),
                    load_le<uint64_t>(bytes + kUniqueCountAt), bytes[kRadixBitsAt]);
    if (!layout) throw_bad_index(path, "the counts in the head are impossible");
    if (!places_agree(bytes, *layout)) {
        throw_bad_index(path, "the sections are not where the counts in the head put them");
    }
    if (layout->file_size_bytes != file_size) {
        throw_bad_index(path, "the file has " + std::to_string(file_size) +
                                  " bytes where its head says " +
                                  std::to_string(layout->file_size_bytes));
    }
    Head head{*layout, {}};
    head.bam.size_bytes = load_le<uint64_t>(bytes + kBamSizeAt);
    head.bam.mtime_ns = load_le<uint64_t>(bytes + kBamMtimeAt);
    head.bam.header_hash = load_le<uint64_t>(bytes + kBamHeaderHashAt);
    return head;
}

void check_edges(const Layout& layout, const Edges& edges, const std::string& path) {
    if (edges.first_radix != 0 || edges.last_radix != layout.n_unique) {
        throw_bad_index(path, "the radix table does not run from 0 to the number of hashes");
    }
    if (edges.first_rank != 0 || edges.last_rank != layout.n_unique + 1) {
        throw_bad_index(path, "the rank table does not run from 0 to the number of groups");
    }
    // Of the last word, the sentinel is the highest bit; row 0 starts a group (or is the
    // sentinel itself).
    if ((edges.first_word & 1) == 0) throw_bad_index(path, "row 0 does not start a group");
    if (edges.last_word >> (layout.n_rows % kRowsPerWord) != 1) {
        throw_bad_index(path, "the group bits do not end with the sentinel and zeros");
    }
}

uint64_t mark_groups(std::span<const IndexRow> rows, bool continues_group, unsigned first_bit,
                     std::span<uint64_t> words) noexcept {
    if (rows.empty()) return 0;
    uint64_t n_groups = continues_group ? 0 : 1;
    words[0] = n_groups << first_bit;
    size_t row = 1;
    for (size_t bit = first_bit + 1; row < rows.size();) {
        uint64_t word = 0;
        const size_t word_end = std::min((bit | 63) + 1, first_bit + rows.size());
        const size_t word_index = bit / 64;
        uint64_t n_set = 0;
        for (; bit < word_end; ++bit, ++row) {
            const uint64_t starts = rows[row].hash != rows[row - 1].hash;
            n_set += starts;
            word |= starts << (bit % 64);
        }
        words[word_index] |= word;
        n_groups += n_set;
    }
    return n_groups;
}

size_t encode_suffixes(const Layout& layout, std::span<const IndexRow> rows, ptrdiff_t row_of_bit0,
                       std::span<const uint64_t> words, uint8_t* out,
                       PrefixCounts& counts) noexcept {
    const uint8_t* const begin = out;
    uint64_t run_prefix = 0;
    uint64_t run_length = 0;
    for (uint64_t bits : words) {
        for (; bits != 0; bits &= bits - 1) {
            const NameHash hash = rows[row_of_bit0 + std::countr_zero(bits)].hash;
            // The bytes beyond the suffix are overwritten by the next one.
            store_le<uint64_t>(out, layout.suffix_of(hash));
            out += layout.suffix_bytes;
            if (layout.prefix_of(hash) != run_prefix) {
                counts[run_prefix].fetch_add(run_length, std::memory_order_relaxed);
                run_prefix = layout.prefix_of(hash);
                run_length = 0;
            }
            ++run_length;
        }
        row_of_bit0 += kRowsPerWord;
    }
    counts[run_prefix].fetch_add(run_length, std::memory_order_relaxed);
    return static_cast<size_t>(out - begin);
}

void encode_offsets(std::span<const IndexRow> rows, uint8_t* out) noexcept {
    for (const IndexRow& row : rows) {
        store_le<uint64_t>(out, row.voffset.value);
        out += 8;
    }
}

}  // namespace qbix::qbi2
