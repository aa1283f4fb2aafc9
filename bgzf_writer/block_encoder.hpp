// block_encoder.hpp: payload in, BGZF block out.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bgzfw/options.hpp"

namespace bgzfw {

// Holds a compressor and its tables, allocated once. One encoder, one thread.
class BlockEncoder {
   public:
    virtual ~BlockEncoder() = default;

    // Writes a whole block to out[0, kMaxBlockBytes) and returns its size. What deflate
    // cannot shorten is stored, so that every payload fits.
    // REQUIRES: payload.size() is in [1, kMaxPayload].
    size_t encode(std::span<const uint8_t> payload, uint8_t* out) noexcept;

   protected:
    // Raw deflate into out[0, room); 0 when it does not fit or is not wanted (level 0).
    virtual size_t deflate(std::span<const uint8_t> payload, uint8_t* out,
                           size_t room) noexcept = 0;
    virtual uint32_t crc32(std::span<const uint8_t> payload) const noexcept = 0;
};

// REQUIRES: a backend of this build that compresses by itself (not kAuto, not kHtslib), and
// a level that resolve_backend() has passed. Throws std::bad_alloc.
std::unique_ptr<BlockEncoder> make_block_encoder(Backend backend, int level);

// One function a backend, each in a file of its own.
std::unique_ptr<BlockEncoder> make_libdeflate_encoder(int level);
std::unique_ptr<BlockEncoder> make_isal_encoder(int level);

}  // namespace bgzfw
