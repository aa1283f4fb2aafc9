// qbix/index_path.hpp: where the index of a BAM is looked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "qbix/export.hpp"

namespace qbix {

// Whether htslib takes `path` as SCHEME://... rather than as a file name.
QBIX_EXPORT bool is_url(std::string_view path) noexcept;

// The places in the order in which they are tried: "x.bam.qbx", "x.qbx", "x.bam.qbi",
// "x.qbi". In a URL the suffix goes before "?query" or "#fragment". Always beside the BAM: a
// base name is never looked up in the working directory.
QBIX_EXPORT std::vector<std::string> index_path_candidates(const std::string& bam_path);

// The first of them that exists (local) or opens (remote); "" when there is none.
QBIX_EXPORT std::string find_index_path(const std::string& bam_path);

}  // namespace qbix
