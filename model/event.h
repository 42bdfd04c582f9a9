/* event.h - the seam between what happens and what is judged: the world writes events, the model reads them. Nothing
 * here knows of Redis replies or Lua, so that the model could judge a history that locksim did not produce.
 * Instants are int64_t milliseconds of virtual time, lengths end in _ms too and are said to be lengths.
 *
 * Events come in steps. A step executes at most one request; what the request did to a view comes after its
 * EVENT_EXECUTED, in the same step, announcements and requests sent before or after it; EVENT_STATE, EVENT_STUCK or
 * EVENT_REST ends the step. What depends on a view is judged at the end of the step.
 *
 * Operations are known by their words: acquire (try_acquire, try_once, try_lock, lock), release (unlock, count_down),
 * renew (extend), force_release (force_unlock), abandon (leave), subscribe (psubscribe, unsubscribe, punsubscribe),
 * each with an ending of the driver's own after an underscore; release_read and release_write say which of its owner's
 * holds ends. Any other word is a request of which nothing is expected, and which may grant a hold, as acquire does.
 *
 * Answers are announced in their step. Later, a grant still counts from the execution of the request that it names,
 * unless that named no lock or its owner held already: then from its announcement. */
#ifndef LOCKSIM_MODEL_EVENT_H
#define LOCKSIM_MODEL_EVENT_H

#include "base/str.h"

typedef enum {
    /* Announced by a driver while its task runs (me:wants and related methods): what the client believes. */
    EVENT_WANTS,           /* asks for `lock`; from now on it waits, until granted or gave_up; count: of a semaphore's
                            * permits, 0 is 1 */
    EVENT_REFUSED,         /* learned that it must wait, by the answer of `request` */
    EVENT_GRANTED,         /* believes to hold: lease_ms (LEASE_NONE: until it releases), token, mode, count (holds in
                            * all; of a semaphore: permits of this grant, which one release ends that does not say how
                            * many); `request` granted it */
    EVENT_GAVE_UP,         /* stops waiting without the lock */
    EVENT_RELEASED,        /* learned that its release counted: count holds are left (0: free, or unknown); `request`
                            * as above. With request 0 it is about to release by requests of other locks: a belief in
                            * a grant ends now */
    EVENT_LOST,            /* learned that it does not own the lock; `request` as above */
    EVENT_USE,             /* touches the resource `text` with `token` (0: without one); of two versions side by side:
                            * EVENT_ANSWER, a call, and what it returned to the program */

    /* A request. `op` is the driver's word: acquire, release, renew, force_release, abandon, or any other. */
    EVENT_SENT,            /* a belief in a grant ends where op is release or force_release, unless it is sent again, as
                            * the same one; count: SENT_ bits */
    EVENT_EXECUTED,        /* ran at the server; `text`: the reply on one line, "error: ..." for an error. May happen
                            * twice (duplicate); count: EXECUTED_ bits. If it names a lock and its EVENT_SENT did not
                            * (an EXEC that stands for what it ran), what is said now counts */
    EVENT_ANSWERED,        /* the reply reached the task */
    EVENT_TIMED_OUT,       /* the task gave up waiting for the reply, or got one that does not say what was done.
                            * `count` 1: the request was executed or lost before, so only a duplicate of it can still
                            * be executed. The same for EVENT_INTERRUPTED */

    /* The server's account. */
    EVENT_VIEW,            /* `view` of `lock` changed by more than ageing; the cause: the request, expiry (op "expiry")
                            * or fault (op: its name) */
    EVENT_FINDING,         /* script health: `op` is error, undeclared_key, cross_slot, leaked_global, budget or crash;
                            * `text` says what */

    /* Lives. */
    EVENT_CRASHED,         /* the process; so all of its tasks */
    EVENT_RESTARTED,
    EVENT_PAUSED,
    EVENT_RESUMED,
    EVENT_STALLED,         /* the task: its thread stands still while its process goes on; it excuses nothing */
    EVENT_WENT_ON,         /* the task */
    EVENT_INTERRUPTED,     /* the task; `request`: the one whose answer it no longer waits for, or 0 */
    EVENT_ENDED,           /* the task's program returned */
    EVENT_FAULT,           /* any other fault; `op`: its name as in DESIGN.md; `text`: the driver's word for the
                            * request it strikes */

    /* The run as a whole, written by the world after a step. */
    EVENT_STATE,           /* `tasks`: every live task and what may wake it; written when a lock is observed and after
                            * each step */
    EVENT_BUSY,            /* the task went through a loop of requests in zero time and came back to the same state */
    EVENT_STUCK,           /* nothing can happen any more, although a program has not ended */
    EVENT_REST,  /* every program ended or died, and timers and time came to rest; `keys`: what is left, see rest */
} event_kind;

#define EVENT_ANSWER "answer of "

