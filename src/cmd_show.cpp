// qbix show: the rows of an index as text.
#include <charconv>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "qbix/qbi_index.hpp"
#include "qbix/qbx_index.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"show", R"(
Usage: qbix show [options] <index>

Prints the rows of an index, with tabs between decimal numbers. Of a .qbi: name
hash, virtual offset. Of a .qbx, which keeps no hashes: region, line and
remainder of a name, its number of records, the ordinal of the first.

Options:
  -o, --output FILE      write to FILE [standard output]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)"};

constexpr size_t kBatchRows = 1024;
constexpr size_t kTextBytes = 64 << 10;

void append_number(std::string& text, uint64_t number) {
    char digits[20];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void show_names(const QbxIndex& index, TextOutput& out) {
    std::string text;
    index.walk([&](const QbxIndex::Name& name) {
        append_number(text, name.region);
        for (const uint64_t number :
             {name.line, uint64_t{name.remainder}, name.n_records, name.first_ordinal}) {
            text += '\t';
            append_number(text, number);
        }
        text += '\n';
        if (text.size() < kTextBytes) return;
        out.write(text);
        text.clear();
    });
    out.write(text);
}

void show_rows(const QbiIndex& index, TextOutput& out) {
    RowCursor cursor(index);
    std::vector<IndexRow> rows(kBatchRows);
    std::string text;
    while (size_t n = cursor.next(rows)) {
        text.clear();
        for (size_t i = 0; i < n; ++i) {
            append_number(text, rows[i].hash.value);
            text += '\t';
            append_number(text, rows[i].voffset.value);
            text += '\n';
        }
        out.write(text);
    }
}

int show(const std::string& index_path, const std::string& output_path) {
    refuse_same_file(output_path, index_path);
    const auto index = open_name_index(index_path);
    TextOutput out(output_path);
    if (const auto* qbx = dynamic_cast<const QbxIndex*>(index.get()))
        show_names(*qbx, out);
    else
        show_rows(dynamic_cast<const QbiIndex&>(*index), out);
    out.close();
    return 0;
}

}  // namespace

int main_show(int argc, char** argv) {
    std::string output_path = "-";
    Options options;
    options.value("output,o", output_path);
    add_verbosity_option(options);
    return run_command(kText, options, argc, argv, [&](const std::vector<std::string>& args) {
        if (args.size() != 1)
            throw UsageError(args.empty() ? "no index file given" : "one index file at a time",
                             UsageError::Help::kUsageText);
        return show(args[0], output_path);
    });
}

}  // namespace qbix::cli
