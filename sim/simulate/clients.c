/* clients.c - the clients: ready tasks run at once, their outputs are sent and reported, and a timer is set for the
 * first task that wakes by itself. */
#include <inttypes.h>
#include <string.h>

#include "simulate/internal.h"

/* A loop that takes no time may end with the millisecond (Redis keeps a key through its last one, and tells those who
 * ask to wait for 0 ms): from the CROWDth step of an instant on a request, or a wait of 0 ms, lasts to the next
 * millisecond; but not for ever. */
enum { STEPS_AT_ONCE_MAX = 100000, CROWD = 200, CROWDED_MAX = 2000 };

bool client_make(simulation *s, uint32_t c)
{
    client *me = &s->clients[c];
    memset(me->executed, 0, sizeof me->executed);
    me->p = process_pool_add(s->pool, c, me->life, simulation_now_ms(s), s->e);
    return me->p != NULL;
}

static bool no_such_server(simulation *s, uint32_t c, const request *r)
{
    err_at(s->e, ERR_DRIVER, r->path, r->line, 0, "client '%.*s' sends to server %" PRIu32 ", the scenario has %"
           PRIu32,
           STR_ARG(s->own.clients[c].name), r->server + 1, s->server_count);
    return err_hint(s->e, "say servers = %" PRIu32 " in the scenario", r->server + 1);
}

static bool ended(simulation *s, uint32_t c, uint32_t task)
{
    for (uint32_t thread = 1; thread <= s->threads; thread++) {
        slot *t = slot_of(s, c, thread);
        if (t->busy && t->task == task) {
            announced_release_over(s, c, t);
            return demands_round_over(s, (uint32_t)(t - s->slots));
        }
    }
    return true;
}

static void clear_outputs(simulation *s)
{
    arena_reset(s->outputs.memory);
    s->outputs = (outputs){ .memory = s->outputs.memory, .items = s->few_outputs, .cap = COUNT(s->few_outputs) };
}

/* Handles the outputs of the process. */
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
            announced(s, c, o);
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
        process_tell_places(me->p);                /* its positions may be needed for a message */
    if (me->steps <= STEPS_AT_ONCE_MAX && me->crowded <= CROWDED_MAX)
        return true;
    err_at(s->e, ERR_DRIVER, me->path.n ? me->path : s->sc->path, me->path.n ? me->line : 0, 0,
           "client '%.*s' goes round and no time passes, %.3f ms after the beginning", STR_ARG(s->own.clients[c].name),
           (double)s->now_us / 1000);
    return err_hint(s->e, "let something take time: latency_ms, think_ms or hold_ms of the workload, or a sleep "
                    "between two requests");
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

/* Jitter. */
static void end_somewhere(simulation *s, uint32_t c, const task_ahead *t)
{
    uint64_t after_us = rng_below(&s->random[STREAM_CHOICES], (uint64_t)t->range_ms * 1000 + 1);
    simulation_post(s, HAPPENS_WORK_ENDS, s->now_us + (int64_t)after_us, c, t->task);
}

static bool run_task(simulation *s, uint32_t c, const task_ahead *t)
{
    client *me = &s->clients[c];
    int64_t now_ms = simulation_now_ms(s);
    if (t->status == TASK_WORK) {
        process_note_work(me->p, t->task);
        if (t->range_ms > 0)
            end_somewhere(s, c, t);
        else
            begin_work(s, c, t->task);
        return true;
    }
    if (t->status == TASK_CHOOSE)
        return process_choose(me->p, t->task, rng_below(&s->random[STREAM_CHOICES], t->choices), now_ms, &s->outputs,
                              s->e);
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
    int64_t at_us = t.wake_ms == INT64_MAX || t.wake_ms - WORLD_EPOCH_MS > DRAW_US_MAX / 1000 ? INT64_MAX
                    : (t.wake_ms - WORLD_EPOCH_MS) * 1000;
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
