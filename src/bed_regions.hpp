// bed_regions.hpp: the intervals of a BED file, as samtools view -L takes them.
#pragma once

#include <htslib/sam.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace qbix::cli {

class BedRegions {
   public:
    // Reads a BED file or a list of "NAME POSITION" lines (1-based), also gzip. Throws
    // UsageError.
    explicit BedRegions(const std::string& path);

    // Whether a mapped record overlaps an interval.
    bool overlaps(const bam1_t* record, const sam_hdr_t* header) const;

    // The intervals as region strings for sam_itr_regarray().
    std::vector<std::string> region_strings() const;

   private:
    using Interval = std::pair<int64_t, int64_t>;             // 0-based, half-open
    std::map<std::string, std::vector<Interval>> intervals_;  // sorted and merged
};

}  // namespace qbix::cli
