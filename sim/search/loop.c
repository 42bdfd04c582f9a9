/* loop.c - follows a schedule, and judges waiting along it: the steps between brackets lead back to the same state
 * while some task waits; or a lock is granted to others too often past a waiter. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "search/internal.h"
#include "memo/parts.h"

typedef struct {
    str who, lock;         /* lock "": something other than a lock */
    int64_t since_ms;
    uint64_t granted_before;           /* hand-offs of the lock when it began to wait, or when faults stopped */
    bool here;             /* it waits in the current state, too */
} waiter;

typedef struct { waiter *items; size_t count, cap; } waiters;

typedef struct {
    hunt *h;
    world *w;
    arena *a;
    const property *claim;
    waiters overtaken;     /* the waiters, for the number of hand-offs */
    bool inside;
    size_t first;          /* item after the bracket */
    unsigned round;
    parts *p;              /* compares states; NULL until there is a bracket */
    buf before;            /* the state at the bracket */
    waiters caught;        /* waiters that have waited since then */
    bool *always, *moved;  /* by process, then time: could move in every state (time: in some); did move */
} follower;

/* ---- who waits ---- */

static void meet(void *context, str who, str lock, int64_t since_ms)
{
    waiters *list = context;
    for (size_t i = 0; i < list->count; i++) {
        waiter *x = &list->items[i];
        if (x->since_ms == since_ms && str_eq(x->who, who) && str_eq(x->lock, lock)) {
            x->here = true;
            return;
        }
    }
    MEM_RESERVE(list->items, list->cap, list->count + 1);
    /* not `here`: it is new */
    list->items[list->count++] = (waiter){ .who = who, .lock = lock, .since_ms = since_ms };
}

/* Drops tasks that no longer wait; keeps one that has just begun to wait if `fresh`. */
static void look(follower *f, waiters *list, bool fresh)
{
    size_t old = list->count, kept = 0;
    for (size_t i = 0; i < old; i++)
        list->items[i].here = false;
    world_each_waiting(f->w, meet, list);
    for (size_t i = 0; i < list->count; i++) {
        waiter x = list->items[i];
        if (i < old ? !x.here : !fresh)
            continue;
        if (i >= old) {
            x.who = arena_str(f->a, x.who);
            x.lock = arena_str(f->a, x.lock);
            x.granted_before = model_grants(world_model(f->w), x.lock);
        }
        list->items[kept++] = x;
    }
    list->count = kept;
}

static void judge_overtaking(follower *f, bool fault)
{
    const model_config *config = &f->h->sc->model;
    if (!config->judged[PROPERTY_BOUNDED_WAIT])
        return;
    look(f, &f->overtaken, true);
    for (size_t i = 0; i < f->overtaken.count; i++) {
        waiter *x = &f->overtaken.items[i];
        uint64_t grants = model_grants(world_model(f->w), x->lock);
        if (fault)
            x->granted_before = grants;
        if (!x->lock.n || grants - x->granted_before <= (uint64_t)config->parameter[PROPERTY_BOUNDED_WAIT])
            continue;
        world_report(f->w, PROPERTY_BOUNDED_WAIT,
                     arena_printf(f->a, "%.*s waits for \"%.*s\" while it is granted to others %" PRIu64
                                  " times, though nothing fails any more.",
                                  STR_ARG(x->who), STR_ARG(x->lock), grants - x->granted_before),
                     arena_printf(f->a, "hand_offs is %" PRId64 ".", config->parameter[PROPERTY_BOUNDED_WAIT]));
    }
}

/* ---- brackets ---- */

static void note_enabled(follower *f)
{
    const step *list;
    size_t count = world_enabled(f->w, &list), time = f->h->sc->client_count;
    bool *can = mem_zero((time + 1) * sizeof *can);
    for (size_t i = 0; i < count; i++)
        if (list[i].kind != STEP_FAULT)
            can[list[i].process == NOBODY ? time : list[i].process] = true;
    for (size_t i = 0; i < time; i++)
        f->always[i] &= can[i];
    f->always[time] |= can[time];                  /* time cannot be held up for ever */
    mem_free(can);
}

/* The numbers of its parts: equal states, equal numbers. */
static bool state_of(follower *f, buf *out, err *e)
{
    world_options wo = run_options(f->h, NULL, false);
    if (!f->p)
        f->p = parts_new(f->h->sc, f->h->l, &(parts_options){ .world = &wo, .live = true }, e);
    part_state s = { .nodes = ARENA_ARRAY(f->a, uint32_t, f->h->sc->client_count) };
    if (!f->p || !parts_take_apart(f->p, f->w, &s, e))
        return false;
    buf_clear(out);
    for (size_t q = 0; q < f->h->sc->client_count; q++)
        buf_u64(out, s.nodes[q]);
    buf_u64(out, (uint64_t)s.servers << 32 | s.bounds);
    buf_u64(out, s.model);
    return true;
}

