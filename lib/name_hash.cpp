// One of the files that know xxHash, with text_digest.cpp and checksum.cpp.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>

#include "bam_record.hpp"
#include "qbix/name_hash.hpp"
#include "record_name_hash.hpp"

namespace qbix {

namespace {

// Of 8 bytes, how many come before the first 0; 8 when none is 0.
inline unsigned bytes_before_nul(uint64_t word) noexcept {
    constexpr uint64_t kOnes = 0x0101010101010101U;
    const uint64_t nul_bits = (word - kOnes) & ~word & (kOnes << 7);
    return static_cast<unsigned>(std::countr_zero(nul_bits)) / 8;
}

// Length of the name without its NUL: memchr() costs more than the few words of a name.
inline size_t name_length(const uint8_t* name, size_t l_read_name) noexcept {
    size_t at = 0;
    for (; at + 8 <= l_read_name; at += 8)
        if (const unsigned n = bytes_before_nul(load_le<uint64_t>(name + at)); n < 8) return at + n;
    while (at < l_read_name && name[at] != 0) ++at;
    return at;
}

}  // namespace

NameHash hash_name(std::string_view qname) noexcept {
    return {XXH3_64bits(qname.data(), qname.size())};
}

std::string_view qname_of(const uint8_t* read_name, uint8_t l_read_name) noexcept {
    return {reinterpret_cast<const char*>(read_name), name_length(read_name, l_read_name)};
}

void hash_record_names(std::span<const ScannedRecord> records, std::span<NameHash> out) noexcept {
    for (size_t i = 0; i < records.size(); ++i) {
        const uint8_t* name = record_read_name(records[i].bytes);
        out[i] = {XXH3_64bits(name, name_length(name, record_l_read_name(records[i].bytes)))};
    }
}

}  // namespace qbix
