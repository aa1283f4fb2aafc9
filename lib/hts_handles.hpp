// hts_handles.hpp: owners for htslib's handles.
#pragma once

#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>

#include <memory>

namespace qbix {

struct HtsDeleter {
    // Read side only: closing an output must be checked, so it is never left to a deleter.
    void operator()(htsFile* f) const noexcept { hts_close(f); }
    void operator()(hFILE* f) const noexcept { hclose_abruptly(f); }
    void operator()(sam_hdr_t* h) const noexcept { sam_hdr_destroy(h); }
    void operator()(bam1_t* b) const noexcept { bam_destroy1(b); }
};

using HtsFilePtr = std::unique_ptr<htsFile, HtsDeleter>;
using HFilePtr = std::unique_ptr<hFILE, HtsDeleter>;
using SamHdrPtr = std::unique_ptr<sam_hdr_t, HtsDeleter>;
using BamPtr = std::unique_ptr<bam1_t, HtsDeleter>;

}  // namespace qbix
