#!/bin/bash
# c_api.test.sh: a C99 program against qbix.h and the shared library.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
build=${QBIX_BUILD:-$PWD}

command -v samtools >/dev/null || { echo "skip c-api samtools is not installed"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-c-api.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT

compile() {
    # shellcheck disable=SC2086,SC2046  # flags are words
    ${CC:-cc} -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror ${CPPFLAGS:-} -Ilib \
        -o "$scratch/c_api" test/c_api.c ${LDFLAGS:-} "$build"/libqbix.so.[0-9]* \
        $(pkg-config --libs htslib 2>/dev/null || echo -lhts)
}

run() {
    local name=$1
    rm -f "$scratch"/reads.bam.qb[ix]
    LD_LIBRARY_PATH=$build${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
        "$scratch/c_api" "$scratch/reads.bam" "$name" >"$scratch/ours" &&
        for _ in 1 2; do samtools view -N <(echo "$name") "$scratch/reads.bam"; done |
        cmp - "$scratch/ours"
}

[ "$(uname -s)" = Linux ] || { echo "skip c-api written for Linux"; exit 0; }
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
try c-api-compiles compile || exit 1
try c-api-runs run "$(head -n 1 "$scratch/third.txt")"
cp "$scratch/many.bam" "$scratch/reads.bam"
try c-api-many-records run many
