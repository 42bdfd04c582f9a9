/* strict_mutual_exclusion.c - LK002 strict_mutual_exclusion: no two tasks believe that they hold one lock.
 *
 * A belief lasts from the answer until the release is sent. */
#include "model/exclusion.h"

static bool believed_beside(const grant *g, const grant *h)
{
    return h->believed && modes_conflict(g->mode, h->mode);
}

static void hear(model *m, const heard *heard)
{
    const stake *s = heard->s;
    const grant *g = heard->g;
    if (s->l->spec == SPEC_SEMAPHORE) {
        capacity_judge(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, s, g);
        return;
    }
    rival r = { .s = s, .g = g, .conflicts = believed_beside };
    const grant *h = exclusion_rival(m, &r);
    if (!h)
        return;
    const stake *t = r.whose;
    str text = t->l == s->l ? model_say(m, "%.*s and %.*s both believe they hold \"%.*s\" from %.*s.",
                                        STR_ARG(t->o->name), STR_ARG(s->o->name),
                                        STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)))
                            : model_say(m, "%.*s believes it holds \"%.*s\", and %.*s \"%.*s\", from %.*s: they have "
                                        "values in common.",
                                        STR_ARG(t->o->name), STR_ARG(t->l->name), STR_ARG(s->o->name),
                                        STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)));
    if (h->until_ms >= m->now_ms) {
        exclusion_break(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, text, t, h);
        return;
    }
    bool paused = t->o->process != NOBODY && m->processes[t->o->process].paused;
    str why = model_say(m, "%.*s's lease (granted at %.*s) ended at %.*s%s; %.*s was granted at %.*s.",
                        STR_ARG(t->o->name),
                        STR_ARG(model_time(m, h->executed_ms)), STR_ARG(model_time(m, h->until_ms)),
                        paused ? " while its process was paused" : "", STR_ARG(s->o->name),
                        STR_ARG(model_time(m, g->executed_ms)));
    model_break(m, PROPERTY_STRICT_MUTUAL_EXCLUSION, text, why);
}

static void settle(model *m, const heard *h)
{
    (void)h;
    exclusion_settle(m, PROPERTY_STRICT_MUTUAL_EXCLUSION);
}

const monitor strict_mutual_exclusion_monitor = {
    .info = {
        .name = "strict_mutual_exclusion", .code = "LK002", .along_a_run = true,
        .promise = "no two tasks believe that they hold one lock, ever",
        .explain =
            "A task believes that it holds from the moment it is told so until it sends its last release, is told that "
                "it lost the\n"
            "lock, crashes, or its program ends. Nothing is excused. Leases alone cannot give this: a client that is "
                "paused longer\n"
            "than its lease wakes up inside a critical section that it no longer holds. That is why it is judged only "
                "when named,\n"
            "usually as { strict_mutual_exclusion = \"violated\" }: the scenario then shows the danger instead of "
                "hiding it.\n"
            "\n"
            "What to do: let the resource check a fencing token (LK005), keep the work far shorter than the lease, and "
                "let the\n"
            "watchdog tell the holder when it could not renew.\n",
    },
    .reads = FACT_BELIEFS,
    .hears = HEARS(HEAR_GRANTED) | HEARS(SETTLE_STATE),
    .hear = hear,
    .settle = settle,
    .owns = { .model = sizeof(unexplained) },
};
