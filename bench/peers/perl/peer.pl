#!/usr/bin/env perl
# Perl's AES modules as a peer of the benchmark (docs/peers.md): the Perl text's comparison, AES-256-ECB
# decryption of its 52 letters with standard padding, and ECB of other messages.
#
# key per-call is the text's variant 1 (a class-method call, a new object inside), key reused its variant
# 2 (one object). Crypt::GCrypt keeps one object with its key and does start, decrypt, finish. As in
# the text, every call is followed by a comparison with the right result, and dies if it differs.
use strict;
use warnings;
use Config;
use Digest::SHA qw(sha256_hex);
use JSON::PP;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

use constant { MIB => 1 << 20, ARTICLE_SEED => 20260807, RANDOM_SEED => 1123581321, DATA_AT => 64 };
my %UNITS = (B => 1, KiB => 1 << 10, MiB => MIB, GiB => 1 << 30);

# Each path: the modules it needs, and how to get them.
my %NEEDS = (
    'perl-rijndael'    => [['Crypt::ECB', 'Crypt::Rijndael'], 'apt-get install libcrypt-ecb-perl libcrypt-rijndael-perl'],
    'perl-openssl-aes' => [['Crypt::ECB', 'Crypt::OpenSSL::AES'], 'cpan Crypt::OpenSSL::AES (Debian has no package)'],
    'perl-gcrypt'      => [['Crypt::GCrypt'], 'apt-get install libcrypt-gcrypt-perl'],
    'perl-cryptx'      => [['Crypt::Mode::ECB'], 'apt-get install libcryptx-perl'],
);
my (%versions, %missing);
for my $path (sort keys %NEEDS) {
    my ($modules, $install) = @{ $NEEDS{$path} };
    my @absent = grep { !eval "require $_; 1" } @$modules;
    if (@absent) {
        $missing{$path} = "no @absent here: $install";
    } else {
        $versions{$path} = join ', ', map { "$_ " . $_->VERSION } @$modules;
    }
}

# The input, from the size alone.

my %blocks;

sub block {
    my ($seed, $size) = @_;
    $size = $size <= 1 << 16 ? 1 << 16 : MIB;
    return $blocks{"$seed $size"} //= do {
        my ($state, @bytes) = ($seed);
        for (1 .. $size) {
            $state ^= ($state << 13) & 0xffffffff;
            $state ^= $state >> 17;
            $state ^= ($state << 5) & 0xffffffff;
            push @bytes, $state & 255;
        }
        pack 'C*', @bytes;
    };
}

sub material {
    my ($bits, $size) = @_;
    return ('0123456789abcdef' x 2, join '', 'a' .. 'z', 'A' .. 'Z') if $bits == 256 && $size == 52;
    return (pack('C*', 0 .. $bits / 8 - 1), block(ARTICLE_SEED, MIB) x ($size / MIB)) if $size % MIB == 0;
    my $block = block(RANDOM_SEED, DATA_AT + $size);
    my $data = $block x (1 + int((DATA_AT + $size) / length $block));
    return (substr($block, 0, $bits / 8), substr($data, DATA_AT, $size));
}

# Work: for each path, a function that gives back a loop. The loop stands around the call itself, since
# a subroutine in between would cost as much as some of the calls.

my %LOOPS = (
    'perl-rijndael'    => sub { ecb_loop('Rijndael', @_) },
    'perl-openssl-aes' => sub { ecb_loop('OpenSSL::AES', @_) },
    'perl-gcrypt'      => \&gcrypt_loop,
    'perl-cryptx'      => \&cryptx_loop,
);

