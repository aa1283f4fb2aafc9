#!/usr/bin/env perl
# range_server.pl DIR LOG: serves the files of DIR over HTTP on a free port of this machine, with
# byte ranges (but for files named whole*). Prints the port; appends "PATH BYTES" to LOG for each
# answer. Ends with its parent.
use strict;
use warnings;
use IO::Socket::INET;
use Socket qw(SOL_SOCKET SO_SNDBUF);

my ($dir, $log) = @ARGV;
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50, ReuseAddr => 1)
    or die "cannot listen: $!";
$| = 1;
print $server->sockport, "\n";
$SIG{CHLD} = 'IGNORE';
$SIG{PIPE} = 'IGNORE';

sub answer {
    my ($client) = @_;
    my ($request, $from, $to) = ('', undef, undef);
    while (defined(my $line = <$client>)) {
        $request = $line if $request eq '';
        ($from, $to) = ($1, $2) if $line =~ /^Range:\s*bytes=(\d+)-(\d*)/i;
        last if $line =~ /^\r?\n$/;
    }
    my ($method, $path) = $request =~ m{^(GET|HEAD) /([^ ?]*)\S* } or return 0;
    my $file;
    if ($path =~ m{\.\.} || !open $file, '<', "$dir/$path") {
        print $client "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return 0;
    }
    binmode $file;
    my $size = -s $file;
    $from = undef if $path =~ /^whole/;
    my $is_part = defined $from;
    $from //= 0;
    $to = $size - 1 if !defined $to || $to eq '' || $to >= $size;
    if ($from >= $size && $size > 0) {
        print $client "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */$size\r\n",
            "Content-Length: 0\r\nConnection: close\r\n\r\n";
        return 0;
    }
    my $length = $to - $from + 1;
    print $client $is_part ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n",
        $is_part ? "Content-Range: bytes $from-$to/$size\r\n" : '',
        "Accept-Ranges: bytes\r\nContent-Length: $length\r\nConnection: close\r\n\r\n";
    my $sent = 0;
    seek $file, $from, 0;
    while ($method eq 'GET' && $sent < $length) {
        my $n = read $file, my $bytes, $length - $sent < 4096 ? $length - $sent : 4096;
        last unless $n;
        my $written = syswrite $client, $bytes;
        last unless defined $written && $written == $n;
        $sent += $n;
    }
    open my $out, '>>', $log or die;
    syswrite $out, "$path $sent\n";
    return 1;
}

while (my $client = $server->accept) {
    if (fork) { close $client; next }
    setsockopt $client, SOL_SOCKET, SO_SNDBUF, pack('l', 4096);
    answer($client);
    close $client;
    exit 0;
}
