/* exclusion.c - see exclusion.h. */
#include "model/exclusion.h"

/* The fate of the hold of `s` by the server's account: the reason in a report. */
static str fate(model *m, const stake *s, const grant *g)
{
    str who = s->o->name;
    int64_t since_ms = g->executed_ms;
    if (s->gone.word && s->gone.at_ms >= since_ms) {
        str at = model_time(m, s->gone.at_ms);
        if (s->gone.expired && g->lease_ms == LEASE_NONE && s->l->ttl_set.word && s->l->ttl_set.by)
            return model_say(m, "%.*s's key ran out at %.*s without a renewal%s.%s", STR_ARG(who),
                             STR_ARG(model_time(m, s->gone.deadline_ms)),
                             s->gone.paused ? ", while its process was paused" : "",
                             s->l->ttl_set.word->kind == OP_RENEW ? "" : " If nothing renews it, that is its lease: "
                             "lease_ms in its table, or { lease = ... } in me:granted.");
        if (s->gone.expired)
            return model_say(m, "The key that held %.*s's grant ran out at %.*s%s.", STR_ARG(who),
                             STR_ARG(model_time(m, s->gone.deadline_ms)),
                             s->gone.paused ? ", while its process was paused" : "");
        if (s->gone.fault)
            return model_say(m, "%.*s's hold was destroyed at %.*s by a fault: %.*s.", STR_ARG(who), STR_ARG(at),
                             STR_ARG(s->gone.word->name));
        if (s->gone.by == s->o && s->gone.word->kind == OP_OTHER)
            return model_say(m, "%.*s's own %.*s ended its hold at %.*s. If that is how it unlocks, the request should "
                             "say so: { op = \"release\", lock = ... }.", STR_ARG(who), STR_ARG(s->gone.word->name),
                             STR_ARG(at));
        return model_say(m, "%.*s's hold was taken away at %.*s by %.*s of %.*s.", STR_ARG(who), STR_ARG(at),
                         STR_ARG(s->gone.word->name), STR_ARG(s->gone.by ? s->gone.by->name : S("somebody")));
    }
    if (!s->l->observed)
        return S("");
    if (view_count(&s->l->now, who) > 0)
        return model_say(m, "By the server's account %.*s still holds it.", STR_ARG(who));
    return S("");
}

void exclusion_break(model *m, property p, str text, const stake *s, const grant *g)
{
    model_break(m, p, text, fate(m, s, g));
    *(unexplained *)own_of_model(m, p) = (unexplained){ .v = m->broken[p], .s = s, .g = *g };
}

void exclusion_settle(model *m, property p)
{
    unexplained *u = own_of_model(m, p);
    if (u->v)
        u->v->why = fate(m, u->s, &u->g);
    u->v = NULL;
}

static void look_for_rival(rival *r, const lock *l)
{
    for (size_t k = 0; k < l->active_count; k++) {
        const stake *t = l->active[k];
        for (size_t i = 0; t->o != r->s->o && i < t->grant_count; i++) {
            const grant *h = &t->grants[i];
            if (!r->conflicts(r->g, h) || (r->found && r->found->seq < h->seq))
                continue;
            r->found = h;
            r->whose = t;
        }
    }
}

const grant *exclusion_rival(const model *m, rival *r)
{
    if (r->s->l->spec != SPEC_GROUPED)
        look_for_rival(r, r->s->l);
    for (const lock *l = r->s->l->spec == SPEC_GROUPED ? m->locks : NULL; l; l = l->hh.next)
        if (track_overlap(l, r->s->l))
            look_for_rival(r, l);
    return r->found;
}
