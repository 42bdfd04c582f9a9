/* simulate.c - see simulate.h: the main loop. */
#include <assert.h>
#include <inttypes.h>

#include "base/mem.h"
#include "simulate/internal.h"

enum { ASK_EVERY = 256 };                          /* events between two questions whether to go on */

uint32_t simulate_clients(const scenario *sc, size_t which)
{
    if (which < sc->workload_count && sc->workloads[which].clients > 0)
        return sc->workloads[which].clients;
    return (uint32_t)sc->client_count;
}

str simulate_client_name(const scenario *sc, size_t which, uint32_t c, buf *into)
{
    buf_clear(into);
    const workload *w = which < sc->workload_count ? &sc->workloads[which] : NULL;
    if (w && w->client_names)
        buf_add(into, w->client_names[c]);
    else if (w && w->clients > 0)
        buf_printf(into, "c%" PRIu32, c + 1);
    else
        buf_add(into, sc->clients[c].name);
    return buf_str(into);
}

void simulation_post(simulation *s, happening_kind kind, int64_t at_us, uint32_t c, uint32_t number)
{
    queue_post(&s->queue, s->now_us, (happening){ .at_us = at_us, .kind = kind, .client = c, .number = number,
                                                  .life = c == NONE ? 0 : s->clients[c].life });
}

static void tell(simulation *s, const occurrence *o)
{
    if (s->o.on_occurrence)
        s->o.on_occurrence(s->o.context, o);
}

/* The warm-up ends when both its number of acquisitions and its time are reached. */
static void begin_when_warm(simulation *s)
{
    if (s->begun || s->out->acquisitions < s->w.warm_up || (double)s->now_us < s->w.warm_up_ms * 1000)
        return;
    s->begun = true;
    s->out->begin_us = s->now_us;
    tell(s, &(occurrence){ .kind = OCCURS_BEGINS, .at_us = s->now_us, .executed_us = s->now_us, .client = OCCURS_NOBODY,
                           .lock = OCCURS_NOBODY });
    if (s->w.duration_ms > 0)
        simulation_post(s, HAPPENS_END,
                        s->now_us + draw_us(NULL, &(distribution){ .kind = DRAW_CONSTANT, .a = s->w.duration_ms }),
                        NONE, 0);
}

static void note_grant(simulation *s)
{
    s->granted_us = s->progress_us = s->now_us;
    s->fruitless = 0;
    s->out->acquisitions++;
    if (s->begun && ++s->counted == s->w.acquisitions)
        s->over = true;
    begin_when_warm(s);
}

void simulation_tell(simulation *s, occurrence o)
{
    if (o.kind != OCCURS_ASKED)
        o.at_us = s->now_us;
    if (o.kind != OCCURS_ASKED && o.kind != OCCURS_GRANTED && o.kind != OCCURS_RELEASED)
        o.executed_us = o.at_us;
    tell(s, &o);
    if (o.kind == OCCURS_GRANTED && o.count <= 1)
        note_grant(s);
}

/* ---- the loop ---- */

static bool happen(simulation *s, const happening *h)
{
    bool alive = h->client == NONE || s->clients[h->client].life == h->life;
    switch ((happening_kind)h->kind) {
    case HAPPENS_ARRIVAL: traffic_arrive(s, h->number); return true;
    case HAPPENS_ANSWER: return client_answer(s, h->number);
    case HAPPENS_MESSAGE:
        if (alive)
            return client_message(s, h->client, h->number);
        mail_end(s, h->number);
        return true;
    case HAPPENS_WORK_ENDS: return !alive || client_work_ends(s, h->client, h->number);
    case HAPPENS_DEMAND: return !alive || demand_due(s, h->number);
    case HAPPENS_DEMANDS: return demands_come(s);
    case HAPPENS_SERVER: traffic_server_wakes(s, h->number); return true;
    case HAPPENS_CRASH: mishap_crash(s); return true;
    case HAPPENS_RESTART: return mishap_restart(s, h->client);
    case HAPPENS_PAUSE: mishap_pause(s); return true;
    case HAPPENS_RESUME:
        if (alive)
            mishap_resume(s, h->client);
        return true;
    case HAPPENS_WARM: begin_when_warm(s); return true;
    case HAPPENS_END: s->over = true; return true;
    }
    return false;
}

