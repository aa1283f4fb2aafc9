#include "output.hpp"

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "output_header.hpp"

namespace qbix::cli {
namespace {

std::string shown(const std::string& path) {
    return path == "-" ? "standard output" : "\"" + path + "\"";
}

std::string reason(int error) {
    return error ? std::string(": ") + strerror(error) : std::string();
}

[[noreturn]] void throw_failed(const char* what, const std::string& path, int error) {
    throw std::runtime_error(std::string(what) + " " + shown(path) + " failed" + reason(error));
}

}  // namespace

ThreadPool::~ThreadPool() {
    if (pool_.pool) hts_tpool_destroy(pool_.pool);
}

void ThreadPool::attach(htsFile* file) {
    if (n_threads_ == 0) return;
    if (!pool_.pool && !(pool_.pool = hts_tpool_init(n_threads_)))
        throw std::runtime_error("failed to start " + std::to_string(n_threads_) + " threads");
    // Threads compress BGZF, but must not make SAM text of records, too: the one that would write
    // it cannot be waited for, and would go on while SamOutput::close() flushes.
    const int status = file->is_write && file->is_bgzf
                           ? bgzf_thread_pool(file->fp.bgzf, pool_.pool, pool_.qsize)
                           : hts_set_opt(file, HTS_OPT_THREAD_POOL, &pool_);
    if (status != 0) throw std::runtime_error("failed to use threads for a file");
}

void OutputSpec::add_to(Options& options) {
    options.value("output,o", path);
    options.value("output-fmt,O", [this](const std::string& text) { set_format(text); });
    options.value("output-fmt-option",
                  [this](const std::string& text) { format.add_option(text); });
    options.flag("bam,b", [this] { forced_format = 'b'; });
    options.flag("cram,C", [this] { forced_format = 'c'; });
    options.flag("uncompressed,u", [this] { level = 0; });
    options.flag("fast,1", [this] { level = 1; });
}

void OutputSpec::set_format(const std::string& text) {
    size_t comma = std::min(text.find(','), text.size());
    std::string name = text.substr(0, comma);
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name == "s") name = "sam";
    if (name == "b") name = "bam";
    bool is_known = name == "sam" || name == "sam.gz" || name == "bam" || name == "cram";
    if (!is_known || hts_parse_format(&format, (name + text.substr(comma)).c_str()) != 0)
        throw UsageError(
            "-O/--output-fmt takes sam, sam.gz, bam or cram with options such as "
            "bam,level=5, not \"" +
            text + "\"");
}

std::string OutputSpec::mode() const {
    char mode[16] = "w";
    bool suffix_tells = path != "-" && sam_open_mode(mode + 1, path.c_str(), nullptr) == 0;
    char letter = forced_format ? forced_format : level >= 0 && !suffix_tells ? 'b' : 0;
    if (letter) {
        mode[1] = letter;
        mode[2] = '\0';
    }
    return level >= 0 ? mode + std::to_string(level) : mode;
}

std::string OutputSpec::data_path() const { return path.substr(0, path.find(HTS_IDX_DELIM)); }

std::string OutputSpec::index_path() const {
    const size_t delimiter = path.find(HTS_IDX_DELIM);
    if (delimiter != std::string::npos) return path.substr(delimiter + strlen(HTS_IDX_DELIM));
    const bool is_cram = format.format == unknown_format ? mode()[1] == 'c' : format.format == cram;
    return path + (is_cram ? ".crai" : ".csi");
}

// SAM with a compression level is compressed SAM.
htsFormat OutputSpec::open_format() const {
    htsFormat open = format;
    if (open.format != sam || open.compression != no_compression) return open;
    for (auto option = static_cast<hts_opt*>(open.specific); option; option = option->next)
        if (option->opt == HTS_OPT_COMPRESSION_LEVEL) open.compression = bgzf;
    return open;
}

bool OutputSpec::is_bam() const {
    const bool asks_for_bam =
        format.format == unknown_format ? mode()[1] == 'b' : format.format == bam;
    return asks_for_bam && !hisremote(path.c_str());
}

int OutputSpec::bam_level() const {
    int bam_level = level;
    for (auto option = static_cast<hts_opt*>(format.specific); option; option = option->next)
        if (option->opt == HTS_OPT_COMPRESSION_LEVEL) bam_level = option->val.i;
    return bam_level;
}

namespace {

htsFile* open_output(const OutputSpec& spec) {
    htsFormat format = spec.open_format();
    return hts_open_format(spec.path.c_str(), spec.mode().c_str(), &format);
}

}  // namespace

