// sam_text.hpp: uncompressed SAM text, cut into pieces that threads parse.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bgzfw/writer.hpp"

struct hFILE;

namespace qbix::cli {

struct CloseStream {
    void operator()(hFILE* file) const noexcept;
};
using Stream = std::unique_ptr<hFILE, CloseStream>;

class SamText {
   public:
    // Reads the header. Throws std::runtime_error.
    SamText(Stream file, std::string path);

    const std::string& header() const noexcept { return header_; }

    // Whole lines: up to the first line end after kPieceBytes, so that the cuts depend on the
    // text alone. False after the last one. Throws std::runtime_error.
    bool next(std::string& piece);

    static constexpr size_t kPieceBytes = 512 << 10;

   private:
    bool read_more(std::string& text);
    void read_header();

    Stream file_;
    std::string path_;
    std::string header_;
    std::string rest_;  // read, but not yet handed out
};

// Writes all pieces as batches of `writer` (Order::kByBatch), on n_threads threads, the caller's
// among them, which read in turn, parse and compress. `on_piece` is called for each piece,
// never twice at a time. Throws the first error of anybody.
void write_sam_text(SamText& text, bgzfw::Writer& writer, int n_threads,
                    const std::function<void()>& on_piece);

}  // namespace qbix::cli
