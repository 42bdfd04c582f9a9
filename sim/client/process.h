/* process.h - one application instance: its own Lua state, its tasks as coroutines, and the driver API (DESIGN.md, "The
 * client's side"). A process is a reactive machine: the world gives it one input (run a task, an answer, a message,
 * ...), its Lua runs until every task waits again, and its outputs are returned as an ordered list. It never sees a
 * server, a clock or another process, so (state, input) -> (state, outputs) can be learned as a table. Instants are
 * milliseconds of virtual time by the server's clock unless said otherwise. */
#ifndef LOCKSIM_CLIENT_PROCESS_H
#define LOCKSIM_CLIENT_PROCESS_H

#include "base/facts.h"
#include "base/instant.h"
#include "redis/reply.h"
#include "scenario/scenario.h"
#include "scenario/source.h"

typedef struct process process;

typedef enum { REQUEST_EVAL, REQUEST_COMMAND, REQUEST_SUBSCRIBE, REQUEST_UNSUBSCRIBE } request_kind;

/* A request on its way to a server. Borrowed until the next input, like everything in `outputs`: the world copies what
 * it keeps, so that memory does not grow with the length of a run. (A live process keeps it until process_forget, or
 * its own end.) A script_file lives as long as its process. */
typedef struct {
    request_kind kind;
    uint32_t id;           /* 1, 2, ... in this process */
    uint32_t task;         /* its sender */
    uint32_t server;       /* 0-based */
    bool waited;           /* the task is blocked on the answer (me:eval); false: a future (me:send) */
    bool resend;           /* the driver may send it again without knowing whether it was executed */
    bool again;            /* it repeats a request that was sent before */
    uint32_t sync;         /* a WAIT for that many replicas is sent with it in one batch; 0: none */
    const script_file *script;                     /* REQUEST_EVAL */
    const str *argv;       /* the command as Redis gets it: EVALSHA sha n keys... args..., FCALL function n keys...
                            * args..., or a command's words */
    size_t argc;
    str op;  /* the driver's name for it; default: the script's file name without .lua, or the command in lower case */
    str lock;              /* empty if unknown */
    int64_t lease_ms;      /* LEASE_NONE if unknown */
    int64_t permits;       /* of a semaphore's release: how many are returned; 0: unknown */
    int64_t timeout_ms;    /* length; the scenario's default if the driver names none */
    str path;              /* the position in the client's code that sent it */
    int line;
} request;

typedef enum { OUTPUT_REQUEST, OUTPUT_ANNOUNCE, OUTPUT_LOG, OUTPUT_ENDED } output_kind;

/* In the order in which they happened. */
typedef struct {
    output_kind kind;
    uint32_t task;
    uint32_t thread;       /* OUTPUT_ANNOUNCE of a live process: the thread whose handle announced it */
    const request *request;                        /* OUTPUT_REQUEST */
    event announcement;    /* OUTPUT_ANNOUNCE: kind, who, lock, token, mode, count, lease_ms, text; request: the id in
                            * this process of the request whose answer this task got last (0: none). The world fills in
                            * the rest. */
    str text;              /* OUTPUT_LOG */
} output;

typedef struct {
    arena *memory;         /* of the strings and the list */
    output *items;
    size_t count, cap;
    bool clock;            /* it has read its clock, */
    int64_t clock_skew_ms; /* which is ahead by that much */
    bool steady;           /* it has read its clock that never jumps, */
    int64_t steady_skew_ms;            /* which is ahead by that much */
    int64_t clock_tick_ms; /* both gain or lose a millisecond each time that long has passed, if they drift */
    bool hears;            /* wanted: record comparisons of its code */
    double *compared;      /* as outline.compared */
    size_t compared_count, compared_cap;
    uint64_t used;         /* as outline.used, */
    bool unknown;          /* and outline.unknown */
    bool ids_in_order;     /* it iterated over ids of several clients in byte order */
} outputs;

typedef enum {
    TASK_READY,            /* can run at once: just spawned, me:step(), a permit or a future's value is there, an
                            * interrupt */
    TASK_REQUEST,          /* waits for the answer to `request` */
    TASK_SLEEP,            /* me:sleep, me:work(ms): runs at wake_ms */
    TASK_WORK,             /* me:work(), or a program that has not started: may run at any time, does not hold time
                            * before wake_ms */
    TASK_CHOOSE,           /* me:choose{...}: one of `choices` must be picked */
    TASK_WAIT,             /* for a permit, future, or another task's end; wake_ms: when it gives up (INT64_MAX:
                            * never) */
    TASK_POINT,            /* before an access to shared memory: it goes on (process_run) or is preempted; nothing
                            * else happens first */
    TASK_DONE,
} task_status;

