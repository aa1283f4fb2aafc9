// little_endian.hpp: integers in byte buffers. Hosts are little-endian (export.hpp asserts
// it), so a load or store is a copy, at any alignment.
#pragma once

#include <cstdint>
#include <cstring>

#include "qbix/export.hpp"

namespace qbix {

template <class Integer>
inline Integer load_le(const uint8_t* bytes) noexcept {
    Integer value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

template <class Integer>
inline void store_le(uint8_t* bytes, Integer value) noexcept {
    std::memcpy(bytes, &value, sizeof value);
}

inline uint64_t load_u64(const uint8_t* bytes) noexcept { return load_le<uint64_t>(bytes); }
inline void store_u64(uint8_t* bytes, uint64_t value) noexcept { store_le(bytes, value); }

}  // namespace qbix
