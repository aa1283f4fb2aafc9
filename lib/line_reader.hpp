// line_reader.hpp: lines of a plain or gzip text file, local, remote or standard input.
//
// Hands out at most a prefix of a line, so that a hostile line without an end costs time,
// not memory. A UTF-8 byte-order mark at the beginning is skipped; UTF-16 is refused.
// Local files are read as far as they are there, so that a name typed into a pipe is not
// held back until the next one.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hts_handles.hpp"
#include "unique_fd.hpp"

namespace qbix {

class LineReader {
   public:
    // Keeps `max_line_bytes` of each line. Throws Error: kOpen, kIo.
    LineReader(const std::string& path, size_t max_line_bytes);

    struct Line {
        std::string_view text;  // without the line end (LF, CR LF); valid until the next call
        bool is_cut = false;    // the line was longer than max_line_bytes
    };

    // The next line; false at the end. Throws Error kIo.
    bool next(Line& line);

    uint64_t line_number() const noexcept { return line_number_; }  // of the last line, from 1

   private:
    struct InflaterEnd {
        void operator()(z_stream* stream) const {
            inflateEnd(stream);
            delete stream;
        }
    };

    void open();
    void start();
    bool fill();
    size_t read_raw(uint8_t* out, size_t size);
    size_t inflate_some(uint8_t* out, size_t size);
    [[noreturn]] void fail(const std::string& what) const;

    std::string path_;
    UniqueFd fd_;      // local files and standard input
    HFilePtr remote_;  // URLs
    size_t max_line_bytes_;
    std::vector<uint8_t> raw_;   // compressed bytes, gzip only
    std::vector<uint8_t> text_;  // text bytes [begin_, end_) wait to be split into lines
    size_t begin_ = 0;
    size_t end_ = 0;
    std::string line_;
    uint64_t line_number_ = 0;
    bool in_member_ = false;                           // inside a gzip member
    std::unique_ptr<z_stream, InflaterEnd> inflater_;  // gzip only; made in place, never moved
};

}  // namespace qbix
