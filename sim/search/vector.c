/* vector.c - see vector.h. What a step does is asked of the parts once and then looked up; the loop over a state's steps touches
 * nothing but small tables. */
#include "search/vector.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "search/rerun.h"

/* Budgets and what else belongs to no part. Compared as bytes: no padding. */
typedef struct {
    uint32_t budget[FAULT_KINDS];
    uint32_t locks;
    int64_t left_ms;       /* until end_ms; INT64_MAX: none */
    int64_t now_ms;        /* only where parts are absolute */
    uint64_t number_now;   /* time stopped here because of a number that somebody held before */
} bounds;

typedef enum { UNKNOWN, NO, YES } answer;

/* What an effect does to a row, where it changes the words of its node (or the bounds) and of the servers and nothing that follows from others: most do. */
typedef struct quick {
    uint64_t change_hi;    /* of the fingerprint, monitors left out */
    uint32_t change_lo;
    uint32_t word, servers, context;               /* afterwards; word: of the node, or of the bounds where it is the servers that change */
    uint32_t model, tasks, after;      /* the last judgement that broke nothing: after these monitors and tasks, those monitors */
    uint32_t events, step;
    bool simple;           /* all of this is so */
    bool stays;            /* neither word changes */
    bool fault;
} quick;

/* What can happen to a node in a context. One with a single step is one cache line: the loop over all states reads little else. */
typedef struct {
    uint32_t node, context;
    uint32_t count;
    uint8_t held;          /* answer: does some step hold time that does not spin? */
    quick quicks[];        /* after them what is seldom read, see cold_of */
} config;

typedef struct {
    effect *items;
    struct { uint8_t comes_back, goes_round; } *spins;         /* answers, see loop_of */
    uint32_t spinning;     /* place of a task that spins; NOBODY. Known when `held` is */
} cold;

/* Servers have configurations, too, by their bounds instead of a node. */
#define SERVERS UINT32_C(0x80000000)

enum { LINE = 64 };
static_assert(sizeof(config) + sizeof(quick) == LINE, "one step, one line");

static cold *cold_of(const config *c)
{
    return (cold *)(uintptr_t)(c->quicks + c->count);
}

static effect *items_of(const config *c)
{
    return cold_of(c)->items;
}

typedef struct { uint32_t servers, env, channels, locks, faults; bool faults_known; } context;

struct vectors {
    hunt *h;
    parts *p;
    rerun *rerun;          /* nothing is looked up: all is asked there */
    const uint32_t *rerun_rows;        /* its last answer */
    size_t clients, width;
    bool absolute;
    uint32_t *first;
    uint32_t first_broken;
    uint32_t blank;        /* monitors that remember nothing */
    intern *bound_bytes;
    bounds *bound_list;    /* by their numbers */
    size_t bound_cap;
    map3 time_keys, spent, contexts, mailed, aged_nodes, aged_servers, judged, envs, times, time_events, tasks_after, ahead, expiries,
        rest_keys, rests;
    config **configs;      /* by node and context; open addressing, cap is a power of two */
    size_t config_count, config_cap;
    config **moves;        /* of each client's node in the state that is looked at; NULL: to be learned */
    context *context_list;
    size_t context_count, context_cap;
    effects *fault_list;   /* of servers, by context.faults */
    size_t fault_count, fault_cap;
    struct { uint32_t model, broken; } *judgements;
    size_t judgement_count, judgement_cap;
    int64_t *lengths;      /* of time, by their numbers */
    size_t length_count, length_cap;
    uint8_t *ended;        /* answers, by tasks */
    size_t ended_cap;
    uint64_t seen;
    arena *memory, *hot;   /* hot: configurations only, near to each other */
    happening *list;
    size_t count, list_cap;
    size_t same;           /* left out of the list: they lead back to the very same state and break nothing */
    bool want_same;
    uint32_t *rows;        /* of those that are not quick */
    size_t row_count, row_cap;
    uint32_t *all_rows;    /* of vectors_expand */
    size_t all_cap;
    bool failed;
    bool going_back;       /* steps that end in an error are passed over */
};

static const uint32_t FACTOR = 2;      /* a node's word: its number twice, plus one if its loop has gone on */

static uint32_t node_of(uint32_t word) { return word / FACTOR; }

/* ---- bounds ---- */

static uint32_t bounds_id(vectors *t, const bounds *b)
{
    bool fresh;
    uint32_t id = intern_add(t->bound_bytes, (str){ (const char *)b, sizeof *b }, &fresh);
    if (fresh) {
        MEM_RESERVE(t->bound_list, t->bound_cap, (size_t)id + 1);
        t->bound_list[id] = *b;
    }
    return id;
}

/* What is left of them after an effect. */
static uint32_t bounds_after(vectors *t, uint32_t bound, const effect *f)
{
    uint32_t next = map3_find(&t->spent, bound, f->spends, f->locks);
    if (next == INTERN_NONE) {
        bounds b = t->bound_list[bound];
        if (f->spends != FAULT_KINDS)
            b.budget[f->spends]--;
        b.locks = f->locks;
        next = bounds_id(t, &b);
        map3_put(&t->spent, bound, f->spends, f->locks, next);
    }
    return next;
}

/* ---- what follows from the parts ---- */

static bool nodes_ended(const vectors *t, const uint32_t *row)
{
    bool all = true;
    for (size_t q = 0; q < t->clients; q++)
        all &= parts_node(t->p, node_of(row[q]))->ended;
    return all;
}

