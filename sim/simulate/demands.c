/* demands.c - when clients want the lock: each of them after some thought (closed loop), or a stream of demands from
 * outside, each of which an idle client takes or which waits until one is. */
#include <assert.h>

#include "base/mem.h"
#include "simulate/internal.h"

enum { WAITING_MAX = 1 << 24 };                    /* demands: with more, the waiters will never be served */

static int64_t us_of(double ms)
{
    return draw_us(NULL, &(distribution){ .kind = DRAW_CONSTANT, .a = ms });
}

/* ---- idle threads ---- */

static void add_idle(simulation *s, uint32_t number)
{
    s->slots[number].idle = s->idle_count;
    s->idle[s->idle_count++] = number;
}

static void take_idle(simulation *s, uint32_t number)
{
    uint32_t place = s->slots[number].idle;
    if (place == NONE)
        return;
    s->slots[number].idle = NONE;
    uint32_t last = s->idle[--s->idle_count];
    if (last != number) {
        s->idle[place] = last;
        s->slots[last].idle = place;
    }
}

/* Starts the thread's program, now or when its client goes on. */
static void give(simulation *s, uint32_t number, int64_t demand_us, double held_ms)
{
    slot *t = &s->slots[number];
    uint32_t c = number / s->threads;
    if (!t->busy && s->busy++ == 0)
        s->progress_us = s->now_us;
    t->busy = true;
    t->asked = false;
    t->demand_us = demand_us;
    t->held_ms = held_ms;
    t->task = NONE;
    t->held_count = 0;
    t->leaves = false;
    if (s->clients[c].resume_us > s->now_us)
        simulation_post(s, HAPPENS_DEMAND, s->clients[c].resume_us, c, number);
    else
        t->task = process_begin(s->clients[c].p, number % s->threads + 1);
}

bool demand_due(simulation *s, uint32_t number)
{
    slot *t = &s->slots[number];
    give(s, number, t->busy ? t->demand_us : s->now_us, t->busy ? t->held_ms : -1);
    return t->task == NONE || client_step(s, number / s->threads, true);
}

/* ---- demands that wait ---- */

static void wait_in_line(simulation *s, int64_t at_us)
{
    if (s->waiting_count == WAITING_MAX) {
        s->out->ending = SIMULATE_FLOODED;
        s->over = true;
        return;
    }
    if (s->waiting_count == s->waiting_cap) {
        size_t cap = s->waiting_cap ? 2 * s->waiting_cap : 1024;
        int64_t *grown = mem_alloc(cap * sizeof *grown);
        for (size_t i = 0; i < s->waiting_count; i++)
            grown[i] = s->waiting[(s->waiting_first + i) % s->waiting_cap];
        mem_free(s->waiting);
        s->waiting = grown;
        s->waiting_first = 0;
        s->waiting_cap = cap;
    }
    s->waiting[(s->waiting_first + s->waiting_count++) % s->waiting_cap] = at_us;
}

static int64_t next_in_line(simulation *s)
{
    int64_t at_us = s->waiting[s->waiting_first];
    s->waiting_first = (s->waiting_first + 1) % s->waiting_cap;
    s->waiting_count--;
    return at_us;
}

static void round_done(simulation *s)
{
    if (s->rounds_left != UINT64_MAX && --s->rounds_left == 0)
        s->over = true;
}

/* One demand that any client may take. */
static bool hand_out(simulation *s)
{
    if (s->idle_count == 0) {
        wait_in_line(s, s->now_us);
        return true;
    }
    uint32_t number = s->idle[rng_below(&s->random[STREAM_PICKS], s->idle_count)];
    take_idle(s, number);
    give(s, number, s->now_us, -1);
    return s->slots[number].task == NONE || client_step(s, number / s->threads, true);
}

/* One that its own client has to take. */
static bool hand_to(simulation *s, uint32_t i)
{
    const recorded_demand *d = &s->w.demands[i];
    client *me = &s->clients[d->client];
    if (s->slots[d->client].idle != NONE) {        /* such a workload has one thread each */
        take_idle(s, d->client);
        give(s, d->client, s->now_us, d->held_ms);
        return s->slots[d->client].task == NONE || client_step(s, d->client, true);
    }
    if (!me->p && s->w.back_ms.kind == DRAW_NOTHING) {
        round_done(s);     /* it never comes back */
        return true;
    }
    s->demand_after[i] = NONE;
    *(me->waits_last == NONE ? &me->waits_first : &s->demand_after[me->waits_last]) = i;
    me->waits_last = i;
    return true;
}

/* The thread is idle: finds its next work. */
static void next_round(simulation *s, uint32_t number)
{
    client *me = &s->clients[number / s->threads];
    if (s->once)
        return;
    if (s->w.arrivals == ARRIVE_THINKING) {
        simulation_post(s, HAPPENS_DEMAND, s->now_us + draw_us(&s->random[STREAM_ARRIVALS], &s->w.think_ms),
                        number / s->threads, number);
    } else if (s->w.arrivals == ARRIVE_RECORDED && me->waits_first != NONE) {
        uint32_t i = me->waits_first;
        me->waits_first = s->demand_after[i];
        if (me->waits_first == NONE)
            me->waits_last = NONE;
        give(s, number, us_of(s->w.demands[i].asked_ms), s->w.demands[i].held_ms);
    } else if (s->w.arrivals != ARRIVE_RECORDED && s->waiting_count > 0) {
        give(s, number, next_in_line(s), -1);
    } else {
        add_idle(s, number);
    }
}