/* A task as seen by the world. Borrowed until the next input. */
typedef struct {
    uint32_t id;           /* 0, 1, ...; never reused in a process */
    str name;              /* "main" for the program; the name given to me:spawn; "message" for handlers */
    uint32_t thread;       /* 1-based; spawned tasks bear their parent's */
    str who;               /* "A:1" */
    task_status status;
    bool daemon, main;
    bool interruptible;    /* in a wait that an interrupt can end: sleep, semaphore, future, request */
    bool zero_wait;        /* a sleep or wait of 0 ms: it does not hold time */
    bool atomic;           /* it waits within me:atomic; filled in only where a thread can be preempted or stalled */
    uint32_t request;      /* TASK_REQUEST; TASK_WAIT for a future: the request it stands for */
    uint64_t order;        /* of its wait among those of its process; of a live one only */
    int64_t wake_ms;       /* TASK_SLEEP, TASK_WAIT */
    size_t choices;        /* TASK_CHOOSE; of a fair coin where `next` is PROCESS_COIN */
    bool ranged;           /* TASK_SLEEP: the least length of a ranged me:work() or sleep; after it the wait may end */
    int64_t least_ms, most_ms;                     /* of a range, in total; most_ms 0: no range */
    str next;              /* the name of its next step for schedules: the op of its request, "sleep", "work", "step",
                            * "wait" ... */
    str path;              /* where it waits */
    int line;
} task_view;

/* Builds the process: loads the scenario file into a fresh Lua state and makes one main task for each thread: TASK_WORK
 * where its start is open, else TASK_SLEEP until its start_ms (relative to now_ms) or TASK_READY; after a restart
 * always the latter. No task has run yet. `incarnation` is 0, then 1, ... after restarts: ids become "A:1", "A#1:1".
 * NULL: the file does not load (ERR_SCENARIO). The scenario must outlive the process. */
process *process_new(const scenario *sc, const loader *l, size_t client, uint32_t incarnation, int64_t now_ms, err *e);
/* The same, and it can be rewound: process_rewind takes a tenth of the time of another process_new. Takes twice the
 * memory. */
process *process_new_kept(const scenario *sc, const loader *l, size_t client, uint32_t incarnation, int64_t now_ms,
                          err *e);
void process_rewind(process *p, uint32_t incarnation, int64_t now_ms);
/* Such a process between two inputs, as it is. process_restore takes it back to that moment, however often, in any
 * order, and after an error, too: no code can see that it was ever elsewhere. Numbers of requests and tasks, and its
 * instants, are again what they were. An image keeps what differs from the one that was saved or restored last. It is
 * freed before the process. */
typedef struct process_image process_image;
process_image *process_save(process *p);
void process_restore(process *p, const process_image *m);
void process_image_free(process_image *m);         /* NULL is fine */
bool process_image_is_needed(const process_image *m);          /* by others: freeing it would gain little */
void process_free(process *p);

/* Many long-lived processes, as in a simulation: they share one Lua state and compiled code, but nothing that client
 * code could notice. Each takes a tenth of the memory of one by process_new. They cannot be frozen, watched or
 * rewound. */
typedef struct process_pool process_pool;
process_pool *process_pool_new(const scenario *sc, const loader *l);
void process_pool_free(process_pool *pool);                   /* after its processes */
/* Adds one, as process_new; its program runs only after process_begin. Freed by process_free. */
process *process_pool_add(process_pool *pool, size_t client, uint32_t incarnation, int64_t now_ms, err *e);
/* From now on its requests carry their position in the code. Those of a pool do not by default: it costs more than a
 * short wait. */
void process_tell_places(process *p);
size_t process_pool_bytes(const process_pool *pool);          /* of the Lua state, in use */
/* A new main task of this thread, TASK_READY, which runs the program from its beginning; its id. */
uint32_t process_begin(process *p, uint32_t thread);
#define PROCESS_COIN "random"
/* The next step that a process takes by itself; faster than process_tasks. */
typedef struct {
    uint32_t task;
    task_status status;    /* TASK_READY, TASK_CHOOSE, TASK_WORK: at once; TASK_SLEEP, TASK_WAIT: at wake_ms; TASK_DONE:
                            * nothing */
    int64_t wake_ms;       /* else INT64_MAX */
    size_t choices;
    bool zero_wait;        /* it waited for 0 ms */
    int64_t range_ms;      /* TASK_WORK: the longest time until it ends; 0: at any time */
} task_ahead;
/* The first by id of the tasks that can go on at once (TASK_WORK is skipped after process_note_work); else the first to
 * wake. */
task_ahead process_next(const process *p, int64_t now_ms);
/* The caller takes care of its me:work() without a length: process_next skips it, and process_run ends it. */
void process_note_work(process *p, uint32_t task);
bool process_works(const process *p, uint32_t task);          /* is there such a task, still working? */

/* Adds by_ms to the process's clock (a clock_jump fault). */
void process_jump_clock(process *p, int64_t by_ms);

