/* part_waiting.c - who waits in a part of a state, who progresses with a step, and who moves in a step, as small
 * numbers: for questions to the graph of all states. */
#include <string.h>

#include "base/mem.h"
#include "memo/parts_internal.h"

enum { WAITERS_MAX = 64 };

typedef struct { bool known; uint64_t bits; } waiting_bits;
typedef struct { bool known, hand_off; uint64_t bits; } progress_bits;

struct part_waiting {
    struct { str who, lock; } names[WAITERS_MAX];  /* lock "": it waits for something else */
    size_t count;
    bool full;             /* there was one more, which gets no number */
    waiting_bits *models, *nodes;
    progress_bits *events;
    size_t model_cap, node_cap, event_cap;
    intern *movers;
    map3 mover_of;         /* (node, step, 0) -> mover */
};

struct part_waiting *waiting_new(void)
{
    struct part_waiting *w = mem_zero(sizeof *w);
    w->movers = intern_new();
    return w;
}

void waiting_free(struct part_waiting *w)
{
    intern_free(w->movers);
    map3_free(&w->mover_of);
    mem_free(w->models);
    mem_free(w->nodes);
    mem_free(w->events);
    mem_free(w);
}

static uint64_t bit_of(parts *p, str who, str lock)
{
    struct part_waiting *w = p->waiting;
    for (size_t i = 0; i < w->count; i++)
        if (str_eq(w->names[i].who, who) && str_eq(w->names[i].lock, lock))
            return UINT64_C(1) << i;
    if (w->count == WAITERS_MAX) {
        w->full = true;
        return 0;
    }
    w->names[w->count].who = arena_str(p->memory, who);
    w->names[w->count].lock = arena_str(p->memory, lock);
    return UINT64_C(1) << w->count++;
}

typedef struct { parts *p; uint64_t bits; } collector;

static void collect(void *context, str who, str lock, int64_t since_ms)
{
    (void)since_ms;
    collector *c = context;
    c->bits |= bit_of(c->p, who, lock);
}

uint64_t parts_waiters(parts *p, uint32_t id)
{
    struct part_waiting *w = p->waiting;
    size_t cap = w->model_cap;
    MEM_RESERVE(w->models, w->model_cap, (size_t)id + 1);
    memset(w->models + cap, 0, (w->model_cap - cap) * sizeof *w->models);
    if (!w->models[id].known) {
        collector c = { .p = p };
        model *m = model_thaw(&p->sc->model, p->names, p->sc->client_count, intern_get(p->model_bytes, id),
                              p->judged_ms);
        model_each_waiting(m, collect, &c);
        model_free(m);
        w->models[id] = (waiting_bits){ .known = true, .bits = c.bits };
    }
    return w->models[id].bits;
}

uint64_t parts_standing(parts *p, uint32_t node)
{
    struct part_waiting *w = p->waiting;
    size_t cap = w->node_cap;
    MEM_RESERVE(w->nodes, w->node_cap, (size_t)node + 1);
    memset(w->nodes + cap, 0, (w->node_cap - cap) * sizeof *w->nodes);
    if (!w->nodes[node].known) {
        uint64_t bits = 0;
        const node_facts *f = &p->nodes[node].facts;
        for (size_t i = 0; i < f->standing_count; i++)
            bits |= bit_of(p, f->standing[i].who, S(""));
        w->nodes[node] = (waiting_bits){ .known = true, .bits = bits };
    }
    return w->nodes[node].bits;
}

uint64_t parts_progress(parts *p, uint32_t events, bool *hand_off)
{
    struct part_waiting *w = p->waiting;
    size_t cap = w->event_cap;
    MEM_RESERVE(w->events, w->event_cap, (size_t)events + 1);
    memset(w->events + cap, 0, (w->event_cap - cap) * sizeof *w->events);
    progress_bits *b = &w->events[events];
    const events_record *r = &p->events[events];
    for (size_t i = 0; i < r->count && !b->known; i++) {
        const event *e = &r->items[i];
        if (e->kind == EVENT_GRANTED || e->kind == EVENT_GAVE_UP)
            b->bits |= bit_of(p, e->who, e->lock);
        b->hand_off |= e->kind == EVENT_GRANTED && e->count <= 1;
    }
    b->known = true;
    *hand_off = b->hand_off;
    return b->bits;
}

bool parts_grants(const parts *p, uint32_t events, str lock)
{
    const events_record *r = &p->events[events];
    for (size_t i = 0; i < r->count; i++)
        if (r->items[i].kind == EVENT_GRANTED && r->items[i].count <= 1 && str_eq(r->items[i].lock, lock))
            return true;
    return false;
}

static bool its_own(step_kind kind)
{
    return kind != STEP_FAULT && kind != STEP_EXPIRE && kind != STEP_TIME && kind != STEP_MESSAGE &&
           kind != STEP_RESUME;
}

uint64_t parts_stands_no_more(parts *p, uint32_t node, uint32_t step)
{
    const part_step *s = &p->steps[step];
    const node_facts *f = &p->nodes[node].facts;
    uint64_t bits = 0;
    for (size_t i = 0; i < f->standing_count && its_own(s->kind); i++)
        if (f->standing[i].place == s->task)
            bits |= bit_of(p, f->standing[i].who, S(""));
    return bits;
}

bool parts_nobody_waits(parts *p)
{
    if (p->lock_count > 0)
        return false;
    for (uint32_t i = 0; i < intern_count(p->model_bytes); i++)
        if (parts_waiters(p, i))
            return false;
    for (uint32_t i = 0; i < intern_count(p->node_bytes); i++)
        if (parts_standing(p, i) || p->nodes[i].facts.subscriptions > 0)
            return false;
    return true;
}

str parts_waiter(const parts *p, size_t bit, str *lock)
{
    *lock = p->waiting->names[bit].lock;
    return p->waiting->names[bit].who;
}

uint8_t parts_waiter_permuted(parts *p, size_t bit, const permutation *x)
{
    str who = equals_renamed(p->memory, p->equals, x, p->waiting->names[bit].who);
    uint64_t to = bit_of(p, who, p->waiting->names[bit].lock);
    return (uint8_t)(to ? __builtin_ctzll(to) : (int)bit);
}

size_t parts_waiter_count(const parts *p, bool *full)
{
    *full = p->waiting->full;
    return p->waiting->count;
}

uint32_t parts_mover(parts *p, uint32_t node, uint32_t step)
{
    struct part_waiting *w = p->waiting;
    uint32_t known = map3_find(&w->mover_of, node, step, 0);
    if (known != PART_NONE)
        return known;
    const part_step *s = &p->steps[step];
    const node_record *r = &p->nodes[node];
    buf b = { 0 };
    buf_u64(&b, s->process);
    if (s->kind == STEP_RUN || s->kind == STEP_CHOOSE)
        buf_byte(&b, 'r');
    else if (s->kind == STEP_MESSAGE || s->kind == STEP_RESUME)
        buf_byte(&b, s->kind == STEP_MESSAGE ? 'm' : 'u');
    else
        buf_byte(&b, 'n');
    buf_u64(&b, s->server);
    if (s->task != NOBODY && s->task < r->task_count)
        buf_add(&b, r->task_names[s->task]);
    known = intern_add(w->movers, buf_str(&b), NULL);
    buf_free(&b);
    map3_put(&w->mover_of, node, step, 0, known);
    return known;
}
