#!/bin/bash
# sanitizers.test.sh: all unit and command tests under AddressSanitizer and UBSan, the unit tests
# that start threads under ThreadSanitizer; built by clang, the other compiler, where there is one.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/try.sh

make=(make "-j$(getconf _NPROCESSORS_ONLN)" WERROR=yes)
try asan-build "${make[@]}" asan-build && try asan-unit-tests make asan-check &&
    try asan-commands env QBIX_BUILD="$PWD/build/asan" test/run-tests test/cli.test.sh
try tsan-build "${make[@]}" tsan-build && try tsan-unit-tests make tsan-check