size_t process_tasks(process *p, const task_view **out);      /* all tasks that are not TASK_DONE, by id */
/* Every number within window_ms of now_ms (by this process's clock or the server's) that its live tasks or tables
 * hold. */
void process_each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                          void *context);

/* The inputs. Each runs Lua until all tasks wait again and appends to `out`. false: an uncaught error in the client's
 * code, located (ERR_DRIVER); the process is then unusable but may be freed. */
/* A task that is TASK_READY, or TASK_SLEEP / TASK_WAIT whose wake_ms has come, or TASK_WORK. */
bool process_run(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e);
bool process_choose(process *p, uint32_t task, size_t choice, int64_t now_ms, outputs *out, err *e);
/* The answer to a request: the waiting task goes on; a future is fulfilled, its on_answer callbacks become tasks that
 * are ready. */
bool process_answer(process *p, uint32_t request, const reply *r, int64_t now_ms, outputs *out, err *e);
/* The client gives up on a request; `kind` becomes error.kind: "timeout" or "lost" (connection reset). */
bool process_give_up(process *p, uint32_t request, str kind, int64_t now_ms, outputs *out, err *e);
/* A message: its handler runs as a task of its own until it waits or ends. pattern: empty, or the subscription that
 * matched. */
bool process_message(process *p, uint32_t server, str channel, str payload, str pattern, int64_t now_ms, outputs *out,
                     err *e);
/* The task's wait ends with nil, "interrupted" (a request's with nil and error.kind "interrupted"). It becomes ready
 * and runs. */
bool process_interrupt(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e);

/* A task that is TASK_POINT is preempted: it is TASK_READY from now on, and others may go first. */
bool process_preempt(process *p, uint32_t task, int64_t now_ms, outputs *out, err *e);
/* Do its threads stop at preemption points in the next inputs? By default they do not; they can where the scenario's
 * faults have preempt. */
void process_set_points(process *p, bool on);

/* The request will not be used again: frees its memory. Otherwise a process grows with the number of its requests. */
void process_forget(process *p, uint32_t request);

/* Locks that drivers registered with me:observe(name, driver), in order of registration. */
typedef struct {
    str lock;              /* with its servers, if not all (lock_name.c) ... */
    size_t name_bytes;     /* ... and the length of its name alone, as drivers know it; of a live process only */
    spec_kind spec;        /* the driver's `spec` field */
    uint64_t print;        /* of its view and all that the view refers to; 0 unless the process is watched */
    uint32_t server;       /* whose keyspace its view reads by default */
    str granted;  /* the driver's field `granted`: the answer of a granted acquire, in words; of a live process only */
} observed;
size_t process_observed(process *p, const observed **out);
/* Runs view(redis, lock) of the i-th observed lock. `read` answers read-only commands. Arrays in *out live in `a`. */
typedef reply view_read(void *context, uint32_t server, const str *argv, size_t argc, arena *a);
bool process_view(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                  err *e);
/* The same view for a lock of any name, observed or not: by the driver of the first observed one. The process must be
 * live. */
bool process_view_named(process *p, str lock, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                        err *e);
/* The scenario's own always(view, redis): *ok and, where broken, *why (in `a`). redis is that of the server by
 * default. */
typedef struct {
    const lock_view *view;
    uint32_t server;
    view_read *read;
    void *context;
} always_asked;
bool process_always(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e);

/* The whole state as canonical bytes (see process_freeze.c), instants relative to now_ms. Equal bytes => equal futures.
 * false: something in it has no canonical form; `e` says what and where. */
bool process_freeze(process *p, int64_t now_ms, buf *out, err *e);
/* Which spellings of instants its canonical bytes fold from now on (PLAIN without this call). Where seconds do, equal
 * bytes go on alike at instants that are full seconds apart. */
void process_fold(process *p, instant_spelling instants);
/* Freezing is valid only while the client passes instants on, adds to them, subtracts and compares them, and while a
 * view gives the same result for the same keyspace, as it does if it refers to nothing that the client changes. From
 * now on a live process that has not run yet checks the former, and fails where the latter is broken. Costs time. */
void process_watch(process *p);
/* The next inputs repeat what a watched process was seen to do in the same states: they are not checked, until
 * process_watch. */
void process_trust(process *p);
/* Other uses that a watched process made of an instant. Empty: nothing. Borrowed from `a`. */
str process_time_use(const process *p, arena *a);
/* The numbers of requests that the state still refers to (process_freeze writes their ranks), in a canonical order; 0:
 * none. */
void process_each_request(process *p, void (*fn)(void *context, uint32_t request), void *context);

/* The contents of a live process, by the names in its code (describe.c); added to `out`. */
void process_describe(process *p, int64_t now_ms, facts *out);
/* Where a live process's task stands: its call stack, innermost first, at most `max` entries. Returns how many. */
size_t process_places(process *p, uint32_t task, position *out, size_t max);

#endif
