#!/bin/bash
# remote.test.sh: BAM files and indexes over HTTP, from a small server on this machine.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
. test/try.sh
PATH=${QBIX_BUILD:-$PWD}:$PATH
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
source=$PWD

command -v samtools >/dev/null || { echo "skip remote samtools is not installed"; exit 0; }
qbix version | grep -q 'libcurl=yes' || { echo "skip remote htslib has no libcurl"; exit 0; }
perl -MIO::Socket::INET -e 1 2>/dev/null || { echo "skip remote perl lacks IO::Socket"; exit 0; }
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-remote.XXXXXX") || exit 1
mkdir "$scratch/www" "$scratch/here"
test/make-data.sh "$scratch" || { echo "not ok make-data"; exit 1; }
for ((i = 0; i < 400; ++i)); do echo "$scratch/reads.bam"; done >"$scratch/parts"
sed 's/^/~/' "$scratch/one.txt" >"$scratch/absent_one.txt"

# A large file in which one name stands once.
samtools view -h --no-PG "$scratch/reads.bam" | awk 'BEGIN { FS = OFS = "\t" }
    /^@/ { print; next } NR == 2000 { $1 = "unique" } { print }' |
    samtools view -b --no-PG -o "$scratch/unique.bam" -
samtools cat --no-PG -b <(cat "$scratch/parts"; echo "$scratch/unique.bam"; cat "$scratch/parts") \
    -o "$scratch/www/large.bam"
cp "$scratch/names.bam" "$scratch/www/plain.bam"
for X in qbx qbi; do
    mkdir "$scratch/www/$X"
    cp "$scratch/www/large.bam" "$scratch/www/plain.bam" "$scratch/www/$X" &&
        qbix index -o "$scratch/www/$X/large.bam.$X" "$scratch/www/large.bam" &&
        qbix index -o "$scratch/www/$X/plain.$X" "$scratch/www/plain.bam" || exit 1
done
rm "$scratch/www/large.bam"
cp "$scratch/names.bam" "$scratch/www/alone.bam"

perl test/range_server.pl "$scratch/www" "$scratch/log" >"$scratch/port" &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$scratch" "$try_log"' EXIT
for ((i = 0; i < 50; ++i)); do
    [ -s "$scratch/port" ] && break
    sleep 0.1
done
url=http://127.0.0.1:$(cat "$scratch/port")
cd "$scratch/here" || exit 1

bytes_of() { awk -v path="$1" '$1 == path { n += $2 } END { print n + 0 }' "$scratch/log"; }

# one_name THREADS: what is read are the blocks and the parts of the index that are needed. Three
# requests of the BAM and one of the index are for all from some place on, since htslib asks so: of
# each the client takes a little, and what is on its way when it leaves, up to 170 kB, counts too.
# Beside these: the header and the end of the file, up to 64 kB for each of four samples and for the
# block of the record. Of the index: pages of 32 kB, or checked chunks of 64 kB.
one_name() {
    : >"$scratch/log"
    qbix view "$1" --qname unique "$url/$X/large.bam" >"$scratch/out" || return 1
    sleep 0.3  # the server counts when the client has gone
    cat "$scratch/log"
    [ "$(cut -f 1 "$scratch/out")" = unique ] || return 1
    reads_at_most "$X/large.bam" $((3 * 170000 + 5 * 65536)) 10 &&
        reads_at_most "$X/large.bam.$X" $((170000 + 40 * 32768)) 5
}

# reads_at_most FILE BYTES N: and less than one N-th of the file.
reads_at_most() {
    local size n
    size=$(wc -c <"$scratch/www/$1") n=$(bytes_of "$1")
    echo "$1: $n of $size bytes"
    [ "$n" -gt 0 ] && [ "$n" -le "$2" ] && [ "$n" -lt $((size / $3)) ]
}

same_as_local() {
    cmp <(qbix view "$@" --qname x --qname Read_1 "$url/$X/plain.bam") \
        <(samtools view "$scratch/names.bam" | grep -P '^(x|Read_1)\t')
}

query_stays_out_of_the_suffix() {
    : >"$scratch/log"
    [ "$(qbix view -c --qname x "$url/$X/plain.bam?token=a.bam&b")" = 1 ] && sleep 0.2 &&
        grep "^$X/plain.$X " "$scratch/log"
}

# An index of the same base name in the working directory is not that of the remote file.
no_index_from_here() {
    : >"$scratch/log"
    qbix index -o "$scratch/here/alone.bam.$X" "$scratch/by_name.bam" || return 1
    [ "$(qbix view -c --qname x "$url/alone.bam")" = 1 ]
}

explicit_local_index() {
    qbix index -o "$scratch/here/mine" "$scratch/names.bam" &&
        [ "$(qbix view -c --qname x -i "$scratch/here/mine" "$url/alone.bam")" = 1 ]
}

explicit_remote_index() {
    cp "$scratch/www/alone.bam" "$scratch/here/local.bam" &&
        [ "$(qbix view -c --qname x -i "$url/$X/plain.$X" "$scratch/here/local.bam")" = 1 ]
}

remote_build() {
    qbix index -o "$scratch/here/built" "$url/alone.bam" &&
        [ "$(qbix view -c --qname x -i "$scratch/here/built" "$url/alone.bam")" = 1 ]
}

no_litter() { [ -z "$(find . -type f ! -name built ! -name mine ! -name local.bam ! -name "alone.bam.qb[ix]")" ]; }

remote_list() {
    cp "$scratch/third.txt" "$scratch/www/third.txt"
    [ "$(qbix view -c -N "$url/third.txt" "$scratch/reads.bam")" = 1113 ]
}

server_without_ranges() {
    cp "$scratch/www/qbx/large.bam.qbx" "$scratch/here/mine" && ln "$scratch/www/qbx/large.bam" \
        "$scratch/www/whole.bam" || return 1
    ! qbix view --qname unique -i "$scratch/here/mine" "$url/whole.bam" 2>"$scratch/err" || return 1
    cat "$scratch/err"
    grep 'does not answer requests for a part' "$scratch/err" && [ "$(wc -l <"$scratch/err")" = 1 ]
}

not_found() {
    ! qbix view --qname x "$url/nosuch.bam" >"$scratch/out" 2>"$scratch/err" &&
        grep 'nosuch.bam' "$scratch/err"
}

for X in qbx qbi; do
    for threads in -@0 -@2; do
        try "remote-one-name-reads-little-$X$threads" one_name "$threads"
        try "remote-same-as-local-$X$threads" same_as_local "$threads"
    done
    try "remote-query-stays-out-of-the-suffix-$X" query_stays_out_of_the_suffix
    try "remote-index-is-not-taken-from-here-$X" no_index_from_here
    try "local-bam-remote-index-$X" explicit_remote_index
done
try remote-bam-local-index explicit_local_index
try remote-build remote_build
try remote-list remote_list
try remote-server-without-ranges-is-told server_without_ranges
try remote-file-not-found not_found
try remote-leaves-no-files no_litter
cd "$source" || exit 1
