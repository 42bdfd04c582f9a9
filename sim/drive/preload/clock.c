/* clock.c - every clock of the program is locksim's: it stands still while any thread of a client runs, but for a
 * nanosecond where one reads it over and over. */
#include <errno.h>
#include <sys/time.h>

#include "preload.h"

/* The monotonic clock. A loop that waits until it has moved (Ruby's sleep of length 0) ends, and it never goes back. */
static int64_t mono_now_ns(void)
{
    enum { READS_A_NS = 4096 };
    static _Atomic int64_t instant_ns, last_ns;
    static _Atomic uint64_t reads;             /* in this instant */
    int64_t now_ns = atomic_load(&preload_page->mono_ns);
    if (atomic_exchange(&instant_ns, now_ns) != now_ns)
        atomic_store(&reads, 0);
    now_ns += (int64_t)(atomic_fetch_add(&reads, 1) / READS_A_NS);
    int64_t last = atomic_load(&last_ns);
    while (now_ns > last && !atomic_compare_exchange_weak(&last_ns, &last, now_ns)) {
    }
    return now_ns > last ? now_ns : last;
}

/* A program's own time and that of its threads are wall time here: it stands still, too. */
int64_t clock_now_ns(clockid_t id)
{
    shared *p = preload_page;
    atomic_fetch_add_explicit(&p->clock_reads, 1, memory_order_relaxed);
    bool real = id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE || id == CLOCK_TAI;
    return mono_now_ns() + (real ? atomic_load(&p->real_ns) - atomic_load(&p->mono_ns) : 0);
}

int64_t clock_left_ns(clockid_t id, const struct timespec *until)
{
    int64_t left = span_ns(until) - clock_now_ns(id);
    return until->tv_sec > 9000000000 ? SHARED_NEVER : left > 0 ? left : 0;
}

/* The program has read a clock: it may be held before it goes on with the result, so that others come in between. */
static void hold(void)
{
    if (!preload_page->clock_points || !preload_page->connected)
        return;
    int problem = errno;
    shared_slot *s = wait_begin(SLOT_READS, SHARED_NEVER, "clock");
    while (!wait_on_word(s)) {
    }
    wait_end(s);
    errno = problem;
}

static void tell(int64_t ns, struct timespec *t)
{
    t->tv_sec = (time_t)(ns / 1000000000);
    t->tv_nsec = (long)(ns % 1000000000);
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    if (!driven())
        return REAL(clock_gettime)(id, t);
    tell(clock_now_ns(id), t);
    hold();
    return 0;
}

int timespec_get(struct timespec *t, int base)
{
    if (!driven() || base != TIME_UTC)
        return REAL(timespec_get)(t, base);
    tell(clock_now_ns(CLOCK_REALTIME), t);
    hold();
    return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    if (!driven())
        return REAL(gettimeofday)(t, zone);
    int64_t ns = clock_now_ns(CLOCK_REALTIME);
    struct timeval *volatile to = t;               /* its declaration says that it is never NULL, and some callers pass
                                                    * that */
    if (to)
        *to = (struct timeval){ .tv_sec = (time_t)(ns / 1000000000), .tv_usec = (suseconds_t)(ns % 1000000000 / 1000) };
    hold();
    return 0;
}

time_t time(time_t *t)
{
    if (!driven())
        return REAL(time)(t);
    time_t now = (time_t)(clock_now_ns(CLOCK_REALTIME) / 1000000000);
    if (t)
        *t = now;
    hold();
    return now;
}

clock_t clock(void)
{
    return driven() ? (clock_t)(clock_now_ns(CLOCK_MONOTONIC) / (1000000000 / CLOCKS_PER_SEC)) : REAL(clock)();
}

/* ---- sleeping ---- */

/* 0, or EINTR with what was left. The kernel, too, lets no thread sleep for less than a moment. */
static int sleep_for(int64_t ns, struct timespec *left, const char *call)
{
    shared_slot *s = wait_begin(SLOT_SLEEPS, ns > SHARED_MOMENT_NS ? ns : SHARED_MOMENT_NS, call);
    bool ended = wait_on_word(s);
    int64_t rest = s->deadline_ns - clock_now_ns(CLOCK_MONOTONIC);
    wait_end(s);
    if (ended)
        return 0;
    if (left)
        tell(rest > 0 ? rest : 0, left);
    return EINTR;
}

int nanosleep(const struct timespec *ns, struct timespec *left)
{
    if (!driven() || ns->tv_sec < 0 || ns->tv_nsec < 0 || ns->tv_nsec > 999999999)
        return REAL(nanosleep)(ns, left);
    if (span_ns(ns) == 0)
        return 0;                  /* the kernel would let it sleep for a moment of the real clock */
    int problem = sleep_for(span_ns(ns), left, "nanosleep");
    errno = problem ? problem : errno;
    return problem ? -1 : 0;
}

int clock_nanosleep(clockid_t id, int flags, const struct timespec *ns, struct timespec *left)
{
    if (!driven() || ns->tv_nsec < 0 || ns->tv_nsec > 999999999)
        return REAL(clock_nanosleep)(id, flags, ns, left);
    int64_t length = flags & TIMER_ABSTIME ? clock_left_ns(id, ns) : span_ns(ns);
    return length > 0 ? sleep_for(length, flags & TIMER_ABSTIME ? NULL : left, "clock_nanosleep") : 0;
}

int usleep(useconds_t us)
{
    struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };
    return nanosleep(&t, NULL);
}

unsigned int sleep(unsigned int seconds)
{
    struct timespec t = { .tv_sec = seconds }, left = { 0 };
    return nanosleep(&t, &left) == 0 ? 0 : (unsigned int)left.tv_sec;
}
