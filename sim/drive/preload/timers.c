/* timers.c - timers that a program sets and does not wait in: timerfd_create's descriptors, and setitimer's alarm. Each
 * has a slot with its deadline. The descriptor is an eventfd: read gives the number of ticks as timerfd's does,
 * and locksim adds them; the alarm's signal is sent by locksim. Source: timerfd_create(2), setitimer(2). */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "preload.h"

enum { TIMERS_MAX = 256 };

static struct {
    int fd;
    clockid_t clock;
    shared_slot *slot;             /* NULL: free */
} timers[TIMERS_MAX];
static shared_slot *alarm_slot;

/* ---- a deadline ---- */

/* left_ns 0: it is disarmed. */
static void set_slot(shared_slot *s, slot_state state, int64_t left_ns, int64_t interval_ns, const char *call)
{
    int64_t now_ns = atomic_load(&preload_page->mono_ns);
    s->interval_ns = interval_ns;
    s->order = atomic_fetch_add(&preload_page->waits, 1);
    s->deadline_ns = left_ns < SHARED_NEVER - now_ns ? now_ns + left_ns : SHARED_NEVER;
    strncpy(s->call_name, call, sizeof s->call_name - 1);
    atomic_store(&s->word, WORD_WAITS);
    atomic_store(&s->state, left_ns ? state : SLOT_IDLE);
}

/* 0: it is disarmed. */
static int64_t left_ns(const shared_slot *s)
{
    uint32_t state = atomic_load(&s->state);
    if (state != SLOT_TIMER && state != SLOT_ALARM)
        return 0;
    int64_t left = s->deadline_ns - atomic_load(&preload_page->mono_ns);
    return left > 0 ? left : 1;
}

/* ---- descriptors ---- */

static int timer_at(int fd)
{
    for (int i = 0; driven() && fd >= 0 && i < TIMERS_MAX; i++)
        if (timers[i].slot && timers[i].fd == fd)
            return i;
    return -1;
}

void timers_closed(int fd)
{
    int at = timer_at(fd);
    if (at < 0)
        return;
    atomic_store(&timers[at].slot->state, SLOT_FREE);
    timers[at].slot = NULL;
}

/* A child's are its parent's; its alarm is none. */
void timers_after_fork(void)
{
    memset(timers, 0, sizeof timers);
    alarm_slot = NULL;
}

int timerfd_create(clockid_t id, int flags)
{
    if (!driven())
        return REAL(timerfd_create)(id, flags);
    int at = 0;
    while (at < TIMERS_MAX && timers[at].slot)
        at++;
    if (at == TIMERS_MAX) {
        errno = EMFILE;
        return -1;
    }
    int fd = eventfd(0, flags);        /* the flags are the same numbers */
    if (fd < 0)
        return -1;
    timers_closed(fd);                 /* one that was closed behind our back */
    timers[at].fd = fd;
    timers[at].clock = id;
    timers[at].slot = slot_claim();
    timers[at].slot->fd = fd;
    timers[at].slot->deadline_ns = SHARED_NEVER;
    return fd;
}

static void tell_timer(const shared_slot *s, struct itimerspec *t)
{
    int64_t left = left_ns(s);
    *t = (struct itimerspec){ .it_value = { left / 1000000000, left % 1000000000 },
                              .it_interval = { s->interval_ns / 1000000000, s->interval_ns % 1000000000 } };
}

int timerfd_gettime(int fd, struct itimerspec *now)
{
    int at = timer_at(fd);
    if (at < 0)
        return REAL(timerfd_gettime)(fd, now);
    tell_timer(timers[at].slot, now);
    return 0;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *set, struct itimerspec *old)
{
    int at = timer_at(fd);
    uint64_t ticks;
    if (at < 0)
        return REAL(timerfd_settime)(fd, flags, set, old);
    shared_slot *s = timers[at].slot;
    if (old)
        tell_timer(s, old);
    struct pollfd ready = { .fd = fd, .events = POLLIN };
    if (REAL(ppoll)(&ready, 1, &(struct timespec){ 0 }, NULL) == 1)
        (void)!RAW(SYS_read, fd, &ticks, sizeof ticks);    /* those of the setting before */
    int64_t left = span_ns(&set->it_value);
    if (left && flags & TFD_TIMER_ABSTIME) {
        left = clock_left_ns(timers[at].clock, &set->it_value);
        left = left ? left : 1;
    }
    set_slot(s, SLOT_TIMER, left, span_ns(&set->it_interval), "timerfd");
    return 0;
}

/* ---- the alarm ---- */

static int64_t micro_ns(const struct timeval *t)
{
    return (int64_t)t->tv_sec * 1000000000 + (int64_t)t->tv_usec * 1000;
}

static void tell_alarm(struct itimerval *t)
{
    int64_t left = alarm_slot ? (left_ns(alarm_slot) + 999) / 1000 : 0;
    int64_t interval = alarm_slot ? alarm_slot->interval_ns / 1000 : 0;
    *t = (struct itimerval){ .it_value = { left / 1000000, left % 1000000 },
                             .it_interval = { interval / 1000000, interval % 1000000 } };
}

/* Timers of processor time stand still, as processor time does. */
int getitimer(__itimer_which_t which, struct itimerval *now)
{
    if (!driven() || which != ITIMER_REAL)
        return REAL(getitimer)(which, now);
    tell_alarm(now);
    return 0;
}

int setitimer(__itimer_which_t which, const struct itimerval *restrict set, struct itimerval *restrict old)
{
    if (!driven())
        return REAL(setitimer)(which, set, old);
    if (which != ITIMER_REAL)
        return REAL(getitimer)(which, old ? old : &(struct itimerval){ 0 });
    if (old)
        tell_alarm(old);
    if (set && !alarm_slot)
        alarm_slot = slot_claim();
    if (set)
        set_slot(alarm_slot, SLOT_ALARM, micro_ns(&set->it_value), micro_ns(&set->it_interval), "setitimer");
    return 0;
}

unsigned int alarm(unsigned int seconds)
{
    if (!driven())
        return REAL(alarm)(seconds);
    struct itimerval set = { .it_value.tv_sec = seconds }, old;
    setitimer(ITIMER_REAL, &set, &old);
    return (unsigned int)old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}
