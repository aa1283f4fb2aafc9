// qbix view: records by name, in file order, as samtools view prints them.
#include <memory>

#include "commands.hpp"
#include "name_selection.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_header.hpp"
#include "qbix/index_path.hpp"
#include "record_source.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"view", R"(
Usage: qbix view [options] <in.bam>|<in.sam>|<in.cram>

Prints the records with the given read names in file order. With an index
(qbix index) only the blocks that hold them are read, otherwise the whole file.

Names:
  -N, --qname-file FILE  names listed in FILE, one a line; - is standard input;
                         may be repeated
      --qname STR        one name; may be repeated
      --exact-lines      a line is a name, blanks included
      --fastq-names      drop a leading @ and a trailing /1 or /2
      --missing FILE     write the names without a record to FILE
      --require-all      exit with 1 unless every name was found

Output:
  -b, --bam              BAM
  -C, --cram             CRAM
  -1, --fast             fast compression (and BAM by default)
  -u, --uncompressed     no compression (and BAM by default)
  -h, --with-header      SAM with the header
  -H, --header-only      the header alone
      --no-header        SAM without the header (default)
  -c, --count            the number of records alone
  -o, --output FILE      write to FILE [standard output]
  -O, --output-fmt FMT[,OPT[=VAL]]...
                         sam, sam.gz, bam or cram, with options
      --output-fmt-option OPT[=VAL]
                         an option of the output format; may be repeated
      --no-PG            do not add a @PG line

Input:
  -i, --index FILE       the index [in.bam.qbi, else in.qbi]

General:
  -@, --threads INT      additional threads [0]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -?, --help             print this text

)"};

struct ViewArguments {
    NameArguments names;
    OutputSpec output;
    std::string index_path;
    bool with_header = false;
    bool header_only = false;
    bool no_header = false;
    bool count_only = false;
    bool no_pg = false;
    int n_extra_threads = 0;
    int argc = 0;  // for @PG
    char** argv = nullptr;

    void add_to(Options& options) {
        names.add_to(options);
        output.add_to(options);
        options.value("index,i", index_path);
        options.flag("with-header,h", with_header);
        options.flag("header-only,H", header_only);
        options.flag("no-header", no_header);
        options.flag("count,c", count_only);
        options.flag("no-PG", no_pg);
        add_threads_option(options, n_extra_threads);
        add_verbosity_option(options);
    }
};

std::unique_ptr<RecordSource> open_source(const std::string& path, const ViewArguments& arguments,
                                          ThreadPool& pool, NameSelection* selection) {
    if (selection && !arguments.header_only && path != "-") {
        std::string index_path =
            arguments.index_path.empty() ? find_index_path(path) : arguments.index_path;
        if (!index_path.empty()) return open_indexed(path, index_path, *selection);
    }
    return open_scan(path, pool, selection);
}

void count_records(RecordSource& source, const ViewArguments& arguments) {
    Record record(bam_init1());
    uint64_t n_records = 0;
    while (!arguments.header_only && source.next(record.get())) ++n_records;
    TextOutput out(arguments.output.path);
    out.write(std::to_string(n_records) + "\n");
    out.close();
}

void write_records(RecordSource& source, const ViewArguments& arguments, ThreadPool& pool) {
    SamOutput out(arguments.output, pool);
    const sam_hdr_t* header = source.header();
    bool header_is_wanted = out.always_has_header() || arguments.header_only ||
                            (arguments.with_header && !arguments.no_header);
    Header with_program;
    if (header_is_wanted && !arguments.no_pg) {
        with_program = duplicate_header(header);
        add_program_line(with_program.get(), arguments.argc, arguments.argv);
        header = with_program.get();
    }
    if (header_is_wanted) out.write_header(header);
    Record record(bam_init1());
    while (!arguments.header_only && source.next(record.get())) out.write(header, record.get());
    out.close();
}

int view(const std::string& path, const ViewArguments& arguments) {
    refuse_same_file(arguments.output.path, path);
    ThreadPool pool(arguments.n_extra_threads);
    std::unique_ptr<NameSelection> selection;
    if (arguments.names.are_given())
        selection = std::make_unique<NameSelection>(arguments.names, kText.name);
    std::unique_ptr<RecordSource> source = open_source(path, arguments, pool, selection.get());
    if (arguments.count_only)
        count_records(*source, arguments);
    else
        write_records(*source, arguments, pool);
    if (!selection || arguments.header_only) return 0;
    return selection->report([&](std::string_view name) { return source->has_name(name); });
}

}  // namespace

int main_view(int argc, char** argv) {
    ViewArguments arguments;
    arguments.argc = argc;
    arguments.argv = argv;
    Options options(Options::LetterH::kOwn);
    arguments.add_to(options);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        if (args.size() > 1)
            throw UsageError("one input file at a time; regions are not taken (\"" + args[1] +
                             "\"): use samtools view");
        return view(args.empty() ? "-" : args[0], arguments);
    });
}

}  // namespace qbix::cli
