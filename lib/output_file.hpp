// output_file.hpp: a file that appears under its final name whole or not at all.
//
// Written as "<final>.tmp.XXXXXX" beside the final path, locked with flock() for as long
// as it is open, renamed by commit(). The destructor removes what was not committed; what
// a killed run left behind is unlocked, and the next run for the same path removes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "unique_fd.hpp"

namespace qbix {

class OutputFile {
   public:
    // Follows symbolic links, as writing in place would: what they lead to is replaced. Throws
    // Error kOpen, also when `final_path` exists and is not a regular file.
    explicit OutputFile(std::string final_path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& final_path() const noexcept { return final_path_; }

    // Writes all bytes at `offset`; any thread. Throws Error kIo with the reason.
    void write_at(uint64_t offset, std::span<const uint8_t> bytes);

    // Reads back what was written. Throws Error kIo; also when there is less.
    void read_at(uint64_t offset, std::span<uint8_t> bytes) const;

    // Closes (checked) and renames. No fsync.
    void commit();

   private:
    std::string final_path_;
    std::string tmp_path_;  // "" once committed
    UniqueFd fd_;
};

}  // namespace qbix
