#!/bin/bash
# limits.test.sh: little memory. A command that lacks it says so in one line and leaves nothing.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
PATH=${QBIX_BUILD:-$PWD}:$PATH

command -v samtools >/dev/null || { echo "skip limits samtools is not installed"; exit 0; }
(ulimit -v 1000000) 2>/dev/null || { echo "skip limits there is no ulimit -v"; exit 0; }
[ "$(uname)" = Linux ] || { echo "skip limits ulimit -v does nothing here"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-limits.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
mkdir "$scratch/out"
seq -f 'a_read_name_of_some_length_%.0f' 1000000 >"$scratch/million.txt"
cd "$scratch" || exit 1

# too_little KIBIBYTES PATTERN COMMAND...
too_little() {
    local limit=$1 pattern=$2 status
    shift 2
    (ulimit -v "$limit" && "$@") >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    echo "status $status"
    cat "$scratch/stderr"
    ls "$scratch/out"
    [ $status -eq 1 ] && [ "$(wc -l <"$scratch/stderr")" -eq 1 ] &&
        grep -E -- "$pattern" "$scratch/stderr" && [ -z "$(ls "$scratch/out")" ]
}

# enough KIBIBYTES COMMAND...
enough() {
    local limit=$1
    shift
    (ulimit -v "$limit" && "$@")
}

try limits-index-names-the-option too_little 100000 '^qbix index: out of memory; .*-m' \
    qbix index -@0 -o out/x.qbi reads.bam
try limits-index-obeys-the-option enough 100000 qbix index -@0 -m 16M -o small.qbi reads.bam
try limits-index-threads-obey-the-option enough 500000 qbix index -@200 -m 16M -o many.qbx many.bam
try limits-index-of-many-threads-is-whole qbix check --full -i many.qbx many.bam
try limits-check-names-the-option too_little 100000 '^qbix check: out of memory; .*-m' \
    qbix check --full -i small.qbi reads.bam
try limits-list-in-memory too_little 30000 '^qbix view: out of memory; .*shorter lists' \
    qbix view -c -N million.txt reads.bam
try limits-no-thread too_little 40000 '^qbix view: failed to start a thread: .*-@' \
    qbix view -@8 -b -o out/x.bam reads.bam
try limits-scan-in-little enough 40000 qbix view -c reads.bam
try limits-fetch-in-little enough 40000 qbix view -i small.qbi -c -N third.txt reads.bam
