/* announced.c - what drivers say of their locks, as the occurrences that are measured: which lock it is, whose wait,
 * and when the server executed what it came from. */
#include "base/mem.h"
#include "simulate/internal.h"

static uint32_t lock_number(simulation *s, uint32_t c, str name)
{
    bool fresh;
    uint32_t lock = intern_add(s->locks, name, &fresh);
    if (!fresh)
        return lock;
    s->pooled = mem_reserve(s->pooled, &s->pooled_cap, (size_t)lock + 1, sizeof *s->pooled);
    s->pooled[lock] = false;
    const observed *list;
    size_t count = process_observed(s->clients[c].p, &list);
    for (size_t i = 0; i < count; i++)
        s->pooled[lock] |= str_eq(list[i].lock, name) && list[i].spec == SPEC_SEMAPHORE;
    return lock;
}

/* The execution time of the request whose answer its task got last. Numbers repeat: the newest one is meant. */
static int64_t executed_us(const simulation *s, const client *me, uint32_t request)
{
    for (uint32_t i = 1; request && i <= ANSWERS_KEPT; i++) {
        uint32_t at = (me->executed_next + ANSWERS_KEPT - i) % ANSWERS_KEPT;
        if (me->executed[at].id == request)
            return me->executed[at].at_us;
    }
    return s->now_us;
}

/* The number of this grant of the lock in its round. The driver's own count continues over rounds whose release
 * failed. */
static uint32_t hold(slot *t, uint32_t lock, int64_t now_us)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock)
            return ++t->held[i].count;
    if (t->held_count < HELD_MAX) {
        t->held[t->held_count].lock = lock;
        t->held[t->held_count].since_us = now_us;
        t->held[t->held_count++].count = 1;
    }
    return 1;
}

/* A release announced without a request since the grant became known happened just now. */
static int64_t released_us(const simulation *s, const slot *t, uint32_t lock, int64_t executed_at_us)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock && executed_at_us <= t->held[i].since_us)
            return s->now_us;
    return executed_at_us;
}

static void let_go(slot *t, uint32_t lock)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock && --t->held[i].count == 0)
            t->held[i] = t->held[--t->held_count];
}

void announced_release_over(simulation *s, uint32_t c, slot *t)
{
    if (!t->leaves)
        return;
    t->leaves = false;
    let_go(t, t->leaves_lock);
    simulation_tell(s, (occurrence){ .kind = OCCURS_RELEASED, .executed_us = t->leaves_us, .client = c,
                                     .task = (uint32_t)(t - slot_of(s, c, 1)),
                                     .lock = t->leaves_lock, .count = t->leaves_count });
}

/* With a request under way it may be in the middle of giving back: then it still holds some of it. */
void announced_ends(simulation *s, uint32_t c)
{
    for (uint32_t thread = 1; thread <= s->threads && s->clients[c].flights == NONE; thread++)
        announced_release_over(s, c, slot_of(s, c, thread));
}

/* The thread's next announcements about other locks: they are parts of the first lock, until one says something other
 * than that it is free. */
static void follow_release(simulation *s, uint32_t c, slot *t, const event *a)
{
    bool one_less = a->kind == EVENT_RELEASED || a->kind == EVENT_LOST;
    if (!one_less || str_eq(a->lock, intern_get(s->locks, t->leaves_lock))) {
        announced_release_over(s, c, t);
        return;
    }
    int64_t at_us = executed_us(s, &s->clients[c], a->request);
    if (at_us > t->leaves_us)
        t->leaves_us = at_us;
}

static bool is_measured(const workload *w, str lock)
{
    bool found = w->lock_count == 0;
    for (size_t i = 0; !found && i < w->lock_count; i++)
        found = str_eq(w->locks[i], lock);
    return found;
}

void announced(simulation *s, uint32_t c, const output *o)
{
    static const struct { bool told; occurrence_kind kind; } as[] = {
        [EVENT_WANTS] = { true, OCCURS_ASKED }, [EVENT_REFUSED] = { true, OCCURS_REFUSED },
        [EVENT_GRANTED] = { true, OCCURS_GRANTED },
        [EVENT_GAVE_UP] = { true, OCCURS_GAVE_UP }, [EVENT_RELEASED] = { true, OCCURS_RELEASED },
        [EVENT_LOST] = { true, OCCURS_LOST },
        [EVENT_USE] = { false, OCCURS_LOST },
    };
    const event *a = &o->announcement;
    slot *t = slot_of(s, c, o->thread);
    if (t->leaves)
        follow_release(s, c, t, a);
    if (!as[a->kind].told || !is_measured(&s->w, a->lock))
        return;
    occurrence x = { .kind = as[a->kind].kind, .at_us = s->now_us, .executed_us = s->now_us, .client = c,
                     .task = o->thread - 1, .lock = lock_number(s, c, a->lock) };
    uint32_t left = (uint32_t)(a->count < 0 ? 0 : a->count);
    bool ahead = x.kind == OCCURS_RELEASED && a->request == 0;
    if (ahead && t->busy && !t->leaves) {
        t->leaves = true;
        t->leaves_lock = x.lock;
        t->leaves_count = left;
        t->leaves_us = s->now_us;
        return;
    }
    if (x.kind == OCCURS_ASKED && t->busy && !t->asked) {
        x.at_us = t->demand_us;
        t->asked = true;
    }
    if (x.kind == OCCURS_GRANTED) {
        uint32_t count = hold(t, x.lock, s->now_us);
        x.executed_us = executed_us(s, &s->clients[c], a->request);
        x.count = s->pooled[x.lock] ? 1 : count;
    }
    if (x.kind == OCCURS_RELEASED) {
        x.executed_us = released_us(s, t, x.lock, executed_us(s, &s->clients[c], a->request));
        x.count = left;
    }
    if (x.kind == OCCURS_RELEASED || x.kind == OCCURS_LOST)
        let_go(t, x.lock);
    simulation_tell(s, x);
}
