#include "record_walk.hpp"

#include <algorithm>

#include "bam_record.hpp"
#include "qbix/error.hpp"

namespace qbix {
namespace {

std::string at_voffset(const std::string& path, VirtualOffset voffset) {
    return "\"" + path + "\": the record at offset " + std::to_string(voffset.coffset()) +
           " (byte " + std::to_string(voffset.uoffset()) + " of its block) ";
}

// Says where a record starts that begins at a given position of the data. Positions ascend.
// As bgzf_tell() does: the place after the last byte before it, or the start of the next
// block (empty or not) when that byte ends its block.
class BlockCursor {
   public:
    BlockCursor(std::span<const InflatedBlock> blocks, uint64_t next_coffset)
        : blocks_(blocks), next_coffset_(next_coffset) {}

    // REQUIRES: position > 0.
    VirtualOffset at(size_t position) {
        while (blocks_[i_].data_end < position) ++i_;
        const InflatedBlock& block = blocks_[i_];
        if (position < block.data_end)
            return VirtualOffset::make(block.coffset,
                                       static_cast<uint32_t>(position - block.data_begin));
        return VirtualOffset::make(
            i_ + 1 < blocks_.size() ? blocks_[i_ + 1].coffset : next_coffset_, 0);
    }

   private:
    std::span<const InflatedBlock> blocks_;
    uint64_t next_coffset_;
    size_t i_ = 0;
};

}  // namespace

RecordWalk::RecordWalk(VirtualOffset first_record, uint64_t bytes_needed)
    : bytes_needed_(bytes_needed),
      n_to_skip_(first_record.uoffset()),
      next_voffset_(first_record),
      last_voffset_(first_record) {}

void RecordWalk::check_record(const uint8_t* record, VirtualOffset voffset,
                              const std::string& path) const {
    if (!record_is_consistent(record))
        throw Error(ErrorCode::kDamaged,
                    at_voffset(path, voffset) + "is damaged: its lengths contradict each other");
}

size_t RecordWalk::continue_split_record(std::span<const uint8_t> data, const std::string& path,
                                         std::vector<ScannedRecord>& records,
                                         std::vector<uint8_t>& held) {
    size_t position = 0;
    const auto take = [&](uint64_t n_wanted) {
        const uint64_t missing = n_wanted - std::min<uint64_t>(n_wanted, head_.size());
        const auto n = static_cast<size_t>(std::min<uint64_t>(missing, data.size() - position));
        head_.insert(head_.end(), data.begin() + position, data.begin() + position + n);
        position += n;
        return head_.size() >= n_wanted;
    };
    if (!take(kFixedBytes)) return position;
    check_record(head_.data(), next_voffset_, path);
    const uint64_t size = record_size(head_.data());
    if (!take(std::min(bytes_needed_, size))) return position;
    n_to_skip_ = size - head_.size();
    last_voffset_ = next_voffset_;
    held = std::move(head_);
    head_.clear();
    records.push_back({held.data(), next_voffset_});
    ++n_records_;
    return position;
}

void RecordWalk::walk(std::span<const uint8_t> data, std::span<const InflatedBlock> blocks,
                      uint64_t next_coffset, const std::string& path,
                      std::vector<ScannedRecord>& records, std::vector<uint8_t>& held) {
    if (data.empty()) return;
    size_t position = 0;
    if (!head_.empty()) position = continue_split_record(data, path, records, held);
    if (!head_.empty()) return;
    BlockCursor cursor(blocks, next_coffset);
    for (;;) {
        if (n_to_skip_ > data.size() - position) {
            n_to_skip_ -= data.size() - position;
            return;
        }
        position += n_to_skip_;
        n_to_skip_ = 0;
        if (position > 0) next_voffset_ = cursor.at(position);
        const size_t n_left = data.size() - position;
        const uint8_t* record = data.data() + position;
        if (n_left >= kFixedBytes) {
            check_record(record, next_voffset_, path);
            const uint64_t size = record_size(record);
            if (n_left >= std::min(bytes_needed_, size)) {
                records.push_back({record, next_voffset_});
                ++n_records_;
                last_voffset_ = next_voffset_;
                n_to_skip_ = size;
                continue;
            }
        }
        head_.assign(record, record + n_left);
        return;
    }
}

void RecordWalk::finish(const std::string& path) const {
    if (!head_.empty())
        throw Error(ErrorCode::kTruncated, at_voffset(path, next_voffset_) + "is cut short");
    if (n_to_skip_ > 0)
        throw Error(ErrorCode::kTruncated, at_voffset(path, last_voffset_) + "is cut short");
}

}  // namespace qbix
