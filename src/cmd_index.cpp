// qbix index: build the read-name index of a BAM.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>

#include "commands.hpp"
#include "cpu_limit.hpp"
#include "options.hpp"
#include "progress_line.hpp"
#include "qbix/error.hpp"
#include "qbix/index_builder.hpp"
#include "qbix/index_path.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"index", R"(
Usage: qbix index [options] <in.bam>

Writes an index of the read names of in.bam to in.bam.qbx.

Options:
  -o, --output FILE      write the index to FILE [in.bam.qbx, or in.bam.qbi]
      --format FMT       qbx, or for other programs qbi1 or qbi2 [qbx; qbi2 if
                         FILE ends in .qbi, or with --radix-bits]
      --remainder-bits INT
                         of qbx: 16, 24 or 32; more for lists of mostly absent
                         names [16]
      --radix-bits INT   of qbi2: 8, 12, 16 or auto [auto]
      --convert FILE     make the index from FILE, another index of in.bam
  -m, --memory SIZE      memory for buffers, at least 16M [512M]
      --tmp-prefix STR   spill files are STR.* [beside the index]
      --allow-no-eof     index a BAM that lacks its end-of-file block
  -v, --verbose          show progress even when standard error is no terminal
  -@, --threads INT      additional threads [one less than the CPUs allowed, at most 8]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

Also taken, as the options of another program named qbix:
  -i, --index FILE       same as -o
      --index-format FMT, --qbi2-radix-bits INT
                         same as --format, --radix-bits
      --bgzf-threads INT threads in all, at least 1 (-@ counts additional ones)
      --temp-dir DIR     directory of spill files
      --bucket-bits INT, --sort-threads INT
                         accepted without effect

)",
                            "; a smaller -m takes less"};

constexpr int kMaxDefaultExtraThreads = 8;

struct IndexArguments {
    BuildOptions build;
    std::string temp_dir;
    std::string converted_path;         // --convert
    std::optional<IndexFormat> format;  // --format
    int n_threads = 0;                  // in all; 0 = by default
    bool is_verbose = false;
};

IndexFormat parse_format(const std::string& text) {
    if (text == "qbi1") return IndexFormat::kQbi1;
    if (text == "qbi2") return IndexFormat::kQbi2;
    if (text == "qbx") return IndexFormat::kQbx;
    throw UsageError("--format takes qbx, qbi1 or qbi2, not \"" + text + "\"");
}

unsigned parse_remainder_bits(const std::string& text) {
    if (text == "16" || text == "24" || text == "32") return static_cast<unsigned>(std::stoi(text));
    throw UsageError("--remainder-bits takes 16, 24 or 32, not \"" + text + "\"");
}

int parse_radix_bits(const std::string& text) {
    if (text == "auto") return 0;
    if (text == "8" || text == "12" || text == "16") return std::stoi(text);
    throw UsageError("--radix-bits takes 8, 12, 16 or auto, not \"" + text + "\"");
}

void add_options_of_other_program(Options& options, IndexArguments& arguments) {
    options.value("index,i", arguments.build.index_path);
    options.value("bgzf-threads", [&arguments](const std::string& text) {
        arguments.n_threads = static_cast<int>(parse_integer(text, 1, 1024, "--bgzf-threads"));
    });
    options.value("temp-dir", arguments.temp_dir);
    options.value("bucket-bits",
                  [](const std::string& text) { parse_integer(text, 4, 12, "--bucket-bits"); });
    options.value("sort-threads",
                  [](const std::string& text) { parse_integer(text, 1, 1024, "--sort-threads"); });
}

void add_index_options(Options& options, IndexArguments& arguments) {
    BuildOptions& build = arguments.build;
    options.value("output,o", build.index_path);
    options.value("format,index-format",
                  [&arguments](const std::string& text) { arguments.format = parse_format(text); });
    options.value("radix-bits,qbi2-radix-bits",
                  [&build](const std::string& text) { build.radix_bits = parse_radix_bits(text); });
    options.value("remainder-bits", [&build](const std::string& text) {
        build.remainder_bits = parse_remainder_bits(text);
    });
    options.value("convert", arguments.converted_path);
    options.value("memory,m", [&build](const std::string& text) {
        build.memory_bytes = parse_size(text, "-m/--memory");
    });
    options.value("tmp-prefix", build.tmp_prefix);
    options.flag("allow-no-eof", build.allow_no_eof);
    options.flag("verbose,v", arguments.is_verbose);
    options.value("threads,@", [&arguments](const std::string& text) {
        arguments.n_threads = 1 + static_cast<int>(parse_integer(text, 0, 1024, "-@/--threads"));
    });
    add_verbosity_option(options);
    add_options_of_other_program(options, arguments);
}

