#!/bin/bash
# interleave.sh: whole commands in turn, A B C A B C ..., so that all meet the same machine.
#
#   interleave.sh [-n ROUNDS] NAME=COMMAND NAME=COMMAND...
#
# One uncounted round, then ROUNDS [7]. Prints for each command the median wall time, CPU time
# and peak memory, and the median of the wall time's ratio to the first command's in its round.
# A command runs in a shell of its own, its output to /dev/null; one that fails ends the run.
set -eu
rounds=7
if [ "${1:-}" = -n ]; then rounds=$2; shift 2; fi
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 1; }
log=$(mktemp) one=$(mktemp)
trap 'rm -f "$log" "$one"' EXIT
for round in $(seq 0 "$rounds"); do
    for job in "$@"; do
        /usr/bin/time -o "$one" -f '%e %U %S %M' bash -c "${job#*=}" >/dev/null
        [ "$round" -eq 0 ] || echo "${job%%=*} $round $(tail -1 "$one")" >>"$log"
    done
done
echo "$(uname -sm), $(nproc) CPUs, $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1); $rounds rounds"
awk '
function median(values, n,   i, j, t) {
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
            t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
        }
    return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
}
!($1 in count) { names[++n_names] = $1 }
{ k = ++count[$1]; wall[$1, $2] = $3; cpu[$1, $2] = $4 + $5; rss[$1, $2] = $6; rounds = $2 > rounds ? $2 : rounds }
END {
    printf "%-28s %9s %9s %9s %9s %s\n", "command", "wall s", "CPU s", "RSS MB", "ratio", "(min-max)"
    for (i = 1; i <= n_names; i++) {
        name = names[i]; low = 1e9; high = 0
        for (r = 1; r <= rounds; r++) {
            w[r] = wall[name, r]; c[r] = cpu[name, r]; m[r] = rss[name, r] / 1024
            q[r] = wall[name, r] / (wall[names[1], r] > 0 ? wall[names[1], r] : 0.001)
            low = q[r] < low ? q[r] : low; high = q[r] > high ? q[r] : high
        }
        printf "%-28s %9.3f %9.3f %9.1f %9.3f (%.3f-%.3f)\n", name, median(w, rounds), median(c, rounds), median(m, rounds), median(q, rounds), low, high
    }
}' "$log"
