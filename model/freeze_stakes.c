/* freeze_stakes.c - owners' relations to a lock in a frozen state: grants and waits. */
#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "model/monitor.h"

/* The graph of all states needs the waiters, too (model_each_waiting); the specification needs how many permits they
 * want. */
static bool reads_waits(const codec *c, const stake *s)
{
    return reads_of(c, s->l, FACT_WAITS) || (s->l->spec == SPEC_SEMAPHORE && reads_spec(c, s->l));
}

/* Is it another owner's request whose place in the order is written? */
static bool compared(const codec *c, const stake *s, const pending *r)
{
    return track_may_grant(r) && reads_of(c, r->l, FACT_ORDER) && track_rivals(r, s);
}

/* A grant or its end is compared with others' requests only: how many of them were executed before? */
static uint64_t between(codec *c, const stake *s, uint64_t seq)
{
    const model *m = c->m;
    uint64_t count = 0;
    for (size_t i = 0; i < m->request_count && c->does != READING; i++)
        count += compared(c, s, &m->requests[i]) && m->requests[i].seq < seq;
    count = code_number(c, count);
    if (c->does != READING)
        return seq;
    uint64_t last = 0;     /* the `count` smallest ones, one after the other */
    for (; count > 0; count--) {
        uint64_t next = UINT64_MAX;
        for (size_t i = 0; i < m->request_count; i++)
            if (compared(c, s, &m->requests[i]) && m->requests[i].seq > last && m->requests[i].seq < next)
                next = m->requests[i].seq;
        last = next;
    }
    return code_seen(c, last + 1);
}

/* The end of the promise, and what may still change it. */
static void code_until(codec *c, const stake *s, grant *g)
{
    bool matters = code_flag(c, c->does != READING && track_matters(c->m, s, g));
    bool leased = g->lease_ms != LEASE_NONE, ended = g->end_seq != 0;
    if (!matters) {        /* over: only a renewal would make it matter again */
        bool renewable = code_flag(c, leased && !ended && g->believed);
        g->lease_ms = renewable ? 0 : LEASE_NONE;
        g->until_ms = INT64_MIN;
        return;
    }
    g->lease_ms = code_flag(c, leased) ? 0 : LEASE_NONE;
    g->until_ms = code_instant(c, g->until_ms);
    if (code_flag(c, ended))
        g->end_seq = between(c, s, g->end_seq);
    if (!reads_of(c, s->l, FACT_PAST_PROMISES))
        return;
    g->met_pop = code_flag(c, g->met_pop && track_pops(c->m));
    if (g->met_pop || track_older_request(c->m, s, g))
        g->executed_ms = code_instant(c, g->executed_ms);
}

static void code_grant(codec *c, const stake *s, grant *g)
{
    g->believed = code_flag(c, g->believed);
    g->mode = (mode_kind)code_number(c, (uint64_t)g->mode);
    if (s->l->spec == SPEC_SEMAPHORE)
        g->permits = code_whole(c, g->permits);
    if (reads_of(c, s->l, FACT_GRANT_ORDER))
        g->seq = code_order(c, s->l, g->seq);
    else if (reads_of(c, s->l, FACT_PAST_PROMISES))
        g->seq = between(c, s, g->seq);
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.grant)
        row->code.grant(c, g, s);
    if (reads_of(c, s->l, FACT_PROMISES))
        code_until(c, s, g);
}

static bool kept(const codec *c, const stake *s, const grant *g)
{
    return g->believed || track_matters(c->m, s, g);
}

static void code_grants(codec *c, stake *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->grant_count; i++)
        count += kept(c, s, &s->grants[i]);
    count = code_number(c, count);
    if (c->does == READING && count)
        MEM_RESERVE(s->grants, s->grant_cap, count);
    for (size_t i = 0; c->does == READING && i < count; i++) {
        grant g = { .lease_ms = LEASE_NONE, .executed_ms = c->now_ms, .until_ms = NEVER_MS };
        code_grant(c, s, &g);
        s->grants[s->grant_count++] = g;
        s->beliefs += g.believed;
        s->l->beliefs += g.believed;
        c->m->leftovers += !g.believed;
    }
    for (size_t i = 0; c->does != READING && i < s->grant_count; i++)
        if (kept(c, s, &s->grants[i])) {
            grant g = s->grants[i];
            code_grant(c, s, &g);
        }
}

