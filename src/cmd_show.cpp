// qbix show: the rows of an index as text.
#include <charconv>

#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "qbix/qbi_index.hpp"

namespace qbix::cli {
namespace {

constexpr CommandText kText{"show", R"(
Usage: qbix show [options] <index.qbi>

Prints the rows of an index: name hash, tab, virtual offset; both decimal.

Options:
  -o, --output FILE      write to FILE [standard output]
      --verbosity INT    level of htslib's messages [3]
      --version          print the version
  -h, -?, --help         print this text

)"};

constexpr size_t kBatchRows = 1024;

void append_number(std::string& text, uint64_t number) {
    char digits[20];
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

int show(const std::string& index_path, const std::string& output_path) {
    refuse_same_file(output_path, index_path);
    QbiIndex index(index_path);
    RowCursor cursor(index);
    TextOutput out(output_path);
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
