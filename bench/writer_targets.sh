#!/bin/bash
# writer_targets.sh: what the writer costs beside the bare compressor and samtools.
#
#   bench/writer_targets.sh RAW [ROUNDS]
#
# RAW is an uncompressed BAM: samtools view -u in.bam | bgzip -dc > RAW. Every contender runs
# once a round, so that a slow minute hits all alike; the table has the medians of ROUNDS (5):
# seconds of wall time and of CPU time, and ratios of both to the contender named last. The CPU
# columns tell more on a machine that others use too. Output to /dev/null.
set -u
raw=${1:?usage: writer_targets.sh RAW [ROUNDS]} rounds=${2:-5}
bench=$(dirname "$0")/bench_writer
times=$(mktemp) || exit 1
trap 'rm -f "$times"' EXIT
TIMEFORMAT='%R %U %S'

# ours NAME ARG...: bench_writer's own clock, which leaves the reading of RAW out.
ours() {
    local name=$1 mode=$2
    shift 2
    "$bench" "$mode" "$raw" /dev/null "$@" |
        awk -v name="$name" '{ for (i = 1; i <= NF; i++) split($i, kv, "=") && v[kv[1]] = kv[2]
                               print name, v["t"], v["cpu"] }'
}
peer() {
    local name=$1
    shift
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk -v name="$name" '{ print name, $1, $2 + $3 }'
}

round() {
    local isal=$1
    ours floor-l1-t2 floor libdeflate 1 2
    ours stream-l1-w2 stream libdeflate 1 2
    ours stream-l1-w2-hook stream libdeflate 1 2 1
    ours htslib-l1-w2 stream htslib 1 2
    peer samtools-l1-t2 samtools view -b -1 --no-PG -@2 -o /dev/null "$raw"
    ours floor-l6-t2 floor libdeflate 6 2
    ours stream-l6-w2 stream libdeflate 6 2
    peer samtools-l6-t2 samtools view -b --no-PG -@2 -o /dev/null "$raw"
    ours stream-l1-w0 stream libdeflate 1 0
    ours stream-l1-w0-hook stream libdeflate 1 0 1
    peer samtools-l1-t0 samtools view -b -1 --no-PG -o /dev/null "$raw"
    if [ "$isal" = yes ]; then
        ours isal-floor-t2 floor isal 1 2
        ours isal-w2 stream isal 1 2
    fi
    ours free-k1 free libdeflate 1 0 1
    ours free-k2 free libdeflate 1 0 2
    ours batches-k1 batches libdeflate 1 0 1
    ours batches-k2 batches libdeflate 1 0 2
    for workers in 0 1 2 8; do
        ours "burn-w$workers" batches libdeflate 1 $workers 2 1000
    done
}

isal=no
"$bench" floor "$raw" /dev/null isal 1 1 >/dev/null 2>&1 && isal=yes
for ((r = 0; r < rounds; r++)); do round $isal; done >"$times"

awk '
function median(values, count,    list, i, j, x) {
    split(values, list, " ")
    for (i = 2; i <= count; i++) {
        x = list[i]
        for (j = i - 1; j >= 1 && list[j] + 0 > x + 0; j--) list[j + 1] = list[j]
        list[j + 1] = x
    }
    return list[int((count + 1) / 2)]
}
function line(name, base) {
    if (!(name in n)) return
    printf "%-20s %7.3f %7.3f", name, median(wall[name], n[name]), median(cpu[name], n[name])
    if (base != "") {
        printf "  %5.3f %5.3f x %s", median(wall[name], n[name]) / median(wall[base], n[base]),
               median(cpu[name], n[name]) / median(cpu[base], n[base]), base
    }
    print ""
}
{ n[$1]++; wall[$1] = wall[$1] " " $2; cpu[$1] = cpu[$1] " " $3 }
END {
    line("floor-l1-t2"); line("stream-l1-w2", "floor-l1-t2"); line("htslib-l1-w2", "floor-l1-t2")
    line("samtools-l1-t2", "floor-l1-t2"); line("stream-l1-w2-hook", "stream-l1-w2")
    line("floor-l6-t2"); line("stream-l6-w2", "floor-l6-t2"); line("samtools-l6-t2", "floor-l6-t2")
    line("stream-l1-w0", "samtools-l1-t0"); line("stream-l1-w0-hook", "stream-l1-w0"); line("samtools-l1-t0")
    line("isal-floor-t2", "samtools-l1-t2"); line("isal-w2", "samtools-l1-t2")
    line("free-k1"); line("free-k2", "free-k1"); line("batches-k1"); line("batches-k2", "batches-k1")
    line("burn-w0"); line("burn-w1", "burn-w0"); line("burn-w2", "burn-w0"); line("burn-w8", "burn-w0")
}' "$times"
