// spill_file.hpp: scratch space on disk that vanishes with its descriptor.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "unique_fd.hpp"

namespace qbix {

// Creates "<prefix>.spill.XXXXXX" and unlinks it at once. Throws Error kOpen.
UniqueFd open_spill_file(const std::string& prefix);

// Throw Error kIo; a short read is one. `prefix` is for the message.
void write_spill(int fd, std::span<const uint8_t> bytes, uint64_t offset,
                 const std::string& prefix);
void read_spill(int fd, std::span<uint8_t> bytes, uint64_t offset, const std::string& prefix);

}  // namespace qbix
