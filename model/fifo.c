/* fifo.c - LK020 fifo: grants follow the order of the waiters' first refusals, both by execution at the server.
 *
 * A refusal may be executed before another client's grant and become known after it. So a grant also counts against
 * every request that was executed before and is not answered yet; if that turns out to be a first refusal, its waiter
 * was passed. */
#include <assert.h>
#include <inttypes.h>

#include "model/monitor.h"

/* Of a wait. */
typedef struct {
    uint64_t place;        /* order of its first refusal's execution; 0: not refused yet */
    int64_t refused_ms;    /* for texts */
    int64_t overtakes;
    str overtaker;         /* for texts */
    bool overtaken;        /* too often; judged if it still waits after the step */
} queued;

/* Of a request: the grants that passed it, in case it turns out to be a first refusal. */
typedef struct {
    int64_t overtakes;
    str overtaker;         /* for texts */
} passing;

static queued *queued_of(const model *m, const stake *s)
{
    return own_of_wait(m, s, PROPERTY_FIFO);
}

static passing *passing_of(const model *m, const pending *r)
{
    return own_of_request(m, r, PROPERTY_FIFO);
}

static void passed(model *m, const stake *s)
{
    const queued *q = queued_of(m, s);
    str limit = m->config.parameter[PROPERTY_FIFO] > 0
                    ? model_say(m, "It was passed %" PRId64 " times; max_overtakes is %" PRId64 ".", q->overtakes,
                                m->config.parameter[PROPERTY_FIFO])
                    : model_say(m, "%.*s was first refused at %.*s and waits since.", STR_ARG(s->o->name),
                                STR_ARG(model_time(m, q->refused_ms)));
    model_break(m, PROPERTY_FIFO,
                model_say(m, "%.*s was granted \"%.*s\" at %.*s before %.*s, who had asked first.",
                          STR_ARG(q->overtaker),
                          STR_ARG(s->l->name), STR_ARG(model_time(m, m->now_ms)), STR_ARG(s->o->name)), limit);
}

/* Its place in the order: a refusal of its copy counts. */
static uint64_t place_of(const pending *r)
{
    return r->copy_seq ? r->copy_seq : r->seq;
}

static void refused(model *m, const stake *s, const pending *r)
{
    queued *q = queued_of(m, s);
    if (q->place)
        return;
    if (r && !track_may_grant(r))
        r = NULL;          /* the request that refused it is unknown */
    q->place = r ? place_of(r) : ++m->seq;
    q->refused_ms = r ? r->executed_ms : m->now_ms;
    if (!r)
        return;
    q->overtakes = passing_of(m, r)->overtakes;
    q->overtaker = passing_of(m, r)->overtaker;
    /* unless it does not wait: a try that asks once */
    q->overtaken = q->overtakes > m->config.parameter[PROPERTY_FIFO];
}

static void settle(model *m, const heard *h)
{
    (void)h;
    const stake *worst = NULL;
    for (lock *l = m->locks; l; l = l->hh.next)
        for (size_t k = 0; l->waiting && k < l->active_count; k++) {
            const stake *s = l->active[k];
            queued *q = queued_of(m, s);
            if (q->overtaken && s->waiting && (!worst || q->place < queued_of(m, worst)->place))
                worst = s;
            q->overtaken = false;
        }
    if (worst)
        passed(m, worst);
}

/* Counts an overtaking for the waiters before `place`. NULL, or the first of those that were overtaken too often. */
static const stake *pass_waiters(model *m, const stake *s, const grant *g, uint64_t place)
{
    const stake *worst = NULL;
    for (size_t k = 0; k < s->l->active_count; k++) {
        const stake *t = s->l->active[k];
        queued *q = queued_of(m, t);
        if (t == s || !t->waiting || !q->place || q->place >= place || !modes_conflict(g->mode, t->wait_mode) ||
            track_has_won(m, t))
            continue;
        q->overtakes++;
        q->overtaker = s->o->name;
        if (q->overtakes > m->config.parameter[PROPERTY_FIFO] && (!worst || q->place < queued_of(m, worst)->place))
            worst = t;
    }
    return worst;
}

static void granted(model *m, const stake *s, const grant *g)
{
    if (s->beliefs > 0)
        return;
    uint64_t place = queued_of(m, s)->place ? queued_of(m, s)->place : g->seq;
    const stake *worst = pass_waiters(m, s, g, place);
    if (worst) {
        passed(m, worst);
        return;
    }
    for (size_t i = 0; i < m->request_count; i++) {
        const pending *r = &m->requests[i];
        if (!track_may_grant(r) || r->won || r->o == s->o || r->l != s->l || place_of(r) >= place)
            continue;
        passing_of(m, r)->overtakes++;
        passing_of(m, r)->overtaker = s->o->name;
    }
}

static void hear(model *m, const heard *h)
{
    if (h->kind == HEAR_REFUSED)
        refused(m, h->s, h->r);
    else
        granted(m, h->s, h->g);
}

/* ---- frozen ---- */

static void code_wait(codec *c, stake *at)
{
    queued *q = queued_of(c->m, at);
    assert(!q->overtaken);             /* settled: freezing never happens within a step */
    q->place = code_order(c, at->l, q->place);
    q->overtakes = code_whole(c, q->overtakes);
    if (c->does == READING)
        q->refused_ms = c->now_ms;
}

static void code_request(codec *c, pending *r)
{
    passing *p = passing_of(c->m, r);
    p->overtakes = code_whole(c, p->overtakes);
}

const monitor fifo_monitor = {
    .info = {
        .name = "fifo", .code = "LK020", .along_a_run = true, .parameter = "max_overtakes", .parameter_default = 0,
        .promise = "grants follow the order in which waiters were first refused; max_overtakes relaxes it",
        .explain =
            "A waiter's place is the moment at which the request that first refused it was executed at the server. A "
                "grant to\n"
            "a client whose place is later, or that was never refused, overtakes every waiter before it; each may\n"
            "be overtaken max_overtakes times in one wait. A re-entrant acquire overtakes no one, nor does one reader "
                "another.\n"
            "A waiter that gives up, crashes or is interrupted leaves the order; one that is only paused stays in it.\n"
            "\n"
            "Usual causes: no queue at all; a newcomer may take a free lock before the head of the queue; a queue "
                "entry that\n"
            "times out while its owner still waits; client clocks that disagree about the time-out.\n",
    },
    .reads = FACT_VIEW | FACT_BELIEFS | FACT_WAITS | FACT_WAIT_MODE | FACT_COPY_ORDER | FACT_OWN_ORDERS,
    .reads_named = FACT_ORDER | FACT_WON,
    .hears = HEARS(HEAR_REFUSED) | HEARS(HEAR_GRANTED) | HEARS(SETTLE_STATE),
    .hear = hear,
    .settle = settle,
    .owns = { .wait = sizeof(queued), .request = sizeof(passing) },
    .code = { .wait = code_wait, .request = code_request },
};
