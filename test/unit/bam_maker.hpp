// bam_maker.hpp: BAM files for tests, with the blocks cut where a test wants them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "qbix/types.hpp"

namespace qbix::test {

// A directory that goes with the object.
class TempDir {
   public:
    TempDir();
    ~TempDir();
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }

   private:
    std::filesystem::path path_;
};

// One BGZF block holding `data` (at most 65536 bytes).
std::vector<uint8_t> bgzf_block(std::span<const uint8_t> data, int level = 1);

std::vector<uint8_t> read_file(const std::string& path);
void write_file(const std::string& path, std::span<const uint8_t> bytes);

// Collects a header and records as one stream of bytes, then cuts it into blocks.
class BamMaker {
   public:
    explicit BamMaker(const std::string& header_text = "@HD\tVN:1.6\n@SQ\tSN:chr1\tLN:1000000\n");

    // An unmapped record with `n_bases` bases. `qname` may hold any bytes; a NUL is added
    // unless `terminated` is false. Qualities differ, or are all 0 when `flat`.
    void add(const std::string& qname, size_t n_bases = 10, bool terminated = true,
             bool flat = false);
    void add_raw(std::span<const uint8_t> bytes);

    const std::vector<uint8_t>& stream() const { return stream_; }
    size_t n_records() const { return n_records_; }

    // The file's bytes: blocks of the sizes that `next_size` gives (0 makes an empty block),
    // then the EOF block if wanted.
    std::vector<uint8_t> file(const std::function<size_t()>& next_size, bool eof = true,
                              int level = 1) const;
    void write(const std::string& path, size_t block_bytes = 0xff00, bool eof = true) const;

   private:
    std::vector<uint8_t> stream_;
    size_t n_records_ = 0;
};

// The twin: rows of a BAM as htslib reads it, record by record, in file order.
std::vector<IndexRow> rows_by_htslib(const std::string& path);

}  // namespace qbix::test
