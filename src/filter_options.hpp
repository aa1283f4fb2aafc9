// filter_options.hpp: the options of samtools view that choose records by what they hold.
#pragma once

#include <string>
#include <vector>

#include "options.hpp"
#include "qbix/record_filter.hpp"

namespace qbix::cli {

// Adds -f -F --rf -G -q -m -l -n -r -R -d -D -s --subsample --subsample-seed -e, repeated as in
// samtools: flags are united, read groups and the values of one tag too, of others the last
// counts. `spec` must outlive parsing. Handlers throw UsageError.
void add_filter_options(Options& options, FilterSpec& spec);

// FLAG as a number (decimal, 0x..., 0...) or names with commas. Throws UsageError.
uint16_t parse_flags(const std::string& text, const std::string& what);

// The words of a file, which may be gzip. Throws UsageError.
std::vector<std::string> read_words(const std::string& path);

}  // namespace qbix::cli
