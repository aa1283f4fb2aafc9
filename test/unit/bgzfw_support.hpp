// bgzfw_support.hpp: what the tests of bgzf_writer share: made-up records, a strict reader
// of what was written, and a sink that is a pipe.
#pragma once

#include <fcntl.h>
#include <libdeflate.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bgzfw/writer.hpp"
#include "block_format.hpp"
#include "scaled.hpp"

namespace bgzfw_test {

using Bytes = std::vector<uint8_t>;

using qbix_test::scaled;

inline void put_u32(Bytes& out, size_t at, size_t v) {
    bgzfw::store_u32(out.data() + at, static_cast<uint32_t>(v));
}

// The smallest record that make_record() can make, for names of up to 20 bytes.
inline constexpr size_t kSmallestRecord = 36 + 21 + 8;

// An unmapped record of exactly `size_bytes`, filled up by a B-array: of random bytes, or of
// ones that compress.
inline Bytes make_record(const std::string& name, size_t size_bytes, uint64_t seed,
                         bool compressible = true) {
    Bytes r(36, 0);
    put_u32(r, 0, size_bytes - 4);
    put_u32(r, 4, 0xffffffff);
    put_u32(r, 8, 0xffffffff);
    r[12] = static_cast<uint8_t>(name.size() + 1);
    r[18] = 4;  // FLAG: unmapped
    put_u32(r, 24, 0xffffffff);
    put_u32(r, 28, 0xffffffff);
    r.insert(r.end(), name.begin(), name.end());
    r.push_back(0);
    const size_t fill = size_bytes - r.size() - 8;
    r.insert(r.end(), {'X', 'X', 'B', 'C', 0, 0, 0, 0});
    put_u32(r, r.size() - 4, fill);
    std::mt19937_64 random(seed);
    for (size_t i = 0; i < fill; ++i) {
        r.push_back(static_cast<uint8_t>(compressible ? random() % 4 : random()));
    }
    return r;
}

// Records of mixed sizes: mostly small, some near the size of a block, a few longer.
inline std::vector<Bytes> make_records(size_t n, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Bytes> records;
    for (size_t i = 0; i < n; ++i) {
        size_t size = kSmallestRecord + random() % 600;
        if (random() % 200 == 0) size = bgzfw::kMaxPayload - 3 + random() % 7;
        if (random() % 500 == 0) size = bgzfw::kMaxPayload + random() % 200000;
        records.push_back(make_record("read" + std::to_string(i), size, random(), i % 10 != 0));
    }
    return records;
}

inline Bytes joined(const std::vector<Bytes>& records, size_t begin = 0, size_t end = SIZE_MAX) {
    Bytes all;
    for (size_t i = begin; i < std::min(end, records.size()); ++i) {
        all.insert(all.end(), records[i].begin(), records[i].end());
    }
    return all;
}

inline const char* kHeaderText =
    "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:chr1\tLN:1000000\n"
    "@SQ\tSN:chr2\tLN:2000000\n";
inline bgzfw::BamHeader test_header() { return bgzfw::BamHeader::from_sam_text(kHeaderText); }

inline Bytes read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A file name in a directory of its own, removed at the end.
class ScratchDir {
   public:
    ScratchDir() {
        char name[] = "/tmp/qbix-bgzfw.XXXXXX";
        if (mkdtemp(name) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
    }
    ~ScratchDir() { std::filesystem::remove_all(path_); }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

   private:
    std::string path_;
};

struct DecodedBam {
    Bytes header;
    std::vector<Bytes> records;
    std::vector<size_t> payload_sizes;  // of the blocks, EOF blocks left out
    int n_eof_blocks = 0;
    bool ends_with_eof_block = false;
};

// Inflates one block and checks its frame. Appends to `out`.
inline size_t inflate_block(const uint8_t* p, size_t n_left, Bytes& out) {
    if (n_left < bgzfw::kBlockHeaderBytes) throw std::runtime_error("cut block header");
    const size_t size = bgzfw::framed_block_size(p);
    if (size == 0 || size > n_left) throw std::runtime_error("bad or cut block");
    const size_t n_payload = bgzfw::load_u32(p + size - 4);
    const size_t at = out.size();
    out.resize(at + n_payload);
    std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> d(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    size_t n_got = 0;
    if (libdeflate_deflate_decompress(d.get(), p + 18, size - 26, out.data() + at, n_payload,
                                      &n_got) != LIBDEFLATE_SUCCESS ||
        n_got != n_payload) {
        throw std::runtime_error("block does not inflate");
    }
    if (libdeflate_crc32(0, out.data() + at, n_payload) != bgzfw::load_u32(p + size - 8)) {
        throw std::runtime_error("CRC differs");
    }
    return size;
}

inline void split_stream(const Bytes& stream, DecodedBam& bam) {
    size_t at = 8 + bgzfw::load_u32(stream.data() + 4);
    const uint32_t n_references = bgzfw::load_u32(stream.data() + at);
    at += 4;
    for (uint32_t i = 0; i < n_references; ++i) at += 8 + bgzfw::load_u32(stream.data() + at);
    bam.header.assign(stream.begin(), stream.begin() + static_cast<long>(at));
    while (at < stream.size()) {
        if (stream.size() - at < 4) throw std::runtime_error("cut record");
        const size_t size = bgzfw::load_u32(stream.data() + at) + size_t{4};
        if (size > stream.size() - at) throw std::runtime_error("cut record");
        bam.records.emplace_back(stream.begin() + static_cast<long>(at),
                                 stream.begin() + static_cast<long>(at + size));
        at += size;
    }
}

// Throws when the bytes are not a sequence of whole blocks that hold a header and whole records.
inline DecodedBam decode(const Bytes& file) {
    DecodedBam bam;
    Bytes stream;
    for (size_t at = 0; at < file.size();) {
        const size_t before = stream.size();
        at += inflate_block(file.data() + at, file.size() - at, stream);
        bam.ends_with_eof_block = stream.size() == before;
        if (bam.ends_with_eof_block) {
            ++bam.n_eof_blocks;
        } else {
            bam.payload_sizes.push_back(stream.size() - before);
        }
    }
    split_stream(stream, bam);
    return bam;
}

inline DecodedBam decode_file(const std::string& path) { return decode(read_file(path)); }

// The write end of a pipe, whose read end a thread empties: at once, slowly, or after start().
class PipeReader {
   public:
    static constexpr size_t kStalled = SIZE_MAX;

    explicit PipeReader(size_t bytes_per_second = 0) {
        if (pipe(fds_) != 0) throw std::runtime_error("pipe");
        if (bytes_per_second != kStalled) start(bytes_per_second);
    }
    void start(size_t bytes_per_second = 0) {
        thread_ = std::thread([this, bytes_per_second] {
            uint8_t buffer[1 << 14];
            for (ssize_t n; (n = read(fds_[0], buffer, sizeof buffer)) > 0;) {
                bytes_.insert(bytes_.end(), buffer, buffer + n);
                if (bytes_per_second > 0) {
                    usleep(static_cast<useconds_t>(n * 1000000 /
                                                   static_cast<ssize_t>(bytes_per_second)));
                }
            }
        });
    }
    ~PipeReader() {
        if (thread_.joinable()) finish();
    }
    int write_fd() const { return fds_[1]; }
    // What came through, once the writer has closed its end.
    const Bytes& finish() {
        close(fds_[1]);
        thread_.join();
        close(fds_[0]);
        return bytes_;
    }

   private:
    int fds_[2];
    Bytes bytes_;
    std::thread thread_;
};

}  // namespace bgzfw_test
