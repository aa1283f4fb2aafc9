// qbix stats: counts and sizes of an index.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "open_index.hpp"
#include "options.hpp"
#include "output.hpp"
#include "qbix/qbi_index.hpp"
#include "qbix/qbx_index.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"stats", R"(
Usage: qbix stats [options] <in.bam | index>

Prints how many records and names an index holds, how many records the names
have, what the index would take in each format, and which BAM it belongs to.
The BAM itself is not read.

Options:
  -i, --index FILE       the index [in.bam.qbx, in.qbx, in.bam.qbi, in.qbi]
      --json             print JSON
  -o, --output FILE      write to FILE [standard output]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)"};

constexpr int kRadixBits[] = {8, 12, 16};

// How many names have one record, two, more. A name is a distinct hash here.
struct NameStats {
    uint64_t n_records = 0;
    uint64_t n_names = 0;
    uint64_t n_single = 0;
    uint64_t n_double = 0;
    uint64_t n_multiple = 0;
    uint64_t max_records = 0;

    double mean_records() const {
        return n_names ? static_cast<double>(n_records) / static_cast<double>(n_names) : 0;
    }
    double percent(uint64_t n) const {
        return n_names ? 100.0 * static_cast<double>(n) / static_cast<double>(n_names) : 0;
    }
};

NameStats count_names(const NameIndex& index) {
    NameStats stats;
    index.visit_names([&stats](uint64_t n_records) {
        stats.n_records += n_records;
        ++stats.n_names;
        stats.n_single += n_records == 1;
        stats.n_double += n_records == 2;
        stats.n_multiple += n_records > 2;
        stats.max_records = std::max(stats.max_records, n_records);
    });
    return stats;
}

int smallest_radix_bits(const NameStats& stats) {
    return *std::min_element(std::begin(kRadixBits), std::end(kRadixBits), [&](int a, int b) {
        return qbi2_size_bytes(stats.n_records, stats.n_names, a) <
               qbi2_size_bytes(stats.n_records, stats.n_names, b);
    });
}

std::string hex(uint64_t number) {
    char text[19];
    snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(number));
    return text;
}

// Of a QBI2, else 0.
int radix_bits_of(const NameIndex& index) {
    const auto* qbi = dynamic_cast<const QbiIndex*>(&index);
    return qbi ? qbi->radix_bits() : 0;
}

