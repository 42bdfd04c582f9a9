/* learned.c - a process that looks up what it does: a state of its table, its clock, and its own numbers of requests
 * and tasks. */
#include "memo/learned.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "memo/learned_internal.h"

static learned *learned_of(process *p)
{
    return (learned *)p;
}

static const process_kind learned_kind;

static const state *state_at(const learned *l)
{
    return &l->table->states.at[l->state];
}

process *process_learned(process_table *t, uint32_t incarnation, int64_t now_ms, err *e)
{
    return process_learned_as(t, t->client, incarnation, now_ms, e);
}

process *process_learned_as(process_table *t, size_t client, uint32_t incarnation, int64_t now_ms, err *e)
{
    if (!t->begun) {
        t->begun = true;
        t->epoch_ms = now_ms;
    }
    uint32_t at = table_root(t, incarnation, phase_of(&t->states, now_ms), e);
    if (at == PROCESS_NO_STATE)
        return NULL;
    learned *l = mem_zero(sizeof *l);
    l->head.kind = &learned_kind;
    l->table = t;
    l->client = client;
    l->state = at;
    l->at_ms = now_ms;
    numbering_begin(&l->own, state_at(l)->shape);
    return (process *)l;
}

static void free_learned(process *p)
{
    learned *l = learned_of(p);
    numbering_free(&l->own);
    mem_free(l->views);
    mem_free(l);
}

void process_assign(process *to_process, const process *from_process)
{
    learned *to = learned_of(to_process);
    const learned *from = (const learned *)from_process;
    assert(to->table == from->table);
    numbering_assign(&to->own, &from->own);
    to->state = from->state;
    to->at_ms = from->at_ms;
    to->failed = from->failed;
    to->viewed = false;
}

/* ---- inputs ---- */

/* Moves it to the entry's state and puts out the entry's outputs. */
static bool follow(learned *l, const entry *x, outputs *out, err *e)
{
    size_t from = out->count;
    for (size_t i = 0; i < x->output_count; i++)
        output_give(&x->outputs[i], &l->own, l->at_ms, out);
    if (l->client != l->table->client)
        output_wear(l->table, l->client, out, from);
    out->clock |= x->clock;
    out->steady |= x->steady;
    if (x->clock)
        out->clock_skew_ms = x->clock_skew_ms;
    if (x->steady)
        out->steady_skew_ms = x->steady_skew_ms;
    if (x->clock || x->steady)
        out->clock_tick_ms = x->clock_tick_ms;
    out->ids_in_order |= x->ids_in_order;
    for (size_t i = 0; i < x->compared_count; i++)
        outputs_compared(out, x->compared[i]);
    outputs_used(out, x->used, x->unknown);
    l->viewed = false;
    if (x->to == PROCESS_NO_STATE) {
        l->failed = &x->error;
        err_copy(e, l->failed);
        return false;
    }
    numbering_follow(&l->own, x);
    l->state = x->to;
    assert(l->own.task_count == state_at(l)->shape->task_count);
    assert(l->own.request_count == state_at(l)->shape->request_count);
    return true;
}

static bool look_up(learned *l, const input *in, outputs *out, err *e)
{
    permutation x = permutation_swap(l->table->client, l->client);
    if (l->client == l->table->client)
        table_key(l->table, l->state, in, l->at_ms);
    else
        table_key_permuted(l->table, l->state, *in, l->at_ms, &x);
    return follow(l, table_find(l->table, l->state), out, e);
}

/* Lets time pass for it. */
static bool age(learned *l, int64_t now_ms, err *e)
{
    if (l->failed) {
        err_copy(e, l->failed);
        return false;
    }
    int64_t elapsed_ms = now_ms - l->at_ms;
    assert(elapsed_ms >= 0);
    if (elapsed_ms == 0)
        return true;
    process_table *t = l->table;
    uint32_t to = t->drifts ? PROCESS_NO_STATE : state_aged(&t->states, t->memory, l->state, elapsed_ms);
    if (to != PROCESS_NO_STATE)
        l->state = to;     /* tasks and requests are the same, and in the same places */
    else if (!look_up(l, &(input){ .kind = INPUT_AGE, .amount = elapsed_ms }, &(outputs){ 0 }, e))
        return false;
    l->at_ms = now_ms;
    return true;
}

bool process_move(process *p, int64_t now_ms, int64_t by_ms, err *e)
{
    learned *l = learned_of(p);
    if (!age(l, now_ms, e))
        return false;
    l->at_ms += by_ms;
    assert(phase_of(&l->table->states, l->at_ms) == state_at(l)->phase_ms);
    l->viewed = false;
    return true;
}

/* The index of the number in the list, or n. */
static uint32_t place_in(const uint32_t *list, size_t n, uint32_t number)
{
    size_t i = 0;
    while (i < n && list[i] != number)
        i++;
    return (uint32_t)i;
}

static bool jump_clock(learned *l, const input *in)
{
    return !l->failed && look_up(l, in, &(outputs){ 0 }, NULL);
}

static bool take_input(process *p, const input *in, int64_t now_ms, outputs *out, err *e)
{
    learned *l = learned_of(p);
    if (in->kind == INPUT_JUMP)
        return jump_clock(l, in);
    if (!age(l, now_ms, e))
        return false;
    input known = *in;
    if (input_is_for_task(in)) {
        known.number = place_in(l->own.tasks, l->own.task_count, in->number);
        assert(known.number < l->own.task_count);
    } else if (input_is_for_request(in)) {
        known.number = place_in(l->own.requests, l->own.request_count, in->number);
        if (known.number == l->own.request_count)
            return true;   /* nothing refers to it any more: a live process ignores it, too */
    }
    return look_up(l, &known, out, e);
}

