#include "local_path.hpp"

#include <htslib/hfile.h>

namespace qbix {

std::optional<std::string> local_path(const std::string& name) {
    for (const std::string prefix : {"file://localhost/", "file:///"})
        if (name.rfind(prefix, 0) == 0) return name.substr(prefix.size() - 1);
    if (hisremote(name.c_str())) return std::nullopt;
    return name;
}

}  // namespace qbix
