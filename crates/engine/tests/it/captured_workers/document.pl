# Starts a document worker and has it make system calls of our choice, as code that took it over would.
#
# The arguments are the worker and its own arguments. The first line of stdin is the worker's task. Each
# line after it is the name of an attempt, the number of a system call (of x86-64) and its arguments, in
# which `own` is the worker, `parent` this process, `inherited` a file that the worker was started with,
# and `path` the name of a file that everyone may read. Prints the name of each attempt and its outcome.

use strict;
use warnings;
use Fcntl;
use POSIX ();

my ($PTRACE, $POKE, $STEP, $GET, $SET, $ATTACH) = (101, 4, 9, 12, 13, 16);
# The places of registers in what the kernel shows of them.
my ($RAX, $CALL, $RIP, $RSP, @ARGUMENTS) = (10, 15, 16, 19, 14, 13, 12, 7, 9, 8);
my $REGISTERS = 27;

sub trace {
    # Not copied, because the kernel writes into the last one.
    my $done = syscall($PTRACE, $_[0], $_[1], $_[2], $_[3]);
    die "ptrace $_[0]: $!" if $done == -1;
}

sub registers {
    my ($worker) = @_;
    my $buffer = "\0" x (8 * $REGISTERS);
    trace($GET, $worker, 0, $buffer);
    return unpack "q$REGISTERS", $buffer;
}

# Waits until a file of the worker in /proc says so.
sub wait_for {
    my ($worker, $file, $wanted) = @_;
    for (1 .. 1000) {
        open my $lines, '<', "/proc/$worker/$file" or die "$file: $!";
        return if grep { $_ =~ $wanted } <$lines>;
        select undef, undef, undef, 0.02;
    }
    die "the worker never had $wanted in $file";
}

my $task = <STDIN>;
open my $inherited, '+>', undef or die $!;
fcntl $inherited, F_SETFD, 0 or die $!;
pipe my $input, my $to_worker or die $!;
pipe my $from_worker, my $output or die $!;
my $worker = fork // die $!;
if (!$worker) {
    POSIX::dup2(fileno $input, 0);
    POSIX::dup2(fileno $output, 1);
    exec @ARGV or die $!;
}
syswrite $to_worker, $task;
wait_for($worker, 'status', qr/^Seccomp:\s*2/);
# It waits for its document, so the instruction before is a system call.
wait_for($worker, 'syscall', qr/^0 0x0 /);
trace($ATTACH, $worker, 0, 0);
waitpid $worker, 0;
my @before = registers($worker);
# The worker never goes on, so its stack has room.
my $path = $before[$RSP];
my @words = unpack 'q*', "/usr/bin/perl\0\0\0";
trace($POKE, $worker, $path + 8 * $_, $words[$_]) for 0 .. $#words;
my %values = (own => $worker, parent => $$, inherited => fileno $inherited, path => $path);
while (my $line = <STDIN>) {
    my ($name, $call, @arguments) = split ' ', $line;
    my @now = @before;
    ($now[$RAX], $now[$CALL], $now[$RIP]) = ($call, -1, $before[$RIP] - 2);
    @now[@ARGUMENTS] = map { $values{ $_ // 0 } // $_ // 0 } @arguments[0 .. 5];
    trace($SET, $worker, 0, pack "q$REGISTERS", @now);
    trace($STEP, $worker, 0, 0);
    waitpid $worker, 0;
    print "$name ", (registers($worker))[$RAX], "\n";
}
kill KILL => $worker;
waitpid $worker, 0;
