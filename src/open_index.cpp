#include "open_index.hpp"

#include <stdexcept>

#include "qbix/index_path.hpp"

namespace qbix::cli {

std::string index_path_for(const std::string& bam_path, const std::string& given) {
    if (!given.empty()) return given;
    std::string path = find_index_path(bam_path);
    if (!path.empty()) return path;
    std::string tried;
    for (const std::string& candidate : index_path_candidates(bam_path))
        tried += (tried.empty() ? "\"" : " or \"") + candidate + "\"";
    throw std::runtime_error("no index " + tried + "; make one with: qbix index " + bam_path);
}

}  // namespace qbix::cli
