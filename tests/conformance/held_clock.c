/* held_clock.c - a library to preload before a real redis-server: its wall clock says what the file named by HELD_CLOCK
 * says (8 bytes: microseconds since 1970, mapped into memory), and a sleep moves that clock instead of waiting.
 *
 * So DEBUG SLEEP moves the clock from within a connection, in its order among the commands there, and many commands and
 * moves can be sent at once; a negative sleep moves it back. All other clocks stay real, so that timers and the event
 * loop run while this one stands. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *held_us;

/* The memory allocator asks for the time before this has run: it is told the real one. */
__attribute__((constructor))
static void open_clock(void)
{
    const char *path = getenv("HELD_CLOCK");
    int fd = open(path ? path : "", O_RDWR | O_CLOEXEC);
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *held_us, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "held_clock: HELD_CLOCK=%s: it must name a file of 8 bytes\n", path ? path : "");
        abort();
    }
    close(fd);
    held_us = at;
}

int clock_gettime(clockid_t which, struct timespec *out)
{
    if (which != CLOCK_REALTIME || !held_us)
        return (int)syscall(SYS_clock_gettime, which, out);
    int64_t us = atomic_load(held_us);
    *out = (struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
    return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *out = (struct timeval){ .tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000 };
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

/* To the nearest millisecond: Redis makes its sleeps of a binary fraction of seconds, cut off. */
int nanosleep(const struct timespec *length, struct timespec *rest)
{
    (void)rest;
    int64_t us = (int64_t)length->tv_sec * 1000000 + length->tv_nsec / 1000;
    int64_t ms = (us + (us < 0 ? -500 : 500)) / 1000;
    if (held_us)
        atomic_fetch_add(held_us, ms * 1000);
    return 0;
}

/* Valkey adds what the processor's own counter says to a time it asked for before, if /proc/cpuinfo tells that it can:
 * it is told nothing. */
typedef FILE *opener(const char *restrict path, const char *restrict mode);
static FILE *open_other(const char *name, const char *restrict path, const char *restrict mode)
{
    union { void *found; opener *call; } next = { .found = dlsym(RTLD_NEXT, name) };
    if (strcmp(path, "/proc/cpuinfo") != 0 && next.call)
        return next.call(path, mode);
    errno = ENOENT;
    return NULL;
}

FILE *fopen(const char *restrict path, const char *restrict mode) { return open_other("fopen", path, mode); }
FILE *fopen64(const char *restrict path, const char *restrict mode) { return open_other("fopen64", path, mode); }