static bool tasks_ended(vectors *t, const uint32_t *row)
{
    uint32_t id = row[t->clients + AT_TASKS];
    if (id >= t->ended_cap) {
        size_t cap = t->ended_cap;
        MEM_RESERVE(t->ended, t->ended_cap, (size_t)id + 1);
        memset(t->ended + cap, UNKNOWN, t->ended_cap - cap);
    }
    if (t->ended[id] == UNKNOWN)
        t->ended[id] = nodes_ended(t, row) ? YES : NO;
    return t->ended[id] == YES;
}

static uint32_t context_of(vectors *t, uint32_t servers, uint32_t env, uint32_t channels, uint32_t locks)
{
    uint32_t id = map3_find(&t->contexts, servers, env, channels);
    if (id != INTERN_NONE)
        return id;
    MEM_RESERVE(t->context_list, t->context_cap, t->context_count + 1);
    t->context_list[t->context_count] = (context){ .servers = servers, .env = env, .channels = channels, .locks = locks };
    map3_put(&t->contexts, servers, env, channels, (uint32_t)t->context_count);
    return (uint32_t)t->context_count++;
}

static uint32_t context_with(vectors *t, uint32_t servers, uint32_t bound, uint32_t channels, bool ended)
{
    bool deadline = parts_servers(t->p, servers)->deadline_now;
    uint32_t flags = (uint32_t)(deadline + 2 * ended);
    uint32_t env = map3_find(&t->envs, bound, flags, 0);
    if (env == INTERN_NONE) {
        bounds b = t->bound_list[bound];
        part_env e = { .locks = b.locks, .now_ms = b.now_ms, .deadline_now = deadline, .ended = ended, .at_end = b.left_ms <= 0 };
        for (int k = 0; k < FAULT_KINDS; k++)
            e.faults |= (uint32_t)(b.budget[k] > 0) << k;
        env = parts_env(t->p, &e);
        map3_put(&t->envs, bound, flags, 0, env);
    }
    return context_of(t, servers, env, channels, t->bound_list[bound].locks);
}

static uint32_t context_id(vectors *t, const uint32_t *row)
{
    const uint32_t *of = row + t->clients;
    return context_with(t, of[AT_SERVERS], of[AT_BOUNDS], of[AT_CHANNELS], tasks_ended(t, row));
}

static uint32_t all_tasks(vectors *t, const uint32_t *row)
{
    uint32_t list[64] = { 0 }, *of = t->clients <= COUNT(list) ? list : mem_alloc(t->clients * sizeof *of);
    for (size_t q = 0; q < t->clients; q++)
        of[q] = parts_node(t->p, node_of(row[q]))->tasks;
    uint32_t id = parts_tasks(t->p, of);
    if (of != list)
        mem_free(of);
    return id;
}

static uint32_t all_channels(vectors *t, const uint32_t *row)
{
    uint32_t list[64] = { 0 }, *of = t->clients <= COUNT(list) ? list : mem_alloc(t->clients * sizeof *of);
    for (size_t q = 0; q < t->clients; q++)
        of[q] = parts_node(t->p, node_of(row[q]))->channels;
    uint32_t id = parts_channels(t->p, of);
    if (of != list)
        mem_free(of);
    return id;
}

/* After node q of the row took the place of `old`. */
static void follow(vectors *t, uint32_t *row, size_t q, uint32_t old)
{
    const node_facts *was = parts_node(t->p, old), *is = parts_node(t->p, node_of(row[q]));
    uint32_t *tasks = &row[t->clients + AT_TASKS], *channels = &row[t->clients + AT_CHANNELS];
    if (was->tasks != is->tasks) {
        uint32_t key = (uint32_t)q, next = map3_find(&t->tasks_after, *tasks, key, is->tasks);
        if (next == INTERN_NONE) {
            next = all_tasks(t, row);
            map3_put(&t->tasks_after, *tasks, key, is->tasks, next);
        }
        *tasks = next;
    }
    if (was->channels != is->channels)
        *channels = all_channels(t, row);
}

/* ---- fingerprints ---- */

static inline uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    x ^= x >> 32;
    x *= UINT64_C(0xD6E8FEB86659FD93);
    return x ^ x >> 32;
}

/* A row's fingerprint is the exclusive or of its words', each a pseudo-random number by place and value (Zobrist, "A new hashing
 * method with application for game playing", 1970): a step changes few of them. */
static inline print print_word(size_t at, uint32_t word)
{
    uint64_t x = ((uint64_t)at << 32 | word) + 1;
    return (print){ .hi = mix(x * UINT64_C(0x9E3779B97F4A7C15)), .lo = (uint32_t)(mix(x * UINT64_C(0xC2B2AE3D27D4EB4F)) >> 32) };
}

print row_print(const uint32_t *row, size_t words)
{
    print p = { 0 };
    for (size_t i = 0; i < words; i++) {
        print w = print_word(i, row[i]);
        p.hi ^= w.hi;
        p.lo ^= w.lo;
    }
    return p;
}

print vectors_print(const vectors *t, const uint32_t *row)
{
    return row_print(row, t->clients + AT_MODEL + 1);
}

static inline void print_change(print *p, size_t at, uint32_t from, uint32_t to)
{
    if (from == to)
        return;
    print a = print_word(at, from), b = print_word(at, to);
    p->hi ^= a.hi ^ b.hi;
    p->lo ^= a.lo ^ b.lo;
}

/* ---- what can happen to a node ---- */

static effects copy_effects(vectors *t, const effects *list)
{
    effects kept = { .count = list->count, .items = ARENA_ARRAY(t->memory, effect, list->count + 1) };
    for (size_t i = 0; i < list->count; i++) {
        kept.items[i] = list->items[i];
        t->seen |= list->items[i].seen;
        t->failed |= list->items[i].failed && !t->going_back;
    }
    return kept;
}

