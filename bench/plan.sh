#!/bin/bash
# plan.sh: fetching against scanning, for lists that touch more and more blocks: where the two
# cross is what the costs in lib/fetch_plan.cpp should say.
#
#   plan.sh FILE.bam [ROUNDS]
#
# Needs the built tree, samtools and FILE.bam.qbi. Prints, for each list, the plan with its
# estimates, and the medians of both ways.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
qbix=$here/../qbix bam=$(realpath "$1") rounds=${2:-3}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-plan.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# Every hundredth record of the file names one list; the others are thinned from it.
samtools view "$bam" | awk 'NR % 100 == 1 { print $1 }' >"$scratch/all"
for share in 1 2 4 8 16 32 64; do
    awk -v share="$share" 'NR % 64 < share' "$scratch/all" >"$scratch/list"
    "$qbix" view --explain -c -N "$scratch/list" "$bam" 2>&1 | grep '^qbix view: plan'
    "$here/interleave.sh" -n "$rounds" \
        "fetch=QBIX_PLAN=fetch exec $qbix view -c -N $scratch/list $bam" \
        "scan=QBIX_PLAN=scan exec $qbix view -c -N $scratch/list $bam"
done
