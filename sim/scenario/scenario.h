/* scenario.h - a scenario file as plain data: the contents of its Lua table, checked. The program itself runs in
 * process.h. A scenario file is Lua that returns a table (DESIGN.md); unknown fields, faults and properties are located
 * errors. */
#ifndef LOCKSIM_SCENARIO_SCENARIO_H
#define LOCKSIM_SCENARIO_SCENARIO_H

#include "base/arena.h"
#include "base/err.h"
#include "model/model.h"
#include "redis/redis.h"
#include "scenario/patch.h"
#include "scenario/workload.h"

/* How Lua finds files. Passed down from the command line: nothing below cli/ opens a file. `name` is relative:
 * "redisson/lock.lua". false: it is not found, and `e` says where was looked; or it is unreadable, too large, a
 * directory. */
typedef struct {
    void *context;
    bool (*read)(void *context, str name, arena *a, str *path, str *text, err *e);
} loader;

typedef enum {
    FAULT_CRASH, FAULT_RESTART, FAULT_PAUSE, FAULT_LOSE_MESSAGE, FAULT_LOSE_REQUEST, FAULT_LOSE_REPLY,
    FAULT_LATE_REQUEST, FAULT_DUPLICATE, FAULT_LAG, FAULT_FAILOVER, FAULT_WIPE, FAULT_EVICT, FAULT_CLOCK_JUMP,
    FAULT_SERVER_CLOCK_JUMP, FAULT_SCRIPT_FLUSH, FAULT_INTERRUPT, FAULT_PREEMPT, FAULT_STALL, FAULT_OOM,
    FAULT_MOVE_SLOT, FAULT_KINDS,
} fault_kind;
const char *finding_name(script_finding kind);     /* "cross_slot": a cause of LK050 */
const char *fault_name(fault_kind k);              /* "lose_reply" */
/* "a lost answer": in the titles of cases; NULL: not in the matrix of `faults = "all"` */
const char *fault_title(fault_kind k);
bool fault_parse(str name, fault_kind *k);
const char *fault_code(fault_kind k);              /* "cr", in the heads of tables */
const char *fault_explain(fault_kind k);           /* one line for `locksim list faults` */

/* The maximum number of last writes that a failover can lose. */
enum { FAILOVER_WRITES_MAX = 8 };

enum { REPLICAS_MAX = 8 };

/* faults = { pause = 1, clock_jump = { 1, ms = 250 }, lag = { 1, ms = 500 }, failover = { 1, writes = 2 }, crash = { 1,
 * of = "A" } } */
typedef struct {
    uint32_t budget;
    int64_t amount;        /* ms of a clock jump or a lag, writes missed by a failover (up to), 0: default */
    str of;                /* only this client ("A"), or for evict only this key; empty: any */
    str op;                /* only a request with this operation, or a client that has one under way; empty: any */
} fault_budget;
enum { FAULT_BUDGET_MAX = 1000 };
/* strikes a request, or a client that may have one in progress: can be aimed by `op` */
bool fault_has_sender(fault_kind k);
/* is something that the server itself does, or has done to it: a real server cannot be told to from outside */
bool fault_by_server(fault_kind k);

/* Budgets as the command line and saved counterexamples give them: "crash=1,pause=2", where "crash" alone is crash=1,
 * or "none". Faults that are not named get 0. false: `e` holds a usage error. */
bool fault_budgets_parse(str text, uint32_t budgets[FAULT_KINDS], err *e);

/* Special values of a length in ms. */
enum { START_OPEN = -1, START_UNSAID = -2 };

typedef struct {
    str name;              /* letters, digits, _ ; begins with a letter */
    str id;                /* the prefix of its ids: its name, unless ids.h changes it */
    uint32_t threads;      /* >= 1 */
    int64_t skew_ms;       /* its clock minus the server's */
    int64_t drift;         /* it gains one millisecond per `drift` ms, or loses one if negative; 0: neither */
    bool operator_;        /* a person with a console: its force_release takes a lock away by consent */
    bool pinned;           /* the scenario gives start_ms or after. Otherwise its start is open, wherever all starts
                            * are searched */
    int64_t start_ms;      /* after the beginning of the run, or after what `after` names */
    str after;             /* "A.acquire": it starts when a request of client `after_client` with the operation
                            * `after_op` is executed; else empty */
    size_t after_client;
    str after_op;
} scenario_client;

/* exhibit = { bug = "#2278", library = "Redisson", versions = "3.11.1 to 3.31.0", what = "..." }: a known bug that the
 * scenario shows. The file's `twin` is the same world without the bug. */