sub ecb_loop {
    my ($cipher, $key, $data, $decrypt, $padded, $per_call, $expected) = @_;
    my $padding = $padded ? 'standard' : 'none';
    my $ecb = Crypt::ECB->new(-key => $key, -cipher => $cipher, -padding => $padding);
    my $name = $decrypt ? 'decrypt' : 'encrypt';
    my %calls = (
        encrypt => sub { my $out; for (1 .. $_[0]) { $out = $ecb->encrypt($data); $out eq $expected or die } $out },
        decrypt => sub { my $out; for (1 .. $_[0]) { $out = $ecb->decrypt($data); $out eq $expected or die } $out },
    );
    my %class_calls = (
        encrypt => sub { my $out; for (1 .. $_[0]) { $out = Crypt::ECB::encrypt($key, $cipher, $data, $padding); $out eq $expected or die } $out },
        decrypt => sub { my $out; for (1 .. $_[0]) { $out = Crypt::ECB::decrypt($key, $cipher, $data, $padding); $out eq $expected or die } $out },
    );
    return ($class_calls{$name}, "Crypt::ECB::$name(\$key, '$cipher', \$data, '$padding')") if $per_call;
    return ($calls{$name}, "\$ecb->$name(\$data)");
}

sub gcrypt_loop {
    my ($key, $data, $decrypt, $padded, $per_call, $expected) = @_;
    unsupported('Crypt::GCrypt adds a block behind whole ones, without padding, too') unless $padded || $decrypt;
    my @new = (type => 'cipher', algorithm => 'aes' . 8 * length $key, mode => 'ecb',
        padding => $padded ? 'standard' : 'none');
    my $gcrypt = Crypt::GCrypt->new(@new);
    $gcrypt->setkey($key);
    my $name = $decrypt ? 'decrypt' : 'encrypt';
    my $start = "${name}ing";
    my $loop = sub {
        my $out;
        for (1 .. $_[0]) {
            if ($per_call) { $gcrypt = Crypt::GCrypt->new(@new); $gcrypt->setkey($key) }
            $gcrypt->start($start);
            $out = ($decrypt ? $gcrypt->decrypt($data) : $gcrypt->encrypt($data)) . $gcrypt->finish;
            $out eq $expected or die;
        }
        $out;
    };
    my $made = $per_call ? 'Crypt::GCrypt->new(...)->setkey($key); ' : '';
    return ($loop, "$made\$gcrypt->start('$start'); \$gcrypt->$name(\$data) . \$gcrypt->finish");
}

sub cryptx_loop {
    my ($key, $data, $decrypt, $padded, $per_call, $expected) = @_;
    # It takes the key in every call and sets it up there: there is no key to reuse.
    unsupported('CryptX sets the key up in every call') unless $per_call;
    my @new = ('AES', $padded ? 1 : 0);
    my $name = $decrypt ? 'decrypt' : 'encrypt';
    my $mode = Crypt::Mode::ECB->new(@new);
    my $loop = sub {
        my $out;
        for (1 .. $_[0]) {
            $out = $decrypt ? $mode->decrypt($data, $key) : $mode->encrypt($data, $key);
            $out eq $expected or die;
        }
        $out;
    };
    return ($loop, "\$mode->$name(\$data, \$key)");
}

sub unsupported { die { unsupported => $_[0] } }

my (%cells, $current);

sub prepare {
    my ($asked) = @_;
    my $id = join ' ', map { "$_=$asked->{$_}" } sort keys %$asked;
    $current = undef;
    if (!$cells{$id}) {
        my ($bits, $mode, $direction, $count, $unit) =
            $asked->{case} =~ m{^aes-(128|192|256)-(\w+)/(\w+)/(\d+)(\w+)$};
        die "bad case $asked->{case}\n" unless $bits || $asked->{case} =~ m{^sha256/hash/\d+\w+$};
        unsupported('the Perl text compares AES-ECB only') unless $bits && $mode eq 'ecb';
        my $make = $LOOPS{ $asked->{path} } // die "unknown path $asked->{path}";
        unsupported($missing{ $asked->{path} }) if $missing{ $asked->{path} };
        unsupported('these modules return fresh strings only') unless $asked->{placement} eq 'new';
        unsupported('no threads in this Perl program') unless $asked->{threads} == 1;
        my $size = $count * $UNITS{$unit};
        unsupported('at most 16 MiB: block by block, Perl would need minutes') if $size > 16 * MIB;
        my ($padded, $decrypt) = ($size % 16 != 0, $direction eq 'decrypt');
        my ($key, $plain) = material($bits, $size);
        my $per_call = $asked->{key} eq 'per-call';
        # The right result comes from the module itself; the suite compares it with its own.
        my ($cipher) = any_ecb($asked->{path}, $key, $plain, $padded);
        my ($data, $expected) = $decrypt ? ($cipher, $plain) : ($plain, $cipher);
        my ($loop, $statement) = $make->($key, $data, $decrypt, $padded, $per_call, $expected);
        my $cell = { loop => $loop };
        my $sample = run($cell, 1);
        $cell->{answer} = {
            ok      => fingerprint($cell),
            ns      => $sample->{ns},
            details => { statement => "$statement eq \$expected or die" },
        };
        $cells{$id} = $cell;
    }
    $current = $cells{$id};
    return $current->{answer};
}

