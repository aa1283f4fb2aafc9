// qbx_file.hpp: an opened .qbx: its sections, found and ready to be touched.
//
// Opening reads the head, the table of contents and the identity: the same work for every
// size. It says nothing of what the other sections hold; those who read them check that.
// Complete when constructed, immutable, safe for many threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "format_qbx.hpp"
#include "index_bytes.hpp"
#include "qbx_section.hpp"

namespace qbix {

class QbxFile {
   public:
    // `map_local` as in IndexBytes. Throws Error: kOpen, kIo, kNotIndex, kBadIndex.
    explicit QbxFile(const std::string& path, bool map_local = true)
        : QbxFile(path, IndexBytes(path, map_local)) {}
    QbxFile(const std::string& path, IndexBytes&& opened);

    const std::string& path() const noexcept { return path_; }
    uint64_t size_bytes() const noexcept { return bytes_.size_bytes(); }
    const qbx::Identity& identity() const noexcept { return identity_; }

    // The sections of known kinds, in the order of the table of contents.
    const std::vector<qbx::SectionEntry>& entries() const noexcept { return entries_; }
    // A new handle on the section of that kind, which must not outlive the file; nullptr when
    // there is none.
    std::unique_ptr<QbxSection> open_section(qbx::Kind kind) const;

   private:
    std::string path_;
    IndexBytes bytes_;
    std::vector<qbx::SectionEntry> entries_;
    qbx::Identity identity_;
};

}  // namespace qbix
