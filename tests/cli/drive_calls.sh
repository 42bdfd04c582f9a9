# drive_calls.sh - `locksim drive`: each call that waits lasts as long as it was told, by the virtual clock; random numbers
# follow from the seed; and what locksim does not end is named. The C program notes in the file `seen` what it saw.
RUN_SECONDS_MAX=600
mkdir -p out
drive() { run drive -o out "$@"; }
if [ ! -r /proc/self/schedstat ]; then
    echo "drive_calls: this machine has no /proc/self/schedstat: nothing can be driven"
    return
fi

cat > calls.c <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { LENGTH_MS = 20500 };
static const struct timespec length = { 20, 500000000 };
static int redis, pipes[2], polled;
static char room[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static long long now_ms(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (long long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
static struct timespec then(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    t.tv_sec += 20 + (t.tv_nsec >= 500000000);
    t.tv_nsec += t.tv_nsec >= 500000000 ? -500000000 : 500000000;
    return t;
}
static void limit(void)
{
    struct timeval t = { 20, 500000 };
    setsockopt(redis, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
}
static void watch(fd_set *s)
{
    FD_ZERO(s);
    FD_SET(pipes[0], s);
}
static void ring(int signal) { (void)signal; }
static void *keep_locked(void *lock)
{
    pthread_mutex_lock(lock);
    for (;;)
        pause();
    return NULL;
}
static int until_locked(void) { pthread_t t; pthread_create(&t, NULL, keep_locked, &mutex); return usleep(1000); }

#define CASES(X) \
    X(nanosleep, 0, nanosleep(&length, NULL)) \
    X(clock_nanosleep, 0, clock_nanosleep(CLOCK_MONOTONIC, 0, &length, NULL)) \
    X(clock_nanosleep_until, 0, (t = then(CLOCK_REALTIME), clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL))) \
    X(usleep, 0, usleep(LENGTH_MS * 1000)) \
    X(thrd_sleep, 0, thrd_sleep(&length, NULL)) \
    X(poll, 0, poll(&(struct pollfd){ .fd = pipes[0], .events = POLLIN }, 1, LENGTH_MS)) \
    X(ppoll, 0, ppoll(&(struct pollfd){ .fd = pipes[0], .events = POLLIN }, 1, &length, NULL)) \
    X(select, 0, (watch(&s), select(pipes[0] + 1, &s, NULL, NULL, &(struct timeval){ 20, 500000 }))) \
    X(pselect, 0, (watch(&s), pselect(pipes[0] + 1, &s, NULL, NULL, &length, NULL))) \
    X(epoll_wait, 0, epoll_wait(polled, &e, 1, LENGTH_MS)) \
    X(epoll_pwait, 0, epoll_pwait(polled, &e, 1, LENGTH_MS, NULL)) \
    X(recv, EAGAIN, (limit(), recv(redis, room, 9, 0)) < 0 ? errno : 0) \
    X(recvfrom, EAGAIN, (limit(), recvfrom(redis, room, 9, 0, NULL, NULL)) < 0 ? errno : 0) \
    X(recvmsg, EAGAIN, (limit(), recvmsg(redis, &(struct msghdr){ .msg_iov = &v, .msg_iovlen = 1 }, 0)) < 0 ? errno : 0) \
    X(read, EAGAIN, (limit(), read(redis, room, 9)) < 0 ? errno : 0) \
    X(readv, EAGAIN, (limit(), readv(redis, &v, 1)) < 0 ? errno : 0) \
    X(pthread_cond_timedwait, ETIMEDOUT, (t = then(CLOCK_REALTIME), pthread_mutex_lock(&mutex), \
                                          pthread_cond_timedwait(&condition, &mutex, &t))) \
    X(pthread_cond_clockwait, ETIMEDOUT, (t = then(CLOCK_MONOTONIC), pthread_mutex_lock(&mutex), \
                                          pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &t))) \
    X(sem_timedwait, ETIMEDOUT, (t = then(CLOCK_REALTIME), sem_timedwait(&semaphore, &t)) < 0 ? errno : 0) \
    X(sem_clockwait, ETIMEDOUT, (t = then(CLOCK_MONOTONIC), sem_clockwait(&semaphore, CLOCK_MONOTONIC, &t)) < 0 ? errno : 0) \
    X(timerfd, 8, (fd = timerfd_create(CLOCK_MONOTONIC, 0), \
                   timerfd_settime(fd, 0, &(struct itimerspec){ .it_value = length }, NULL), (int)read(fd, room, 8))) \
    X(setitimer, EINTR, (signal(SIGALRM, ring), setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { 20, 500000 } }, NULL), \
                         pause()) < 0 ? errno : 0) \
    X(free_lock, 0, (t = then(CLOCK_REALTIME), pthread_mutex_timedlock(&mutex, &t) || usleep(LENGTH_MS * 1000))) \
    X(taken_lock, 0, (until_locked(), t = then(CLOCK_REALTIME), pthread_mutex_timedlock(&mutex, &t))) \
    X(cnd_timedwait, 0, (t = then(CLOCK_REALTIME), mtx_init(&m, mtx_plain), cnd_init(&c), mtx_lock(&m), cnd_timedwait(&c, &m, &t))) \
    X(timer_create, 0, (timer_create(CLOCK_MONOTONIC, NULL, &own), \
                        timer_settime(own, 0, &(struct itimerspec){ .it_value = length }, NULL)))

