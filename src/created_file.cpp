#include "created_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace qbix::cli {
namespace {

int open_for_writing(const std::string& path) {
    if (path == "-") return STDOUT_FILENO;
    int fd;
    do {
        fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EINTR);
    if (fd >= 0) return fd;
    const std::string reason = strerror(errno);
    throw std::runtime_error("failed to open \"" + path + "\" for writing: " + reason);
}

}  // namespace

CreatedFile::CreatedFile(std::string path) : path_(std::move(path)) {
    struct stat status;
    if (path_ == "-" || stat(path_.c_str(), &status) != 0) return;
    is_regular_ = S_ISREG(status.st_mode);
    device_ = status.st_dev;
    inode_ = status.st_ino;
}

void CreatedFile::remove() const noexcept {
    struct stat status;
    if (!is_regular_ || stat(path_.c_str(), &status) != 0) return;
    if (status.st_dev != device_ || status.st_ino != inode_) return;
    // Through a symbolic link the file is emptied; the link is not ours to remove.
    if (lstat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode))
        unlink(path_.c_str());
    else if (truncate(path_.c_str(), 0) != 0)
        return;
}

OutputDescriptor::OutputDescriptor(const std::string& path)
    : name_(path == "-" ? "standard output" : path), fd_(open_for_writing(path)), created_(path) {}

OutputDescriptor::~OutputDescriptor() {
    if (fd_ < 0) return;
    if (fd_ != STDOUT_FILENO) ::close(fd_);
    created_.remove();
}

void OutputDescriptor::close() {
    const int fd = std::exchange(fd_, -1);
    if (fd == STDOUT_FILENO || ::close(fd) == 0 || errno == EINTR) return;
    const std::string reason = strerror(errno);
    created_.remove();
    throw std::runtime_error("failed to close \"" + name_ + "\": " + reason);
}

}  // namespace qbix::cli
