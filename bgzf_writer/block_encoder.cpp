#include "block_encoder.hpp"

#include <cstring>

#include "bgzfw/error.hpp"
#include "block_format.hpp"
#include "build_config.hpp"

namespace bgzfw {

namespace {

constexpr size_t kStoredHeaderBytes = 5;
static_assert(kMaxPayload + kStoredHeaderBytes + kBlockFrameBytes <= kMaxBlockBytes);

// One final stored block of deflate (RFC 1951, 3.2.4).
size_t store(std::span<const uint8_t> payload, uint8_t* out) noexcept {
    out[0] = 1;
    store_u16(out + 1, static_cast<uint32_t>(payload.size()));
    store_u16(out + 3, ~static_cast<uint32_t>(payload.size()) & 0xffff);
    std::memcpy(out + kStoredHeaderBytes, payload.data(), payload.size());
    return payload.size() + kStoredHeaderBytes;
}

}  // namespace

size_t BlockEncoder::encode(std::span<const uint8_t> payload, uint8_t* out) noexcept {
    uint8_t* body = out + kBlockHeaderBytes;
    size_t n_deflated = deflate(payload, body, kMaxBlockBytes - kBlockFrameBytes);
    if (n_deflated == 0 || n_deflated > payload.size() + kStoredHeaderBytes) {
        n_deflated = store(payload, body);
    }
    return frame_block(out, n_deflated, crc32(payload), payload.size());
}

std::unique_ptr<BlockEncoder> make_block_encoder(Backend backend, int level) {
#if BGZFW_WITH_LIBDEFLATE
    if (backend == Backend::kLibdeflate) return make_libdeflate_encoder(level);
#endif
#if BGZFW_WITH_ISAL
    if (backend == Backend::kIsal) return make_isal_encoder(level);
#endif
    throw Error(ErrorCode::kInternal, "the backend " + std::string(backend_name(backend)) +
                                          " has no block encoder at level " +
                                          std::to_string(level));
}

}  // namespace bgzfw
