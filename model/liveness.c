/* liveness.c - LK010 no_lost_wakeup, LK011 no_deadlock and LK013 prompt: does a free lock find its way to who waits for it? */
#include <assert.h>
#include <inttypes.h>

#include "model/internal.h"

void liveness_forget_dead_waiters(model *m, const event *e)
{
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = l->waiting ? l->active_count : 0; k-- > 0;) {
            stake *s = l->active[k];
            if (s->waiting && !track_task(e, s->process, s->task)) {
                track_wait(s, false);
                track_refresh(s);
            }
        }
}

void model_each_waiting(const model *m, void (*fn)(void *context, str who, str lock, int64_t since_ms), void *context)
{
    for (const lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; l->waiting && k < l->active_count; k++)
            if (l->active[k]->waiting)
                fn(context, l->active[k]->o->name, l->name, l->active[k]->wait_ms);
}

str model_account(const model *m, arena *a, str name)
{
    lock *l;
    HASH_FIND(hh, m->locks, name.p, name.n, l);
    if (!l || !l->observed)
        return S("");
    if (l->spec == SPEC_SEMAPHORE)
        return arena_printf(a, "By the server's account %" PRId64 " of its permits are free.", l->now.permits);
    if (l->now.holder_count == 0)
        return S("By the server's account it is free.");
    return arena_printf(a, "By the server's account %.*s holds it%s.", STR_ARG(l->now.holders[0].id), l->now.has_ttl ? "" : ", without a TTL");
}

uint64_t model_grants(const model *m, str name)
{
    lock *l;
    HASH_FIND(hh, m->locks, name.p, name.n, l);
    return l ? l->grants : 0;
}

/* By the server's account it could have what it waits for. */
static bool could_have(const model *m, const stake *s)
{
    const lock *l = s->l;
    return l->spec == SPEC_SEMAPHORE ? l->now.permits >= s->wait_permits : view_free(&l->now, m->now_ms);
}

/* Who waits longest: whom a report names, whatever the order of the list. `served`: of those who could have what they wait for. */
static const stake *first_waiter(const model *m, const lock *l, bool served)
{
    const stake *first = NULL;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && (!served || could_have(m, s)) && (!first || s->wait_ms < first->wait_ms ||
                           (s->wait_ms == first->wait_ms && str_cmp(s->o->name, first->o->name) < 0)))
            first = s;
    }
    return first;
}

static const char *free_word(const lock *l)
{
    return l->spec == SPEC_SEMAPHORE ? "to be had" : l->spec == SPEC_LATCH ? "open" : "free";
}

static void judge_wakeup(model *m, lock *l, const event *e)
{
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && could_have(m, s) && track_task(e, s->process, s->task)->wake != WAKE_NEVER)
            return;
    }
    const stake *s = first_waiter(m, l, true);
    if (!s)
        return;
    model_break(m, PROPERTY_NO_LOST_WAKEUP,
                model_say(m, "\"%.*s\" is %s at %.*s, and %.*s, who waits for it since %.*s, is parked for ever.",
                          STR_ARG(l->name), free_word(l), STR_ARG(model_time(m, m->now_ms)), STR_ARG(s->o->name),
                          STR_ARG(model_time(m, s->wait_ms))),
                model_say(m, "No answer, message, permit or timer is coming for %s waiter%s of the lock.",
                          l->waiting == 1 ? "the only" : "any", ""));
}

/* Permits that nobody believes to hold would do for a live waiter who is not paused. */
static bool idle_permits(const model *m, const lock *l)
{
    int64_t out = 0;
    bool waiter = false;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && track_has_won(m, s))
            return false;
        for (size_t i = 0; i < s->grant_count; i++)
            out += s->grants[i].believed ? s->grants[i].permits : 0;
    }
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        waiter |= s->waiting && out + s->wait_permits <= l->capacity &&
                  (s->o->process == NOBODY || !m->processes[s->o->process].paused);
    }
    return waiter;
}

/* Somebody believes to hold it in a way that leaves no room for `s`: readers leave it to readers. */
static bool kept_out(const lock *l, const stake *s)
{
    bool reads = l->spec == SPEC_READ_WRITE && s->wait_mode == MODE_READ;
    for (size_t k = 0; l->beliefs > 0 && k < l->active_count; k++) {
        const stake *t = l->active[k];
        for (size_t i = 0; i < t->grant_count; i++)
            if (t->grants[i].believed && !(reads && t->grants[i].mode == MODE_READ))
                return true;
    }
    return false;
}

/* Nobody keeps a live waiter out who is not paused, and none of them has it by the server's account. */
static bool idle(const model *m, const lock *l)
{
    bool waiter = false;
    if (l->spec == SPEC_SEMAPHORE)
        return idle_permits(m, l);
    if ((l->beliefs > 0 && l->spec != SPEC_READ_WRITE) || (l->spec == SPEC_LATCH && !view_free(&l->now, m->now_ms)))
        return false;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (!s->waiting)
            continue;
        if (l->observed && !view_free(&l->now, m->now_ms) && view_count(&l->now, s->o->name) > 0)
            return false;
        waiter |= (s->o->process == NOBODY || !m->processes[s->o->process].paused) && !kept_out(l, s);
    }
    return waiter;
}

