/* clients.c - what runs at a client: tasks that are ready go on at once, what they put out is sent and told, and a timer is set for the
 * first of them that wakes by itself. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "simulate/internal.h"

/* A loop that takes no time may end with the millisecond (Redis keeps a key through its last one, and tells those who ask to wait for 0 ms):
 * from the CROWDth step of an instant on a request, or a wait of 0 ms, lasts to the next millisecond; but not for ever. */
enum { STEPS_AT_ONCE_MAX = 100000, CROWD = 200, CROWDED_MAX = 2000 };

static slot *slot_of(simulation *s, uint32_t c, uint32_t thread)
{
    return &s->slots[(size_t)c * s->threads + thread - 1];
}

bool client_make(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    memset(me->executed, 0, sizeof me->executed);
    me->p = process_pool_add(s->pool, c, me->life, simulation_now_ms(s), s->e);
    return me->p != NULL;
}

/* ---- what is told ---- */

static uint32_t lock_number(simulation *s, uint32_t c, str name)
{
    bool fresh;
    uint32_t lock = intern_add(s->locks, name, &fresh);
    if (!fresh)
        return lock;
    s->pooled = mem_reserve(s->pooled, &s->pooled_cap, (size_t)lock + 1, sizeof *s->pooled);
    s->pooled[lock] = false;
    const observed *list;
    size_t count = process_observed(s->clients[c].p, &list);
    for (size_t i = 0; i < count; i++)
        s->pooled[lock] |= str_eq(list[i].lock, name) && list[i].spec == SPEC_SEMAPHORE;
    return lock;
}

/* When the request was executed whose answer its task got last. Numbers come again: the newest one is meant. */
static int64_t executed_us(const simulation *s, const client *me, uint32_t request)
{
    for (uint32_t i = 1; request && i <= ANSWERS_KEPT; i++) {
        uint32_t at = (me->executed_next + ANSWERS_KEPT - i) % ANSWERS_KEPT;
        if (me->executed[at].id == request)
            return me->executed[at].at_us;
    }
    return s->now_us;
}

/* Which grant of the lock in this round it is. The driver's own count goes on over rounds whose release failed. */
static uint32_t hold(slot *t, uint32_t lock, int64_t now_us)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock)
            return ++t->held[i].count;
    if (t->held_count < HELD_MAX) {
        t->held[t->held_count].lock = lock;
        t->held[t->held_count].since_us = now_us;
        t->held[t->held_count++].count = 1;
    }
    return 1;
}

/* Whoever says that he released without having asked the server since he learned of the grant did so just now. */
static int64_t released_us(const simulation *s, const slot *t, uint32_t lock, int64_t executed_at_us)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock && executed_at_us <= t->held[i].since_us)
            return s->now_us;
    return executed_at_us;
}

static void let_go(slot *t, uint32_t lock)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i].lock == lock && --t->held[i].count == 0)
            t->held[i] = t->held[--t->held_count];
}

static bool is_measured(const workload *w, str lock)
{
    bool found = w->lock_count == 0;
    for (size_t i = 0; !found && i < w->lock_count; i++)
        found = str_eq(w->locks[i], lock);
    return found;
}

static void announce(simulation *s, uint32_t c, const output *o)
{
    static const struct { bool told; occurrence_kind kind; } as[] = {
        [EVENT_WANTS] = { true, OCCURS_ASKED }, [EVENT_REFUSED] = { true, OCCURS_REFUSED }, [EVENT_GRANTED] = { true, OCCURS_GRANTED },
        [EVENT_GAVE_UP] = { true, OCCURS_GAVE_UP }, [EVENT_RELEASED] = { true, OCCURS_RELEASED }, [EVENT_LOST] = { true, OCCURS_LOST },
        [EVENT_USE] = { false, OCCURS_LOST },
    };
    const event *a = &o->announcement;
    if (!as[a->kind].told || !is_measured(&s->w, a->lock))
        return;
    slot *t = slot_of(s, c, o->thread);
    occurrence x = { .kind = as[a->kind].kind, .at_us = s->now_us, .executed_us = s->now_us, .client = c, .task = o->thread - 1,
                     .lock = lock_number(s, c, a->lock) };
    if (x.kind == OCCURS_ASKED && t->busy && !t->asked) {
        x.at_us = t->demand_us;
        t->asked = true;
    }
    if (x.kind == OCCURS_GRANTED || x.kind == OCCURS_RELEASED)
        x.executed_us = executed_us(s, &s->clients[c], a->request);
    if (x.kind == OCCURS_GRANTED) {
        uint32_t count = hold(t, x.lock, s->now_us);
        x.count = s->pooled[x.lock] ? 1 : count;
    }
    if (x.kind == OCCURS_RELEASED)
        x.executed_us = released_us(s, t, x.lock, x.executed_us);
    if (x.kind == OCCURS_RELEASED)
        x.count = (uint32_t)(a->count < 0 ? 0 : a->count);
    if (x.kind == OCCURS_RELEASED || x.kind == OCCURS_LOST)
        let_go(t, x.lock);
    simulation_tell(s, x);
}

