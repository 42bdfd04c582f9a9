/* measure.c - passes each occurrence from the engine to the part that measures it. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "simulate/measure_internal.h"

measure *measure_new(uint32_t clients, uint64_t seed, bool detail)
{
    measure *m = mem_zero(sizeof *m);
    m->client_count = clients;
    m->detail = detail;
    m->clients = mem_zero(clients * sizeof *m->clients + 1);
    for (uint32_t c = 0; c < clients; c++)
        m->clients[c].account.waits.bits = HISTOGRAM_COARSE;
    for (int k = 0; k < MEASURED_KINDS; k++)
        m->all[k].bits = HISTOGRAM_FINE;
    m->sample = detail ? excerpt_new(seed) : NULL;
    return m;
}

void measure_free(measure *m)
{
    if (!m)
        return;
    for (uint32_t c = 0; c < m->client_count; c++) {
        histogram_free(&m->clients[c].account.waits);
        mem_free(m->clients[c].at);
    }
    for (size_t i = 0; i < m->lock_count; i++) {
        histogram_free(&m->locks[i].total.waits);
        histogram_free(&m->locks[i].total.handoffs);
        mem_free(m->locks[i].waiters);
        mem_free(m->locks[i].tenures);
    }
    for (int k = 0; k < MEASURED_KINDS; k++)
        histogram_free(&m->all[k]);
    windows_free(m->over_time);
    excerpt_free(m->sample);
    mem_free(m->clients);
    mem_free(m->locks);
    mem_free(m);
}

lock_account *measure_account(measure *m, uint32_t lock)
{
    while (lock >= m->lock_count) {
        MEM_RESERVE(m->locks, m->lock_cap, m->lock_count + 1);
        m->locks[m->lock_count++] = (lock_account){ .total = { .waits.bits = HISTOGRAM_COARSE,
                                                               .handoffs.bits = HISTOGRAM_COARSE } };
    }
    m->locks[lock].used = true;
    return &m->locks[lock];
}

engagement *measure_engaged(measure *m, uint32_t client, uint32_t task, uint32_t lock)
{
    client_state *c = &m->clients[client];
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].task == task && c->at[i].lock == lock)
            return &c->at[i];
    return NULL;
}

void measure_disengage(measure *m, uint32_t client, uint32_t task, uint32_t lock)
{
    client_state *c = &m->clients[client];
    engagement *e = measure_engaged(m, client, task, lock);
    if (e && !e->waits && !e->holds)
        *e = c->at[--c->count];
}

void measure_queue_until(measure *m, int64_t at_us)
{
    if (at_us <= m->queue_since_us)
        return;
    if (m->begun) {
        int64_t spent_us = at_us - m->queue_since_us;
        m->queue_us += spent_us * m->waiting;
        if (m->over_time)
            windows_queue(m->over_time, m->queue_since_us, at_us, m->waiting);
    }
    m->queue_since_us = at_us;
}

void measure_lock_queue_until(measure *m, lock_account *l, int64_t at_us)
{
    int64_t from_us = l->queue_since_us > m->begin_us ? l->queue_since_us : m->begin_us;
    if (m->begun && at_us > from_us)
        l->total.queue_us += (at_us - from_us) * (int64_t)l->waiter_count;
    l->queue_since_us = at_us > l->queue_since_us ? at_us : l->queue_since_us;
}

/* A hold ends for its client, at the instant that counts for it. */
static void let_go(measure *m, engagement *e, uint32_t client, int64_t ended_us, bool released)
{
    uint32_t task = e->task, lock = e->lock;
    if (m->sample)
        excerpt_end_interval(m->sample, e->interval, ended_us);
    e->holds = false;
    measure_hold_over(m, client, task, lock, ended_us, released);
    measure_disengage(m, client, task, lock);
}

