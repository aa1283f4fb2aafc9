// block_reader.hpp: single BGZF blocks by offset, inflated and checked; keeps the last one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bgzf_block.hpp"
#include "byte_reader.hpp"

namespace qbix {

// One thread.
class BlockReader {
   public:
    explicit BlockReader(const std::string& path);

    // Makes the block at `coffset` the current one; false when the file ends there.
    // Throws Error: kForeignIndex when no BGZF block starts there, kTruncated, kDamaged, kIo.
    bool load(uint64_t coffset);
    bool load_next() { return load(next_coffset_); }

    // Of the current block. Valid until the next load().
    std::span<const uint8_t> data() const noexcept { return {data_.get(), n_data_}; }
    uint64_t blocks_read() const noexcept { return blocks_read_; }
    const std::string& path() const noexcept { return file_.path(); }

   private:
    std::span<const uint8_t> read_block(uint64_t coffset);

    ByteReader file_;
    BlockInflater inflater_;
    // Not cleared at the start: of a few records only a few pages are ever touched.
    std::unique_ptr<uint8_t[]> compressed_;  // bytes of the file from window_coffset_ on
    uint64_t window_coffset_ = 0;
    size_t n_window_ = 0;
    size_t n_expected_;  // bytes to read for a block whose size is not known yet
    std::unique_ptr<uint8_t[]> data_;
    size_t n_data_ = 0;
    uint64_t coffset_ = UINT64_MAX;  // of the current block; UINT64_MAX: none
    uint64_t next_coffset_ = 0;
    uint64_t blocks_read_ = 0;
};

}  // namespace qbix
