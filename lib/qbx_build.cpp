#include "qbx_build.hpp"

#include "qbix/error.hpp"
#include "qbx_identity.hpp"

namespace qbix {

QbxBuild::QbxBuild(OutputFile& file, unsigned remainder_bits)
    : remainder_bits_(remainder_bits),
      writer_(file),
      blocks_(writer_.begin_section(qbx::Kind::kBlocks)) {
    if (remainder_bits != 16 && remainder_bits != 24 && remainder_bits != 32)
        throw Error(ErrorCode::kUsage, "remainders have 16, 24 or 32 bits");
}

void QbxBuild::begin(uint64_t n_rows) {
    n_records_ = n_rows;
    blocks_.finish(n_rows);
    writer_.end_section(blocks_.size_bytes());
    names_ =
        std::make_unique<QbxNamesWriter>(writer_.begin_section(qbx::Kind::kNames), remainder_bits_);
    names_->begin(n_rows);
}

void QbxBuild::finish() {
    names_->finish();
    writer_.end_section(names_->size_bytes());
}

void QbxBuild::complete(const BamFile& bam, const BamIdentity& indexed) {
    qbx::Identity identity = identify(bam, n_records_, blocks_.sample_coffsets(kSampledBlocks));
    identity.bam = indexed;
    writer_.add_section(qbx::Kind::kBam, qbx::encode_identity(identity));
    writer_.finish();
}

}  // namespace qbix
