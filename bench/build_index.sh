#!/bin/bash
# build_index.sh: what building an index costs, as a ratio to inflating the file.
#
#   build_index.sh FILE.bam [THREADS [ROUNDS]]
#
# THREADS [2] counts busy threads. Needs the built tree and bench/inflate_floor.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bam=$(realpath "$1") threads=${2:-2} rounds=${3:-7}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
index="rm -f $scratch/x; exec $here/../qbix index -@ $((threads - 1)) -o $scratch/x"
"$here/interleave.sh" -n "$rounds" \
    "floor=exec $here/inflate_floor $bam $threads" \
    "qbx=$index $bam" \
    "qbi2=$index --format qbi2 $bam" \
    "qbi1=$index --format qbi1 $bam" \
    "qbx-64M=$index -m 64M $bam"
