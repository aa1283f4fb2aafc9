#include "qbx_file.hpp"

#include <algorithm>
#include <array>

#include "index_errors.hpp"

namespace qbix {
namespace {

std::vector<qbx::SectionEntry> read_toc(const IndexBytes& bytes, const std::string& path) {
    std::array<uint8_t, qbx::kHeadBytes> buffer;
    const std::span file_start(buffer.data(),
                               std::min<uint64_t>(buffer.size(), bytes.size_bytes()));
    bytes.read(0, file_start);
    const qbx::Head head = qbx::decode_head(file_start, bytes.size_bytes(), path);
    std::vector<uint8_t> toc(head.toc_size_bytes);
    bytes.read(head.toc_place, toc);
    return qbx::decode_toc(toc, head, path);
}

}  // namespace

QbxFile::QbxFile(const std::string& path, IndexBytes&& opened)
    : path_(path), bytes_(std::move(opened)), entries_(read_toc(bytes_, path_)) {
    const auto section = open_section(qbx::Kind::kBam);
    if (!section) throw_bad_index(path_, "it does not say of which BAM file it is the index");
    identity_ = qbx::decode_identity(*section);
}

std::unique_ptr<QbxSection> QbxFile::open_section(qbx::Kind kind) const {
    for (const qbx::SectionEntry& entry : entries_)
        if (entry.kind == kind)
            return std::make_unique<QbxSection>(bytes_, path_, entry.extent,
                                                "section " + entry.name());
    return nullptr;
}

}  // namespace qbix
