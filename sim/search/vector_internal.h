/* vector_internal.h - the inside of the tables behind vector.h, shared by the files vector*.c. Inline functions are
 * those that the loop over all states calls for each transition. */
#ifndef LOCKSIM_SEARCH_VECTOR_INTERNAL_H
#define LOCKSIM_SEARCH_VECTOR_INTERNAL_H

#include <assert.h>
#include <setjmp.h>

#include "search/vector.h"

/* Budgets and all that belongs to no part. Compared as bytes: no padding. */
typedef struct {
    uint32_t budget[FAULT_KINDS];
    uint32_t locks;
    int64_t left_ms;       /* until end_ms; INT64_MAX: none */
    int64_t walk_ms;       /* for how long every millisecond is a stop */
    uint64_t number_now;   /* time stopped here because of a number that was stored before */
} bounds;

typedef enum { UNKNOWN, NO, YES } answer;

/* An effect as a change of a row, for the usual case that it changes only its node's word (or the bounds), the servers,
 * and what follows from these two alone. */
typedef struct row_change {
    uint64_t change_hi;    /* of the fingerprint, without monitors */
    uint32_t change_lo;
    uint32_t word, servers, context;               /* after the step; word: of the node, or of the bounds in a
                                                    * configuration of the servers */
    uint32_t model, tasks, after;      /* the last judgement that broke nothing: monitors and tasks before, monitors
                                        * after */
    uint32_t events, step;
    bool simple;           /* this is the usual case */
    bool stays;            /* both words are unchanged */
    bool fault;
} row_change;

/* The possible steps of a node in a context. With a single step it is one cache line: the loop over all states reads
 * little else. */
typedef struct {
    uint32_t node, context;
    uint32_t count;
    uint8_t held;          /* answer: does a step that does not spin hold time? */
    uint8_t op;            /* meetings_op of the one request executed in it; SEVERAL_OPS: see rare; MEETINGS_NONE */
    row_change changes[];        /* followed by what is rarely read, see rare_of */
} config;

typedef struct {
    effect *items;
    struct { uint8_t comes_back, goes_round; } *spins;         /* answers, see loop_of */
    uint64_t ops;          /* of requests that are executed, a bit each: meetings_op */
    uint8_t height;        /* vector_ample.c; HEIGHT_UNKNOWN: not computed */
    uint32_t spinning;     /* place of a task that spins; NOBODY. Known when `held` is */
} rare;

/* The servers' configurations have their bounds in place of a node. */
#define SERVERS UINT32_C(0x80000000)

enum { LINE = 64, SEVERAL_OPS = MEETINGS_NONE - 1 };
static_assert(sizeof(config) + sizeof(row_change) == LINE, "one step, one line");

typedef struct { uint32_t servers, env, channels, locks, faults; bool faults_known; } context;

struct vectors {
    hunt *h;
    parts *p;
    struct folder *folder; /* equal.h; NULL: each state counts for itself */
    struct rerun *rerun;   /* without look-ups: it answers everything */
    const uint32_t *rerun_rows;        /* its last answer */
    size_t clients, width;
    uint32_t *first;
    uint32_t first_broken;
    uint32_t blank;        /* monitors with nothing to remember */
    intern *bound_bytes;
    bounds *bound_list;    /* by number */
    size_t bound_cap;
    map3 time_keys, spent, contexts, with_mail, aged_nodes, aged_servers, judged, env_ids, times, time_events,
    tasks_after, channels_after, ahead, stops, expiries, rest_keys, rests,
    together;              /* a context and the nodes of all clients as one number */
    config **configs;      /* by node and context; open addressing, cap is a power of two */
    size_t config_count, config_cap;
    config **moves;        /* of each client's node in the current state; NULL: to be learned */
    context *context_list;
    size_t context_count, context_cap;
    effects *fault_list;   /* of servers, by context.faults */
    size_t fault_count, fault_cap;
    struct { uint32_t model, broken; } *judgements;
    size_t judgement_count, judgement_cap;
    int64_t *lengths;      /* of time, by number */
    size_t length_count, length_cap;
    uint8_t *ended;        /* answers, by tasks */
    size_t ended_cap;
    uint64_t seen;
    arena *memory, *hot;   /* hot: configurations only, near to each other */
    happening *list;
    size_t count, list_cap;
    size_t same;           /* left out of the list: they lead back to the same state and break nothing */
    bool want_same;
    uint32_t *rows;        /* of those without a change */
    size_t row_count, row_cap;
    uint32_t *all_rows;    /* of vectors_expand */
    size_t all_cap;
    bool failed;
    bool expires_at_once;  /* a step that takes no time made a deadline of the current millisecond */
    bool going_back;       /* steps that end in an error are skipped */
    uint64_t learned;      /* how many things were learned */
    /* Of a reader (vectors_reader): */
    jmp_buf *unknown;      /* ends a look that would have to learn; NULL: no reader, it learns */
    uint64_t *met;         /* by operation: the places that it met (meetings_meet) */
};

/* Call it before anything is added to the tables below. A reader's look ends here. What it has allocated so far is its
 * own, and the next look uses it again. */
static inline void learns(vectors *t)
{
    if (t->unknown)
        longjmp(*t->unknown, 1);
    t->learned++;
}

/* A node's word: its number twice, plus one if its loop has repeated. */
static const uint32_t FACTOR = 2;
static inline uint32_t node_of(uint32_t word) { return word / FACTOR; }

/* ---- what follows from the parts (vector_follow.c) ---- */

