/* leases.c - LK031 lease_set and LK030 no_leak: the lock's keys have the TTL that was asked for, and nothing stays behind. */
#include <inttypes.h>

#include "model/internal.h"

static void wrong(model *m, const lock *l, str what, str why)
{
    model_break(m, PROPERTY_LEASE_SET,
                model_say(m, "At %.*s the key of \"%.*s\" %.*s.", STR_ARG(model_time(m, m->now_ms)), STR_ARG(l->name),
                          STR_ARG(what)), why);
}

static str set_by(model *m, const lock *l)
{
    if (!l->changed || !l->cause.by)
        return S("It was told of later");
    return model_say(m, "The %.*s of %.*s set it", STR_ARG(l->cause.word->name), STR_ARG(l->cause.by->name));
}

static bool only_permits(const kept_view *v)
{
    for (size_t i = 0; i < v->holder_count; i++)
        if (mode_parse(v->holders[i].mode) != MODE_PERMIT)
            return false;
    return true;
}

/* Ends before what an owner that still counts on it was promised. */
static void judge_promises(model *m, lock *l)
{
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if ((!l->changed && !s->granted) || view_count(&l->now, s->o->name) == 0)
            continue;
        for (size_t i = 0; i < s->grant_count; i++) {
            const grant *g = &s->grants[i];
            if (!g->believed || g->end_seq || g->ttl_until_ms <= l->now.deadline_ms || g->ttl_until_ms < m->now_ms)
                continue;
            wrong(m, l,
                  model_say(m, "is set to end at %.*s, though %.*s was promised it until %.*s",
                            STR_ARG(model_time(m, l->now.deadline_ms)), STR_ARG(s->o->name),
                            STR_ARG(model_time(m, g->ttl_until_ms))),
                  model_say(m, "The grant was executed at %.*s. %.*s.", STR_ARG(model_time(m, g->executed_ms)),
                            STR_ARG(set_by(m, l))));
            return;
        }
    }
}

/* A step changed the view, or somebody learned of a grant. */
void leases_changed(model *m, lock *l)
{
    const kept_view *is = &l->now, *was = &l->before;
    if (!model_open(m, PROPERTY_LEASE_SET) || !l->observed || l->faulted || is->holder_count == 0 || only_permits(is))
        return;
    bool request = l->changed && !l->cause.expiry && !l->cause.fault;
    if (request && !is->has_ttl) {
        wrong(m, l, model_say(m, "has no TTL, though %.*s holds it", STR_ARG(is->holders[0].id)),
              model_say(m, "%.*s so.", STR_ARG(set_by(m, l))));
        return;
    }
    const pending *r = request ? track_request(m, l->cause.process, l->cause.request) : NULL;
    if (r && r->lease_ms >= 0 && is->has_ttl && is->deadline_ms > time_after(m->now_ms, r->lease_ms) &&
        (view_free(was, m->now_ms) || (was->has_ttl && is->deadline_ms > was->deadline_ms))) {
        wrong(m, l,
              model_say(m, "is set to end in %" PRId64 " ms, though only %" PRId64 " ms were asked for", is->deadline_ms - m->now_ms,
                        r->lease_ms), model_say(m, "%.*s.", STR_ARG(set_by(m, l))));
        return;
    }
    judge_promises(m, l);
}

static void left(model *m, str text, str why)
{
    model_break(m, PROPERTY_NO_LEAK, text, why);
}

void leases_rest(model *m, const event *e)
{
    const lock_view *v = e->view;
    if (!model_open(m, PROPERTY_NO_LEAK))
        return;
    str at = model_time(m, m->now_ms);
    if (v && v->ttl_ms != TTL_NO_KEY && v->permits < v->capacity)
        left(m, model_say(m, "At rest, at %.*s, %" PRId64 " of the %" PRId64 " permits of \"%.*s\" did not come back.", STR_ARG(at),
                          v->capacity - v->permits, v->capacity, STR_ARG(e->lock)), S("Nobody is left who could give them back."));
    else if (v && v->holder_count > 0)
        left(m, model_say(m, "At rest, at %.*s, %.*s still holds \"%.*s\".", STR_ARG(at), STR_ARG(v->holders[0].id), STR_ARG(e->lock)),
             v->ttl_ms == TTL_NONE ? S("Its key has no TTL.") : S("Its key is renewed, or outlives the run."));
    else if (v && v->queue_count > 0)
        left(m, model_say(m, "At rest, at %.*s, %.*s is still queued for \"%.*s\".", STR_ARG(at), STR_ARG(v->queue[0]),
                          STR_ARG(e->lock)), S("Its program has ended or died, and nobody takes the entry out."));
    else if (v && v->key_count > 0)
        left(m, model_say(m, "At rest, at %.*s, the key %.*s of \"%.*s\" is still there.", STR_ARG(at), STR_ARG(v->keys[0]),
                          STR_ARG(e->lock)), S("Nobody holds the lock or waits for it."));
    else if (e->subscriptions > 0)
        left(m, model_say(m, "At rest, at %.*s, %zu subscription%s of live processes %s left.", STR_ARG(at), e->subscriptions,
                          e->subscriptions == 1 ? "" : "s", e->subscriptions == 1 ? "is" : "are"),
             S("Every program has ended; somebody forgot to unsubscribe."));
}
