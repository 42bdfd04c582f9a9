/* random.c - sampled search: uniform choice, and PCT.
 * PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
 * bugs", ASPLOS 2010: every task gets a random priority, the highest enabled one runs, and at depth-1 random steps the
 * running one falls to the bottom. A bug that needs `depth` ordering constraints is found with probability at least
 * 1/(n k^(depth-1)). */
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "search/internal.h"
#include "world/follow.h"

/* Streams of one seed: choices of one kind do not move those of another. */
enum { STREAM_STEPS = 1, STREAM_FAULTS = 2, STREAM_PRIORITIES = 3, STREAM_TIMES = 4, STREAM_IDS = 5 };

/* A fault planned for this run: its kind, and the step from which it strikes as soon as it can. */
typedef struct {
    fault_kind kind;
    size_t from;
    bool done;
} plan;

typedef struct {
    uint64_t key, priority;
} ranked;

/* When this run's pauses end: like any other step, with probability 1/16 at each step, or when nothing else is left.
 * Some pauses must outlast a lease while others poll every few milliseconds. */
typedef enum { PAUSES_SHORT, PAUSES_LONG, PAUSES_LONGEST, PAUSES } pause_kind;

typedef struct {
    strategy_kind strategy;
    pause_kind pauses;
    rng steps, faults, priorities, times;
    arena *memory;         /* of the constants */
    const int64_t *constants;          /* of the code known so far */
    size_t constant_count;
    bool passed;           /* time has just passed although nothing was ahead */
    plan *plans;
    size_t plan_count, plan_cap;
    size_t *changes;       /* PCT: steps at which the running task's priority falls */
    size_t change_count, change_cap;
    uint64_t salt;         /* PCT: for this run's priorities */
    ranked *changed;       /* PCT: priorities that have changed */
    size_t changed_count, changed_cap;
    uint32_t *list;        /* positions of candidates */
    size_t list_cap;
} dice;

/* Faults and changes are planned within the longest run so far; before the first run this is a guess. */
enum { FIRST_LENGTH = 32 };

static void plan_run(dice *d, const scenario *sc, size_t length)
{
    d->plan_count = d->change_count = d->changed_count = 0;
    d->passed = false;
    d->pauses = (pause_kind)rng_below(&d->faults, PAUSES);
    for (int k = 0; k < FAULT_KINDS; k++)
        for (uint32_t i = 0; i < sc->faults[k].budget; i++) {
            size_t from = (size_t)rng_below(&d->faults, length);
            if (rng_below(&d->faults, 4) == 0)
                continue;  /* runs with fewer faults are useful, too */
            MEM_RESERVE(d->plans, d->plan_cap, d->plan_count + 1);
            d->plans[d->plan_count++] = (plan){ .kind = (fault_kind)k, .from = from };
        }
    if (d->strategy == STRATEGY_PCT)
        d->salt = rng_next(&d->priorities);
    for (uint32_t i = 1; d->strategy == STRATEGY_PCT && i < sc->depth; i++) {
        MEM_RESERVE(d->changes, d->change_cap, d->change_count + 1);
        d->changes[d->change_count++] = (size_t)rng_below(&d->priorities, length);
    }
}

/* The owner of a step, for priorities: a task, a connection's messages, or the clock. */
static uint64_t owner(const step *s)
{
    if (s->kind == STEP_TIME)
        return UINT64_MAX;
    uint64_t what = s->kind == STEP_MESSAGE ? 2 + s->server : s->kind == STEP_RESUME ? 1 : 0;
    return (uint64_t)s->process << 40 | what << 32 | (s->task == NOBODY ? 0 : s->task);
}

/* A task's first priority is drawn from its name, so it depends on no other task; only changes are stored. Those of
 * spinning tasks are dropped when there are many, as a long run with ever new tasks would store them all: they fall
 * again at their next step. */
static uint64_t priority(const dice *d, uint64_t key)
{
    for (size_t i = 0; i < d->changed_count; i++)
        if (d->changed[i].key == key)
            return d->changed[i].priority;
    return (XXH3_64bits_withSeed(&key, sizeof key, d->salt) >> 1) + d->change_count + 1;
}

static void set_priority(dice *d, uint64_t key, uint64_t to)
{
    enum { CHANGED_MAX = 64 };
    size_t kept = 0;
    for (size_t i = 0; i < d->changed_count; i++)
        if (d->changed[i].key != key && (d->changed_count < CHANGED_MAX + d->change_count ||
                                         d->changed[i].priority <= d->change_count))
            d->changed[kept++] = d->changed[i];
    d->changed_count = kept;
    MEM_RESERVE(d->changed, d->changed_cap, kept + 1);
    d->changed[d->changed_count++] = (ranked){ .key = key, .priority = to };
}

