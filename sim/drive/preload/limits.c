/* limits.c - waits with a time limit that locksim does not end: for a lock between threads, or for C11's conditions.
 * What is free is taken at once. Else the wait has a limit of the real clock that is far away: so it does not end at
 * once (virtual time lies in the past), and locksim sees it at the next rest and names it. */
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "preload.h"

static struct timespec far_away(clockid_t id)
{
    enum { FAR_S = 3600 };
    struct timespec t;
    REAL(clock_gettime)(id, &t);
    t.tv_sec += FAR_S;
    return t;
}

/* `take` takes the lock if it is free; `wait` waits for it, by the monotonic clock. */
#define TIMED_LOCK(name, clock, type, take, wait)                              \
    int name(type *lock, const struct timespec *until)                         \
    {                                                                          \
        if (!driven())                                                         \
            return REAL(name)(lock, until);                                    \
        int problem = take(lock);                                              \
        if (problem != EBUSY)                                                  \
            return problem;                                                    \
        struct timespec end = far_away(CLOCK_MONOTONIC);                       \
        return clock_left_ns(clock, until) ? REAL(wait)(lock, CLOCK_MONOTONIC, &end) : ETIMEDOUT; \
    }
#define CLOCK_LOCK(name, type, take)                                           \
    int name(type *lock, clockid_t clock, const struct timespec *until)        \
    {                                                                          \
        if (!driven())                                                         \
            return REAL(name)(lock, clock, until);                             \
        int problem = take(lock);                                              \
        if (problem != EBUSY)                                                  \
            return problem;                                                    \
        struct timespec end = far_away(clock);                                 \
        return clock_left_ns(clock, until) ? REAL(name)(lock, clock, &end) : ETIMEDOUT; \
    }
TIMED_LOCK(pthread_mutex_timedlock, CLOCK_REALTIME, pthread_mutex_t, pthread_mutex_trylock, pthread_mutex_clocklock)
TIMED_LOCK(pthread_rwlock_timedrdlock, CLOCK_REALTIME, pthread_rwlock_t, pthread_rwlock_tryrdlock,
           pthread_rwlock_clockrdlock)
TIMED_LOCK(pthread_rwlock_timedwrlock, CLOCK_REALTIME, pthread_rwlock_t, pthread_rwlock_trywrlock,
           pthread_rwlock_clockwrlock)
CLOCK_LOCK(pthread_mutex_clocklock, pthread_mutex_t, pthread_mutex_trylock)
CLOCK_LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_t, pthread_rwlock_tryrdlock)
CLOCK_LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_t, pthread_rwlock_trywrlock)

int mtx_timedlock(mtx_t *restrict lock, const struct timespec *restrict until)
{
    if (!driven())
        return REAL(mtx_timedlock)(lock, until);
    int got = mtx_trylock(lock);
    struct timespec end = far_away(CLOCK_REALTIME);
    return got != thrd_busy ? got : REAL(mtx_timedlock)(lock, clock_left_ns(CLOCK_REALTIME, until) ? &end : until);
}

int cnd_timedwait(cnd_t *restrict condition, mtx_t *restrict lock, const struct timespec *restrict until)
{
    struct timespec end = driven() ? far_away(CLOCK_REALTIME) : *until;
    return REAL(cnd_timedwait)(condition, lock, driven() && clock_left_ns(CLOCK_REALTIME, until) ? &end : until);
}

int thrd_sleep(const struct timespec *ns, struct timespec *left)
{
    return driven() ? nanosleep(ns, left) : REAL(thrd_sleep)(ns, left);
}

/* A timer of the kernel's own sends signals by the real clock, at any moment. */
int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict set, struct itimerspec *restrict old)
{
    if (driven() && (set->it_value.tv_sec || set->it_value.tv_nsec))
        preload_die("it sets a timer of timer_create, which runs by the real clock");
    return REAL(timer_settime)(timer, flags, set, old);
}
