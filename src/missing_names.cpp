#include "missing_names.hpp"

#include <cstdio>

namespace qbix::cli {
namespace {

constexpr size_t kMaxExamples = 3;

// Control bytes of a hostile name stay out of the terminal.
std::string printable(std::string_view name) {
    std::string text;
    for (unsigned char c : name) {
        char escaped[5];
        snprintf(escaped, sizeof escaped, "\\x%02x", c);
        if (c < 0x20 || c == 0x7f)
            text += escaped;
        else
            text += static_cast<char>(c);
    }
    return text;
}

}  // namespace

MissingNames::MissingNames(const char* command, const std::string& path) : command_(command) {
    if (!path.empty()) file_.emplace(path);
}

void MissingNames::count_name(std::string_view name, bool is_found) {
    ++n_asked_;
    n_found_ += is_found;
    if (is_found) return;
    if (examples_.size() < kMaxExamples) examples_.push_back(printable(name));
    if (file_) {
        file_->write(name);
        file_->write("\n");
    }
}

bool MissingNames::finish() {
    if (file_) file_->close();
    if (n_found_ == n_asked_) return true;
    std::string missing;
    for (const std::string& name : examples_) missing += (missing.empty() ? " " : ", ") + name;
    if (missing.empty())
        missing = " lines that are too long";
    else if (n_asked_ - n_found_ > examples_.size())
        missing += ", ...";
    fprintf(stderr, "qbix %s: %llu of %llu names found, %llu records; not found:%s\n", command_,
            static_cast<unsigned long long>(n_found_), static_cast<unsigned long long>(n_asked_),
            static_cast<unsigned long long>(n_records_), missing.c_str());
    if (n_found_if_cleaned_ > 0)
        fprintf(stderr,
                "qbix %s: %llu of these would be found with --fastq-names, which drops a leading @ "
                "and a trailing /1 or /2\n",
                command_, static_cast<unsigned long long>(n_found_if_cleaned_));
    return false;
}

void warn_of_long_lines(const NameReader& reader, const std::string& path, const char* command) {
    if (reader.n_too_long() == 0) return;
    fprintf(stderr,
            "qbix %s: warning: %llu lines of \"%s\" are longer than the %zu bytes that a read name "
            "can have (the first is line %llu); they match nothing\n",
            command, static_cast<unsigned long long>(reader.n_too_long()), path.c_str(),
            kMaxNameBytes, static_cast<unsigned long long>(reader.first_too_long_line()));
}

}  // namespace qbix::cli
