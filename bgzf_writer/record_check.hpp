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

}  // namespace bgzfw
