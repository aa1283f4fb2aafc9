#include "block_reader.hpp"

#include <algorithm>
#include <cstring>

#include "qbix/error.hpp"

namespace qbix {
namespace {

constexpr size_t kLeastRead = 16384;
// A window has at most a whole block, or a head that is not known yet and what is read then.
constexpr size_t kWindowBytes = kBgzfMaxBlockBytes + kBgzfHeadBytes;

}  // namespace

BlockReader::BlockReader(const std::string& path)
    : file_(path),
      compressed_(std::make_unique_for_overwrite<uint8_t[]>(kWindowBytes)),
      // A request takes longer than the rest of a block.
      n_expected_(file_.is_remote() ? kBgzfMaxBlockBytes : kLeastRead),
      data_(std::make_unique_for_overwrite<uint8_t[]>(kBgzfMaxDataBytes)) {}

// The whole block at `coffset`; fewer bytes when the file ends within it, none at its end.
std::span<const uint8_t> BlockReader::read_block(uint64_t coffset) {
    const bool in_window = coffset >= window_coffset_ && coffset < window_coffset_ + n_window_;
    const size_t n_kept = in_window ? window_coffset_ + n_window_ - coffset : 0;
    std::memmove(compressed_.get(), compressed_.get() + (n_window_ - n_kept), n_kept);
    window_coffset_ = coffset;
    n_window_ = n_kept;
    const auto have = [&](size_t n_wanted, size_t n_to_read) {
        if (n_window_ < n_wanted)
            n_window_ +=
                file_.read_at(coffset + n_window_, {compressed_.get() + n_window_, n_to_read});
        return n_window_ >= n_wanted;
    };
    if (!have(kBgzfHeadBytes, n_expected_)) return {compressed_.get(), n_window_};
    const auto size = bgzf_block_size(compressed_.get());
    if (!size)
        throw Error(ErrorCode::kForeignIndex,
                    "no BGZF block starts at offset " + std::to_string(coffset) + " of \"" +
                        path() + "\": the index is of another file, or the BAM is damaged");
    if (!file_.is_remote())
        n_expected_ = std::clamp<size_t>(*size + *size / 4, kLeastRead, kBgzfMaxBlockBytes);
    have(*size, *size - std::min<size_t>(*size, n_window_));
    return {compressed_.get(), std::min<size_t>(n_window_, *size)};
}

bool BlockReader::load(uint64_t coffset) {
    if (coffset == coffset_) return true;
    coffset_ = UINT64_MAX;
    const auto block = read_block(coffset);
    if (block.empty()) return false;
    const std::string place = " at offset " + std::to_string(coffset) + " of \"" + path() + "\"";
    if (block.size() < kBgzfHeadBytes || block.size() < *bgzf_block_size(block.data()))
        throw Error(ErrorCode::kTruncated, "the file ends inside the BGZF block" + place);
    const auto status = inflater_.inflate(block, data_.get());
    if (status != InflateStatus::kOk)
        throw Error(ErrorCode::kDamaged,
                    "the BGZF block" + place + " is damaged: " + describe(status));
    n_data_ = bgzf_data_size(block);
    coffset_ = coffset;
    next_coffset_ = coffset + block.size();
    ++blocks_read_;
    return true;
}

}  // namespace qbix
