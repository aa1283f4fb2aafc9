// name_peek.hpp: the name of a record, without inflating more of its block than comes before it.
//
// For looking at a few records of a file that may not be what it is taken for. zlib, since
// libdeflate inflates whole blocks only.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "byte_reader.hpp"
#include "qbix/types.hpp"

namespace qbix {

// One thread.
class NamePeek {
   public:
    explicit NamePeek(const std::string& path);
    ~NamePeek();
    NamePeek(const NamePeek&) = delete;
    NamePeek& operator=(const NamePeek&) = delete;

    // The name of the record at `voffset`, until the next call. nullopt where there is no record,
    // or it is not that simple (the name lies over the end of a block, the block is damaged):
    // RecordReader knows more. Throws Error: kIo, kOpen.
    std::optional<std::string_view> qname_at(VirtualOffset voffset);

   private:
    // Inflates at most `n_wanted` bytes of the block; returns how many there were.
    size_t inflate_front(uint64_t coffset, size_t n_wanted);

    ByteReader file_;
    z_stream stream_{};
    std::unique_ptr<uint8_t[]> compressed_;
    std::unique_ptr<uint8_t[]> data_;
};

}  // namespace qbix
