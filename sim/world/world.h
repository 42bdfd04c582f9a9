/* world.h - servers, processes, network, clock and faults together: what can happen next, and making it happen.
 * Virtual time starts at WORLD_EPOCH_MS. A world is a value of its own: two worlds of one scenario that take equal
 * steps are equal. */
#ifndef LOCKSIM_WORLD_WORLD_H
#define LOCKSIM_WORLD_WORLD_H

#include "client/process.h"
#include "scenario/equals.h"
#include "script/coverage.h"
#include "world/meetings.h"
#include "world/story.h"
#include "world/lockstep.h"

#define WORLD_EPOCH_MS INT64_C(1700000000000)

/* How many bytes of large words (over WORLD_LARGE_WORD) the requests of one run may send and be answered: a run that
 * moves megabytes at every step ends with an error at the request, not after minutes. */
#define WORLD_LARGE_BYTES_MAX (UINT64_C(2) << 30)
enum { WORLD_LARGE_WORD = 4096 };

typedef enum {
    STEP_RUN,              /* a task goes on: ready, its sleep or wait is over, or its open-ended work ends */
    STEP_CHOOSE,           /* me:choose, me:random: takes choice `amount` */
    STEP_ROUND_TRIP,       /* a request is executed and answered, nothing of its process being able to come between */
    STEP_EXECUTE,          /* a request is executed at its server */
    STEP_ANSWER,           /* its answer reaches the process */
    STEP_GIVE_UP,          /* the process stops waiting for an answer: time-out */
    STEP_MESSAGE,          /* the next message of a connection is delivered */
    STEP_TIME,             /* `amount` ms pass */
    STEP_RESUME,           /* a paused process goes on; with a task, a stalled one */
    STEP_FAULT,
    STEP_EXPIRE,           /* a server removes what has expired under `key`, by itself: when, is its own choice */
} step_kind;

/* One thing that can happen. Plain data, valid until the next step is taken; `key` is borrowed from the world. */
typedef struct {
    step_kind kind;
    fault_kind fault;
    uint32_t process, task;            /* NOBODY where it has none */
    uint32_t request;                  /* number of the request in the run, 0: none */
    uint32_t copy;                     /* 0: the request itself; 1, 2, ...: a duplicate of it */
    uint32_t server;
    int64_t amount;
    str key;                           /* evict, STEP_EXPIRE */
    bool holds_time;                   /* time does not move while such a step is enabled */
    bool coin;                         /* STEP_CHOOSE: a fair coin falls so (me:random) */
    bool more;                         /* of world_find: what was named needs further steps */
} step;

/* One request that a server executed, for anyone who replays it elsewhere. Borrowed during the call. */
typedef struct {
    uint32_t server, process;
    int64_t at_ms;
    const str *argv;
    size_t argc;
    const script_file *script;         /* of an EVALSHA, else NULL */
    const reply *answer;
    str op;                            /* the driver's word for it */
} world_executed;

/* The keyspace of a server, or its scripts, changed by no request: a fault wiped, evicted, flushed or failed over. */
typedef struct {
    uint32_t server;
    str fault;             /* its name */
    str key;               /* of evict */
    uint64_t kept;         /* of failover: of all that on_executed and on_server_fault told of this server, the promoted
                            * replica had so many */
} world_suffered;

typedef struct {
    redis_limits limits;
    const char *schedule;              /* its faults are added to the budgets, and it says when clients start (below);
                                        * may be NULL */
    /* Without a schedule: clients whose start no scenario pins start at any moment (a step that holds no time), not at
     * 0. With one, such a client starts where the schedule says so: "B.start" is its first step. (A later one begins
     * the next life of a client that restarted.) A client that has another first step, or that a fault strikes before,
     * starts at 0. A client that is not named starts at any moment if the schedule starts another so, else at 0. */
    bool open_starts;
    bool record;                       /* write the story */
    int64_t every_ms;                  /* every millisecond is a stop until so many have passed; 0: only those at which
                                        * something can differ */
    bool folded;                       /* the search sees states come back: the world itself looks for no loops
                                        * and cycles */
    bool followed;                     /* somebody will ask it as follow.h does: folded ones may be asked anyway */
    unsigned stops_without;            /* for tests of the tests: rules of follow.h (stop_rule) that are left out */
    lockstep *lockstep;                      /* two versions of the scripts are run side by side; NULL: one */
    coverage *cover;                   /* counts what scripts reach, over any number of worlds; NULL: nothing does */
    struct trials *trials;             /* takes down what scripts are asked, where steps are learned (trials.h); NULL:
                                        * nothing does */
    struct process_tables *tables;     /* of the scenario's clients (memo/learned.h), where steps are learned; NULL:
                                        * made, and gone with it */
    meetings *meetings;                /* takes down what meets where; NULL: nobody asks */
    const equals *equals;              /* of parts: what is learned of one of these clients is learned of all; NULL: of
                                        * nobody else */
    struct orders *orders;             /* asks whether the order of ids' bytes matters (orders.h); NULL: nobody wants to
                                        * know */
    struct judgements *judgements;     /* of the scenario's monitors (judgements.h), likewise */
    void *context;                     /* of the callbacks, which may be NULL */
    void (*on_executed)(void *context, const world_executed *x);
    void (*on_server_fault)(void *context, const world_suffered *x);
    /* A process crashed: its connections are closed and its subscriptions gone. */
    void (*on_crash)(void *context, uint32_t process);
} world_options;

