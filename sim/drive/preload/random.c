/* random.c - the machine's random numbers are drawn from the run's seed: the first thread of each process has its own
 * stream. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

enum { DEVICE_BYTES = 1 << 18 };   /* of /dev/urandom: more than a program reads to seed a generator */

static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static void draw(void *bytes, size_t n)
{
    static _Atomic uint64_t first_thread, others;
    int32_t tid = (int32_t)RAW(SYS_gettid);
    bool first = tid == preload_pid();
    uint64_t number = atomic_fetch_add(first ? &first_thread : &others, 1);
    uint64_t seed = fork_server_early() ? preload_page->early_seed : preload_page->seed;
    uint64_t key = mixed(seed ^ mixed((uint64_t)getpid() * 2 + first));
    unsigned char *to = bytes;
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = mixed(key ^ mixed(number * UINT64_C(0x100000001B3) + i));
        memcpy(to + i, &word, n - i < 8 ? n - i : 8);
    }
}

ssize_t getrandom(void *bytes, size_t n, unsigned int flags)
{
    if (!driven())
        return REAL(getrandom)(bytes, n, flags);
    draw(bytes, n);
    return (ssize_t)n;
}

int getentropy(void *bytes, size_t n)
{
    if (!driven() || n > 256)
        return REAL(getentropy)(bytes, n);
    draw(bytes, n);
    return 0;
}

/* glibc's ask the kernel themselves. */
uint32_t arc4random(void)
{
    uint32_t n;
    if (!driven())
        return REAL(arc4random)();
    draw(&n, sizeof n);
    return n;
}

void arc4random_buf(void *bytes, size_t n)
{
    if (driven())
        draw(bytes, n);
    else
        REAL(arc4random_buf)(bytes, n);
}

uint32_t arc4random_uniform(uint32_t bound)
{
    if (!driven())
        return REAL(arc4random_uniform)(bound);
    uint64_t n;
    draw(&n, sizeof n);
    return bound ? (uint32_t)(n % bound) : 0;
}

/* A file with the device's contents; -1: it is not the device. */
static int open_device(const char *path, int flags)
{
    if (!driven() || (strcmp(path, "/dev/urandom") != 0 && strcmp(path, "/dev/random") != 0))
        return -1;
    static unsigned char room[DEVICE_BYTES];
    int fd = memfd_create("random", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
    if (fd < 0)
        return -1;
    draw(room, sizeof room);
    ssize_t put = RAW(SYS_write, fd, room, sizeof room);
    lseek(fd, 0, SEEK_SET);
    return put == (ssize_t)sizeof room ? fd : -1;
}

/* libuuid's memory of earlier runs, which would be another one in each. */
static bool is_kept_from(const char *path)
{
    return driven() && (strcmp(path, "/var/lib/libuuid/clock.txt") == 0 ||
                        strcmp(path, "/var/lib/libuuid/clock-cont.txt") == 0);
}

static int open_as(const char *name, int folder, const char *path, int flags, mode_t mode)
{
    int fd = open_device(path, flags);
    if (fd >= 0)
        return fd;
    if (is_kept_from(path)) {
        errno = ENOENT;
        return -1;
    }
    (void)name;
    return (int)RAW(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name, large)                                                         \
    int name(const char *path, int flags, ...)                                    \
    {                                                                             \
        va_list rest;                                                             \
        va_start(rest, flags);                                                    \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                             \
        return open_as(#name, AT_FDCWD, path, flags | (large), mode);             \
    }
#define OPENAT(name, large)                                                       \
    int name(int folder, const char *path, int flags, ...)                        \
    {                                                                             \
        va_list rest;                                                             \
        va_start(rest, flags);                                                    \
        mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                                             \
        return open_as(#name, folder, path, flags | (large), mode);               \
    }
OPEN(open, 0)
OPEN(open64, 0)
OPENAT(openat, 0)
OPENAT(openat64, 0)

/* stdio opens its files itself. */
static FILE *device_stream(const char *path, const char *mode)
{
    int fd = open_device(path, O_CLOEXEC);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    FILE *f = device_stream(path, mode);
    return f ? f : REAL(fopen)(path, mode);
}

FILE *fopen64(const char *restrict path, const char *restrict mode)
{
    FILE *f = device_stream(path, mode);
    return f ? f : REAL(fopen64)(path, mode);
}

/* ---- syscall(): for code that bypasses glibc (OpenSSL, Rust's standard library) ---- */

static long wait_on_futex(const long *a)
{
    const struct timespec *limit = (const struct timespec *)a[3];
    int op = (int)a[1], plain = op & FUTEX_CMD_MASK;
    if (!limit || (plain != FUTEX_WAIT && plain != FUTEX_WAIT_BITSET))
        return REAL(syscall)(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
    int64_t left = plain == FUTEX_WAIT ? span_ns(limit)
                   : clock_left_ns(op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, limit);
    long got = -1;
    int problem = ETIMEDOUT;
    if (left > 0) {
        shared_slot *s = wait_begin(SLOT_WAITS, left, "futex");
        got = REAL(syscall)(SYS_futex, a[0], a[1] & ~FUTEX_CLOCK_REALTIME, a[2], 0L, a[4], a[5]);
        problem = errno;
        if (wait_end(s) && got < 0 && problem == EINTR)
            problem = ETIMEDOUT;
    }
    errno = problem;
    return got;
}

long syscall(long number, ...)
{
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (size_t i = 0; i < 6; i++)
        a[i] = va_arg(rest, long);
    va_end(rest);
    if (driven() && number == SYS_getrandom)
        return getrandom((void *)a[0], (size_t)a[1], (unsigned int)a[2]);
    if (driven() && number == SYS_clock_gettime)
        return clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
    if (driven() && number == SYS_getpid)
        return getpid();
    if (driven() && number == SYS_futex)
        return wait_on_futex(a);
    return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
