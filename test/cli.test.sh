#!/bin/bash
# cli.test.sh: runs the programs as the tables test/cli/*.tsv say. A line of a table is
#
#   NAME <tab> COMMAND <tab> EXIT CODE <tab> STDOUT <tab> STDERR
#
# COMMAND is for bash, in a directory with the files of make-data.sh, indexed; $T is an empty
# directory of its own. With {T} in it the case runs twice: as -@0 and as -@2. STDOUT and
# STDERR are
#
#   -         nothing          =TEXT      this text, with the escapes of printf %b
#   *         anything         $COMMAND   what this command prints
#   ~ERE      a line matches   !ERE       no line matches
#
# $X is the suffix of the index that the files have: qbx for all tables, then qbi for those of
# the commands that use indexes, where {T} is -@2 alone and the names of cases end in "-qbi".
#
# Arguments: names of tables (default: all).
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qbix-cli.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
PATH=${QBIX_BUILD:-$PWD}:$PATH
QBIX_SHARED=${QBIX_SHARED:-$PWD/../shared}
export PATH QBIX_SHARED SOURCE=$PWD

command -v samtools >/dev/null || { echo "skip cli samtools is not installed"; exit 0; }
mkdir "$scratch/qbx"
test/make-data.sh "$scratch/qbx" || { echo "not ok make-data"; exit 1; }
cp -a "$scratch/qbx" "$scratch/qbi"
for X in qbx qbi; do
    for bam in reads by_name names many empty; do
        qbix index -o "$scratch/$X/$bam.bam.$X" "$scratch/$X/$bam.bam" ||
            { echo "not ok index-$bam-$X"; exit 1; }
    done
done

# matches SPECIFICATION FILE
matches() {
    local rest=${1:1}
    case $1 in
        -) [ ! -s "$2" ] ;;
        \*) true ;;
        =*) printf '%b' "$rest" | cmp -s - "$2" ;;
        ~*) grep -qE -- "$rest" "$2" ;;
        !*) ! grep -qE -- "$rest" "$2" ;;
        \$*) X=$X bash -c "$rest" 2>/dev/null | cmp -s - "$2" ;;
        *) echo "no such specification: $1" >&2; false ;;
    esac
}

# run_case NAME COMMAND EXIT STDOUT STDERR
run_case() {
    local status wrong=''
    T=$(mktemp -d "$scratch/case.XXXXXX")
    export T
    X=$X bash -c "$2" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    [ "$status" = "$3" ] || wrong+=" exit code $status instead of $3;"
    matches "$4" "$scratch/out" || wrong+=" standard output is not: $4;"
    matches "$5" "$scratch/err" || wrong+=" standard error is not: $5;"
    rm -rf "$T"
    if [ -z "$wrong" ]; then
        echo "ok $1"
        return
    fi
    echo "not ok $1"
    {
        echo "  $2"
        echo "  $wrong"
        head -c 600 "$scratch/out" | sed 's/^/  stdout: /'
        head -c 600 "$scratch/err" | sed 's/^/  stderr: /'
        echo
    } >&2
}

# run_table TABLE SUFFIX THREADS...
run_table() {
    local table=$SOURCE/test/cli/$1.tsv suffix=$2 name command status out err more
    shift 2
    while IFS=$'\t' read -r name command status out err more; do
        case $name in ''|'#'*) continue ;; esac
        if [ -z "$err" ] || [ -n "$more" ]; then
            echo "not ok $name"
            echo "$table: the line of $name has not five columns" >&2
        elif [[ $command == *'{T}'* ]]; then
            for threads; do
                run_case "$name$threads$suffix" "${command//'{T}'/$threads}" "$status" "$out" "$err"
            done
        else
            run_case "$name$suffix" "$command" "$status" "$out" "$err"
        fi
    done <"$table"
}

tables=("$@")
[ $# -gt 0 ] || for path in "$SOURCE"/test/cli/*.tsv; do tables+=("$(basename "$path" .tsv)"); done
X=qbx
cd "$scratch/$X" || exit 1
for table in "${tables[@]}"; do run_table "$table" '' -@0 -@2; done
X=qbi
cd "$scratch/$X" || exit 1
for table in "${tables[@]}"; do
    case $table in
        view | names | filters | get | inspect) run_table "$table" -qbi -@2 ;;
    esac
done
