// place_reporter.hpp: turns written chunks into virtual offsets for the commit hook.
#pragma once

#include <cstdint>
#include <vector>

#include "bgzfw/commit_hook.hpp"
#include "chunk.hpp"

namespace bgzfw {

class PlaceReporter {
   public:
    explicit PlaceReporter(CommitHook* hook) : hook_(hook) {}

    // The chunk's blocks, of sizes chunk.packed_sizes, follow those reported before.
    // REQUIRES: chunk.raw holds the records if there is a hook. Throws Error kHook.
    void report(const Chunk& chunk);

   private:
    void place_blocks(const Chunk& chunk);
    void place_records(const Chunk& chunk);

    CommitHook* hook_;
    uint64_t coffset_ = 0;  // where the next block starts
    // Of the chunk in hand: where its blocks start in the file and in its raw bytes; a last
    // entry stands for the block that follows.
    std::vector<uint64_t> coffsets_;
    std::vector<size_t> raw_starts_;
    std::vector<CommittedRecord> records_;
};

}  // namespace bgzfw
