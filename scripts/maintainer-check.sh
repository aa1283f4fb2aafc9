#!/bin/bash
# maintainer-check.sh: what must hold for every tracked file but no compiler looks at.
# Prints "ok NAME", "not ok NAME" after the findings, or "skip NAME REASON" when a tool is
# not installed; exits 1 if anything is not ok.
set -u
cd "$(dirname "$0")/.." || exit 1
n_bad=0

# report NAME FINDINGS: no finding is a pass.
report() {
    if [ -z "$2" ]; then
        echo "ok $1"
    else
        printf '%s\nnot ok %s\n' "$2" "$1"
        n_bad=$((n_bad + 1))
    fi
}

# tracked PATTERN...: tracked files that are still there (a tarball has no others).
tracked() {
    if [ -e .git ]; then
        git ls-files -- "$@" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
    else
        find . -type f | sed 's|^\./||' | while read -r file; do
            for pattern in "$@"; do
                # shellcheck disable=SC2053  # the pattern is meant as one
                [[ $file == $pattern ]] && echo "$file" && break
            done
        done
    fi
}

# quoted_includes FOLDER: "file<TAB>included name" for each #include "..." below it.
quoted_includes() {
    tracked "$1/*.cpp" "$1/*.hpp" "$1/*.h" "$1/*.inc" | xargs -r grep -HoE '^ *# *include *"[^"]+"' |
        sed -E 's/^([^:]+):.*"([^"]+)"/\1\t\2/'
}

# check_doors ROOM FOLDER...: every quoted include of ROOM is a file below one of the
# folders, which follow as "folder:prefix": prefix "" opens the whole folder.
check_doors() {
    local room=$1 file name door open
    shift
    report "includes-$room" "$(quoted_includes "$room" | while IFS=$'\t' read -r file name; do
        open=no
        for door in "$@"; do
            [[ $name == "${door#*:}"* && $name != *..* ]] && [ -f "${door%%:*}/$name" ] && open=yes
        done
        case $room/$name in
            lib/version.h | src/version.h | src/config_vars.h) open=yes ;;
        esac
        [ $open = yes ] || echo "$file includes \"$name\", which $room/ has no door to"
    done)"
}

check_text() {
    local text
    text=$(tracked '*.cpp' '*.hpp' '*.h' '*.inc' '*.c' '*.sh' '*.md' '*.ac' '*.m4' '*.in' '*.[135]' '*.yaml' \
        Makefile run-demo run-tests test/run-tests .ci/run)
    report trailing-blanks "$(echo "$text" | xargs grep -nE '[[:blank:]]+$')"
    report tabs "$(echo "$text" | grep -vx Makefile | xargs grep -nP '\t')"
}

# Public headers are always named with their folder; all other files by their name alone.
check_layout() {
    local link
    report file-names-unique "$(tracked 'lib/*' 'src/*' 'bgzf_writer/*' 'test/unit/*' |
        grep -vE "^(lib/qbix|bgzf_writer/bgzfw)/" | sed 's|.*/||' | grep -vx main.cpp | sort | uniq -d)"
    report man-page-each-program "$(for link in qbix \
        $(sed -n 's/^QBIX_LINKS = //p' Makefile); do
        [ -f "man/$link.1" ] || echo "no man/$link.1"
    done)"
}

# Skips (with the reason) unless the tool is there.
have() { command -v "$2" >/dev/null || { echo "skip $1 $2 is not installed"; false; }; }

check_with_tools() {
    have clang-format clang-format &&
        report clang-format "$(tracked '*.cpp' '*.hpp' '*.h' |
            xargs clang-format --dry-run -Werror 2>&1 | grep -E 'error:')"
    have shellcheck shellcheck &&
        report shellcheck "$(tracked '*.sh' run-demo run-tests test/run-tests .ci/run |
            xargs shellcheck -x 2>&1)"
    have mandoc-lint mandoc &&
        report mandoc-lint "$(tracked 'man/*.[135]' | xargs -r mandoc -Tlint 2>&1)"
}

check_text
check_doors lib lib:
check_doors src src: lib:qbix/ bgzf_writer:bgzfw/
check_doors bgzf_writer bgzf_writer:
check_layout
check_with_tools
[ $n_bad -eq 0 ]
