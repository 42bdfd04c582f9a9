/* parts.h - a world taken apart, so that a search can put states together from small numbers (DESIGN.md, "The heart").
 *
 * A state of the world is: a node for each process (the process itself, its requests in progress, its messages and
 * subscriptions), the servers together, the monitors, the budgets and a few flags. Each part is interned: equal
 * canonical bytes, equal number. What a step does is learned once, by taking that step in a real world that holds the
 * parts it can touch. It is stored as an effect: which parts replace which, what the monitors are told, which messages
 * go to other nodes.
 *
 *     a state of the world                                                     its parts' numbers
 *       node of A    the process, its requests in progress, messages, channels     17
 *       node of B                                                                   3
 *       servers      all keyspaces, replicas and waiting pops together              5
 *       monitors     what the properties remember                                   9
 *       bounds       budgets left, locks known so far                               2
 *
 *     a step, learned once                    an effect
 *       node 17, servers 5, part_env    ->    node 18, servers 6, events 4 (to the monitors), mail 1 (to other nodes)
 *
 *     judgements are learned by themselves, also once
 *       monitors 9, events 4            ->    monitors 11, the properties that break
 *
 * The parts that a step may touch:
 *   a step of a node without a request     its own node
 *   a request that is executed             its own node, all servers; messages go to the nodes that are subscribed
 *   a fault of a server                    the servers
 *   time                                   everything, each part by itself
 * The search without tables (--no-memo) takes every step in a whole world and must reach the same parts.
 *
 * All parts are kept as of one instant, WORLD_EPOCH_MS: only distances from now count. Where that is wrong
 * (parts_absolute), the search starts again without tables, and each state has its instant. */
#ifndef LOCKSIM_MEMO_PARTS_H
#define LOCKSIM_MEMO_PARTS_H

#include "base/facts.h"
#include "base/intern.h"
#include "scenario/equals.h"
#include "world/world.h"

#define PART_NONE INTERN_NONE

typedef struct parts parts;

/* A step, named independently of history: tasks and requests by their places among those of their node. So it can be
 * found in any world in that state. */
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
    uint32_t node;         /* replaces the process's; PART_NONE for a fault of a server */
    uint32_t servers;
    uint32_t events;       /* that the monitors are told */
    uint32_t mail;         /* parts_mail; PART_NONE: none */
    uint32_t locks;        /* known so far, parts_locks */
    uint64_t seen;         /* world_seen */
    uint8_t kind;          /* step_kind */
    uint8_t spends;        /* fault_kind; FAULT_KINDS: none */
    bool holds;            /* holds time, unless it spins */
    bool zero;             /* ends a sleep or wait of 0 ms */
    bool asks;             /* executes a request */
    bool failed;           /* uncaught error: parts_error */
    uint8_t op;            /* meetings_op of the request that it executes; else MEETINGS_NONE */
} effect;

typedef struct {
    effect *items;
    size_t count;
    bool holds;            /* some step holds time; spinning ones do not count: see search */
} effects;

/* The inputs of a step besides its node and the servers. */
typedef struct {
    uint32_t faults;       /* bits: budget left */
    uint32_t locks;        /* parts_locks: those that drivers registered so far */
    bool deadline_now, at_end, ended;  /* some key's deadline is now; end_ms is reached; every program has ended */
} part_env;

/* The properties of a node that a search needs. Lengths are ms from now; INT64_MAX: none. */
typedef struct {
    uint32_t tasks;        /* its tasks as monitors see them after a step: who can move */
    uint32_t channels;     /* its subscriptions */
    size_t subscriptions;
    bool closed;           /* nothing that others do enables more of it: no pop of it waits at a server, and each
                            * subscribed connection already holds messages */
    bool parked;           /* a task of it waits for something that does not exist yet (WAKE_NEVER) */
    bool alive, paused, ended;         /* ended: none of its programs is left, or it is dead */
    bool point;            /* a task of it stands at a preemption point: nothing else happens first */
    /* its programs that wait for something other than time */
    const struct standing { str who; uint32_t place; } *standing;
    size_t standing_count;
    int64_t next_ms[2];    /* its next instant; [1]: where time has stopped at a number (world.h) */
    const int64_t *numbers;            /* numbers that it holds, as lengths, sorted: possible instants */
    size_t number_count;
    uint64_t places;       /* meetings_places; 0 where meetings are not recorded */
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
    uint32_t blank;        /* monitors with nothing to remember */
    uint32_t bounds;       /* of a live world only: the number of what belongs to no part */
    uint32_t broken;       /* properties (bits) that the first step broke */
    uint64_t seen;         /* world_seen of the first step */
    bool number_now;
} part_state;

typedef struct {
    const world_options *world;        /* copied */
    bool live;             /* nothing is learned, worlds are only taken apart (for --no-memo) */
    bool absolute;         /* live ones only: bounds include the instant */
    /* Of ones that learn. What is kept for later outlives the parts; NULL: they make and free their own, or do
     * without. */
    struct trials *trials;             /* records what scripts are asked (trials.h) */
    struct process_tables *tables;     /* of the scenario's clients (learned.h); not with `equals` */
    struct judgements *judgements;     /* of the scenario's monitors (judgements.h) */
    const equals *equals;              /* what is learned of one of these clients is learned of all; NULL: of that
                                        * client alone */
} parts_options;

