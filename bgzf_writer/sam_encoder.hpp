// sam_encoder.hpp: lines of SAM text as BAM records, by htslib's own parser, so that the
// result is what samtools makes of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "bgzfw/bam_header.hpp"

struct bam1_t;
struct sam_hdr_t;

namespace bgzfw {

// The reference names by which lines are parsed. Immutable: one for any number of threads.
class SamHeader {
   public:
    // Throws Error: kHeader; kUnsupported in a build without htslib.
    explicit SamHeader(const BamHeader& header);
    ~SamHeader();
    SamHeader(const SamHeader&) = delete;
    SamHeader& operator=(const SamHeader&) = delete;

    sam_hdr_t* get() const noexcept { return header_; }

   private:
    sam_hdr_t* header_ = nullptr;
};

// One encoder, one thread. `header` must outlive it.
class SamEncoder {
   public:
    explicit SamEncoder(const SamHeader& header);
    ~SamEncoder();
    SamEncoder(const SamEncoder&) = delete;
    SamEncoder& operator=(const SamEncoder&) = delete;

    // Parses a line without its '\n'; returns the encoded size. Throws Error kRecord.
    size_t parse(std::string_view line);

    // Writes what parse() was last given. REQUIRES: room for the size that it returned.
    void encode(uint8_t* out) const;

   private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace bgzfw
