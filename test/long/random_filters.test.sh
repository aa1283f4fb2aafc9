#!/bin/bash
# random_filters.test.sh: thousands of random combinations, from several seeds.
set -u
cd "$(dirname "$0")/../.." || exit 1
for seed in 1 2; do
    QBIX_RANDOM_SEED=$seed QBIX_RANDOM_COMBINATIONS=2000 test/random_filters.test.sh |
        sed "s/random-filters/random-filters-$seed/"
done
