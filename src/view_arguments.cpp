#include "view_arguments.hpp"

#include "filter_options.hpp"

namespace qbix::cli {

const char kViewUsage[] = R"(
Usage: qbix view [options] <in.bam>|<in.sam>|<in.cram> [region ...]

Prints the records with the given read names in file order, as samtools view
does. With an index (qbix index) only the blocks that hold them are read.

Names:
  -N, --qname-file [^]FILE
                         names listed in FILE, one a line; - is standard input;
                         ^FILE: all but these; may be repeated
      --qname STR        one name; may be repeated
      --exact-lines      a line is a name, blanks included
      --fastq-names      drop a leading @ and a trailing /1 or /2
      --missing FILE     write the names without a record to FILE
      --require-all      exit with 1 unless every name was found
      --list-order       print in the order of the names, not of the file
  -P, --fetch-templates  print all records, anywhere, of the names that were
                         selected

Filters, as in samtools view:
  -f, --require-flags FLAG       all of these bits
  -F, --excl[ude]-flags FLAG     none of these bits
      --rf, --incl[ude]-flags FLAG  any of these bits
  -G FLAG                        not all of these bits
  -q, --min-MQ INT               mapping quality at least INT
  -m, --min-qlen INT             at least INT bases of the query in the CIGAR
  -l, --library STR              library STR
  -r, --read-group STR           read group STR, or none
  -R, --read-group-file [^]FILE  read groups listed in FILE, or none
  -n                             not without a read group
  -d, --tag TAG[:VAL]            has the tag (with this value)
  -D, --tag-file TAG:FILE        has the tag with a value listed in FILE
  -e, --expr STR                 matches the filter expression STR
  -s INT.FRAC, --subsample FLOAT, --subsample-seed INT
                                 keep a fraction of the names
  -L, --target[s]-file FILE      overlaps a region of the BED FILE
  -M, --use-index                read the regions and -L by the index of regions
      --region[s]-file FILE      same as -M -L FILE

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
  -U, --unoutput, --output-unselected FILE
                         write the records that were not selected to FILE
  -x, --remove-tag [^]STR[,STR]  leave these tags out (^: keep only these)
      --keep-tag STR[,STR]       keep only these tags
  -O, --output-fmt FMT[,OPT[=VAL]]...
                         sam, sam.gz, bam or cram, with options
      --output-fmt-option OPT[=VAL]
                         an option of the output format; may be repeated
      --write-index      index the output by regions
      --no-PG            do not add a @PG line

Input:
  -i, --index FILE       the index [in.bam.qbx, in.qbx, in.bam.qbi, in.qbi]
      --preload          copy the index into memory first, for millions of names
  -T, --reference FILE   reference sequence, for CRAM
      --input-fmt-option OPT[=VAL]
                         an option of the input format; may be repeated

General:
      --explain          tell how the records are found, on standard error
      --plan-memory SIZE memory for the places of records [256M]
  -@, --threads INT      additional threads [0]
  -S                     ignored
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -?, --help             print this text

)";

namespace {

// Options of samtools view that are not taken, and whether they have a value.
struct RefusedOption {
    const char* spec;
    const char* shown;
    bool takes_value;
};
constexpr RefusedOption kRefused[] = {
    {"add-flags", "--add-flags FLAG", true},
    {"remove-flags", "--remove-flags FLAG", true},
    {"remove-B,B", "-B", false},
    {"unmap,p", "-p", false},
    {"fai-reference,t", "-t FILE", true},
    {"sanitize,z", "-z FLAGS", true},
};

void refuse_samtools_options(Options& options) {
    for (const RefusedOption& refused : kRefused) {
        auto refuse = [refused](const std::string&) {
            throw UsageError(std::string("option ") + refused.shown +
                             " is not taken; use a pipe: qbix view -u ... | samtools view " +
                             refused.shown + " -");
        };
        if (refused.takes_value)
            options.value(refused.spec, refuse);
        else
            options.flag(refused.spec, [refuse] { refuse(""); });
    }
    options.flag("customized-index,X", [] {
        throw UsageError(
            "option -X is not taken; name the index of read names with -i, and that "
            "of regions as in.bam##idx##FILE");
    });
}

}  // namespace

void ViewArguments::add_to(Options& options) {
    names.add_to(options);
    add_filter_options(options, filter);
    tags.add_to(options);
    output.add_to(options);
    options.flag("list-order", list_order);
    options.flag("fetch-templates,fetch-pairs,P", fetch_templates);
    options.value("target-file,targets-file,L", bed_path);
    options.flag("use-index,M", use_region_index);
    options.value("region-file,regions-file", [this](const std::string& text) {
        bed_path = text;
        use_region_index = true;
    });
    options.value("unoutput,output-unselected,U", unselected_path);
    options.flag("with-header,h", [this] { with_header = true; });
    options.flag("header-only,H", [this] { header_only = true; });
    options.flag("no-header", [this] { with_header = header_only = false; });
    options.flag("count,c", count_only);
    options.flag("write-index", write_index);
    options.flag("no-PG", no_pg);
    options.value("index,i", index_path);
    options.value("reference,T", [this](const std::string& text) {
        input_format.add_option("reference=" + text);
        output.format.add_option("reference=" + text);
    });
    options.value("input-fmt-option",
                  [this](const std::string& text) { input_format.add_option(text); });
    options.flag("explain", explain);
    options.flag("preload", preload);
    options.value("plan-memory", [this](const std::string& text) {
        plan_memory_bytes = parse_size(text, "--plan-memory");
    });
    options.flag(",S", [] {});
    add_threads_option(options, n_extra_threads);
    add_verbosity_option(options);
    refuse_samtools_options(options);
}

void ViewArguments::finish(const std::vector<std::string>& args) {
    if (!args.empty()) {
        input_path = args[0];
        regions.assign(args.begin() + 1, args.end());
    }
    if (!bed_path.empty()) bed.emplace(bed_path);
    if (write_index && output.path == "-")
        throw UsageError("--write-index needs an output file (-o)");
    if (fetch_templates && !unselected_path.empty())
        throw UsageError("-P and -U exclude each other");
    if (list_order && (!regions.empty() || !unselected_path.empty() || fetch_templates))
        throw UsageError("--list-order goes with neither regions, -P, nor -U");
    if (input_path == "-" && (fetch_templates || list_order))
        throw UsageError("standard input is read once: write it to a file and index it for this");
    for (const std::string& path : {output.path, unselected_path, names.missing_path}) {
        if (path.empty()) continue;
        refuse_same_file(path, input_path);
        for (const std::string& list : names.files) refuse_same_file(path, list);
    }
}

}  // namespace qbix::cli
