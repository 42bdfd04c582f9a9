/* part_stops.c - the stops that steps which do not hold time need: follow.h applied to parts, and to live worlds. */
#include "base/mem.h"
#include "world/follow.h"
#include "memo/parts_internal.h"

/* How many ways are followed. */
static unsigned ways(const parts *p, unsigned different)
{
    unsigned most = p->stops_without & STOPS_WAYS ? 1 : FOLLOW_WAYS_MAX;
    return different < most ? different : most;
}

static void know_constants(parts *p)
{
    int64_t *list;
    if (p->constants)
        return;
    p->constant_count = follow_constants(p->sc, p->memory, &list);
    p->constants = list;
}

static bool outline_state(process_table *t, uint32_t state, int64_t now_ms, outline *out)
{
    if (state != PROCESS_NO_STATE)
        process_table_outline(t, state, now_ms, out);
    return state != PROCESS_NO_STATE;
}

/* ---- by parts ---- */

static bool outline_learned(void *tables, uint32_t number, process *p, int64_t now_ms, outline *out)
{
    err none = { 0 };
    uint32_t state = process_state_id(p, now_ms, &none);
    err_clear(&none);
    return outline_state(process_tables_get(tables, number), state, now_ms, out);
}

typedef struct { parts *p; const part_place *of; } place;

static void put_back(const place *place)
{
    const part_place *at = place->of;
    parts *p = place->p;
    uint32_t own = at->nodes[at->process];
    parts_load(p, at);
    for (uint32_t q = 0; q < p->w->node_count && !(p->stops_without & STOPS_OTHERS); q++)
        if (q != at->process)
            node_load(p, q, at->nodes[q]);
    servers_load(p, at->servers);
    events_begin(p, at->process, &p->nodes[own]);
    p->w->outliner.write = outline_learned;
    p->w->outliner.context = p->tables;
}

/* The world holds another instant now. */
static void leave(const place *at)
{
    world *w = at->p->w;
    for (size_t i = 0; i < w->server_count; i++)
        w->servers[i].asleep = true;
    at->p->channels_set = PART_NONE;
}

static bool outline_at(void *context, const follow_question *q, outline *out, outline *heard)
{
    const step *s = q->step;
    place *at = context;
    bool found = true;
    unsigned different = 1;
    for (unsigned branch = 0; found && branch < ways(at->p, different); branch++) {
        put_back(at);
        if (q->ms > 0)
            follow_wait(at->p->w, q->ms);
        step x = s ? *s : (step){ 0 };
        found = !s || follow_find(at->p->w, &x);
        if (!s)
            follow_state(at->p->w, at->of->process, heard != NULL, out);
        else if (found)
            follow_step(at->p->w, &x, &(follow_way){ branch, &different, q->waits, q->visits, q->ranges, q->delays },
                        out, heard);
        leave(at);
    }
    return found;
}

static int64_t first_of(const follower *f, const step *steps, size_t count, int64_t upto_ms)
{
    int64_t first_ms = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        int64_t ms = follow_first(f, &steps[i], first_ms < upto_ms ? first_ms : upto_ms);
        first_ms = ms < first_ms ? ms : first_ms;
    }
    return first_ms;
}

static size_t steps_at(const place *at, arena *a, step **steps)
{
    put_back(at);
    size_t count = follow_steps(at->p->w, at->of->process, a, steps);
    leave(at);
    return count;
}

int64_t parts_stop(parts *p, const part_place *of, int64_t upto_ms)
{
    place at = { .p = p, .of = of };
    arena *a = arena_new();
    step *steps;
    know_constants(p);
    size_t count = steps_at(&at, a, &steps);
    follower f = { .context = &at, .at = outline_at, .constants = p->constants, .constant_count = p->constant_count,
                   .now_ms = parts_now_ms(p, of->servers),
                   .seconds = p->w->o.limits.instants == INSTANTS_SECONDS, .without = p->stops_without };
    int64_t ms = first_of(&f, steps, count, upto_ms);
    arena_free(a);
    return ms;
}

/* ---- in live worlds ---- */

static bool outline_live(void *tables, uint32_t number, process *p, int64_t now_ms, outline *out)
{
    err none = { 0 };
    process_table *t = process_tables_get(tables, number);
    uint32_t state = process_table_intern(t, p, now_ms, &none);
    err_clear(&none);
    return outline_state(t, state, now_ms, out);
}

typedef struct {
    parts *p;
    const part_again *g;
    uint32_t process;
} live_place;

static bool live_outline_at(void *context, const follow_question *q, outline *out, outline *heard)
{
    const step *s = q->step;
    live_place *at = context;
    bool found = true;
    unsigned different = 1;
    for (unsigned branch = 0; found && branch < ways(at->p, different); branch++) {
        world *w = at->g->again(at->g->context);
        if (!w)
            return false;
        w->outliner.write = outline_live;
        w->outliner.context = at->p->tables;
        if (q->ms > 0)
            follow_wait(w, q->ms);
        step x = s ? *s : (step){ 0 };
        found = !s || follow_find(w, &x);
        if (!s)
            follow_state(w, at->process, heard != NULL, out);
        else if (found)
            follow_step(w, &x, &(follow_way){ branch, &different, q->waits, q->visits, q->ranges, q->delays },
                        out, heard);
        at->g->done(at->g->context, w);
    }
    return found;
}

int64_t parts_stop_live(parts *p, const part_again *g, uint32_t process, int64_t upto_ms)
{
    live_place at = { .p = p, .g = g, .process = process };
    step *steps;
    int64_t ms = INT64_MAX;
    world *w = g->again(g->context);
    if (!w)
        return ms;
    know_constants(p);
    arena *a = arena_new();
    int64_t now_ms = w->now_ms;
    instant_spelling folded = w->o.limits.instants;
    size_t count = follow_steps(w, process, a, &steps);
    g->done(g->context, w);
    bool other_epoch = false;
    follower f = { .context = &at, .at = live_outline_at, .constants = p->constants,
                   .constant_count = p->constant_count, .now_ms = now_ms, .without = p->stops_without,
                   .seconds = !p->absolute && folded == INSTANTS_SECONDS, .time_of_day = p->absolute,
                   .passed_ms = p->absolute ? now_ms - WORLD_EPOCH_MS : 0,
                   .other_epoch = &other_epoch };
    ms = first_of(&f, steps, count, upto_ms);
    if (other_epoch && folded == INSTANTS_PLAIN && !p->absolute && !p->why_absolute.n)
        p->why_absolute = S("an instant is told in another unit than ms, or counted from another beginning");
    arena_free(a);
    return ms;
}