bool demands_round_over(simulation *s, uint32_t number)
{
    s->slots[number].busy = false;
    s->busy--;
    s->progress_us = s->now_us;
    s->fruitless++;
    round_done(s);
    if (!s->over)
        next_round(s, number);
    return true;
}

static bool come_listed(simulation *s)
{
    while (s->demand_next < s->w.demand_count && us_of(s->w.demands[s->demand_next].asked_ms) <= s->now_us &&
           !s->over) {
        uint32_t i = (uint32_t)s->demand_next++;
        s->progress_us = s->now_us;
        if (!(s->w.arrivals == ARRIVE_RECORDED ? hand_to(s, i) : hand_out(s)))
            return false;
    }
    if (s->demand_next < s->w.demand_count)
        simulation_post(s, HAPPENS_DEMANDS, us_of(s->w.demands[s->demand_next].asked_ms), NONE, 0);
    return true;
}

static int64_t arrival_gap_us(simulation *s)
{
    return draw_gap_us(&s->random[STREAM_ARRIVALS], 1000 / s->w.poisson_per_s, &s->arrival_carried_us);
}

bool demands_come(simulation *s)
{
    if (s->w.arrivals == ARRIVE_LISTED || s->w.arrivals == ARRIVE_RECORDED)
        return come_listed(s);
    bool poisson = s->w.arrivals == ARRIVE_POISSON;
    uint32_t count = poisson ? 1 : s->w.burst;
    int64_t gap_us = poisson ? arrival_gap_us(s) : draw_us(&s->random[STREAM_ARRIVALS], &s->w.think_ms);
    simulation_post(s, HAPPENS_DEMANDS, s->now_us + gap_us, NONE, 0);
    for (uint32_t i = 0; i < count && !s->over; i++)
        if (!hand_out(s))
            return false;
    return true;
}

bool demands_back(simulation *s, uint32_t c)
{
    for (uint32_t i = 0; i < s->own.clients[c].threads; i++)
        next_round(s, c * s->threads + i);
    return client_step(s, c, true);
}

void demands_gone(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    for (uint32_t number = c * s->threads; number < (c + 1) * s->threads; number++) {
        take_idle(s, number);
        if (s->slots[number].busy) {
            s->busy--;
            s->fruitless++;
            round_done(s);
        }
        s->slots[number].busy = s->slots[number].leaves = false;
    }
    s->gone += s->w.back_ms.kind == DRAW_NOTHING;
    while (me->waits_first != NONE && s->w.back_ms.kind == DRAW_NOTHING) {
        me->waits_first = s->demand_after[me->waits_first];
        round_done(s);
    }
    if (me->waits_first == NONE)
        me->waits_last = NONE;
}

void demands_open(simulation *s)
{
    uint32_t count = s->client_count * s->threads;
    s->slots = mem_zero(count * sizeof *s->slots);
    s->idle = mem_zero(count * sizeof *s->idle);
    s->rounds_left = s->once ? count : s->w.demand_count > 0 ? s->w.demand_count : UINT64_MAX;
    bool closed = s->once || s->w.arrivals == ARRIVE_THINKING;
    for (uint32_t i = 0; i < count; i++) {
        int64_t start_us = s->own.clients[i / s->threads].start_ms * 1000;
        s->slots[i].idle = NONE;
        bool there = i % s->threads < s->own.clients[i / s->threads].threads;
        if (!there && s->once)
            s->rounds_left--;
        else if (there && !closed)
            add_idle(s, i);
        else if (there)
            simulation_post(s, HAPPENS_DEMAND,
                            start_us + (s->once ? 0 : draw_us(&s->random[STREAM_ARRIVALS], &s->w.think_ms)),
                            i / s->threads, i);
    }
    if (s->w.arrivals == ARRIVE_RECORDED && !s->once)
        s->demand_after = mem_zero((s->w.demand_count + 1) * sizeof *s->demand_after);
    if (!closed)
        simulation_post(s, HAPPENS_DEMANDS, s->w.arrivals == ARRIVE_POISSON ? arrival_gap_us(s) :
                                            s->w.demand_count > 0 ? us_of(s->w.demands[0].asked_ms) : 0, NONE, 0);
}

void demands_close(simulation *s)
{
    mem_free(s->slots);
    mem_free(s->idle);
    mem_free(s->waiting);
    mem_free(s->demand_after);
}

uint64_t demands_unserved(const simulation *s)
{
    uint64_t unserved = s->waiting_count;
    if (s->w.arrivals == ARRIVE_RECORDED)
        for (uint32_t c = 0; c < s->client_count; c++)
            for (uint32_t i = s->clients[c].waits_first; i != NONE; i = s->demand_after[i])
                unserved++;
    return unserved;
}