std::string as_json(const std::string& bam_path, const NameIndex& index, const NameStats& stats) {
    using Json = nlohmann::ordered_json;
    Json sizes{{"qbi1", qbi1_size_bytes(stats.n_records)}};
    for (int bits : kRadixBits)
        sizes["qbi2_p" + std::to_string(bits)] =
            qbi2_size_bytes(stats.n_records, stats.n_names, bits);
    Json json{
        {"bam", bam_path},
        {"index", index.path()},
        {"format", format_name(index.format())},
        {"qbi2_radix_bits", radix_bits_of(index) ? Json(radix_bits_of(index)) : Json()},
        {"records", stats.n_records},
        {"distinct_qname_hashes", stats.n_names},
        {"records_per_name",
         {{"singletons", stats.n_single},
          {"pairs", stats.n_double},
          {"multi_or_supplementary", stats.n_multiple},
          {"max", stats.max_records},
          {"mean", stats.mean_records()}}},
        {"index_size", index.size_bytes()},
        {"sizes", sizes},
        {"smallest_qbi2_radix_bits", smallest_radix_bits(stats)},
        {"bam_size", index.bam_identity().size_bytes},
        {"bam_mtime_ns", index.bam_identity().mtime_ns},
        {"header_hash", hex(index.bam_identity().header_hash)},
    };
    if (const auto* qbx = dynamic_cast<const QbxIndex*>(&index))
        json["qbx"] = {{"remainder_bits", qbx->remainder_bits()},
                       {"names_section", qbx->section_bytes("NAME")},
                       {"blocks_section", qbx->section_bytes("BLOC")},
                       {"blocks", qbx->block_count()}};
    // File names are bytes: what is not UTF-8 in them is replaced.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// "LABEL:<TAB>VALUE" lines.
class TextLines {
   public:
    TextLines& heading(const char* label) {
        text_ += std::string(label) + ":\n";
        return *this;
    }
    TextLines& line(const std::string& label, const std::string& value) {
        text_ += label + ":\t" + value + "\n";
        return *this;
    }
    TextLines& line(const std::string& label, uint64_t value) {
        return line(label, std::to_string(value));
    }
    const std::string& text() const { return text_; }

   private:
    std::string text_;
};

std::string with_percent(uint64_t n, const NameStats& stats) {
    char text[40];
    snprintf(text, sizeof text, "%llu (%.1f%%)", static_cast<unsigned long long>(n),
             stats.percent(n));
    return text;
}

std::string as_text(const std::string& bam_path, const NameIndex& index, const NameStats& stats) {
    char mean[32];
    snprintf(mean, sizeof mean, "%.2f", stats.mean_records());
    TextLines lines;
    lines.line("Records", stats.n_records)
        .line("Distinct read-name hashes", stats.n_names)
        .heading("Records per name")
        .line("  1 (singletons)", with_percent(stats.n_single, stats))
        .line("  2 (pairs)", with_percent(stats.n_double, stats))
        .line("  3+ (multi/suppl.)", with_percent(stats.n_multiple, stats))
        .line("  max", stats.max_records)
        .line("  mean", mean)
        .heading("Index metadata")
        .line("  BAM", bam_path)
        .line("  Index", index.path())
        .line("  Format", format_name(index.format()));
    if (const int bits = radix_bits_of(index))
        lines.line("  QBI2 radix bits", static_cast<uint64_t>(bits));
    if (const auto* qbx = dynamic_cast<const QbxIndex*>(&index))
        lines.line("  QBX remainder bits", uint64_t{qbx->remainder_bits()})
            .line("  QBX names section", qbx->section_bytes("NAME"))
            .line("  QBX blocks section", qbx->section_bytes("BLOC"))
            .line("  QBX blocks", qbx->block_count());
    lines.line("  Index size", index.size_bytes())
        .line("  BAM size", index.bam_identity().size_bytes)
        .line("  BAM mtime ns", index.bam_identity().mtime_ns)
        .line("  Header hash", hex(index.bam_identity().header_hash))
        .heading("Size by format")
        .line("  QBI1", qbi1_size_bytes(stats.n_records));
    for (int bits : kRadixBits)
        lines.line("  QBI2 P=" + std::to_string(bits),
                   qbi2_size_bytes(stats.n_records, stats.n_names, bits));
    lines.line("  Smallest QBI2 radix bits", static_cast<uint64_t>(smallest_radix_bits(stats)));
    return lines.text();
}

struct StatsArguments {
    std::string index_path;
    std::string output_path = "-";
    bool is_json = false;
};

int stats(const std::string& path, const StatsArguments& arguments) {
    bool is_index_path =
        arguments.index_path.empty() && (path.ends_with(".qbi") || path.ends_with(".qbx"));
    const auto opened =
        open_name_index(is_index_path ? path : index_path_for(path, arguments.index_path));
    const NameIndex& index = *opened;
    refuse_same_file(arguments.output_path, index.path());
    refuse_same_file(arguments.output_path, path);
    std::string bam_path = is_index_path ? path.substr(0, path.size() - 4) : path;
    NameStats names = count_names(index);
    TextOutput out(arguments.output_path);
    out.write(arguments.is_json ? as_json(bam_path, index, names)
                                : as_text(bam_path, index, names));
    out.close();
    return 0;
}

}  // namespace

int main_stats(int argc, char** argv) {
    StatsArguments arguments;
    Options options;
    options.value("index,i", arguments.index_path);
    options.value("output,o", arguments.output_path);
    options.flag("json", arguments.is_json);
    add_verbosity_option(options);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        if (args.size() != 1)
            throw UsageError(args.empty() ? "no BAM file given" : "one BAM file at a time",
                             UsageError::Help::kUsageText);
        return stats(args[0], arguments);
    });
}

}  // namespace qbix::cli
