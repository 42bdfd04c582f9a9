/* random.c - sampled search: uniform choice, and PCT.
 * PCT: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding bugs",
 * ASPLOS 2010: every task gets a random priority, the highest enabled one runs, and at depth-1 random steps the running one falls
 * to the bottom. A bug that needs `depth` ordering constraints is found with probability at least 1/(n k^(depth-1)). */
#include <string.h>

#include <xxhash.h>

#include "base/mem.h"
#include "search/internal.h"

/* Streams of one seed, so that a choice of one kind does not move those of another. */
enum { STREAM_STEPS = 1, STREAM_FAULTS = 2, STREAM_PRIORITIES = 3 };

/* A fault that this run plans: its kind and the step from which on it strikes when it can. */
typedef struct {
    fault_kind kind;
    size_t from;
    bool done;
} plan;

typedef struct {
    uint64_t key, priority;
} ranked;

/* How soon this run's pauses end: as soon as any other step, one chance in sixteen at each step, or when nothing else is left. A pause
 * must be able to outlast a lease while others poll every few milliseconds. */
typedef enum { PAUSES_SHORT, PAUSES_LONG, PAUSES_LONGEST, PAUSES } pause_kind;

typedef struct {
    strategy_kind strategy;
    pause_kind pauses;
    rng steps, faults, priorities;
    plan *plans;
    size_t plan_count, plan_cap;
    size_t *changes;       /* PCT: steps at which the running task falls */
    size_t change_count, change_cap;
    uint64_t salt;         /* PCT: of this run's priorities */
    ranked *changed;       /* PCT: priorities that are no longer the first ones */
    size_t changed_count, changed_cap;
    uint32_t *list;        /* positions of candidates */
    size_t list_cap;
} dice;

/* The longest run so far says where faults and changes may fall; before the first run this is guessed. */
enum { FIRST_LENGTH = 32 };

static void plan_run(dice *d, const scenario *sc, size_t length)
{
    d->plan_count = d->change_count = d->changed_count = 0;
    d->pauses = (pause_kind)rng_below(&d->faults, PAUSES);
    for (int k = 0; k < FAULT_KINDS; k++)
        for (uint32_t i = 0; i < sc->faults[k].budget; i++) {
            size_t from = (size_t)rng_below(&d->faults, length);
            if (rng_below(&d->faults, 4) == 0)
                continue;  /* runs with fewer faults than allowed are worth seeing too */
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

/* Who a step belongs to, for priorities: a task, a connection's messages, or the clock. */
static uint64_t owner(const step *s)
{
    if (s->kind == STEP_TIME)
        return UINT64_MAX;
    uint64_t what = s->kind == STEP_MESSAGE ? 2 + s->server : s->kind == STEP_RESUME ? 1 : 0;
    return (uint64_t)s->process << 40 | what << 32 | (s->task == NOBODY ? 0 : s->task);
}

/* A task's first priority is drawn from its name, so that it depends on no other task; only changes are kept. Those of spinners are
 * forgotten when there are many, or a long run with ever new tasks would keep them all: they fall again when they come up. */
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
        if (d->changed[i].key != key && (d->changed_count < CHANGED_MAX + d->change_count || d->changed[i].priority <= d->change_count))
            d->changed[kept++] = d->changed[i];
    d->changed_count = kept;
    MEM_RESERVE(d->changed, d->changed_cap, kept + 1);
    d->changed[d->changed_count++] = (ranked){ .key = key, .priority = to };
}

/* PCT: of the candidates the one of highest priority; where its owner can go on in several ways (a choice, an answer or a time-out), any. */
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
    if (!steps[taken].holds_time)                  /* a spinner of highest priority would run for ever: it yields */
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

static size_t throw_dice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    dice *d = chooser;
    (void)w;
    MEM_RESERVE(d->list, d->list_cap, count);
    bool idle = only_faults(steps, count);
    if (idle && rng_below(&d->faults, 2) == 0)
        return RUN_SETTLE;
    size_t fault = strike(d, steps, count, idle ? SIZE_MAX : step_number);     /* it is late: whatever is planned may strike now */
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
    if (d->strategy == STRATEGY_UNIFORM)
        return d->list[rng_below(&d->steps, n)];
    return highest(d, steps, n, step_number);
}

static bool all_settled(const hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->sc->model.judged[p] && property_describe((property)p)->along_a_run && !h->found[p].yes)
            return false;
    return true;
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
    h->out->search.strategy = strategy == STRATEGY_PCT ? arena_printf(h->a, "pct depth %u", h->sc->depth) : S("uniform");
    dice d = { .strategy = strategy, .steps = rng_new(o->seed, STREAM_STEPS), .faults = rng_new(o->seed, STREAM_FAULTS),
               .priorities = rng_new(o->seed, STREAM_PRIORITIES) };
    for (uint64_t i = 0; i < runs && !h->settled; i++) {
        plan_run(&d, h->sc, h->out->search.longest ? (size_t)h->out->search.longest : FIRST_LENGTH);
        if (!run_once(h, throw_dice, &d))
            break;
        if (h->cut_runs > 0 && i + 1 >= RUNS_WITHOUT_A_GRANT && !hunt_granted(h) && plain_is_vacuous(h)) {
            run_stop(h, h->vacuous);
            break;
        }
        h->settled = i + 1 < runs && all_settled(h);
    }
    mem_free(d.plans);
    mem_free(d.changes);
    mem_free(d.changed);
    mem_free(d.list);
}
