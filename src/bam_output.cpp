#include "bam_output.hpp"

#include "bgzfw/bam1.hpp"
#include "output_header.hpp"

namespace qbix::cli {

BamOutput::BamOutput(const BamOutputSpec& spec, const sam_hdr_t* header)
    : path_(spec.path), file_(spec.path) {
    const Header own_header = duplicate_header(header);  // htslib renders its text into it
    if (!spec.index_path.empty()) indexes_.want_regions(own_header.get(), spec.index_path);
    bgzfw::Options options;
    options.level = spec.level;
    options.workers = spec.n_workers;
    if (indexes_.is_wanted()) options.hook = &indexes_;
    writer_.emplace(file_.fd(), file_.name(), bgzfw::render_header(own_header.get()), options);
}

void BamOutput::write(const bam1_t& record) { writer_->write(record); }

void BamOutput::close() {
    writer_->close();
    file_.close();
    indexes_.finish(path_);
}

}  // namespace qbix::cli
