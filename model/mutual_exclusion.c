/* mutual_exclusion.c - LK001 mutual_exclusion: no two promises of one lock overlap in time.
 *
 * A promise lasts from the execution of the granting request to the end of the lease, or to the owner's release. When a
 * grant becomes known, it is compared with every promise that it could have met, including one that ended before the
 * answer came. */
#include "model/exclusion.h"

/* `later` became known after `first`, and was executed within its promise; or it was reported late and executed before,
 * and `first` was executed within the promise of `later`. Only the latter needs the instant of `first`, which a freeze
 * keeps while a pop is in progress that was sent before. */
static bool meets(const grant *first, const grant *later)
{
    if (later->waited && later->executed_ms < first->executed_ms)
        return first->executed_ms <= later->until_ms;
    return later->executed_ms <= first->until_ms && (!first->end_seq || later->seq < first->end_seq);
}

/* Its lease was over before the request was executed: the client subtracts the time of the request from the lease, and
 * nothing was left. */
static bool never_promised(const grant *g)
{
    return g->until_ms < g->executed_ms;
}

static bool promises_meet(const grant *a, const grant *b)
{
    const grant *first = a->seq < b->seq ? a : b, *later = a->seq < b->seq ? b : a;
    return modes_conflict(a->mode, b->mode) && !never_promised(later) && meets(first, later);
}

static str promised_until(model *m, const grant *g)
{
    if (g->until_ms == NEVER_MS)
        return S("until it releases");
    return model_say(m, "until %.*s", STR_ARG(model_time(m, g->until_ms)));
}

static void hear(model *m, const heard *heard)
{
    const stake *s = heard->s;
    const grant *g = heard->g;
    if (never_promised(g))
        return;
    if (s->l->spec == SPEC_SEMAPHORE) {
        capacity_judge(m, PROPERTY_MUTUAL_EXCLUSION, s, g);
        return;
    }
    rival r = { .s = s, .g = g, .conflicts = promises_meet };
    const grant *h = exclusion_rival(m, &r);
    if (!h)
        return;
    const stake *t = r.whose;
    bool mine_first = g->seq < h->seq;
    const stake *first = mine_first ? s : t, *later = mine_first ? t : s;
    const grant *was = mine_first ? g : h, *is = mine_first ? h : g;
    str other = t->l == s->l ? S("") : model_say(m, " of \"%.*s\"", STR_ARG(first->l->name));
    str text = model_say(m, "%.*s was granted \"%.*s\" at %.*s, while the grant%.*s to %.*s of %.*s was promised %.*s.",
                         STR_ARG(later->o->name), STR_ARG(later->l->name), STR_ARG(model_time(m, is->executed_ms)),
                         STR_ARG(other),
                         STR_ARG(first->o->name), STR_ARG(model_time(m, was->executed_ms)),
                         STR_ARG(promised_until(m, was)));
    exclusion_break(m, PROPERTY_MUTUAL_EXCLUSION, text, first, was);
}

static void settle(model *m, const heard *h)
{
    (void)h;
    exclusion_settle(m, PROPERTY_MUTUAL_EXCLUSION);
}

const monitor mutual_exclusion_monitor = {
    .info = {
        .name = "mutual_exclusion", .code = "LK001", .by_default = true, .along_a_run = true,
        .promise = "never two grants of one lock are both still promised",
        .explain =
            "A grant is promised from the moment the granting request is executed at the server: for its lease, the "
                "last\n"
            "millisecond included, or without a lease until its owner sends the release. Re-entry adds a promise of "
                "its own; a\n"
            "renewal that is executed prolongs it. Two promises to different owners that meet are a violation, also "
                "when one of\n"
            "them is only learned of later because its answer was late. Two readers (mode \"read\") and permits (mode "
                "\"permit\")\n"
            "never conflict. Of a semaphore (spec = \"semaphore\") there are as many permits as its view says, and "
                "never more are\n"
            "promised at the instant of a grant.\n"
            "\n"
            "Only what happens to the holder's own process excuses: it crashed; or it holds without a lease, and the "
                "key ran out\n"
            "during a disturbance or soon after one. A disturbance lasts from a pause to the resume, or from the loss "
                "of a renewal\n"
            "or its answer to the time-out of that request. A key that runs out later is excused only if, when the "
                "last\n"
            "disturbance ended, less of its life was left than renew_ms and one time-out: no time for one more "
                "renewal. A client\n"
            "that had the time, and did not renew, is to blame. renew_ms is what the driver says, me:granted(lock, { "
                "renew_ms =\n"
            "10000 }), by default a third of the lease that the request asked for; the time-out is that of the lost "
                "request,\n"
            "after a pause the scenario's timeout_ms.\n"
            "\n"
            "A wiped server, an evicted key, a failover and a stranger's force_release break a promise that was given, "
                "and are\n"
            "reported. A force_release by the holder's own process, or by a client that the scenario calls an "
                "operator\n"
            "({ \"Ops\", operator = true }), and an owner that learned of its loss, end the promise.\n"
            "\n"
            "Usual causes: a re-entry or a partial release that shortens the TTL; a release without a test of the "
                "owner; a\n"
            "watchdog that was never started, or was cancelled for an outer hold; a check and a write in two commands. "
                "Look at\n"
            "the step in which the first owner's key vanished or its TTL shrank.\n",
    },
    .reads = FACT_VIEW | FACT_BELIEFS | FACT_PROMISES | FACT_PAST_PROMISES | FACT_EXECUTED | FACT_LEASE |
             FACT_ORDER,
    .hears = HEARS(HEAR_GRANTED) | HEARS(SETTLE_STATE),
    .hear = hear,
    .settle = settle,
    .owns = { .model = sizeof(unexplained) },
};
