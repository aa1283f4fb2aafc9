#!/bin/bash
# writer.test.sh: bgzf_writer as a program of its users: the examples, compiled against an
# installed tree, and what samtools makes of their output.
set -u
cd "$(dirname "$0")/.." || exit 1
. test/try.sh
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT
shared=${QBIX_SHARED:-$PWD/../shared}
CXX=${CXX:-c++} CC=${CC:-cc}
export LC_ALL=C

for tool in samtools bgzip pkg-config; do
    command -v $tool >/dev/null || { echo "skip writer $tool is not installed"; exit 0; }
done

make -s prefix="$scratch/prefix" install >"$scratch/log" 2>&1 ||
    { cat "$scratch/log"; echo "not ok writer-install"; exit 1; }
export PKG_CONFIG_PATH=$scratch/prefix/lib/pkgconfig
export LD_LIBRARY_PATH=$scratch/prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

compile_examples() {
    local flags hts_flags
    flags=$(pkg-config --cflags --libs bgzf_writer) || return 1
    hts_flags=$(pkg-config --cflags --libs htslib) || return 1
    # shellcheck disable=SC2086  # flags are words
    $CXX -std=c++20 -Wall -Wextra -Werror -pthread -o "$scratch/aligner" \
        bgzf_writer/examples/aligner.cpp $flags &&
        $CC -std=c99 -Wall -Wextra -Werror -o "$scratch/copy_bam" \
            bgzf_writer/examples/copy_bam.c $flags $hts_flags
}

# The program printed in the README, out of the README.
readme_program() {
    local flags threads
    awk '/^### For authors of aligners/ { on = 1 }
         on && /^```$/ { exit }
         on && code { print }
         on && /^```cpp$/ { code = 1 }' README.md >"$scratch/mini_aligner.cpp"
    flags=$(pkg-config --cflags --libs bgzf_writer) || return 1
    # shellcheck disable=SC2086  # flags are words
    $CXX -std=c++20 -Wall -Wextra -Werror -pthread -o "$scratch/mini_aligner" \
        "$scratch/mini_aligner.cpp" $flags || return 1
    for threads in 1 4; do
        "$scratch/mini_aligner" $threads "$scratch/readme.bam" || return 1
        [ "$(accepted "$scratch/readme.bam")" = 50000 ] || return 1
        samtools view "$scratch/readme.bam" | cut -f 1 |
            cmp - <(seq 0 49999 | sed 's/^/read/') || return 1
    done
    ! "$scratch/mini_aligner" 3 /dev/full 2>"$scratch/err" &&
        grep -q '^mini_aligner: failed to write "/dev/full": No space left' "$scratch/err"
}

make_reads() {
    awk -v n="$1" 'BEGIN {
        seed = 7
        for (i = 0; i < n; ++i) {
            bases = quals = ""
            for (k = 0; k < 60 + i % 40; ++k) {
                seed = (seed * 16807) % 2147483647
                bases = bases substr("ACGTN", 1 + seed % 5, 1)
                quals = quals substr("#5?FI", 1 + seed % 5, 1)
            }
            printf "@read%d comment\n%s\n+\n%s\n", i, bases, quals
        }
    }'
}

# accepted BAM: by everybody who reads BAM.
accepted() {
    samtools quickcheck -u -v "$1" && bgzip -t "$1" && samtools view -c "$1"
}

aligner_keeps_reads_in_order() {
    local threads
    for threads in 1 2 5; do
        "$scratch/aligner" "$scratch/reads.fq" "$scratch/$threads.bam" $threads &&
            accepted "$scratch/$threads.bam" && cmp "$scratch/1.bam" "$scratch/$threads.bam" || return 1
    done
    samtools view "$scratch/1.bam" | awk -F '\t' '{ print "@" $1 "\n" $10 "\n+\n" $11 }' |
        cmp - <(sed 's/ comment//' "$scratch/reads.fq") || return 1
    samtools sort -o "$scratch/sorted.bam" "$scratch/1.bam" && samtools index "$scratch/sorted.bam" &&
        [ "$(samtools view -c "$scratch/sorted.bam" chr1)" = 20000 ]
}

aligner_says_what_failed() {
    ! "$scratch/aligner" "$scratch/reads.fq" /dev/full 3 2>"$scratch/err" &&
        grep -q '"/dev/full": No space left on device (0 bytes written)' "$scratch/err"
}