static bool begin(follower *f, size_t first, err *e)
{
    size_t movers = f->h->sc->client_count + 1;
    f->inside = true;
    f->first = first;
    f->caught.count = 0;
    look(f, &f->caught, true);
    for (size_t i = 0; i < movers; i++) {
        f->always[i] = i + 1 < movers;
        f->moved[i] = false;
    }
    return state_of(f, &f->before, e);
}

static bool fair(follower *f, err *e)
{
    const scenario *sc = f->h->sc;
    for (size_t i = 0; i <= sc->client_count; i++)
        if (f->always[i] && !f->moved[i])
            return err_set(e, ERR_SCENARIO, "the steps between the brackets are not fair: %.*s could move all along, "
                           "and never does",
                           STR_ARG(i < sc->client_count ? sc->clients[i].name : S("time")));
    return true;
}

static bool tell_loop(follower *f, size_t first, size_t last, err *e)
{
    if (f->caught.count == 0)
        return err_set(e, ERR_SCENARIO, "no task waits all along between the brackets: they show nothing");
    if (!fair(f, e))
        return false;
    const waiter *x = &f->caught.items[0];
    str what = x->lock.n ? arena_printf(f->a, "waits for \"%.*s\" for ever", STR_ARG(x->lock))
               : S("waits for ever for something other than a lock");
    world_report(f->w, f->claim ? *f->claim : PROPERTY_BOUNDED_WAIT,
                 arena_printf(f->a, "%.*s %.*s: the steps %zu to %zu come back to the same state, and all who could "
                              "move have moved.",
                              STR_ARG(x->who), STR_ARG(what), first, last),
                 x->lock.n ? model_account(world_model(f->w), f->a, x->lock) : S(""));
    return true;
}

/* At the closing bracket. *again: the state is not the same yet; the real world's memory of polls may need another
 * round. */
static bool close_loop(follower *f, size_t first, size_t last, bool *again, err *e)
{
    enum { ROUNDS_MAX = 4 };
    buf now = { 0 };
    bool ok = state_of(f, &now, e);
    *again = ok && !str_eq(buf_str(&now), buf_str(&f->before));
    buf_free(&now);
    if (!ok)
        return false;
    f->inside = false;
    if (!*again)
        return tell_loop(f, first, last, e);
    if (++f->round == ROUNDS_MAX)
        return err_set(e, ERR_SCENARIO, "the state at ] is not the one at [, and going round %d times does not make it "
                       "so", ROUNDS_MAX);
    return true;
}

/* ---- following ---- */

/* *more: the item names further steps. */
static bool take(follower *f, const schedule_item *item, bool *more, err *e)
{
    step s = { 0 };
    if (!world_find(f->w, item->token, item->argument, &s, e)) {
        if (f->round > 0) {
            err_clear(e);
            err_set(e, ERR_SCENARIO, "the steps between the brackets do not lead back to the same state: on the next "
                    "round '%.*s' is not enabled",
                    STR_ARG(item->token));
        }
        return false;
    }
    if (f->inside) {
        note_enabled(f);
        f->moved[s.process == NOBODY ? f->h->sc->client_count : s.process] = true;
    }
    *more = s.more;
    bool fault = s.kind == STEP_FAULT;
    if (fault && f->inside)
        return err_set(e, ERR_SCENARIO, "a fault between the brackets: what happens for ever must not need bad luck");
    if (!world_take(f->w, &s, e))
        return false;
    if (f->inside)
        look(f, &f->caught, false);
    judge_overtaking(f, fault);
    return true;
}

static bool follow(follower *f, const schedule_item *items, size_t count, bool (*after)(void *context, world *w),
                   void *context, size_t *at, err *e)
{
    size_t steps = 0, first = 0;
    judge_overtaking(f, true);
    bool more = false;
    for (*at = 0; *at < count && !world_over(f->w); *at += !more) {
        const schedule_item *item = &items[*at];
        bool again = false;
        more = false;
        if (str_eq(item->token, S("["))) {
            first = steps + 1;
            if (!begin(f, *at + 1, e))
                return false;
            continue;
        }
        if (str_eq(item->token, S("]"))) {
            size_t last = steps;
            if (!close_loop(f, first, last, &again, e))
                return false;
            if (again) {
                *at = f->first - 1;
                first = steps + 1;
                if (!begin(f, f->first, e))
                    return false;
                continue;
            }
            f->round = 0;
        } else if (!take(f, item, &more, e))
            return false;
        else
            steps++;
        if (!after(context, f->w))
            return true;
    }
    return true;
}

bool scripted_follow(hunt *h, world *w, const schedule_item *items, size_t count, const property *claim,
                     bool (*after)(void *context, world *w), void *context, size_t *at, err *e)
{
    size_t movers = h->sc->client_count + 1;
    follower f = { .h = h, .w = w, .a = arena_new(), .claim = claim, .always = mem_zero(movers * sizeof(bool)),
                   .moved = mem_zero(movers * sizeof(bool)) };
    bool ok = follow(&f, items, count, after, context, at, e);
    mem_free(f.overtaken.items);
    mem_free(f.caught.items);
    mem_free(f.always);
    mem_free(f.moved);
    buf_free(&f.before);
    parts_free(f.p);
    arena_free(f.a);
    return ok;
}
