# The attempts of a hostile program to leave its sandbox. The name of one is the argument. The exit code is 0 if
# the attempt succeeded, and 1 if it failed, with the reason on standard output.
use strict;
use warnings;
use Errno qw(ENOEXEC EINVAL);
use Fcntl;
use POSIX ();
use Socket;

my ($INSIDE, $OUTSIDE) = @ENV{qw(INSIDE OUTSIDE)};
$SIG{XFSZ} = 'IGNORE';

sub fail { print "error " . ($! + 0) . " $!"; exit 1 }
sub ok { $_[0] or fail() }
# A system call by its number on x86-64.
sub call { my @copy = @_; my $result = syscall(shift @copy, @copy); fail() if $result == -1; $result }
# Text that perl does not build before the program starts.
sub text { 'x' x $_[0] }
sub content { open(my $file, '<', $_[0]) or fail(); local $/; my $text = <$file>; defined $text or fail(); $text }
sub secret { content($_[0]) =~ /the secret/ }
sub overwrite { open(my $file, '>', $_[0]) or fail(); print $file "changed"; close($file) or fail(); 1 }
sub in_child {
    my $child = fork() // fail();
    if (!$child) { $_[0]->(); POSIX::_exit(0) }
    $child
}
# Uses seconds of CPU time, however long that takes.
sub burn { 1 while (times)[0] + (times)[1] < $_[0] }