copy_is_equal() {
    local workers
    for workers in 0 1 4; do
        "$scratch/copy_bam" "$1" "$scratch/copy.bam" $workers && accepted "$scratch/copy.bam" &&
            cmp <(samtools view -h --no-PG "$1") <(samtools view -h --no-PG "$scratch/copy.bam") || return 1
    done
}

copies_of_shared_cases() {
    local file n=0
    for file in "$shared"/cases/files/*/*.bam; do
        # Only what samtools itself can copy.
        samtools view -b --no-PG -o "$scratch/theirs.bam" "$file" 2>/dev/null || continue
        copy_is_equal "$file" || { echo "$file"; return 1; }
        n=$((n + 1))
    done
    [ $n -gt 20 ]
}

# Every backend of this build against samtools; levels and numbers of threads take turns, so that
# all pairs of them meet.
command_on_shared_cases() {
    local file n=0 backend threads level most sum turn=0 all_threads=(0 1 2 4 8)
    local backends=()
    for backend in auto libdeflate htslib isal; do
        ./qbix write --backend $backend -l 1 -o /dev/null "$scratch/1.bam" 2>/dev/null &&
            backends+=("$backend")
    done
    for file in "$shared"/cases/files/*/*.{bam,sam,sam.gz,cram}; do
        # Only what samtools reads to its end.
        sum=$(set -o pipefail; samtools view "$file" 2>/dev/null | md5sum) || continue
        for backend in "${backends[@]}"; do
            case $backend in auto | libdeflate) most=12 ;; htslib) most=9 ;; isal) most=1 ;; esac
            level=$((turn % (most + 1))) threads=${all_threads[turn % 5]}
            if ! ./qbix write --backend "$backend" -l $level "-@$threads" -o "$scratch/copy.bam" \
                "$file" || ! accepted "$scratch/copy.bam" >/dev/null ||
                [ "$(./qbix digest --md5 - <"$scratch/copy.bam")" != "$sum" ]; then
                echo "$file $backend -l $level -@$threads"
                return 1
            fi
        done
        n=$((n + 1)) turn=$((turn + 1))
    done
    echo "$n files"
    [ $n -gt 40 ]
}

copy_of_damaged_input_has_no_eof_block() {
    head -c $(($(stat -c %s "$scratch/5.bam") / 2)) "$scratch/5.bam" >"$scratch/cut.bam"
    ! "$scratch/copy_bam" "$scratch/cut.bam" "$scratch/copy.bam" 3 &&
        ! samtools quickcheck "$scratch/copy.bam"
}

# Records that end at a block's end: one that fills it (f), two that do (h), a long one (l).
records_that_fill_blocks() {
    awk 'function times(c, n,    s) { s = c; while (length(s) < n) s = s s; return substr(s, 1, n) }
        function record(name, n) {
            printf "%s\t0\tchr1\t%d\t60\t%dM\t*\t0\t0\t%s\t%s\n", name, ++position, n,
                   times("A", n), times("I", n)
        }
        BEGIN {
            print "@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:1000000"
            for (i = 0; i < 30; ++i) {
                record("f" i % 10, 43491); record("h", 21732); record("h", 21732)
                record("small" i % 4, 30); record("l" i % 3, 130531)
            }
        }'
}

# One after the other, as for a finished file.
indexes_for_1_to_8_threads() {
    local threads backend input bam=$scratch/full.bam
    records_that_fill_blocks >"$scratch/full.sam"
    for threads in 0 1 2 3 4 5 6 7; do
        for backend in libdeflate htslib; do
            for input in "$scratch/full.sam" "$scratch/full_in.bam"; do
                [ -e "$input" ] || continue
                ./qbix write --no-PG --write-qbi --write-index --backend $backend -l 1 "-@$threads" \
                    -o "$bam" "$input" || return 1
                if ! ./qbix index --format qbi2 -o "$scratch/full.qbi" "$bam" ||
                    ! cmp "$bam.qbi" "$scratch/full.qbi" ||
                    ! samtools index -c "$bam" "$scratch/full.csi" ||
                    ! cmp "$bam.csi" "$scratch/full.csi"; then
                    echo "$threads $backend $input"
                    return 1
                fi
            done
            [ -e "$scratch/full_in.bam" ] || cp "$bam" "$scratch/full_in.bam"
        done
    done
    # One block of each f, one of both h, three of each l.
    [ "$(./qbix show "$bam.qbi" | wc -l)" -ge 150 ] && [ "$(full_blocks "$bam")" = 149 ]
}

