#!/bin/bash
# random_filters.test.sh: random combinations of what qbix view and samtools view both take.
# QBIX_RANDOM_COMBINATIONS and QBIX_RANDOM_SEED choose how many and which.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
PATH=${QBIX_BUILD:-$PWD}:$PATH
script=$PWD/test/random_filters.pl

command -v samtools >/dev/null || { echo "skip random-filters samtools is not installed"; exit 0; }
[[ $(samtools --version) == "samtools 1.16"* ]] ||
    { echo "skip random-filters written for samtools 1.16"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-random.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
cd "$scratch" || exit 1
qbix index reads.bam && qbix index by_name.bam || exit 1

combinations() { "$script" "$1" "$2" 2>/dev/null; }

try "random-filters" combinations "${QBIX_RANDOM_COMBINATIONS:-300}" "${QBIX_RANDOM_SEED:-20260820}"
