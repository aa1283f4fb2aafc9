#!/bin/bash
# sanitizers.test.sh: all unit and command tests under AddressSanitizer and UBSan, the suites that
# start threads under ThreadSanitizer, and the unit tests built by clang, the other compiler.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/try.sh

jobs=-j$(getconf _NPROCESSORS_ONLN)
try asan-build make "$jobs" asan-build && try asan-unit-tests make asan-check &&
    try asan-commands env QBIX_BUILD="$PWD/build/asan" test/run-tests test/cli.test.sh
try tsan-build make "$jobs" tsan-build && try tsan-unit-tests make tsan-check
if command -v clang++ >/dev/null; then
    try clang-build make "$jobs" BUILD=build/clang CXX=clang++ CXXFLAGS='-O0 -Wall -Wextra' \
        WERROR=yes all unit-tests && try clang-unit-tests build/clang/test/unit/unit_tests
else
    echo "skip clang-build clang++ is not installed"
fi
