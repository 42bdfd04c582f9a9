/* naming.c - where the order of the clients' ids matters: one more search for each other order; all results are
 * joined. */
#include <string.h>

#include "base/mem.h"
#include "search/internal.h"
#include "world/orders.h"

bool naming_is_open(const hunt *h)
{
    return h->sc->client_count > 1 && !h->o->lockstep && !ids_are_written(h->sc);
}

const scenario *naming_of(const hunt *h, str schedule, err *e)
{
    return ids_of_schedule(h->a, h->sc, schedule, e);
}

/* Everything specific to one order is new; what was learned of scripts, and the meetings, are shared. */
static hunt once_more(const hunt *h, const scenario *sc, outcome *out)
{
    hunt x = *h;
    *out = *h->out;
    memset(&out->search, 0, sizeof out->search);
    out->search.strategy = h->out->search.strategy;
    out->search.seed = h->out->search.seed;
    out->error = (err){ 0 };
    x.sc = sc;
    x.out = out;
    x.orders = NULL;
    memset(x.found, 0, sizeof x.found);
    memset(x.by_graph, 0, sizeof x.by_graph);
    x.seen = x.taken = x.cut_runs = 0;
    x.settled = x.stopped = x.enough = x.failed = false;
    x.why_undecided = x.luck = x.grows = x.time_of_day = x.instants_why = S("");
    x.instants = INSTANTS_PLAIN;
    x.last = (trace){ 0 };
    return x;
}

static void join_finding(hunt *h, hunt *x, property p)
{
    finding *f = &h->found[p], *g = &x->found[p];
    if (g->yes && !f->yes) {
        *f = *g;
        return;
    }
    if (g->yes && f->signature && g->signature) {
        signature *s = ARENA_NEW(h->a, signature);
        *s = (signature){ 0 };
        const signature *both[] = { f->signature, g->signature };
        for (size_t i = 0; i < COUNT(both); i++)
            for (size_t k = 0; k < both[i]->count; k++)
                for (size_t o = 0; o < both[i]->causes[k].op_count; o++)
                    signature_add(h->a, s, both[i]->causes[k].used, both[i]->causes[k].ops[o]);
        f->signature = s;
        f->other_cause = h->sc->signatures[p] && !signature_equal(s, h->sc->signatures[p]);
    } else if (g->yes)
        f->signature = NULL;           /* it is not known as a whole */
    trace_free(&g->trace);
    buf_free(&g->text);
    buf_free(&g->why);
}

static void join_numbers(outcome *to, const outcome *from)
{
    to->search.runs += from->search.runs;
    to->search.states += from->search.states;
    to->search.transitions += from->search.transitions;
    to->search.same += from->search.same;
    to->search.odds += from->search.odds;
    to->search.client_runs += from->search.client_runs;
    to->search.client_repeats += from->search.client_repeats;
    to->search.executions += from->search.executions;
    to->search.waiting += from->search.waiting;
    if (from->search.bytes > to->search.bytes)
        to->search.bytes = from->search.bytes;
    if (from->search.longest > to->search.longest)
        to->search.longest = from->search.longest;
    to->search.complete &= from->search.complete;
}

static void join(hunt *h, hunt *x)
{
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        join_finding(h, x, (property)p);
        h->by_graph[p] &= x->by_graph[p];
    }
    join_numbers(h->out, x->out);
    if (x->stopped && !h->stopped)
        h->out->reason = x->out->reason;
    if (x->failed && !h->failed)
        h->out->error = x->out->error;
    else
        err_clear(&x->out->error);
    str *texts[][2] = { { &h->why_undecided, &x->why_undecided }, { &h->luck, &x->luck }, { &h->grows, &x->grows },
                        { &h->time_of_day, &x->time_of_day }, { &h->instants_why, &x->instants_why },
                        { &h->views_differ, &x->views_differ }, { &h->vacuous, &x->vacuous } };
    for (size_t i = 0; i < COUNT(texts); i++)
        if (!texts[i][0]->n)
            *texts[i][0] = *texts[i][1];
    h->instants = x->instants > h->instants ? x->instants : h->instants;
    h->meetings = x->meetings;         /* a search that starts again has new ones */
    h->seen |= x->seen;
    h->taken += x->taken;
    h->cut_runs += x->cut_runs;
    h->observed |= x->observed;
    h->plain_asked |= x->plain_asked;
    h->idle |= x->idle;
    h->settled |= x->settled;
    h->stopped |= x->stopped;
    h->enough |= x->enough;
    h->failed |= x->failed;
    trace_free(&x->last);
}

static bool over(const hunt *h)
{
    return h->failed || h->stopped || h->settled || (h->o->glance && run_surprised(h));
}

void naming_search_others(hunt *h, void (*search)(hunt *h))
{
    str why;
    if (!h->orders || !orders_matter(h->orders, &why))
        return;
    h->why_orders = arena_str(h->a, why);
    h->ids_written = !naming_is_open(h);
    for (size_t i = 1; !h->ids_written && i < ids_orders(h->sc->client_count) && !over(h); i++) {
        outcome out;
        hunt x = once_more(h, ids_order(h->a, h->sc, i), &out);
        search(&x);
        join(h, &x);
    }
}
