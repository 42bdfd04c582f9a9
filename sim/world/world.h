/* world.h - servers, processes, network, clock and faults together: what can happen next, and making it happen. Virtual
 * time starts at WORLD_EPOCH_MS. A world depends on nothing else: two worlds of one scenario that take equal steps are
 * equal. */
#ifndef LOCKSIM_WORLD_WORLD_H
#define LOCKSIM_WORLD_WORLD_H

#include "client/process.h"
#include "script/coverage.h"
#include "world/meetings.h"
#include "world/story.h"

#define WORLD_EPOCH_MS INT64_C(1700000000000)

/* The budget of bytes of large words (over WORLD_LARGE_WORD) in the requests and answers of one run: a run that moves
 * megabytes at every step ends with an error at the request, not after minutes. */
#define WORLD_LARGE_BYTES_MAX (UINT64_C(2) << 30)
enum { WORLD_LARGE_WORD = 4096 };

typedef enum {
    STEP_RUN,              /* a task goes on: ready, its sleep or wait is over, or its open-ended work ends */
    STEP_CHOOSE,           /* me:choose, me:random: takes choice `amount` */
    STEP_ROUND_TRIP,       /* a request is executed and answered; nothing of its process can come between */
    STEP_EXECUTE,          /* a request is executed at its server */
    STEP_ANSWER,           /* its answer reaches the process */
    STEP_GIVE_UP,          /* the process stops waiting for an answer: time-out */
    STEP_MESSAGE,          /* the next message of a connection is delivered */
    STEP_TIME,             /* `amount` ms pass */
    STEP_RESUME,           /* a paused process goes on; with a task, a stalled thread */
    STEP_FAULT,
    STEP_EXPIRE,           /* a server removes the expired `key` by itself; it chooses when */
} step_kind;

/* One possible step. Plain data, valid until the next step is taken; `key` is borrowed from the world. */
typedef struct {
    step_kind kind;
    fault_kind fault;
    uint32_t process, task;            /* NOBODY: none */
    uint32_t request;                  /* number of the request in the run, 0: none */
    uint32_t copy;                     /* 0: the request itself; 1, 2, ...: a duplicate of it */
    uint32_t server;
    int64_t amount;
    str key;                           /* evict, STEP_EXPIRE */
    bool holds_time;                   /* time does not move while such a step is enabled */
    bool coin;                         /* STEP_CHOOSE: a fair coin falls so (me:random) */
    bool more;                         /* of world_find: the named item needs further steps */
} step;

/* One request that a server executed, for a replay elsewhere. Borrowed during the call. */
typedef struct {
    uint32_t server, process;
    int64_t at_ms;
    const str *argv;
    size_t argc;
    const script_file *script;         /* of an EVALSHA, else NULL */
    const reply *answer;
    str op;                            /* the driver's name for it */
} world_executed;

/* A server's keyspace, or its scripts, changed without a request: a fault wiped, evicted, flushed or failed over. */
typedef struct {
    uint32_t server;
    str fault;             /* its name */
    str key;               /* of evict */
    uint64_t kept;         /* of failover: how many of the calls of on_executed and on_server_fault for this server
                            * the promoted replica had received */
} world_suffered;