/* Takes the next event of the queue or of the timers. false: none is left, or an error. */
static bool take_next(simulation *s, bool *ok)
{
    const happening *h = queue_first(&s->queue);
    uint32_t c = timers_first(&s->timers);
    const struct timer *t = c == UINT32_MAX ? NULL : &s->timers.of[c];
    if (!h && !t)
        return false;
    if (t && (!h || t->at_us < h->at_us || (t->at_us == h->at_us && t->seq < h->seq))) {
        assert(t->at_us >= s->now_us);
        s->now_us = t->at_us;
        timers_drop_first(&s->timers);
        *ok = client_wake(s, c);
    } else {
        happening taken = queue_take(&s->queue);
        s->now_us = taken.at_us;
        *ok = happen(s, &taken);
    }
    return *ok;
}

/* Has an hour passed since then, without a client at work? */
static bool is_long_ago(const simulation *s, int64_t at_us)
{
    return s->now_us - (s->works_us > at_us ? s->works_us : at_us) > STARVED_US;
}

/* A demand that is still to come is waited for, however long. */
static bool is_starved(const simulation *s)
{
    bool quiet = s->busy == 0 && s->gone < s->client_count;
    return is_long_ago(s, s->progress_us) && !quiet && s->demand_next >= s->w.demand_count;
}

/* Acquisitions that never come would never end the run. A client that has had one may wait for another's long lease. */
static bool is_fruitless(const simulation *s)
{
    bool ends = (s->w.duration_ms > 0 && s->out->acquisitions >= s->w.warm_up) || s->rounds_left != UINT64_MAX;
    return s->fruitless >= s->o.max_fruitless && !ends && (s->out->acquisitions == 0 || is_long_ago(s, s->granted_us));
}

/* May it go on? */
static bool check(simulation *s)
{
    if (s->out->steps >= s->o.max_steps)
        s->out->ending = SIMULATE_CUT;
    else if (is_starved(s))
        s->out->ending = SIMULATE_STARVED;
    else if (is_fruitless(s))
        s->out->ending = SIMULATE_FRUITLESS;
    else if (s->out->steps % ASK_EVERY == 0 && s->o.go_on && !s->o.go_on(s->o.context, s->now_us, s->out->acquisitions))
        s->out->ending = SIMULATE_STOPPED;
    return s->out->ending == SIMULATE_DONE;
}

static bool loop(simulation *s)
{
    bool ok = true;
    while (!s->over && check(s)) {
        if (!take_next(s, &ok)) {
            if (ok)
                s->out->ending = SIMULATE_IDLE;
            break;
        }
        s->out->steps++;
    }
    return ok;
}

/* ---- beginning and end ---- */

/* The scenario for its processes: with the workload's clients, and with holds that are drawn here. */
static void make_own(simulation *s, arena *a)
{
    s->own = *s->sc;
    s->own.work_lo_ms = s->own.work_hi_ms = -1;
    if (s->w.clients > 0) {
        s->own.client_count = s->w.clients;
        s->own.clients = ARENA_ARRAY(a, scenario_client, s->w.clients);
        buf name = { 0 };
        for (uint32_t i = 0; i < s->w.clients; i++) {
            str client = arena_str(a, simulate_client_name(s->sc, s->o.workload, i, &name));
            s->own.clients[i] = (scenario_client){ .name = client, .id = client, .threads = s->w.threads };
        }
        buf_free(&name);
    }
    s->client_count = (uint32_t)s->own.client_count;
    for (size_t i = 0; i < s->own.client_count; i++)
        if (s->own.clients[i].threads > s->threads)
            s->threads = s->own.clients[i].threads;
    s->out->client_count = s->client_count;
    s->out->threads = s->threads;
}

