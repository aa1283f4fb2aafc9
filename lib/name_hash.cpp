// The one file that knows xxHash.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "qbix/name_hash.hpp"

namespace qbix {

NameHash hash_name(std::string_view qname) noexcept {
    return {XXH3_64bits(qname.data(), qname.size())};
}

std::string_view qname_of(const uint8_t* read_name, uint8_t l_read_name) noexcept {
    const auto* begin = reinterpret_cast<const char*>(read_name);
    const void* nul = std::memchr(begin, 0, l_read_name);
    return {begin, nul ? static_cast<size_t>(static_cast<const char*>(nul) - begin) : l_read_name};
}

}  // namespace qbix
