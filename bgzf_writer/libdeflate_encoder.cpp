// libdeflate_encoder.cpp: blocks by libdeflate.
#include "build_config.hpp"
#if BGZFW_WITH_LIBDEFLATE

#include <libdeflate.h>

#include <new>

#include "block_encoder.hpp"

namespace bgzfw {

namespace {

// htslib's levels in libdeflate's scale, so that a level costs and gives the same in both.
constexpr int kLibdeflateLevel[] = {0, 1, 2, 3, 5, 6, 7, 8, 10, 12, 10, 11, 12};

struct CompressorDeleter {
    void operator()(libdeflate_compressor* c) const noexcept { libdeflate_free_compressor(c); }
};

class LibdeflateEncoder final : public BlockEncoder {
   public:
    explicit LibdeflateEncoder(int level) : level_(level) {
        if (level == 0) return;
        compressor_.reset(libdeflate_alloc_compressor(kLibdeflateLevel[level]));
        if (!compressor_) throw std::bad_alloc();
    }

   private:
    size_t deflate(std::span<const uint8_t> payload, uint8_t* out, size_t room) noexcept override {
        if (level_ == 0) return 0;
        return libdeflate_deflate_compress(compressor_.get(), payload.data(), payload.size(), out,
                                           room);
    }

    uint32_t crc32(std::span<const uint8_t> payload) const noexcept override {
        return libdeflate_crc32(0, payload.data(), payload.size());
    }

    int level_;
    std::unique_ptr<libdeflate_compressor, CompressorDeleter> compressor_;
};

}  // namespace

std::unique_ptr<BlockEncoder> make_libdeflate_encoder(int level) {
    return std::make_unique<LibdeflateEncoder>(level);
}

}  // namespace bgzfw

#endif
