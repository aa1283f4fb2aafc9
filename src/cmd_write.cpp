// qbix write: SAM, BAM or CRAM to BAM, at the speed of compression on all threads.
//
// Three kinds of input: SAM text is cut into pieces that threads parse and compress; a BAM file
// that can be sought in is inflated by threads and its records are passed on as they are;
// everything else is read by htslib, record by record.
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

#include "bgzfw/bam1.hpp"
#include "bgzfw/writer.hpp"
#include "commands.hpp"
#include "cpu_limit.hpp"
#include "format_options.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_header.hpp"
#include "progress_line.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/record_pipeline.hpp"
#include "record_source.hpp"
#include "sam_text.hpp"
#include "written_indexes.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"write", R"(
Usage: qbix write [options] [in.sam | in.bam | in.cram]

Writes the records of a SAM, BAM or CRAM file, or of standard input, as BAM.

Options:
  -o, --output FILE      write to FILE [standard output]
  -l, --level INT        compression level, 0 to 9 as samtools has them, 10 to 12
                         of libdeflate [6; 1 for isal]
      --backend NAME     auto, htslib, libdeflate or isal [auto]
      --write-index      make a CSI index on the way; with -o FILE##idx##INDEX
                         under that name, BAI if it ends in .bai
      --write-qbx        make an index of read names on the way, FILE.qbx
      --write-qbi        make one for other programs, FILE.qbi
  -m, --memory SIZE      memory for each of the two, at least 16M [512M]
      --tmp-prefix STR   their spill files are STR.* [beside the index]
      --no-PG            do not add a @PG line
  -T, --reference FILE   reference sequence, for CRAM
      --input-fmt-option OPT[=VAL]
                         option for reading, such as reference=FILE
  -v, --verbose          show progress even when standard error is no terminal,
                         and the backend
  -@, --threads INT      additional threads [0]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)",
                            "; a smaller -m takes less"};

struct WriteArguments {
    void add_to(Options& options);
    void finish(const std::vector<std::string>& args);

    std::string input_path = "-";
    std::string output_path = "-";
    std::string region_index_path;
    bgzfw::Options writer;
    BuildOptions names;  // of --write-qbx and --write-qbi
    bool write_index = false;
    bool write_qbi = false;
    bool write_qbx = false;
    bool no_pg = false;
    bool is_verbose = false;
    int n_extra_threads = 0;
    FileFormat input_format;
    int argc = 0;  // for @PG
    char** argv = nullptr;
};

void WriteArguments::add_to(Options& options) {
    options.value("output,o", output_path);
    options.value("level,l", [this](const std::string& text) {
        writer.level = static_cast<int>(parse_integer(text, 0, 12, "-l/--level"));
    });
    options.value("backend",
                  [this](const std::string& text) { writer.backend = bgzfw::parse_backend(text); });
    options.flag("write-index", write_index);
    options.flag("write-qbx", write_qbx);
    options.flag("write-qbi", write_qbi);
    options.value("memory,m", [this](const std::string& text) {
        names.memory_bytes = parse_size(text, "-m/--memory");
    });
    options.value("tmp-prefix", names.tmp_prefix);
    options.flag("no-PG", no_pg);
    add_input_options(options, input_format);
    options.flag("verbose,v", is_verbose);
    add_threads_option(options, n_extra_threads);
    add_verbosity_option(options);
}