std::string progress_text(const BuildProgress& progress, double seconds) {
    const double done =
        progress.bytes_total ? static_cast<double>(progress.bytes_read) / progress.bytes_total : 0;
    const double left = done > 0 ? seconds / done - seconds : 0;
    char text[160];
    snprintf(text, sizeof text, "qbix index: %llu records, %.0f %%, %.2f M records/s, %.0f s left",
             static_cast<unsigned long long>(progress.n_records), 100 * done,
             seconds > 0 ? progress.n_records / seconds / 1e6 : 0.0, left);
    return text;
}

std::atomic<bool> cancelled{false};
std::atomic<int> cancelling_signal{0};

void on_signal(int signal) {
    cancelling_signal = signal;
    cancelled = true;
}

// SIGINT and SIGTERM end the build, which removes its files; then they kill the process.
// A signal that is ignored (nohup, a background job) stays ignored.
class CancelOnSignal {
   public:
    CancelOnSignal() {
        struct sigaction action {};
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        for (int i = 0; i < 2; ++i) {
            sigaction(kSignals[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
        }
    }
    ~CancelOnSignal() {
        for (int i = 0; i < 2; ++i) sigaction(kSignals[i], &before_[i], nullptr);
    }
    CancelOnSignal(const CancelOnSignal&) = delete;
    CancelOnSignal& operator=(const CancelOnSignal&) = delete;

   private:
    static constexpr int kSignals[2] = {SIGINT, SIGTERM};
    struct sigaction before_[2];
};

void choose_format(IndexArguments& arguments) {
    BuildOptions& build = arguments.build;
    const bool is_for_others = build.radix_bits != 0 || build.index_path.ends_with(".qbi");
    build.format =
        arguments.format.value_or(is_for_others ? IndexFormat::kQbi2 : IndexFormat::kQbx);
    if (build.radix_bits != 0 && build.format == IndexFormat::kQbx)
        throw UsageError("--radix-bits is for the format qbi2");
}

void check_paths(const std::string& bam_path, IndexArguments& arguments) {
    BuildOptions& build = arguments.build;
    if (bam_path == "-")
        throw UsageError(
            "standard input cannot be indexed: an index holds places in a file; "
            "write the BAM to a file first");
    if (build.index_path.empty() && is_url(bam_path))
        throw UsageError("name the index of a remote BAM with -o");
    if (build.index_path == "-")
        throw UsageError(
            "an index is not written in order and cannot go to standard output: name a file");
    if (!build.tmp_prefix.empty() && !arguments.temp_dir.empty())
        throw UsageError("--tmp-prefix and --temp-dir exclude each other");
    if (!arguments.temp_dir.empty()) {
        struct stat status;
        if (stat(arguments.temp_dir.c_str(), &status) == 0 && !S_ISDIR(status.st_mode))
            throw UsageError("--temp-dir \"" + arguments.temp_dir + "\" is not a directory");
        build.tmp_prefix = arguments.temp_dir + "/qbix";
    }
}

int default_threads() { return 1 + std::min(kMaxDefaultExtraThreads, allowed_cpus() - 1); }

int build(const std::string& bam_path, IndexArguments& arguments) {
    BuildOptions& build = arguments.build;
    choose_format(arguments);
    check_paths(bam_path, arguments);
    build.n_threads = arguments.n_threads ? arguments.n_threads : default_threads();
    ProgressLine progress(arguments.is_verbose);
    if (progress.is_wanted())
        build.on_progress = [&progress](const BuildProgress& p) {
            if (progress.is_due()) progress.show(progress_text(p, progress.seconds()));
        };
    build.cancel = &cancelled;
    try {
        CancelOnSignal guard;
        const std::string& from = arguments.converted_path;
        BuildReport report =
            from.empty() ? build_index(bam_path, build) : convert_index(from, bam_path, build);
        progress.end();
        if (arguments.is_verbose)
            fprintf(stderr, "qbix index: %llu records, %llu names, %llu bytes in \"%s\"\n",
                    static_cast<unsigned long long>(report.n_records),
                    static_cast<unsigned long long>(report.n_unique),
                    static_cast<unsigned long long>(report.index_bytes), report.index_path.c_str());
    } catch (const Error& e) {
        if (e.code() != ErrorCode::kCancelled) throw;
        progress.end();
    }
    if (cancelling_signal) raise(cancelling_signal);
    return 0;
}

}  // namespace

int main_index(int argc, char** argv) {
    IndexArguments arguments;
    Options options;
    add_index_options(options, arguments);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        if (args.size() != 1)
            throw UsageError(args.empty() ? "no BAM file given" : "one BAM file at a time",
                             UsageError::Help::kUsageText);
        return build(args[0], arguments);
    });
}

}  // namespace qbix::cli
