// qbix/name_hash.hpp: the hash of a read name.
#pragma once

#include <cstdint>
#include <string_view>

#include "qbix/export.hpp"
#include "qbix/types.hpp"

namespace qbix {

// XXH3-64, seed 0, over the bytes of `qname` (0-255 bytes, any values, no NUL at the end).
QBIX_EXPORT NameHash hash_name(std::string_view qname) noexcept;

// The QNAME of an encoded BAM record: the bytes before the first NUL, or all
// `l_read_name` bytes where there is none.
// REQUIRES: l_read_name readable bytes at `read_name`.
QBIX_EXPORT std::string_view qname_of(const uint8_t* read_name, uint8_t l_read_name) noexcept;

}  // namespace qbix
