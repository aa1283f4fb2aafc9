#include "qbix/bam_file.hpp"

#include <htslib/bgzf.h>
#include <htslib/sam.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "bgzf_block.hpp"
#include "byte_reader.hpp"
#include "hts_handles.hpp"
#include "local_path.hpp"
#include "qbix/error.hpp"

namespace qbix {

struct BamFile::State {
    std::string path;
    BamIdentity identity;
    SamHdrPtr header;
    VirtualOffset first_record;
    bool has_eof_block = false;
};

namespace {

// FNV-1a 64, constants by Fowler, Noll and Vo.
uint64_t fnv1a(const char* text, size_t n_bytes) {
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < n_bytes; ++i)
        hash = (hash ^ static_cast<uint8_t>(text[i])) * 0x100000001b3U;
    return hash;
}

uint64_t mtime_ns(const std::string& path) {
    const auto local = local_path(path);
    struct stat status;
    if (!local || stat(local->c_str(), &status) != 0) return 0;
#ifdef __APPLE__
    const timespec& t = status.st_mtimespec;
#else
    const timespec& t = status.st_mtim;
#endif
    return static_cast<uint64_t>(t.tv_sec) * 1000000000U + static_cast<uint64_t>(t.tv_nsec);
}

[[noreturn]] void refuse(const std::string& path, const htsFormat& format) {
    const std::string convert = "; convert it with: samtools view -b -o out.bam \"" + path + "\"";
    const std::string file = "\"" + path + "\" is ";
    if (format.format == sam) throw Error(ErrorCode::kNotBam, file + "SAM text, not BAM" + convert);
    if (format.format == cram) throw Error(ErrorCode::kNotBam, file + "CRAM, not BAM" + convert);
    if (format.format == bam && format.compression == gzip)
        throw Error(ErrorCode::kNotBam,
                    file + "compressed with plain gzip, which has no blocks to seek to" + convert);
    if (format.format == bam)
        throw Error(ErrorCode::kNotBam, file + "uncompressed BAM without BGZF blocks" + convert);
    if (format.compression == bgzf)
        throw Error(ErrorCode::kNotBam,
                    file + "BGZF, but what it holds does not begin like a BAM file");
    throw Error(ErrorCode::kNotBam, file + "not a BAM file");
}

// A pipe would be waited for, for ever, once its writer has gone.
void refuse_pipe(const std::string& path) {
    const auto local = local_path(path);
    struct stat status;
    if (local && stat(local->c_str(), &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISBLK(status.st_mode))
        throw Error(ErrorCode::kNotBam,
                    "\"" + path +
                        "\" is a pipe, a directory or a device, which cannot be sought in; write "
                        "the BAM to a file first");
}

bool ends_with_eof_block(ByteReader& reader, uint64_t size_bytes) {
    constexpr size_t n = sizeof kBgzfEofBlock;
    uint8_t tail[n];
    if (size_bytes < n) return false;
    return reader.read_at(size_bytes - n, tail) == n && std::memcmp(tail, kBgzfEofBlock, n) == 0;
}

}  // namespace

BamFile::BamFile(const std::string& path) {
    auto state = std::make_unique<State>();
    state->path = path;
    if (path == "-")
        throw Error(ErrorCode::kNotBam,
                    "standard input cannot be sought in; write it to a file first");
    refuse_pipe(path);
    const HtsFilePtr file(hts_open(path.c_str(), "r"));
    if (!file)
        throw Error(ErrorCode::kOpen, "failed to open \"" + path + "\": " + std::strerror(errno));
    const htsFormat& format = *hts_get_format(file.get());
    if (format.format != bam || format.compression != bgzf) refuse(path, format);

    state->header.reset(sam_hdr_read(file.get()));
    if (!state->header)
        throw Error(ErrorCode::kDamaged,
                    "failed to read the header of \"" + path + "\": it is cut or damaged");
    state->first_record = {static_cast<uint64_t>(bgzf_tell(file->fp.bgzf))};

    ByteReader reader(path);
    state->identity.size_bytes = reader.size_bytes();
    state->identity.mtime_ns = mtime_ns(path);
    state->identity.header_hash =
        fnv1a(sam_hdr_str(state->header.get()), sam_hdr_length(state->header.get()));
    state->has_eof_block = ends_with_eof_block(reader, state->identity.size_bytes);
    state_ = std::move(state);
}

BamFile::~BamFile() = default;
const std::string& BamFile::path() const noexcept { return state_->path; }
const BamIdentity& BamFile::identity() const noexcept { return state_->identity; }
const sam_hdr_t* BamFile::header() const noexcept { return state_->header.get(); }
VirtualOffset BamFile::first_record() const noexcept { return state_->first_record; }
bool BamFile::has_eof_block() const noexcept { return state_->has_eof_block; }

}  // namespace qbix
