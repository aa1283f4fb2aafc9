#!/bin/bash
# signals.test.sh: an index build that is interrupted leaves nothing and dies by the signal.
set -um  # -m: or jobs in the background would ignore SIGINT
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
PATH=${QBIX_BUILD:-$PWD}:$PATH

command -v samtools >/dev/null || { echo "skip signals samtools is not installed"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-signals.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
mkdir "$scratch/out"

# A file whose index takes a second or so to build.
for ((i = 0; i < 300; ++i)); do echo "$scratch/reads.bam"; done >"$scratch/parts"
samtools cat --no-PG -b "$scratch/parts" -o "$scratch/out/large.bam" || exit 1

# interrupted SIGNAL STATUS OPTIONS...: a build that ends before the signal is tried again.
interrupted() {
    local signal=$1 want=$2 status delay
    shift 2
    for delay in 0.2 0.1 0.05 0.02; do
        qbix index "$@" "$scratch/out/large.bam" &
        sleep "$delay"
        kill -s "$signal" $!
        wait $!
        status=$?
        [ $status -eq 0 ] || break
        rm -f "$scratch"/out/large.bam.qbx
    done
    echo "status $status after $delay s"
    ls "$scratch/out"
    [ $status -eq "$want" ] && [ "$(ls "$scratch/out")" = large.bam ]
}

# A limit on the size of files ends a build like a full disk: one line, nothing left.
limited_build_is_told() {
    rm -f "$scratch"/out/large.bam.qbx
    (ulimit -f 64 && qbix index -@0 "$scratch/out/large.bam") 2>"$scratch/said"
    local status=$?
    cat "$scratch/said"
    ls "$scratch/out"
    [ $status -eq 1 ] && grep -q 'File too large' "$scratch/said" &&
        [ "$(ls "$scratch/out")" = large.bam ]
}

# After a kill that cannot be caught, the next build removes what is left.
next_build_cleans() {
    for delay in 0.2 0.1 0.05; do
        qbix index -@0 "$scratch/out/large.bam" &
        sleep "$delay"
        kill -s KILL $! 2>/dev/null
        wait $!
        [ -e "$scratch/out/large.bam.qbx" ] || break
        rm -f "$scratch"/out/large.bam.qbx
    done
    ls "$scratch/out"
    [ ! -e "$scratch/out/large.bam.qbx" ] && qbix index "$scratch/out/large.bam" &&
        [ "$(ls "$scratch/out")" = $'large.bam\nlarge.bam.qbx' ] &&
        qbix check --full "$scratch/out/large.bam"
    local status=$?
    rm -f "$scratch/out/large.bam.qbx"
    return $status
}

for threads in -@0 -@2; do
    try "interrupt-leaves-nothing$threads" interrupted INT 130 "$threads"
    try "terminate-leaves-nothing$threads" interrupted TERM 143 "$threads"
    try "terminate-while-spilling$threads" interrupted TERM 143 "$threads" -m 16M \
        --tmp-prefix "$scratch/out/spill"
done
try next-build-cleans-up next_build_cleans
try file-size-limit-is-told limited_build_is_told
