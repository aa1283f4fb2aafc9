#include "name_peek.hpp"

#include <algorithm>
#include <new>

#include "bam_record.hpp"
#include "bgzf_block.hpp"
#include "qbix/name_hash.hpp"

namespace qbix {
namespace {

constexpr size_t kPieceBytes = 4096;  // compressed bytes that are read at once

}  // namespace

NamePeek::NamePeek(const std::string& path)
    : file_(path),
      compressed_(std::make_unique_for_overwrite<uint8_t[]>(kBgzfMaxBlockBytes + kPieceBytes)),
      data_(std::make_unique_for_overwrite<uint8_t[]>(kBgzfMaxDataBytes)) {
    constexpr int kRawDeflate = -15;
    if (inflateInit2(&stream_, kRawDeflate) != Z_OK) throw std::bad_alloc();
}

NamePeek::~NamePeek() { inflateEnd(&stream_); }

size_t NamePeek::inflate_front(uint64_t coffset, size_t n_wanted) {
    inflateReset(&stream_);
    stream_.next_out = data_.get();
    stream_.avail_out = static_cast<uInt>(n_wanted);
    size_t n_read = 0;
    size_t n_block = kBgzfHeadBytes;
    int status = Z_OK;
    while (status == Z_OK && stream_.avail_out > 0 && n_read < n_block) {
        uint8_t* const piece = compressed_.get() + n_read;
        const size_t n = file_.read_at(coffset + n_read, {piece, kPieceBytes});
        if (n == 0) break;
        stream_.next_in = piece;
        if (n_read == 0) {
            const auto size = n < kBgzfHeadBytes ? std::nullopt : bgzf_block_size(piece);
            if (!size) return 0;
            n_block = *size;
            stream_.next_in += kBgzfHeadBytes;
        }
        stream_.avail_in =
            static_cast<uInt>(piece + std::min(n, n_block - n_read) - stream_.next_in);
        n_read += n;
        status = inflate(&stream_, Z_SYNC_FLUSH);
    }
    return n_wanted - stream_.avail_out;
}

std::optional<std::string_view> NamePeek::qname_at(VirtualOffset voffset) {
    const size_t begin = voffset.uoffset();
    const size_t n_wanted = std::min(begin + kFixedBytes + kMaxReadNameBytes, kBgzfMaxDataBytes);
    const size_t n = inflate_front(voffset.coffset(), n_wanted);
    const uint8_t* const record = data_.get() + begin;
    if (n < begin + kFixedBytes || !record_is_consistent(record) ||
        n < begin + kFixedBytes + record_l_read_name(record))
        return std::nullopt;
    return qname_of(record_read_name(record), record_l_read_name(record));
}

}  // namespace qbix
