#include "index_target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "name_rows.hpp"
#include "qbix/error.hpp"
#include "unique_fd.hpp"

namespace qbix {

void refuse_to_overwrite_data(const std::string& path) {
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) {
        if (errno == ENOENT) return;
        throw Error(ErrorCode::kOpen,
                    "failed to look at the existing \"" + path + "\": " + std::strerror(errno));
    }
    char magic[4];
    const ssize_t n = read(fd.get(), magic, sizeof magic);
    if (n == 0) return;
    for (const char* index : {"QBI1", "QBI2", "QBX1"})
        if (n == sizeof magic && std::memcmp(magic, index, sizeof magic) == 0) return;
    throw Error(ErrorCode::kOpen, "\"" + path +
                                      "\" exists and is not an index; it is left as it is: "
                                      "choose another output");
}

void check_threads_and_memory(const BuildOptions& options) {
    if (options.n_threads < 1) throw Error(ErrorCode::kUsage, "at least one thread is needed");
    if (options.memory_bytes < kLeastMemoryBytes)
        throw Error(ErrorCode::kUsage, "the memory limit is too small: at least 16M is needed");
}

std::string spill_prefix(const BuildOptions& options, const std::string& index_path) {
    return options.tmp_prefix.empty() ? index_path : options.tmp_prefix;
}

}  // namespace qbix
