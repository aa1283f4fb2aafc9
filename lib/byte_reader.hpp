// byte_reader.hpp: bytes at an offset of a local or remote file, through htslib's hFILE.
//
// One reader, one thread. Where blocks are fetched in parallel each thread opens its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hts_handles.hpp"

namespace qbix {

class ByteReader {
   public:
    // Throws Error kOpen.
    explicit ByteReader(const std::string& path);

    // Reads until `out` is full or the file ends; returns the number of bytes.
    // Consecutive calls at ascending offsets do not seek. Throws Error kIo.
    size_t read_at(uint64_t offset, std::span<uint8_t> out);

    // Length of the file. Throws Error kIo.
    uint64_t size_bytes();

    const std::string& path() const noexcept { return path_; }

   private:
    void open();
    void seek(uint64_t offset);

    std::string path_;
    bool is_remote_;
    HFilePtr file_;
    uint64_t position_ = 0;
    bool was_used_ = false;  // since it was opened
};

}  // namespace qbix
