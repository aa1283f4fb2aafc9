#!/bin/bash
# view_names.sh: records by name out of a BAM with an index, beside the floor and samtools.
#
#   view_names.sh FILE.bam PRESENT.txt ABSENT.txt [ROUNDS]
#
# PRESENT.txt and ABSENT.txt list some 10,000 names each. Needs the built tree, bench/fetch_floor,
# FILE.bam.qbi (for the floor) and FILE.bam.qbx.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
qbix=$here/../qbix bam=$(realpath "$1") present=$(realpath "$2") absent=$(realpath "$3") rounds=${4:-7}
one=$(head -1 "$present")
run() { "$here/interleave.sh" -n "$rounds" "$@"; }
echo "-- ten thousand names, SAM without header"
run "floor-1=exec $here/fetch_floor $bam $bam.qbi $present 1" \
    "qbix-@0=exec $qbix view -N $present $bam"
run "floor-2=exec $here/fetch_floor $bam $bam.qbi $present 2" \
    "qbix-@1=exec $qbix view -@1 -N $present $bam" \
    "absent=exec $qbix view -N $absent $bam"
echo "-- one name; the floor is reading the header"
run "samtools-H=for i in 1 2 3 4 5 6 7 8 9 10; do samtools view -H --no-PG $bam; done" \
    "qbix-one=for i in 1 2 3 4 5 6 7 8 9 10; do $qbix view --qname $one $bam; done"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-bench.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
ln -s "$bam" "$scratch/no-index.bam"
echo "-- no index: a scan, for ten thousand names and for everything"
for threads in 0 1; do
    "$here/interleave.sh" -n 2 \
        "samtools-N-@$threads=exec samtools view -@$threads -N $present $bam" \
        "qbix-N-@$threads=exec $qbix view -@$threads -N $present $scratch/no-index.bam" \
        "samtools-all-@$threads=exec samtools view -@$threads $bam" \
        "qbix-all-@$threads=exec $qbix view -@$threads $scratch/no-index.bam"
done
