#include "bgzf_block.hpp"

#include <libdeflate.h>

#include <new>

namespace qbix {

const char* describe(InflateStatus status) noexcept {
    switch (status) {
        case InflateStatus::kOk:
            return "ok";
        case InflateStatus::kBadSize:
            return "its size field is out of range";
        case InflateStatus::kBadData:
            return "its compressed data are corrupt";
        case InflateStatus::kBadCrc:
            return "its CRC does not match its data";
    }
    return "unknown";
}

BlockInflater::BlockInflater() : decompressor_(libdeflate_alloc_decompressor()) {
    if (!decompressor_) throw std::bad_alloc();
}

BlockInflater::~BlockInflater() { libdeflate_free_decompressor(decompressor_); }

InflateStatus BlockInflater::inflate(std::span<const uint8_t> block, uint8_t* out) noexcept {
    const uint32_t data_size = bgzf_data_size(block);
    if (data_size > kBgzfMaxDataBytes) return InflateStatus::kBadSize;
    // An exact output size: shorter or longer data than ISIZE says is an error.
    const libdeflate_result result = libdeflate_deflate_decompress(
        decompressor_, block.data() + kBgzfHeadBytes,
        block.size() - kBgzfHeadBytes - kBgzfTailBytes, out, data_size, nullptr);
    if (result != LIBDEFLATE_SUCCESS) return InflateStatus::kBadData;
    const uint32_t crc = load_le<uint32_t>(block.data() + block.size() - kBgzfTailBytes);
    return libdeflate_crc32(0, out, data_size) == crc ? InflateStatus::kOk : InflateStatus::kBadCrc;
}

}  // namespace qbix
