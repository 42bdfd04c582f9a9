# drive_clock.sh - `locksim drive`: timers of programs (timerfd, setitimer), clocks that differ, and a clock read as a
# moment at which others come in between. The C program notes in the file `seen` what it saw.
RUN_SECONDS_MAX=600
mkdir -p out
drive() { run drive -o out "$@"; }
if [ ! -r /proc/self/schedstat ]; then
    echo "drive_clock: this machine has no /proc/self/schedstat: nothing can be driven"
    return
fi

cat > timers.c <<'C'
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static int redis;
static char room[256];
static void ask(const char *what, long long n)
{
    dprintf(redis, "set %s %lld nx px 99\r\n", what, n);
    if (read(redis, room, sizeof room) <= 0)
        exit(1);
    FILE *f = fopen("seen", "a");
    fprintf(f, "%s %lld\n", what, n);
    fclose(f);
}
static long long ms(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static volatile sig_atomic_t rung;
static void ring(int signal) { (void)signal; rung++; }
static uint64_t ticks(int fd)
{
    uint64_t n = 0;
    return read(fd, &n, sizeof n) == sizeof n ? n : errno == EAGAIN ? 0 : 999;
}
int main(int argc, char **argv)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const char *kind = argc > 1 ? argv[1] : "";
    redis = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(redis, (struct sockaddr *)&to, sizeof to) != 0)
        return 1;
    long long from = ms(CLOCK_MONOTONIC), real = ms(CLOCK_REALTIME);
    if (strcmp(kind, "timerfd") == 0) {
        int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), e = epoll_create1(0);
        struct itimerspec set = { .it_value = { 0, 250000000 }, .it_interval = { 1, 0 } }, left;
        struct epoll_event event = { .events = EPOLLIN };
        ask("nothing_yet", (long long)ticks(fd));
        timerfd_settime(fd, 0, &set, NULL);
        epoll_ctl(e, EPOLL_CTL_ADD, fd, &event);
        if (epoll_wait(e, &event, 1, -1) != 1 || ticks(fd) != 1)
            return 2;
        ask("first", ms(CLOCK_MONOTONIC) - from);
        usleep(2500000);
        ask("ticks", (long long)ticks(fd));
        timerfd_gettime(fd, &left);
        ask("left", left.it_value.tv_nsec / 1000000);
        usleep(600000);
        memset(&set, 0, sizeof set);
        timerfd_settime(fd, 0, &set, NULL);
        ask("disarmed", (long long)ticks(fd) + epoll_wait(e, &event, 1, 5000));
        set.it_value.tv_sec = (time_t)(ms(CLOCK_MONOTONIC) / 1000 + 3);
        timerfd_settime(fd, TFD_TIMER_ABSTIME, &set, NULL);
        ask("absolute", epoll_wait(e, &event, 1, -1));
        close(fd);
    } else if (strcmp(kind, "alarm") == 0) {
        struct sigaction act = { .sa_handler = ring };
        sigaction(SIGALRM, &act, NULL);
        setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 0, 300000 }, .it_interval = { 0, 500000 } }, NULL);
        int got = usleep(2000000);
        ask("interrupted", got == -1 && errno == EINTR ? ms(CLOCK_MONOTONIC) - from : -1);
        usleep(499000);
        ask("one", rung);
        pause();
        ask("two", rung);
        setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
        usleep(5000000);
        ask("off", rung);
        alarm(7);
        pause();
        ask("seven", ms(CLOCK_MONOTONIC) - from);
    } else if (strcmp(kind, "clocks") == 0) {
        ask("real", real - 1700000000000);
        usleep(100000);
        ask("slept", ms(CLOCK_MONOTONIC) - from);
        ask("server", 0);
    } else {                           /* checks its clock, then acts on what it saw */
        char lock[64];
        while (from = ms(CLOCK_MONOTONIC), snprintf(lock, sizeof lock, "set lock %d nx px 1000\r\n", (int)getpid()),
               write(redis, lock, strlen(lock)) > 0 && read(redis, room, sizeof room) > 0 && room[0] != '+')
            usleep(100000);
        if (ms(CLOCK_MONOTONIC) - from < 900)
            (void)!write(1, "enter\nleave\n", 12);
    }
    return 0;
}
C
check "the C program compiles" gcc -O1 -o timers timers.c
saw() { # WHAT OPTION...: one run, and the program saw what the standard input says
    local what=$1
    shift
    cat > expected
    rm -f seen
    drive -j 1 --runs 1 "$@"
    ends 0 "$what"
    check "$what: what it saw" cmp expected seen
}
# ---- timers ----
saw "timerfd" "A=./timers timerfd" <<'END'
nothing_yet 0
first 250
ticks 2
left 499
disarmed 0
absolute 1
END
saw "setitimer and alarm" "A=./timers alarm" <<'END'
interrupted 300
one 1
two 2
off 2
seven 12800
END
drive --same --runs 5 "A=./timers timerfd" "B=./timers alarm"
ends 0 "timers of two programs"
check "their runs are identical" out_has "5 of 5 runs of seed 1 are identical"

# ---- clocks that differ ----
saw "a clock like the server's" "A=./timers clocks" <<'END'
real 0
slept 100
server 0
END
saw "a clock that is ahead" --clock A=+250 "A=./timers clocks" <<'END'
real 250
slept 100
server 0
END
saw "a clock that is behind" --clock A=-1000 "A=./timers clocks" <<'END'
real -1000
slept 100
server 0
END
# It sleeps until 100 ms of its own have gone: 101 of its own where a millisecond of the server's is more than one.
saw "a clock that gains" --clock A=+1/10 "A=./timers clocks" <<'END'
real 0
slept 100
server 0
END
rm -f seen
drive --schedule 'A.set A<answer +91 A.wake A.set A<answer A.set A<answer' --clock A=+1/10 "A=./timers clocks"
ends 0 "100 ms of a clock that gains one in ten are 91 of the server's"
drive --schedule 'A.set A<answer +100 +12 A.wake A.set A<answer A.set A<answer' --clock A=-1/10 "A=./timers clocks"
ends 0 "100 ms of a clock that loses one in ten are 112 of the server's"
drive --schedule 'A.set A<answer +100 A.wake' --clock A=-1/10 "A=./timers clocks"
ends 65 "and not 100"
for bad in A A= A=250 A=+ B=+250 A=+x A=+2/10 A=+1/9 A=+1/1001 A=+1/ A=+99999999999 A=+1, ''; do
    drive --runs 1 --clock "$bad" "A=./timers clocks"
    ends 64 "a clock that is none: '$bad'"
done

# ---- a clock read is a moment ----
drive --runs 60 --faults pause=1 "A=./timers" "B=./timers"
ends 0 "a pause between check and act: not seen, since nothing comes in between"
drive --runs 60 --faults pause=1 --strict --clock-reads "A=./timers" "B=./timers"
ends 1 "it is seen where clock reads are moments"
check "two are inside" out_has "LK002"
check "one has read its clock and was paused" grep -q "A has read its clock\|has read its clock" "$out"
cp "$out" first
run replay out/drive.LK002.lua
ends 1 "a replay knows that clock reads were moments"
check "and that is in the file" grep -q "clock_reads = 1" out/drive.LK002.lua
drive --same --runs 5 --clock-reads --clock A=+250,B=-1/50 "A=./timers" "B=./timers"
ends 0 "and runs are identical"
