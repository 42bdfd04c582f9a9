/* parts.h - a world taken apart, so that a search can put states together from small numbers (DESIGN.md, "The heart").
 *
 * A state of the world is: a node for each process (the process itself, what it has under way, its messages and
 * subscriptions), the servers together, the monitors, the budgets and a few flags. Each part is interned: equal
 * canonical bytes, equal number. What one step does is learned once by taking that step in a real world that holds the
 * parts it can touch, and is remembered as an effect: which parts take the place of which, what the monitors are told,
 * which messages go to other nodes.
 *
 *     a state of the world                                                     its parts' numbers
 *       node of A    the process, its requests under way, messages, channels       17
 *       node of B                                                                   3
 *       servers      all keyspaces, replicas and waiting pops together              5
 *       monitors     what the properties remember                                   9
 *       bounds       budgets left, locks known so far                               2
 *
 *     a step, learned once                    an effect
 *       node 17, servers 5, part_env    ->    node 18, servers 6, events 4 (to the monitors), mail 1 (to other nodes)
 *
 *     judged by themselves, learned once, too
 *       monitors 9, events 4            ->    monitors 11, the properties that break
 *
 * What a step may touch:
 *   a step of a node that asks no server   its own node
 *   a request that is executed             its own node, all servers; messages go to the nodes that are subscribed
 *   a fault of a server                    the servers
 *   time                                   everything, each part by itself
 * The search without tables (--no-memo) takes every step in a whole world and must come to the same parts.
 *
 * All parts are kept as of one instant, WORLD_EPOCH_MS: only distances from now count. Where that turns out to be wrong
 * (parts_absolute), the search begins again without tables, and each state has its instant. */
#ifndef LOCKSIM_MEMO_PARTS_H
#define LOCKSIM_MEMO_PARTS_H

#include "base/facts.h"
#include "base/intern.h"
#include "scenario/equals.h"
#include "world/world.h"

#define PART_NONE INTERN_NONE

typedef struct parts parts;

/* A step by names that do not depend on how often something happened before: tasks and requests by their places among
 * those of their node, so that the step can be found again in any world in that state. */
typedef struct {
    step_kind kind;
    fault_kind fault;
    uint32_t process;      /* NOBODY: time, servers */
    uint32_t task;         /* place; NOBODY: none */
    uint32_t request;      /* place + 1; 0: none */
    uint32_t copy, server;
    int64_t amount;
    bool coin;             /* as in step */
    str key;               /* evict */
    str op;                /* world_step_op */
} part_step;

typedef struct {
    uint32_t step;         /* parts_step */
    uint32_t node;         /* instead of the process's; PART_NONE for a fault of a server */
    uint32_t servers;
    uint32_t events;       /* what the monitors are told */
    uint32_t mail;         /* parts_mail; PART_NONE: none */
    uint32_t locks;        /* known so far, parts_locks */
    uint64_t seen;         /* world_seen */
    uint8_t kind;          /* step_kind */
    uint8_t spends;        /* fault_kind; FAULT_KINDS: none */
    bool holds;            /* time, unless it spins */
    bool zero;             /* ends a sleep or wait of 0 ms */
    bool asks;             /* executes a request */
    bool failed;           /* uncaught error: parts_error */
    uint8_t op;            /* meetings_op of a request that is executed; else MEETINGS_NONE */
} effect;

typedef struct {
    effect *items;
    size_t count;
    bool holds;            /* some step does, spinning ones left out: see search */
} effects;

/* What a step can depend on besides its node and the servers. */
typedef struct {
    uint32_t faults;       /* bits: budget left */
    uint32_t locks;        /* parts_locks: those that drivers registered so far */
    bool deadline_now, at_end, ended;              /* some key's deadline is now; end_ms is reached; every program has
                                                    * ended */
} part_env;

/* What a search must know of a node without looking inside. Lengths are ms from now; INT64_MAX: none. */
typedef struct {
    uint32_t tasks;        /* who of it can move: all that monitors are told of it after a step */
    uint32_t channels;     /* its subscriptions */
    size_t subscriptions;
    bool closed;           /* nothing that others do makes it able to do more: no pop of it waits at a server, and a
                            * connection that is subscribed holds messages already */
    bool parked;           /* some task of it waits for what does not exist yet (WAKE_NEVER) */
    bool alive, paused, ended;         /* ended: no program of it is left, or it is dead */
    bool point;            /* a task of it stands where it may be preempted: nothing else happens first */
    /* its programs that wait for something else than time */
    const struct standing { str who; uint32_t place; } *standing;
    size_t standing_count;
    int64_t next_ms[2];    /* its next instant; [1]: where time has stopped at a number (world.h) */
    const int64_t *numbers;            /* that it holds, as lengths, sorted: instants that may be known */
    size_t number_count;
    uint64_t places;       /* meetings_places; 0 where nobody asks */
} node_facts;

typedef struct {
    bool deadline_now;
    int64_t next_ms[2];
    const int64_t *numbers;
    size_t number_count;
} servers_facts;

