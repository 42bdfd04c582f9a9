/* attempts.c - tries searches of all states, one after the other, until one can be trusted: with commuting steps in one
 * order, with equal clients as one, with each client by its name; with instants folded wherever they are spelled, with
 * the time of day as part of every state; all of it in each order of the ids. */
#include "base/mem.h"
#include "client/named_instant.h"
#include "search/exhaustive.h"
#include "world/orders.h"

/* Drops the results of the search so far. */
static void begin_again(hunt *h, const hunt *begin, const outcome *empty)
{
    err_clear(&h->out->error);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        buf_free(&h->found[p].text);
        buf_free(&h->found[p].why);
    }
    *h->out = *empty;
    *h = *begin;
}

static void forget_meetings(hunt *h, hunt *begin)
{
    if (!h->meetings)
        return;
    meetings_free(h->meetings);
    h->meetings = begin->meetings = meetings_new(h->sc->client_count);
}

/* Why the time of day has to be part of every state, before a search without tables: that search cannot tell whether
 * two steps that lead to equal bytes at two instants go on alike, while tables try each step at several instants.
 * Empty: no code reads it. */
static str why_time_of_day(hunt *h, hunt *begin, const outcome *empty)
{
    const search_options *asked = h->o;
    search_options *o = ARENA_ARRAY(h->a, search_options, 1);
    *o = *asked;
    o->no_memo = o->glance = o->profile = false;
    o->untold = true;
    h->o = o;
    str why = search_states(h, S(""));
    begin_again(h, begin, empty);
    forget_meetings(h, begin);
    h->o = asked;
    return why;
}

/* Searches with equal clients as one. false: something tells them apart, and h->apart says what. */
static bool search_folded(hunt *h, hunt *begin, const outcome *empty)
{
    bool folds = h->o->symmetry && !h->o->no_memo && !h->o->lockstep && !h->o->tables && !h->o->trials;
    h->equals = folds ? equals_of(h->a, h->sc, h->o->equals_without, &h->apart) : NULL;
    if (!h->equals)
        return false;
    if (h->orders && !(h->equals->without & EQUALS_WITHOUT_SPELLING))
        orders_ask_of_each(h->orders);
    str why = search_states(h, S(""));
    if (h->refused || (!why.n && !h->apart.n && !h->failed))
        return true;
    str apart = h->apart.n ? h->apart : why.n ? why : S("client code ends in an error");
    begin_again(h, begin, empty);
    h->apart = apart;
    forget_meetings(h, begin);
    return false;
}

/* Returns why the search cannot be trusted: the code that reads the time of day. Empty: it can. */
static str search_spelled(hunt *h, hunt *begin, const outcome *empty)
{
    if (search_folded(h, begin, empty))
        return S("");
    str apart = h->apart, why = S("");
    if (h->o->no_memo)
        why = why_time_of_day(h, begin, empty);
    if (!why.n)
        why = search_states(h, S(""));
    if (why.n) {
        begin_again(h, begin, empty);
        h->apart = apart;
    }
    return why;
}

static void search_by_tables(hunt *h)
{
    hunt begin = *h;
    const outcome empty = *h->out;
    str why = search_spelled(h, &begin, &empty);
    named_instant named;
    for (instant_spelling s = INSTANTS_WITHIN; why.n && s <= INSTANTS_SECONDS; s++) {
        if (s == INSTANTS_SECONDS && named_instant_find(h->sc->sources, WORLD_EPOCH_MS, &named))
            break;         /* folded, that very one would not be met */
        h->apart = S("");
        h->instants = begin.instants = s;
        h->instants_why = begin.instants_why = why;
        why = search_spelled(h, &begin, &empty);
    }
    if (!why.n)
        return;
    h->instants = INSTANTS_PLAIN;
    if (h->ample)
        h->ample_breaks = true;        /* ample sets use tables, too */
    else
        search_states(h, why);
}

/* Why commuting steps must be taken in every order here; empty: they need not. */
static str why_every_order(const hunt *h)
{
    const scenario *sc = h->sc;
    if (h->o->no_memo || h->o->lockstep || h->o->trials || h->o->tables)
        return S("only an ordinary search by tables can");
    if (sc->faults[FAULT_PREEMPT].budget > 0)
        return S("threads are preempted");
    if (h->o->every_ms > 0)
        return S("every millisecond is a stop");
    if (sc->must_meet_count > 0)
        return S("must_meet asks which steps met");
    if (sc->model.judged[PROPERTY_BOUNDED_WAIT])
        return S("bounded_wait asks for fairness to each step");
    if (sc->model.judged[PROPERTY_PROMPT])
        return S("prompt looks at who is runnable");
    return S("");
}

/* As search_by_tables, with ample sets. */
static void search_ample(hunt *h)
{
    h->ample = true;
    h->meetings = NULL;    /* meetings would be missing */
    search_by_tables(h);
}

/* Searches with commuting steps in one order; valid if nothing breaks. false: something does; only the set of broken
 * properties (*broken, bits) is kept. */
static bool search_reduced(hunt *h, uint32_t *broken)
{
    h->unreduced = h->o->reduction ? why_every_order(h) : S("");
    if (!h->o->reduction || h->unreduced.n)
        return false;
    hunt begin = *h;
    const outcome empty = *h->out;
    meetings *met = h->meetings;
    search_ample(h);
    if (!h->ample_breaks) {
        meetings_free(met);
        return true;
    }
    for (int p = 0; p < PROPERTY_COUNT; p++)
        *broken |= (uint32_t)h->found[p].yes << p;
    begin_again(h, &begin, &empty);
    h->unreduced = S("something breaks, or may, and only a search of every order can tell");
    return false;
}

/* A search in every order was cut before it met the violation: it is reported as the reduced search found it. */
static void tell_as_found(hunt *h, hunt *begin, const outcome *empty)
{
    str reason = h->out->reason;
    begin_again(h, begin, empty);
    meetings_free(h->meetings);
    h->ample_tells = arena_printf(h->a, "%.*s where steps were taken in every order, so that the story is not proved "
                                  "shortest", STR_ARG(reason));
    search_ample(h);
}

static void search_named(hunt *h)
{
    uint32_t broken = 0;
    hunt begin = *h;
    const outcome empty = *h->out;
    if (search_reduced(h, &broken))
        return;
    search_by_tables(h);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        broken &= ~((uint32_t)h->found[p].yes << p);
    if (!h->stopped || h->failed || !broken)
        return;
    begin.meetings = h->meetings;      /* they were made anew */
    tell_as_found(h, &begin, &empty);
}

void search_every_state(hunt *h)
{
    h->out->search.strategy = S("exhaustive");
    size_t attempts = 0;
    h->attempts = &attempts;
    h->folded = true;
    search_named(h);
    naming_search_others(h, search_named);
    h->attempts = NULL;
}