static quick quick_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, const effect *f)
{
    context c = t->context_list[ctx];
    print change = { 0 };
    quick k = { .model = INTERN_NONE, .word = f->node * FACTOR, .servers = f->servers, .events = f->events, .step = f->step, .fault = f->kind == STEP_FAULT };
    const node_facts *was = parts_node(t->p, node), *is = parts_node(t->p, f->node);
    k.simple = f->mail == PART_NONE && f->spends == FAULT_KINDS && f->locks == c.locks && was->tasks == is->tasks &&
               was->channels == is->channels && parts_servers(t->p, c.servers)->deadline_now == parts_servers(t->p, f->servers)->deadline_now;
    k.stays = f->node == node && f->servers == c.servers;
    k.context = k.simple ? context_of(t, f->servers, c.env, c.channels, c.locks) : INTERN_NONE;
    print_change(&change, process, node * FACTOR, k.word);
    print_change(&change, t->clients + AT_SERVERS, c.servers, f->servers);
    k.change_hi = change.hi;
    k.change_lo = change.lo;
    return k;
}

static inline size_t config_slot(const vectors *t, uint32_t node, uint32_t ctx)
{
    size_t i = (node * UINT64_C(0x9E3779B97F4A7C15) ^ ctx * UINT64_C(0xC2B2AE3D27D4EB4F)) >> 20 & (t->config_cap - 1);
    while (t->configs[i] && (t->configs[i]->node != node || t->configs[i]->context != ctx))
        i = (i + 1) & (t->config_cap - 1);
    return i;
}

static void grow_configs(vectors *t)
{
    enum { FIRST = 256 };
    size_t old_cap = t->config_cap;
    config **old = t->configs;
    t->config_cap = old_cap ? 2 * old_cap : FIRST;
    t->configs = mem_zero(t->config_cap * sizeof *t->configs);
    for (size_t i = 0; i < old_cap; i++)
        if (old[i])
            t->configs[config_slot(t, old[i]->node, old[i]->context)] = old[i];
    mem_free(old);
}

/* Memory that begins at a cache line. */
static void *line_alloc(vectors *t, size_t bytes)
{
    char *p = arena_alloc(t->hot, bytes + LINE);
    return p + (LINE - (uintptr_t)p % LINE) % LINE;
}

static config *config_add(vectors *t, uint32_t node, uint32_t ctx, effects kept)
{
    config *x = line_alloc(t, sizeof *x + kept.count * sizeof *x->quicks + sizeof(cold));
    *x = (config){ .node = node, .context = ctx, .count = (uint32_t)kept.count };
    *cold_of(x) = (cold){ .items = kept.items, .spinning = NOBODY };
    if (4 * (t->config_count + 1) > t->config_cap)
        grow_configs(t);
    t->configs[config_slot(t, node, ctx)] = x;
    t->config_count++;
    return x;
}

static config *config_learn(vectors *t, uint32_t process, uint32_t node, uint32_t ctx)
{
    context c = t->context_list[ctx];
    effects kept = copy_effects(t, parts_of_process(t->p, process, node, c.env, c.servers, c.channels));
    config *x = config_add(t, node, ctx, kept);
    cold_of(x)->spins = arena_alloc(t->memory, (kept.count + 1) * sizeof *cold_of(x)->spins);
    for (size_t i = 0; i < kept.count && !kept.items[i].failed; i++)
        x->quicks[i] = quick_of(t, process, node, ctx, &kept.items[i]);
    return x;
}

static inline config *config_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx)
{
    config *c = t->configs[config_slot(t, node, ctx)];
    return c ? c : config_learn(t, process, node, ctx);
}

static const effects *server_faults(vectors *t, uint32_t ctx)
{
    if (!t->context_list[ctx].faults_known) {
        context *c = &t->context_list[ctx];
        effects kept = copy_effects(t, parts_of_servers(t->p, c->env, c->servers, c->channels));
        MEM_RESERVE(t->fault_list, t->fault_cap, t->fault_count + 1);
        t->fault_list[t->fault_count] = kept;
        c->faults = (uint32_t)t->fault_count++;
        c->faults_known = true;
    }
    return &t->fault_list[t->context_list[ctx].faults];
}

/* What can happen to the servers, with these bounds. `ended`: every program has, which follows from the context. */
static config *config_of_servers(vectors *t, uint32_t bound, uint32_t ctx, effects faults, bool ended)
{
    config *x = config_add(t, SERVERS | bound, ctx, faults);
    context c = t->context_list[ctx];
    for (size_t i = 0; i < faults.count; i++) {
        const effect *f = &faults.items[i];
        print change = { 0 };
        uint32_t after = bounds_after(t, bound, f);
        quick *k = &x->quicks[i];
        *k = (quick){ .model = INTERN_NONE, .word = after, .servers = f->servers, .events = f->events, .step = f->step, .fault = f->kind == STEP_FAULT,
                      .simple = f->mail == PART_NONE, .stays = after == bound && f->servers == c.servers,
                      .context = context_with(t, f->servers, after, c.channels, ended) };
        print_change(&change, t->clients + AT_BOUNDS, bound, after);
        print_change(&change, t->clients + AT_SERVERS, c.servers, f->servers);
        k->change_hi = change.hi;
        k->change_lo = change.lo;
    }
    return x;
}

/* The step with which a task itself goes on, if there is just one and time does not pass in it: -1 otherwise. */
static int own_step(const vectors *t, const config *c, uint32_t task)
{
    int found = -1;
    for (uint32_t i = 0; i < c->count; i++) {
        const effect *f = &items_of(c)[i];
        bool own = parts_step(t->p, f->step).task == task && (f->holds || f->zero) &&
                   (f->kind == STEP_RUN || f->kind == STEP_ROUND_TRIP || f->kind == STEP_EXECUTE || f->kind == STEP_ANSWER);
        if (own && found >= 0)
            return -1;
        if (own)
            found = (int)i;
    }
    return found;
}

