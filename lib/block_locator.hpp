// block_locator.hpp: from the ordinal of a record to its block, and back.
//
// Complete when constructed, immutable, safe for many threads. Opening does constant work.
// Of a hostile section a lookup gives an Error or a place where another record is, or none:
// whoever reads there finds out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "format_qbx_blocks.hpp"
#include "qbix/types.hpp"
#include "qbx_section.hpp"

namespace qbix {

// A block in which a record starts: where the first of them does, and its ordinal. As virtual
// offsets have it, a record that starts where a block ends starts in the next one.
struct BlockStart {
    uint64_t coffset = 0;
    uint32_t uoffset = 0;
    uint64_t first_ordinal = 0;
    bool operator==(const BlockStart&) const = default;
};

class BlockLocator {
   public:
    // The section must outlive this object. Throws Error kBadIndex, kIo.
    explicit BlockLocator(const QbxSection& section);

    uint64_t n_blocks() const noexcept { return tail_.n_blocks; }
    uint64_t n_records() const noexcept { return tail_.n_records; }

    // REQUIRES: number < n_blocks(). Throws Error kBadIndex, kIo, as all that follow.
    BlockStart block(uint64_t number) const;

    // The block in which record `ordinal` starts. REQUIRES: ordinal < n_records().
    BlockStart block_of(uint64_t ordinal) const;
    RecordPlace place_of(uint64_t ordinal) const;
    // place_of() for many, in any order; runs of ascending ordinals are found along the way.
    // REQUIRES: out.size() == ordinals.size().
    void places_of(std::span<const uint64_t> ordinals, std::span<RecordPlace> out) const;

    // The other way: the block at `coffset`, if a record starts there. Which record of it is
    // meant by a uoffset, only the block tells: RecordReader::number_in_block().
    std::optional<BlockStart> block_at(uint64_t coffset) const;
    // block_at() for many, best in ascending order; what is not there throws Error
    // kForeignIndex. REQUIRES: out.size() == coffsets.size().
    void blocks_at(std::span<const uint64_t> coffsets, std::span<BlockStart> out) const;

    // Walks everything: ascending blocks and ordinals, from 0 on, places in order. Throws
    // Error kBadIndex.
    void validate() const;

   private:
    struct View;  // a frame that has been touched

    const uint8_t* entry(uint64_t frame) const {
        return section_.view(tail_.entry_place(frame), qbx_blocks::kFrameEntryBytes);
    }
    View view(uint64_t frame) const;
    View view(uint64_t frame, const uint8_t* entry, uint64_t ordinals_end) const;
    View view_of_ordinal(uint64_t ordinal) const;
    View search_ordinal(uint64_t guess, uint64_t ordinal) const;
    uint64_t guess_block(const View& view, uint64_t ordinal) const;
    uint64_t find_ordinal(const View& view, uint64_t ordinal) const;
    RecordPlace place_in(const BlockStart& block, uint64_t ordinal) const;
    std::optional<BlockStart> find_coffset(const View& view, uint64_t coffset) const;
    View view_of_coffset(uint64_t coffset) const;

    const QbxSection& section_;
    qbx_blocks::Tail tail_;
    double frames_per_record_;
    double blocks_per_record_;
};

}  // namespace qbix
