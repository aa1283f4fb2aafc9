#include "version.hpp"

#include <htslib/hts.h>
#include <libdeflate.h>
#include <xxhash.h>
#include <zlib.h>

#include <boost/version.hpp>
#include <cstdio>

#include "config_vars.h"
#include "version.h"

namespace qbix::cli {

const char* version() noexcept { return QBIX_VERSION; }

void print_version() {
    printf("qbix %s\nUsing htslib %s\nCopyright (C) 2026 the qbix authors. MIT licence.\n\n",
           QBIX_VERSION, hts_version());
    printf("Compilation details:\n");
    printf("    CXX:        %s\n    CPPFLAGS:   %s\n    CXXFLAGS:   %s\n    LDFLAGS:    %s\n",
           QBIX_CXX, QBIX_CPPFLAGS, QBIX_CXXFLAGS, QBIX_LDFLAGS);
    printf("    LIBS:       %s\n    HTSDIR:     %s\n", QBIX_LIBS, QBIX_HTSDIR);
    printf("    htslib:     compiled against %d, features: %s\n", HTS_VERSION,
           hts_feature_string());
    printf("    libdeflate: %s\n    xxHash:     %d.%d.%d\n    zlib:       %s\n    Boost:      %s\n",
           LIBDEFLATE_VERSION_STRING, XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE,
           ZLIB_VERSION, BOOST_LIB_VERSION);
}

void print_version_only() { printf("%s+htslib-%s\n", QBIX_VERSION, hts_version()); }

}  // namespace qbix::cli
