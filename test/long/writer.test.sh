#!/bin/bash
# writer.test.sh: what the unit tests of bgzf_writer only begin: ten thousand writers opened and
# closed, or not closed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/try.sh

ten_thousand_writers() {
    QBIX_TEST_LONG=1 timeout 300 test/unit/unit_tests --log_level=message --color_output=no \
        --run_test='test_bgzfw_errors/pain_34_open_and_close_ten_thousand_times' >"$try_log.out" 2>&1
    local status=$?
    cat "$try_log.out"
    grep -q 'opened and closed 10000 times' "$try_log.out" || status=1
    rm -f "$try_log.out"
    return $status
}

try pain-34-ten-thousand-writers ten_thousand_writers