typedef struct {
    str bug;               /* empty: the scenario is no exhibit */
    str library, versions, what;
    str twin;              /* the same world without the bug: a scenario's name, from within the folder of this one;
                            * empty: none */
} scenario_exhibit;

/* One of the tables of a case (cases.h): the file's own, `twin`, or one of `cases`. */
typedef struct {
    str field, name;       /* "" ""; "twin" ""; "cases" "crash.*" */
} case_layer;

typedef enum { EXPLORE_SCHEDULE, EXPLORE_RANDOM, EXPLORE_EXHAUSTIVE } explore_kind;
typedef enum { STRATEGY_UNIFORM, STRATEGY_PCT } strategy_kind;
typedef enum { EXPECT_UNSAID, EXPECT_HOLDS, EXPECT_VIOLATED } expectation;

typedef struct {
    str path;              /* its name: FILE, or FILE:CASE */
    str file;              /* as given */
    str text;              /* the file's bytes */
    const case_layer *layers;                      /* a field's value comes from the last layer that has it */
    size_t layer_count;
    str title;
    scenario_exhibit exhibit;
    scenario_client *clients;
    size_t client_count;
    size_t *ids;  /* clients in the byte order of their ids (ids.h); NULL: the order of their names */
    dialect dialect;                               /* the dialect of its servers; default redis 7.0 */
    unsigned waived;                               /* `waive`: causes of LK050 that do not count, a bit each */
    unsigned notify;                               /* notify_keyspace_events: which events of keys the servers publish;
                                                    * default none */
    cluster_kind cluster;                          /* `cluster`: are the servers parts of clusters? */
    uint32_t servers, replicas;                    /* default 1, 0 */
    int64_t latency_lo_ms, latency_hi_ms;          /* of each request and message; default 0 */
    int64_t timeout_ms;                            /* of a request whose driver names none; default 3000 */
    int64_t work_lo_ms, work_hi_ms;                /* `work_ms`: me:work() without a length takes this; lo < 0: any
                                                    * time */
    fault_budget faults[FAULT_KINDS];
    bool own_faults;       /* its own text names them: not the matrix of "all", nor the command line */
    explore_kind explore;                          /* default EXPLORE_EXHAUSTIVE */
    str schedule;                                  /* EXPLORE_SCHEDULE */
    uint64_t runs;                                 /* EXPLORE_RANDOM; default 1000 */
    strategy_kind strategy;
    uint32_t depth;                                /* PCT's number of change points + 1; default 3 */
    expectation expect[PROPERTY_COUNT];
    const struct signature *signatures[PROPERTY_COUNT];        /* how it must break where that is expected
                                                                * (signature.h); NULL: in any way */
    str why[PROPERTY_COUNT];                       /* the file's reason for an expectation; empty: none */
    model_config model;                            /* what is judged, from `expect` and the defaults */
    str *must_see;
    size_t must_see_count;
    str *must_meet;                                /* "release at subscribe": an operation, and where another client
                                                    * stands (meetings.h) */
    size_t must_meet_count;
    bool answers_told;     /* drivers' answers to the program are announced, too (scripts/locksim/answers.lua) */
    bool has_always;
    int64_t end_ms;                                /* run bound; INT64_MAX if unset */
    int64_t start_ms;                              /* of clients without one of their own; START_OPEN */
    uint64_t max_steps;                            /* `limits = { steps = N }`: of a random run; default 10000 */
    uint64_t max_states, max_memory;               /* `limits = { states = N, memory = "512M" }`: of an exhaustive
                                                    * search; 0: none */
    const patch *patches;                          /* changes of the files that it loads, by name */
    size_t patch_count;
    workload *workloads;                           /* what `locksim simulate` runs, one after the other */
    size_t workload_count;
    /* Its files, read and compiled once for all of its processes (source.h). Not shared between threads. */
    struct source_cache *sources;
    struct source *main;
} scenario;

bool scenario_waives(const scenario *sc, script_finding kind);

/* A scenario to be loaded: its file, and one of the file's cases. */
typedef struct {
    str file;              /* what diagnostics show */
    str text;              /* its bytes */
    str case_;             /* empty: the file has none */
} scenario_source;
/* Allows a fault that the scenario's `faults` do not name, as a schedule does, for its processes. Only for processes
 * that are made afterwards. */
void scenario_allow(const scenario *sc, fault_kind k);
/* Replaces the scenario's budgets. A fault that the scenario names keeps its amount and target; in `must_see`, names of
 * faults are replaced by the faults that have a budget now. */
/* How far the clocks of servers may go back, in all. */
int64_t scenario_servers_back_ms(const scenario *sc);
void scenario_set_faults(arena *a, scenario *sc, const uint32_t budgets[FAULT_KINDS]);

#endif
