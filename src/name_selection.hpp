// name_selection.hpp: the names that a command was given, and how they fared.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "qbix/name_list.hpp"

namespace qbix::cli {

// The options by which names are chosen.
struct NameArguments {
    std::vector<std::string> files;  // -N; "^" in front excludes
    std::vector<std::string> names;  // --qname
    NameListFormat format;
    std::string missing_path;  // --missing
    bool require_all = false;

    void add_to(Options& options);
};

// Which names are taken: those of the union of all lists, in the order of first occurrence,
// or all where no list was given, but for the excluded ones.
class NameSelection {
   public:
    // Reads the lists. Warns on standard error of lines that cannot be names. Throws Error.
    NameSelection(const NameArguments& arguments, const char* command);
    // Takes `names` as they are; report() has nothing to say of them.
    explicit NameSelection(NameList names);

    bool has_list() const noexcept { return has_list_; }
    bool takes_everything() const noexcept { return !has_list_ && excluded_.empty(); }
    const NameList& names() const noexcept { return names_; }

    // What a thread saw. Merged when it is done.
    struct Tally {
        std::vector<bool> is_found;    // by name
        std::vector<bool> is_cleaned;  // of the cleaned names that are watched
        uint64_t n_records = 0;        // with a listed name
    };
    Tally new_tally() const;
    void merge(const Tally& tally);

    // Whether records named `qname` are taken. Any number of threads, each with its tally.
    bool takes(std::string_view qname, Tally& tally) const;

    // Makes takes() faster for these, which are asked for next.
    void prefetch(std::span<const std::string_view> qnames) const {
        names_.prefetch(qnames);
        excluded_.prefetch(qnames);
    }

    // A scan looks out for the names as clean_fastq_name() would have them, too; without this
    // takes() does not. Before the first new_tally().
    void watch_cleaned_names();
    bool saw_cleaned_name(std::string_view name) const;

    // Writes --missing; tells on standard error when names were not found, and whether they
    // would be if cleaned: `has_name` says whether the file has a record of a name. Returns the
    // exit code: 1 if --require-all and not all were found. Throws std::exception.
    int report(const std::function<bool(std::string_view)>& has_name) const;

   private:
    void read_list(const std::string& path, const NameListFormat& format, NameList& names);

    const char* command_ = "";
    std::string missing_path_;
    bool require_all_ = false;
    bool is_reported_ = false;
    bool has_list_ = false;
    NameList names_;
    NameList excluded_;
    NameList cleaned_;
    Tally total_;
    uint64_t n_too_long_ = 0;
};

}  // namespace qbix::cli