/* Only readers hold it, and somebody who wants to read waits. */
static void slow_for_readers(model *m, const lock *l, bool late)
{
    const stake *first = NULL;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && !kept_out(l, s) && (!first || str_cmp(s->o->name, first->o->name) < 0))
            first = s;
    }
    assert(first);         /* idle() has just found him */
    model_break(m, PROPERTY_PROMPT,
                model_say(m, "Since %.*s only readers believe to hold \"%.*s\", and %.*s, who wants to read, %s.",
                          STR_ARG(model_time(m, l->idle_since_ms)), STR_ARG(l->name), STR_ARG(first->o->name),
                          late ? model_say(m, "still waits at %.*s", STR_ARG(model_time(m, m->now_ms))).p : "waits for ever"),
                model_account(m, m->memory, l->name));
}

static void judge_prompt(model *m, lock *l, bool stuck)
{
    if (l->waiting == 0 || !idle(m, l)) {
        l->idle_since_ms = NEVER_MS;
        return;
    }
    if (l->idle_since_ms == NEVER_MS)
        l->idle_since_ms = m->now_ms;
    int64_t limit_ms = m->config.parameter[PROPERTY_PROMPT];
    bool late = m->now_ms - l->idle_since_ms > limit_ms;
    if (!late && !stuck)
        return;
    if (l->beliefs > 0 && l->spec == SPEC_READ_WRITE) {
        slow_for_readers(m, l, late);
        return;
    }
    const stake *s = first_waiter(m, l, false);
    if (l->spec == SPEC_SEMAPHORE) {
        model_break(m, PROPERTY_PROMPT,
                    model_say(m, "Since %.*s nobody believes to hold what %.*s waits for, permits of \"%.*s\", and it %s.",
                              STR_ARG(model_time(m, l->idle_since_ms)), STR_ARG(s->o->name), STR_ARG(l->name),
                              late ? model_say(m, "still waits at %.*s", STR_ARG(model_time(m, m->now_ms))).p : "waits for ever"),
                    model_account(m, m->memory, l->name));
        return;
    }
    str holder = l->observed && l->now.holder_count ? l->now.holders[0].id : S("");
    model_break(m, PROPERTY_PROMPT,
                late ? model_say(m, "Nobody believes to hold \"%.*s\" since %.*s, and at %.*s %.*s still waits for it.",
                                 STR_ARG(l->name), STR_ARG(model_time(m, l->idle_since_ms)), STR_ARG(model_time(m, m->now_ms)),
                                 STR_ARG(s->o->name))
                     : model_say(m, "Nobody believes to hold \"%.*s\" since %.*s, and %.*s waits for it for ever.",
                                 STR_ARG(l->name), STR_ARG(model_time(m, l->idle_since_ms)), STR_ARG(s->o->name)),
                holder.n ? model_say(m, "By the server's account %.*s holds it%s.", STR_ARG(holder),
                                     l->now.has_ttl ? "" : ", without a TTL")
                         : late ? model_say(m, "By the server's account it is free; idle_ms is %" PRId64 ".", limit_ms)
                                : S("By the server's account it is free, and nothing can happen any more."));
}

static void judge_deadlock(model *m, const event *e)
{
    const task_state *caught = NULL;
    for (size_t i = 0; i < e->task_count && !caught; i++)
        if (e->tasks[i].main)
            caught = &e->tasks[i];
    if (!caught)
        return;
    const stake *s = NULL;
    const owner *o = track_find_owner(m, caught->who);
    for (const stake *t = o ? o->stakes : NULL; t; t = t->next_of_owner)
        if (t->waiting && (!s || t->wait_ms > s->wait_ms || (t->wait_ms == s->wait_ms && str_cmp(t->l->name, s->l->name) < 0)))
            s = t;
    str at = model_time(m, m->now_ms);
    if (!s) {
        model_break(m, PROPERTY_NO_DEADLOCK,
                    model_say(m, "%.*s has not finished at %.*s, and nothing can happen any more.", STR_ARG(caught->who),
                              STR_ARG(at)), S("It waits for something other than a lock."));
        return;
    }
    bool semaphore = s->l->spec == SPEC_SEMAPHORE;
    str holder = s->l->now.holder_count && !semaphore ? s->l->now.holders[0].id : S("");
    model_break(m, PROPERTY_NO_DEADLOCK,
                model_say(m, "%.*s waits for \"%.*s\" since %.*s, and at %.*s nothing can happen any more.", STR_ARG(caught->who),
                          STR_ARG(s->l->name), STR_ARG(model_time(m, s->wait_ms)), STR_ARG(at)),
                !s->l->observed ? S("")
                : semaphore     ? model_account(m, m->memory, s->l->name)
                : holder.n      ? model_say(m, "By the server's account %.*s holds it%s.", STR_ARG(holder),
                                            s->l->now.has_ttl ? "" : ", without a TTL")
                                : S("By the server's account it is free."));
}

void liveness_state(model *m, const event *e, bool stuck)
{
    bool prompt = model_open(m, PROPERTY_PROMPT), wakeup = model_open(m, PROPERTY_NO_LOST_WAKEUP);
    for (lock *l = prompt || wakeup ? m->locks : NULL; l; l = l->hh.next) {
        if (wakeup && l->waiting > 0 && l->observed)
            judge_wakeup(m, l, e);
        if (prompt)
            judge_prompt(m, l, stuck);
    }
    if (stuck && model_open(m, PROPERTY_NO_DEADLOCK))
        judge_deadlock(m, e);
}
