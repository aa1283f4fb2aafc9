// qbix digest: do files hold the same records, in the same order?
#include <htslib/hts.h>
#include <htslib/kstring.h>

#include <cstdio>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

#include "commands.hpp"
#include "format_options.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_header.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/error.hpp"
#include "qbix/record_pipeline.hpp"
#include "qbix/text_digest.hpp"
#include "record_source.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"digest", R"(
Usage: qbix digest [options] [in.sam | in.bam | in.cram ...]

Prints a digest of the records of each file, in their order; headers do not
count. Digests are equal exactly when "samtools view" prints the same text of the
files. With more than one file the exit code is 1 unless all are equal. Reads
standard input when no file is given, or for "-".

Options:
      --md5              MD5 of what "samtools view" prints [XXH3-128 of it]
  -T, --reference FILE   reference sequence, for CRAM
      --input-fmt-option OPT[=VAL]
                         option for reading, such as reference=FILE
  -@, --threads INT      additional threads [0]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)"};

struct DigestArguments {
    bool md5 = false;
    int n_extra_threads = 0;
    FileFormat input_format;
};

// Of either kind.
class Digest {
   public:
    explicit Digest(bool md5) : md5_(md5 ? hts_md5_init() : nullptr) {
        if (!md5)
            fast_.emplace();
        else if (!md5_)
            throw std::bad_alloc();
    }

    void add(std::span<const uint8_t> text) {
        if (fast_)
            fast_->add(text);
        else
            hts_md5_update(md5_.get(), text.data(), text.size());
    }

    std::string hex() {
        if (fast_) return fast_->hex();
        unsigned char digest[16];
        char digits[33];
        hts_md5_final(digest, md5_.get());
        hts_md5_hex(digits, digest);
        return digits;
    }

   private:
    struct DestroyMd5 {
        void operator()(hts_md5_context* context) const noexcept { hts_md5_destroy(context); }
    };
    std::unique_ptr<hts_md5_context, DestroyMd5> md5_;
    std::optional<TextDigest> fast_;
};

// Lines as samtools view prints them.
class LineFormatter {
   public:
    explicit LineFormatter(const sam_hdr_t* header) : header_(header) {}
    ~LineFormatter() { ks_free(&line_); }
    LineFormatter(const LineFormatter&) = delete;
    LineFormatter& operator=(const LineFormatter&) = delete;

    // Valid until the next call.
    std::span<const uint8_t> format(const bam1_t* record) {
        if (sam_format1(header_, record, &line_) < 0 || kputc('\n', &line_) < 0)
            throw std::runtime_error(std::string("the record \"") + bam_get_qname(record) +
                                     "\" cannot be written as SAM");
        return {reinterpret_cast<const uint8_t*>(line_.s), line_.l};
    }

   private:
    const sam_hdr_t* header_;
    kstring_t line_ = KS_INITIALIZE;
};

// Formats on the threads of the pipeline.
class FormattingWorker : public RecordWorker {
   public:
    explicit FormattingWorker(const sam_hdr_t* header)
        : header_(header), record_(bam_init1()), formatter_(header) {
        if (!record_) throw std::bad_alloc();
    }

    void process(const RecordView& view, std::vector<uint8_t>& out) override {
        decode_record(view, header_, record_.get());
        const auto line = formatter_.format(record_.get());
        out.insert(out.end(), line.begin(), line.end());
    }

   private:
    const sam_hdr_t* header_;
    Record record_;
    LineFormatter formatter_;
};

// A BAM file that can be sought in; nullopt for everything else.
std::optional<BamFile> open_bam(const std::string& path) {
    if (path == "-") return std::nullopt;
    try {
        return std::optional<BamFile>(std::in_place, path);
    } catch (const Error& e) {
        if (e.code() == ErrorCode::kNotBam) return std::nullopt;
        throw;
    }
}

void add_bam(const BamFile& bam, int n_threads, Digest& digest) {
    scan_records(
        bam, [&bam] { return std::make_unique<FormattingWorker>(bam.header()); },
        [&digest](std::span<const uint8_t> text) { digest.add(text); },
        {.n_threads = static_cast<size_t>(n_threads)});
}

void add_others(const std::string& path, const DigestArguments& arguments, ThreadPool& pool,
                Digest& digest) {
    const auto source = open_scan({path, &arguments.input_format, &pool});
    LineFormatter formatter(source->header());
    const Record record(bam_init1());
    if (!record) throw std::bad_alloc();
    while (source->next(record.get())) digest.add(formatter.format(record.get()));
}

std::string digest_of(const std::string& path, const DigestArguments& arguments, ThreadPool& pool) {
    Digest digest(arguments.md5);
    if (const auto bam = open_bam(path))
        add_bam(*bam, 1 + arguments.n_extra_threads, digest);
    else
        add_others(path, arguments, pool, digest);
    return digest.hex();
}

int run(const std::vector<std::string>& paths, const DigestArguments& arguments) {
    ThreadPool pool(arguments.n_extra_threads);
    TextOutput out("-");
    std::string first;
    bool are_equal = true;
    for (const std::string& path : paths) {
        const std::string hex = digest_of(path, arguments, pool);
        if (first.empty()) first = hex;
        are_equal = are_equal && hex == first;
        out.write(hex + "  " + path + "\n");
    }
    out.close();
    if (are_equal) return 0;
    fprintf(stderr, "qbix digest: the files do not hold the same records in the same order\n");
    return 1;
}

}  // namespace

int main_digest(int argc, char** argv) {
    DigestArguments arguments;
    Options options;
    options.flag("md5", arguments.md5);
    add_input_options(options, arguments.input_format);
    add_threads_option(options, arguments.n_extra_threads);
    add_verbosity_option(options);
    return run_command(
        kText, options, argc, argv, [&arguments](const std::vector<std::string>& args) {
            return run(args.empty() ? std::vector<std::string>{"-"} : args, arguments);
        });
}

}  // namespace qbix::cli
