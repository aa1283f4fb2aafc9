// qbx_writer.hpp: sections, one after the other, into a .qbx file.
//
// A section is written through a ByteSink, in any order and by any number of threads, and its
// size need not be known before. Its checksums are taken when it ends, from what was written:
// the bytes are read back, which the page cache makes cheap. The table of contents comes last,
// then the head, so that a file that was not finished has none.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "byte_sink.hpp"
#include "format_qbx.hpp"
#include "output_file.hpp"

namespace qbix {

class QbxWriter {
   public:
    // `file` must outlive the writer.
    explicit QbxWriter(OutputFile& file) : file_(file), sink_(*this) {}
    QbxWriter(const QbxWriter&) = delete;
    QbxWriter& operator=(const QbxWriter&) = delete;

    // Begins the next section. Places in the sink count from the section's start. The sink is
    // valid until end_section(). REQUIRES: no section is open.
    ByteSink& begin_section(qbx::Kind kind, bool is_required = true);
    // REQUIRES: all of [0, size_bytes) was written, and nothing is being written.
    void end_section(uint64_t size_bytes);
    void add_section(qbx::Kind kind, std::span<const uint8_t> bytes, bool is_required = true);

    // The file is whole afterwards. Once.
    void finish();
    uint64_t size_bytes() const noexcept { return end_; }

   private:
    struct Sink final : ByteSink {
        explicit Sink(QbxWriter& owner) : writer(owner) {}
        void write_at(uint64_t place, std::span<const uint8_t> bytes) override {
            writer.file_.write_at(writer.end_ + place, bytes);
        }
        QbxWriter& writer;
    };

    std::vector<uint8_t> chunk_sums(uint64_t place, uint64_t size_bytes) const;

    OutputFile& file_;
    Sink sink_;
    std::vector<qbx::SectionEntry> entries_;
    uint64_t end_ = qbx::kHeadBytes;  // of what is finished: where the next section begins
};

}  // namespace qbix
