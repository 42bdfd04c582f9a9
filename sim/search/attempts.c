/* attempts.c - which searches of all states are made, one after the other, until one can be believed: equal clients as
 * one, each by its name, with the time of day as a part of every state; and all of it in each order of the ids. */
#include "base/mem.h"
#include "search/exhaustive.h"
#include "world/orders.h"

/* Nothing of what was searched so far counts. */
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

/* Why the time of day has to be a part of every state, asked for a search without tables: of two steps that come to
 * equal bytes at two instants it cannot tell whether they go on alike; tables try each step at several. Empty: nothing
 * looks at it. */
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

/* Equal clients as one, unless something tells them apart. false: it does, and h->apart says what. */
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

static void search_named(hunt *h)
{
    hunt begin = *h;
    const outcome empty = *h->out;
    if (search_folded(h, &begin, &empty))
        return;
    str apart = h->apart, why = S("");
    if (h->o->no_memo)
        why = why_time_of_day(h, &begin, &empty);
    if (!why.n)
        why = search_states(h, S(""));
    if (!why.n)
        return;
    begin_again(h, &begin, &empty);
    h->apart = apart;
    search_states(h, why);
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