/* NULL and `e` as world_new. */
parts *parts_new(const scenario *sc, const loader *l, const parts_options *o, err *e);
void parts_free(parts *p);
/* The initial state of a world; its nodes lie in the parts. */
const part_state *parts_begin(const parts *p);

/* ---- equal clients (part_permute.c) ---- */

/* Which clients are equal; NULL: none, or equality is not used. */
const equals *parts_equals(const parts *p);
/* Something tells the clients apart: a state and its permutations must not be merged. */
bool parts_apart(const parts *p, str *why);
/* Permutations by number; 0 is the identity. */
uint32_t parts_permutation(parts *p, const permutation *x);
const permutation *parts_permutation_of(const parts *p, uint32_t x);
/* The part with all ids exchanged; a node then is one of client x->to[process]. PART_NONE: parts_apart. */
uint32_t parts_permute_node(parts *p, uint32_t process, uint32_t node, uint32_t x);
uint32_t parts_permute_servers(parts *p, uint32_t servers, uint32_t x);
uint32_t parts_permute_model(parts *p, uint32_t model, uint32_t x);

uint32_t parts_known_permutation(const parts *p, const permutation *x);        /* PART_NONE: it has no number yet */
/* The same for known results only; PART_NONE: unknown, or there is none. */
uint32_t parts_permuted_node(const parts *p, uint32_t node, uint32_t x);
uint32_t parts_permuted_servers(const parts *p, uint32_t servers, uint32_t x);
uint32_t parts_permuted_model(const parts *p, uint32_t model, uint32_t x);

const node_facts *parts_node(parts *p, uint32_t node);
const servers_facts *parts_servers(parts *p, uint32_t servers);
uint32_t parts_env(parts *p, const part_env *env);
/* node_facts.tasks or node_facts.channels of all clients, combined to one number. */
uint32_t parts_tasks(parts *p, const uint32_t *of_nodes);
uint32_t parts_channels(parts *p, const uint32_t *of_nodes);

/* What can happen to `process` next, or to the servers, without time. Borrowed until the next call: the caller
 * copies. */
const effects *parts_of_process(parts *p, uint32_t process, uint32_t node, uint32_t env, uint32_t servers,
                                uint32_t channels);
const effects *parts_of_servers(parts *p, uint32_t env, uint32_t servers, uint32_t channels);
/* The i-th letter of an effect's mail: its receiver and the message; false: there is none. */
bool parts_letter(const parts *p, uint32_t mail, size_t i, uint32_t *process, uint32_t *message);
uint32_t parts_deliver(parts *p, uint32_t process, uint32_t node, uint32_t message);
/* `ms` pass. spinning: place of a task that repeats its request in a loop (see search), or NOBODY. */
uint32_t parts_age_node(parts *p, uint32_t process, uint32_t node, int64_t ms, uint32_t spinning);
/* node_facts.next_ms of a node whose task spins, without the request that it has in progress. */
int64_t parts_ahead(parts *p, uint32_t process, uint32_t node, uint32_t spinning, bool number_now);
uint32_t parts_age_servers(parts *p, uint32_t servers, int64_t ms, uint32_t env);
/* The first length, less than upto_ms, after which a step of this process that does not hold time (its start, the end
 * of its work, its resume, a late request) would have another outcome; INT64_MAX: none. See follow.h. */
typedef struct {
    uint32_t process, env, servers, channels;
    const uint32_t *nodes;             /* of all processes: the others go on meanwhile */
} part_place;
int64_t parts_stop(parts *p, const part_place *of, int64_t upto_ms);
/* The same of a live world: `again` makes a new one in the same state each time (NULL: it cannot). */
typedef struct { void *context; world *(*again)(void *context); void (*done)(void *context, world *w); } part_again;
int64_t parts_stop_live(parts *p, const part_again *g, uint32_t process, int64_t upto_ms);
/* The monitors' input when servers age. */
uint32_t parts_expiry(parts *p, uint32_t before, uint32_t after, int64_t ms, uint32_t env, uint64_t *seen);

/* The monitors hear `events`, then who can move; then `ms` pass for them. *broken: the properties that break. */
uint32_t parts_judge(parts *p, uint32_t model, uint32_t events, uint32_t tasks, int64_t ms, uint32_t *broken);
/* Only faults can happen here: which properties does that break? `rest`: every program has ended. */
uint32_t parts_settle(parts *p, uint32_t model, uint32_t servers, uint32_t locks, uint32_t tasks, bool rest,
                      size_t subscriptions);
/* The waiters for a lock in this state of the monitors, and those that have progressed with these events: bits, in
 * the order of first meeting (at most 64). *hand_off: a lock was granted. */
