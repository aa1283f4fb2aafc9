#include "bed_regions.hpp"

#include <htslib/bgzf.h>
#include <htslib/kstring.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include "options.hpp"

namespace qbix::cli {
namespace {

void merge_overlaps(std::vector<std::pair<int64_t, int64_t>>& intervals) {
    std::sort(intervals.begin(), intervals.end());
    size_t n = 0;
    for (const auto& interval : intervals) {
        if (n > 0 && interval.first <= intervals[n - 1].second)
            intervals[n - 1].second = std::max(intervals[n - 1].second, interval.second);
        else
            intervals[n++] = interval;
    }
    intervals.resize(n);
}

bool is_comment(const std::string& line) {
    return line.empty() || line[0] == '#' || line.starts_with("track ") ||
           line.starts_with("browser ");
}

}  // namespace

BedRegions::BedRegions(const std::string& path) {
    struct Close {
        void operator()(BGZF* file) const noexcept { bgzf_close(file); }
    };
    std::unique_ptr<BGZF, Close> file(bgzf_open(path.c_str(), "r"));
    if (!file) throw UsageError("failed to open \"" + path + "\": " + strerror(errno));
    kstring_t buffer = KS_INITIALIZE;
    int status;
    for (int n = 1; (status = bgzf_getline(file.get(), '\n', &buffer)) >= 0; ++n) {
        const std::string line(buffer.s, buffer.l);
        if (is_comment(line)) continue;
        std::istringstream fields(line);
        std::string name;
        int64_t begin = -1, end = -1;
        fields >> name >> begin;
        const bool is_whole = static_cast<bool>(fields);
        if (!(fields >> end)) end = begin--;  // a position counts from 1
        if (!is_whole || begin < 0 || end < begin) {
            ks_free(&buffer);
            throw UsageError("line " + std::to_string(n) + " of \"" + path + "\" is not BED");
        }
        intervals_[name].emplace_back(begin, end);
    }
    ks_free(&buffer);
    if (status < -1) throw UsageError("failed to read \"" + path + "\"");
    for (auto& [name, intervals] : intervals_) merge_overlaps(intervals);
}

bool BedRegions::overlaps(const bam1_t* record, const sam_hdr_t* header) const {
    const int32_t tid = record->core.tid;
    if (tid < 0 || tid >= header->n_targets) return false;
    const auto found = intervals_.find(header->target_name[tid]);
    if (found == intervals_.end()) return false;
    const int64_t begin = record->core.pos, end = bam_endpos(record);
    const auto after = std::lower_bound(found->second.begin(), found->second.end(), end,
                                        [](const Interval& i, int64_t e) { return i.first < e; });
    return after != found->second.begin() && std::prev(after)->second > begin;
}

std::vector<std::string> BedRegions::region_strings() const {
    std::vector<std::string> regions;
    for (const auto& [name, intervals] : intervals_)
        for (const Interval& interval : intervals)
            regions.push_back("{" + name + "}:" + std::to_string(interval.first + 1) + "-" +
                              std::to_string(interval.second));
    return regions;
}

}  // namespace qbix::cli
