#!/bin/bash
# cases.test.sh: real files of many projects, in the folder $QBIX_SHARED/cases where there is
# one. Every file: what its truth table says, and the same records as samtools view -N for
# all names, a third of them, and names that it has not, with and without an index. The index
# is a .qbx; of every third file, to save time, a .qbi.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
cases=${QBIX_SHARED:-$PWD/../shared}/cases
PATH=${QBIX_BUILD:-$PWD}:$PATH

[ -e "$cases/TRUTH.tsv" ] || { echo "skip cases there is no $cases"; exit 0; }
command -v samtools >/dev/null || { echo "skip cases samtools is not installed"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-cases.XXXXXX") || exit 1
trap 'rm -rf "$scratch" "$try_log"' EXIT

n_files=0
prepare() {
    rm -f "$scratch"/*
    if [[ $1 == *.sam || $1 == *.sam.gz ]] && [[ $1 != *misnamed* ]]; then
        samtools view -b --no-PG -o "$scratch/x.bam" "$1"
    else
        cp "$1" "$scratch/x.bam"
    fi
    samtools view "$scratch/x.bam" 2>/dev/null | cut -f 1 | sort -u >"$scratch/all"
    awk 'NR % 3 == 1' "$scratch/all" >"$scratch/third"
    sed 's/^.\{0,250\}/&~no/' "$scratch/third" >"$scratch/absent"
    cp "$scratch/x.bam" "$scratch/scan.bam"
    local format=qbx
    [ $((++n_files % 3)) -ne 0 ] || format=qbi2
    qbix index --allow-no-eof --format $format "$scratch/x.bam"
}

# A .qbx made from a .qbi is the same as one made from the file.
converts() {
    [ -e "$scratch/x.bam.qbi" ] || return 0
    qbix index --allow-no-eof -o "$scratch/a" "$scratch/x.bam" &&
        qbix index --convert "$scratch/x.bam.qbi" -o "$scratch/b" "$scratch/x.bam" &&
        cmp "$scratch/a" "$scratch/b"
}

# records, distinct names, the records of the most frequent name
as_the_truth_says() {
    local n_records=$1 n_names=$2 top_name=$3 n_top=$4
    [ "$(qbix view -c "$scratch/x.bam")" = "$n_records" ] &&
        [ "$(qbix stats "$scratch/x.bam" | head -n 2 | cut -f 2 | xargs)" = "$n_records $n_names" ] &&
        { [ -z "$top_name" ] || [ "$(qbix view -c --qname "$top_name" "$scratch/x.bam")" = "$n_top" ]; }
}

as_samtools_prints() {
    local list=$1 threads=$2
    for bam in x scan; do
        qbix view "$threads" --exact-lines -N "$scratch/$list" "$scratch/$bam.bam" \
            >"$scratch/ours" 2>/dev/null || return 1
        samtools view -N "$scratch/$list" "$scratch/x.bam" >"$scratch/theirs" 2>/dev/null
        cmp "$scratch/ours" "$scratch/theirs" || return 1
    done
    [ "$list" = absent ] || [ ! -s "$scratch/all" ] || [ -s "$scratch/ours" ]
}

as_samtools_writes() {
    cmp <(qbix view "$1" -b --no-PG -N "$scratch/third" "$scratch/x.bam") \
        <(samtools view -b --no-PG -N "$scratch/third" "$scratch/x.bam" 2>/dev/null)
}

while IFS=$'\t' read -r file n_records n_names top_name n_top _; do
    [ "$file" = path ] && continue
    # bash takes two tabs for one: an empty BAM has no top name.
    [ "$n_records" = 0 ] && top_name='' n_top=0
    name=$(basename "$file")
    try "case-$name-index" prepare "$cases/$file" || continue
    try "case-$name-truth" as_the_truth_says "$n_records" "$n_names" "$top_name" "$n_top"
    try "case-$name-check" qbix check --full "$scratch/x.bam"
    try "case-$name-convert" converts
    for threads in -@0 -@2; do
        for list in all third absent; do
            try "case-$name-$list$threads" as_samtools_prints "$list" "$threads"
        done
        try "case-$name-bam$threads" as_samtools_writes "$threads"
    done
done <"$cases/TRUTH.tsv"

# count N FILE ARGUMENTS: the records that the arguments select, by index and by scan.
count() {
    local want=$1 bam=$cases/files/$2
    shift 2
    qbix index --allow-no-eof -o "$scratch/i" "$bam" || return 1
    cp "$bam" "$scratch/scan.bam"
    [ "$(qbix view -c -i "$scratch/i" "$@" "$bam")" = "$want" ] &&
        [ "$(qbix view -c "$@" "$scratch/scan.bam")" = "$want" ]
}

# shellcheck disable=SC2059  # the format is the list
list() { printf "$@" >"$scratch/list"; }

fastq_name=ST-K00126:278:HFLC5BBXX:8:1101:23175:2439
cr12=10XGenomics+bamtofastq/cr12.bam
rm -f "$scratch"/*
try name-has-ten-records count 10 "$cr12" --qname "$fastq_name"
try name-with-an-at-sign-has-none count 0 "$cr12" --qname "@$fastq_name"
list '\xef\xbb\xbf\r\n  %s 1:N:0\r\n\n%s' "$fastq_name" "$fastq_name"
try untidy-list-has-ten-records count 10 "$cr12" -N "$scratch/list"
gzip "$scratch/list"
try untidy-gzip-list-has-ten-records count 10 "$cr12" -N "$scratch/list.gz"
list '@%s/1\n' "$fastq_name"
try fastq-names-has-ten-records count 10 "$cr12" --fastq-names -N "$scratch/list"
try exact-match-is-no-prefix-match count 10 samtools+htsjdk/Chromosome1to10.bam --qname Read_1
try question-mark-is-a-name count 94 38+d4-format/small.bam --qname '?'
try star-is-a-name count 40 ga4gh+htsget-refserver/reads-tc-08.bam --qname '*'
try supplementary-and-unmapped-mate count 3 \
    broadinstitute+gatk/supplementaryReadUnmappedmate.bam --qname HJYFJCCXX160204:4:1113:24099:39792
try identical-records count 2 GMOD+bam-js/exact_duplicate.bam --qname ctgA_3_555_0:0:0_2:0:0_102d
pacbio=PacificBiosciences+pbbam/qname_filter.bam
samtools view "$cases/files/$pacbio" | cut -f 1 >"$scratch/list"
try names-with-slashes count 4 "$pacbio" -N "$scratch/list"

# refused PATTERN FILE: not indexed with any number of threads, for the reason, leaving nothing.
refused() {
    local threads
    for threads in -@0 -@2; do
        ! qbix index "$threads" -o "$scratch/refused" "$cases/files/$2" 2>"$scratch/err" || return 1
        grep -E -- "$1" "$scratch/err" || return 1
        ! ls "$scratch"/refused* || return 1
    done
}

try truncated-bam-refused refused 'truncated.bam' samtools+htsjdk/truncated.bam
try no-end-of-file-block-refused refused '--allow-no-eof' samtools+htsjdk/no_bgzf_terminator.bam
try plain-gzip-refused refused 'SAM' samtools+samtools/ex1.sam.gz
try plain-gzip-twin-refused refused 'SAM' samtools+htsjdk/compressed.sam.gz
try block-gzip-without-bam-refused refused 'data.bam' GMOD+bam-js/data.bam
try bad-header-refused refused 'badheader.bam' samtools+samtools/2.quickcheck.badheader.bam
try cram-refused refused 'CRAM' samtools+samtools/mpileup.1.cram
