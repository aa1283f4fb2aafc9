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

// A descriptor of an output. What is not closed is abandoned: no error, no file.
class OutputDescriptor {
   public:
    // Creates or truncates `path`; "-" is standard output, which stays open. Throws
    // std::runtime_error.
    explicit OutputDescriptor(const std::string& path);
    ~OutputDescriptor();
    OutputDescriptor(const OutputDescriptor&) = delete;
    OutputDescriptor& operator=(const OutputDescriptor&) = delete;

    int fd() const noexcept { return fd_; }
    const std::string& name() const noexcept { return name_; }  // for messages

    // Throws std::runtime_error.
    void close();

   private:
    std::string name_;
    int fd_;  // -1 once closed
    CreatedFile created_;
};

}  // namespace qbix::cli