/* The waiting task's name; NOBODY: it does not wait. */
static uint32_t waiter(const codec *c, const stake *s)
{
    if (!s->waiting)
        return NOBODY;
    return c->names ? c->names->task(c->names->context, s->process, s->task) : s->task;
}

static void code_wait(codec *c, stake *s)
{
    s->task = code_who(c, waiter(c, s));
    if (s->task == NOBODY)
        return;
    if (c->does == READING) {
        track_wait(s, true);
        s->wait_ms = c->now_ms;
    }
    s->process = code_process(c, s->process);
    if (s->l->spec == SPEC_SEMAPHORE)
        s->wait_permits = code_whole(c, s->wait_permits);
    if (reads_of(c, s->l, FACT_WAIT_MODE))
        s->wait_mode = (mode_kind)code_number(c, (uint64_t)s->wait_mode);
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.wait)
        row->code.wait(c, s);
}

/* Did a time-out leave open what a request did? Then an answer to a similar one is not compared with the
 * specification. */
static uint32_t unresolved(const codec *c, const stake *s)
{
    return reads_spec(c, s->l) ? s->unresolved & ~(1u << OP_OTHER | 1u << OP_LISTEN) : 0;
}

static bool reads_uncounted(const codec *c, const stake *s)
{
    return reads_of(c, s->l, FACT_TOLD) && spec_counts(s->l->spec);
}

static bool reads_excused(const codec *c, const stake *s)
{
    for (size_t i = 0; i < s->grant_count && reads_of(c, s->l, FACT_PROMISES); i++)
        if (s->grants[i].lease_ms == LEASE_NONE && track_matters(c->m, s, &s->grants[i]))
            return true;
    return false;
}

static bool owns_any(const codec *c, const stake *s)
{
    for (uint32_t set = c->m->coders.stake; set; set &= set - 1) {
        property p = (property)__builtin_ctz(set);
        if (!all_zero(own_of_stake(c->m, s, p), monitor_of(p)->owns.stake))
            return true;
    }
    return false;
}

static bool empty(const codec *c, const stake *s)
{
    for (size_t i = 0; i < s->grant_count && reads_of(c, s->l, FACT_BELIEFS); i++)
        if (kept(c, s, &s->grants[i]))
            return false;
    return !(waiter(c, s) != NOBODY && reads_waits(c, s)) && !unresolved(c, s) &&
           !(s->uncounted && reads_uncounted(c, s)) && !owns_any(c, s);
}

/* `at` is a copy when writing. */
static void code_stake(codec *c, stake *at)
{
    if (reads_of(c, at->l, FACT_BELIEFS))
        code_grants(c, at);
    if (reads_excused(c, at)) {
        at->excused = code_flag(c, at->excused);
        at->renew_ms = code_whole(c, at->renew_ms);
    }
    at->unresolved = (uint32_t)code_number(c, unresolved(c, at));
    if (reads_uncounted(c, at))
        at->uncounted = code_flag(c, at->uncounted);
    if (reads_waits(c, at))
        code_wait(c, at);
    const monitor *row;
    EACH_MONITOR(row, c->m->coders.stake)
        row->code.stake(c, at);
}

static int by_owner(const void *a, const void *b)
{
    return str_cmp((*(stake *const *)a)->o->name, (*(stake *const *)b)->o->name);
}

/* The stakes in `l` that are worth writing; the caller frees the list. */
static stake **stakes_of(codec *c, const lock *l, size_t *count)
{
    size_t cap = 0;
    stake **list = NULL;
    *count = 0;
    for (owner *o = c->m->owners; o; o = o->hh.next) {
        stake *s = track_find_stake(o, l);
        if (!s || empty(c, s))
            continue;
        MEM_RESERVE(list, cap, *count + 1);
        list[(*count)++] = s;
    }
    if (*count)
        qsort(list, *count, sizeof *list, by_owner);
    return list;
}

bool has_stakes(codec *c, const lock *l)
{
    size_t count;
    mem_free(stakes_of(c, l, &count));
    return count > 0;
}

void code_stakes(codec *c, lock *l)
{
    size_t count = 0;
    stake **list = c->does == READING ? NULL : stakes_of(c, l, &count);
    count = code_number(c, count);
    for (size_t i = 0; i < count; i++) {
        if (c->does == READING) {
            stake *s = track_stake(c->m, code_owner(c, NULL), l);
            code_stake(c, s);
            track_refresh(s);
        } else {
            assert(list);
            stake s = *list[i];
            code_owner(c, s.o);
            code_stake(c, &s);
        }
    }
    mem_free(list);
}
