#!/bin/bash
# make-data.sh DIR: writes the small files that the command tests work on into DIR. The same
# bytes of SAM text at each call: the generator has a fixed seed. Needs samtools.
set -eu
export LC_ALL=C
cd "${1:?usage: make-data.sh DIR}"

bam() { samtools view -b --no-PG -o "$@"; }

# A coordinate-sorted file: pairs on three references, some with a secondary or supplementary
# record, duplicates, unmapped mates, unmapped pairs at the end; two read groups or none.
generate() {
    awk -v n_pairs="$1" -v seed="$2" '
    function random(n) {  # Lehmer generator: exact in double precision
        seed = (seed * 16807) % 2147483647
        return seed % n
    }
    function text(alphabet, length_, s, i) {
        s = ""
        for (i = 0; i < length_; ++i) s = s substr(alphabet, 1 + random(length(alphabet)), 1)
        return s
    }
    function record(name, flag, ref, pos, mapq, cigar, mate, mate_pos, size) {
        print name, flag, ref, pos, mapq, cigar, mate, mate_pos, size, \
            text("ACGT", 50), text("#-5?FI", 50), tags
    }
    BEGIN {
        OFS = "\t"
        print "@HD", "VN:1.6", "SO:coordinate"
        print "@SQ", "SN:chr1", "LN:100000"
        print "@SQ", "SN:chr2", "LN:50000"
        print "@SQ", "SN:chr3", "LN:20000"
        print "@RG", "ID:rg1", "SM:a"
        print "@RG", "ID:rg2", "SM:b"
        print "@PG", "ID:aligner", "PN:aligner", "VN:1"
        for (i = 0; i < n_pairs; ++i) {
            name = "run:" (1 + random(4)) ":" (1000 + random(9000)) ":" i
            rg = random(3)
            tags = "NM:i:" random(6) (rg ? "\tRG:Z:rg" rg : "")
            if (random(12) == 0) {
                record(name, 77, "*", 0, 0, "*", "*", 0, 0)
                record(name, 141, "*", 0, 0, "*", "*", 0, 0)
                continue
            }
            ref = "chr" (1 + random(3))
            pos = 1 + random(19000)
            mapq = random(61)
            if (random(10) == 0) {
                record(name, 73, ref, pos, mapq, "50M", "=", pos, 0)
                record(name, 133, ref, pos, 0, "*", "=", pos, 0)
                continue
            }
            mate_pos = pos + 100 + random(200)
            duplicate = random(9) == 0 ? 1024 : 0
            record(name, 99 + duplicate, ref, pos, mapq, "50M", "=", mate_pos, mate_pos - pos + 50)
            record(name, 147 + duplicate, ref, mate_pos, mapq, "50M", "=", pos, pos - mate_pos - 50)
            if (random(8) == 0)
                record(name, 99 + 256, "chr" (1 + random(3)), 1 + random(19000), 0, "50M", ref, pos, 0)
            if (random(8) == 0)
                record(name, 147 + 2048, "chr" (1 + random(3)), 1 + random(19000), mapq, "20S30M", \
                    ref, pos, 0)
        }
    }'
}

generate 1500 20260820 | samtools sort --no-PG -O sam -o reads.sam -
bam reads.bam reads.sam
samtools index reads.bam
generate 40 7 | samtools sort --no-PG -O bam -o other.bam -
samtools sort --no-PG -n -o by_name.bam reads.bam
samtools view -C --no-PG --output-fmt-option no_ref=1 -o reads.cram reads.sam

# Lists: all names, every third, absent ones, absent and present mixed.
samtools view reads.bam | cut -f 1 | sort -u >all.txt
awk 'NR % 3 == 1' all.txt >third.txt
sed 's/^run/ran/' third.txt >absent.txt
paste -d '\n' third.txt absent.txt >mixed.txt
head -n 1 third.txt >one.txt
: >empty.txt

# Names of every odd kind, one record each.
long254=$(printf 'L%.0s' $(seq 254))
{
    printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000\n'
    for name in '#hash' '*' '?' '[ab]' 'r.1' Read_1 Read_10 read read/1 read/2 'two words' x "$long254" \
        $'caf\xe9' $'nel\xc2\x85' -dash ^caret chr1:1-9; do
        printf '%s\t0\tc\t1\t9\t1M\t*\t0\t0\tA\tI\n' "$name"
    done
} >names.sam
bam names.bam names.sam
echo "$long254" >long254.txt

printf '@HD\tVN:1.6\tSO:unsorted\n' >empty.sam
bam empty.bam empty.sam

# Ten records of one name among others, two of them identical.
{
    printf '@HD\tVN:1.6\n@SQ\tSN:c\tLN:1000\n'
    for i in 1 2 3 4 5 5 6 7 8 9; do
        printf 'many\t0\tc\t%s\t9\t1M\t*\t0\t0\tA\tI\nother%s\t4\t*\t0\t0\t*\t*\t0\t0\tC\tI\n' "$i" "$i"
    done
} >many.sam
bam many.bam many.sam

# Damage: no end-of-file block, cut in a block, a byte flipped, not a BAM at all.
size=$(($(wc -c <reads.bam)))
head -c $((size - 28)) reads.bam >no_eof.bam
head -c $((size / 2)) reads.bam >cut.bam
{
    head -c $((size / 2)) reads.bam
    printf '\377\377\377\377'
    tail -c +$((size / 2 + 5)) reads.bam
} >damaged.bam
gzip -c <reads.sam >plain.sam.gz
bgzip -c <reads.sam >reads.sam.gz