// Takes what -o says of the index apart from the path of the BAM.
void WriteArguments::finish(const std::vector<std::string>& args) {
    if (args.size() > 1) throw UsageError("one input at a time", UsageError::Help::kUsageText);
    if (!args.empty()) input_path = args[0];
    const size_t delimiter = output_path.find(HTS_IDX_DELIM);
    if (delimiter != std::string::npos) {
        region_index_path = output_path.substr(delimiter + std::strlen(HTS_IDX_DELIM));
        output_path.resize(delimiter);
        if (!write_index)
            throw UsageError("an index is named in -o, but not asked for by --write-index");
    } else if (write_index) {
        region_index_path = output_path + ".csi";
    }
    struct stat status;
    const bool is_file =
        output_path != "-" && (stat(output_path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
    if ((write_index || write_qbi || write_qbx) && !is_file)
        throw UsageError("an index needs -o with the path of a file");
    if (write_index) {
        if (region_index_path == output_path)
            throw UsageError("\"" + output_path + "\" cannot be the BAM and its index");
        refuse_same_file(region_index_path, input_path);
    }
    names.n_threads = 1 + n_extra_threads;
    refuse_same_file(output_path, input_path);
    bgzfw::resolve_backend(writer);
}

// The input, whatever it is: exactly one member beside the header is set.
struct WriteInput {
    WriteInput(const WriteArguments& arguments, ThreadPool& pool);

    Header header;
    std::optional<SamText> text;
    std::optional<BamFile> bam;
    std::unique_ptr<RecordSource> source;
};

Stream open_stream(const std::string& path) {
    Stream stream(hopen(path.c_str(), "r"));
    if (stream) return stream;
    const std::string reason = std::strerror(errno);
    throw std::runtime_error("failed to open \"" + path + "\": " + reason);
}

Header parse_header(const std::string& text) {
    Header header(text.empty() ? sam_hdr_init() : sam_hdr_parse(text.size(), text.data()));
    if (!header) throw std::runtime_error("failed to parse the header");
    return header;
}

bool can_be_sought(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

WriteInput::WriteInput(const WriteArguments& arguments, ThreadPool& pool) {
    const std::string& path = arguments.input_path;
    Stream stream = open_stream(path);
    htsFormat format{};
    if (hts_detect_format2(stream.get(), path.c_str(), &format) < 0)
        throw std::runtime_error("failed to read \"" + path + "\"");
    if (format.format == ::sam && format.compression == no_compression) {
        text.emplace(std::move(stream), path);
        header = parse_header(text->header());
    } else if (format.format == ::bam && format.compression == bgzf && can_be_sought(path)) {
        bam.emplace(path);
        header = duplicate_header(bam->header());
    } else {
        source = open_scan({path, &arguments.input_format, &pool, stream.release()});
        header = duplicate_header(source->header());
    }
}

class WriteProgress {
   public:
    explicit WriteProgress(bool is_wanted) : line_(is_wanted) {}

    void show(const bgzfw::Writer& writer) {
        if (line_.is_wanted() && line_.is_due()) line_.show(text(writer));
    }

    void end(const bgzfw::Writer& writer, bool is_verbose) {
        line_.end();
        if (!is_verbose) return;
        fprintf(stderr, "%s, backend %s, level %d\n", text(writer).c_str(),
                std::string(bgzfw::backend_name(writer.backend())).c_str(), writer.level());
    }

   private:
    std::string text(const bgzfw::Writer& writer) const {
        char text[120];
        snprintf(text, sizeof text,
                 "qbix write: %" PRIu64 " records, %.1f MB written, %.2f M records/s",
                 writer.n_records(), static_cast<double>(writer.bytes_written()) / 1e6,
                 static_cast<double>(writer.n_records()) / std::max(line_.seconds(), 1e-9) / 1e6);
        return text;
    }

    ProgressLine line_;
};

// Passes records of a BAM on as they are.
class CopyingWorker : public RecordWorker {
    void process(const RecordView& view, std::vector<uint8_t>& out) override {
        out.insert(out.end(), view.bytes.begin(), view.bytes.end());
    }
};

class WriteCommand {
   public:
    explicit WriteCommand(WriteArguments& arguments)
        : arguments_(arguments),
          pool_(arguments.n_extra_threads),
          progress_(arguments.is_verbose) {}

    void run() {
        WriteInput input(arguments_, pool_);
        if (!arguments_.no_pg)
            add_program_line(input.header.get(), arguments_.argc, arguments_.argv);
        if (arguments_.write_index)
            indexes_.want_regions(input.header.get(), arguments_.region_index_path);
        if (arguments_.write_qbx) want_names(IndexFormat::kQbx);
        if (arguments_.write_qbi) want_names(IndexFormat::kQbi2);
        bgzfw::Writer writer(arguments_.output_path, bgzfw::render_header(input.header.get()),
                             writer_options(input));
        const CreatedFile created(arguments_.output_path);
        try {
            feed(input, writer);
            writer.close();
        } catch (...) {
            created.remove();
            throw;
        }
        progress_.end(writer, arguments_.is_verbose);
        indexes_.finish(arguments_.output_path);  // if that fails, the BAM is whole and stays
    }

   private:
    void want_names(IndexFormat format) {
        BuildOptions options = arguments_.names;
        options.format = format;
        options.index_path = default_index_path(arguments_.output_path, format);
        indexes_.want_names(options);
    }

    bgzfw::Options writer_options(const WriteInput& input) {
        bgzfw::Options options = arguments_.writer;
        if (indexes_.is_wanted()) options.hook = &indexes_;
        if (input.text) options.order = bgzfw::Order::kByBatch;
        // The threads that parse text compress it too, unless htslib is to do that.
        const bool threads_compress =
            input.text && bgzfw::resolve_backend(options) != bgzfw::Backend::kHtslib;
        options.workers = threads_compress ? 0 : arguments_.n_extra_threads;
        return options;
    }

    void feed(WriteInput& input, bgzfw::Writer& writer) {
        if (input.text)
            feed_text(*input.text, writer);
        else if (input.bam)
            feed_bam(*input.bam, writer);
        else
            feed_source(*input.source, writer);
    }

    void feed_text(SamText& text, bgzfw::Writer& writer) {
        write_sam_text(text, writer, n_busy_threads(), [&] { progress_.show(writer); });
    }

    // The caller's thread works, too, unless it would share a processor with the others: a thread
    // more than there are processors costs all of them their caches.
    int n_busy_threads() const {
        const int n = arguments_.n_extra_threads;
        return n + 1 <= allowed_cpus() ? n + 1 : std::max(n, 1);
    }

    // Inflating takes about a quarter of the time of the fastest compression.
    void feed_bam(const BamFile& bam, bgzfw::Writer& writer) {
        PipelineOptions options;
        options.n_threads = 1 + static_cast<size_t>(arguments_.n_extra_threads) / 4;
        options.memory_bytes = 4 << 20;
        scan_records(
            bam, [] { return std::make_unique<CopyingWorker>(); },
            [&](std::span<const uint8_t> records) {
                writer.write_encoded(records);
                progress_.show(writer);
            },
            options);
    }

    void feed_source(RecordSource& source, bgzfw::Writer& writer) {
        const Record record(bam_init1());
        if (!record) throw std::bad_alloc();
        constexpr uint64_t kShowEvery = 4096;
        for (uint64_t n = 0; source.next(record.get()); ++n) {
            writer.write(*record);
            if (n % kShowEvery == 0) progress_.show(writer);
        }
    }

    WriteArguments& arguments_;
    ThreadPool pool_;
    WriteProgress progress_;
    WrittenIndexes indexes_;
};

}  // namespace

int main_write(int argc, char** argv) {
    WriteArguments arguments;
    arguments.argc = argc;
    arguments.argv = argv;
    Options options;
    arguments.add_to(options);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        arguments.finish(args);
        WriteCommand(arguments).run();
        return 0;
    });
}

}  // namespace qbix::cli
