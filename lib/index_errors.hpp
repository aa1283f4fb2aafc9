// index_errors.hpp: how index files are refused, in one wording.
#pragma once

#include <string>

#include "qbix/bam_file.hpp"
#include "qbix/error.hpp"

namespace qbix {

// The file is no index, or one of a kind that this version does not read.
[[noreturn, gnu::cold]] inline void throw_not_index(const std::string& path,
                                                    const std::string& why) {
    throw Error(ErrorCode::kNotIndex, "\"" + path + "\" is not a usable index: " + why);
}

[[noreturn, gnu::cold]] inline void throw_bad_index(const std::string& path,
                                                    const std::string& why) {
    throw Error(ErrorCode::kBadIndex,
                "\"" + path + "\": damaged index: " + why + "; build it again");
}

// The index was built for another file.
[[noreturn, gnu::cold]] inline void throw_foreign_index(const std::string& index_path,
                                                        const std::string& bam_path,
                                                        const std::string& why) {
    throw Error(ErrorCode::kForeignIndex, "the index \"" + index_path + "\" does not belong to \"" +
                                              bam_path + "\": " + why +
                                              "; rebuild it with: qbix index");
}

// What every index remembers of its BAM file. Throws Error kForeignIndex.
inline void check_size_and_header(const BamIdentity& indexed, const BamFile& bam,
                                  const std::string& index_path) {
    const BamIdentity& actual = bam.identity();
    if (indexed.size_bytes != actual.size_bytes)
        throw_foreign_index(index_path, bam.path(),
                            "it was built for a file of " + std::to_string(indexed.size_bytes) +
                                " bytes, this one has " + std::to_string(actual.size_bytes));
    if (indexed.header_hash != actual.header_hash)
        throw_foreign_index(index_path, bam.path(), "it was built for a file with another header");
}

}  // namespace qbix