/* PCT: the candidate of highest priority; if its owner has several (a choice, an answer or a time-out), any of them. */
static size_t highest(dice *d, const step *steps, size_t n, size_t step_number)
{
    uint64_t best = owner(&steps[d->list[0]]);
    for (size_t i = 1; i < n; i++) {
        uint64_t key = owner(&steps[d->list[i]]);
        if (key != best && priority(d, key) > priority(d, best))
            best = key;
    }
    size_t ways = 0;
    for (size_t i = 0; i < n; i++)
        if (owner(&steps[d->list[i]]) == best)
            d->list[ways++] = d->list[i];
    size_t taken = d->list[ways > 1 ? rng_below(&d->steps, ways) : 0];
    for (size_t c = 0; c < d->change_count; c++)
        if (d->changes[c] == step_number)
            set_priority(d, best, c + 1);
    if (!steps[taken].holds_time)  /* a spinning task of highest priority would run for ever: it yields */
        set_priority(d, best, rng_below(&d->priorities, UINT64_MAX >> 1) + d->change_count + 1);
    return taken;
}

static size_t strike(dice *d, const step *steps, size_t count, size_t step_number)
{
    for (size_t p = 0; p < d->plan_count; p++) {
        if (d->plans[p].done || d->plans[p].from > step_number)
            continue;
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            if (steps[i].kind == STEP_FAULT && steps[i].fault == d->plans[p].kind)
                d->list[n++] = (uint32_t)i;
        if (n == 0)
            continue;
        d->plans[p].done = true;
        return d->list[rng_below(&d->faults, n)];
    }
    return SIZE_MAX;
}

/* ---- time ---- */

/* Where something can happen at any moment, half of the lengths are drawn from near known instants and from where a
 * constant of the code would meet one, half from the whole interval to the next instant. */
static int64_t draw_near(dice *d, world *w, int64_t upto_ms)
{
    enum { TRIES = 8 };
    const int64_t *instants;
    size_t count = world_instants(w, &instants);
    for (int i = 0; i < TRIES && count > 0; i++) {
        int64_t ms = instants[rng_below(&d->times, count)] - world_now_ms(w);
        ms += rng_below(&d->times, 2) ? (int64_t)rng_below(&d->times, 3) - 1 : 0;
        int64_t constant_ms = d->constant_count && rng_below(&d->times, 4)
                              ? d->constants[rng_below(&d->times, d->constant_count)] : 0;
        /* it may count seconds */
        constant_ms *= rng_below(&d->times, 8) == 0 && constant_ms < RUN_PASSES_MAX_MS / 1000 ? 1000 : 1;
        ms += rng_below(&d->times, 2) ? constant_ms : -constant_ms;
        if (ms > 0 && ms <= upto_ms)
            return ms;
    }
    return upto_ms;
}

/* For an interval without end: up to some constant. */
static int64_t draw_anywhere(dice *d, int64_t upto_ms, bool ends)
{
    if (!ends && d->constant_count) {
        int64_t constant_ms = d->constants[rng_below(&d->times, d->constant_count)];
        upto_ms = constant_ms < upto_ms ? constant_ms + 1 : upto_ms;
    }
    return 1 + (int64_t)rng_below(&d->times, (uint64_t)upto_ms);
}

/* next_ms INT64_MAX: nothing is ahead. */
static int64_t draw_length(dice *d, world *w, int64_t next_ms)
{
    bool ends = next_ms != INT64_MAX;
    int64_t left_ms = world_left_ms(w), upto_ms = next_ms < left_ms ? next_ms : left_ms;
    if (upto_ms > RUN_PASSES_MAX_MS)
        upto_ms = RUN_PASSES_MAX_MS;
    if (upto_ms <= 0)
        return 0;
    if (rng_below(&d->times, 2) == 0)
        return draw_anywhere(d, upto_ms, ends);
    return ends && rng_below(&d->times, 2) == 0 ? upto_ms : draw_near(d, w, upto_ms);
}

/* A step that runs code, and can do so at any moment from now on. */
static bool is_open(const step *s)
{
    return !s->holds_time && s->kind != STEP_TIME && s->kind != STEP_FAULT;
}

typedef struct { bool open, held, time; } moment;

static moment moment_of(const step *steps, size_t count)
{
    moment m = { 0 };
    for (size_t i = 0; i < count; i++) {
        m.open |= is_open(&steps[i]);
        m.held |= steps[i].holds_time;
        m.time |= steps[i].kind == STEP_TIME;
    }
    return m;
}