sub any_ecb {
    my ($path, $key, $plain, $padded) = @_;
    return Crypt::ECB->new(-key => $key, -cipher => $path eq 'perl-rijndael' ? 'Rijndael' : 'OpenSSL::AES',
        -padding => $padded ? 'standard' : 'none')->encrypt($plain) if $path =~ /rijndael|openssl/;
    return Crypt::Mode::ECB->new('AES', $padded ? 1 : 0)->encrypt($plain, $key) if $path eq 'perl-cryptx';
    my $gcrypt = Crypt::GCrypt->new(type => 'cipher', algorithm => 'aes' . 8 * length $key, mode => 'ecb',
        padding => $padded ? 'standard' : 'none');
    $gcrypt->setkey($key);
    $gcrypt->start('encrypting');
    # Without padding it still adds a block behind whole ones.
    return substr $gcrypt->encrypt($plain) . $gcrypt->finish, 0, $padded ? 16 * int(length($plain) / 16 + 1) : length $plain;
}

# Page faults where Linux tells them.
sub page_faults {
    open my $stat, '<', '/proc/self/stat' or return undef;
    my @fields = split / /, (readline($stat) =~ s/.*\) //r);
    return $fields[7] + $fields[9];
}

sub run {
    my ($cell, $loops) = @_;
    my $loop = $cell->{loop};
    my ($faults, $cpu) = (page_faults(), clock_gettime(CLOCK_PROCESS_CPUTIME_ID));
    my $start = clock_gettime(CLOCK_MONOTONIC);
    my $out = $loop->($loops);
    my $seconds = clock_gettime(CLOCK_MONOTONIC) - $start;
    my %extras = (cpu_ns => int(1e9 * (clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $cpu)));
    $extras{page_faults} = page_faults() - $faults if defined $faults;
    $cell->{out} = $out;
    return { ns => int(1e9 * $seconds), extras => \%extras };
}

sub fingerprint {
    my $out = $_[0]{out};
    my $last = length $out < 16 ? $out : substr $out, -16;
    return { first8 => unpack('H*', substr $out, 0, 8), last16 => unpack('H*', $last), sha256 => sha256_hex($out) };
}

sub answer {
    my ($question) = @_;
    if ($question->{hello}) {
        my @offers = map { "$_/new" } sort keys %versions;
        my %fields = (paths => \@offers, versions => \%versions, missing => \%missing);
        return { name => 'perl', version => "Perl $^V", arch => $Config{archname}, %fields };
    }
    return prepare($question->{prepare}) if $question->{prepare};
    die "run or verify before prepare\n" unless $current;
    return run($current, $question->{run}) if ($question->{run} // 0) > 0;
    return { ok => fingerprint($current) } if $question->{verify};
    die "unknown question\n";
}

$| = 1;
my $json = JSON::PP->new->canonical;
while (my $line = <STDIN>) {
    my $question = $json->decode($line);
    last if $question->{quit};
    my $answer = eval { answer($question) };
    my $failure = $@;
    $answer //= ref $failure ? $failure : { error => "$failure" };
    print $json->encode($answer), "\n";
}