/* ---- what the world reads of it ---- */

/* The shape's tasks and locks as this client has them. */
static struct worn worn_of(learned *l)
{
    shape *s = (shape *)(uintptr_t)state_at(l)->shape;
    process_table *t = l->table;
    if (l->client == t->client)
        return (struct worn){ s->tasks, s->observed };
    if (!s->worn) {
        s->worn = ARENA_ARRAY(t->memory, struct worn, t->scenario->client_count);
        memset(s->worn, 0, t->scenario->client_count * sizeof *s->worn);
    }
    struct worn *w = &s->worn[l->client];
    if (w->tasks)
        return *w;
    w->tasks = ARENA_ARRAY(t->memory, task_view, s->task_count + 1);
    for (size_t i = 0; i < s->task_count; i++) {
        task_view v = s->tasks[i];
        v.name = table_worn(t, l->client, v.name);
        v.who = table_worn(t, l->client, v.who);
        v.next = table_worn(t, l->client, v.next);
        w->tasks[i] = v;
    }
    w->observed = ARENA_ARRAY(t->memory, observed, s->observed_count + 1);
    for (size_t i = 0; i < s->observed_count; i++) {
        w->observed[i] = s->observed[i];
        w->observed[i].lock = table_worn(t, l->client, s->observed[i].lock);
    }
    return *w;
}

static size_t tasks(process *p, const task_view **out)
{
    learned *l = learned_of(p);
    const state *at = state_at(l);
    const shape *s = at->shape;
    *out = l->views;
    if (l->viewed)
        return s->task_count;
    l->views = mem_reserve(l->views, &l->view_cap, s->task_count + 1, sizeof *l->views);
    const task_view *worn = worn_of(l).tasks;
    for (size_t i = 0; i < s->task_count; i++) {
        task_view *t = &l->views[i];
        int64_t wake_ms = state_wakes(at)[i];
        *t = worn[i];
        t->id = l->own.tasks[i];
        t->request = t->request == NAMED_NONE ? 0 : l->own.requests[t->request];
        t->wake_ms = wake_ms == INT64_MAX ? INT64_MAX : l->at_ms + wake_ms;
    }
    l->viewed = true;      /* ageing changes none of it: a task that is due stays due */
    *out = l->views;
    return s->task_count;
}

static void each_instant(process *p, int64_t now_ms, int64_t window_ms, void (*fn)(void *context, int64_t at_ms),
                         void *context)
{
    const learned *l = learned_of(p);
    const state *s = state_at(l);
    for (size_t i = 0; i < s->number_count + s->shape->constant_count; i++) {
        int64_t at_ms = i < s->number_count ? l->at_ms + state_numbers(s)[i] : s->shape->constants[i - s->number_count];
        if (at_ms >= now_ms - window_ms && at_ms <= now_ms + window_ms)
            fn(context, at_ms);
    }
}

static size_t observed_locks(process *p, const observed **out)
{
    learned *l = learned_of(p);
    *out = worn_of(l).observed;
    return state_at(l)->shape->observed_count;
}

uint32_t process_state_id(process *p, int64_t now_ms, err *e)
{
    return age(learned_of(p), now_ms, e) ? learned_of(p)->state : PROCESS_NO_STATE;
}

static bool freeze(process *p, int64_t now_ms, buf *out, err *e)
{
    learned *l = learned_of(p);
    if (!age(l, now_ms, e))
        return false;
    buf_byte(out, 'L');
    buf_u64(out, l->state);
    return true;
}

static void each_request(process *p, void (*fn)(void *context, uint32_t request), void *context)
{
    const learned *l = learned_of(p);
    for (size_t i = 0; i < l->own.request_count; i++)
        fn(context, l->own.requests[i]);
}

/* ---- views: they only read the server, so one live process that knows the lock can answer for all ---- */

static process *add_viewer(process_table *t, uint32_t state)
{
    process *viewer = live_apart(t, state);
    MEM_RESERVE(t->viewers, t->viewer_cap, t->viewer_count + 1);
    return t->viewers[t->viewer_count++] = viewer;
}

static bool find_lock(process *viewer, str lock, size_t *at)
{
    const observed *list;
    size_t n = process_observed(viewer, &list);
    for (*at = 0; *at < n; ++*at)
        if (str_eq(list[*at].lock, lock))
            return true;
    return false;
}

static bool view(process *p, size_t i, int64_t now_ms, view_read *read, void *context, arena *a, lock_view *out,
                 err *e)
{
    learned *l = learned_of(p);
    process_table *t = l->table;
    const shape *s = state_at(l)->shape;
    assert(i < s->observed_count);
    size_t at, v = 0;
    while (v < t->viewer_count && !find_lock(t->viewers[v], s->observed[i].lock, &at))
        v++;
    process *viewer = v < t->viewer_count ? t->viewers[v] : add_viewer(t, l->state);
    bool known = find_lock(viewer, s->observed[i].lock, &at);
    assert(known);
    return process_view(viewer, at, now_ms, read, context, a, out, e);
}

static bool always(process *p, const always_asked *q, int64_t now_ms, arena *a, bool *ok, str *why, err *e)
{
    process_table *t = learned_of(p)->table;
    process *viewer = t->viewer_count ? t->viewers[0] : add_viewer(t, learned_of(p)->state);
    return process_always(viewer, q, now_ms, a, ok, why, e);
}

static const process_kind learned_kind = {
    .free = free_learned, .input = take_input, .tasks = tasks, .observed = observed_locks,
    .each_instant = each_instant, .each_request = each_request, .freeze = freeze, .view = view, .always = always,
};