/* The task of this step, left alone and nothing on the servers changing: does it go round in a loop that takes no time, and does it
 * come back to the very state of its node in which the step was taken? */
static void loop_of(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    enum { LOOP_MAX = 64 };
    const effect *f = &items_of(c)[item];
    uint32_t task = parts_step(t->p, f->step).task, been[LOOP_MAX] = { node };
    bool round = false, back = false;
    for (int i = 1; i < LOOP_MAX && !round && !t->failed; i++) {
        if (f->servers != t->context_list[ctx].servers || f->mail != PART_NONE || f->node == PART_NONE || f->failed)
            break;
        been[i] = f->node;
        for (int k = 0; k < i; k++)
            round |= been[k] == f->node;
        back = f->node == node;
        const config *next = config_of(t, process, f->node, ctx);
        int own = own_step(t, next, task);
        if (own < 0)
            break;
        f = &items_of(next)[own];
    }
    cold_of(c)->spins[item].comes_back = back ? YES : NO;
    cold_of(c)->spins[item].goes_round = round ? YES : NO;
}

static bool comes_back(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    if (cold_of(c)->spins[item].comes_back == UNKNOWN)
        loop_of(t, process, node, ctx, c, item);
    return cold_of(c)->spins[item].comes_back == YES;
}

static bool goes_round(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c, uint32_t item)
{
    if (cold_of(c)->spins[item].goes_round == UNKNOWN)
        loop_of(t, process, node, ctx, c, item);
    return cold_of(c)->spins[item].goes_round == YES;
}

/* Does some step of the node hold time? A request that spins does not (DESIGN.md, "The world"). */
static bool holds(vectors *t, uint32_t process, uint32_t node, uint32_t ctx, config *c)
{
    if (c->held != UNKNOWN)
        return c->held == YES;
    bool held = false;
    for (uint32_t i = 0; i < c->count; i++) {
        const effect *f = &items_of(c)[i];
        if (!f->holds)
            continue;
        bool spin = f->asks && (f->kind == STEP_ROUND_TRIP || f->kind == STEP_EXECUTE) && comes_back(t, process, node, ctx, c, i);
        if (spin)
            cold_of(c)->spinning = parts_step(t->p, f->step).task;
        held |= !spin;
    }
    c->held = held ? YES : NO;
    return held;
}

/* ---- judging ---- */

/* Almost no judgement breaks anything: the table holds the monitors' state itself, or, marked, the place of both. */
#define BROKEN UINT32_C(0x80000000)
/* Judgements are looked up by events; those of a step of time by a number of their own, because time passes for monitors, too. */
#define AFTER_TIME UINT32_C(0x80000000)

static uint32_t judge_first(vectors *t, uint32_t model, uint32_t events, uint32_t key, uint32_t tasks, int64_t ms, uint32_t *broken)
{
    uint32_t after = parts_judge(t->p, model, events, tasks, ms, broken), known = after;
    assert(after < BROKEN);
    if (*broken) {
        MEM_RESERVE(t->judgements, t->judgement_cap, t->judgement_count + 1);
        t->judgements[t->judgement_count].model = after;
        t->judgements[t->judgement_count].broken = *broken;
        known = BROKEN | (uint32_t)t->judgement_count++;
    }
    map3_put(&t->judged, model, key, tasks, known);
    return after;
}

static inline uint32_t judge(vectors *t, uint32_t model, uint32_t events, uint32_t key, uint32_t tasks, int64_t ms, uint32_t *broken)
{
    uint32_t known = map3_find(&t->judged, model, key, tasks);
    *broken = 0;
    if (known < BROKEN)
        return known;
    if (known == INTERN_NONE)
        return judge_first(t, model, events, key, tasks, ms, broken);
    *broken = t->judgements[known - BROKEN].broken;
    return t->judgements[known - BROKEN].model;
}

/* ---- expanding ---- */

static happening *add(vectors *t)
{
    MEM_RESERVE(t->list, t->list_cap, t->count + 1);
    return &t->list[t->count++];
}

/* A row that is made at once, because more than a few words change. */
static uint32_t *add_row(vectors *t, const uint32_t *row, const happening *x)
{
    MEM_RESERVE(t->rows, t->row_cap, (t->row_count + 1) * t->width);
    happening *h = add(t);
    *h = *x;
    h->place = (uint32_t)t->row_count;
    h->number = (uint32_t)(t->count - 1 + t->same);
    uint32_t *to = t->rows + t->row_count++ * t->width;
    memcpy(to, row, t->width * sizeof *to);
    return to;
}

static void keep_print(const vectors *t, uint32_t *row, print p)
{
    uint32_t *at = row + t->clients + AT_PRINT;
    at[0] = (uint32_t)p.hi;
    at[1] = (uint32_t)(p.hi >> 32);
    at[2] = p.lo;
}

static print kept_print(const vectors *t, const uint32_t *row)
{
    const uint32_t *at = row + t->clients + AT_PRINT;
    return (print){ .hi = (uint64_t)at[1] << 32 | at[0], .lo = at[2] };
}

static void deliver(vectors *t, uint32_t *row, uint32_t mail)
{
    uint32_t q, message;
    for (size_t i = 0; parts_letter(t->p, mail, i, &q, &message); i++) {
        uint32_t node = node_of(row[q]), after = map3_find(&t->mailed, node, message, 0);
        if (after == INTERN_NONE) {
            after = parts_deliver(t->p, q, node, message);
            if (after == PART_NONE) {
                t->failed = true;
                return;
            }
            map3_put(&t->mailed, node, message, 0, after);
        }
        row[q] = after * FACTOR;
        follow(t, row, q, node);
    }
}

