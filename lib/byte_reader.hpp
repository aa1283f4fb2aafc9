// byte_reader.hpp: bytes at an offset of a local or remote file.
//
// A local file is read by pread(2). A remote one is asked for just the bytes that are wanted,
// where its scheme knows ranges (HTTP, and S3 and Google storage, which are HTTP underneath):
// htslib's own seek asks for everything from there on, and 1.16 may deliver bytes of an old place
// after a second one. For other schemes each seek has a handle of its own.
//
// One reader, one thread. Where blocks are fetched in parallel each thread opens its own.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hts_handles.hpp"
#include "unique_fd.hpp"

namespace qbix {

class ByteReader {
   public:
    // Throws Error kOpen; for a remote file the first read does.
    explicit ByteReader(const std::string& path);

    // Reads until `out` is full or the file ends; returns the number of bytes. Of a remote file
    // one request fetches `out`; the more is read in a row, the more the next one asks for.
    // Throws Error: kIo, kOpen.
    size_t read_at(uint64_t offset, std::span<uint8_t> out);

    // Length of the file. Throws Error: kIo, kOpen.
    uint64_t size_bytes();

    const std::string& path() const noexcept { return path_; }
    bool is_remote() const noexcept { return !fd_; }

   private:
    [[noreturn]] void fail(const char* what, uint64_t offset) const;
    size_t read_local(uint64_t offset, std::span<uint8_t> out);
    bool open_remote(uint64_t offset, uint64_t n_wanted);
    bool open_range(uint64_t offset, uint64_t n_wanted);

    std::string path_;
    UniqueFd fd_;  // of a local file
    bool knows_ranges_ = false;

    // The bytes [position_, end_) of a remote file are on their way through file_.
    HFilePtr file_;
    uint64_t position_ = 0;
    uint64_t end_ = 0;
    uint64_t n_in_a_row_ = 0;  // bytes read since the last jump
};

}  // namespace qbix
