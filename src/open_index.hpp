// open_index.hpp: which index a command uses.
#pragma once

#include <string>

namespace qbix::cli {

// `given` (the -i option) if it is not empty, else the index found beside the BAM. Throws
// std::runtime_error, with the places that were tried and what to do, when there is none.
std::string index_path_for(const std::string& bam_path, const std::string& given);

}  // namespace qbix::cli