typedef struct world world;

/* Builds servers and processes and runs the first local code of single-threaded clients. The scenario and loader must
 * outlive the world. NULL and `e` if a process does not load, or its first code fails. */
world *world_new(const scenario *sc, const loader *l, const world_options *o, err *e);
void world_free(world *w);

int64_t world_now_ms(const world *w);
/* Everything that can happen next, in a fixed order: steps of processes, then STEP_TIME if no enabled step holds time
 * and an instant lies ahead, then faults that budgets allow. Borrowed until the next step. */
size_t world_enabled(world *w, const step **out);
/* Makes it happen. The step comes from world_enabled of this very state, or from world_find. false: uncaught error in
 * the client's code (ERR_DRIVER) or in a view. */
bool world_take(world *w, const step *s, err *e);
/* The step as schedule text, names and operations included: "A.acquire", "B:2<answer", "!pause A", "+100". No two
 * enabled steps have the same name: where they would, the later one gets "#2". */
void world_name_step(world *w, const step *s, buf *out);
/* What is done there, whoever does it and in whichever world: the operation of the request that is executed, answered
 * or given up, or with which a task goes on; "time", "<msg", "!crash", "!resume". One word, without ; and #. */
void world_step_op(world *w, const step *s, buf *out);
/* Finds the enabled step that `token` (with `argument` for faults: "!pause" "A") names. Time may be any length: a
 * schedule may let time pass although a step is enabled. "B=6" is what of B goes on in a declared range (work_ms,
 * latency_ms), at its sixth millisecond: it takes several steps where time must pass before, and out->more says to find
 * it again after this one. false: nobody has this name, or the step is not enabled, or the millisecond is out of range
 * or over; `e` says which and what is. */
bool world_find(world *w, str token, str argument, step *out, err *e);

/* Instants that somebody could compare the time with: now, deadlines, timers, numbers near to now that servers and
 * clients hold. In no order, some twice; borrowed until the next call. */
size_t world_instants(world *w, const int64_t **at_ms);
int64_t world_left_ms(const world *w); /* until the run ends */

bool world_over(const world *w);       /* at rest: EVENT_REST was written, nothing is left to judge */
/* Nothing but faults is enabled: the run is over, as EVENT_STUCK or EVENT_REST say; neither where its end_ms cuts it.
 * false: uncaught error in a view. */
bool world_settle(world *w, err *e);
const model *world_model(const world *w);
const story *world_story(const world *w);
/* A search judged the run by itself: the model has it from now on. */
void world_report(world *w, property p, str text, str why);
/* Whoever waits: for a lock, as its driver announced; or (lock "") a program that stands at something without a
 * timer. */
void world_each_waiting(world *w, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context);
size_t world_steps(const world *w);    /* taken so far */
/* What was seen, for must_see: a bit for each of world_sights, "contention", "wait", "expiry", "wake-up", "re-entry",
 * ... and each fault's name. */
uint64_t world_seen(const world *w);
size_t world_sights(const char *const **names);
bool world_sight_seen(uint64_t seen, const char *name);
size_t world_requests(const world *w); /* executed so far */
bool world_sent(const world *w);       /* some client that lives has sent a request, executed or not (a pop may wait) */
/* somebody has asked for a lock: by me:wants, or by a request that is an acquire */
bool world_wanted(const world *w);
/* What the drivers of live clients say that an acquire answers when it is granted (their field `granted`); empty: none
 * says so. In `a`. */
str world_expected_answer(world *w, arena *a);
size_t world_locks(const world *w);    /* registered by drivers (me:observe) so far */

/* Splits schedule text into its tokens; a fault and its target are one item. `e` is located within the text (line,
 * column). */
typedef struct { str token, argument; int line, col; } schedule_item;
bool schedule_parse(arena *a, str text, str path, schedule_item **items, size_t *count, err *e);

#endif
