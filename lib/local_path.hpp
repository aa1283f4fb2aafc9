// local_path.hpp: which names are files of this machine, and which go through htslib.
#pragma once

#include <optional>
#include <string>

namespace qbix {

// The path to hand to open(2); nullopt when htslib takes `name` for something remote.
// A "file:" URL is local.
std::optional<std::string> local_path(const std::string& name);

}  // namespace qbix