my %attempts = (
    'read-shadow' => sub { content('/etc/shadow') =~ /root/ },
    'read-ssh-key' => sub { secret("$OUTSIDE/.ssh/id_ed25519") },
    'list-outside' => sub { opendir(my $folder, $OUTSIDE) or fail(); scalar readdir($folder) },
    'read-by-dots' => sub { secret("$INSIDE/../outside/secret") },
    'read-by-symlink' => sub { secret("$INSIDE/link") },
    'read-by-own-symlink' => sub { ok(symlink("$OUTSIDE/secret", "$INSIDE/own-link")); secret("$INSIDE/own-link") },
    'read-by-hard-link' => sub { ok(link("$OUTSIDE/secret", "$INSIDE/hard-link")); secret("$INSIDE/hard-link") },
    'read-by-proc-root' => sub { secret("/proc/self/root$OUTSIDE/secret") },
    'read-by-proc-cwd' => sub { ok(chdir($INSIDE)); secret('/proc/self/cwd/../outside/secret') },
    'read-by-proc-of-parent' => sub { secret("/proc/$ENV{CALLER}/root$OUTSIDE/secret") },
    'read-by-handle' => sub {
        my $handle = pack('Ll', 128, 0) . "\0" x 128;
        my $mount = pack('l', 0);
        my $path = "$OUTSIDE/secret";
        syscall(303, -100, $path, $handle, $mount, 0) == 0 or fail();
        open(my $root, '<', '/') or fail();
        my $file = call(304, fileno($root), $handle, 0);
        open(my $text, '<&=', $file) or fail();
        scalar(<$text>) =~ /the secret/
    },
    'move-in' => sub { ok(rename("$OUTSIDE/secret", "$INSIDE/moved")); ok(rename("$INSIDE/moved", "$OUTSIDE/secret")) },
    'write-outside' => sub { overwrite("$OUTSIDE/file") },
    'write-by-symlink' => sub { overwrite("$INSIDE/link-to-file") },
    'write-readable' => sub { overwrite("$ENV{READABLE}/file") },
    'create-outside' => sub { overwrite("$OUTSIDE/new") },
    'truncate-outside' => sub { ok(truncate("$OUTSIDE/file", 0)) },
    'delete-outside' => sub { ok(unlink("$OUTSIDE/to-delete")) },
    'move-out' => sub { overwrite("$INSIDE/mine"); ok(rename("$INSIDE/mine", "$OUTSIDE/mine")) },
    'hard-link-out' => sub { overwrite("$INSIDE/ours"); ok(link("$INSIDE/ours", "$OUTSIDE/ours")) },
    'chmod-outside' => sub { ok(chmod(0777, "$OUTSIDE/file")) },
    'chown-outside' => sub { ok(chown($<, $( + 0, "$OUTSIDE/file")) },
    'set-times-outside' => sub { ok(utime(1, 1, "$OUTSIDE/file")) },
    'set-attribute-outside' => sub { call(188, "$OUTSIDE/file", 'user.own', 'x', 1, 0); 1 },
    'execute-own-program' => sub {
        open(my $file, '>', "$INSIDE/program") or fail();
        print $file "#!/bin/sh\nexit 0\n";
        close($file);
        ok(chmod(0700, "$INSIDE/program"));
        $! = 0;
        system("$INSIDE/program") == 0 or fail()
    },
    'execute-from-memory' => sub {
        my $file = call(319, 'program', 0);
        open(my $memory, '>&=', $file) or fail();
        print $memory "#!/bin/true\n";
        $memory->flush();
        1
    },
    'create-device' => sub { call(133, "$INSIDE/device", 0020666, 0x103); 1 },
    'create-fifo' => sub { ok(POSIX::mkfifo("$INSIDE/fifo", 0600)) },
    'read-memory-device' => sub { open(my $file, '<', '/dev/mem') or fail(); 1 },
    'read-disk-device' => sub { sysopen(my $file, $ENV{DISK}, O_RDONLY) or fail(); 1 },
    'write-kernel-setting' => sub { sysopen(my $file, '/proc/sys/kernel/core_pattern', O_WRONLY) or fail(); 1 },
    'create-cgroup' => sub { ok(mkdir("$ENV{CGROUP}/toolwright-hostile")); rmdir("$ENV{CGROUP}/toolwright-hostile") },

    'connect-tcp' => sub {
        socket(my $socket, AF_INET, SOCK_STREAM, 0) or fail();
        connect($socket, sockaddr_in($ENV{TCP_PORT}, INADDR_LOOPBACK)) or fail();
        1
    },
    'listen-tcp' => sub {
        socket(my $socket, AF_INET, SOCK_STREAM, 0) or fail();
        bind($socket, sockaddr_in(0, INADDR_LOOPBACK)) or fail();
        listen($socket, 1) or fail();
        1
    },
    'connect-multipath-tcp' => sub { socket(my $socket, AF_INET, SOCK_STREAM, 262) or fail(); 1 },
    'send-udp' => sub {
        socket(my $socket, AF_INET, SOCK_DGRAM, 0) or fail();
        send($socket, 'x', 0, sockaddr_in($ENV{UDP_PORT}, INADDR_LOOPBACK)) or fail();
        1
    },
    'connect-unix' => sub {
        socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or fail();
        connect($socket, sockaddr_un("$INSIDE/socket")) or fail();
        1
    },
    'connect-abstract' => sub {
        socket(my $socket, AF_UNIX, SOCK_STREAM, 0) or fail();
        connect($socket, pack('Sa*', AF_UNIX, "\0$ENV{ABSTRACT}")) or fail();
        1
    },
    'open-raw-socket' => sub { socket(my $socket, AF_INET, SOCK_RAW, 1) or fail(); 1 },
    'open-packet-socket' => sub { socket(my $socket, 17, SOCK_RAW, 0) or fail(); 1 },
    'open-netlink-socket' => sub { socket(my $socket, 16, SOCK_RAW, 0) or fail(); 1 },
    'open-vsock' => sub { socket(my $socket, 40, SOCK_STREAM, 0) or fail(); 1 },

    'ptrace' => sub { my $child = in_child(sub { sleep 5 }); call(101, 16, $child, 0, 0); kill(9, $child); 1 },
    'read-memory-of-process' => sub {
        my ($from, $to) = ('the secret', ' ' x 10);
        my $remote = pack('JJ', unpack('J', pack('p', $from)), 10);
        my $local = pack('JJ', unpack('J', pack('p', $to)), 10);
        call(310, $$ + 0, $local, 1, $remote, 1, 0) == 10
    },
    'write-memory-of-process' => sub {
        my ($from, $to) = ('the secret', ' ' x 10);
        my $local = pack('JJ', unpack('J', pack('p', $from)), 10);
        my $remote = pack('JJ', unpack('J', pack('p', $to)), 10);
        call(311, $$ + 0, $local, 1, $remote, 1, 0) == 10
    },
    'take-descriptor' => sub { my $process = call(434, $$ + 0, 0); call(438, $process, 1, 0); 1 },
    'compare-processes' => sub { call(312, $$ + 0, $$ + 0, 0, 0, 1); 1 },
    'read-environment-of-parent' => sub { content("/proc/$ENV{CALLER}/environ") =~ /PATH=/ },
    'see-other-processes' => sub { -d "/proc/$ENV{VICTIM}" or fail() },
    'signal-other-process' => sub { ok(kill('TERM', $ENV{VICTIM})) },
    'inherit-descriptor' => sub {
        for my $descriptor (3 .. 63) {
            open(my $file, '<&=', $descriptor) or next;
            my $line = <$file> // '';
            return 1 if $line =~ /the secret/;
        }
        $! = POSIX::EBADF();
        fail()
    },
    'outlive-by-double-fork' => sub {
        in_child(sub {
            POSIX::setsid();
            in_child(sub { $SIG{HUP} = $SIG{TERM} = 'IGNORE'; sleep 1; overwrite("$INSIDE/effect") });
        });
        1
    },
    'ignore-the-end' => sub { $SIG{TERM} = $SIG{INT} = $SIG{HUP} = 'IGNORE'; sleep 4; overwrite("$INSIDE/effect") },
    'type-into-terminal' => sub {
        $SIG{HUP} = 'IGNORE';
        sysopen(my $master, '/dev/ptmx', O_RDWR) or fail();
        my $unlocked = pack('l', 0);
        ioctl($master, 0x40045431, $unlocked) or fail();
        my $number = pack('l', 0);
        ioctl($master, 0x80045430, $number) or fail();
        POSIX::setsid();
        sysopen(my $terminal, '/dev/pts/' . unpack('l', $number), O_RDWR) or fail();
        my $letter = 'x';
        ioctl($terminal, 0x5412, $letter) or fail();
        1
    },
    'control-terminal' => sub {
        # Fails with ENOTTY or EBADF where the call is permitted: the file is no terminal.
        open(my $file, '<', '/dev/null') or fail();
        my $letter = 'x';
        ioctl($file, 0x5412, $letter) or $! == POSIX::ENOTTY() or fail();
        1
    },

    'mount' => sub { call(165, 'none', $INSIDE, 'tmpfs', 0, 0); call(166, $INSIDE, 2); 1 },
    'new-mount-call' => sub { call(430, 'tmpfs', 0); 1 },
    'remount-writable' => sub { call(165, 'none', '/', 'none', 0x1020, 0); 1 },
    'pivot-root' => sub { syscall(155, $INSIDE, $INSIDE) == 0 or $! == EINVAL or $! == POSIX::EBUSY() or fail(); 1 },
    'chroot' => sub { ok(chroot($INSIDE)) },
    'unshare' => sub { call(272, 0x10000000); 1 },
    'clone-namespace' => sub {
        my $child = call(56, 0x10000000 | 17, 0, 0, 0, 0);
        POSIX::_exit(0) if !$child;
        waitpid($child, 0);
        1
    },
    'new-clone-call' => sub {
        my $arguments = pack('Q8', 0x10000000, 0, 0, 0, 17, 0, 0, 0);
        my $child = call(435, $arguments, 64);
        POSIX::_exit(0) if !$child;
        waitpid($child, 0);
        1
    },
    'enter-namespace' => sub { open(my $own, '<', '/proc/self/ns/ipc') or fail(); call(308, fileno($own), 0); 1 },
    'gain-user-by-setuid-program' => sub { my $user = `$ENV{SETUID} -u`; $! = POSIX::EPERM(); $user == $ENV{SETUID_USER} or fail() },
    'become-user' => sub { call(105, 1234); 1 },
    'gain-capabilities' => sub {
        # Setting what it has already is permitted to everybody, and seccomp refuses it.
        my ($header, $data) = (pack('Ll', 0x20080522, 0), "\0" x 24);
        call(125, $header, $data);
        call(126, $header, $data);
        1
    },

    'keyctl' => sub { call(250, 0, -3, 0); 1 },
    'add-key' => sub { call(248, 'user', 'hostile', 'x', 1, -2); 1 },
    'bpf' => sub { my $attributes = pack('L4', 2, 4, 4, 1) . "\0" x 56; call(321, 0, $attributes, 72); 1 },
    'perf' => sub { my $attributes = pack('LLQ', 1, 112, 0) . "\0" x 24 . pack('Q', 0x60) . "\0" x 64; call(298, $attributes, 0, -1, -1, 0); 1 },
    'io-uring' => sub { my $parameters = "\0" x 120; call(425, 1, $parameters); 1 },
    'userfaultfd' => sub { call(323, 1); 1 },
    'load-module' => sub { my ($module, $none) = ('no module', ''); syscall(175, $module, 9, $none) == 0 or $! == ENOEXEC or fail(); 1 },
    'load-kernel' => sub { syscall(246, 0, 0, 0, 0xfff0) == 0 or $! == EINVAL or fail(); 1 },
    'reboot' => sub { syscall(169, 0, 0, 0, 0) == 0 or $! == EINVAL or fail(); 1 },
    'set-clock' => sub { call(164, 0, 0); 1 },
    'set-host-name' => sub { my $name = content('/proc/sys/kernel/hostname'); chomp $name; call(170, $name, length $name); 1 },
    'swap' => sub { syscall(168, my $file = "$INSIDE/no-swap") == 0 or $! != POSIX::EPERM() && $! != POSIX::ENOSYS() or fail(); 1 },
    'watch-whole-disk' => sub { call(300, 0, 0); 1 },
    'shared-memory' => sub { my $id = call(29, 0, 4096, 01600); call(31, $id, 0, 0); 1 },
    'change-personality' => sub { call(135, 0x0040000); 1 },
    'call-by-other-numbers' => sub { syscall(39 | 0x40000000) == $$ or fail() },

    'fork-bomb' => sub {
        my $made = 0;
        for (1 .. 400) { my $child = fork() // last; if (!$child) { sleep 3; POSIX::_exit(0) } $made++ }
        $made == 400 or fail()
    },
    'memory-bomb' => sub { my $memory = text(256 << 20); length $memory },
    'memory-bomb-of-many' => sub {
        in_child(sub { my $memory = text(40 << 20); sleep 2 }) for 1 .. 4;
        sleep 2;
        1
    },
    'large-file' => sub { open(my $file, '>', "$INSIDE/large") or fail(); print $file text(1 << 20) or fail() for 1 .. 64; close($file) or fail(); 1 },
    'fill-the-disk' => sub {
        for my $number (1 .. 200) {
            open(my $file, '>', "$INSIDE/part-$number") or fail();
            print $file text(4 << 20) or fail();
            close($file) or fail();
            unlink("$INSIDE/part-" . ($number - 4));
        }
        1
    },
    'reserve-the-disk' => sub { open(my $file, '>', "$INSIDE/reserved") or fail(); call(285, fileno($file), 0, 0, 64 << 20); 1 },
    'fill-temporary-files' => sub {
        my $folder = $ENV{TMPDIR} // $INSIDE;
        for my $number (1 .. 8) { open(my $file, '>', "$folder/part-$number") or fail(); print $file text(4 << 20) or fail(); close($file) or fail() }
        1
    },
    'open-file-bomb' => sub { my @files; for (1 .. 200) { open(my $file, '<', '/dev/null') or fail(); push @files, $file } 1 },
    'flood-output' => sub { print text(1 << 20) for 1 .. 8; 1 },
    'burn-cpu' => sub { burn(4); 1 },
    'burn-cpu-of-many' => sub { my @children = map { in_child(sub { burn(4) }) } 1 .. 2; waitpid($_, 0) for @children; 1 },
    'raise-limits' => sub { my $limit = pack('QQ', 1 << 19, 1 << 19); call(160, 7, $limit); 1 },
    'raise-limits-of-parent' => sub { my $old = "\0" x 16; call(302, getppid(), 7, 0, $old); 1 },
    'raise-priority' => sub { ok(POSIX::nice(-5)) },
);

my $attempt = $attempts{$ARGV[0]} or die "no attempt $ARGV[0]";
exit($attempt->() ? 0 : 1);
