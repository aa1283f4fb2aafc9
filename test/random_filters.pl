#!/usr/bin/env perl
# random_filters.pl N SEED: N random combinations of filters, names, regions and outputs, ours
# against samtools view 1.16, in a directory with the files of make-data.sh, indexed. Prints
# the commands that differ; exits with 1 if there are any.
use strict;
use warnings;
my ($n, $seed) = @ARGV;
srand($seed);

sub pick { $_[int rand @_] }
sub maybe { rand() < $_[0] }

# Options that both take, each with arguments of its own.
my @filters = (
    sub { ('-f', pick(1, 2, 16, 64, 256, 1024, 2048, 4, '0x10', 'PAIRED')) },
    sub { ('-F', pick(4, 16, 256, 1024, '0x900', 'UNMAP,DUP')) },
    sub { ('--rf', pick(20, 2304, 1024, 'SECONDARY')) },
    sub { ('-G', pick(1040, 3, 80)) },
    sub { ('-q', int rand 60) },
    sub { ('-m', pick(20, 30, 50, 51)) },
    sub { ('-r', pick(qw(rg1 rg2 nosuch))) },
    sub { ('-R', pick(qw(groups.txt))) },
    sub { ('-d', pick('NM', 'RG', 'NM:' . int rand 6, 'RG:rg1', 'XX')) },
    sub { ('-D', 'NM:values.txt') },
    sub { ('-e', pick('[NM] > 2', 'mapq >= 30 || flag.unmap', 'rname == "chr2"', '!([XX] == 1)',
            'qname =~ ":1[0-9]*$"', 'length(seq) > 40 && pos < 9000', '[RG] == "rg2"')) },
    sub { ('-s', pick('0.5', '3.25', '11.9')) },
    sub { ('-x', pick('NM', 'RG,NM', '^NM', '^')) },
    sub { ('--keep-tag', pick('NM', 'RG')) },
    sub { ('-L', 'targets.bed') },
);

sub write_file { open my $f, '>', $_[0] or die; print $f $_[1]; close $f }
write_file('groups.txt', "rg2\nother\n");
write_file('values.txt', "0\n3\n4\n");
write_file('targets.bed', "chr1\t500\t4000\nchr2\t100\t12000\n");

sub output_of {
    open my $pipe, '-|', @_ or die;
    binmode $pipe;
    local $/;
    my $out = <$pipe>;
    close $pipe;
    return ($out // '') . "\nexit " . ($? >> 8);
}

my $n_different = 0;
for my $i (1 .. $n) {
    my @options;
    my %tag_seen;
    for (1 .. int rand 4) {
        my @option = pick(@filters)->();
        if ($option[0] =~ /^-[dD]$/) {
            my $tag = substr $option[1], 0, 2;
            next if %tag_seen && !$tag_seen{$tag};  # two tags are an error
            # samtools 1.16 forgets a value after a bare tag
            next if %tag_seen;
            $tag_seen{$tag} = 1;
        }
        push @options, @option;
    }
    my @names = maybe(0.6) ? ('-N', pick(qw(third.txt mixed.txt one.txt all.txt absent.txt))) : ();
    push @options, pick(['-c'], ['-b', '--no-PG'], ['-h', '--no-PG'], ['-u', '--no-PG'], [], [])->@*;
    my @region = maybe(0.2) ? (pick('chr1', 'chr2:2000-8000', '*')) : ();
    push @region, 'chr3:1-5000' if @region && maybe(0.3);
    push @options, '-M' if @region && maybe(0.3) && !grep { $_ eq '*' } @region;
    my $file = @region ? 'reads.bam' : pick(qw(reads.bam reads.bam by_name.bam reads.sam));
    my @common = (@options, @names, $file, @region);
    my $theirs = output_of('samtools', 'view', @common);
    my $ours = output_of('qbix', 'view', pick('-@0', '-@2'), @common);
    next if $ours eq $theirs;
    ++$n_different;
    print "differs: view @common\n";
}
print "$n combinations, $n_different different\n";
exit($n_different ? 1 : 0);