/* The parts of one world at one moment. */
typedef struct {
    uint32_t *nodes;       /* one a client */
    uint32_t servers, locks, model;
    uint32_t blank;        /* monitors that remember nothing */
    uint32_t bounds;       /* of a live world only: what belongs to no part, by number */
    uint32_t broken;       /* properties (bits) that the first step broke */
    uint64_t seen;         /* world_seen of the first step */
    bool number_now;
} part_state;

/* `o`: world_options.equals, which takes no kept tables. `live`: nothing is learned, worlds are only taken apart (for
 * --no-memo). `absolute`, live ones only: bounds tell the instant. NULL and `e` as world_new. */
parts *parts_new(const scenario *sc, const loader *l, const world_options *o, bool live, bool absolute, err *e);
void parts_free(parts *p);
/* The state in which a world begins; its nodes lie in the parts. */
const part_state *parts_begin(const parts *p);

/* ---- equal clients (part_permute.c) ---- */

/* Which clients are equal; NULL: nobody is, or nobody asked. */
const equals *parts_equals(const parts *p);
/* Something that was met tells them apart: a state and its permutations must not be taken for one. */
bool parts_apart(const parts *p, str *why);
/* Permutations by number, 0 is none. */
uint32_t parts_permutation(parts *p, const permutation *x);
const permutation *parts_permutation_of(const parts *p, uint32_t x);
/* The part with all ids exchanged; a node then is one of client x->to[process]. PART_NONE: parts_apart. */
uint32_t parts_permute_node(parts *p, uint32_t process, uint32_t node, uint32_t x);
uint32_t parts_permute_servers(parts *p, uint32_t servers, uint32_t x);
uint32_t parts_permute_model(parts *p, uint32_t model, uint32_t x);

uint32_t parts_known_permutation(const parts *p, const permutation *x);        /* PART_NONE: it has no number yet */
/* The same where it is known already; PART_NONE: it is not, or there is none. */
uint32_t parts_permuted_node(const parts *p, uint32_t node, uint32_t x);
uint32_t parts_permuted_servers(const parts *p, uint32_t servers, uint32_t x);
uint32_t parts_permuted_model(const parts *p, uint32_t model, uint32_t x);

const node_facts *parts_node(parts *p, uint32_t node);
const servers_facts *parts_servers(parts *p, uint32_t servers);
uint32_t parts_env(parts *p, const part_env *env);
/* Of as many numbers as there are clients: node_facts.tasks, node_facts.channels. */
uint32_t parts_tasks(parts *p, const uint32_t *of_nodes);
uint32_t parts_channels(parts *p, const uint32_t *of_nodes);

/* What can happen to `process` next, time left out, and to the servers. Borrowed until the next call: the caller
 * copies. */
const effects *parts_of_process(parts *p, uint32_t process, uint32_t node, uint32_t env, uint32_t servers,
                                uint32_t channels);
const effects *parts_of_servers(parts *p, uint32_t env, uint32_t servers, uint32_t channels);
/* The i-th letter of an effect's mail: whose, and the message; false: there is none. */
bool parts_letter(const parts *p, uint32_t mail, size_t i, uint32_t *process, uint32_t *message);
uint32_t parts_deliver(parts *p, uint32_t process, uint32_t node, uint32_t message);
/* `ms` pass. spinning: place of a task whose request is on its way again and again (see search), or NOBODY. */
uint32_t parts_age_node(parts *p, uint32_t process, uint32_t node, int64_t ms, uint32_t spinning);
/* node_facts.next_ms of a node whose task spins: the request of it that is on its way left out. */
int64_t parts_ahead(parts *p, uint32_t process, uint32_t node, uint32_t spinning, bool number_now);
uint32_t parts_age_servers(parts *p, uint32_t servers, int64_t ms, uint32_t env);
/* The first length, less than upto_ms, after which a step of this process that does not hold time (its start, the end
 * of its work, its resume, a late request) would come out differently; INT64_MAX: there is none. See follow.h. */
typedef struct {
    uint32_t process, env, servers, channels;
    const uint32_t *nodes;             /* of all processes: others go on meanwhile, too */
} part_place;
int64_t parts_stop(parts *p, const part_place *of, int64_t upto_ms);
/* The same of a live world: `again` makes a new one in the same state each time (NULL: it cannot). */
typedef struct { void *context; world *(*again)(void *context); void (*done)(void *context, world *w); } part_again;
int64_t parts_stop_live(parts *p, const part_again *g, uint32_t process, int64_t upto_ms);
/* What monitors are told when servers age. */
uint32_t parts_expiry(parts *p, uint32_t before, uint32_t after, int64_t ms, uint32_t env, uint64_t *seen);

/* The monitors hear `events`, then who can move; then `ms` pass for them. *broken: the properties they found broken. */
uint32_t parts_judge(parts *p, uint32_t model, uint32_t events, uint32_t tasks, int64_t ms, uint32_t *broken);
/* Nothing but faults can happen here: which properties does that break? `rest`: every program has ended. */
uint32_t parts_settle(parts *p, uint32_t model, uint32_t servers, uint32_t locks, uint32_t tasks, bool rest,
                      size_t subscriptions);
