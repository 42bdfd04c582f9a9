/* lease_set.c - LK031 lease_set: a held lock's key has the TTL that was asked for, and none shorter than was
 * promised. */
#include <inttypes.h>

#include "model/monitor.h"

/* Of a lock: a fault changed this key; until it is free again. */
static bool *faulted(const model *m, const lock *l)
{
    return own_of_lock(m, l, PROPERTY_LEASE_SET);
}

/* Of a grant: the earliest end to which the key may be set; 0: unknown. */
static int64_t *promised_ms(const model *m, const grant *g)
{
    return own_of_grant(m, g, PROPERTY_LEASE_SET);
}

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

/* Does the key end before what an owner that still relies on it was promised? */
static void judge_promises(model *m, lock *l)
{
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *s = l->active[k];
        if ((!l->changed && !s->granted) || view_count(&l->now, s->o->name) == 0)
            continue;
        for (size_t i = 0; i < s->grant_count; i++) {
            const grant *g = &s->grants[i];
            int64_t until_ms = *promised_ms(m, g);
            if (!g->believed || g->end_seq || until_ms <= l->now.deadline_ms || until_ms < m->now_ms)
                continue;
            wrong(m, l,
                  model_say(m, "is set to end at %.*s, though %.*s was promised it until %.*s",
                            STR_ARG(model_time(m, l->now.deadline_ms)), STR_ARG(s->o->name),
                            STR_ARG(model_time(m, until_ms))),
                  model_say(m, "The grant was executed at %.*s. %.*s.", STR_ARG(model_time(m, g->executed_ms)),
                            STR_ARG(set_by(m, l))));
            return;
        }
    }
}

/* A step changed the view, or a grant became known. */
static void settle(model *m, const heard *h)
{
    lock *l = h->l;
    const kept_view *is = &l->now, *was = &l->before;
    if (!l->observed || *faulted(m, l) || is->holder_count == 0 || only_permits(is))
        return;
    bool request = l->changed && !l->cause.expiry && !l->cause.fault;
    if (request && !is->has_ttl) {
        wrong(m, l, model_say(m, "has no TTL, though %.*s holds it", STR_ARG(is->holders[0].id)),
              model_say(m, "%.*s so, by the view's ttl_ms.", STR_ARG(set_by(m, l))));
        return;
    }
    const pending *r = request ? track_request(m, l->cause.process, l->cause.request) : NULL;
    if (r && r->lease_ms >= 0 && is->has_ttl && is->deadline_ms > time_after(m->now_ms, r->lease_ms) &&
        (view_free(was, m->now_ms) || (was->has_ttl && is->deadline_ms > was->deadline_ms))) {
        wrong(m, l,
              model_say(m, "is set to end in %" PRId64 " ms, though only %" PRId64 " ms were asked for",
                        is->deadline_ms - m->now_ms, r->lease_ms), model_say(m, "%.*s.", STR_ARG(set_by(m, l))));
        return;
    }
    judge_promises(m, l);
}

static void hear(model *m, const heard *h)
{
    if (h->kind == HEAR_VIEW) {
        if (view_free(&h->l->now, m->now_ms))
            *faulted(m, h->l) = false;
        else if (h->l->cause.fault)
            *faulted(m, h->l) = true;
    } else if (h->g->lease_ms != LEASE_NONE) {
        *promised_ms(m, h->g) = h->g->until_ms;
    } else if (h->r && h->r->lease_ms >= 0) {
        *promised_ms(m, h->g) = time_after(h->g->executed_ms, h->r->lease_ms -
                                            (h->s->l->spec == SPEC_GROUPED || h->s->l->lapses));
    }
}

/* ---- frozen ---- */

static void code_lock(codec *c, lock *at, const lock *itself)
{
    (void)itself;
    *faulted(c->m, at) = code_flag(c, *faulted(c->m, at));
}

static void code_grant(codec *c, grant *g, const stake *s)
{
    (void)s;
    int64_t *until_ms = promised_ms(c->m, g);
    *until_ms = code_ahead(c, g->believed && !g->end_seq ? *until_ms : c->now_ms - 1);
}

const monitor lease_set_monitor = {
    .info = {
        .name = "lease_set", .code = "LK031", .by_default = true, .along_a_run = true,
        .promise = "a held lock's key always has a TTL, never longer than asked, never shortened below what was "
        "promised",
        .explain =
            "By the server's account after each request: a key with a holder has a TTL (permits, whose lease is not a "
                "key's TTL,\n"
            "are left out); a request that prolongs it sets at most the lease it asked for; and it does not end before "
                "the lease\n"
            "that its holder was promised and still counts on. What a fault did to the keyspace is not blamed on a "
                "script.\n"
            "\n"
            "Usual causes: SETNX and EXPIRE as two commands; a nested acquire or a partial release with a shorter "
                "lease than the\n"
            "outer hold's; TTLs that are added up on re-entry; a lease in seconds that was given in milliseconds.\n",
    },
    .reads = FACT_VIEW | FACT_BELIEFS | FACT_EXECUTED | FACT_LEASE,
    .hears = HEARS(HEAR_VIEW) | HEARS(HEAR_GRANTED) | HEARS(SETTLE_LOCK),
    .hear = hear,
    .settle = settle,
    .owns = { .lock = sizeof(bool), .grant = sizeof(int64_t) },
    .code = { .lock = code_lock, .grant = code_grant },
};
