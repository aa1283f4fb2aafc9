// version.hpp: what the program says of itself.
#pragma once

namespace qbix::cli {

const char* version() noexcept;  // "0.1.0"

// Line 1 is "qbix VERSION" and nothing else, for scripts cut words out of it; then htslib's
// version, copyright, and how the program was compiled. On standard output.
void print_version();

// "VERSION+htslib-VERSION", one line.
void print_version_only();

}  // namespace qbix::cli
