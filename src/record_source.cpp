#include "record_source.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_lookup.hpp"
#include "qbix/qbi_index.hpp"

namespace qbix::cli {
namespace {

std::string shown(const std::string& path) {
    return path == "-" ? "standard input" : "\"" + path + "\"";
}

struct CloseInput {
    void operator()(htsFile* file) const noexcept { hts_close(file); }
    void operator()(sam_hdr_t* header) const noexcept { sam_hdr_destroy(header); }
};

class ScanSource : public RecordSource {
   public:
    ScanSource(const std::string& path, ThreadPool& pool, NameSelection* selection)
        : path_(path), selection_(selection), file_(hts_open(path.c_str(), "r")) {
        if (!file_)
            throw std::runtime_error("failed to open " + shown(path) + ": " + strerror(errno));
        // Threads of htslib 1.16 take a file that is cut inside a block for whole, so they
        // read only what is known to end as it should.
        constexpr int kHasEof = 1;
        if (!file_->is_bgzf || hts_check_EOF(file_.get()) == kHasEof) pool.attach(file_.get());
        header_.reset(sam_hdr_read(file_.get()));
        if (!header_) throw std::runtime_error("failed to read the header of " + shown(path));
    }

    const sam_hdr_t* header() const override { return header_.get(); }

    bool next(bam1_t* record) override {
        // An empty list selects nothing, whatever follows.
        if (selection_ && selection_->names().empty()) return false;
        int status;
        while ((status = sam_read1(file_.get(), header_.get(), record)) >= 0) {
            ++n_records_;
            if (!selection_) return true;
            std::optional<uint32_t> name = selection_->names().find(bam_get_qname(record));
            if (!name) continue;
            selection_->count_record(*name);
            return true;
        }
        if (status < -1)
            throw std::runtime_error(shown(path_) + " is cut off or damaged after record " +
                                     std::to_string(n_records_));
        return false;
    }

   private:
    std::string path_;
    NameSelection* selection_;
    std::unique_ptr<htsFile, CloseInput> file_;
    std::unique_ptr<sam_hdr_t, CloseInput> header_;
    uint64_t n_records_ = 0;
};

class IndexedSource : public RecordSource {
   public:
    IndexedSource(const std::string& path, const std::string& index_path, NameSelection& selection)
        : selection_(selection), bam_(path), fetcher_(bam_) {
        QbiIndex index(index_path);
        check_belongs(index, bam_);
        candidates_ = find_candidates(index, selection.names());
    }

    const sam_hdr_t* header() const override { return bam_.header(); }

    bool next(bam1_t* record) override {
        while (next_ < candidates_.size()) {
            const NameCandidate& candidate = candidates_[next_++];
            std::optional<RecordView> view =
                fetcher_.fetch(candidate.voffset, selection_.names().name(candidate.name));
            if (!view) continue;
            decode_record(*view, bam_.header(), record);
            selection_.count_record(candidate.name);
            return true;
        }
        return false;
    }

   private:
    NameSelection& selection_;
    BamFile bam_;
    NameFetcher fetcher_;
    std::vector<NameCandidate> candidates_;
    size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RecordSource> open_scan(const std::string& path, ThreadPool& pool,
                                        NameSelection* selection) {
    return std::make_unique<ScanSource>(path, pool, selection);
}

std::unique_ptr<RecordSource> open_indexed(const std::string& path, const std::string& index_path,
                                           NameSelection& selection) {
    return std::make_unique<IndexedSource>(path, index_path, selection);
}

}  // namespace qbix::cli
