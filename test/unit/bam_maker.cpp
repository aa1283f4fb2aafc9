#include "bam_maker.hpp"

#include <htslib/bgzf.h>
#include <htslib/sam.h>
#include <libdeflate.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "bgzf_block.hpp"
#include "hts_handles.hpp"
#include "qbix/name_hash.hpp"

namespace qbix::test {
namespace {

template <class T>
void append(std::vector<uint8_t>& out, T value) {
    const size_t at = out.size();
    out.resize(at + sizeof value);
    store_le(out.data() + at, value);
}

}  // namespace

TempDir::TempDir() {
    std::random_device random;
    path_ = std::filesystem::temp_directory_path() /
            ("qbix-test-" + std::to_string(random()) + std::to_string(random()));
    std::filesystem::create_directory(path_);
}

TempDir::~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<uint8_t> bgzf_block(std::span<const uint8_t> data, int level) {
    libdeflate_compressor* compressor = libdeflate_alloc_compressor(level);
    std::vector<uint8_t> block(kBgzfEofBlock, kBgzfEofBlock + kBgzfHeadBytes);
    block.resize(kBgzfHeadBytes + libdeflate_deflate_compress_bound(compressor, data.size()));
    const size_t n =
        libdeflate_deflate_compress(compressor, data.data(), data.size(),
                                    block.data() + kBgzfHeadBytes, block.size() - kBgzfHeadBytes);
    libdeflate_free_compressor(compressor);
    block.resize(kBgzfHeadBytes + n);
    append(block, libdeflate_crc32(0, data.data(), data.size()));
    append(block, static_cast<uint32_t>(data.size()));
    store_le(block.data() + 16, static_cast<uint16_t>(block.size() - 1));
    return block;
}

std::vector<uint8_t> read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, std::span<const uint8_t> bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

BamMaker::BamMaker(const std::string& header_text) {
    add_raw(std::vector<uint8_t>{'B', 'A', 'M', 1});
    append(stream_, static_cast<uint32_t>(header_text.size()));
    stream_.insert(stream_.end(), header_text.begin(), header_text.end());
    append(stream_, uint32_t{1});
    append(stream_, uint32_t{5});
    for (const char c : {'c', 'h', 'r', '1', '\0'}) stream_.push_back(static_cast<uint8_t>(c));
    append(stream_, uint32_t{1000000});
}

void BamMaker::add(const std::string& qname, size_t n_bases, bool terminated, bool flat) {
    const size_t l_read_name = qname.size() + terminated;
    append(stream_, static_cast<uint32_t>(32 + l_read_name + (n_bases + 1) / 2 + n_bases));
    append(stream_, int32_t{-1});
    append(stream_, int32_t{-1});
    stream_.push_back(static_cast<uint8_t>(l_read_name));
    stream_.push_back(0);
    append(stream_, uint16_t{4680});
    append(stream_, uint16_t{0});
    append(stream_, uint16_t{4});
    append(stream_, static_cast<uint32_t>(n_bases));
    append(stream_, int32_t{-1});
    append(stream_, int32_t{-1});
    append(stream_, int32_t{0});
    stream_.insert(stream_.end(), qname.begin(), qname.end());
    if (terminated) stream_.push_back(0);
    stream_.insert(stream_.end(), (n_bases + 1) / 2, 0x11);
    for (size_t i = 0; i < n_bases; ++i)
        stream_.push_back(flat ? 0 : static_cast<uint8_t>((n_records_ * 7 + i * i) % 40));
    ++n_records_;
}

void BamMaker::add_raw(std::span<const uint8_t> bytes) {
    stream_.insert(stream_.end(), bytes.begin(), bytes.end());
}

std::vector<uint8_t> BamMaker::file(const std::function<size_t()>& next_size, bool eof,
                                    int level) const {
    std::vector<uint8_t> out;
    for (size_t at = 0; at < stream_.size();) {
        // htslib tells a BAM by the first four bytes of the first block.
        const size_t n =
            std::min(std::max<size_t>(next_size(), at == 0 ? 4 : 0), stream_.size() - at);
        const auto block = bgzf_block({stream_.data() + at, n}, level);
        out.insert(out.end(), block.begin(), block.end());
        at += n;
    }
    if (eof) out.insert(out.end(), std::begin(kBgzfEofBlock), std::end(kBgzfEofBlock));
    return out;
}

void BamMaker::write(const std::string& path, size_t block_bytes, bool eof) const {
    write_file(path, file([&] { return block_bytes; }, eof));
}

std::vector<IndexRow> rows_by_htslib(const std::string& path) {
    const HtsFilePtr file(hts_open(path.c_str(), "r"));
    const SamHdrPtr header(sam_hdr_read(file.get()));
    const BamPtr record(bam_init1());
    std::vector<IndexRow> rows;
    for (;;) {
        const auto voffset = static_cast<uint64_t>(bgzf_tell(file->fp.bgzf));
        const int status = sam_read1(file.get(), header.get(), record.get());
        if (status < -1) throw std::runtime_error("htslib cannot read " + path);
        if (status < 0) return rows;
        rows.push_back({hash_name(bam_get_qname(record.get())), {voffset}});
    }
}

}  // namespace qbix::test