static void granted(measure *m, const occurrence *o)
{
    engagement *e = measure_engaged(m, o->client, o->task, o->lock);
    lock_account *l = measure_account(m, o->lock);
    int64_t waited_since_us = l->waiter_count ? l->waiters[0].asked_us : o->executed_us;
    bool again = e && e->holds && o->count > 1, waited = e && e->waits;
    waiter w = { .interval = -1 };
    if (waited) {
        w = measure_leave(m, o->client, o->task, o->lock, !again);
        e->waits = false;
    }
    if (again)
        return;
    if (e && e->holds) {           /* from a round before, whose release it never learned of */
        m->unreleased += m->begun;
        let_go(m, e, o->client, o->executed_us, false);
        e = measure_engaged(m, o->client, o->task, o->lock);
    }
    if (!e) {
        client_state *c = &m->clients[o->client];
        MEM_RESERVE(c->at, c->cap, c->count + 1);
        e = &c->at[c->count++];
        *e = (engagement){ .task = o->task, .lock = o->lock };
    }
    e->holds = true;
    e->learned_us = o->at_us;
    e->interval = m->sample && m->begun ? excerpt_begin_interval(m->sample, o->at_us, o->client, o->task, true) : -1;
    if (m->begun)
        measure_wait_over(m, o, waited ? &w : NULL);
    measure_holds(m, o, waited_since_us);
}

static void gave_up(measure *m, const occurrence *o)
{
    engagement *e = measure_engaged(m, o->client, o->task, o->lock);
    if (!e || !e->waits)
        return;
    waiter w = measure_leave(m, o->client, o->task, o->lock, false);
    e->waits = false;
    measure_disengage(m, o->client, o->task, o->lock);
    if (!m->begun)
        return;
    m->timeouts++;
    m->timeout_us += o->at_us - w.demand_us;
    m->clients[o->client].account.timeouts++;
    measure_account(m, o->lock)->total.timeouts++;
}

static void count_hold(measure *m, const occurrence *o, int64_t held_us)
{
    client_account *c = &m->clients[o->client].account;
    lock_totals *l = &measure_account(m, o->lock)->total;
    histogram_add(&m->all[MEASURED_HOLDS], held_us);
    c->hold_us += held_us;
    c->holds++;
    l->hold_us += held_us;
    l->holds++;
}

static void released(measure *m, const occurrence *o)
{
    engagement *e = measure_engaged(m, o->client, o->task, o->lock);
    bool lost = o->kind == OCCURS_LOST;
    if (lost && m->begun)
        m->lost++;
    if (!e || !e->holds || (!lost && o->count > 0))
        return;
    int64_t ended_us = lost ? o->at_us : o->executed_us;
    if (m->begun)
        count_hold(m, o, ended_us > e->learned_us ? ended_us - e->learned_us : 0);
    let_go(m, e, o->client, ended_us, !lost);
}

static void crashed(measure *m, const occurrence *o)
{
    client_state *c = &m->clients[o->client];
    while (c->count) {
        engagement *e = &c->at[c->count - 1];
        if (e->waits) {
            measure_leave(m, o->client, e->task, e->lock, false);
            m->crashed_waiting += m->begun;
            e->waits = false;
        }
        if (e->holds) {
            m->crashed_holding += m->begun;
            let_go(m, e, o->client, o->at_us, false);
        } else {
            measure_disengage(m, o->client, e->task, e->lock);
        }
    }
    m->crashes += m->begun;
    if (m->sample)
        excerpt_begin_fault(m->sample, o->at_us, o->client, true);
}

static void requested(measure *m, const occurrence *o)
{
    if (!m->begun)
        return;
    m->requests++;
    m->commands += o->commands;
    m->scripts += o->script;
    if (o->wrote || o->listens || o->client >= m->client_count)
        return;
    const client_state *c = &m->clients[o->client];
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i].task == o->task && c->at[i].waits) {
            m->idle_polls++;
            return;
        }
}

