/* prompt.c - LK013 prompt: a lock that no client believes to hold is granted to a waiter in time. */
#include <assert.h>
#include <inttypes.h>

#include "model/waiters.h"

/* Of a lock: its clock runs. */
typedef struct {
    bool idles;
    int64_t since_ms;
} idling;

static idling *idling_of(const model *m, const lock *l)
{
    return own_of_lock(m, l, PROPERTY_PROMPT);
}

/* Can it take what is free? Not if its process is paused or its thread stalled. */
static bool is_awake(const model *m, const stake *s, const event *e)
{
    const task_state *t = e ? track_task(e, s->process, s->task) : NULL;
    return (s->o->process == NOBODY || !m->processes[s->o->process].paused) && !(t && t->stalled);
}

/* Would the permits that no client believes to hold be enough for a live waiter that is awake? A stalled one may have
 * been answered without knowing it. */
static bool idle_permits(const model *m, const lock *l, const event *e)
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
        const task_state *t = e && s->waiting ? track_task(e, s->process, s->task) : NULL;
        if (t && t->stalled)
            return false;
        waiter |= s->waiting && out + s->wait_permits <= l->capacity && is_awake(m, s, e);
    }
    return waiter;
}

/* Does a client believe in a hold that excludes `s`? Readers do not exclude readers. */
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

/* Is there a live waiter awake that nothing excludes, while none of them holds it by the server's account? */
static bool idle(const model *m, const lock *l, const event *e)
{
    bool waiter = false;
    if (l->spec == SPEC_SEMAPHORE)
        return idle_permits(m, l, e);
    if ((l->beliefs > 0 && l->spec != SPEC_READ_WRITE) || (l->spec == SPEC_LATCH && !view_free(&l->now, m->now_ms)))
        return false;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (!s->waiting)
            continue;
        if (l->observed && !view_free(&l->now, m->now_ms) && view_count(&l->now, s->o->name) > 0)
            return false;
        waiter |= is_awake(m, s, e) && !kept_out(l, s);
    }
    return waiter;
}

/* Only readers hold it, and another reader waits. */
static void slow_for_readers(model *m, const lock *l, bool late)
{
    const stake *first = NULL;
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if (s->waiting && !kept_out(l, s) && (!first || str_cmp(s->o->name, first->o->name) < 0))
            first = s;
    }
    assert(first);         /* idle() has just found it */
    model_break(m, PROPERTY_PROMPT,
                model_say(m, "Since %.*s only readers believe to hold \"%.*s\", and %.*s, who wants to read, %s.",
                          STR_ARG(model_time(m, idling_of(m, l)->since_ms)), STR_ARG(l->name), STR_ARG(first->o->name),
                          late ? model_say(m, "still waits at %.*s", STR_ARG(model_time(m, m->now_ms))).p
                          : "waits for ever"),
                model_account(m, m->memory, l->name));
}

static void judge_prompt(model *m, lock *l, const heard *h)
{
    idling *i = idling_of(m, l);
    if (l->waiting == 0 || !idle(m, l, h->e)) {
        *i = (idling){ 0 };
        return;
    }
    if (!i->idles)
        *i = (idling){ .idles = true, .since_ms = m->now_ms };
    int64_t limit_ms = m->config.parameter[PROPERTY_PROMPT];
    bool late = m->now_ms - i->since_ms > limit_ms;
    if (!late && !h->stuck)
        return;
    if (l->beliefs > 0 && l->spec == SPEC_READ_WRITE) {
        slow_for_readers(m, l, late);
        return;
    }
    const stake *s = waiter_first(m, l, false);
    if (l->spec == SPEC_SEMAPHORE) {
        model_break(m, PROPERTY_PROMPT,
                    model_say(m, "Since %.*s no client believes to hold what %.*s waits for, permits of \"%.*s\", and "
                              "it %s.",
                              STR_ARG(model_time(m, i->since_ms)), STR_ARG(s->o->name), STR_ARG(l->name),
                              late ? model_say(m, "still waits at %.*s", STR_ARG(model_time(m, m->now_ms))).p
                              : "waits for ever"),
                    model_account(m, m->memory, l->name));
        return;
    }
    str holder = l->observed && l->now.holder_count ? l->now.holders[0].id : S("");
    model_break(m, PROPERTY_PROMPT,
                late ? model_say(m, "No client believes to hold \"%.*s\" since %.*s; at %.*s %.*s still waits for it.",
                                 STR_ARG(l->name), STR_ARG(model_time(m, i->since_ms)),
                                 STR_ARG(model_time(m, m->now_ms)), STR_ARG(s->o->name))
                     : model_say(m, "No client believes to hold \"%.*s\" since %.*s, and %.*s waits for it for ever.",
                                 STR_ARG(l->name), STR_ARG(model_time(m, i->since_ms)), STR_ARG(s->o->name)),
                holder.n ? model_say(m, "By the server's account %.*s holds it%s.", STR_ARG(holder),
                                     l->now.has_ttl ? "" : ", without a TTL")
                         : late ? model_say(m, "By the server's account it is free; idle_ms is %" PRId64 ".", limit_ms)
                                : S("By the server's account it is free, and nothing can happen any more."));
}

static void settle(model *m, const heard *h)
{
    for (lock *l = m->locks; l; l = l->hh.next)
        judge_prompt(m, l, h);
}

/* ---- frozen ---- */

static void code_lock(codec *c, lock *at, const lock *itself)
{
    (void)itself;
    idling *i = idling_of(c->m, at);
    int64_t limit_ms = c->m->config.parameter[PROPERTY_PROMPT], idle_ms = c->now_ms - i->since_ms;
    i->idles = code_flag(c, i->idles);
    if (i->idles)
        i->since_ms = c->now_ms - code_whole(c, idle_ms > limit_ms ? limit_ms + 1 : idle_ms);
}

const monitor prompt_monitor = {
    .info = {
        .name = "prompt", .code = "LK013", .along_a_run = true, .parameter = "idle_ms", .parameter_default = 60000,
        .promise = "a lock no client believes to hold is in a live waiter's hands within idle_ms",
        .explain =
            "The clock runs while no live client believes to hold the lock and a live task waits for it, not paused "
                "nor stalled,\n"
            "and stops when a waiter is granted, or holds by the server's account with the answer still under way. Of "
                "a read-write\n"
            "lock it also runs while only readers hold it, and a client that wants to read waits. At idle_ms it is "
                "still prompt, a\n"
            "millisecond later it is not; nor is it when nothing can happen any more. The default of 60000 ms is twice "
                "the usual\n"
            "lease of 30 s: room for the lease of a crashed holder to end and for one more round of polling, and far "
                "below what an\n"
            "immortal lock takes. Name your own: prompt = { \"holds\", idle_ms = 1000 }.\n"
            "\n"
            "Usual causes: a key without a TTL whose holder died; a watchdog that goes on for a hold that ended; the "
                "dead head\n"
            "of a queue; waiters that sleep for the lease they were told of and are not woken when it ends sooner.\n",
    },
    .reads = FACT_VIEW | FACT_BELIEFS | FACT_WAITS,
    .reads_of = { [SPEC_SEMAPHORE] = FACT_WON, [SPEC_READ_WRITE] = FACT_WAIT_MODE },
    .hears = HEARS(SETTLE_STATE),
    .settle = settle,
    .owns = { .lock = sizeof(idling) },
    .code = { .lock = code_lock },
};
