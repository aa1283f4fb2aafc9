// checksum.hpp: the checksum of the .qbx format: XXH3-64, seed 0.
#pragma once

#include <cstdint>
#include <span>

namespace qbix {

uint64_t checksum_of(std::span<const uint8_t> bytes) noexcept;

}  // namespace qbix