/* Waits and holds in progress go on; the counts start again. */
static void begin(measure *m, int64_t at_us)
{
    measure_queue_until(m, at_us);
    m->begun = true;
    m->begin_us = at_us;
    m->waiting_max = m->waiting;
    measure_holds_begin(m);
    if (m->detail)
        m->over_time = windows_new(at_us, m->client_count);
    for (size_t i = 0; i < m->lock_count; i++)
        for (size_t k = 0; k < m->locks[i].waiter_count; k++)
            measure_note_asker(m, m->locks[i].waiters[k].client);
    if (!m->detail)
        return;
    for (size_t i = 0; i < m->lock_count; i++)
        for (size_t k = 0; k < m->locks[i].waiter_count; k++) {
            waiter *w = &m->locks[i].waiters[k];
            w->interval = excerpt_begin_interval(m->sample, at_us, w->client, w->task, false);
        }
    for (uint32_t c = 0; c < m->client_count; c++)
        for (size_t k = 0; k < m->clients[c].count; k++)
            if (m->clients[c].at[k].holds)
                m->clients[c].at[k].interval = excerpt_begin_interval(m->sample, at_us, c, m->clients[c].at[k].task,
                                                                      true);
}

void measure_end(measure *m, int64_t end_us)
{
    if (m->ended)
        return;
    m->ended = true;
    if (!m->begun)
        begin(m, end_us);          /* it did not even come to the end of its warm-up: nothing is known */
    m->end_us = end_us < m->begin_us ? m->begin_us : end_us;
    measure_queue_until(m, m->end_us);
    for (size_t i = 0; i < m->lock_count; i++) {
        measure_lock_queue_until(m, &m->locks[i], m->end_us);
        for (size_t k = 0; k < m->locks[i].waiter_count; k++) {
            int64_t waited_us = m->end_us - m->locks[i].waiters[k].demand_us;
            m->unfinished++;
            m->unfinished_longest_us = waited_us > m->unfinished_longest_us ? waited_us : m->unfinished_longest_us;
        }
    }
    measure_holds_end(m);
    if (m->sample)
        excerpt_sort(m->sample);
}

void measure_occurrence(void *context, const occurrence *o)
{
    measure *m = context;
    int64_t now_us = o->kind == OCCURS_ASKED && o->executed_us > o->at_us ? o->executed_us : o->at_us;
    assert(!m->ended);
    m->now_us = now_us > m->now_us ? now_us : m->now_us;
    if (o->kind == OCCURS_GRANTED || o->kind == OCCURS_GAVE_UP || o->kind == OCCURS_CRASHED)
        measure_queue_until(m, m->now_us);
    switch (o->kind) {
    case OCCURS_ASKED: measure_asked(m, o); return;
    case OCCURS_GRANTED: granted(m, o); return;
    case OCCURS_GAVE_UP: gave_up(m, o); return;
    case OCCURS_RELEASED:
    case OCCURS_LOST: released(m, o); return;
    case OCCURS_REQUEST: requested(m, o); return;
    case OCCURS_MESSAGE: m->messages += m->begun; return;
    case OCCURS_CRASHED: crashed(m, o); return;
    case OCCURS_PAUSED:
        m->pauses += m->begun;
        if (m->sample)
            excerpt_begin_fault(m->sample, o->at_us, o->client, false);
        return;
    case OCCURS_RESTARTED:
    case OCCURS_RESUMED:
        if (m->sample)
            excerpt_end_fault(m->sample, o->at_us, o->client, o->kind == OCCURS_RESTARTED);
        return;
    case OCCURS_LOST_REQUEST:
    case OCCURS_LOST_REPLY:
    case OCCURS_LOST_MESSAGE: m->lost_on_the_way += m->begun; return;
    case OCCURS_BEGINS: begin(m, o->at_us); return;
    case OCCURS_ENDS:
        m->unserved = o->count;
        measure_end(m, o->at_us);
        return;
    case OCCURS_REFUSED:
    case OCCURS_TIMED_OUT: return;
    }
}