/* Monitors that have nothing to remember, before and after, do not ask who can move: the last judgement holds whoever that is. */
#define ANY_TASKS INTERN_NONE

static inline void apply_quick(vectors *t, const uint32_t *row, print from, uint32_t process, quick *k)
{
    size_t n = t->clients;
    uint32_t was = row[n + AT_MODEL], tasks = row[n + AT_TASKS], broken = 0, model = k->after;
    if (k->model != was || (k->tasks != tasks && k->tasks != ANY_TASKS)) {
        model = judge(t, was, k->events, k->events, tasks, 0, &broken);
        if (!broken) {
            k->model = was;
            k->tasks = was == t->blank && model == t->blank ? ANY_TASKS : tasks;
            k->after = model;
        }
    }
    bool same = k->stays & (model == was);
    happening *x = &t->list[t->count];
    x->print = (print){ .hi = from.hi ^ k->change_hi, .lo = from.lo ^ k->change_lo };      /* of the rest only what every search reads */
    x->quick = k;
    x->number = (uint32_t)(t->count + t->same);
    x->process = process;
    x->model = model;
    x->broken = broken;
    x->fault = k->fault;
    x->same = same;
    if (model != was)
        print_change(&x->print, n + AT_MODEL, was, model);
    /* No branch: whether a client's step changes anything cannot be foreseen. */
    bool left_out = same & !broken & !t->want_same;
    t->same += left_out;
    t->count += !left_out;
}

static void finish_row(vectors *t, const uint32_t *row, uint32_t *to, uint32_t broken)
{
    happening *x = &t->list[t->count - 1];
    x->broken = broken;
    x->model = to[t->clients + AT_MODEL];
    x->print = kept_print(t, row);
    for (size_t i = 0; i <= t->clients + AT_MODEL; i++)
        print_change(&x->print, i, row[i], to[i]);
    x->same = memcmp(row, to, (t->clients + AT_TASKS) * sizeof *to) == 0;
    keep_print(t, to, x->print);
}

/* Any effect on any row. `aged`: the node's loop goes on after it. */
static void apply(vectors *t, const uint32_t *row, uint32_t process, const effect *f, bool aged)
{
    size_t n = t->clients;
    uint32_t broken, *to = add_row(t, row, &(happening){ .process = process, .step = f->step, .events = f->events, .fault = f->kind == STEP_FAULT });
    to[n + AT_SERVERS] = f->servers;
    if (process != NOBODY) {
        to[process] = f->node * FACTOR + aged;
        follow(t, to, process, node_of(row[process]));
    }
    if (f->mail != PART_NONE)
        deliver(t, to, f->mail);
    to[n + AT_BOUNDS] = bounds_after(t, row[n + AT_BOUNDS], f);
    to[n + AT_MODEL] = judge(t, row[n + AT_MODEL], f->events, f->events, to[n + AT_TASKS], 0, &broken);
    to[n + AT_CONTEXT] = context_id(t, to);
    finish_row(t, row, to, broken);
}

static uint32_t length_id(vectors *t, int64_t ms)
{
    uint32_t known = map3_find(&t->times, (uint32_t)ms, (uint32_t)((uint64_t)ms >> 32), 0);
    if (known != INTERN_NONE)
        return known;
    MEM_RESERVE(t->lengths, t->length_cap, t->length_count + 1);
    t->lengths[t->length_count] = ms;
    map3_put(&t->times, (uint32_t)ms, (uint32_t)((uint64_t)ms >> 32), 0, (uint32_t)t->length_count);
    return (uint32_t)t->length_count++;
}

/* How long until the next instant of a node that spins; learned once. */
static int64_t ahead(vectors *t, uint32_t q, uint32_t node, uint32_t spinning, bool number_now)
{
    uint32_t length = map3_find(&t->ahead, node, spinning, number_now);
    if (length == INTERN_NONE) {
        length = length_id(t, parts_ahead(t->p, q, node, spinning, number_now));
        map3_put(&t->ahead, node, spinning, number_now, length);
    }
    return t->lengths[length];
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* How long until something can differ; INT64_MAX: never. */
static int64_t next_length(vectors *t, const uint32_t *row, const bounds *b)
{
    size_t n = t->clients;
    bool number_now = b->number_now;
    int64_t ms = parts_servers(t->p, row[n + AT_SERVERS])->next_ms[number_now];
    for (uint32_t q = 0; q < n; q++) {
        uint32_t node = node_of(row[q]);
        const config *c = config_of(t, q, node, row[n + AT_CONTEXT]);
        if (cold_of(c)->spinning == NOBODY) {
            ms = least(ms, parts_node(t->p, node)->next_ms[number_now]);
            continue;
        }
        ms = least(ms, ahead(t, q, node, cold_of(c)->spinning, number_now));
        if (!(row[q] & 1))
            ms = least(ms, 1);             /* a loop in zero time: real polls take some */
    }
    if (ms > b->left_ms)
        return b->left_ms > 0 && ms != INT64_MAX ? b->left_ms : INT64_MAX;
    return ms;
}

static bool holds_number(const int64_t *numbers, size_t count, int64_t ms)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] == ms)
            return true;
    return false;
}

static bool known_number(vectors *t, const uint32_t *row, int64_t ms)
{
    const servers_facts *s = parts_servers(t->p, row[t->clients + AT_SERVERS]);
    bool found = holds_number(s->numbers, s->number_count, ms);
    for (size_t q = 0; q < t->clients && !found; q++) {
        const node_facts *f = parts_node(t->p, node_of(row[q]));
        found = holds_number(f->numbers, f->number_count, ms);
    }
    return found;
}

