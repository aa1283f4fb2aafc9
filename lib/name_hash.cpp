// The one file that knows xxHash.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

#include "bam_record.hpp"
#include "qbix/name_hash.hpp"
#include "record_name_hash.hpp"

namespace qbix {

NameHash hash_name(std::string_view qname) noexcept {
    return {XXH3_64bits(qname.data(), qname.size())};
}

std::string_view qname_of(const uint8_t* read_name, uint8_t l_read_name) noexcept {
    const auto* begin = reinterpret_cast<const char*>(read_name);
    const void* nul = std::memchr(begin, 0, l_read_name);
    return {begin, nul ? static_cast<size_t>(static_cast<const char*>(nul) - begin) : l_read_name};
}

void hash_record_names(std::span<const ScannedRecord> records, std::span<NameHash> out) noexcept {
    for (size_t i = 0; i < records.size(); ++i) {
        const uint8_t* record = records[i].bytes;
        out[i] = hash_name(qname_of(record_read_name(record), record_l_read_name(record)));
    }
}

}  // namespace qbix
