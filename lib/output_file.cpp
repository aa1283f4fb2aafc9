#include "output_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>
#include <random>

#include "qbix/error.hpp"

namespace qbix {
namespace {

constexpr size_t kSuffixLength = 6;
const std::string kTmpMark = ".tmp.";

std::string random_suffix() {
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string suffix;
    for (size_t i = 0; i < kSuffixLength; ++i) suffix += kLetters[random() % 36];
    return suffix;
}

// Removes temporary files of `final_path` that no process holds a lock on.
void remove_abandoned(const std::string& final_path) {
    const size_t slash = final_path.rfind('/');
    const std::string dir = slash == std::string::npos ? "." : final_path.substr(0, slash + 1);
    const std::string prefix =
        (slash == std::string::npos ? final_path : final_path.substr(slash + 1)) + kTmpMark;
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(dir.c_str()), closedir);
    if (!entries) return;
    while (const dirent* entry = readdir(entries.get())) {
        const std::string name = entry->d_name;
        if (name.size() != prefix.size() + kSuffixLength || name.rfind(prefix, 0) != 0) continue;
        const std::string path = (slash == std::string::npos ? "" : dir) + name;
        const UniqueFd fd(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        struct stat status;
        if (fd && fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) &&
            flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
            unlink(path.c_str());
    }
}

// True when the path names nothing or a regular file.
bool may_be_replaced(const std::string& path) {
    struct stat status;
    return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

// Where symbolic links lead: the file there is replaced, and the links stay.
std::string behind_links(std::string path) {
    constexpr int kMostLinks = 40;  // as Linux has it
    for (int n_links = 0;; ++n_links) {
        char target[PATH_MAX];
        const ssize_t n = readlink(path.c_str(), target, sizeof target);
        if (n < 0) return path;  // no link
        if (n_links == kMostLinks || n == sizeof target)
            throw Error(ErrorCode::kOpen,
                        "failed to follow \"" + path + "\": " + std::strerror(ELOOP));
        const size_t dir = target[0] == '/' ? 0 : path.rfind('/') + 1;  // 0: of no directory
        path = path.substr(0, dir) + std::string(target, static_cast<size_t>(n));
    }
}

}  // namespace

OutputFile::OutputFile(std::string final_path) : final_path_(behind_links(std::move(final_path))) {
    if (!may_be_replaced(final_path_))
        throw Error(ErrorCode::kOpen, "\"" + final_path_ + "\" is not a regular file");
    remove_abandoned(final_path_);
    for (;;) {
        tmp_path_ = final_path_ + kTmpMark + random_suffix();
        fd_ = UniqueFd(open(tmp_path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
        if (!fd_ && errno == EEXIST) continue;
        if (!fd_)
            throw Error(ErrorCode::kOpen,
                        "failed to create \"" + tmp_path_ + "\": " + std::strerror(errno));
        // Another run may take the file for abandoned before the lock is on it: start again.
        // Any other failure means that there are no locks here, and then nobody cleans either.
        const bool is_taken = flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!is_taken && access(tmp_path_.c_str(), F_OK) == 0) return;
    }
}

OutputFile::~OutputFile() {
    if (!tmp_path_.empty()) unlink(tmp_path_.c_str());
}

void OutputFile::write_at(uint64_t offset, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw Error(ErrorCode::kIo, "failed to write \"" + tmp_path_ + "\" at offset " +
                                            std::to_string(offset) + ": " +
                                            std::strerror(n < 0 ? errno : ENOSPC));
        offset += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

void OutputFile::read_at(uint64_t offset, std::span<uint8_t> bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = pread(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            throw Error(ErrorCode::kIo, "failed to read \"" + tmp_path_ + "\" back at offset " +
                                            std::to_string(offset) + ": " +
                                            (n < 0 ? std::strerror(errno) : "it is shorter"));
        offset += static_cast<uint64_t>(n);
        bytes = bytes.subspan(static_cast<size_t>(n));
    }
}

void OutputFile::commit() {
    // The lock goes with the descriptor; between close and rename a cleaner could take the
    // file for abandoned, so it is renamed first, and the close is checked after.
    if (rename(tmp_path_.c_str(), final_path_.c_str()) != 0)
        throw Error(ErrorCode::kIo, "failed to rename \"" + tmp_path_ + "\" to \"" + final_path_ +
                                        "\": " + std::strerror(errno));
    tmp_path_.clear();
    if (close(fd_.release()) != 0) {
        const int reason = errno;
        unlink(final_path_.c_str());
        throw Error(ErrorCode::kIo,
                    "failed to close \"" + final_path_ + "\": " + std::strerror(reason));
    }
}

}  // namespace qbix
