#include "qbx_writer.hpp"

#include <algorithm>

#include "checksum.hpp"
#include "le_bytes.hpp"

namespace qbix {
namespace {

constexpr uint64_t kChunkBytes = QbxSection::kChunkBytes;

uint64_t aligned(uint64_t place) {
    return (place + qbx::kSectionAlignment - 1) / qbx::kSectionAlignment * qbx::kSectionAlignment;
}

}  // namespace

ByteSink& QbxWriter::begin_section(qbx::Kind kind, bool is_required) {
    entries_.push_back({kind, is_required, {.place = end_}});
    return sink_;
}

// The checksums of the chunks of what stands at `place`.
std::vector<uint8_t> QbxWriter::chunk_sums(uint64_t place, uint64_t size_bytes) const {
    std::vector<uint8_t> sums;
    std::vector<uint8_t> chunk(std::min(kChunkBytes, size_bytes));
    uint64_t at = 0;
    do {
        const auto bytes = std::span(chunk).first(std::min(kChunkBytes, size_bytes - at));
        file_.read_at(place + at, bytes);
        sums.resize(sums.size() + 8);
        store_le<uint64_t>(sums.data() + sums.size() - 8, checksum_of(bytes));
        at += kChunkBytes;
    } while (at < size_bytes);
    return sums;
}

void QbxWriter::end_section(uint64_t size_bytes) {
    QbxExtent& extent = entries_.back().extent;
    extent.size_bytes = size_bytes;
    uint64_t place = extent.place, n_bytes = size_bytes;
    std::vector<uint8_t> sums = chunk_sums(place, n_bytes);
    extent.sums_place = place + n_bytes;
    while (sums.size() > 8) {
        place += n_bytes;
        n_bytes = sums.size();
        file_.write_at(place, sums);
        sums = chunk_sums(place, n_bytes);
    }
    extent.root_sum = load_le<uint64_t>(sums.data());
    const uint64_t end = place + n_bytes;
    end_ = aligned(end);
    const uint8_t padding[qbx::kSectionAlignment] = {};
    file_.write_at(end, {padding, end_ - end});
}

void QbxWriter::add_section(qbx::Kind kind, std::span<const uint8_t> bytes, bool is_required) {
    begin_section(kind, is_required).write_at(0, bytes);
    end_section(bytes.size());
}

void QbxWriter::finish() {
    const std::vector<uint8_t> toc = qbx::encode_toc(entries_);
    file_.write_at(end_, toc);
    qbx::Head head;
    head.toc_place = end_;
    head.toc_size_bytes = toc.size();
    head.toc_sum = checksum_of(toc);
    head.file_size_bytes = end_ = end_ + toc.size();
    file_.write_at(0, qbx::encode_head(head));
}

}  // namespace qbix