SamOutput::SamOutput(const OutputSpec& spec, ThreadPool& pool, bool with_index)
    : path_(spec.path), pool_(&pool) {
    if (with_index) index_path_ = spec.index_path();
    if (spec.is_bam()) {
        bam_spec_ = {spec.data_path(), spec.bam_level(), pool.n_threads(), index_path_};
        always_has_header_ = true;
        return;
    }
    file_.reset(open_output(spec));
    if (!file_)
        throw std::runtime_error("failed to open " + shown(path_) + " for writing" + reason(errno));
    created_.emplace(path_);
    // As in samtools, -b, .bam and --write-index ask for a header even where -O makes SAM of it.
    const char letter = spec.mode()[1];
    htsExactFormat format = file_->format.format;  // text_format until htslib writes to it
    always_has_header_ =
        with_index || (format != sam && format != text_format) || letter == 'b' || letter == 'c';
}

SamOutput::~SamOutput() {
    if (!file_) return;
    file_.reset();
    created_->remove();
}

// Where threads compress, the error is on record at the file, not in this thread's errno.
int SamOutput::write_error() const noexcept {
    if (errno != 0 || file_->is_cram) return errno;
    return herrno(file_->is_bgzf ? file_->fp.bgzf->fp : file_->fp.hfile);
}

// htslib leaks the threads' queue of a SAM file to which nothing is written.
void SamOutput::start() {
    if (pool_) std::exchange(pool_, nullptr)->attach(file_.get());
    errno = 0;
}

void SamOutput::write_header(const sam_hdr_t* header) {
    if (is_bam()) {
        bam_.emplace(bam_spec_, header);
        return;
    }
    start();
    if (sam_hdr_write(file_.get(), header) != 0)
        throw_failed("writing the header to", path_, write_error());
    if (!index_path_.empty()) begin_index(header);
}

void SamOutput::write(const sam_hdr_t* header, const bam1_t* record) {
    if (bam_) return bam_->write(*record);
    start();
    if (sam_write1(file_.get(), own_header_ ? own_header_.get() : header, record) < 0)
        throw_failed("writing to", path_, write_error());
}

bool SamOutput::is_plain_text() const noexcept {
    return file_ && !file_->is_bgzf && !file_->is_cram && index_path_.empty() &&
           (file_->format.format == sam || file_->format.format == text_format);
}

void SamOutput::write_text(std::span<const uint8_t> lines) {
    errno = 0;
    const ssize_t n = hwrite(file_->fp.hfile, lines.data(), lines.size());
    if (n < 0 || static_cast<size_t>(n) != lines.size())
        throw_failed("writing to", path_, write_error());
}

// Of SAM and CRAM; the header is looked at for as long as records are written.
void SamOutput::begin_index(const sam_hdr_t* header) {
    constexpr int kCsiMinShift = 14;
    own_header_ = duplicate_header(header);
    const int min_shift = index_path_.ends_with(".bai") ? 0 : kCsiMinShift;
    if (sam_idx_init(file_.get(), own_header_.get(), min_shift, index_path_.c_str()) < 0)
        throw std::runtime_error("failed to begin the index \"" + index_path_ + "\"");
}

void SamOutput::close() {
    if (bam_) return bam_->close();
    errno = 0;
    if (!index_path_.empty() && sam_idx_save(file_.get()) < 0)
        throw_failed("writing the index", index_path_, errno);
    // Flushed first, while the file can still be asked for the reason of a failure.
    if (file_->is_bgzf && bgzf_flush(file_->fp.bgzf) < 0)
        throw_failed("writing to", path_, write_error());
    if (hts_close(file_.release()) == 0) return;
    int error = errno;
    created_->remove();
    throw_failed("closing", path_, error);
}

TextOutput::TextOutput(const std::string& path)
    : path_(path), file_(hopen(path.c_str(), "w")), created_(file_ ? path : "-") {
    if (!file_)
        throw std::runtime_error("failed to open " + shown(path_) + " for writing" + reason(errno));
}

TextOutput::~TextOutput() {
    if (!file_) return;
    hclose_abruptly(file_);
    created_.remove();
}

void TextOutput::write(std::string_view text) {
    errno = 0;
    ssize_t n = hwrite(file_, text.data(), text.size());
    if (n < 0 || static_cast<size_t>(n) != text.size()) throw_failed("writing to", path_, errno);
}

void TextOutput::close() {
    errno = 0;
    if (hclose(std::exchange(file_, nullptr)) == 0) return;
    int error = errno;
    created_.remove();
    throw_failed("closing", path_, error);
}

void refuse_same_file(const std::string& output, const std::string& input) {
    struct stat out, in;
    if (output == "-" || stat(output.c_str(), &out) != 0) return;
    if ((input == "-" ? fstat(STDIN_FILENO, &in) : stat(input.c_str(), &in)) != 0) return;
    if (S_ISREG(out.st_mode) && out.st_dev == in.st_dev && out.st_ino == in.st_ino)
        throw UsageError("\"" + output + "\" would be overwritten while it is read");
}

}  // namespace qbix::cli
