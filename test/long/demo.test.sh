#!/bin/bash
# demo.test.sh: the README's first command, without and with a BAM of the user's.
set -u
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

if ./run-demo >"$scratch/log" 2>&1 && tail -n 1 "$scratch/log" | grep -qx 'the same records'; then
    echo "ok demo"
else
    cat "$scratch/log"
    echo "not ok demo"
    exit 1
fi

cp demo/demo.bam "$scratch/mine.bam"
name=$(samtools view demo/demo.bam | awk 'NR == 70000 {print $1}')
if BAM=$scratch/mine.bam NAMES=$name ./run-demo >"$scratch/log" 2>&1 &&
    [ -s "$scratch/mine.bam.qbx" ] && [ "$(cut -f 1 demo/reads.sam | sort -u)" = "$name" ]; then
    echo "ok demo-own-bam"
else
    cat "$scratch/log"
    echo "not ok demo-own-bam"
fi
