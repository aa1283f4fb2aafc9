// qbx_build.hpp: everything that goes into a .qbx, in the order in which it becomes known.
//
// While the BAM file is read, the blocks; then the rows, sorted by hash; then the identity.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "block_locator_writer.hpp"
#include "output_file.hpp"
#include "qbix/bam_file.hpp"
#include "qbx_names_writer.hpp"
#include "qbx_writer.hpp"
#include "row_sink.hpp"

namespace qbix {

// Rows have ordinals in the place of virtual offsets.
class QbxBuild final : public RowSink {
   public:
    // `file` must outlive the build. Throws Error kUsage.
    QbxBuild(OutputFile& file, unsigned remainder_bits);

    // In ascending order, all before begin(). One thread at a time.
    void add_blocks(std::span<const BlockStart> blocks) { blocks_.add(blocks); }

    void begin(uint64_t n_rows) override;
    void consume(const RowPiece& piece) override { names_->consume(piece); }
    void abort() noexcept override {
        if (names_) names_->abort();
    }
    void finish() override;

    // After finish(): the file is whole. `identity` is that of the BAM file, or as the index
    // from which this one is made has it. Throws Error.
    void complete(const BamFile& bam, const BamIdentity& identity);

    // After complete().
    uint64_t n_names() const noexcept { return names_->n_names(); }
    uint64_t size_bytes() const noexcept { return writer_.size_bytes(); }

   private:
    unsigned remainder_bits_;
    QbxWriter writer_;
    BlockLocatorWriter blocks_;
    std::unique_ptr<QbxNamesWriter> names_;
    uint64_t n_records_ = 0;
};

}  // namespace qbix
