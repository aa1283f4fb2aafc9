#include "format_options.hpp"

#include "options.hpp"

namespace qbix::cli {

void FileFormat::add_option(const std::string& text) {
    if (hts_opt_add(reinterpret_cast<hts_opt**>(&specific), text.c_str()) != 0)
        throw UsageError("unknown format option \"" + text + "\"");
}

void add_input_options(Options& options, FileFormat& format) {
    options.value("reference,T",
                  [&format](const std::string& text) { format.add_option("reference=" + text); });
    options.value("input-fmt-option",
                  [&format](const std::string& text) { format.add_option(text); });
}

}  // namespace qbix::cli
