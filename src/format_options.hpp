// format_options.hpp: the format of a file and its options, as htslib takes them.
#pragma once

#include <htslib/hts.h>

#include <string>

namespace qbix::cli {

class Options;

// Owns its options.
struct FileFormat : htsFormat {
    FileFormat() : htsFormat{} {}
    ~FileFormat() { hts_opt_free(static_cast<hts_opt*>(specific)); }
    FileFormat(const FileFormat&) = delete;
    FileFormat& operator=(const FileFormat&) = delete;

    // "NAME" or "NAME=VALUE". Throws UsageError.
    void add_option(const std::string& text);
};

// --input-fmt-option and -T, of commands that read any format and write another.
void add_input_options(Options& options, FileFormat& format);

}  // namespace qbix::cli