typedef struct {
    redis_limits limits;
    const char *schedule;  /* adds its faults to the budgets and says when clients start (below); may be NULL */
    /* Without a schedule: clients whose start the scenario does not pin start at any moment (a step that does not hold
     * time), not at 0. With one, such a client starts where the schedule says: its first step is "B.start". (A later
     * "B.start" begins the next life of a restarted client.) A client that has another first step, or that a fault
     * strikes before, starts at 0. A client that is not named starts at any moment if some client of the schedule does,
     * else at 0. */
    bool open_starts;
    bool record;                       /* write the story */
    int64_t every_ms;                  /* every millisecond is a stop until that many have passed; 0: only instants
                                        * that can make a difference */
    bool folded;  /* the search detects repeated states: the world itself looks for no loops and cycles */
    bool followed;                     /* follow.h will be used; always possible where `folded` is set */
    uint64_t stops_without;            /* for tests of the tests: rules of follow.h (stop_rule) that are switched off */
    struct mirror *mirror;             /* each server has a second keyspace (mirror.h); or NULL */
    coverage *cover;                   /* counts what scripts reach, over any number of worlds; or NULL */
    meetings *meetings;                /* records what meets where; or NULL */
    struct orders *orders;             /* tests whether the byte order of ids matters (orders.h); or NULL */
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
/* Makes it happen. The step comes from world_enabled of this very state, or from world_find. false: an uncaught error
 * in the client's code (ERR_DRIVER) or in a view. */
bool world_take(world *w, const step *s, err *e);
/* The step as schedule text, names and operations included: "A.acquire", "B:2<answer", "!pause A", "+100". No two
 * enabled steps have the same name: where they would, the later one gets "#2". */
void world_name_step(world *w, const step *s, buf *out);
/* The step's action, without its actor: the operation of the request that is executed, answered or given up,
 * or with which a task goes on; "time", "<msg", "!crash", "!resume". One word, without ; and #. */
void world_step_op(world *w, const step *s, buf *out);
/* Finds the enabled step that `token` (with `argument` for faults: "!pause" "A") names. Time may be any length: a
 * schedule may let time pass although a step is enabled. "B=6" is what takes a declared range in B (work_ms,
 * latency_ms), at its sixth millisecond. Where time must pass before, it takes several steps, and out->more says to
 * look for it again after this one. false: the name is unknown, or the step is not enabled, or the millisecond is out
 * of range or over; `e` says which and lists what is enabled. */
bool world_find(world *w, str token, str argument, step *out, err *e);

/* Instants with which the time could be compared: now, deadlines, timers, numbers near to now that servers and clients
 * hold. Unordered, with repeats; borrowed until the next call. */
size_t world_instants(world *w, const int64_t **at_ms);
int64_t world_left_ms(const world *w); /* until the run ends */

bool world_over(const world *w);       /* at rest: EVENT_REST was written, nothing is left to judge */
/* Only faults are enabled: the run is over, as EVENT_STUCK or EVENT_REST say; neither where end_ms cuts it. false: an
 * uncaught error in a view. */
bool world_settle(world *w, err *e);
const model *world_model(const world *w);
const story *world_story(const world *w);
/* A search judged the run by itself: reports it to the model. */
void world_report(world *w, property p, str text, str why);
/* Every task that waits: for a lock, as its driver announced; or (lock "") a program that is blocked without a
 * timer. */
void world_each_waiting(world *w, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context);
size_t world_steps(const world *w);    /* taken so far */
/* The sights of must_see so far: a bit for each of world_sight: "grant", "contention", "wait", "expiry", "wake-up",
 * ... and each fault's name. */
uint64_t world_seen(const world *w);
const char *world_sight(size_t i);     /* NULL after the last */
bool world_sight_seen(uint64_t seen, const char *name);
/* Did this happen to the client: what it waits for (scenario_client.after) came; it sent a request; it looked at its
 * clock? Known of the first 9 clients; all others count as if. */
typedef enum { CLIENT_STARTED, CLIENT_SENT, CLIENT_READ_CLOCK, CLIENT_SIGHTS } client_sight;
bool world_client_seen(uint64_t seen, client_sight what, uint32_t process);
/* Could anybody tell? Of server_clock_jump: a deadline was at a server whose clock jumped, or a request asks for the
 * time; of script_flush: a script was unknown, or a function is called. True of any other fault. */
bool world_noticed(uint64_t seen, fault_kind fault);
size_t world_requests(const world *w); /* executed so far */
bool world_sent(const world *w);       /* a live client has sent a request, executed or not (a pop may wait) */
/* a client has asked for a lock: by me:wants, or by a request that is an acquire */
bool world_wanted(const world *w);
/* The answer of a granted acquire, by the drivers of live clients (their field `granted`); empty: no driver says. In
 * `a`. */
str world_expected_answer(world *w, arena *a);
size_t world_locks(const world *w);    /* registered by drivers (me:observe) so far */

/* Splits schedule text into its tokens; a fault and its target are one item. `e` is located within the text (line,
 * column). */
typedef struct { str token, argument; int line, col; } schedule_item;
bool schedule_parse(arena *a, str text, str path, schedule_item **items, size_t *count, err *e);

#endif
