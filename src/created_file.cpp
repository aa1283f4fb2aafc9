#include "created_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace qbix::cli {

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

}  // namespace qbix::cli
