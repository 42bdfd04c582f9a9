/* fairness.c - LK020 fifo: grants follow the order in which waiters were first refused, both by execution at the server.
 *
 * A refusal may be executed before another's grant and learned of after it. So a grant also counts against every request that
 * was executed before and is not answered yet; should that turn out to be a first refusal, its waiter was passed. */
#include <inttypes.h>

#include "model/internal.h"

static void passed(model *m, stake *s)
{
    str limit = m->config.parameter[PROPERTY_FIFO] > 0
                    ? model_say(m, "It was passed %" PRId64 " times; max_overtakes is %" PRId64 ".", s->overtakes,
                                m->config.parameter[PROPERTY_FIFO])
                    : model_say(m, "%.*s was first refused at %.*s and waits since.", STR_ARG(s->o->name),
                                STR_ARG(model_time(m, s->refused_ms)));
    model_break(m, PROPERTY_FIFO,
                model_say(m, "%.*s was granted \"%.*s\" at %.*s before %.*s, who had asked first.", STR_ARG(s->overtaker),
                          STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)), STR_ARG(s->o->name)), limit);
}

/* Its place in the order: a refusal of its copy counts. */
static uint64_t place_of(const pending *r)
{
    return r->copy_seq ? r->copy_seq : r->seq;
}

void fairness_refused(model *m, stake *s, pending *r)
{
    if (!model_open(m, PROPERTY_FIFO) || s->place)
        return;
    if (r && !track_may_grant(r))
        r = NULL;          /* which refused it is not known */
    s->place = r ? place_of(r) : ++m->seq;
    s->refused_ms = r ? r->executed_ms : m->now_ms;
    if (!r)
        return;
    s->overtakes = r->overtakes;
    s->overtaker = r->overtaker;
    if (s->overtakes > m->config.parameter[PROPERTY_FIFO] && !s->overtaken) {
        s->overtaken = true;           /* unless it does not wait after all: a try that asks once */
        m->overtaken++;
    }
}

void fairness_settle(model *m)
{
    stake *worst = NULL;
    m->overtaken = 0;
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; k < l->active_count; k++) {
            stake *s = l->active[k];
            if (s->overtaken && s->waiting && (!worst || s->place < worst->place))
                worst = s;
            s->overtaken = false;
        }
    if (worst)
        passed(m, worst);
}

void fairness_granted(model *m, stake *s, const grant *g)
{
    lock *l = s->l;
    if (!model_open(m, PROPERTY_FIFO) || s->beliefs > 0)
        return;
    uint64_t place = s->place ? s->place : g->seq;
    stake *worst = NULL;   /* of those who were passed too often, the one who came first */
    for (size_t k = 0; k < l->active_count; k++) {
        stake *t = l->active[k];
        if (t == s || !t->waiting || !t->place || t->place >= place ||
            !modes_conflict(g->mode, t->wait_mode) || track_has_won(m, t))
            continue;
        t->overtakes++;
        t->overtaker = s->o->name;
        if (t->overtakes > m->config.parameter[PROPERTY_FIFO] && (!worst || t->place < worst->place))
            worst = t;
    }
    if (worst) {
        passed(m, worst);
        return;
    }
    for (size_t i = 0; i < m->request_count; i++) {
        pending *r = &m->requests[i];
        if (!track_may_grant(r) || r->won || r->o == s->o || r->l != l || place_of(r) >= place)
            continue;
        r->overtakes++;
        r->overtaker = s->o->name;
    }
}