static uint32_t age_node(vectors *t, uint32_t q, uint32_t node, uint32_t length, uint32_t spinning)
{
    uint32_t after = map3_find(&t->aged_nodes, node, length, spinning);
    if (after != INTERN_NONE)
        return after;
    after = parts_age_node(t->p, q, node, t->lengths[length], spinning);
    if (after == PART_NONE) {
        t->failed = true;
        return node;
    }
    map3_put(&t->aged_nodes, node, length, spinning, after);
    return after;
}

static uint32_t expiry(vectors *t, uint32_t before, uint32_t after, uint32_t length, uint32_t env)
{
    uint32_t key = map3_find(&t->time_events, length, env, 0);
    if (key == INTERN_NONE) {
        key = (uint32_t)t->time_events.count;
        map3_put(&t->time_events, length, env, 0, key);
    }
    uint32_t id = map3_find(&t->expiries, before, after, key);
    if (id == INTERN_NONE) {
        uint64_t seen = 0;
        id = parts_expiry(t->p, before, after, t->lengths[length], env, &seen);
        t->seen |= seen;
        if (id == PART_NONE) {
            t->failed = true;
            return 0;
        }
        map3_put(&t->expiries, before, after, key, id);
    }
    return id;
}

static void pass_time(vectors *t, const uint32_t *row, int64_t ms, const bounds *was)
{
    size_t n = t->clients;
    uint32_t length = length_id(t, ms), broken = 0;
    uint32_t *to = add_row(t, row, &(happening){ .process = NOBODY, .step = PART_NONE, .ms = ms });
    bounds b = *was;       /* a copy: the list may move */
    b.number_now = known_number(t, row, ms);
    b.left_ms = b.left_ms == INT64_MAX ? INT64_MAX : b.left_ms - ms;
    b.now_ms += t->absolute ? ms : 0;
    uint32_t env = t->context_list[row[n + AT_CONTEXT]].env, servers = row[n + AT_SERVERS];
    uint32_t after = map3_find(&t->aged_servers, servers, length, t->absolute ? env : 0);
    if (after == INTERN_NONE) {
        after = parts_age_servers(t->p, servers, ms, env);
        map3_put(&t->aged_servers, servers, length, t->absolute ? env : 0, after);
    }
    to[n + AT_SERVERS] = after;
    to[n + AT_BOUNDS] = bounds_id(t, &b);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t node = node_of(row[q]);
        uint32_t spinning = cold_of(config_of(t, q, node, row[n + AT_CONTEXT]))->spinning;
        to[q] = age_node(t, q, node, length, spinning) * FACTOR;
        follow(t, to, q, node);
    }
    to[n + AT_CONTEXT] = context_id(t, to);
    /* A loop in zero time that still turns after time has passed. */
    for (uint32_t q = 0; q < n && !t->failed; q++) {
        uint32_t spun = cold_of(config_of(t, q, node_of(row[q]), row[n + AT_CONTEXT]))->spinning;
        if (spun == NOBODY)
            continue;
        uint32_t node = node_of(to[q]);
        config *c = config_of(t, q, node, to[n + AT_CONTEXT]);
        int own = own_step(t, c, spun);
        if (own < 0 || !goes_round(t, q, node, to[n + AT_CONTEXT], c, (uint32_t)own))
            continue;
        to[q] |= 1;
        if (!(row[q] & 1))
            broken |= UINT32_C(1) << PROPERTY_NO_BUSY_WAIT;
    }
    if (!t->h->sc->model.judged[PROPERTY_NO_BUSY_WAIT])
        broken = 0;
    uint32_t events = expiry(t, servers, after, length, env);
    uint32_t key = map3_find(&t->time_keys, length, events, 0), by_monitors = 0;
    if (key == INTERN_NONE) {
        key = AFTER_TIME | (uint32_t)t->time_keys.count;
        map3_put(&t->time_keys, length, events, 0, key);
    }
    to[n + AT_MODEL] = judge(t, row[n + AT_MODEL], events, key, to[n + AT_TASKS], ms, &by_monitors);
    t->list[t->count - 1].events = events;
    finish_row(t, row, to, broken | by_monitors);
}

/* All that a configuration lists. `aged`: the process's loop in zero time has gone on for a while. */
static void take_all(vectors *t, const uint32_t *row, uint32_t process, config *c, bool aged)
{
    print from = kept_print(t, row);
    if (t->count + c->count > t->list_cap)
        MEM_RESERVE(t->list, t->list_cap, t->count + c->count);
    for (uint32_t i = 0; i < c->count && !t->failed; i++) {
        if (c->quicks[i].simple & !aged)
            apply_quick(t, row, from, process, &c->quicks[i]);
        else if (items_of(c)[i].failed)
            t->failed = !t->going_back;
        else
            apply(t, row, process, &items_of(c)[i], aged && goes_round(t, process, c->node, c->context, c, i));
    }
}

static bool steps_of_processes(vectors *t, const uint32_t *row)
{
    uint32_t ctx = row[t->clients + AT_CONTEXT];
    bool held = false;
    for (size_t q = 0; q < t->clients; q++)        /* first all of them: their memory comes at one time */
        t->moves[q] = t->configs[config_slot(t, node_of(row[q]), ctx)];
    for (uint32_t q = 0; q < t->clients && !t->failed; q++) {
        config *c = t->moves[q] ? t->moves[q] : config_of(t, q, node_of(row[q]), ctx);
        held |= holds(t, q, c->node, ctx, c);
        take_all(t, row, q, c, row[q] & 1);
    }
    return held;
}

