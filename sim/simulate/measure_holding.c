/* measure_holding.c - the holders of each lock by the server's account, its free time, and the time of hand-offs. */
#include <string.h>

#include "base/mem.h"
#include "simulate/measure_internal.h"

/* How long the lock was free before this grant, as far as it is after the warm-up. */
static void look_at(measure *m, lock_account *l, tenure *t)
{
    t->looked_at = true;
    if (!m->begun || !l->released || t->granted_us < l->busy_until_us || t->granted_us < m->begin_us)
        return;
    int64_t from_us = t->waited_since_us > l->busy_until_us ? t->waited_since_us : l->busy_until_us;
    from_us = from_us < m->begin_us ? m->begin_us : from_us;
    if (t->granted_us > from_us)
        l->total.idle_us += t->granted_us - from_us;
    if (t->waited_since_us <= l->busy_until_us) {
        histogram_add(&m->all[MEASURED_HANDOFFS], t->granted_us - l->busy_until_us);
        if (m->detail)
            histogram_add(&l->total.handoffs, t->granted_us - l->busy_until_us);
    }
}

/* The time of one hold that no other covered. */
static void add_busy(measure *m, lock_account *l, int64_t from_us, int64_t to_us)
{
    from_us = from_us < l->busy_until_us ? l->busy_until_us : from_us;
    from_us = from_us < m->begin_us ? m->begin_us : from_us;
    if (m->begun && to_us > from_us)
        l->total.busy_us += to_us - from_us;
}

/* Goes on to the first hold that has not ended. */
static void settle(measure *m, lock_account *l)
{
    size_t gone = 0;
    while (gone < l->tenure_count) {
        tenure *t = &l->tenures[gone];
        bool first_of_many = l->tenure_count - gone > TENURES_MAX;
        if (!t->looked_at)
            look_at(m, l, t);
        if (!t->ended && !first_of_many)
            break;
        if (t->ended)
            add_busy(m, l, t->granted_us, t->ended_us);
        if (t->ended && t->ended_us >= l->busy_until_us) {
            l->busy_until_us = t->ended_us;
            l->released = t->released;
        }
        gone++;
    }
    if (gone)
        memmove(l->tenures, l->tenures + gone, (l->tenure_count - gone) * sizeof *l->tenures);
    l->tenure_count -= gone;
}

void measure_holds(measure *m, const occurrence *o, int64_t waited_since_us)
{
    lock_account *l = measure_account(m, o->lock);
    MEM_RESERVE(l->tenures, l->tenure_cap, l->tenure_count + 1);
    size_t at = l->tenure_count++;
    for (; at > 0 && l->tenures[at - 1].granted_us > o->executed_us; at--)
        l->tenures[at] = l->tenures[at - 1];
    l->tenures[at] = (tenure){ .granted_us = o->executed_us, .waited_since_us = waited_since_us, .client = o->client,
                               .task = o->task };
    settle(m, l);
}

void measure_hold_over(measure *m, uint32_t client, uint32_t task, uint32_t lock, int64_t ended_us, bool released)
{
    lock_account *l = measure_account(m, lock);
    for (size_t i = 0; i < l->tenure_count; i++) {
        tenure *t = &l->tenures[i];
        if (t->client != client || t->task != task || t->ended)
            continue;
        t->ended = true;
        t->released = released;
        t->ended_us = ended_us < t->granted_us ? t->granted_us : ended_us;
        break;
    }
    settle(m, l);
}

void measure_holds_begin(measure *m)
{
    for (size_t i = 0; i < m->lock_count; i++) {
        lock_account *l = &m->locks[i];
        histogram_free(&l->total.waits);
        histogram_free(&l->total.handoffs);
        l->total = (lock_totals){ .waits.bits = HISTOGRAM_COARSE, .handoffs.bits = HISTOGRAM_COARSE };
        l->used = l->waiter_count > 0 || l->tenure_count > 0;
    }
}

/* Holds in progress are counted up to now. */
void measure_holds_end(measure *m)
{
    for (size_t i = 0; i < m->lock_count; i++) {
        lock_account *l = &m->locks[i];
        for (size_t k = 0; k < l->tenure_count; k++)
            if (!l->tenures[k].ended) {
                l->tenures[k].ended = true;
                l->tenures[k].ended_us = m->end_us > l->tenures[k].granted_us ? m->end_us : l->tenures[k].granted_us;
            }
        settle(m, l);
    }
}
