#include "qbix/index_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "hts_handles.hpp"
#include "local_path.hpp"

namespace qbix {
namespace {

constexpr std::string_view kBamSuffix = ".bam";
constexpr std::string_view kIndexSuffixes[] = {".qbx", ".qbi"};

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
    const bool has_suffix = stem.ends_with(kBamSuffix);
    const std::string short_stem =
        has_suffix ? stem.substr(0, stem.size() - kBamSuffix.size()) : stem;
    std::vector<std::string> paths;
    for (const std::string_view suffix : kIndexSuffixes) {
        paths.push_back(stem + std::string(suffix) + tail);
        if (has_suffix) paths.push_back(short_stem + std::string(suffix) + tail);
    }
    return paths;
}

std::string find_index_path(const std::string& bam_path) {
    for (const std::string& path : index_path_candidates(bam_path))
        if (exists(path)) return path;
    return "";
}

}  // namespace qbix
