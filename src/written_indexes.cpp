#include "written_indexes.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "qbix/name_hash.hpp"

namespace qbix::cli {
namespace {

uint32_t load_u32(const uint8_t* p) {
    uint32_t value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Where an encoded record lies (SAM specification, 4.2).
struct Alignment {
    int32_t reference;
    int64_t begin;
    int64_t end;  // as htslib's indexer has it: at least one base
    bool is_mapped;
};

Alignment alignment_of(std::span<const uint8_t> record) {
    constexpr size_t kFixedBytes = 36;
    const uint32_t flag_and_n_cigar = load_u32(&record[16]);
    Alignment a{static_cast<int32_t>(load_u32(&record[4])),
                static_cast<int32_t>(load_u32(&record[8])), 0,
                (flag_and_n_cigar >> 16 & BAM_FUNMAP) == 0};
    int64_t length = 0;
    if (a.is_mapped) {
        const uint8_t* cigar = &record[kFixedBytes] + record[12];
        for (uint32_t i = 0; i < (flag_and_n_cigar & 0xffff); ++i) {
            const uint32_t op = load_u32(cigar + 4 * i);
            if (bam_cigar_type(bam_cigar_op(op)) & 2) length += bam_cigar_oplen(op);
        }
    }
    a.end = a.begin + std::max<int64_t>(length, 1);
    return a;
}

// Better now than after hours of writing.
void require_folder(const std::string& index_path) {
    const auto folder = std::filesystem::path(index_path).parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return;
    throw std::runtime_error("the index \"" + index_path +
                             "\" cannot be created: " + std::strerror(errno));
}

}  // namespace

RegionIndex::RegionIndex(const sam_hdr_t* header, std::string path)
    : path_(std::move(path)), n_references_(header->n_targets) {
    if (path_.ends_with(".bai")) {
        format_ = HTS_FMT_BAI;
        return;
    }
    // As many levels as the longest reference takes, with htslib's margin.
    int64_t longest = 0;
    for (int i = 0; i < n_references_; ++i)
        longest = std::max<int64_t>(longest, sam_hdr_tid2len(header, i));
    n_levels_ = 0;
    for (int64_t room = int64_t{1} << min_shift_; longest + 256 > room; room <<= 3) ++n_levels_;
}

void RegionIndex::begin(uint64_t first_record_voffset) {
    end_voffset_ = first_record_voffset;
    index_.reset(hts_idx_init(n_references_, format_, first_record_voffset, min_shift_, n_levels_));
    if (!index_) throw std::bad_alloc();
}

void RegionIndex::add(const bgzfw::CommittedRecord& record) {
    const Alignment a = alignment_of(record.bytes);
    if (hts_idx_push(index_.get(), a.reference, a.begin, a.end, record.end_voffset, a.is_mapped) <
        0)
        throw std::runtime_error(
            "--write-index needs records that are sorted by coordinate and lie within what the "
            "index can hold; \"" +
            std::string(qname_of(&record.bytes[36], record.bytes[12])) + "\" is not");
    end_voffset_ = record.end_voffset;
}

// Under another name first, so that a half-written index is never taken for a whole one; but a
// device or pipe is written to as it is.
void RegionIndex::save() {
    struct stat status;
    const bool is_special = stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
    const std::string written = is_special ? path_ : path_ + ".tmp." + std::to_string(getpid());
    if (hts_idx_finish(index_.get(), end_voffset_) == 0 &&
        hts_idx_save_as(index_.get(), nullptr, written.c_str(), format_) == 0 &&
        (is_special || rename(written.c_str(), path_.c_str()) == 0))
        return;
    const int error = errno;
    if (!is_special) unlink(written.c_str());
    throw std::runtime_error("failed to write the index \"" + path_ +
                             "\": " + std::strerror(error));
}

void WrittenIndexes::want_regions(const sam_hdr_t* header, const std::string& path) {
    require_folder(path);
    regions_.emplace(header, path);
}

void WrittenIndexes::want_names(const BuildOptions& options) {
    require_folder(options.index_path);
    names_.push_back(std::make_unique<IndexCollector>(options));
}

void WrittenIndexes::on_header(uint64_t first_record_voffset) {
    if (regions_) regions_->begin(first_record_voffset);
}

void WrittenIndexes::on_records(std::span<const bgzfw::CommittedRecord> records) {
    for (const auto& record : records) {
        if (regions_) regions_->add(record);
        for (const auto& names : names_)
            names->add(qname_of(&record.bytes[36], record.bytes[12]), {record.begin_voffset});
    }
}

void WrittenIndexes::finish(const std::string& bam_path) {
    if (regions_) regions_->save();
    for (const auto& names : names_) names->finish(bam_path);
}

}  // namespace qbix::cli