uint64_t parts_waiters(parts *p, uint32_t model);
/* No known state of a part has a waiter, and nothing could be left behind: no lock, no subscription. */
bool parts_nobody_waits(parts *p);
uint64_t parts_progress(parts *p, uint32_t events, bool *hand_off);
/* A client's step without a request: it tells the monitors nothing but what concerns their knowledge of this client
 * (sent, answered, ended). If that changes nothing now, it changes nothing after steps of others. */
bool parts_says_little(const parts *p, uint32_t events);
bool parts_grants(const parts *p, uint32_t events, str lock);          /* a hand-off of this lock */
/* The same for programs that wait for something other than a lock or time; a step of such a task itself is progress. */
uint64_t parts_standing(parts *p, uint32_t node);
uint64_t parts_stands_no_more(parts *p, uint32_t node, uint32_t step);
str parts_waiter(const parts *p, size_t bit, str *lock);               /* lock "": something else */
uint8_t parts_waiter_permuted(parts *p, size_t bit, const permutation *x);           /* with ids exchanged */
size_t parts_waiter_count(const parts *p, bool *full);    /* full: there are more, without a bit */
/* The mover of a step of this node: each task, its requests in progress, and the messages of each connection move
 * independently. */
uint32_t parts_mover(parts *p, uint32_t node, uint32_t step);

/* The contents of a part, by name, for people. Nothing where nothing is learned. */
void parts_describe_node(parts *p, uint32_t node, facts *out);
void parts_describe_servers(parts *p, uint32_t servers, facts *out);
bool parts_describes(const parts *p);  /* is anything learned? */
uint32_t parts_owner(const parts *p, uint32_t node);           /* the process whose node it is */
/* A hash of the monitors' state without what it keeps for one property. */
uint64_t parts_model_without(parts *p, uint32_t model, property closed);
part_step parts_step(const parts *p, uint32_t step);
bool parts_error(const parts *p, err *e);          /* the first uncaught error of a client's code */
bool parts_absolute(const parts *p, str *why);
/* A lock of which clients registered views that are not equal; the first one met is asked. Empty: there is none. */
str parts_views_differ(const parts *p);
size_t parts_bytes(const parts *p);
/* Commands and pieces of client code that were really run (the latter also to reach a state again), distinct parts,
 * locks that drivers registered. */
/* clients: inputs that were learned, each in all processes that it ran in; repeats: those that led back to a state */
typedef struct { uint64_t scripts, clients, repeats, nodes, servers, models, events, locks; } part_counts;
part_counts parts_count(const parts *p);

/* ---- two worlds of two versions of the client code, in lock step: what is visible from outside (part_tells.c) ---- */

/* What programs are told in these events, a line each; the requests of a node in progress, a line each, scripts by
 * name; the bytes of a server's keyspace, servers counted from 0. Equal texts: no observer can tell them apart. In `a`,
 * or as long as the parts. */
str parts_told(const parts *p, uint32_t events, arena *a);
str parts_under_way(const parts *p, uint32_t node, arena *a);
str parts_keyspace(const parts *p, uint32_t servers, size_t server);

/* Finds the step in a live world by its names. */
bool parts_find(world *w, const part_step *s, step *out);

/* ---- live worlds, for the search without tables; world_options.folded ---- */

/* The parts of a world; the caller gives out->nodes room for one a client. false: some part has no canonical form. */
bool parts_take_apart(parts *p, world *w, part_state *out, err *e);
/* The properties broken since the last call, as bits; they are then judged again as if they had not been broken. */
uint32_t parts_forgive(world *w);
/* What can happen to a process, or to the servers, without time: what parts_of_process would list. Borrowed as
 * world_enabled. */
size_t parts_steps_of_process(world *w, uint32_t process, const step **out);
size_t parts_steps_of_servers(world *w, const step **out);
uint32_t parts_name_step(parts *p, world *w, const step *s);           /* parts_step */
/* Records what monitors are told of a step: called before it, and after; `process` is the one that takes the step. The
 * latter gives the events. */
void parts_listen(parts *p, world *w, uint32_t process);
uint32_t parts_heard(parts *p, world *w, uint32_t process);
uint32_t parts_task_at(world *w, uint32_t process, uint32_t place);    /* its number in this world, or NOBODY */
/* The step with which a task itself goes on, if there is exactly one and no time passes in it. */
bool parts_own_step(world *w, uint32_t process, uint32_t task, step *out);
/* The requests for which the task waits count as sent `ms` later; or are removed, as if never sent. */
void parts_put_off(world *w, uint32_t process, uint32_t task, int64_t ms);
void parts_drop_requests(world *w, uint32_t process, uint32_t task);
/* How long until something can differ, even beyond the end of the run; and until the run ends. INT64_MAX: never. */
int64_t parts_next_length(world *w);
bool parts_walks(const world *w);    /* ... is it the next millisecond anyway (world_options.every_ms)? */
int64_t parts_left_ms(const world *w);
void parts_budgets(const world *w, uint32_t left[FAULT_KINDS]);        /* the faults left in the budgets */
bool parts_deadline_now(world *w);           /* is some key's deadline now? */

#endif
