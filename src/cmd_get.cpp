// qbix get: the records of the names on the command line, in the order of the names.
#include <memory>
#include <optional>

#include "commands.hpp"
#include "missing_names.hpp"
#include "open_index.hpp"
#include "options.hpp"
#include "output.hpp"
#include "output_header.hpp"
#include "qbix/bam_file.hpp"
#include "qbix/index_check.hpp"
#include "qbix/name_hash.hpp"
#include "qbix/name_index.hpp"
#include "qbix/name_lookup.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"get", R"(
Usage: qbix get [options] <in.bam> [name ...]

Prints the records with the given read names, in the order of the names. A name
given twice is printed twice. Needs an index (qbix index).

Names:
  -f, --file FILE        more names, one a line; - is standard input, whose names
                         are answered as they come; may be repeated
      --exact-lines      a line of FILE is a name, blanks included
      --fastq-names      drop a leading @ and a trailing /1 or /2 in FILE
      --unique           take each name once
      --missing FILE     write the names without a record to FILE
      --require-all      exit with 1 unless every name was found

Output:
      --query-order      in the order of the names (default)
      --bam-order        in the order of the BAM
  -b, --bam              BAM
  -C, --cram             CRAM
  -1, --fast             fast compression (and BAM by default)
  -u, --uncompressed     no compression (and BAM by default)
  -h, --with-header      SAM with the header
  -o, --output FILE      write to FILE [standard output]
  -O, --output-fmt FMT[,OPT[=VAL]]...
                         sam, sam.gz, bam or cram, with options; also S and B
      --output-fmt-option OPT[=VAL]
                         an option of the output format; may be repeated
      --no-PG            do not add a @PG line

General:
  -i, --index FILE       the index [in.bam.qbx, in.qbx, in.bam.qbi, in.qbi]
  -@, --threads INT      additional threads [0]
      --bgzf-threads INT threads in all, at least 1, as in another program named qbix
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -?, --help             print this text

)"};

struct GetArguments {
    std::vector<std::string> files;
    NameListFormat format;
    std::string missing_path;
    bool require_all = false;
    bool unique = false;
    bool bam_order = false;
    bool query_order = false;
    OutputSpec output;
    std::string index_path;
    bool with_header = false;
    bool no_pg = false;
    int n_extra_threads = 0;
    int argc = 0;  // for @PG
    char** argv = nullptr;

    void add_to(Options& options) {
        options.list("file,f", files);
        options.flag("exact-lines", format.exact_lines);
        options.flag("fastq-names", format.fastq_names);
        options.value("missing", missing_path);
        options.flag("require-all", require_all);
        options.flag("unique", unique);
        options.flag("bam-order", bam_order);
        options.flag("query-order", query_order);
        output.add_to(options);
        options.value("index,i", index_path);
        options.flag("with-header,h", with_header);
        options.flag("no-PG", no_pg);
        add_threads_option(options, n_extra_threads);
        add_total_threads_option(options, n_extra_threads);
        add_verbosity_option(options);
    }
};

// The names one after another: those of the command line, then those of the files.
class NameQueue {
   public:
    NameQueue(const std::string* begin, const std::string* end, const GetArguments& arguments)
        : argument_(begin), end_(end), arguments_(arguments) {}

    bool next(std::string_view& name) {
        while (next_with_repeats(name)) {
            if (!arguments_.unique) return true;
            size_t n_seen = seen_.size();
            seen_.add(name);
            if (seen_.size() > n_seen) return true;
        }
        return false;
    }

    uint64_t n_too_long() const { return n_too_long_; }

   private:
    bool next_with_repeats(std::string_view& name) {
        if (argument_ != end_) {
            name = *argument_++;
            return true;
        }
        for (;;) {
            if (reader_ && reader_->next(name)) return true;
            if (reader_) {
                warn_of_long_lines(*reader_, arguments_.files[n_opened_ - 1], kText.name);
                n_too_long_ += reader_->n_too_long();
                reader_.reset();
            }
            if (n_opened_ == arguments_.files.size()) return false;
            reader_.emplace(arguments_.files[n_opened_++], arguments_.format);
        }
    }