#define NAME(name, wanted, call) #name,
#define RUN(name, wanted, call) \
    if (strcmp(kind, #name) == 0) \
        ok = (int)(call) == (wanted);
static void hex(FILE *out, const char *what, size_t n)
{
    fprintf(out, "%s ", what);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%02x", (unsigned char)room[i]);
    fprintf(out, "\n");
}
static void draw(FILE *out)
{
    uint32_t n = arc4random();
    getrandom(room, 8, 0), hex(out, "getrandom", 8);
    if (getentropy(room, 8) == 0)
        hex(out, "getentropy", 8);
    int fd = open("/dev/urandom", O_RDONLY);
    if (read(fd, room, 8) == 8)
        hex(out, "open", 8);
    FILE *f = fopen("/dev/urandom", "r");
    if (f && fread(room, 1, 8, f) == 8)
        hex(out, "fopen", 8);
    arc4random_buf(room, 8), hex(out, "arc4random_buf", 8);
    fprintf(out, "arc4random %u %u pid %d\n", n, arc4random_uniform(1000000), (int)getpid());
}
int main(int argc, char **argv)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(6379), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    const char *kind = argc > 1 ? argv[1] : "";
    struct epoll_event e = { .events = EPOLLIN };
    struct iovec v = { room, 9 };
    struct timespec t;
    fd_set s;
    mtx_t m;
    cnd_t c;
    timer_t own;
    int fd, ok = 0;
    redis = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(redis, (struct sockaddr *)&to, sizeof to) != 0 || pipe(pipes) != 0)
        return 1;
    FILE *out = fopen("seen", "a");
    polled = epoll_create1(0);
    epoll_ctl(polled, EPOLL_CTL_ADD, pipes[0], &e);
    sem_init(&semaphore, 0, 0);
    if (strcmp(kind, "random") == 0) {
        draw(out);
    } else {
        long long from = now_ms(CLOCK_MONOTONIC), real = now_ms(CLOCK_REALTIME);
        CASES(RUN)
        fprintf(out, "%s %s %lld %lld\n", kind, ok ? "ok" : "wrong", now_ms(CLOCK_MONOTONIC) - from,
                now_ms(CLOCK_REALTIME) - real);
    }
    fclose(out);
    _exit(0);
}
C
check "the C program compiles" gcc -O1 -o calls calls.c -lpthread

kinds="nanosleep clock_nanosleep clock_nanosleep_until usleep thrd_sleep poll ppoll select pselect epoll_wait epoll_pwait
    recv recvfrom recvmsg read readv pthread_cond_timedwait pthread_cond_clockwait sem_timedwait sem_clockwait timerfd
    setitimer free_lock"
driven=() number=0
for kind in $kinds; do
    echo "$kind ok 20500 20500"
done | sort > expected
for kind in $kinds; do
    driven+=("C$((number++))=./calls $kind")
done
drive -j 1 --runs 1 "${driven[@]}"
ends 3 "each call in a program of its own: nobody takes a lock"
sort seen > sorted
check "each waits as long as it was told, by both clocks" diff expected sorted

for i in 1 2; do
    rm -f seen
    drive -j 1 --runs 1 --seed 5 "A=./calls random"
    mv seen "drawn.$i"
done
check "random numbers are drawn" test "$(wc -l < drawn.1)" -eq 6
check "from the seed alone" cmp drawn.1 drawn.2
drive -j 1 --runs 1 --seed 6 "A=./calls random"
check "another seed, other numbers" bash -c '! cmp -s seen drawn.1'

# What is not ended is named, and does not end at once either.
for kind in taken_lock cnd_timedwait; do
    drive -j 1 --runs 1 "A=./calls $kind"
    ends 2 "$kind"
    check "$kind: its system call is named" out_has "waits in the system call futex for a time"
done
drive -j 1 --runs 1 "A=./calls timer_create"
ends 4 "a timer of the kernel's own"
check "is named" out_has "it sets a timer of timer_create, which runs by the real clock"
