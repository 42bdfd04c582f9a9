/* exclusion.c - LK001 mutual_exclusion, LK002 strict_mutual_exclusion and LK003 owner_only: whose lock it is, and who meddles.
 *
 * LK001 compares promises: from the execution of the granting request to the end of the lease, or to the owner's release.
 * Whenever a grant becomes known it is compared with every promise that it could have met, also with one that ended before the
 * answer came. LK002 compares beliefs: from the answer to the release being sent. */
#include <assert.h>
#include <inttypes.h>

#include "model/internal.h"

/* `later` was told after `first`, and executed within its promise; or it waited to be told, was executed before, and `first` fell within its
 * own. Only then is the instant of `first` asked for, which a freeze does not keep. */
static bool meets(const grant *first, const grant *later)
{
    if (later->waited && later->executed_ms < first->executed_ms)
        return first->executed_ms <= later->until_ms;
    return later->executed_ms <= first->until_ms && (!first->end_seq || later->seq < first->end_seq);
}

static bool promises_meet(const grant *a, const grant *b)
{
    if (!modes_conflict(a->mode, b->mode))
        return false;
    return a->seq < b->seq ? meets(a, b) : meets(b, a);
}

/* What became of the hold of `s` by the server's account: the reason that a report gives. */
static str fate(model *m, const stake *s, const grant *g)
{
    static_assert(PROPERTY_MUTUAL_EXCLUSION < 2 && PROPERTY_STRICT_MUTUAL_EXCLUSION < 2, "indices of m->unexplained");
    str who = s->o->name;
    int64_t since_ms = g->executed_ms;
    if (s->gone.word && s->gone.at_ms >= since_ms) {
        str at = model_time(m, s->gone.at_ms);
        if (s->gone.expired && g->lease_ms == LEASE_NONE && s->l->ttl_set.word && s->l->ttl_set.by)
            return model_say(m, "%.*s's key ran out at %.*s without a renewal%s.", STR_ARG(who),
                             STR_ARG(model_time(m, s->gone.deadline_ms)), s->gone.paused ? ", while its process was paused" : "");
        if (s->gone.expired)
            return model_say(m, "The key that held %.*s's grant ran out at %.*s%s.", STR_ARG(who),
                             STR_ARG(model_time(m, s->gone.deadline_ms)), s->gone.paused ? ", while its process was paused" : "");
        if (s->gone.fault)
            return model_say(m, "%.*s's hold was destroyed at %.*s by a fault: %.*s.", STR_ARG(who), STR_ARG(at),
                             STR_ARG(s->gone.word->name));
        if (s->gone.by == s->o && s->gone.word->kind == OP_OTHER)
            return model_say(m, "%.*s's own %.*s ended its hold at %.*s. If that is how it unlocks, the request should say so: "
                             "{ op = \"release\", lock = ... }.", STR_ARG(who), STR_ARG(s->gone.word->name), STR_ARG(at));
        return model_say(m, "%.*s's hold was taken away at %.*s by %.*s of %.*s.", STR_ARG(who), STR_ARG(at),
                         STR_ARG(s->gone.word->name), STR_ARG(s->gone.by ? s->gone.by->name : S("somebody")));
    }
    if (!s->l->observed)
        return S("");
    if (view_count(&s->l->now, who) > 0)
        return model_say(m, "By the server's account %.*s still holds it.", STR_ARG(who));
    return S("");
}

/* The request that made the difference may be the one of this very step, whose view is still to come. */
static void explain_later(model *m, property p, const stake *s, const grant *g)
{
    m->unexplained[p].v = m->broken[p];
    m->unexplained[p].s = s;
    m->unexplained[p].g = *g;
}

void exclusion_explain(model *m)
{
    for (size_t i = 0; i < COUNT(m->unexplained); i++) {
        if (m->unexplained[i].v)
            m->unexplained[i].v->why = fate(m, m->unexplained[i].s, &m->unexplained[i].g);
        m->unexplained[i].v = NULL;
    }
}

static str promised_until(model *m, const grant *g)
{
    if (g->until_ms == NEVER_MS)
        return S("until it releases");
    return model_say(m, "until %.*s", STR_ARG(model_time(m, g->until_ms)));
}

/* The grant of another that conflicts with `g`: of several the first by execution, so that no order of a list shows. */
static const grant *rival_of(const stake *s, const grant *g, bool by_promise, const stake **whose)
{
    const grant *found = NULL;
    for (size_t k = 0; k < s->l->active_count; k++) {
        const stake *t = s->l->active[k];
        for (size_t i = 0; t != s && i < t->grant_count; i++) {
            const grant *h = &t->grants[i];
            bool conflict = by_promise ? promises_meet(g, h) : h->believed && modes_conflict(g->mode, h->mode);
            if (!conflict || (found && found->seq < h->seq))
                continue;
            found = h;
            *whose = t;
        }
    }
    return found;
}

