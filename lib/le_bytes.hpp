// le_bytes.hpp: little-endian integers at any address.
#pragma once

#include <cstdint>
#include <cstring>

#include "qbix/export.hpp"  // refuses big-endian hosts

namespace qbix {

template <class T>
inline T load_le(const uint8_t* p) noexcept {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template <class T>
inline void store_le(uint8_t* p, T value) noexcept {
    std::memcpy(p, &value, sizeof value);
}

}  // namespace qbix
