// written_indexes.hpp: indexes of a BAM, made while it is written.
#pragma once

#include <htslib/sam.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bgzfw/commit_hook.hpp"
#include "qbix/index_collector.hpp"

namespace qbix::cli {

// The index of regions, CSI or BAI, as "samtools index" makes it of the finished file.
class RegionIndex {
   public:
    // BAI where the path ends in .bai, else CSI.
    RegionIndex(const sam_hdr_t* header, std::string path);

    void begin(uint64_t first_record_voffset);
    // Throws std::runtime_error when the records are not sorted by coordinate.
    void add(const bgzfw::CommittedRecord& record);
    // Throws std::runtime_error.
    void save();

   private:
    struct Destroy {
        void operator()(hts_idx_t* index) const noexcept { hts_idx_destroy(index); }
    };

    std::string path_;
    int n_references_;
    int format_ = HTS_FMT_CSI;
    int min_shift_ = 14;
    int n_levels_ = 5;
    uint64_t end_voffset_ = 0;  // of the last record
    std::unique_ptr<hts_idx_t, Destroy> index_;
};

// The hook of qbix write: feeds the indexes that were asked for.
class WrittenIndexes : public bgzfw::CommitHook {
   public:
    // Where to make one; before the writer is opened. Throws std::exception.
    void want_regions(const sam_hdr_t* header, const std::string& path);
    void want_names(const BuildOptions& options);  // any number of times
    bool is_wanted() const noexcept { return regions_ || !names_.empty(); }

    void on_header(uint64_t first_record_voffset) override;
    void on_records(std::span<const bgzfw::CommittedRecord> records) override;

    // The BAM is complete and closed. Throws std::exception.
    void finish(const std::string& bam_path);

   private:
    std::optional<RegionIndex> regions_;
    std::vector<std::unique_ptr<IndexCollector>> names_;
};

}  // namespace qbix::cli