static void judge_promises(model *m, stake *s, const grant *g)
{
    const stake *t = NULL;
    const grant *h = rival_of(s, g, true, &t);
    if (!h)
        return;
    bool mine_first = g->seq < h->seq;
    const stake *first = mine_first ? s : t, *later = mine_first ? t : s;
    const grant *was = mine_first ? g : h, *is = mine_first ? h : g;
    str text = model_say(m, "%.*s was granted \"%.*s\" at %.*s, while the grant to %.*s of %.*s was promised %.*s.",
                         STR_ARG(later->o->name), STR_ARG(s->l->name), STR_ARG(model_time(m, is->executed_ms)),
                         STR_ARG(first->o->name), STR_ARG(model_time(m, was->executed_ms)), STR_ARG(promised_until(m, was)));
    model_break(m, PROPERTY_MUTUAL_EXCLUSION, text, fate(m, first, was));
    explain_later(m, PROPERTY_MUTUAL_EXCLUSION, first, was);
}

static void judge_beliefs(model *m, stake *s, const grant *g)
{
    const stake *t = NULL;
    const grant *h = rival_of(s, g, false, &t);
    if (!h)
        return;
    str text = model_say(m, "%.*s and %.*s both believe they hold \"%.*s\" from %.*s.", STR_ARG(t->o->name), STR_ARG(s->o->name),
                         STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)));
    if (h->until_ms >= m->now_ms) {
        model_break(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, text, fate(m, t, h));
        explain_later(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, t, h);
        return;
    }
    bool paused = t->o->process != NOBODY && m->processes[t->o->process].paused;
    str why = model_say(m, "%.*s's lease (granted at %.*s) ended at %.*s%s; %.*s was granted at %.*s.", STR_ARG(t->o->name),
                        STR_ARG(model_time(m, h->executed_ms)), STR_ARG(model_time(m, h->until_ms)),
                        paused ? " while its process was paused" : "", STR_ARG(s->o->name),
                        STR_ARG(model_time(m, g->executed_ms)));
    model_break(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, text, why);
}

void exclusion_granted(model *m, stake *s, const grant *g)
{
    if (s->l->spec == SPEC_SEMAPHORE) {
        capacity_granted(m, s, g);
        return;
    }
    if (model_open(m, PROPERTY_MUTUAL_EXCLUSION))
        judge_promises(m, s, g);
    if (model_open(m, PROPERTY_STRICT_MUTUAL_EXCLUSION))
        judge_beliefs(m, s, g);
}

/* ---- LK003 ---- */

static bool still_promised(const model *m, const stake *s)
{
    for (size_t i = 0; s && i < s->grant_count; i++)
        if (!s->grants[i].end_seq && s->grants[i].until_ms >= m->now_ms)
            return true;
    return false;
}

static str by_whom(model *m, const lock *l)
{
    return model_say(m, "%.*s (%.*s)", STR_ARG(l->cause.by->name), STR_ARG(l->cause.word->name));
}

static void meddled(model *m, const lock *l, str did, str victim, str why)
{
    model_break(m, PROPERTY_OWNER_ONLY,
                model_say(m, "%.*s %.*s the hold of %.*s on \"%.*s\" at %.*s.", STR_ARG(by_whom(m, l)), STR_ARG(did),
                          STR_ARG(victim), STR_ARG(l->name), STR_ARG(model_time(m, m->now_ms))), why);
}

static str ttl_moved(model *m, const lock *l)
{
    str was = l->before.has_ttl ? model_time(m, l->before.deadline_ms) : S("never");
    str is = l->now.has_ttl ? model_time(m, l->now.deadline_ms) : S("never");
    return model_say(m, "The key was to end at %.*s, and ends at %.*s now.", STR_ARG(was), STR_ARG(is));
}

/* A request changed the view from `before` to `now`. */
void exclusion_owner_only(model *m, lock *l)
{
    op_kind op = l->cause.word->kind;
    const owner *by = l->cause.by;
    if (!model_open(m, PROPERTY_OWNER_ONLY) || op == OP_FORCE_RELEASE || !by || view_free(&l->before, m->now_ms))
        return;
    bool holds = false;
    for (size_t i = 0; i < l->before.holder_count; i++) {
        str id = l->before.holders[i].id;
        holds |= str_eq(id, by->name) || (op == OP_RENEW && by->process != NOBODY && track_process_of(m, id) == by->process);
    }
    bool outsider = !holds && (op == OP_RELEASE || op == OP_RENEW || op == OP_ABANDON);
    for (size_t i = 0; i < l->before.holder_count; i++) {
        const lock_holder *h = &l->before.holders[i];
        if (str_eq(h->id, by->name) || (op == OP_RENEW && by->process != NOBODY && track_process_of(m, h->id) == by->process))
            continue;
        bool permit = mode_parse(h->mode) == MODE_PERMIT;
        const lock_holder *left = view_holder(&l->now, h->id, h->mode);
        const stake *s = track_find_stake(track_find_owner(m, h->id), l);
        if ((!left || left->count < h->count) && ((outsider && !permit) || still_promised(m, s))) {
            meddled(m, l, left ? S("reduced") : S("took away"), h->id,
                    holds ? S("Its grant was still promised.")
                          : model_say(m, "%.*s held nothing; the hold belonged to %.*s.", STR_ARG(by->name), STR_ARG(h->id)));
            return;
        }
        if (holds || permit || !left || l->before.deadline_ms == l->now.deadline_ms)
            continue;
        if (l->now.deadline_ms < l->before.deadline_ms || outsider) {
            meddled(m, l, l->now.deadline_ms < l->before.deadline_ms ? S("shortened") : S("prolonged"), h->id, ttl_moved(m, l));
            return;
        }
    }
}
