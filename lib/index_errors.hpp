// index_errors.hpp: how index files are refused, in one wording.
#pragma once

#include <string>

#include "qbix/error.hpp"

namespace qbix {

// The file is no index, or one of a kind that this version does not read.
[[noreturn, gnu::cold]] inline void throw_not_index(const std::string& path,
                                                    const std::string& why) {
    throw Error(ErrorCode::kNotIndex, "\"" + path + "\" is not a usable QBI index: " + why);
}

[[noreturn, gnu::cold]] inline void throw_bad_index(const std::string& path,
                                                    const std::string& why) {
    throw Error(ErrorCode::kBadIndex,
                "\"" + path + "\": damaged index: " + why + "; build it again");
}

}  // namespace qbix
