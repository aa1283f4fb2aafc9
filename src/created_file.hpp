// created_file.hpp: what becomes of an output file that stays half-written.
#pragma once

#include <sys/types.h>

#include <string>

namespace qbix::cli {

// A regular file that this process opened for writing, to be removed if it stays half-written.
class CreatedFile {
   public:
    explicit CreatedFile(std::string path);  // after opening it
    void remove() const noexcept;  // does nothing for pipes, devices, and files replaced since

   private:
    std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
    bool is_regular_ = false;
};

}  // namespace qbix::cli