    const std::string* argument_;
    const std::string* end_;
    const GetArguments& arguments_;
    std::optional<NameReader> reader_;
    size_t n_opened_ = 0;
    uint64_t n_too_long_ = 0;
    NameList seen_;
};

// Where records go.
class Getter {
   public:
    Getter(const std::string& bam_path, const GetArguments& arguments)
        : pool_(arguments.n_extra_threads),
          bam_(bam_path),
          index_(open_name_index(index_path_for(bam_path, arguments.index_path))),
          fetcher_(*index_, bam_),
          missing_(kText.name, arguments.missing_path),
          header_(duplicate_header(bam_.header())),
          record_(bam_init1()) {
        check_belongs(*index_, bam_);
        out_.emplace(arguments.output, pool_);
        if (!out_->always_has_header() && !arguments.with_header) return;
        if (!arguments.bam_order) mark_unsorted(header_.get());
        if (!arguments.no_pg) add_program_line(header_.get(), arguments.argc, arguments.argv);
        out_->write_header(header_.get());
    }

    void get_in_query_order(NameQueue& queue) {
        for (std::string_view name; queue.next(name);) {
            uint64_t n_records = fetch_name(*index_, fetcher_, name,
                                            [this](const RecordView& record) { write(record); });
            count_name(name, n_records > 0);
            missing_.count_records(n_records);
        }
    }

    void get_in_bam_order(NameQueue& queue) {
        NameList names;
        std::vector<uint32_t> asked;  // name numbers as they came, repeats included
        for (std::string_view name; queue.next(name);) asked.push_back(names.add(name));
        std::vector<uint32_t> n_asked(names.size());
        for (uint32_t number : asked) ++n_asked[number];
        std::vector<bool> is_found(names.size());
        for (const NameCandidate& candidate : find_candidates(*index_, names)) {
            auto record = fetcher_.fetch(candidate.place(), names.name(candidate.name));
            if (!record) continue;
            is_found[candidate.name] = true;
            missing_.count_records(n_asked[candidate.name]);
            for (uint32_t i = 0; i < n_asked[candidate.name]; ++i) write(*record);
        }
        for (uint32_t number : asked) count_name(names.name(number), is_found[number]);
    }

    // Returns whether every name was found.
    bool finish(uint64_t n_too_long) {
        missing_.count_too_long(n_too_long);
        out_->close();
        return missing_.finish();
    }

   private:
    void count_name(std::string_view name, bool is_found) {
        missing_.count_name(name, is_found);
        std::string_view cleaned = clean_fastq_name(name);
        if (!is_found && cleaned != name && index_->has_name(hash_name(cleaned)))
            missing_.count_found_if_cleaned();
    }

    void write(const RecordView& view) {
        decode_record(view, bam_.header(), record_.get());
        out_->write(header_.get(), record_.get());
    }

    ThreadPool pool_;
    BamFile bam_;
    std::unique_ptr<const NameIndex> index_;
    NameFetcher fetcher_;
    MissingNames missing_;
    Header header_;
    Record record_;
    std::optional<SamOutput> out_;
};

int get(const std::vector<std::string>& args, const GetArguments& arguments) {
    if (args.empty()) throw UsageError("no BAM file given", UsageError::Help::kUsageText);
    if (args.size() == 1 && arguments.files.empty())
        throw UsageError("no read names given", UsageError::Help::kUsageText);
    if (arguments.bam_order && arguments.query_order)
        throw UsageError("--bam-order and --query-order exclude each other");
    refuse_same_file(arguments.output.path, args[0]);
    NameQueue queue(args.data() + 1, args.data() + args.size(), arguments);
    Getter getter(args[0], arguments);
    if (arguments.bam_order)
        getter.get_in_bam_order(queue);
    else
        getter.get_in_query_order(queue);
    return !getter.finish(queue.n_too_long()) && arguments.require_all ? 1 : 0;
}

}  // namespace

int main_get(int argc, char** argv) {
    GetArguments arguments;
    arguments.argc = argc;
    arguments.argv = argv;
    Options options(Options::LetterH::kOwn);
    arguments.add_to(options);
    return run_command(kText, options, argc, argv,
                       [&](const std::vector<std::string>& args) { return get(args, arguments); });
}

}  // namespace qbix::cli
