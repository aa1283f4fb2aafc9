// index_target.hpp: what every way to write an index asks first.
#pragma once

#include <string>

#include "qbix/index_builder.hpp"

namespace qbix {

// An index may be replaced, and so may an empty file; anything else is somebody's data.
// Throws Error kOpen.
void refuse_to_overwrite_data(const std::string& path);

// Throws Error kUsage.
void check_threads_and_memory(const BuildOptions& options);

// Where spill files begin: --tmp-prefix, or beside the index.
std::string spill_prefix(const BuildOptions& options, const std::string& index_path);

}  // namespace qbix
