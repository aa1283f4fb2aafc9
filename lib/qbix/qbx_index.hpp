// qbix/qbx_index.hpp: an opened .qbx: read names to record ordinals, ordinals to blocks. The
// bytes are specified in qbx(5).
//
// Opening does the same small work for every size; each chunk of the file is verified when it
// is first used. A handle is complete when constructed, immutable, and safe for many threads.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "qbix/export.hpp"
#include "qbix/name_index.hpp"

namespace qbix {

class IndexBytes;

class QBIX_EXPORT QbxIndex final : public NameIndex {
   public:
    // `preload` as in open_name_index(). Throws Error: kOpen, kIo, kNotIndex, kBadIndex.
    explicit QbxIndex(const std::string& path, bool preload = false);
    QbxIndex(const std::string& path, IndexBytes&& opened, bool preload);
    ~QbxIndex() override;

    const std::string& path() const noexcept override;
    IndexFormat format() const noexcept override { return IndexFormat::kQbx; }
    uint64_t size_bytes() const noexcept override;
    uint64_t record_count() const noexcept override;
    const BamIdentity& bam_identity() const noexcept override;
    uint64_t unique_hash_count() const noexcept;
    unsigned remainder_bits() const noexcept;  // 16, 24 or 32
    uint64_t block_count() const noexcept;     // of those in which a record starts

    // Of the sections "NAME" and "BLOC", without checksums; 0 for any other.
    uint64_t section_bytes(const std::string& section) const noexcept;

    bool has_name(NameHash hash) const override;
    void find_places(NameHash hash, std::vector<RecordPlace>& places) const override;
    void find_places_batch(std::span<const NameHash> hashes, PlaceGroups& found) const override;
    bool matches(NameHash asked, NameHash found) const override;
    void visit_names(const std::function<void(uint64_t n_records)>& visit) const override;
    void check_belongs(const BamFile& bam) const override;

    // What the index keeps of a name: where its hash falls, and its records.
    struct Name {
        uint64_t region;
        uint64_t line;
        uint32_t remainder;
        uint64_t first_ordinal;
        uint64_t n_records;
    };
    // Calls visit for each name in hash order, and checks the section on the way.
    void walk(const std::function<void(const Name&)>& visit) const;

    // REQUIRES: ordinal < record_count().
    RecordPlace place_of(uint64_t ordinal) const;

    struct State;
    const State& state() const noexcept { return *state_; }

   private:
    std::unique_ptr<const State> state_;
};

}  // namespace qbix
