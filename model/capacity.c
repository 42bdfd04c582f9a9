/* capacity.c - LK001 mutual_exclusion and LK002 strict_mutual_exclusion of a semaphore: never more permits out than it
 * has.
 *
 * A grant is judged when it becomes known, against all promises at the instant of its execution: those of all owners,
 * including its own owner's other grants. If the answers of two grants come in the wrong order, only the later one is
 * judged. Nothing is missed by that: another run has them in the right order. */
#include <inttypes.h>

#include "model/exclusion.h"

/* `g` was promised, or is believed in, beside the grants of others: the total of permits. `whose`: the owner of the
 * first of those. */
typedef struct {
    int64_t permits;
    uint64_t seq;
    const stake *whose;
} tally;

static void add(tally *t, const stake *s, const grant *g)
{
    t->permits += g->permits;
    if (t->whose && t->seq <= g->seq)
        return;
    t->seq = g->seq;
    t->whose = s;
}

static bool promised_at(const grant *h, const grant *g)
{
    return h->seq < g->seq && g->executed_ms <= h->until_ms && (!h->end_seq || g->seq < h->end_seq);
}

static tally others(const lock *l, const grant *g, bool by_promise)
{
    tally t = { 0 };
    for (size_t k = 0; k < l->active_count; k++)
        for (size_t i = 0; i < l->active[k]->grant_count; i++) {
            const grant *h = &l->active[k]->grants[i];
            if (by_promise ? promised_at(h, g) : h->believed)
                add(&t, l->active[k], h);
        }
    return t;
}

static void exceeded(model *m, property p, const stake *s, const grant *g, const tally *t)
{
    int64_t sum = t->permits + g->permits;
    model_break(m, p,
                model_say(m, "%.*s was granted %" PRId64 " of \"%.*s\" at %.*s: that makes %" PRId64
                          " permits, and there %s %" PRId64 ".",
                          STR_ARG(s->o->name), g->permits, STR_ARG(s->l->name),
                          STR_ARG(model_time(m, g->executed_ms)), sum,
                          s->l->capacity == 1 ? "is" : "are", s->l->capacity),
                !t->whose ? S("It never had as many.")
                : p == PROPERTY_MUTUAL_EXCLUSION
                    ? model_say(m, "The first that was still promised then is %.*s's.", STR_ARG(t->whose->o->name))
                    : model_say(m, "The first that is still believed in is %.*s's.", STR_ARG(t->whose->o->name)));
}

void capacity_judge(model *m, property p, const stake *s, const grant *g)
{
    if (s->l->capacity == 0)
        return;
    tally t = others(s->l, g, p == PROPERTY_MUTUAL_EXCLUSION);
    if (t.permits + g->permits > s->l->capacity)
        exceeded(m, p, s, g, &t);
}