/* Who waits for a lock in this state of the monitors, and who has gone on with these events: bits, for waiters in the
 * order of first meeting (at most 64). *hand_off: somebody was granted a lock. */
uint64_t parts_waiters(parts *p, uint32_t model);
/* In no state of any part that was met does anybody wait, and nothing could be left behind: no lock, no
 * subscription. */
bool parts_nobody_waits(parts *p);
uint64_t parts_progress(parts *p, uint32_t events, bool *hand_off);
/* Of a client's step that asks no server: for the monitors it says nothing but what touches what they know of this very
 * client (sent, answered, ended), and where that changes nothing now, it changes nothing after steps of others. */
bool parts_says_little(const parts *p, uint32_t events);
bool parts_grants(const parts *p, uint32_t events, str lock);          /* a hand-off of this lock */
/* The same for programs that stand for something else than a lock or time; a step of such a task itself is progress. */
uint64_t parts_standing(parts *p, uint32_t node);
uint64_t parts_stands_no_more(parts *p, uint32_t node, uint32_t step);
str parts_waiter(const parts *p, size_t bit, str *lock);               /* lock "": something else */
uint8_t parts_waiter_permuted(parts *p, size_t bit, const permutation *x);           /* with ids exchanged */
size_t parts_waiter_count(const parts *p, bool *full);    /* full: there are more, which nobody can speak of */
/* Whose move a step of this node is, where each task, what it has under way, and each connection's messages move by
 * themselves. */
uint32_t parts_mover(parts *p, uint32_t node, uint32_t step);

/* What a part holds, by name, for people. Nothing where nothing is learned. */
void parts_describe_node(parts *p, uint32_t node, facts *out);
void parts_describe_servers(parts *p, uint32_t servers, facts *out);
bool parts_describes(const parts *p);  /* something is learned */
uint32_t parts_owner(const parts *p, uint32_t node);           /* the process whose node it is */
/* A hash of the monitors' state without what it keeps for one property. */
uint64_t parts_model_without(parts *p, uint32_t model, property closed);
part_step parts_step(const parts *p, uint32_t step);
bool parts_error(const parts *p, err *e);          /* the first uncaught error of a client's code */
bool parts_absolute(const parts *p, str *why);
/* A lock of which clients registered views that are not equal; the first one met is asked. Empty: there is none. */
str parts_views_differ(const parts *p);
size_t parts_bytes(const parts *p);
/* Commands and pieces of client code really run (the latter also to come back to a state), distinct parts, locks that
 * drivers registered. */
typedef struct { uint64_t scripts, clients, nodes, servers, models, events, locks; } part_counts;
part_counts parts_count(const parts *p);

/* ---- two worlds of two versions of the client code, in lock step: what anybody outside can see (part_tells.c) ---- */

/* What programs are told in these events, a line each; the requests of a node that are under way, a line each, scripts
 * by name; the bytes of a server's keyspace, counted from 0. Equal texts: nobody can tell. In `a`, or as long as the
 * parts. */
str parts_told(const parts *p, uint32_t events, arena *a);
str parts_under_way(const parts *p, uint32_t node, arena *a);
str parts_keyspace(const parts *p, uint32_t servers, size_t server);

/* A step found in a live world by its names. */
bool parts_find(world *w, const part_step *s, step *out);

/* ---- live worlds, for the search without tables; world_options.folded ---- */

/* The parts of a world; out->nodes is the caller's, one a client. false: some part has no canonical form. */
bool parts_take_apart(parts *p, world *w, part_state *out, err *e);
/* The properties that were broken since this was last asked, bits; they are judged again as if they never had been. */
uint32_t parts_forgive(world *w);
/* What can happen to a process, or to the servers, time left out: what parts_of_process would list. Borrowed as
 * world_enabled. */
size_t parts_steps_of_process(world *w, uint32_t process, const step **out);
size_t parts_steps_of_servers(world *w, const step **out);
uint32_t parts_name_step(parts *p, world *w, const step *s);           /* parts_step */
/* What monitors are told of a step is taken down: before it, and after; `process` is whose step it is. The latter gives
 * the events. */
void parts_listen(parts *p, world *w, uint32_t process);
uint32_t parts_heard(parts *p, world *w, uint32_t process);
uint32_t parts_task_at(world *w, uint32_t process, uint32_t place);    /* its number in this world, or NOBODY */
/* The step with which a task itself goes on, if there is just one and time does not pass in it. */
bool parts_own_step(world *w, uint32_t process, uint32_t task, step *out);
/* What the task waits for from servers was sent `ms` later; or was never sent. */
void parts_put_off(world *w, uint32_t process, uint32_t task, int64_t ms);
void parts_drop_requests(world *w, uint32_t process, uint32_t task);
/* How long until something can differ, whenever the run ends; until the run ends. INT64_MAX: never. */
int64_t parts_next_length(world *w);
bool parts_walks(const world *w);    /* ... which is the next millisecond anyway (world_options.every_ms) */
int64_t parts_left_ms(const world *w);
void parts_budgets(const world *w, uint32_t left[FAULT_KINDS]);        /* of faults, what is left of them */
bool parts_deadline_now(world *w);           /* some key's deadline is this very millisecond */

#endif
