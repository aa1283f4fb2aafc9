// view_arguments.hpp: the command line of qbix view.
#pragma once

#include <htslib/hts.h>

#include <optional>
#include <string>
#include <vector>

#include "bed_regions.hpp"
#include "format_options.hpp"
#include "name_selection.hpp"
#include "output.hpp"
#include "qbix/record_filter.hpp"
#include "tag_edit.hpp"

namespace qbix::cli {

extern const char kViewUsage[];

struct ViewArguments {
    void add_to(Options& options);

    // Takes the positional arguments; refuses what does not go together. Throws UsageError.
    void finish(const std::vector<std::string>& args);

    std::string input_path = "-";
    std::vector<std::string> regions;
    std::string bed_path;  // -L
    std::optional<BedRegions> bed;
    bool use_region_index = false;  // -M

    NameArguments names;
    std::string index_path;
    FilterSpec filter;
    TagEdit tags;
    bool fetch_templates = false;
    bool list_order = false;

    OutputSpec output;
    std::string unselected_path;  // -U
    bool with_header = false;
    bool header_only = false;
    bool count_only = false;
    bool write_index = false;
    bool no_pg = false;

    FileFormat input_format;  // options of --input-fmt-option and -T
    uint64_t plan_memory_bytes = uint64_t{256} << 20;
    bool explain = false;
    bool preload = false;
    int n_extra_threads = 0;
    int argc = 0;  // for @PG
    char** argv = nullptr;
};

}  // namespace qbix::cli
