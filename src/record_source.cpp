#include "record_source.hpp"

#include <htslib/hfile.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace qbix::cli {
namespace {

std::string shown(const std::string& path) {
    return path == "-" ? "standard input" : "\"" + path + "\"";
}

struct CloseInput {
    void operator()(htsFile* file) const noexcept { hts_close(file); }
    void operator()(sam_hdr_t* header) const noexcept { sam_hdr_destroy(header); }
    void operator()(hts_idx_t* index) const noexcept { hts_idx_destroy(index); }
    void operator()(hts_itr_t* iterator) const noexcept { hts_itr_destroy(iterator); }
};

htsFile* open_input(const Input& input) {
    if (!input.stream) return hts_open_format(input.path.c_str(), "r", input.format);
    htsFile* file = hts_hopen(input.stream, input.path.c_str(), "r");
    if (!file) {
        hclose_abruptly(input.stream);
        return nullptr;
    }
    if (!input.format || hts_opt_apply(file, static_cast<hts_opt*>(input.format->specific)) == 0)
        return file;
    hts_close(file);
    return nullptr;
}

class ScanSource : public RecordSource {
   public:
    explicit ScanSource(const Input& input) : path_(input.path), file_(open_input(input)) {
        if (!file_)
            throw std::runtime_error("failed to open " + shown(path_) + ": " + strerror(errno));
        // Threads of htslib 1.16 take a file that is cut inside a block for whole, so they
        // read only what is known to end as it should.
        constexpr int kHasEof = 1;
        if (!file_->is_bgzf || hts_check_EOF(file_.get()) == kHasEof)
            input.pool->attach(file_.get());
        header_.reset(sam_hdr_read(file_.get()));
        if (!header_) throw std::runtime_error("failed to read the header of " + shown(path_));
    }

    const sam_hdr_t* header() const override { return header_.get(); }

    bool next(bam1_t* record) override {
        return check(sam_read1(file_.get(), header_.get(), record));
    }

   protected:
    bool check(int status) {
        if (status < -1)
            throw std::runtime_error(shown(path_) + " is cut off or damaged after record " +
                                     std::to_string(n_records_));
        n_records_ += status >= 0;
        return status >= 0;
    }

    std::string path_;
    std::unique_ptr<htsFile, CloseInput> file_;
    std::unique_ptr<sam_hdr_t, CloseInput> header_;
    uint64_t n_records_ = 0;
};

class RegionSource : public ScanSource {
   public:
    RegionSource(const Input& input, const std::vector<std::string>& regions, bool is_merged)
        : ScanSource(input), regions_(regions) {
        index_.reset(sam_index_load3(file_.get(), path_.c_str(), nullptr, HTS_IDX_SAVE_REMOTE));
        if (!index_)
            throw std::runtime_error("regions need an index of " + shown(path_) +
                                     "; make one with: samtools index " + path_);
        if (is_merged) merge_regions();
    }

    bool next(bam1_t* record) override {
        for (;;) {
            if (!iterator_ && !next_region()) return false;
            if (check(sam_itr_next(file_.get(), iterator_.get(), record))) return true;
            iterator_.reset();
        }
    }

   private:
    bool next_region() {
        if (next_region_ == regions_.size()) return false;
        const std::string& region = regions_[next_region_++];
        iterator_.reset(sam_itr_querys(index_.get(), header_.get(), region.c_str()));
        if (!iterator_)
            throw std::runtime_error("the region \"" + region + "\" is not one of " + shown(path_));
        return true;
    }

    void merge_regions() {
        std::vector<char*> texts;
        for (std::string& region : regions_) texts.push_back(region.data());
        if (!texts.empty()) {
            iterator_.reset(sam_itr_regarray(index_.get(), header_.get(), texts.data(),
                                             static_cast<unsigned>(texts.size())));
            if (!iterator_)
                throw std::runtime_error("the regions are not those of " + shown(path_));
        }
        next_region_ = regions_.size();
    }

    std::vector<std::string> regions_;
    std::unique_ptr<hts_idx_t, CloseInput> index_;
    std::unique_ptr<hts_itr_t, CloseInput> iterator_;
    size_t next_region_ = 0;
};

class CandidateSource : public RecordSource {
   public:
    CandidateSource(const NameIndex& index, const BamFile& bam, const NameList& names,
                    const std::vector<NameCandidate>& candidates)
        : bam_(bam), names_(names), candidates_(candidates), fetcher_(index, bam) {}

    const sam_hdr_t* header() const override { return bam_.header(); }

    bool next(bam1_t* record) override {
        while (next_ < candidates_.size()) {
            const NameCandidate& candidate = candidates_[next_++];
            std::optional<RecordView> view =
                fetcher_.fetch(candidate.place(), names_.name(candidate.name));
            if (!view) continue;
            decode_record(*view, bam_.header(), record);
            return true;
        }
        return false;
    }

   private:
    const BamFile& bam_;
    const NameList& names_;
    const std::vector<NameCandidate>& candidates_;
    NameFetcher fetcher_;
    size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RecordSource> open_scan(const Input& input) {
    return std::make_unique<ScanSource>(input);
}

std::unique_ptr<RecordSource> open_regions(const Input& input,
                                           const std::vector<std::string>& regions,
                                           bool is_merged) {
    return std::make_unique<RegionSource>(input, regions, is_merged);
}

bool has_region_index(const std::string& path) {
    const htsLogLevel level = hts_get_log_level();
    hts_set_log_level(HTS_LOG_OFF);  // that there is none is no error
    std::unique_ptr<hts_idx_t, CloseInput> index;
    std::unique_ptr<htsFile, CloseInput> file(hts_open(path.c_str(), "r"));
    if (file) index.reset(sam_index_load3(file.get(), path.c_str(), nullptr, HTS_IDX_SILENT_FAIL));
    hts_set_log_level(level);
    return index != nullptr;
}

std::unique_ptr<RecordSource> open_candidates(const NameIndex& index, const BamFile& bam,
                                              const NameList& names,
                                              const std::vector<NameCandidate>& candidates) {
    return std::make_unique<CandidateSource>(index, bam, names, candidates);
}

}  // namespace qbix::cli
