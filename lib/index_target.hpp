// index_target.hpp: what may become of the path that an index is written to.
#pragma once

#include <string>

namespace qbix {

// An index may be replaced, and so may an empty file; anything else is somebody's data.
// Throws Error kOpen.
void refuse_to_overwrite_data(const std::string& path);

}  // namespace qbix
