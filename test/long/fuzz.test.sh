#!/bin/bash
# fuzz.test.sh: a minute of libFuzzer, where clang has it, from small indexes of all kinds.
set -u
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
. test/try.sh

can_fuzz() { echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ -o /dev/null - 2>/dev/null; }
can_fuzz || { echo "skip fuzz clang++ has no libFuzzer"; exit 0; }
command -v samtools >/dev/null || { echo "skip fuzz samtools is not installed"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-fuzz.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT

# make_seeds: indexes of files of 0 to 1000 records, as they are and with their checksums redone.
make_seeds() {
    local n bits redo
    mkdir "$scratch/seeds" || return 1
    for n in 0 1 40 1000; do
        { printf '@SQ\tSN:c\tLN:9\n'
          awk -v n="$n" 'BEGIN { for (i = 0; i < n; ++i)
              print "read" int(i * 7 % (n / 2 + 1)) "\t4\t*\t0\t0\t*\t*\t0\t0\t*\t*" }'
        } | samtools view -b -o "$scratch/x.bam" - || return 1
        for bits in 16 24 32; do
            ./qbix index --remainder-bits $bits -o "$scratch/x.qbx" "$scratch/x.bam" || return 1
            for redo in 0 1; do
                { printf %s $redo; cat "$scratch/x.qbx"; } >"$scratch/seeds/$n-$bits-$redo"
            done
        done
    done
}

try fuzz-build make "-j$(getconf _NPROCESSORS_ONLN)" fuzz-build || exit 1
try fuzz-seeds make_seeds || exit 1
try fuzz-qbx build/fuzz/test/fuzz/fuzz_qbx -max_total_time="${QBIX_FUZZ_SECONDS:-60}" -timeout=20 \
    -rss_limit_mb=2000 -max_len=40000 -artifact_prefix="$scratch/" -print_final_stats=1 \
    "$scratch/seeds"
