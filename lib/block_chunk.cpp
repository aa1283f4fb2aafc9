#include "block_chunk.hpp"

#include <algorithm>

#include "qbix/error.hpp"

namespace qbix {
namespace {

std::exception_ptr block_fault(ErrorCode code, const std::string& path, uint64_t coffset,
                               const std::string& what) {
    return std::make_exception_ptr(
        Error(code, "\"" + path + "\": " + what + " at offset " + std::to_string(coffset)));
}

}  // namespace

void BlockChunk::find_blocks(CutBlock& cut, size_t n_read, const std::string& path) {
    found_.clear();
    i_next_ = 0;
    n_data_bytes_ = 0;
    fault_ = nullptr;
    const uint8_t* p = buffer_.data() + kBgzfMaxBlockBytes - cut.bytes.size();
    const uint8_t* const end = buffer_.data() + kBgzfMaxBlockBytes + n_read;
    std::copy(cut.bytes.begin(), cut.bytes.end(),
              buffer_.begin() + static_cast<ptrdiff_t>(kBgzfMaxBlockBytes - cut.bytes.size()));
    uint64_t coffset = cut.coffset;
    next_coffset_ = coffset;
    while (static_cast<size_t>(end - p) >= kBgzfHeadBytes) {
        const auto size = bgzf_block_size(p);
        if (!size) {
            fault_ = block_fault(ErrorCode::kDamaged, path, coffset,
                                 "the file is damaged: no BGZF block starts");
            break;
        }
        if (*size > static_cast<size_t>(end - p)) break;
        found_.push_back({coffset, {p, *size}});
        n_data_bytes_ += bgzf_data_size({p, *size});
        p += *size;
        coffset += *size;
    }
    end_coffset_ = coffset;
    is_last = n_read < kChunkBytes || fault_;
    if (is_last && !fault_ && p != end)
        fault_ = block_fault(ErrorCode::kTruncated, path, coffset,
                             "the file is truncated: it ends inside the BGZF block");
    cut.coffset = coffset;
    cut.bytes.assign(p, is_last ? p : end);
    cut.is_end = is_last;
}

bool BlockChunk::inflate_some(BlockInflater& inflater, const std::string& path) {
    inflated_.clear();
    n_inflated_ = 0;
    if (i_next_ == found_.size()) return false;
    size_t n_data = 0;
    size_t i_end = i_next_;
    do {
        n_data += std::min<size_t>(bgzf_data_size(found_[i_end].bytes), kBgzfMaxDataBytes);
        ++i_end;
    } while (i_end < found_.size() && n_data + kBgzfMaxDataBytes <= kDataBytesAtOnce);
    if (data_.size() < n_data) data_.resize(n_data);
    for (; i_next_ < i_end; ++i_next_) {
        const FoundBlock& block = found_[i_next_];
        const auto status = inflater.inflate(block.bytes, data_.data() + n_inflated_);
        if (status != InflateStatus::kOk) {
            fault_ = block_fault(
                ErrorCode::kDamaged, path, block.coffset,
                std::string("the file is damaged: ") + describe(status) + ", in the BGZF block");
            i_next_ = found_.size();
            next_coffset_ = block.coffset;
            return true;
        }
        const size_t data_end = n_inflated_ + bgzf_data_size(block.bytes);
        inflated_.push_back({block.coffset, n_inflated_, data_end});
        n_inflated_ = data_end;
    }
    next_coffset_ = i_next_ < found_.size() ? found_[i_next_].coffset : end_coffset_;
    return true;
}

}  // namespace qbix
