#include "block_locator_writer.hpp"

#include <algorithm>
#include <bit>

namespace qbix {
namespace {

constexpr size_t kBufferBytes = 64 << 10;

}  // namespace

void BlockLocatorWriter::add(const BlockStart& block) {
    if (block.coffset == last_coffset_) return;
    last_coffset_ = block.coffset;
    ++n_blocks_;
    frame_.push_back(block);
    if (frame_.size() == qbx_blocks::kFrameBlocks) end_frame();
}

void BlockLocatorWriter::end_frame() {
    if (frame_.empty()) return;
    qbx_blocks::Frame frame;
    frame.first_coffset = frame_[0].coffset;
    frame.first_ordinal = frame_[0].first_ordinal;
    frame.place = size_bytes_;
    std::vector<uint64_t> coffsets, ordinals, uoffsets;
    uint64_t all_uoffsets = 0;
    for (const BlockStart& block : frame_) {
        coffsets.push_back(block.coffset - frame.first_coffset);
        ordinals.push_back(block.first_ordinal - frame.first_ordinal);
        uoffsets.push_back(block.uoffset);
        all_uoffsets |= block.uoffset;
    }
    frame.coffset_bits = static_cast<uint8_t>(std::bit_width(coffsets.back()));
    frame.ordinal_bits = static_cast<uint8_t>(std::bit_width(ordinals.back()));
    frame.uoffset_bits = static_cast<uint8_t>(std::bit_width(all_uoffsets));
    const size_t n_before = buffer_.size();
    qbx_blocks::pack(coffsets, frame.coffset_bits, buffer_);
    qbx_blocks::pack(ordinals, frame.ordinal_bits, buffer_);
    qbx_blocks::pack(uoffsets, frame.uoffset_bits, buffer_);
    size_bytes_ += buffer_.size() - n_before;
    directory_.push_back(frame);
    frame_.clear();
    if (buffer_.size() >= kBufferBytes) flush();
}

void BlockLocatorWriter::flush() {
    sink_.write_at(size_bytes_ - buffer_.size(), buffer_);
    buffer_.clear();
}

void BlockLocatorWriter::finish(uint64_t n_records) {
    end_frame();
    const qbx_blocks::Tail tail{n_blocks_, n_records, size_bytes_};
    for (const qbx_blocks::Frame& frame : directory_) {
        buffer_.resize(buffer_.size() + qbx_blocks::kFrameEntryBytes);
        qbx_blocks::encode_frame_entry(
            frame, buffer_.data() + buffer_.size() - qbx_blocks::kFrameEntryBytes);
        size_bytes_ += qbx_blocks::kFrameEntryBytes;
        if (buffer_.size() >= kBufferBytes) flush();
    }
    const auto tail_bytes = qbx_blocks::encode_tail(tail);
    buffer_.insert(buffer_.end(), tail_bytes.begin(), tail_bytes.end());
    size_bytes_ += tail_bytes.size();
    flush();
}

std::vector<uint64_t> BlockLocatorWriter::sample_coffsets(size_t n_at_most) const {
    std::vector<uint64_t> coffsets;
    if (n_blocks_ == 0) return coffsets;
    const size_t n = std::min(n_at_most - 1, directory_.size());
    for (size_t i = 0; i < n; ++i)
        coffsets.push_back(directory_[i * directory_.size() / n].first_coffset);
    if (coffsets.back() != last_coffset_) coffsets.push_back(last_coffset_);
    return coffsets;
}

}  // namespace qbix
