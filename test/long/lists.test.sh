#!/bin/bash
# lists.test.sh: lists of names that are large, or no lists at all: time and memory stay sane.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
. test/try.sh
PATH=${QBIX_BUILD:-$PWD}:$PATH

command -v samtools >/dev/null || { echo "skip lists samtools is not installed"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-lists.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
cd "$scratch" || exit 1
qbix index reads.bam && cp reads.bam scan.bam || exit 1
n_one=$(samtools view -c -N one.txt reads.bam)

# counts WANTED SECONDS KIBIBYTES ARGUMENTS...: the count, within time and address space. Other
# systems have no such limit, and only count.
counts() {
    local want=$1 seconds=$2 limit=$3 got
    shift 3
    [ "$(uname)" = Linux ] || limit=unlimited
    got=$(ulimit -v "$limit"; timeout "$seconds" qbix view -c "$@")
    echo "$got instead of $want"
    [ "$got" = "$want" ]
}

gigabyte_line() {
    { head -c 1000000000 /dev/zero | tr '\0' a; echo; cat one.txt; } |
        counts "$n_one" 60 100000 -N - "$1"
}

gigabyte_without_an_end() { head -c 1000000000 /dev/zero | tr '\0' "$2" | counts 0 60 100000 -N - "$1"; }

gigabyte_of_empty_lines() {
    { head -c 1000000000 /dev/zero | tr '\0' '\n'; cat one.txt; } | counts "$n_one" 60 100000 -N - "$1"
}

gigabyte_in_gzip() {
    { head -c 1000000000 /dev/zero | tr '\0' a; echo; cat one.txt; } | gzip -1 >line.gz
    counts "$n_one" 60 100000 -N line.gz "$1"
}

random_bytes() { { head -c 30000000 /dev/urandom; echo; cat one.txt; } | counts "$n_one" 60 200000 -N - "$1"; }

# Names take some 35 bytes beyond their own, and what is grown is there twice for a moment.
ten_million_names() {
    seq -f 'name%.0f' 10000000 | cat - one.txt | counts "$n_one" 120 600000 -N - "$1"
}

one_name_ten_million_times() { yes "$(cat one.txt)" | head -n 10000000 | counts "$n_one" 60 60000 -N - "$1"; }

try list-line-of-a-gigabyte gigabyte_line reads.bam
try list-gigabyte-of-nul gigabyte_without_an_end reads.bam '\0'
try list-gigabyte-of-blanks gigabyte_without_an_end scan.bam ' '
try list-gigabyte-of-empty-lines gigabyte_of_empty_lines scan.bam
try list-gigabyte-in-gzip gigabyte_in_gzip reads.bam
for bam in reads.bam scan.bam; do
    try "list-random-bytes-$bam" random_bytes $bam
    try "list-ten-million-names-$bam" ten_million_names $bam
done
try list-one-name-ten-million-times one_name_ten_million_times reads.bam