static void steps_of_servers(vectors *t, const uint32_t *row)
{
    uint32_t ctx = row[t->clients + AT_CONTEXT], bound = row[t->clients + AT_BOUNDS];
    const effects *faults = server_faults(t, ctx);
    if (faults->count == 0)
        return;
    if (t->bound_list[bound].left_ms != INT64_MAX) {           /* too many bounds to keep so much for each */
        for (size_t i = 0; i < faults->count && !t->failed; i++)
            apply(t, row, NOBODY, &faults->items[i], false);
        return;
    }
    config *c = t->configs[config_slot(t, SERVERS | bound, ctx)];
    take_all(t, row, NOBODY, c ? c : config_of_servers(t, bound, ctx, *faults, tasks_ended(t, row)), false);
}

bool vectors_look(vectors *t, const uint32_t *row, const happening **list, size_t *count, size_t *same)
{
    size_t n = t->clients;
    if (t->rerun) {
        *same = 0;
        return rerun_expand(t->rerun, row, list, &t->rerun_rows, count);
    }
    t->count = t->row_count = t->same = 0;
    bool held = steps_of_processes(t, row);
    if (!t->failed)
        steps_of_servers(t, row);
    const bounds *b = &t->bound_list[row[n + AT_BOUNDS]];
    int64_t ms = INT64_MAX;
    if (!t->failed && !held)
        ms = next_length(t, row, b);
    else if (!t->failed && b->left_ms > 0 && parts_servers(t->p, row[n + AT_SERVERS])->deadline_now)
        ms = 1;            /* both orders at a boundary are seen */
    if (ms != INT64_MAX)
        pass_time(t, row, ms, b);
    *list = t->list;
    *count = t->count;
    *same = t->same;
    if (t->failed) {
        t->h->failed = true;
        parts_error(t->p, &t->h->out->error);
    }
    return !t->failed;
}

void vectors_row(const vectors *t, const uint32_t *row, const happening *x, uint32_t *to)
{
    const quick *k = x->quick;
    if (t->rerun) {
        memcpy(to, t->rerun_rows + x->number * t->width, t->width * sizeof *to);
        return;
    }
    memcpy(to, k ? row : t->rows + x->place * t->width, t->width * sizeof *to);
    if (!k)
        return;
    to[x->process == NOBODY ? t->clients + AT_BOUNDS : x->process] = k->word;
    to[t->clients + AT_SERVERS] = k->servers;
    to[t->clients + AT_MODEL] = x->model;
    to[t->clients + AT_CONTEXT] = k->context;
    keep_print(t, to, x->print);
}

/* What a quick step left unsaid. */
static void tell_all(happening *x)
{
    x->step = x->quick->step;
    x->events = x->quick->events;
    x->ms = 0;
}

bool vectors_expand(vectors *t, const uint32_t *row, const happening **list, const uint32_t **rows, size_t *count)
{
    size_t same;
    t->want_same = true;
    bool ok = vectors_look(t, row, list, count, &same);
    t->want_same = false;
    if (!ok)
        return false;
    MEM_RESERVE(t->all_rows, t->all_cap, (*count + 1) * t->width);
    for (size_t i = 0; i < *count; i++) {
        vectors_row(t, row, &(*list)[i], t->all_rows + i * t->width);
        if (!t->rerun && t->list[i].quick)
            tell_all(&t->list[i]);
    }
    *rows = t->all_rows;
    return true;
}

uint32_t vectors_settle(vectors *t, const uint32_t *row)
{
    if (t->rerun)
        return rerun_settle(t->rerun, row);
    size_t n = t->clients, subscriptions = 0;
    bool ended = tasks_ended(t, row);
    bounds b = t->bound_list[row[n + AT_BOUNDS]];
    if (!ended && next_length(t, row, &(bounds){ .left_ms = INT64_MAX, .number_now = b.number_now }) != INT64_MAX)
        return 0;          /* the run is cut here; who waits for a later instant is not stuck */
    for (size_t q = 0; q < n; q++)
        subscriptions += parts_node(t->p, node_of(row[q]))->subscriptions;
    return parts_settle(t->p, row[n + AT_MODEL], row[n + AT_SERVERS], b.locks, row[n + AT_TASKS], ended, subscriptions);
}

/* ---- for the graph of all states ---- */

uint64_t vectors_waits(vectors *t, const uint32_t *row)
{
    uint64_t bits = parts_waiters(t->p, row[t->clients + AT_MODEL]);
    for (size_t q = 0; q < t->clients; q++)
        bits |= parts_standing(t->p, node_of(row[q]));
    return bits;
}

uint64_t vectors_progress(vectors *t, const uint32_t *row, const happening *x)
{
    bool hand_off;
    uint64_t bits = parts_progress(t->p, x->events, &hand_off);
    if (x->process != NOBODY && x->step != PART_NONE)
        bits |= parts_stands_no_more(t->p, node_of(row[x->process]), x->step);
    return bits;
}

uint32_t vectors_rest(vectors *t, const uint32_t *row)
{
    if (t->rerun)
        return rerun_settle(t->rerun, row);
    size_t n = t->clients;
    uint32_t locks = t->bound_list[row[n + AT_BOUNDS]].locks, channels = row[n + AT_CHANNELS], key = map3_find(&t->rest_keys, locks, channels, row[n + AT_TASKS]);
    if (key == INTERN_NONE) {
        key = (uint32_t)t->rest_keys.count;
        map3_put(&t->rest_keys, locks, channels, row[n + AT_TASKS], key);
    }
    uint32_t broken = map3_find(&t->rests, row[n + AT_MODEL], row[n + AT_SERVERS], key);
    if (broken == INTERN_NONE) {
        broken = vectors_settle(t, row);
        map3_put(&t->rests, row[n + AT_MODEL], row[n + AT_SERVERS], key, broken);
    }
    return broken;
}

bool vectors_cut(const vectors *t, const uint32_t *row)
{
    return t->rerun ? rerun_cut(t->rerun, row) : t->bound_list[row[t->clients + AT_BOUNDS]].left_ms <= 0;
}

