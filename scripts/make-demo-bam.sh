#!/bin/sh
# make-demo-bam.sh OUT.bam: a coordinate-sorted BAM of 50,000 made-up read pairs, some with a
# supplementary record. The generator is a fixed one written out here (awk's own differ), so
# every machine makes the same records.
set -eu
out=${1:?usage: make-demo-bam.sh OUT.bam}
awk 'BEGIN {
    OFS = "\t"
    n_pairs = 50000; read_len = 100; ref_len = 1000000; bases = "ACGT"
    state = 20260401
    ref = ""
    for (i = 0; i < 20000; i++) ref = ref substr(bases, 1 + random(4), 1)
    quality = ""
    for (i = 0; i < read_len; i++) quality = quality (i % 10 == 9 ? "F" : "I")

    print "@HD", "VN:1.6", "SO:unsorted"
    print "@SQ", "SN:chr1", "LN:" ref_len
    print "@SQ", "SN:chr2", "LN:" ref_len
    print "@RG", "ID:demo", "SM:demo"
    for (i = 0; i < n_pairs; i++) {
        name = "DEMO:1:FLOWCELL:1:" 1101 + int(i / 5000) ":" 1000 + random(30000) ":" i
        chr = "chr" 1 + random(2)
        pos = 1 + random(ref_len - 1000)
        mate = pos + 150 + random(200)
        record(name, 99, chr, pos, "=", mate, mate - pos + read_len)
        record(name, 147, chr, mate, "=", pos, pos - mate - read_len)
        if (i % 40 == 0)
            record(name, 2147, "chr" 1 + random(2), 1 + random(ref_len - 1000), "*", 0, 0)
    }
}
function random(n) {
    state = (state * 69069 + 1) % 4294967296
    return int(state / 65536) % n
}
function record(name, flag, chr, pos, mate_chr, mate_pos, template_len) {
    print name, flag, chr, pos, 60, read_len "M", mate_chr, mate_pos, template_len, \
        substr(ref, 1 + pos % 19900, read_len), quality, "RG:Z:demo"
}' | samtools sort --no-PG -o "$out" -
