#include "format_qbi1.hpp"

#include "index_errors.hpp"
#include "le_bytes.hpp"

namespace qbix::qbi1 {
namespace {

constexpr uint8_t kMagic[4] = {'Q', 'B', 'I', '1'};

// Where the fields of the head stand.
enum : size_t {
    kHeaderSizeAt = 4,
    kRecordSizeAt = 6,
    kNameBytesAt = 8,
    kRecordCountAt = 16,
    kBamSizeAt = 24,
    kBamMtimeAt = 32,
    kBamHeaderHashAt = 40,
};

}  // namespace

bool has_magic(std::span<const uint8_t> file_start) noexcept {
    return file_start.size() >= sizeof kMagic &&
           std::memcmp(file_start.data(), kMagic, sizeof kMagic) == 0;
}

std::optional<uint64_t> file_size_bytes(uint64_t n_rows) noexcept {
    uint64_t size;
    if (__builtin_mul_overflow(n_rows, uint64_t{kRowBytes}, &size) ||
        __builtin_add_overflow(size, uint64_t{kHeadBytes}, &size)) {
        return std::nullopt;
    }
    return size;
}

std::array<uint8_t, kHeadBytes> encode_head(const Head& head) noexcept {
    std::array<uint8_t, kHeadBytes> bytes{};
    std::memcpy(bytes.data(), kMagic, sizeof kMagic);
    store_le<uint16_t>(&bytes[kHeaderSizeAt], kHeadBytes);
    store_le<uint16_t>(&bytes[kRecordSizeAt], kRowBytes);
    store_le<uint64_t>(&bytes[kRecordCountAt], head.n_rows);
    store_le<uint64_t>(&bytes[kBamSizeAt], head.bam.size_bytes);
    store_le<uint64_t>(&bytes[kBamMtimeAt], head.bam.mtime_ns);
    store_le<uint64_t>(&bytes[kBamHeaderHashAt], head.bam.header_hash);
    return bytes;
}

Head decode_head(std::span<const uint8_t> file_start, uint64_t file_size, const std::string& path) {
    if (!has_magic(file_start)) throw_not_index(path, "no QBI1 magic");
    if (file_start.size() < kHeadBytes) throw_bad_index(path, "the file ends inside its head");
    const uint8_t* bytes = file_start.data();
    if (load_le<uint16_t>(bytes + kHeaderSizeAt) != kHeadBytes ||
        load_le<uint16_t>(bytes + kRecordSizeAt) != kRowBytes) {
        throw_not_index(path, "a QBI1 head or row of unknown size");
    }
    if (load_le<uint64_t>(bytes + kNameBytesAt) != 0) {
        throw_not_index(path, "a QBI1 with stored read names, which are not supported");
    }
    Head head;
    head.n_rows = load_le<uint64_t>(bytes + kRecordCountAt);
    head.bam.size_bytes = load_le<uint64_t>(bytes + kBamSizeAt);
    head.bam.mtime_ns = load_le<uint64_t>(bytes + kBamMtimeAt);
    head.bam.header_hash = load_le<uint64_t>(bytes + kBamHeaderHashAt);
    if (file_size_bytes(head.n_rows) != file_size) {
        throw_bad_index(path, "the head counts " + std::to_string(head.n_rows) +
                                  " records, which does not fit the file's size of " +
                                  std::to_string(file_size) + " bytes");
    }
    return head;
}

}  // namespace qbix::qbi1