uint32_t vectors_spinning(vectors *t, const uint32_t *row, uint32_t process)
{
    if (t->rerun)
        return rerun_spinning(t->rerun, row, process);
    uint32_t node = node_of(row[process]), ctx = row[t->clients + AT_CONTEXT];
    config *c = config_of(t, process, node, ctx);
    holds(t, process, node, ctx, c);
    return cold_of(c)->spinning;
}

uint32_t vectors_own_step(vectors *t, const uint32_t *row, uint32_t process, uint32_t task)
{
    if (t->rerun)
        return rerun_own_step(t->rerun, row, process, task);
    const config *c = config_of(t, process, node_of(row[process]), row[t->clients + AT_CONTEXT]);
    int own = own_step(t, c, task);
    return own < 0 ? PART_NONE : items_of(c)[own].step;
}

uint32_t vectors_mover(vectors *t, const uint32_t *row, const happening *x)
{
    return parts_mover(t->p, node_of(row[x->process]), x->step);
}

/* ---- making ---- */

vectors *vectors_new(hunt *h, bool absolute)
{
    world_options wo = run_options(h, NULL, false);
    parts *p = parts_new(h->sc, h->l, &wo, h->o->no_memo || absolute, absolute, &h->out->error);
    if (!p) {
        h->failed = true;
        return NULL;
    }
    vectors *t = mem_zero(sizeof *t);
    t->h = h;
    t->p = p;
    t->absolute = absolute;
    t->clients = h->sc->client_count;
    t->width = t->clients + AT_EXTRA;
    t->memory = arena_new();
    t->hot = arena_new();
    t->moves = ARENA_ARRAY(t->memory, config *, t->clients);
    grow_configs(t);
    t->bound_bytes = intern_new();
    if (h->o->no_memo || absolute) {           /* tables know distances from now only */
        t->rerun = rerun_new(h, p);
        if (t->rerun)
            return t;
        vectors_free(t);
        return NULL;
    }
    const part_state *s = parts_begin(p);
    bounds b = { .locks = s->locks, .left_ms = h->sc->end_ms, .now_ms = absolute ? WORLD_EPOCH_MS : 0 };
    for (int k = 0; k < FAULT_KINDS; k++)
        b.budget[k] = h->sc->faults[k].budget;
    uint32_t *row = t->first = ARENA_ARRAY(t->memory, uint32_t, t->width);
    for (size_t q = 0; q < t->clients; q++)
        row[q] = s->nodes[q] * FACTOR;
    row[t->clients + AT_SERVERS] = s->servers;
    row[t->clients + AT_BOUNDS] = bounds_id(t, &b);
    row[t->clients + AT_MODEL] = s->model;
    row[t->clients + AT_TASKS] = all_tasks(t, row);
    row[t->clients + AT_CHANNELS] = all_channels(t, row);
    row[t->clients + AT_CONTEXT] = context_id(t, row);
    keep_print(t, row, vectors_print(t, row));
    t->first_broken = s->broken;
    t->blank = s->blank;
    t->seen = s->seen;
    return t;
}

void vectors_free(vectors *t)
{
    if (!t)
        return;
    rerun_free(t->rerun);
    map3 *maps[] = { &t->time_keys, &t->spent, &t->contexts, &t->mailed, &t->aged_nodes, &t->aged_servers, &t->judged, &t->envs, &t->times,
                     &t->time_events, &t->tasks_after, &t->ahead, &t->expiries, &t->rest_keys, &t->rests };
    for (size_t i = 0; i < COUNT(maps); i++)
        map3_free(maps[i]);
    void *arrays[] = { t->configs, t->context_list, t->fault_list, t->judgements, t->lengths, t->ended, t->list, t->rows, t->all_rows, t->bound_list };
    for (size_t i = 0; i < COUNT(arrays); i++)
        mem_free(arrays[i]);
    intern_free(t->bound_bytes);
    arena_free(t->memory);
    arena_free(t->hot);
    parts_free(t->p);
    mem_free(t);
}

void vectors_go_back(vectors *t)
{
    t->failed = false;
    t->going_back = true;
}

size_t vectors_width(const vectors *t) { return t->width; }
parts *vectors_parts(vectors *t) { return t->p; }
uint64_t vectors_requests(const vectors *t) { return t->rerun ? rerun_requests(t->rerun) : 0; }
bool vectors_slow(const vectors *t) { return t->rerun != NULL; }
uint64_t vectors_seen(const vectors *t) { return t->rerun ? rerun_seen(t->rerun) : t->seen; }
bool vectors_ended(const vectors *t, const uint32_t *row)
{
    return t->rerun ? nodes_ended(t, row) : tasks_ended((vectors *)t, row);
}

const uint32_t *vectors_begin(const vectors *t, uint32_t *broken)
{
    if (t->rerun)
        return rerun_begin(t->rerun, broken);
    *broken = t->first_broken;
    return t->first;
}

size_t vectors_bytes(const vectors *t)
{
    const map3 *maps[] = { &t->time_keys, &t->spent, &t->contexts, &t->mailed, &t->aged_nodes, &t->aged_servers, &t->judged, &t->envs, &t->times,
                           &t->time_events, &t->tasks_after, &t->ahead, &t->expiries, &t->rest_keys, &t->rests };
    size_t bytes = arena_bytes(t->memory) + arena_bytes(t->hot) + intern_bytes(t->bound_bytes) + parts_bytes(t->p);
    for (size_t i = 0; i < COUNT(maps); i++)
        bytes += map3_bytes(maps[i]);
    return bytes + t->config_cap * sizeof *t->configs + t->context_cap * sizeof *t->context_list +
           t->judgement_cap * sizeof *t->judgements;
}
