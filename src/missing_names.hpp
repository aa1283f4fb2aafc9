// missing_names.hpp: names that were asked for and have no record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output.hpp"
#include "qbix/name_list.hpp"

namespace qbix::cli {

// Keeps count, writes the missing names to a file as they come, and tells at the end.
class MissingNames {
   public:
    // `path` is that of --missing; "" for none. Throws std::runtime_error.
    MissingNames(const char* command, const std::string& path);

    // One name that was asked for, and whether it has a record. Throws std::runtime_error.
    void count_name(std::string_view name, bool is_found);

    void count_records(uint64_t n_records) noexcept { n_records_ += n_records; }

    // Lines that cannot be names: asked for, never found, and not written.
    void count_too_long(uint64_t n_lines) noexcept { n_asked_ += n_lines; }

    // A name that was not found, and would be if it were cleaned as --fastq-names does.
    void count_found_if_cleaned() noexcept { ++n_found_if_cleaned_; }

    // Closes the file; says on standard error what was not found. Returns whether all were.
    bool finish();

   private:
    const char* command_;
    std::optional<TextOutput> file_;
    uint64_t n_asked_ = 0;
    uint64_t n_found_ = 0;
    uint64_t n_records_ = 0;
    uint64_t n_found_if_cleaned_ = 0;
    std::vector<std::string> examples_;
};

// Says on standard error how many lines of a list were longer than a name can be.
void warn_of_long_lines(const NameReader& reader, const std::string& path, const char* command);

}  // namespace qbix::cli
