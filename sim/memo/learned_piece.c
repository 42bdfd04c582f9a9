/* learned_piece.c - a piece of client code is looked up by what it reads. Most steps of a process read no instant that
 * it holds, and none reads the timers of other tasks: what such a step does in one state, it does in all states that
 * differ only there.
 *
 *     state 17                          state 4711: the same, 22 s later
 *     | skeleton      | -- the bytes -- | skeleton      |     equal, so both lead to one piece (with the input)
 *     | argv[4]  -10  |                 | argv[4] -22010|     an instant: class 0 in both
 *     | timer  9,990  |                 | timer      0  |     timers are never read
 *           | learned: Lua runs               | taken over: no Lua runs
 *           v                                 v
 *     | skeleton'     |                 | skeleton'     |
 *     | answer    0   | as learned      | answer    0   |
 *     | argv[4]  -10  | origin: argv[4] | argv[4] -22010|     each distance of the next state is as learned, or
 *     | timer  9,990  | origin: timer   | timer      0  |     carried from one of the state before
 *
 * The second process that learns shows that a step did not read, and where each instant went (see live): while it runs,
 * its instants are hidden numbers (hidden.h). A step that reads one is learned again for its own state alone, without
 * hiding, and its piece is never tried again. */
#include <assert.h>

#include "base/mem.h"
#include "client/hidden.h"
#include "memo/learned_internal.h"

#define NO_ORIGIN UINT32_MAX

struct piece {
    const entry *learned;  /* NULL: not yet */
    const uint32_t *origins;  /* of the frozen distances of learned->to: indices among those of learned->from */
    bool looks;
};

uint32_t piece_of(process_table *t, const entry *x)
{
    int64_t classes[HIDDEN_MAX];
    const state *s = &t->states.at[x->from];
    input in = input_take(t->step, entry_input(x), 0);
    bool any = false;
    for (size_t i = 0; i < s->frozen_count; i++)
        any |= s->shape->kinds[i] != DISTANCE_OTHER;
    uint32_t *of = ARENA_ARRAY(t->step, uint32_t, s->frozen_count + 1);
    bool none = !any || !t->hides || t->drifts || table_is_single(t) || in.kind == INPUT_AGE ||
                in.kind == INPUT_JUMP || state_classes(s, classes, of) == SIZE_MAX;
    uint32_t id = NO_PIECE;
    if (!none) {
        buf key = { 0 };
        bool fresh;
        state_put_unseen(s, of, &key);
        buf_add(&key, entry_input(x));
        id = intern_add(t->piece_keys, buf_str(&key), &fresh);
        buf_free(&key);
        MEM_RESERVE(t->pieces, t->piece_cap, (size_t)id + 1);
        if (fresh)
            t->pieces[id] = (piece){ 0 };
        if (t->pieces[id].looks)
            id = NO_PIECE;
    }
    arena_reset(t->step);
    return id;
}

bool piece_take(process_table *t, uint32_t id, entry *x)
{
    if (id == NO_PIECE || !t->pieces[id].learned)
        return false;
    const piece *p = &t->pieces[id];
    entry own = *x;
    *x = *p->learned;
    x->key = own.key;
    x->from = own.from;
    x->to = state_carried(&t->states, t->memory, own.from, p->learned->to, p->origins);
    state_reach(&t->states, x->to, x->from, x, 0);
    return true;
}

/* The tasks that wait for a time, in the order of their timers among the distances. */
static size_t timers_of(process_table *t, process *p, struct waiting_task **out)
{
    const task_view *tasks;
    size_t count = 0, n = process_tasks(p, &tasks);
    *out = ARENA_ARRAY(t->step, struct waiting_task, n + 1);
    for (const task_view *x = tasks; x < tasks + n; x++)
        if (x->wake_ms != INT64_MAX)
            (*out)[count++] = (struct waiting_task){ x->id, x->order, x->wake_ms, (int)x->status };
    return count;
}

/* Is everything that has to be hidden really hidden? */
static bool all_hidden(process *p, int64_t now_ms)
{
    buf aside = { 0 };
    bool all = process_freeze(p, now_ms, &aside, NULL);
    frozen f = process_frozen(p);
    for (size_t i = 0; i < f.distance_count; i++)
        all &= f.distances[i].kind != DISTANCE_NUMBER || f.distances[i].hidden;
    buf_free(&aside);
    return all;
}

bool piece_hide(process_table *t, hiding *h, const entry *x, live *l)
{
    const state *s = &t->states.at[x->from];
    uint32_t *of = ARENA_ARRAY(t->step, uint32_t, s->frozen_count + 1);
    size_t count = state_classes(s, h->at_ms, of);
    for (size_t k = 0; k < count; k++)
        h->at_ms[k] += live_now(l, 1);
    h->timer_count = timers_of(t, l->at[0], &h->timers);
    process_hide(l->at[1], h->at_ms, count);
    return count == 0 || all_hidden(l->at[1], live_now(l, 1));
}

void piece_give_up(process_table *t, uint32_t id)
{
    t->pieces[id].looks = true;
}

/* The index of the k-th timer among the distances of the state before. */
static uint32_t place_of_timer(const state *s, size_t k)
{
    uint32_t i = 0;
    while (s->shape->kinds[i] != DISTANCE_TIMER || k-- > 0)
        i++;
    return i;
}

static uint32_t place_of_class(const uint32_t *of, uint32_t k)
{
    uint32_t i = 0;
    while (of[i] != k)
        i++;
    return i;
}

/* The timer of the state before that still runs. */
static uint32_t timer_before(const hiding *h, const state *before, const struct waiting_task *is)
{
    for (size_t k = 0; k < h->timer_count; k++) {
        const struct waiting_task *was = &h->timers[k];
        if (was->id == is->id && was->order == is->order && was->status == is->status && was->wake_ms == is->wake_ms)
            return place_of_timer(before, k);
    }
    return NO_ORIGIN;
}

void piece_keep(process_table *t, const hiding *h, const entry *x, live *l)
{
    const state *before = &t->states.at[x->from], *after = &t->states.at[x->to];
    frozen f = process_frozen(l->at[1]);
    int64_t classes[HIDDEN_MAX];
    struct waiting_task *timers;
    size_t timer = 0, timer_count = timers_of(t, l->at[0], &timers);
    uint32_t *of = ARENA_ARRAY(t->step, uint32_t, before->frozen_count + 1);
    uint32_t *origins = ARENA_ARRAY(t->memory, uint32_t, after->frozen_count + 1);
    state_classes(before, classes, of);
    assert(f.distance_count == after->frozen_count);          /* compared just now */
    for (size_t i = 0; i < after->frozen_count; i++) {
        const frozen_distance *d = &f.distances[i];
        origins[i] = NO_ORIGIN;
        if (d->kind == DISTANCE_TIMER) {
            assert(timer < timer_count);
            origins[i] = timer_before(h, before, &timers[timer++]);
        } else if (d->hidden) {
            origins[i] = place_of_class(of, d->hidden - 1);
        }
    }
    if (state_can_be_carried(&t->states, x->to))
        t->pieces[h->piece] = (piece){ .learned = x, .origins = origins };
    else
        piece_give_up(t, h->piece);
}
