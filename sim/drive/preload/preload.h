/* preload.h - shared by the parts of the preloaded library. It knows nothing of Redis but its port: it gives a program
 * a clock that locksim moves, makes its waits last until locksim ends them, and redirects its connections to locksim.
 * Without LOCKSIM_DRIVE in the environment every call goes to the original function. */
#ifndef LOCKSIM_DRIVE_PRELOAD_H
#define LOCKSIM_DRIVE_PRELOAD_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "drive/shared.h"

/* The function that this one intercepts: REAL(poll)(fds, n, -1). */
#define REAL(name)                                        \
    (*({                                                  \
        static __typeof__(&name) real_##name;             \
        if (!real_##name)                                 \
            *(void **)&real_##name = preload_real(#name); \
        real_##name;                                      \
    }))
long syscall(long number, ...);
#pragma GCC visibility push(hidden)
void *preload_real(const char *name);

/* The client's page; NULL: this program is not driven. */
extern shared *preload_page;
static inline bool driven(void)
{
    return preload_page != NULL;
}
extern char preload_base[100];                     /* the value of LOCKSIM_DRIVE */

/* The kernel itself, whatever other function has the name. */
#define RAW(...) (REAL(syscall)(__VA_ARGS__))

int32_t preload_pid(void);                         /* the true one */
uint32_t preload_place(void);                      /* of this process among the client's: 0, 1, ... */
/* This process, a copy of another one, becomes the client's first. */
void preload_become_first(void);

/* ---- the fork server (fork_server.c) ---- */

/* The process connects to locksim by this descriptor. The first time it may become a fork server: then this returns in
 * each of its copies, once per run. */
void fork_server_pass(int fd);
/* Nothing that another run could have changed has reached this process yet. */
bool fork_server_early(void);

/* ---- waiting (slots.c) ---- */

/* A wait of this thread begins, for at most limit_ns nanoseconds (SHARED_NEVER: no limit). */
shared_slot *wait_begin(slot_state state, int64_t limit_ns, const char *call);
/* It is over; true if locksim ended it. */
bool wait_end(shared_slot *s);
/* Sleeps on the slot's word until it is set; false: a signal came first. */
bool wait_on_word(shared_slot *s);
bool wait_fired(const shared_slot *s);
void futex_wake(_Atomic uint32_t *word, int count);
void futex_wait(_Atomic uint32_t *word, uint32_t value);
/* Where a client has several threads, one that was woken goes on when locksim lets it: so never two run at one time. */
bool baton_counts(void);
void baton_wait(void);                             /* after a wait that was real */
void slots_after_fork(void);
shared_slot *slot_claim(void);                     /* a free one; ends the program if there is none */

/* ---- clocks (clock.c) ---- */

int64_t clock_now_ns(clockid_t id);
static inline int64_t span_ns(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}
/* How long until an instant of this clock; 0 if it is over. */
int64_t clock_left_ns(clockid_t id, const struct timespec *until);

/* ---- connections (sockets.c) ---- */

/* How long a read of this descriptor waits at most; SHARED_NEVER: no limit was set. */
int64_t socket_read_limit_ns(int fd);

/* ---- timers (timers.c) ---- */

void timers_closed(int fd);
void timers_after_fork(void);

/* ---- lines (lines.c) ---- */

/* Holds the thread in its write while a line of it is `enter`, `leave` or `token N`. */
void lines_hold(int fd, const void *bytes, size_t n);

/* Writes to stderr and ends the program. */
void preload_die(const char *why) __attribute__((noreturn));
#pragma GCC visibility pop

#endif