# full_blocks BAM: blocks that hold 65280 bytes, but for the last one, whose end .gzi leaves out.
full_blocks() {
    bgzip -rI "$scratch/full.gzi" "$1" && od -An -v -t u8 -w16 -j 8 "$scratch/full.gzi" |
        awk '$2 - before == 65280 { ++n } { before = $2 } END { print n + 0 }'
}

# No sync and no seek, but for those of htslib on its pipe and on the input, which cannot.
neither_syncs_nor_seeks() {
    local backend
    samtools view -h -o "$scratch/1.sam" "$scratch/1.bam"
    for backend in libdeflate htslib; do
        strace -f -o "$scratch/calls" -e trace=fsync,fdatasync,sync_file_range,syncfs,lseek,pwrite64 \
            ./qbix write -@2 --backend $backend -o "$scratch/copy.bam" <"$scratch/1.sam" || return 1
        awk -v backend=$backend '/EINVAL|ESPIPE/ || $2 ~ /^lseek\(0,/ { next } /sync|seek|pwrite/ {
            print backend, $0; bad = 1 } END { exit bad }' "$scratch/calls" || return 1
    done
}

# The default disposition ends the program, quietly and at once.
closed_pipe_ends_the_program() {
    local status
    for workers in 0 3; do
        "$scratch/copy_bam" "$scratch/big.bam" - $workers 2>"$scratch/err" | head -c 100 >"$scratch/head"
        status=${PIPESTATUS[0]}
        if [ "$status" -ne 141 ] || [ -s "$scratch/err" ]; then
            echo "status $status" "$(cat "$scratch/err")"
            return 1
        fi
    done
}

# Peak memory with a reader that takes about 2 MB/s: 64 MB + 2 MB a thread.
slow_reader_bounds_memory() {
    local pid peak
    mkfifo "$scratch/slow"
    "$scratch/copy_bam" "$scratch/big.bam" "$scratch/slow" 8 &
    pid=$!
    (for _ in $(seq 20); do
        head -c 200000
        sleep 0.1
    done; cat >"$scratch/rest") <"$scratch/slow" >"$scratch/begin" &
    sleep 1.5
    peak=$(awk '/^VmHWM/ { print $2 }' /proc/$pid/status)
    wait
    echo "peak $peak kB"
    cat "$scratch/begin" "$scratch/rest" >"$scratch/both.bam"
    accepted "$scratch/both.bam" && [ "$peak" -lt $(((64 + 2 * 8) * 1024)) ]
}

try writer-examples-compile compile_examples || exit 1
try writer-program-of-the-readme readme_program
make_reads 20000 >"$scratch/reads.fq"
try writer-aligner aligner_keeps_reads_in_order
try pain-32-writer-aligner-device-full aligner_says_what_failed
try pain-35-indexes-for-1-to-8-threads indexes_for_1_to_8_threads
if strace -o "$scratch/calls" true 2>/dev/null; then
    try pain-42-neither-syncs-nor-seeks neither_syncs_nor_seeks
else
    echo "skip pain-42-neither-syncs-nor-seeks strace does not work here"
fi
try writer-copy-damaged copy_of_damaged_input_has_no_eof_block
if [ -d "$shared/cases/files" ]; then
    try writer-copy-shared-cases copies_of_shared_cases
    try writer-command-shared-cases command_on_shared_cases
else
    echo "skip writer-copy-shared-cases no $shared/cases/files"
    echo "skip writer-command-shared-cases no $shared/cases/files"
fi
# Qualities are noise, so that the copy is large: about 40 MB.
make_reads 1000 | awk 'NR % 4 == 2 { s = s $0 } END {
    print "@SQ\tSN:c\tLN:9"; srand(1)
    for (i = 0; i < 900; ++i) {
        q = ""
        for (k = 0; k < 40000; ++k) q = q sprintf("%c", 33 + int(90 * rand()))
        print "r" i "\t4\t*\t0\t0\t*\t*\t0\t0\t" substr(s, 1 + i, 40000) "\t" q
    }
}' | samtools view -b -1 --no-PG -o "$scratch/big.bam" -
try pain-41-writer-closed-pipe closed_pipe_ends_the_program
if [ -r /proc/self/status ]; then
    try pain-38-writer-slow-reader slow_reader_bounds_memory
else
    echo "skip pain-38-writer-slow-reader no /proc"
fi
