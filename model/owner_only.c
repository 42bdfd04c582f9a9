/* owner_only.c - LK003 owner_only: only its owner releases, renews or shortens a hold. */
#include <inttypes.h>

#include "model/monitor.h"

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

/* A view that names tokens instead of owners would look like theft. */
static str nothing_held(model *m, const lock *l, str victim)
{
    return model_say(m, "%.*s held nothing; the hold belonged to %.*s%s.", STR_ARG(l->cause.by->name), STR_ARG(victim),
                     track_find_owner(m, victim) ? "" : ", by the view's account: no client of this name has asked for "
                                                       "anything (a view names owners by me.id)");
}

static str ttl_moved(model *m, const lock *l)
{
    str was = l->before.has_ttl ? model_time(m, l->before.deadline_ms) : S("never");
    str is = l->now.has_ttl ? model_time(m, l->now.deadline_ms) : S("never");
    return model_say(m, "The key was to end at %.*s, and ends at %.*s now.", STR_ARG(was), STR_ARG(is));
}

static void settle(model *m, const heard *h)
{
    lock *l = h->l;
    if (!l->changed || l->cause.expiry || l->cause.fault)
        return;
    op_kind op = l->cause.word->kind;
    const owner *by = l->cause.by;
    if (op == OP_FORCE_RELEASE || !by || view_free(&l->before, m->now_ms))
        return;
    bool holds = false;
    for (size_t i = 0; i < l->before.holder_count; i++) {
        str id = l->before.holders[i].id;
        holds |= str_eq(id, by->name) ||
            (op == OP_RENEW && by->process != NOBODY && track_process_of(m, id) == by->process);
    }
    bool outsider = !holds && (op == OP_RELEASE || op == OP_RENEW || op == OP_ABANDON);
    for (size_t i = 0; i < l->before.holder_count; i++) {
        const lock_holder *held = &l->before.holders[i];
        if (str_eq(held->id, by->name) ||
            (op == OP_RENEW && by->process != NOBODY && track_process_of(m, held->id) == by->process))
            continue;
        bool permit = mode_parse(held->mode) == MODE_PERMIT;
        const lock_holder *left = view_holder(&l->now, held->id, held->mode);
        const stake *s = track_find_stake(track_find_owner(m, held->id), l);
        if ((!left || left->count < held->count) && ((outsider && !permit) || still_promised(m, s))) {
            meddled(m, l, left ? S("reduced") : S("took away"), held->id,
                    holds ? S("Its grant was still promised.") : nothing_held(m, l, held->id));
            return;
        }
        if (holds || permit || !left || l->before.deadline_ms == l->now.deadline_ms)
            continue;
        if (l->now.deadline_ms < l->before.deadline_ms || outsider) {
            meddled(m, l, l->now.deadline_ms < l->before.deadline_ms ? S("shortened") : S("prolonged"), held->id,
                    ttl_moved(m, l));
            return;
        }
    }
}

const monitor owner_only_monitor = {
    .info = {
        .name = "owner_only", .code = "LK003", .by_default = true, .along_a_run = true,
        .promise = "only the owner releases, renews or shortens a hold",
        .explain =
            "By the server's account before and after each request: a release, renewal or abandon by a client that "
                "holds nothing\n"
            "must leave every other hold and its TTL as they were; an acquire must not shorten another's TTL; and no "
                "request at\n"
            "all may take away another's hold while that is still promised. Renewing is a process's business: its "
                "watchdog may\n"
            "renew for all its threads. The operation force_release is allowed by definition.\n"
            "\n"
            "Usual causes: DEL without comparing the token; comparing in the client and deleting in a second command; "
                "a watchdog\n"
            "that extends a key without looking whose it is; deciding ownership by a stored time instead of a token.\n",
    },
    .reads = FACT_VIEW | FACT_BELIEFS | FACT_PROMISES | FACT_EXECUTED | FACT_LEASE,
    .hears = HEARS(SETTLE_LOCK),
    .settle = settle,
};