#define NOBODY UINT32_MAX                          /* no process, or no task */
/* Bits. COPY: this is the copy, whose answer is discarded. QUEUED: it was queued behind a MULTI, and does nothing
 * itself: the EXEC counts. TOO_LATE: it gave a key a deadline that its sender had computed and that had come, so that
 * what it stored is gone at once. */
enum { EXECUTED_COPY = 1, EXECUTED_QUEUED = 2, EXECUTED_TOO_LATE = 4 };
/* POPS: the server may keep it waiting (BLPOP); then EVENT_EXECUTED may come long after it ran, see ago_ms. */
enum { SENT_AGAIN = 1, SENT_POPS = 2 };
#define LEASE_NONE INT64_C(-1)             /* other negative leases are over when they begin */
#define LEASE_MS_MAX INT64_C(9000000000000000)
#define TTL_NONE INT64_C(-1)                       /* the key has no TTL */
#define TTL_NO_KEY INT64_C(-2)

/* One holder by the server's account. id is the owner's name in the keyspace, which drivers make the task's `who`
 * ("A:1"). */
typedef struct {
    str id;
    int64_t count;         /* holds; 1 for a lock that does not count */
    str mode;              /* "" or read, write, permit... */
} lock_holder;

/* The result of a driver's view(redis, lock). Arrays are borrowed for the duration of the event. */
typedef struct {
    str lock;
    const lock_holder *holders;                    /* sorted by id */
    size_t holder_count;
    int64_t ttl_ms;        /* length; TTL_NONE, TTL_NO_KEY */
    const str *queue;      /* ids of queued waiters, head first */
    size_t queue_count;
    const str *lapsed;     /* ids, sorted, whose hold is over by its own time and still stored: they may give it back;
                            * NULL: what is over by its own time is not told */
    size_t lapsed_count;
    const str *keys;       /* every existing key of this lock, latches included */
    size_t key_count;
    int64_t capacity;      /* of a semaphore: the total of its permits; 0: unknown. Permits that are out need not
                            * have holders */
    int64_t permits;       /* the number of free permits */
} lock_view;

/* The causes, apart from faults, that can make a live task move. */
typedef enum {
    WAKE_NEVER,            /* parked: only a message, permit or answer that does not exist yet could move it */
    WAKE_TIMER,            /* a finite timer of its own */
    WAKE_COMING,           /* it can run now, or an answer, message or permit is on its way; or a task of its process
                            * that is no daemon can run, or has a finite timer, and might hand it something */
} wake;

/* Monitors read process, task, who, wake, daemon and stalled of each, and `main` in EVENT_STUCK. The rest is for
 * display: lists that differ only there count as equal. */
typedef struct {
    uint32_t process, task;
    str who;
    wake wake;
    bool main;             /* runs the scenario's program (not a spawned task or handler) */
    bool daemon;           /* spawned as a daemon: a watchdog; it never keeps a program alive */
    int64_t wake_ms;       /* not read: instant, for WAKE_TIMER */
    bool paused;           /* not read: EVENT_PAUSED and EVENT_RESUMED report it */
    bool stalled;          /* its thread stands still, and takes no step until it goes on */
} task_state;

/* Plain data; strings and arrays are borrowed for the duration of the call that passes it. Unused fields are zero. */
typedef struct {
    event_kind kind;
    int64_t at_ms;         /* the server's clock */
    uint32_t process, task;
    str who;  /* "A:1": process and thread; the owner id that drivers store. Spawned tasks have their thread's */
    str lock, op, text, mode;
    uint32_t request;      /* number, unique among the requests of its process that can still be referred to; 0: none */
    uint32_t server;       /* of a request or fault, 0-based */
    int64_t lease_ms;      /* length, or LEASE_NONE; of a request: the TTL it asked for */
    int64_t renew_ms;      /* length; of EVENT_GRANTED without a lease: the interval at which its owner renews; of a
                            * EVENT_FAULT at a request: how long its sender waits for the answer; 0: unknown */
    int64_t token;         /* fencing token; 0: none */
    int64_t count;
    bool untold;           /* no reply said so: for EVENT_GRANTED the count, which its client keeps; for
                            * EVENT_RELEASED that it counted */
    bool own_count;        /* of EVENT_RELEASED: `count` is counted by its client, not by a reply */
    int64_t ago_ms;        /* length; of EVENT_EXECUTED: how long ago it was executed, for a request that waited at
                            * the server. Its promise counts from then */
    int64_t permits;       /* of a semaphore's release that is sent or executed: how many it returns; 0: unknown */
    str path;              /* of EVENT_FINDING and EVENT_EXECUTED: the script's file */
    int line;
    const lock_view *view;                         /* EVENT_VIEW, and EVENT_REST for each lock by itself */
    const task_state *tasks;                       /* EVENT_STATE, EVENT_STUCK: sorted by process, then task */
    size_t task_count;
    size_t subscriptions;  /* EVENT_REST: subscriptions that live processes still have */
} event;

#endif
