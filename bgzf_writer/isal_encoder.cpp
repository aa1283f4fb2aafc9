// isal_encoder.cpp: blocks by ISA-L, which has one useful level: twice as fast as the
// fastest of others.
#include "build_config.hpp"
#if BGZFW_WITH_ISAL

#include <isa-l.h>

#include <array>

#include "block_encoder.hpp"

namespace bgzfw {

namespace {

class IsalEncoder final : public BlockEncoder {
   public:
    explicit IsalEncoder(int level) : level_(level) {}

   private:
    size_t deflate(std::span<const uint8_t> payload, uint8_t* out, size_t room) noexcept override {
        if (level_ == 0) return 0;
        isal_deflate_stateless_init(&stream_);
        stream_.level = 1;
        stream_.level_buf = tables_.data();
        stream_.level_buf_size = static_cast<uint32_t>(tables_.size());
        stream_.end_of_stream = 1;
        stream_.flush = NO_FLUSH;
        stream_.next_in = const_cast<uint8_t*>(payload.data());
        stream_.avail_in = static_cast<uint32_t>(payload.size());
        stream_.next_out = out;
        stream_.avail_out = static_cast<uint32_t>(room);
        return isal_deflate_stateless(&stream_) == COMP_OK ? stream_.total_out : 0;
    }

    uint32_t crc32(std::span<const uint8_t> payload) const noexcept override {
        return crc32_gzip_refl(0, payload.data(), payload.size());
    }

    int level_;
    // All zero: isal_deflate_stateless_init() leaves fields as they are that shape the output
    // (hist_bits), and equal payloads must give equal blocks.
    isal_zstream stream_{};
    std::array<uint8_t, ISAL_DEF_LVL1_DEFAULT> tables_;
};

}  // namespace

std::unique_ptr<BlockEncoder> make_isal_encoder(int level) {
    return std::make_unique<IsalEncoder>(level);
}

}  // namespace bgzfw

#endif