/* Sets the defaults of the workload. */
static void fill_in(simulation *s)
{
    workload *w = &s->w;
    const scenario *sc = s->sc;
    if (s->once)
        *w = (workload){ .threads = 1, .latency_ms = { .kind = DRAW_CONSTANT, .a = (double)s->o.latency_us / 1000 } };
    if (w->latency_ms.kind == DRAW_NOTHING || (s->once && s->o.latency_us == 0))
        w->latency_ms = (distribution){ .kind = DRAW_UNIFORM, .a = (double)sc->latency_lo_ms,
                                        .b = (double)sc->latency_hi_ms };
    if (w->message_latency_ms.kind == DRAW_NOTHING)
        w->message_latency_ms = w->latency_ms;
    if (w->hold_ms.kind == DRAW_NOTHING && sc->work_lo_ms >= 0)
        w->hold_ms = (distribution){ .kind = DRAW_UNIFORM, .a = (double)sc->work_lo_ms, .b = (double)sc->work_hi_ms };
}

static bool open(simulation *s, const loader *l)
{
    for (int i = 0; i < STREAMS; i++)
        s->random[i] = rng_new(s->o.seed, (uint64_t)i + 1);
    s->outputs.memory = arena_new();
    s->locks = intern_new();
    s->clients = mem_zero(s->client_count * sizeof *s->clients);
    timers_make(&s->timers, s->client_count);
    traffic_open(s);
    s->pool = process_pool_new(&s->own, l);
    for (uint32_t c = 0; c < s->client_count; c++) {
        s->clients[c].flights = s->clients[c].waits_first = s->clients[c].waits_last = NONE;
        s->clients[c].path = S("");
        if (!client_make(s, c))
            return false;
    }
    begin_when_warm(s);
    if (s->w.warm_up_ms > 0)
        simulation_post(s, HAPPENS_WARM, draw_us(NULL, &(distribution){ .kind = DRAW_CONSTANT, .a = s->w.warm_up_ms }),
                        NONE, 0);
    demands_open(s);
    mishaps_open(s);
    return true;
}

static void keep_names(simulation *s)
{
    s->out->lock_count = intern_count(s->locks);
    s->out->locks = ARENA_ARRAY(s->out->memory, str, s->out->lock_count + 1);
    for (uint32_t i = 0; i < s->out->lock_count; i++)
        s->out->locks[i] = arena_str(s->out->memory, intern_get(s->locks, i));
}

static void close(simulation *s)
{
    keep_names(s);
    demands_close(s);
    for (uint32_t c = 0; c < s->client_count; c++)
        process_free(s->clients[c].p);
    process_pool_free(s->pool);
    traffic_close(s);
    timers_free(&s->timers);
    queue_free(&s->queue);
    intern_free(s->locks);
    arena_free(s->outputs.memory);
    mem_free(s->pooled);
    mem_free(s->clients);
}

bool simulate_run(const scenario *sc, const loader *l, const simulate_options *o, simulate_result *out, err *e)
{
    *out = (simulate_result){ .memory = arena_new() };
    simulation *s = mem_zero(sizeof *s);
    *s = (simulation){ .sc = sc, .o = *o, .out = out, .e = e, .once = o->workload >= sc->workload_count };
    if (s->o.max_steps == 0)
        s->o.max_steps = SIMULATE_STEPS_MAX;
    if (s->o.max_fruitless == 0)
        s->o.max_fruitless = SIMULATE_FRUITLESS_MAX;
    if (!s->once)
        s->w = sc->workloads[o->workload];
    fill_in(s);
    arena *names = arena_new();
    make_own(s, names);
    bool ok = open(s, l) && loop(s);
    out->end_us = s->now_us;
    if (!s->begun)
        out->begin_us = s->now_us;
    for (uint32_t c = 0; ok && c < s->client_count; c++)
        announced_ends(s, c);
    uint64_t unserved = ok ? demands_unserved(s) : 0;
    if (ok)
        tell(s, &(occurrence){ .kind = OCCURS_ENDS, .at_us = s->now_us, .executed_us = s->now_us,
                               .client = OCCURS_NOBODY, .lock = OCCURS_NOBODY,
                               .count = unserved > UINT32_MAX ? UINT32_MAX : (uint32_t)unserved });
    close(s);
    arena_free(names);
    mem_free(s);
    return ok;
}

void simulate_result_free(simulate_result *r)
{
    if (r->memory)
        arena_free(r->memory);
    *r = (simulate_result){ 0 };
}
