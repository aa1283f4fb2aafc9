#!/usr/bin/env bash
# track_medians.sh PROGRAM [ARGUMENT...]: keep a benchmark's medians by commit.
#
# PROGRAM prints lines of "case <tab> number" (smaller is better), like
# `bench/bench_search_tree --tsv`; other lines are ignored. They are added to
# bench/medians.local.tsv (ignored by git) as commit, program, case, number. Then says which
# cases moved by more than 10 % against the commit before in that file: of several runs of
# one commit the least number counts, as whatever else ran on the machine only adds to it.
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "usage: track_medians.sh PROGRAM [ARGUMENT...]" >&2
    exit 2
fi

here=$(cd "$(dirname "$0")" && pwd)
store=${QBIX_MEDIANS:-$here/medians.local.tsv}
program=$(basename "$1")
commit=$(git -C "$here" rev-parse --short HEAD)
git -C "$here" diff --quiet HEAD -- || commit=$commit-changed

run=$(mktemp)
trap 'rm -f "$run"' EXIT
"$@" | awk -F '\t' -v OFS='\t' -v commit="$commit" -v program="$program" \
    'NF == 2 && $2 + 0 > 0 { print commit, program, $1, $2 }' > "$run"
if ! [ -s "$run" ]; then
    echo "track_medians.sh: $program printed no \"case <tab> number\" lines" >&2
    exit 1
fi
cat "$run" >> "$store"

awk -F '\t' -v now="$commit" -v program="$program" '
    $2 != program { next }
    $1 != now { before = $1 }
    !(($1, $3) in least) || $4 < least[$1, $3] { least[$1, $3] = $4 }
    $1 == now { cases[$3] }
    END {
        if (before == "") { print "first commit with medians: " now; exit }
        for (name in cases) {
            if (!((before, name) in least)) continue
            compared++
            ratio = least[now, name] / least[before, name]
            if (ratio < 1 / 1.1 || ratio > 1.1) {
                moved++
                printf "%-8s %+6.1f %%  %9.2f -> %9.2f  %s\n", (ratio > 1 ? "slower" : "faster"),
                       (ratio - 1) * 100, least[before, name], least[now, name], name
            }
        }
        printf "%d of %d medians moved by more than 10 %% from %s to %s\n", moved, compared,
               before, now
    }' "$store"
