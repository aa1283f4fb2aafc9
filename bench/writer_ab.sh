#!/bin/bash
# writer_ab.sh: two backends side by side. For each number of worker threads ROUNDS (5) pairs of
# runs, A B, B A, A B, ..., every value and the medians, in seconds of wall and CPU time; then
# digests of the decoded records, which must be equal.
#
#   bench/writer_ab.sh RAW [A] [B] [LEVEL] [ROUNDS] [THREADS]
#
# RAW is an uncompressed BAM: samtools view -u in.bam | bgzip -dc > RAW. A and B are backends
# (htslib, libdeflate); LEVEL is 6; THREADS is a list such as "0 1 2 4".
set -u
raw=${1:?usage: writer_ab.sh RAW [A] [B] [LEVEL] [ROUNDS] [THREADS]}
a=${2:-htslib} b=${3:-libdeflate} level=${4:-6} rounds=${5:-5} threads=${6:-0 1 2 4}
bench=$(dirname "$0")/bench_writer
times=$(mktemp) || exit 1
bam=$(mktemp) || exit 1
trap 'rm -f "$times" "$bam"' EXIT
n_bad=0

# run BACKEND WORKERS: prints "BACKEND wall cpu bytes".
run() {
    "$bench" stream "$raw" /dev/null "$1" "$level" "$2" |
        awk -v name="$1" '{ for (i = 1; i <= NF; i++) split($i, kv, "=") && v[kv[1]] = kv[2]
                            print name, v["t"], v["cpu"], v["out"] }'
}

digest() {
    "$bench" stream "$raw" "$bam" "$1" "$level" "$2" >/dev/null && bgzip -dc "$bam" | md5sum | cut -d ' ' -f 1
}

echo "# $(uname -srm), $(getconf _NPROCESSORS_ONLN) processors, $(stat -c %s "$raw") bytes, level $level"
for n in $threads; do
    for ((r = 0; r < rounds; r++)); do
        if ((r % 2 == 0)); then run "$a" "$n"; run "$b" "$n"; else run "$b" "$n"; run "$a" "$n"; fi
    done >"$times"
    for backend in $a $b; do
        grep "^$backend " "$times" | sort -k2,2n | awk -v n="$n" -v digest="$(digest "$backend" "$n")" '
            { wall = wall " " $2; w[NR] = $2; cpu = cpu " " $3; bytes = $4 }
            END { printf "workers %d %-10s median %.3f  wall%s  cpu%s  bytes %s  md5 %s\n",
                         n, $1, w[int((NR + 1) / 2)], wall, cpu, bytes, digest }'
    done | tee "$times.out"
    [ "$(sed 's/.*md5 //' "$times.out" | sort -u | wc -l)" = 1 ] || n_bad=$((n_bad + 1))
    rm -f "$times.out"
done
if [ $n_bad -gt 0 ]; then
    echo "THE DECODED RECORDS DIFFER"
    exit 1
fi
echo "the decoded records are the same"