static bool no_such_server(simulation *s, uint32_t c, const request *r)
{
    err_at(s->e, ERR_DRIVER, r->path, r->line, 0, "client '%.*s' sends to server %" PRIu32 ", the scenario has %" PRIu32,
           STR_ARG(s->own.clients[c].name), r->server + 1, s->server_count);
    return err_hint(s->e, "say servers = %" PRIu32 " in the scenario", r->server + 1);
}

static bool ended(simulation *s, uint32_t c, uint32_t task)
{
    for (uint32_t thread = 1; thread <= s->threads; thread++) {
        slot *t = slot_of(s, c, thread);
        if (t->busy && t->task == task)
            return demands_round_over(s, (uint32_t)(t - s->slots));
    }
    return true;
}

static void clear_outputs(simulation *s)
{
    arena_reset(s->outputs.memory);
    s->outputs = (outputs){ .memory = s->outputs.memory, .items = s->few_outputs, .cap = COUNT(s->few_outputs) };
}

/* Takes over what the process put out. */
static bool absorb(simulation *s, uint32_t c)
{
    bool ok = true;
    client *me = &s->clients[c];
    for (size_t i = 0; ok && i < s->outputs.count; i++) {
        const output *o = &s->outputs.items[i];
        switch (o->kind) {
        case OUTPUT_REQUEST:
            me->path = o->request->path;
            me->line = o->request->line;
            ok = o->request->server < s->server_count || no_such_server(s, c, o->request);
            if (ok)
                traffic_send(s, c, o->request);
            break;
        case OUTPUT_ANNOUNCE:
            announce(s, c, o);
            break;
        case OUTPUT_ENDED:
            ok = ended(s, c, o->task);
            break;
        case OUTPUT_LOG:
            break;
        }
    }
    clear_outputs(s);
    return ok;
}

/* ---- what runs ---- */

static bool takes_time(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    if (me->step_us != s->now_us) {
        if (me->steps < CROWD)
            me->crowded = 0;
        me->step_us = s->now_us;
        me->steps = 0;
    }
    if (++me->steps == CROWD)
        process_tell_places(me->p);                /* lest there is something to be said of it */
    if (me->steps <= STEPS_AT_ONCE_MAX && me->crowded <= CROWDED_MAX)
        return true;
    err_at(s->e, ERR_DRIVER, me->path.n ? me->path : s->sc->path, me->path.n ? me->line : 0, 0,
           "client '%.*s' goes round and no time passes, %.3f ms after the beginning", STR_ARG(s->own.clients[c].name),
           (double)s->now_us / 1000);
    return err_hint(s->e, "let something take time: latency_ms, think_ms or hold_ms of the workload, or a sleep between two requests");
}

static int64_t hold_us(simulation *s, uint32_t c, uint32_t task)
{
    for (uint32_t thread = 1; thread <= s->threads; thread++) {
        const slot *t = slot_of(s, c, thread);
        if (t->busy && t->task == task && t->held_ms >= 0)
            return draw_us(NULL, &(distribution){ .kind = DRAW_CONSTANT, .a = t->held_ms });
    }
    return draw_us(&s->random[STREAM_HOLDS], &s->w.hold_ms);
}

/* A long section is no standstill; a loop of short ones is. */
static void begin_work(simulation *s, uint32_t c, uint32_t task)
{
    int64_t end_us = s->now_us + hold_us(s, c, task);
    simulation_post(s, HAPPENS_WORK_ENDS, end_us, c, task);
    if (end_us > s->works_us && s->now_us - s->granted_us <= STARVED_US)
        s->works_us = end_us;
}

static bool run_task(simulation *s, uint32_t c, const task_ahead *t)
{
    client *me = &s->clients[c];
    int64_t now_ms = simulation_now_ms(s);
    if (t->status == TASK_WORK) {
        process_note_work(me->p, t->task);
        begin_work(s, c, t->task);
        return true;
    }
    if (t->status == TASK_CHOOSE)
        return process_choose(me->p, t->task, rng_below(&s->random[STREAM_CHOICES], t->choices), now_ms, &s->outputs, s->e);
    return process_run(me->p, t->task, now_ms, &s->outputs, s->e);
}

int64_t client_crowded(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    if (me->step_us != s->now_us || me->steps < CROWD)
        return s->now_us;
    me->crowded++;
    return (s->now_us / 1000 + 1) * 1000;
}

/* The wait of 0 ms that would end now. */
static bool put_off(simulation *s, uint32_t c, const task_ahead *t)
{
    int64_t until_us = t->zero_wait ? client_crowded(s, c) : s->now_us;
    if (until_us > s->now_us)
        timers_advance(&s->timers, c, until_us, s->queue.seq++);
    return until_us > s->now_us;
}

