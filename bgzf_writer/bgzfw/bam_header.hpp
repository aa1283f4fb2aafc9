// bgzfw/bam_header.hpp: the header of a BAM file, encoded.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bgzfw/export.hpp"

namespace bgzfw {

// The uncompressed bytes from the magic to the end of the reference list (SAM
// specification, 4.2). Every backend writes the same ones. A value; see bam1.hpp for one
// made from a sam_hdr_t.
class BGZFW_EXPORT BamHeader {
   public:
    // From SAM text: any number of lines that begin with '@' ("" is allowed), perhaps with
    // NULs behind; the reference list is that of the @SQ lines. Throws Error kHeader.
    static BamHeader from_sam_text(std::string_view text);

    // From the bytes of a BAM header. The text may lack @SQ lines, or hold NULs: nothing is
    // changed. Throws Error kHeader when the lengths inside do not add up to `bytes`.
    static BamHeader from_bytes(std::span<const uint8_t> bytes);

    std::span<const uint8_t> bytes() const noexcept { return bytes_; }
    std::string_view text() const noexcept;
    uint32_t n_references() const noexcept { return n_references_; }

   private:
    BamHeader() = default;

    std::vector<uint8_t> bytes_;
    uint32_t n_references_ = 0;
};

}  // namespace bgzfw
