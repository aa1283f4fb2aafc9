#!/bin/bash
set -euxo pipefail

# libc++ on macOS marks parts of C++17 and later as missing from the system's own library;
# conda ships its own.
if [[ "${target_platform:-}" == osx-* ]]; then
    export CXXFLAGS="${CXXFLAGS:-} -D_LIBCPP_DISABLE_AVAILABILITY"
fi

./configure --prefix="$PREFIX" --with-htslib=system
make -j"${CPU_COUNT:-1}"
make install
