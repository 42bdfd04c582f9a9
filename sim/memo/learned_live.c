/* learned_live.c - the live processes that an unknown input is given to. A table has one set of them, which goes from
 * state to state: each state that it leaves is saved (process_save), and restored when another input meets it. A state
 * without an image is reached by repetition: from its nearest ancestor that has one, or from the initial state, by the
 * inputs that once led there. */
#include <assert.h>

#include "base/mem.h"
#include "client/hidden.h"
#include "memo/learned_internal.h"

/* The processes of a state, saved. */
struct saved {
    saved *newer, *older;  /* by last use */
    uint32_t state;
    int64_t at_ms;
    numbering own;
    process_image *at[LIVES];
};

/* ---- images ---- */

static void unlink_saved(process_table *t, saved *s)
{
    *(s->newer ? &s->newer->older : &t->newest) = s->older;
    *(s->older ? &s->older->newer : &t->oldest) = s->newer;
}

static void link_newest(process_table *t, saved *s)
{
    s->newer = NULL;
    s->older = t->newest;
    *(t->newest ? &t->newest->newer : &t->oldest) = s;
    t->newest = s;
}

static void free_saved(process_table *t, saved *s)
{
    unlink_saved(t, s);
    t->states.at[s->state].saved = NULL;
    for (int i = 0; i < LIVES; i++)
        process_image_free(s->at[i]);
    numbering_free(&s->own);
    mem_free(s);
}

/* The search asks often how much memory all of it takes. */
static void count_bytes(process_table *t)
{
    t->live_bytes = t->image_bytes = 0;
    for (int i = 0; t->bench && i < LIVES && t->bench->at[i]; i++) {
        live_facts is = process_live_facts(t->bench->at[i]);
        t->live_bytes += is.bytes;
        t->image_bytes += is.image_bytes;
    }
}

/* Those that were not used for the longest time go first, but not those on which others are built. */
static void trim_saved(process_table *t, size_t max_bytes)
{
    for (saved *s = t->oldest, *newer; s && t->image_bytes > max_bytes; s = newer) {
        newer = s->newer;
        if (process_image_is_needed(s->at[0]) && max_bytes > 0)
            continue;
        free_saved(t, s);
        count_bytes(t);
    }
}

static void save(process_table *t, live *l)
{
    if (t->image_bytes_max == 0 || t->states.at[l->state].saved)
        return;
    saved *s = mem_zero(sizeof *s);
    s->state = l->state;
    s->at_ms = l->at_ms;
    numbering_assign(&s->own, &l->own);
    for (int i = 0; i < LIVES; i++)
        s->at[i] = l->at[i] ? process_save(l->at[i]) : NULL;
    t->states.at[l->state].saved = s;
    link_newest(t, s);
    count_bytes(t);
    trim_saved(t, t->image_bytes_max);
}

static void restore(process_table *t, live *l, saved *s)
{
    for (int i = 0; i < LIVES && l->at[i]; i++)
        process_restore(l->at[i], s->at[i]);
    numbering_assign(&l->own, &s->own);
    l->at_ms = s->at_ms;
    l->state = s->state;
    unlink_saved(t, s);
    link_newest(t, s);
    t->restores++;
}

/* ---- the processes ---- */

static void live_free(live *l)
{
    for (int i = 0; l && i < LIVES; i++)
        process_free(l->at[i]);
    if (l)
        numbering_free(&l->own);
    mem_free(l);
}

void live_trim(process_table *t)
{
    trim_saved(t, t->image_bytes_max);
}

void live_rest(process_table *t)
{
    trim_saved(t, 0);
    count_bytes(t);
}

void live_end(process_table *t)
{
    trim_saved(t, 0);
    live_free(t->bench);
    t->bench = NULL;
    t->live_bytes = 0;
}

