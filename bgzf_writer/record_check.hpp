// record_check.hpp: does an encoded BAM record hold together?
#pragma once

#include <cstdint>
#include <span>

namespace bgzfw {

// Size in bytes of the record that `bytes` begin with, block_size field included. Checked
// are the lengths inside against block_size, the name's NUL, and the reference numbers
// against the header: what keeps a reader in step and in bounds. Tags are not looked into.
// Throws Error kRecord.
size_t checked_record_size(std::span<const uint8_t> bytes, uint32_t n_references);

// For walks over records whose bytes are needed soon after: asks for those that follow a record
// of `size` bytes at `record` a little further on. A walk by itself touches every fifth cache
// line or so, which the processor's own prefetching does not follow.
inline void prefetch_following(const uint8_t* record, size_t size) {
    constexpr size_t kAheadBytes = 2048, kLineBytes = 64, kMostBytes = 1024;
    for (size_t i = 0; i < size && i < kMostBytes; i += kLineBytes) {
        __builtin_prefetch(record + kAheadBytes + i);
    }
}

}  // namespace bgzfw
