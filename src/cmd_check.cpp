// qbix check: does an index belong to a BAM, and is it whole?
#include <cstdio>

#include "commands.hpp"
#include "open_index.hpp"
#include "options.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_index.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"check", R"(
Usage: qbix check [options] <in.bam>

Exit code 0 if the index belongs to in.bam, 1 otherwise.

Options:
  -i, --index FILE       the index [in.bam.qbx, in.qbx, in.bam.qbi, in.qbi]
      --quick            size, header, and a few records (default)
      --full             checksums and structure of the index, and every record
  -m, --memory SIZE      memory for buffers of --full [512M]
  -v, --verbose          no effect; the result is always told
  -@, --threads INT      additional threads [0]
      --bgzf-threads INT threads in all, at least 1, as in another program named qbix
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)",
                            "; a smaller -m takes less"};

struct CheckArguments {
    std::string index_path;
    bool is_quick = false;
    bool is_full = false;
    bool is_verbose = false;
    uint64_t memory_bytes = uint64_t{512} << 20;
    int n_extra_threads = 0;
};

void add_check_options(Options& options, CheckArguments& arguments) {
    options.value("index,i", arguments.index_path);
    options.flag("quick", arguments.is_quick);
    options.flag("full", arguments.is_full);
    options.flag("verbose,v", arguments.is_verbose);
    options.value("memory,m", [&arguments](const std::string& text) {
        arguments.memory_bytes = parse_size(text, "-m/--memory");
    });
    add_threads_option(options, arguments.n_extra_threads);
    add_total_threads_option(options, arguments.n_extra_threads);
    add_verbosity_option(options);
}

int check(const std::string& bam_path, const CheckArguments& arguments) {
    if (arguments.is_quick && arguments.is_full)
        throw UsageError("--quick and --full exclude each other");
    const auto index = open_name_index(index_path_for(bam_path, arguments.index_path));
    BamFile bam(bam_path);
    uint64_t n_records = index->record_count();
    if (arguments.is_full)
        n_records =
            check_full(*index, bam, 1 + arguments.n_extra_threads, arguments.memory_bytes, nullptr)
                .n_records;
    else
        check_belongs(*index, bam);
    fprintf(stderr, "qbix check: ok (%s, %llu records)\n", arguments.is_full ? "full" : "quick",
            static_cast<unsigned long long>(n_records));
    return 0;
}

}  // namespace

int main_check(int argc, char** argv) {
    CheckArguments arguments;
    Options options;
    add_check_options(options, arguments);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        if (args.size() != 1)
            throw UsageError(args.empty() ? "no BAM file given" : "one BAM file at a time",
                             UsageError::Help::kUsageText);
        return check(args[0], arguments);
    });
}

}  // namespace qbix::cli