void live_drop_others(process_table *t)
{
    for (saved *s = t->oldest; s; s = s->newer)
        for (int i = 1; i < LIVES; i++) {
            process_image_free(s->at[i]);
            s->at[i] = NULL;
        }
    for (int i = 1; i < LIVES; i++) {
        process_free(t->bench->at[i]);
        t->bench->at[i] = NULL;
    }
}

static void watch(process_table *t, live *l, bool on)
{
    for (int i = 0; i < t->each && l->at[i]; i++)
        (on ? process_watch : process_trust)(l->at[i]);
}

/* Makes its first `count` processes; those that it has are rewound. */
static bool begin(process_table *t, live *l, int count, uint32_t incarnation, int phase_ms, err *e)
{
    bool seconds = t->states.instants == INSTANTS_SECONDS;
    l->at_ms = seconds ? t->epoch_ms - t->epoch_ms % 1000 + phase_ms : t->epoch_ms;
    l->shift_ms = seconds ? EPOCH_SHIFT_SECONDS_MS : EPOCH_SHIFT_MS;
    for (int i = 0; i < count; i++) {
        if (l->at[i]) {
            process_rewind(l->at[i], incarnation, live_now(l, i));
            continue;
        }
        l->at[i] = process_new_kept(i == 1 && t->equals ? t->equals->second : t->scenario, t->loader,
                                    table_client(t, i), incarnation, live_now(l, i), e);
        if (!l->at[i])
            return false;
        process_fold(l->at[i], t->states.instants);
    }
    t->drifts |= process_live_facts(l->at[0]).clock_read;
    if (!table_is_single(t))
        watch(t, l, true);
    return true;
}

live *live_new(process_table *t, uint32_t incarnation, int phase_ms, err *e)
{
    live *l = t->bench;
    if (l && l->state != PROCESS_NO_STATE)
        save(t, l);
    if (!l)
        l = t->bench = mem_zero(sizeof *l);
    l->state = PROCESS_NO_STATE;
    int count = table_is_single(t) ? 1 : t->each;
    if (begin(t, l, count, incarnation, phase_ms, e))
        return l;
    live_end(t);
    return NULL;
}

void live_give_back(process_table *t, live *l, uint32_t to)
{
    assert(l == t->bench && phase_of(&t->states, l->at_ms) == t->states.at[to].phase_ms);
    l->state = to;
}

/* Turns places and ranks into the process's own numbers. */
static void to_own(const numbering *own, input *in)
{
    if (input_is_for_task(in))
        in->number = own->tasks[in->number];
    if (input_is_for_request(in))
        in->number = own->requests[in->number];
}

static bool give(process *live, const input *in, int64_t now_ms, outputs *out, err *e)
{
    return ((process_head *)live)->kind->input(live, in, now_ms, out, e);
}

bool live_input(process_table *t, live *l, str bytes, live_run *run)
{
    bool ok = true;
    int64_t elapsed_ms = 0;
    run->task = UINT32_MAX;
    for (int i = 0; i < t->each && l->at[i]; i++) {
        int64_t now_ms = live_now(l, i);
        input in = input_take(t->step, bytes, now_ms);
        if (i > 0 && t->equals)
            input_name(t->step, t->equals, table_naming(t, i), &in);
        to_own(&l->own, &in);
        if (i == 0 && input_is_for_task(&in))
            run->task = in.number;
        run->out[i].memory = t->step;
        hidden_run_begin();
        run->ok[i] = give(l->at[i], &in, now_ms, &run->out[i], &run->errors[i]);
        hidden_run_end(l->at[i]);
        ok = ok && run->ok[i];
        t->runs_all += in.kind != INPUT_AGE;
        elapsed_ms = in.kind == INPUT_AGE ? in.amount : 0;
        if (input_is_for_request(&in))
            process_forget(l->at[i], in.number);
    }
    l->at_ms += elapsed_ms;
    return ok;
}