uint32_t bounds_id(vectors *t, const bounds *b);
uint32_t bounds_after(vectors *t, uint32_t bound, const effect *f);    /* the bounds after an effect */
bool nodes_ended(const vectors *t, const uint32_t *row);
bool tasks_ended(vectors *t, const uint32_t *row);                             /* the same, looked up */
uint32_t context_of(vectors *t, uint32_t servers, uint32_t env, uint32_t channels, uint32_t locks);
uint32_t context_with(vectors *t, uint32_t servers, uint32_t bound, uint32_t channels, bool ended);
uint32_t context_id(vectors *t, const uint32_t *row);
uint32_t row_tasks(vectors *t, const uint32_t *row);
uint32_t row_channels(vectors *t, const uint32_t *row);
/* after node q of the row took the place of `old` */
void row_follow(vectors *t, uint32_t *row, size_t q, uint32_t old);

/* ---- fingerprints ---- */

static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

/* A row's fingerprint is the exclusive or of its words', each a pseudo-random number by place and value (Zobrist, "A
 * new hashing method with application for game playing", 1970): a step changes few of them. */
static inline print print_word(size_t at, uint32_t word)
{
    uint64_t x = ((uint64_t)at << 32 | word) + 1;
    return (print){ .hi = mix(x * UINT64_C(0x9E3779B97F4A7C15)),
                    .lo = (uint32_t)(mix(x * UINT64_C(0xC2B2AE3D27D4EB4F)) >> 32) };
}

static inline void print_change(print *p, size_t at, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    print a = print_word(at, from), b = print_word(at, to);
    p->hi ^= a.hi ^ b.hi;
    p->lo ^= a.lo ^ b.lo;
}

static inline void row_keep_print(const vectors *t, uint32_t *row, print p)
{
    uint32_t *at = row + t->clients + AT_PRINT;
    at[0] = (uint32_t)p.hi;
    at[1] = (uint32_t)(p.hi >> 32);
    at[2] = p.lo;
}

static inline print row_kept_print(const vectors *t, const uint32_t *row)
{
    const uint32_t *at = row + t->clients + AT_PRINT;
    return (print){ .hi = (uint64_t)at[1] << 32 | at[0], .lo = at[2] };
}

/* ---- configurations (vector_learn.c) ---- */

static inline rare *rare_of(const config *c)
{
    return (rare *)(uintptr_t)(c->changes + c->count);
}

static inline effect *items_of(const config *c)
{
    return rare_of(c)->items;
}

void configs_grow(vectors *t);
config *config_learn(vectors *t, uint32_t process, uint32_t node, uint32_t ctx);
const effects *server_faults(vectors *t, uint32_t ctx);
/* The possible steps of the servers with these bounds. `ended`: every program has ended, which follows from the
 * context. */
config *config_of_servers(vectors *t, uint32_t bound, uint32_t ctx, effects faults, bool ended);
/* The step with which a task itself goes on, if there is exactly one and no time passes in it: else -1. */
int config_own_step(const vectors *t, const config *c, uint32_t task);
/* If the task of this step goes on alone and the servers do not change: does it loop in zero time? */
bool config_goes_round(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item);
bool config_learn_held(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c);

static inline size_t config_slot(const vectors *t, uint32_t node, uint32_t ctx)
{
    size_t i = (node * UINT64_C(0x9E3779B97F4A7C15) ^ ctx * UINT64_C(0xC2B2AE3D27D4EB4F)) >> 20 & (t->config_cap - 1);
    while (t->configs[i] && (t->configs[i]->node != node || t->configs[i]->context != ctx))
        i = (i + 1) & (t->config_cap - 1);
    return i;
}

static inline config *config_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx)
{
    config *c = t->configs[config_slot(t, node, ctx)];
    return c ? c : config_learn(t, process, node, ctx);
}

/* Does some step of the node hold time? A request that spins does not (DESIGN.md, "The world"). */
static inline bool config_holds(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c)
{
    return c->held == UNKNOWN ? config_learn_held(t, process, node, ctx, c) : c->held == YES;
}

/* ---- judging (vector.c) ---- */

/* Almost no judgement breaks anything: the table holds the monitors' state itself, or, with this mark, the index of
 * both. */
#define BROKEN UINT32_C(0x80000000)
/* For monitors with nothing to remember, before and after, it does not matter who can move: such a judgement holds for
 * all tasks. */
#define ANY_TASKS INTERN_NONE
/* Judgements are looked up by events; those of a step of time by a number of their own, as time passes for monitors,
 * too. */
#define AFTER_TIME UINT32_C(0x80000000)

uint32_t judge_first(vectors *t, uint32_t model, uint32_t events, uint32_t key, uint32_t tasks, int64_t ms,
                     uint32_t *broken);

static inline uint32_t judge(vectors *t, uint32_t model, uint32_t events, uint32_t key, uint32_t tasks, int64_t ms,
                             uint32_t *broken)
{
    uint32_t known = model == t->blank ? map3_find(&t->judged, model, key, ANY_TASKS) : INTERN_NONE;
    if (known == INTERN_NONE)
        known = map3_find(&t->judged, model, key, tasks);
    *broken = 0;
    if (known < BROKEN)
        return known;
    if (known == INTERN_NONE)
        return judge_first(t, model, events, key, tasks, ms, broken);
    *broken = t->judgements[known - BROKEN].broken;
    return t->judgements[known - BROKEN].model;
}

/* ---- rows (vector.c) and time (vector_time.c) ---- */

/* A row that is made at once, because more than a few words change; and the values of its happening once it is made. */
uint32_t *row_add(vectors *t, const uint32_t *row, const happening *x);
void row_finish(vectors *t, const uint32_t *row, uint32_t *to, uint32_t broken);
/* until something can differ; INT64_MAX: never */
int64_t next_length(vectors *t, const uint32_t *row, const bounds *b);
void pass_time(vectors *t, const uint32_t *row, int64_t ms, const bounds *was);

#endif
