// name_selection.hpp: the names that a command was given, and how they fared.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "qbix/name_list.hpp"

namespace qbix::cli {

// The options by which names are chosen.
struct NameArguments {
    std::vector<std::string> files;  // -N
    std::vector<std::string> names;  // --qname
    NameListFormat format;
    std::string missing_path;  // --missing
    bool require_all = false;

    void add_to(Options& options);
    bool are_given() const { return !files.empty() || !names.empty(); }
};

// The union of all lists, in the order of first occurrence, with hits counted.
class NameSelection {
   public:
    // Reads the lists. Warns on standard error of lines that cannot be names. Throws Error.
    NameSelection(const NameArguments& arguments, const char* command);

    const NameList& names() const noexcept { return names_; }

    void count_record(uint32_t name) noexcept {
        is_found_[name] = true;
        ++n_records_;
    }

    // Writes --missing; tells on standard error when names were not found, and whether they
    // would be if cleaned: `has_name` says whether the file has a record of a name. Returns the
    // exit code: 1 if --require-all and not all were found. Throws std::exception.
    int report(const std::function<bool(std::string_view)>& has_name) const;

   private:
    const NameArguments& arguments_;
    const char* command_;
    NameList names_;
    std::vector<bool> is_found_;  // by name
    uint64_t n_records_ = 0;
    uint64_t n_too_long_ = 0;
};

}  // namespace qbix::cli