/* Goes one step down the tree of states. */
static void step_down(process_table *t, live *l, const state *to)
{
    if (!to->by) {
        l->at_ms += to->elapsed_ms;
        return;
    }
    live_run run = { 0 };
    bool ok = live_input(t, l, entry_input(to->by), &run);
    assert(ok);            /* it succeeded when it was learned */
    numbering_follow(&l->own, to->by);
    arena_reset(t->step);
}

static void check(const live *l)
{
    live_facts is = process_live_facts(l->at[0]);
    assert(l->own.requests_sent == is.requests_sent && l->own.tasks_made == is.tasks_made);
    (void)is;
}

static uint32_t parent_of(const process_table *t, uint32_t at)
{
    return t->states.at[at].parent;
}

/* Goes down to the state from an ancestor of it. */
static void repeat(process_table *t, live *l, uint32_t from, uint32_t at)
{
    size_t steps = 0, i = 0;
    for (uint32_t s = at; s != from; s = parent_of(t, s))
        steps++;
    if (steps == 0)
        return;
    uint32_t *path = mem_alloc(steps * sizeof *path);
    for (uint32_t s = at; s != from; s = parent_of(t, s))
        path[i++] = s;
    watch(t, l, false);
    uint64_t runs_all = t->runs_all;
    while (i-- > 0)
        step_down(t, l, &t->states.at[path[i]]);
    t->repeated += t->runs_all - runs_all;
    if (!table_is_single(t))
        watch(t, l, true);
    mem_free(path);
}

static void to_root(process_table *t, live *l, int count, uint32_t root)
{
    const state *s = &t->states.at[root];
    assert(s->depth == 0);
    bool ok = begin(t, l, count, s->incarnation, s->phase_ms, NULL);
    assert(ok);            /* it could begin before */
    numbering_begin(&l->own, s->shape);
}

/* What was restored is what was saved: now and then this is looked at closely. */
static void check_restored(process_table *t, live *l, uint32_t at)
{
    enum { EVERY = 64 };
    if (t->restores % EVERY != 1)
        return;
    uint32_t is = state_of(&t->states, t->memory, l->at[0], l->at_ms, NULL);
    assert(is == at);
    (void)is;
    (void)at;
}

/* By the shortest way: from where it is, from an image, or from the beginning. Its first `count` processes go. */
static void go(process_table *t, live *l, int count, uint32_t at)
{
    uint32_t from = at;
    while (from != l->state && !t->states.at[from].saved && parent_of(t, from) != PROCESS_NO_STATE)
        from = parent_of(t, from);
    saved *s = from == l->state ? NULL : t->states.at[from].saved;
    if (s)
        restore(t, l, s);
    else if (from != l->state)
        to_root(t, l, count, from);
    if (s && table_is_single(t))
        process_trust(l->at[0]);
    if (s && from == at)
        check_restored(t, l, at);
    repeat(t, l, from, at);
    check(l);
}

live *live_take(process_table *t, uint32_t at)
{
    live *l = t->bench;
    if (l->state != PROCESS_NO_STATE)
        save(t, l);
    go(t, l, table_is_single(t) ? 1 : t->each, at);
    l->state = at;
    save(t, l);
    l->state = PROCESS_NO_STATE;                   /* it is about to leave */
    return l;
}

process *live_look(process_table *t, uint32_t at, int64_t *now_ms)
{
    live *l = t->bench, first = { .at[0] = l->at[0], .state = PROCESS_NO_STATE };
    if (l->state != PROCESS_NO_STATE)
        save(t, l);
    l->state = PROCESS_NO_STATE;                   /* the others are elsewhere now */
    go(t, &first, 1, at);
    numbering_free(&first.own);
    *now_ms = first.at_ms;
    return first.at[0];
}

process *live_apart(process_table *t, uint32_t at)
{
    live l = { .state = PROCESS_NO_STATE };
    uint32_t root = at;
    while (parent_of(t, root) != PROCESS_NO_STATE)
        root = parent_of(t, root);
    to_root(t, &l, 1, root);
    repeat(t, &l, root, at);
    numbering_free(&l.own);
    return l.at[0];
}
