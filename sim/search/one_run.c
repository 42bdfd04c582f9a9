/* one_run.c - one run under some chooser, and what every search does with it. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "search/internal.h"

void trace_add(trace *t, uint32_t choice)
{
    MEM_RESERVE(t->choices, t->cap, t->count + 1);
    t->choices[t->count++] = choice;
}

void trace_copy(trace *to, const trace *from)
{
    MEM_RESERVE(to->choices, to->cap, from->count + 1);
    if (from->count)
        memcpy(to->choices, from->choices, from->count * sizeof *from->choices);
    to->count = from->count;
}

void trace_free(trace *t)
{
    mem_free(t->choices);
    *t = (trace){ 0 };
}

world_options run_options(const hunt *h, const char *schedule, bool record)
{
    redis_limits limits = h->o->limits;
    limits.instants = h->instants;
    return (world_options){ .limits = limits, .mirror = lockstep_mirror(h->o->lockstep), .schedule = schedule,
                            .open_starts = h->open_starts, .meetings = h->meetings, .every_ms = h->o->every_ms,
                            .stops_without = h->o->stops_without, .record = record, .cover = h->cover,
                            .orders = h->orders, .context = h->o->context, .on_executed = h->o->on_executed,
                            .on_server_fault = h->o->on_server_fault, .on_crash = h->o->on_crash };
}

void run_stop(hunt *h, str reason)
{
    if (!h->stopped)
        h->out->reason = arena_str(h->a, reason);
    h->stopped = true;
}

void run_note(hunt *h, const world *w)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const violation *v = h->found[p].yes ? NULL : model_violation(world_model(w), (property)p);
        if (!v)
            continue;
        finding *f = &h->found[p];
        f->yes = true;
        f->steps = h->steps;
        buf_add(&f->text, v->text);
        buf_add(&f->why, v->why);
        trace_copy(&f->trace, &h->last);
        f->sc = h->sc;
    }
}

bool run_tells(const hunt *h, property p)
{
    return !h->o->untold && !h->o->glance && !(h->o->surprises && h->sc->expect[p] == EXPECT_VIOLATED &&
                                               !h->found[p].other_cause);
}

bool run_blames(const hunt *h, property p)
{
    return !(h->o->unblamed && h->sc->expect[p] == EXPECT_VIOLATED && !h->found[p].other_cause);
}

const char *run_must_stop(const hunt *h, int64_t until_ms)
{
    const search_options *o = h->o;
    search_progress at = h->at;
    at.runs = h->out->search.runs;
    at.runs_all = h->runs;
    at.transitions = h->taken;
    if (o->progress && !o->progress(o->context, &at))
        return "it was interrupted";
    if (o->time_limit_ms > 0 && o->elapsed_ms && o->elapsed_ms(o->context) >= until_ms)
        return arena_printf(h->a, "the time limit of %" PRId64 " ms came first", o->time_limit_ms).p;
    return NULL;
}

bool run_surprised(const hunt *h)
{
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (h->found[p].yes && h->sc->model.judged[p] && h->sc->expect[p] != EXPECT_VIOLATED)
            return true;
    return false;
}

static bool may_go_on(hunt *h)
{
    enum { STEPS_BETWEEN_LOOKS = 256 };
    if (h->o->glance && run_surprised(h))
        return false;
    const char *why = h->taken % STEPS_BETWEEN_LOOKS ? NULL : run_must_stop(h, h->o->time_limit_ms);
    if (why)
        run_stop(h, str_from(why));
    return !why;
}

bool only_faults(const step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].kind != STEP_FAULT)
            return false;
    return true;
}

step run_choice(const step *steps, size_t choice)
{
    if (choice & RUN_PASSES)
        return (step){ .kind = STEP_TIME, .process = NOBODY, .task = NOBODY,
                       .amount = (int64_t)(choice & ~(size_t)RUN_PASSES) };
    return steps[choice];
}

bool run_once(hunt *h, choose_fn *choose, void *chooser)
{
    h->last.count = h->steps = 0;
    if (h->o->on_run)
        h->o->on_run(h->o->context);
    world_options wo = run_options(h, NULL, false);
    world *w = world_new(h->sc, h->l, &wo, &h->out->error);
    if (!w) {
        h->failed = true;
        return false;
    }
    run_note(h, w);
    bool go_on = true;
    size_t n = 0;
    while (!world_over(w)) {
        const step *steps;
        size_t count = world_enabled(w, &steps);
        bool full = n == h->max_steps;
        if (full && !only_faults(steps, count)) {
            h->cut_runs++;
            break;
        }
        size_t i = count == 0 || full ? RUN_SETTLE : choose(chooser, w, steps, count, n);
        if (i == RUN_NO_FURTHER)
            break;
        if (i == RUN_SETTLE) {
            h->failed |= !world_settle(w, &h->out->error);
            run_note(h, w);
            break;
        }
        trace_add(&h->last, (uint32_t)i);
        h->steps = ++n;
        h->taken++;
        h->out->search.transitions += !h->folded;
        step taken = run_choice(steps, i);
        if (!world_take(w, &taken, &h->out->error)) {
            h->failed = true;
            break;
        }
        run_note(h, w);
        if (!may_go_on(h)) {
            go_on = false;
            break;
        }
    }
    if (n > h->out->search.longest)
        h->out->search.longest = n;
    h->seen |= world_seen(w);
    h->observed |= world_locks(w) > 0;
    h->out->search.executions += world_requests(w);
    h->out->search.runs += go_on;
    world_free(w);
    return go_on && !h->failed;
}
