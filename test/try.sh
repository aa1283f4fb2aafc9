# try.sh: for test scripts to source.
# shellcheck shell=bash
#
# try NAME COMMAND...: prints "ok NAME", or what the command printed and "not ok NAME".

try_log=$(mktemp) || exit 1
trap 'rm -f "$try_log"' EXIT

try() {
    local name=$1
    shift
    if "$@" >"$try_log" 2>&1; then
        echo "ok $name"
    else
        tail -n 200 "$try_log"
        echo "not ok $name"
        return 1
    fi
}