/* The choice in whose place time passes, for a drawn length; or the choice itself. */
static size_t draw_time(dice *d, world *w, const step *steps, size_t count, size_t choice)
{
    moment m = moment_of(steps, count);
    bool passes = steps[choice].kind == STEP_TIME;
    int64_t ms = 0;
    if (m.open && !m.held && passes && steps[choice].amount > 1)
        ms = draw_length(d, w, steps[choice].amount);
    else if (m.open && !m.held && !m.time && !d->passed && rng_below(&d->times, 2))
        ms = draw_length(d, w, INT64_MAX);
    d->passed = ms > 0 && !passes;
    return ms > 0 && !(passes && ms == steps[choice].amount) ? RUN_PASSES | (size_t)ms : choice;
}

static size_t throw_dice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    dice *d = chooser;
    MEM_RESERVE(d->list, d->list_cap, count);
    bool idle = only_faults(steps, count);
    if (idle && rng_below(&d->faults, 2) == 0)
        return RUN_SETTLE;
    /* near the end: every planned fault may strike now */
    size_t fault = strike(d, steps, count, idle ? SIZE_MAX : step_number);
    if (fault != SIZE_MAX)
        return fault;
    if (idle)
        return RUN_SETTLE;
    size_t n = 0;
    bool patient = d->pauses == PAUSES_LONGEST || (d->pauses == PAUSES_LONG && rng_below(&d->steps, 16) != 0);
    for (int pass = 0; pass < 2 && n == 0; pass++)
        for (size_t i = 0; i < count; i++)
            if (steps[i].kind != STEP_FAULT && (pass == 1 || !patient || steps[i].kind != STEP_RESUME))
                d->list[n++] = (uint32_t)i;
    size_t choice = d->strategy == STRATEGY_UNIFORM ? d->list[rng_below(&d->steps, n)]
                    : highest(d, steps, n, step_number);
    return draw_time(d, w, steps, count, choice);
}

static bool all_settled(const hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && property_describe((property)p)->along_a_run && !h->found[p].yes)
            return false;
    return true;
}

/* Scripts are known after they were sent: the first runs find most of them. */
static void know_constants(dice *d, const scenario *sc)
{
    int64_t *list;
    arena_reset(d->memory);
    d->constant_count = follow_constants(sc, d->memory, &list);
    d->constants = list;
}

/* Half of the runs use the order of the names. */
static const scenario *draw_order(hunt *h, rng *ids)
{
    size_t count = ids_orders(h->sc->client_count), i = rng_below(ids, 2) ? 0 : (size_t)rng_below(ids, count);
    if (!h->orders_drawn)
        h->orders_drawn = ARENA_ARRAY(h->a, const scenario *, count);
    if (!h->orders_drawn[i])
        h->orders_drawn[i] = ids_order(h->a, h->sc, i);
    return h->orders_drawn[i];
}

void search_random(hunt *h)
{
    enum { RUNS_WITHOUT_A_GRANT = 10 };
    const search_options *o = h->o;
    uint64_t runs = o->runs ? o->runs : h->sc->runs;
    strategy_kind strategy = h->sc->strategy;
    h->runs = runs;
    if (o->strategy)
        strategy = strcmp(o->strategy, "pct") == 0 ? STRATEGY_PCT : STRATEGY_UNIFORM;
    h->out->search.strategy = strategy == STRATEGY_PCT ? arena_printf(h->a, "pct depth %u", h->sc->depth)
                              : S("uniform");
    dice d = { .memory = arena_new(), .strategy = strategy, .steps = rng_new(o->seed, STREAM_STEPS),
               .faults = rng_new(o->seed, STREAM_FAULTS),
               .priorities = rng_new(o->seed, STREAM_PRIORITIES), .times = rng_new(o->seed, STREAM_TIMES) };
    const scenario *sc = h->sc;
    rng ids = rng_new(o->seed, STREAM_IDS);
    bool open = false;
    for (uint64_t i = 0; i < runs && !h->settled; i++) {
        h->sc = sc;
        if ((i & (i - 1)) == 0) {
            know_constants(&d, h->sc);
            open = i > 0 && naming_is_open(h);     /* the first run has loaded all of the code */
        }
        if (open)
            h->sc = draw_order(h, &ids);
        plan_run(&d, h->sc, h->out->search.longest ? (size_t)h->out->search.longest : FIRST_LENGTH);
        if (!run_once(h, throw_dice, &d))
            break;
        if (h->cut_runs > 0 && i + 1 >= RUNS_WITHOUT_A_GRANT && !hunt_granted(h) && plain_is_vacuous(h)) {
            run_stop(h, h->vacuous);
            break;
        }
        h->settled = i + 1 < runs && all_settled(h);
    }
    h->sc = sc;
    mem_free(d.plans);
    mem_free(d.changes);
    mem_free(d.changed);
    mem_free(d.list);
    arena_free(d.memory);
}
