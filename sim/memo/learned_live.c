/* learned_live.c - live processes that wait in states for the next unknown input. Lua cannot be copied, so a state
 * without a live process is reached again: from the nearest ancestor that has one, by the inputs that once led there;
 * or from the initial state, by a released process that is rewound (process_rewind). */
#include <assert.h>

#include "base/mem.h"
#include "client/hidden.h"
#include "memo/learned_internal.h"

void live_free(live *l)
{
    for (int i = 0; i < LIVES; i++)
        process_free(l->at[i]);
    numbering_free(&l->own);
    mem_free(l);
}

/* It is set aside; the search asks often how much memory that takes. */
static void count_in(process_table *t, live *l)
{
    l->bytes = 0;
    for (int i = 0; i < LIVES; i++)
        l->bytes += l->at[i] ? process_live_facts(l->at[i]).bytes : 0;
    t->live_bytes += l->bytes;
}

static void count_out(process_table *t, const live *l)
{
    t->live_bytes -= l->bytes;
}

/* A new one, or a released one, rewound. */
live *live_new(process_table *t, uint32_t incarnation, int phase_ms, err *e)
{
    live *l = table_is_single(t) ? NULL : t->spares;
    bool again = l != NULL;
    if (again) {
        t->spares = l->next;
        t->spare_count--;
        l->next = NULL;
        count_out(t, l);
    } else {
        l = mem_zero(sizeof *l);
    }
    bool seconds = t->states.instants == INSTANTS_SECONDS;
    l->at_ms = seconds ? t->epoch_ms - t->epoch_ms % 1000 + phase_ms : t->epoch_ms;
    l->shift_ms = seconds ? EPOCH_SHIFT_SECONDS_MS : EPOCH_SHIFT_MS;
    for (int i = 0; i < t->each && (i == 0 || !table_is_single(t)); i++) {
        if (again)
            process_rewind(l->at[i], incarnation, live_now(l, i));
        else if (!(l->at[i] = process_new_kept(i == 1 && t->equals ? t->equals->second : t->scenario, t->loader,
                                               table_client(t, i), incarnation, live_now(l, i), e))) {
            live_free(l);
            return NULL;
        } else
            process_fold(l->at[i], t->states.instants);
    }
    for (int i = 0; i < t->each && l->at[1]; i++)
        process_watch(l->at[i]);
    t->drifts |= process_live_facts(l->at[0]).clock_read;
    return l;
}

/* Only a few are needed at a time. */
void live_let_go(process_table *t, live *l)
{
    enum { SPARES_MAX = 4 };
    if (!l->at[1] || t->spare_count == SPARES_MAX) {
        live_free(l);
        return;
    }
    numbering_free(&l->own);
    l->own = (numbering){ 0 };
    l->next = t->spares;
    t->spares = l;
    t->spare_count++;
    count_in(t, l);
}

void live_free_spares(process_table *t)
{
    while (t->spares) {
        live *l = t->spares;
        t->spares = l->next;
        count_out(t, l);
        live_free(l);
    }
    t->spare_count = 0;
}

/* Takes it out of its state's list. */
static void unlink_from_state(process_table *t, live *l)
{
    live **at = &t->states.at[l->state].live;
    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
    l->next = NULL;
}

static void remove_live(process_table *t, live *l)
{
    unlink_from_state(t, l);
    count_out(t, l);
    for (size_t i = 0; i < t->live_count; i++)
        if (t->lives[i] == l)
            t->lives[i] = t->lives[--t->live_count];
}

void live_trim(process_table *t, size_t max)
{
    while (t->live_count > max) {
        live *oldest = t->lives[0];
        for (size_t i = 1; i < t->live_count; i++)
            if (t->lives[i]->used < oldest->used)
                oldest = t->lives[i];
        remove_live(t, oldest);
        live_let_go(t, oldest);
    }
}

void live_give_back(process_table *t, live *l, uint32_t to)
{
    assert(phase_of(&t->states, l->at_ms) == t->states.at[to].phase_ms);
    l->state = to;
    l->used = ++t->uses;
    l->next = t->states.at[to].live;
    t->states.at[to].live = l;
    MEM_RESERVE(t->lives, t->live_cap, t->live_count + 1);
    t->lives[t->live_count++] = l;
    count_in(t, l);
    live_trim(t, t->live_max);
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

live *live_take(process_table *t, uint32_t at)
{
    uint32_t from = at;
    size_t steps = 0;
    while (!t->states.at[from].live && t->states.at[from].parent != PROCESS_NO_STATE) {
        from = t->states.at[from].parent;
        steps++;
    }
    live *l = t->states.at[from].live;
    if (l) {
        remove_live(t, l);
    } else {
        assert(t->states.at[from].depth == 0);
        l = live_new(t, t->states.at[from].incarnation, t->states.at[from].phase_ms, NULL);
        assert(l);         /* it could begin before */
        numbering_begin(&l->own, t->states.at[from].shape);
    }
    uint32_t *path = mem_alloc((steps + 1) * sizeof *path);
    for (uint32_t s = at, i = (uint32_t)steps; i-- > 0; s = t->states.at[s].parent)
        path[i] = s;
    for (int i = 0; i < t->each && l->at[1] && steps > 0; i++)
        process_trust(l->at[i]);
    for (size_t i = 0; i < steps; i++)
        step_down(t, l, &t->states.at[path[i]]);
    for (int i = 0; i < t->each && l->at[1] && steps > 0; i++)
        process_watch(l->at[i]);
    mem_free(path);
    check(l);
    return l;
}
