#include "qbx_identity.hpp"

#include <vector>

#include "bgzf_block.hpp"
#include "byte_reader.hpp"
#include "checksum.hpp"
#include "index_errors.hpp"

namespace qbix {
namespace {

// The block at `coffset`: empty when none starts there. `buffer` keeps its bytes.
std::span<const uint8_t> read_block(ByteReader& file, uint64_t coffset,
                                    std::vector<uint8_t>& buffer) {
    buffer.resize(kBgzfMaxBlockBytes);
    const size_t n_read = file.read_at(coffset, buffer);
    if (n_read < kBgzfHeadBytes) return {};
    const auto size = bgzf_block_size(buffer.data());
    if (!size || *size > n_read) return {};
    return std::span(buffer).first(*size);
}

}  // namespace

qbx::Identity identify(const BamFile& bam, uint64_t n_records, std::span<const uint64_t> coffsets) {
    qbx::Identity identity;
    identity.bam = bam.identity();
    identity.n_records = n_records;
    identity.has_eof_block = bam.has_eof_block();
    identity.eof_coffset =
        bam.identity().size_bytes - (bam.has_eof_block() ? sizeof kBgzfEofBlock : 0);
    ByteReader file(bam.path());
    std::vector<uint8_t> buffer;
    for (const uint64_t coffset : coffsets) {
        const auto block = read_block(file, coffset, buffer);
        if (block.empty())
            throw Error(ErrorCode::kForeignIndex, "no BGZF block starts at offset " +
                                                      std::to_string(coffset) + " of \"" +
                                                      bam.path() + "\"");
        identity.samples.push_back({coffset, block.size(), checksum_of(block)});
    }
    return identity;
}

void check_identity(const qbx::Identity& identity, const BamFile& bam,
                    const std::string& index_path) {
    check_size_and_header(identity.bam, bam, index_path);
    ByteReader file(bam.path());
    std::vector<uint8_t> buffer;
    for (const qbx::SampledBlock& sample : identity.samples) {
        const auto block = read_block(file, sample.coffset, buffer);
        if (block.size() != sample.size_bytes || checksum_of(block) != sample.sum)
            throw_foreign_index(
                index_path, bam.path(),
                "the block at offset " + std::to_string(sample.coffset) + " is another one");
    }
}

}  // namespace qbix
