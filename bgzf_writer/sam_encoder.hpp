// sam_encoder.hpp: lines of SAM text as the BAM records that samtools makes of them: by a parser
// of ours where the line is of the usual form, otherwise by htslib's.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "bgzfw/bam_header.hpp"
#include "sam_line.hpp"

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
    const ReferenceNumbers& references() const noexcept { return references_; }

   private:
    ReferenceNumbers references_;
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
    size_t parse_by_htslib(std::string_view line);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace bgzfw