bool client_step(simulation *s, uint32_t c, bool ok)
{
    client *me = &s->clients[c];
    ok = ok && takes_time(s, c) && absorb(s, c);
    while (ok && !s->over) {
        task_ahead t = process_next(me->p, simulation_now_ms(s));
        if (t.status == TASK_DONE || t.wake_ms > simulation_now_ms(s))
            break;
        if (put_off(s, c, &t))
            return true;
        ok = takes_time(s, c) && run_task(s, c, &t) && absorb(s, c);
    }
    if (ok)
        client_set_timer(s, c);
    return ok;
}

void client_set_timer(simulation *s, uint32_t c)
{
    const client *me = &s->clients[c];
    task_ahead t = process_next(me->p, simulation_now_ms(s));
    int64_t at_us = t.wake_ms == INT64_MAX || t.wake_ms - WORLD_EPOCH_MS > DRAW_US_MAX / 1000 ? INT64_MAX : (t.wake_ms - WORLD_EPOCH_MS) * 1000;
    for (uint32_t i = me->flights; i != NONE; i = s->flights[i].next)
        if (!s->flights[i].orphan && s->flights[i].give_up_us < at_us)
            at_us = s->flights[i].give_up_us;
    if (at_us < s->now_us)
        at_us = s->now_us;
    if (at_us < me->resume_us)
        at_us = me->resume_us;
    if (at_us != INT64_MAX)
        timers_advance(&s->timers, c, at_us, s->queue.seq++);
}

static bool give_up(simulation *s, uint32_t c, uint32_t number)
{
    client *me = &s->clients[c];
    flight *f = &s->flights[number];
    uint32_t id = f->id;
    simulation_tell(s, (occurrence){ .kind = OCCURS_TIMED_OUT, .client = c, .lock = OCCURS_NOBODY });
    bool sent = f->state == FLIGHT_SENT;           /* it may still be executed: its words are needed */
    if (f->state == FLIGHT_WAITING)
        traffic_leave(s, number);
    if (sent || f->state == FLIGHT_EXECUTED)
        f->orphan = true;
    else
        traffic_end(s, number);
    bool ok = process_give_up(me->p, id, S("timeout"), simulation_now_ms(s), &s->outputs, s->e);
    if (!sent)
        process_forget(me->p, id);
    return client_step(s, c, ok);
}

bool client_wake(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    if (!me->p)
        return true;
    if (me->resume_us > s->now_us) {
        client_set_timer(s, c);
        return true;
    }
    for (uint32_t i = me->flights; i != NONE;) {
        if (s->flights[i].orphan || s->flights[i].give_up_us > s->now_us) {
            i = s->flights[i].next;
            continue;
        }
        if (!give_up(s, c, i) || s->over)
            return s->over;
        i = me->flights;
    }
    return client_step(s, c, true);
}

bool client_answer(simulation *s, uint32_t number)
{
    flight *f = &s->flights[number];
    uint32_t c = f->client, id = f->id;
    client *me = &s->clients[c];
    if (f->orphan) {
        traffic_end(s, number);
        return true;
    }
    if (me->resume_us > s->now_us) {
        simulation_post(s, HAPPENS_ANSWER, me->resume_us, c, number);
        return true;
    }
    me->executed[me->executed_next].id = id;
    me->executed[me->executed_next].at_us = f->executed_us;
    me->executed_next = (me->executed_next + 1) % ANSWERS_KEPT;
    bool ok = process_answer(me->p, id, &f->answer, simulation_now_ms(s), &s->outputs, s->e);
    process_forget(me->p, id);
    traffic_end(s, number);
    return client_step(s, c, ok);
}

bool client_message(simulation *s, uint32_t c, uint32_t number)
{
    client *me = &s->clients[c];
    if (me->resume_us > s->now_us) {
        simulation_post(s, HAPPENS_MESSAGE, me->resume_us, c, number);
        return true;
    }
    mail *m = &s->mails[number];
    str all = buf_str(&m->text), channel = str_slice(all, 0, m->channel_n);
    str payload = str_slice(all, m->channel_n, m->channel_n + m->payload_n);
    str pattern = str_slice(all, m->channel_n + m->payload_n, all.n);
    s->out->messages++;
    simulation_tell(s, (occurrence){ .kind = OCCURS_MESSAGE, .client = c, .lock = OCCURS_NOBODY });
    bool ok = process_message(me->p, m->server, channel, payload, pattern, simulation_now_ms(s), &s->outputs, s->e);
    mail_end(s, number);
    return client_step(s, c, ok);
}

bool client_work_ends(simulation *s, uint32_t c, uint32_t task)
{
    client *me = &s->clients[c];
    if (me->resume_us > s->now_us) {
        simulation_post(s, HAPPENS_WORK_ENDS, me->resume_us, c, task);
        return true;
    }
    if (!process_works(me->p, task))
        return true;       /* it was cancelled */
    return client_step(s, c, process_run(me->p, task, simulation_now_ms(s), &s->outputs, s->e));
}
