#include "qbix/index_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "hts_handles.hpp"
#include "local_path.hpp"

namespace qbix {
namespace {

constexpr std::string_view kBamSuffix = ".bam";
constexpr std::string_view kIndexSuffix = ".qbi";

bool exists(const std::string& path) {
    if (std::optional<std::string> local = local_path(path))
        return access(local->c_str(), F_OK) == 0;
    return HFilePtr(hopen(path.c_str(), "r")) != nullptr;
}

}  // namespace

bool is_url(std::string_view path) noexcept {
    size_t colon = path.find("://");
    if (colon == std::string_view::npos || colon == 0) return false;
    return std::all_of(path.begin(), path.begin() + colon, [](unsigned char c) {
        return std::isalnum(c) || c == '+' || c == '-' || c == '.';
    });
}

std::vector<std::string> index_path_candidates(const std::string& bam_path) {
    size_t end = is_url(bam_path) ? bam_path.find_first_of("?#") : std::string::npos;
    std::string stem = bam_path.substr(0, end);
    std::string tail = end == std::string::npos ? "" : bam_path.substr(end);
    std::vector<std::string> paths{stem + std::string(kIndexSuffix) + tail};
    if (stem.ends_with(kBamSuffix)) {
        stem.resize(stem.size() - kBamSuffix.size());
        paths.push_back(stem + std::string(kIndexSuffix) + tail);
    }
    return paths;
}

std::string find_index_path(const std::string& bam_path) {
    for (const std::string& path : index_path_candidates(bam_path))
        if (exists(path)) return path;
    return "";
}

}  // namespace qbix
