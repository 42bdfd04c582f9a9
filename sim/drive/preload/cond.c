/* cond.c - condition variables of our own: waiters are in a list, first come, first served. A wait of glibc's cannot be
 * ended from outside, and the choice among its waiters is not controllable. Timed waits of glibc's semaphores are ended
 * by a signal. Source: POSIX. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

#include "preload.h"

/* Placed in a pthread_cond_t, which is all zeros if it was not initialised by a call. */
typedef struct {
    _Atomic uint32_t lock;         /* 0 free, 1 taken, 2 taken with waiters */
    uint32_t first, last;          /* slots + 1; 0: no waiters */
    uint32_t monotonic;            /* the clock of its deadlines */
} condition;
_Static_assert(sizeof(condition) <= sizeof(pthread_cond_t), "a condition lies in glibc's");

static condition *of(pthread_cond_t *c)
{
    return (condition *)(void *)c;
}

static void take(condition *c)
{
    uint32_t was = 0;
    if (atomic_compare_exchange_strong(&c->lock, &was, 1))
        return;
    while (atomic_exchange(&c->lock, 2) != 0)
        futex_wait(&c->lock, 2);
}

static void give(condition *c)
{
    if (atomic_exchange(&c->lock, 0) == 2)
        futex_wake(&c->lock, 1);
}

static uint32_t name_of(const shared_slot *s)
{
    return (uint32_t)(s - preload_page->slots) + 1;
}

static void queue(condition *c, shared_slot *s)
{
    atomic_store(&s->next, 0);
    if (c->last)
        atomic_store(&preload_page->slots[c->last - 1].next, name_of(s));
    else
        c->first = name_of(s);
    c->last = name_of(s);
}

/* It gave up: removes it from the list. */
static void unqueue(condition *c, shared_slot *s)
{
    uint32_t before = 0;
    for (uint32_t at = c->first; at; before = at, at = atomic_load(&preload_page->slots[at - 1].next)) {
        if (at != name_of(s))
            continue;
        uint32_t next = atomic_load(&s->next);
        if (before)
            atomic_store(&preload_page->slots[before - 1].next, next);
        else
            c->first = next;
        if (c->last == at)
            c->last = before;
        return;
    }
}

static int wait_for(pthread_cond_t *cond, pthread_mutex_t *mutex, int64_t limit_ns, const char *call)
{
    condition *c = of(cond);
    shared_slot *s = wait_begin(SLOT_SLEEPS, limit_ns, call);
    take(c);
    queue(c, s);
    give(c);
    pthread_mutex_unlock(mutex);
    while (!wait_on_word(s)) {
    }
    take(c);
    unqueue(c, s);
    give(c);
    bool fired = wait_end(s);
    pthread_mutex_lock(mutex);
    return fired ? ETIMEDOUT : 0;
}

/* Wakes the first waiter; false: there was none. */
static bool wake_one(condition *c)
{
    while (c->first) {
        shared_slot *s = &preload_page->slots[c->first - 1];
        uint32_t waits = WORD_WAITS;
        c->first = atomic_load(&s->next);
        if (!c->first)
            c->last = 0;
        if (atomic_compare_exchange_strong(&s->word, &waits, WORD_TOLD)) {
            futex_wake(&s->word, 1);
            return true;
        }
    }
    return false;
}

int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes)
{
    if (!driven())
        return REAL(pthread_cond_init)(cond, attributes);
    clockid_t id = CLOCK_REALTIME;
    if (attributes)
        pthread_condattr_getclock(attributes, &id);
    memset(cond, 0, sizeof *cond);
    of(cond)->monotonic = id != CLOCK_REALTIME;
    return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond)
{
    return driven() ? 0 : REAL(pthread_cond_destroy)(cond);
}

int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    return driven() ? wait_for(cond, mutex, SHARED_NEVER, "pthread_cond_wait") : REAL(pthread_cond_wait)(cond, mutex);
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                           const struct timespec *restrict until)
{
    if (!driven())
        return REAL(pthread_cond_timedwait)(cond, mutex, until);
    int64_t left = clock_left_ns(of(cond)->monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME, until);
    return left > 0 ? wait_for(cond, mutex, left, "pthread_cond_timedwait") : ETIMEDOUT;
}

int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex, clockid_t id,
                           const struct timespec *restrict until)
{
    if (!driven())
        return REAL(pthread_cond_clockwait)(cond, mutex, id, until);
    int64_t left = clock_left_ns(id, until);
    return left > 0 ? wait_for(cond, mutex, left, "pthread_cond_clockwait") : ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t *cond)
{
    if (!driven())
        return REAL(pthread_cond_signal)(cond);
    take(of(cond));
    wake_one(of(cond));
    give(of(cond));
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (!driven())
        return REAL(pthread_cond_broadcast)(cond);
    take(of(cond));
    while (wake_one(of(cond))) {
    }
    give(of(cond));
    return 0;
}

/* ---- mutexes: a thread that had to wait for one goes on with the baton ---- */

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!baton_counts())
        return REAL(pthread_mutex_lock)(mutex);
    int problem = REAL(pthread_mutex_trylock)(mutex);
    if (problem != EBUSY)
        return problem;
    problem = REAL(pthread_mutex_lock)(mutex);
    baton_wait();
    return problem;
}

/* ---- semaphores: Python's locks ---- */

int sem_wait(sem_t *sem)
{
    if (!baton_counts())
        return REAL(sem_wait)(sem);
    if (sem_trywait(sem) == 0)
        return 0;
    int got = REAL(sem_wait)(sem);
    baton_wait();
    return got;
}

static int wait_for_semaphore(sem_t *sem, int64_t left, const char *call)
{
    if (sem_trywait(sem) == 0)
        return 0;
    if (left <= 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    shared_slot *s = wait_begin(SLOT_WAITS, left, call);
    int got = REAL(sem_wait)(sem), problem = errno;
    bool fired = wait_end(s);
    errno = got == 0 ? errno : fired ? ETIMEDOUT : problem;
    return got;
}

int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict until)
{
    return driven() ? wait_for_semaphore(sem, clock_left_ns(CLOCK_REALTIME, until), "sem_timedwait")
           : REAL(sem_timedwait)(sem, until);
}

int sem_clockwait(sem_t *restrict sem, clockid_t id, const struct timespec *restrict until)
{
    return driven() ? wait_for_semaphore(sem, clock_left_ns(id, until), "sem_clockwait")
           : REAL(sem_clockwait)(sem, id, until);
}
