/* every.c - every schedule of a small world, depth first, each re-run from the start, without merging states: the
 * reference against wrong merging. Time stops where it stops in a search of states. */
#include "base/mem.h"
#include "search/internal.h"
#include "memo/parts.h"

typedef struct {
    hunt *h;
    path path;
    parts *parts;          /* to ask where steps have another outcome, so that time stops */
    int64_t *stops;        /* of each state along the path: the length to a stop before the next instant; 0: none */
    size_t stop_count, stop_cap;
} walker;

/* A copy of the state that the current run is in. */
static world *again(void *context)
{
    walker *k = context;
    hunt *h = k->h;
    world_options wo = run_options(h, NULL, false);
    wo.meetings = NULL;
    wo.cover = NULL;
    wo.followed = true;
    world *w = world_new(h->sc, h->l, &wo, &h->out->error);
    for (size_t i = 0; w && i < h->last.count; i++) {
        const step *steps;
        world_enabled(w, &steps);
        step s = run_choice(steps, h->last.choices[i]);
        if (!world_take(w, &s, &h->out->error)) {
            world_free(w);
            w = NULL;
        }
    }
    h->failed |= !w;
    return w;
}

static void done(void *context, world *w)
{
    (void)context;
    world_free(w);
}

static int64_t stop_before(walker *k, const world *w, int64_t next_ms)
{
    int64_t upto_ms = next_ms, left_ms = world_left_ms(w);
    part_again g = { .context = k, .again = again, .done = done };
    for (uint32_t q = 0; q < k->h->sc->client_count && upto_ms > 1; q++) {
        int64_t ms = parts_stop_live(k->parts, &g, q, upto_ms);
        upto_ms = ms < upto_ms ? ms : upto_ms;
    }
    if (upto_ms >= next_ms)
        return 0;
    upto_ms = upto_ms < left_ms ? upto_ms : left_ms;
    return upto_ms < RUN_PASSES_MAX_MS ? upto_ms : RUN_PASSES_MAX_MS;
}

static int64_t stop_at(walker *k, const world *w, const step *steps, size_t count, size_t step_number)
{
    bool held = parts_walks(w);
    int64_t next_ms = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        held |= steps[i].holds_time;
        if (steps[i].kind == STEP_TIME)
            next_ms = steps[i].amount;
    }
    if (step_number == k->stop_count) {
        MEM_RESERVE(k->stops, k->stop_cap, k->stop_count + 1);
        k->stops[k->stop_count++] = held ? 0 : stop_before(k, w, next_ms);
    }
    return k->stops[step_number];
}

/* Chooses among the enabled steps; with only faults left, lets the run come to rest; with only a stop ahead, lets time
 * pass to it. */
static size_t next_choice(void *chooser, world *w, const step *steps, size_t count, size_t step_number)
{
    walker *k = chooser;
    int64_t stop_ms = stop_at(k, w, steps, count, step_number);
    bool time = false, rest = only_faults(steps, count);
    for (size_t i = 0; i < count; i++)
        time |= steps[i].kind == STEP_TIME;
    size_t choice = path_choice(&k->path, step_number, count + rest + (stop_ms > 0 && !time));
    if (choice == count && rest)
        return RUN_SETTLE;
    bool passes = choice >= count || (steps[choice].kind == STEP_TIME && stop_ms > 0);
    return passes ? RUN_PASSES | (size_t)stop_ms : choice;
}

static void search_named(hunt *h)
{
    walker k = { .h = h };
    uint64_t limit = h->o->runs ? h->o->runs : UINT64_MAX;
    h->runs = h->o->runs;
    world_options wo = run_options(h, NULL, false);
    k.parts = parts_new(h->sc, h->l, &(parts_options){ .world = &wo, .live = true }, &h->out->error);
    h->failed |= !k.parts;
    bool more = k.parts;
    while (more) {
        if (h->out->search.runs == limit) {
            run_stop(h, arena_printf(h->a, "the limit of %llu runs came first", (unsigned long long)limit));
            break;
        }
        if (!run_once(h, next_choice, &k))
            break;
        more = path_advance(&k.path);
        k.stop_count = k.path.depth;               /* so far the next run is the same */
    }
    h->out->search.complete = k.parts && !more && h->cut_runs == 0;
    path_free(&k.path);
    mem_free(k.stops);
    parts_free(k.parts);
}

void search_every_schedule(hunt *h)
{
    h->out->search.strategy = S("every schedule");
    search_named(h);
    naming_search_others(h, search_named);
}
