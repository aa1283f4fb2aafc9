#include "place_reporter.hpp"

#include <string>

#include "bgzfw/error.hpp"
#include "first_error.hpp"
#include "little_endian.hpp"

namespace bgzfw {

CommitHook::~CommitHook() = default;

void CommitHook::on_header(uint64_t) {}

void PlaceReporter::report(const Chunk& chunk) {
    if (hook_ == nullptr) return;
    place_blocks(chunk);
    try {
        if (chunk.holds == Chunk::Holds::kHeader) {
            hook_->on_header(coffset_ << 16);
        } else if (!chunk.layout.empty()) {
            place_records(chunk);
            hook_->on_records(records_);
        }
    } catch (...) {
        throw current_error(ErrorCode::kHook);
    }
}

void PlaceReporter::place_blocks(const Chunk& chunk) {
    coffsets_.assign(1, coffset_);
    raw_starts_.assign(1, 0);
    for (size_t i = 0; i < chunk.packed_sizes.size(); ++i) {
        coffset_ += chunk.packed_sizes[i];
        coffsets_.push_back(coffset_);
        raw_starts_.push_back(raw_starts_.back() + chunk.layout.sizes()[i]);
    }
}

void PlaceReporter::place_records(const Chunk& chunk) {
    records_.clear();
    size_t block = 0;
    // A position at a block's end belongs to the next block, as for a reader.
    const auto voffset = [&](size_t raw_position) {
        while (block + 1 < raw_starts_.size() && raw_starts_[block + 1] <= raw_position) ++block;
        return coffsets_[block] << 16 | (raw_position - raw_starts_[block]);
    };
    const auto raw = chunk.raw.bytes();
    uint64_t begin = voffset(0);
    for (size_t position = 0; position < raw.size();) {
        const size_t size = size_t{load_u32(raw.data() + position)} + 4;
        const uint64_t end = voffset(position + size);
        records_.push_back({begin, end, raw.subspan(position, size)});
        position += size;
        begin = end;
    }
}

}  // namespace bgzfw
