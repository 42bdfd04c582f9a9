/* measure_waiting.c - the waiters of each lock, their overtakings, and the lengths of waits. Each grant is one pass
 * over the lock's waiters. That is much cheaper than the grant itself, whose scripts look at as many, or which wakes
 * them all. */
#include <string.h>

#include "base/mem.h"
#include "simulate/measure_internal.h"

void measure_note_asker(measure *m, uint32_t client)
{
    if (!m->begun || m->clients[client].account.asked)
        return;
    m->clients[client].account.asked = true;
    m->askers++;
    if (m->over_time)
        windows_asker(m->over_time, client);
}

void measure_asked(measure *m, const occurrence *o)
{
    engagement *e = measure_engaged(m, o->client, o->task, o->lock);
    if (e && e->waits)
        return;                    /* asking again, as a new try does, is the same wait */
    lock_account *l = measure_account(m, o->lock);
    int64_t asked_us = o->executed_us < o->at_us ? o->at_us : o->executed_us;
    measure_queue_until(m, asked_us);
    if (!e) {
        client_state *c = &m->clients[o->client];
        MEM_RESERVE(c->at, c->cap, c->count + 1);
        e = &c->at[c->count++];
        *e = (engagement){ .task = o->task, .lock = o->lock, .interval = -1 };
    }
    e->waits = true;
    measure_note_asker(m, o->client);
    measure_lock_queue_until(m, l, asked_us);
    MEM_RESERVE(l->waiters, l->waiter_cap, l->waiter_count + 1);
    size_t at = l->waiter_count++;
    for (; at > 0 && l->waiters[at - 1].asked_us > asked_us; at--)
        l->waiters[at] = l->waiters[at - 1];
    l->waiters[at] = (waiter){ .demand_us = o->at_us, .asked_us = asked_us, .client = o->client, .task = o->task,
                               .interval = -1 };
    if (m->sample && m->begun)
        l->waiters[at].interval = excerpt_begin_interval(m->sample, o->at_us < m->begin_us ? m->begin_us : o->at_us,
                                                         o->client, o->task, false);
    m->waiting++;
    m->waiting_max = m->waiting > m->waiting_max ? m->waiting : m->waiting_max;
}

/* Waiters that asked before the one at `place` were overtaken; those that asked at the same instant or later were
 * not. */
static void count_overtakes(lock_account *l, size_t place)
{
    size_t before = place;
    while (before > 0 && l->waiters[before - 1].asked_us == l->waiters[place].asked_us)
        before--;
    for (size_t i = 0; i < before; i++) {
        waiter *w = &l->waiters[i];
        w->overtaken++;
        w->in_a_row++;
        w->most_in_a_row = w->in_a_row > w->most_in_a_row ? w->in_a_row : w->most_in_a_row;
    }
    for (size_t i = before; i < l->waiter_count; i++)
        l->waiters[i].in_a_row = 0;
}

waiter measure_leave(measure *m, uint32_t client, uint32_t task, uint32_t lock, bool granted)
{
    lock_account *l = measure_account(m, lock);
    size_t place = 0;
    while (l->waiters[place].client != client || l->waiters[place].task != task)
        place++;
    waiter w = l->waiters[place];
    if (granted)
        count_overtakes(l, place);
    measure_lock_queue_until(m, l, m->now_us);
    memmove(&l->waiters[place], &l->waiters[place + 1], (l->waiter_count - place - 1) * sizeof *l->waiters);
    l->waiter_count--;
    m->waiting--;
    if (m->sample)
        excerpt_end_interval(m->sample, w.interval, m->now_us);
    return w;
}

/* jain_short: ten acquires for each client that has asked so far make a window. */
static void count_short(measure *m, uint32_t client)
{
    enum { GRANTS_EACH = 10 };
    m->clients[client].grants_short++;
    if (++m->short_grants < (uint64_t)GRANTS_EACH * m->askers)
        return;
    jain_sum j = { 0 };
    double index;
    for (uint32_t c = 0; c < m->client_count; c++) {
        if (m->clients[c].account.asked)
            jain_add(&j, m->clients[c].grants_short);
        m->clients[c].grants_short = 0;
    }
    if (jain_index(&j, &index)) {
        m->short_sum += index;
        m->short_windows++;
    }
    m->short_grants = 0;
}

/* A grant after the warm-up; w NULL: no demand was announced. */
void measure_wait_over(measure *m, const occurrence *o, const waiter *w)
{
    client_account *c = &m->clients[o->client].account;
    lock_totals *l = &measure_account(m, o->lock)->total;
    measure_note_asker(m, o->client);
    m->grants++;
    c->grants++;
    l->grants++;
    count_short(m, o->client);
    if (!w)
        return;
    int64_t wait_us = o->at_us - w->demand_us;
    histogram_add(&m->all[MEASURED_WAITS], wait_us);
    histogram_add(&m->all[MEASURED_OVERTAKES], w->overtaken);
    c->wait_us += wait_us;
    c->waits_known++;
    c->overtaken += w->overtaken;
    c->overtaken_longest = w->most_in_a_row > c->overtaken_longest ? w->most_in_a_row : c->overtaken_longest;
    m->overtaken_longest = w->most_in_a_row > m->overtaken_longest ? w->most_in_a_row : m->overtaken_longest;
    if (!m->detail)
        return;
    histogram_add(&c->waits, wait_us);
    histogram_add(&l->waits, wait_us);
    windows_grant(m->over_time, o->at_us, o->client, wait_us);
    excerpt_add_wait(m->sample, o->at_us, wait_us, o->client);
}
