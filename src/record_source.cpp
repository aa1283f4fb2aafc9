#include "record_source.hpp"

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <vector>

#include "qbix/bam_file.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_hash.hpp"
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
        if (selection_) list_cleaned_names();
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
            if (name) {
                selection_->count_record(*name);
                return true;
            }
            if (cleaned_names_.empty()) continue;
            if (auto cleaned = cleaned_names_.find(bam_get_qname(record)))
                is_seen_[*cleaned] = true;
        }
        if (status < -1)
            throw std::runtime_error(shown(path_) + " is cut off or damaged after record " +
                                     std::to_string(n_records_));
        return false;
    }

    bool has_name(std::string_view name) const override {
        std::optional<uint32_t> cleaned = cleaned_names_.find(name);
        return cleaned && is_seen_[*cleaned];
    }

   private:
    // What to look out for on the way, to be able to say that names were copied from FASTQ.
    void list_cleaned_names() {
        const NameList& names = selection_->names();
        for (uint32_t i = 0; i < names.size(); ++i) {
            std::string_view cleaned = clean_fastq_name(names.name(i));
            if (cleaned != names.name(i)) cleaned_names_.add(cleaned);
        }
        is_seen_.resize(cleaned_names_.size());
    }

    std::string path_;
    NameSelection* selection_;
    std::unique_ptr<htsFile, CloseInput> file_;
    std::unique_ptr<sam_hdr_t, CloseInput> header_;
    uint64_t n_records_ = 0;
    NameList cleaned_names_;
    std::vector<bool> is_seen_;
};

class IndexedSource : public RecordSource {
   public:
    IndexedSource(const std::string& path, const std::string& index_path, NameSelection& selection)
        : selection_(selection), bam_(path), index_(index_path), fetcher_(bam_) {
        check_belongs(index_, bam_);
        candidates_ = find_candidates(index_, selection.names());
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

    bool has_name(std::string_view name) const override {
        return !index_.find(hash_name(name)).empty();
    }

   private:
    NameSelection& selection_;
    BamFile bam_;
    QbiIndex index_;
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
