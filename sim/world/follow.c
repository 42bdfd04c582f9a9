/* follow.c - see follow.h: taking a step in a world and writing down what came of it. */
#include "world/follow.h"

#include "base/mem.h"
#include "world/internal.h"

/* ---- what is written down ---- */

static void put_reply(outline *o, const reply *r)
{
    outline_count(o, (uint64_t)r->kind);
    if (r->kind == REPLY_INTEGER)
        outline_number(o, (double)r->integer);
    else if (r->kind == REPLY_DOUBLE)
        outline_number(o, r->number);
    else
        outline_text(o, r->text);
    outline_count(o, r->count);
    for (size_t i = 0; i < r->count; i++)
        put_reply(o, &r->items[i]);
}

/* The digits of a script's hash are no numbers. */
static void put_words(outline *o, const script_file *script, const str *argv, size_t argc)
{
    for (size_t i = 0; i < argc; i++)
        if (script && i == 1)
            outline_bytes(o, argv[i]);
        else
            outline_text(o, argv[i]);
}

void follow_note_request(world *w, const flight *f)
{
    outline *o = w->outline;
    outline_count(o, (uint64_t)f->server << 8 | (uint64_t)f->kind);
    put_words(o, f->script, f->argv, f->argc);
    put_reply(o, &f->answer);
    if (w->heard && w->sc->faults[FAULT_SERVER_CLOCK_JUMP].budget > 0)
        outline_later(w->heard, server_now_ms(&w->servers[f->server]));
    if (!w->learner && w->heard)
        follow_note_answer(w->heard, f->script, f->argv, f->argc, &f->answer);
}

void follow_note_answer(outline *heard, const script_file *script, const str *argv, size_t argc, const reply *r)
{
    put_words(heard, script, argv, argc);
    put_reply(heard, r);
    for (size_t i = 0; i < argc; i++)
        if (!(script && i == 1))
            outline_used_text(&heard->used, argv[i], heard->began_ms);
}

void follow_note_clock(world *w, uint32_t process, const outputs *out)
{
    int64_t drift = w->sc->clients[process].drift;
    w->heard->clock = true;
    if (out->clock)
        outline_later(w->heard, w->now_ms + out->clock_skew_ms);
    if (out->steady)
        outline_later(w->heard, w->now_ms + out->steady_skew_ms);
    if (!drift)
        return;
    w->heard->drift = drift;
    outline_number(w->heard, (double)(w->now_ms + out->clock_tick_ms));
}

void follow_note_event(world *w, const event *e)
{
    outline *o = w->outline;
    outline_count(o, (uint64_t)e->kind);
    outline_bytes(o, e->who);
    outline_bytes(o, e->lock);
    outline_bytes(o, e->op);
    outline_bytes(o, e->mode);
    outline_number(o, (double)e->lease_ms);
    outline_number(o, (double)e->token);
    outline_number(o, (double)e->count);
    outline_number(o, (double)e->permits);
}

static void put_key(void *context, str key, str shown, int64_t ttl_ms)
{
    world *w = context;
    outline *o = w->outline;
    outline_text(o, key);
    outline_text(o, shown);
    outline_number(o, ttl_ms < 0 ? -1 : (double)(w->now_ms + ttl_ms));
}

static void put_servers(world *w)
{
    for (size_t i = 0; i < w->server_count; i++) {
        server *s = &w->servers[i];
        redis_each_key(server_redis(s), server_now_ms(s), w->step_memory, put_key, w);
        outline_count(w->outline, s->lagging);
        buf waiting = { 0 };
        redis_freeze_waiting(s->r, 0, &waiting);
        redis_freeze_transactions(s->r, server_now_ms(s), &waiting);
        outline_count(w->outline, waiting.n);
        buf_free(&waiting);
    }
}

static double instant_number(int64_t at_ms)
{
    return at_ms == INT64_MAX ? -1 : (double)at_ms;
}

static void put_flights(world *w, uint32_t process)
{
    size_t count;
    const flight *f = network_flights(w, process, &count);
    outline *o = w->outline;
    outline_count(o, count);
    for (size_t i = 0; i < count; i++) {
        outline_count(o, (uint64_t)f[i].state << 8 | (uint64_t)f[i].given_up << 2 | (uint64_t)f[i].orphan << 1 |
                      f[i].late);
        outline_number(o, f[i].orphan ? -1 : instant_number(f[i].give_up_ms));
        outline_number(o, f[i].state == FLIGHT_WAITING ? instant_number(f[i].wait_until_ms) : -1);
        put_words(o, f[i].script, f[i].argv, f[i].argc);
        if (flight_has_answer(&f[i]))
            put_reply(o, &f[i].answer);
    }
}

static void put_process(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    outline *o = w->outline;
    outline_count(o, (uint64_t)n->alive << 1 | n->paused);
    outline_count(o, n->stalled);
    if (!n->alive)
        return;
    if (!w->outliner.write(w->outliner.context, process, n->p, w->now_ms, o))
        outline_count(o, 1);
    for (size_t s = 0; s < w->server_count; s++)
        for (size_t i = 0; i < n->messages[s].count; i++)
            outline_text(o, buf_str(&n->messages[s].items[i].text));
}

void follow_state(world *w, uint32_t process, bool servers, outline *out)
{
    w->outline = out;
    if (servers)
        put_servers(w);
    put_flights(w, process);
    put_process(w, process);
    w->outline = NULL;
}

/* ---- going on ---- */

void follow_wait(world *w, int64_t ms)
{
    for (size_t i = 0; i < w->server_count; i++)
        server_redis(&w->servers[i]);
    w->now_ms += ms;
    time_passed_for_servers(w);
    time_next_of_servers(w, false, &w->deadline_now);
}

static bool runs_code(const step *s)
{
    if (s->kind == STEP_FAULT)
        return s->fault == FAULT_RESTART || s->fault == FAULT_INTERRUPT;
    return s->kind != STEP_TIME && s->kind != STEP_EXPIRE;
}

static void list_steps(world *w, uint32_t process)
{
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++)
        any |= w->budget[k] > 0;
    w->step_count = 0;
    enabled_of_node(w, process);
    if (any)
        faults_of_node(w, process, false);
}

size_t follow_steps(world *w, uint32_t process, arena *a, step **out)
{
    list_steps(w, process);
    size_t count = 0;
    *out = ARENA_ARRAY(a, step, w->step_count + 1);
    for (size_t i = 0; i < w->step_count; i++)
        if (!w->steps[i].holds_time && runs_code(&w->steps[i]) &&
            !(w->steps[i].kind == STEP_FAULT && (w->o.stops_without & STOPS_FAULTS)))
            (*out)[count++] = w->steps[i];
    for (size_t i = 0; i < count; i++)
        (*out)[i].key = arena_str(a, (*out)[i].key);
    return count;
}

bool follow_find(world *w, step *s)
{
    list_steps(w, s->process);
    for (size_t i = 0; i < w->step_count; i++) {
        const step *x = &w->steps[i];
        bool same_kind = x->kind == s->kind || (s->kind == STEP_ROUND_TRIP && x->kind == STEP_EXECUTE) ||
                         (s->kind == STEP_EXECUTE && x->kind == STEP_ROUND_TRIP);
        if (same_kind && x->fault == s->fault && x->task == s->task && x->request == s->request && x->copy == s->copy &&
            x->server == s->server && x->amount == s->amount) {
            *s = *x;
            return true;
        }
    }
    return false;
}

/* What takes a declared range comes at any moment of it: here, as soon as it can. */
static bool comes_at_once(world *w, const step *s)
{
    if (s->kind == STEP_RUN) {
        const task_view *t = world_task(w, s->process, s->task);
        return t && t->status == TASK_WORK;
    }
    bool arrives = s->kind == STEP_EXECUTE || s->kind == STEP_ROUND_TRIP || s->kind == STEP_ANSWER ||
                   s->kind == STEP_MESSAGE;
    return arrives && w->sc->latency_hi_ms > 0;
}

/* Numbers of ways that take turns after so many: the least common multiple. */
static unsigned both_turns(unsigned a, unsigned b)
{
    unsigned all = a;
    while (all % b)
        all += a;
    return all;
}

/* The next step of the process that holds time, or else the next one that would if it had taken longer. */
static bool next_step(world *w, uint32_t process, unsigned branch, unsigned *different, step *out)
{
    w->step_count = 0;
    enabled_of_node(w, process);
    size_t n = 0;
    for (size_t i = 0; i < w->step_count; i++)
        if (w->steps[i].holds_time)
            w->steps[n++] = w->steps[i];
    for (size_t i = 0; n == 0 && i < w->step_count && !(w->o.stops_without & STOPS_RANGES); i++)
        if (comes_at_once(w, &w->steps[i]))
            w->steps[n++] = w->steps[i];
    if (n > 0 && *different < FOLLOW_WAYS_MAX)
        *different = both_turns(*different, (unsigned)n);
    if (n > 0)
        *out = w->steps[branch % n];
    return n > 0;
}

/* The first step of a process that holds time; NULL: there is none. */
static const step *held_by(world *w, uint32_t process)
{
    w->step_count = 0;
    enabled_of_node(w, process);
    size_t i = 0;
    while (i < w->step_count && !w->steps[i].holds_time)
        i++;
    return i < w->step_count ? &w->steps[i] : NULL;
}

/* Those of the others that do not go on by themselves at this instant. */
static uint64_t asleep(world *w)
{
    uint64_t all = 0;
    for (uint32_t q = 0; q < w->node_count && q < FOLLOW_OTHERS; q++)
        if ((w->also >> q & 1) && !held_by(w, q))
            all |= UINT64_C(1) << q;
    return all;
}

/* The next step of another process: what was done here has woken it. */
static bool next_of_others(world *w, step *out)
{
    const step *s = NULL;
    for (uint32_t q = 0; !s && q < w->node_count && q < FOLLOW_OTHERS; q++)
        if ((w->also >> q & 1) && (s = held_by(w, q)) != NULL)
            w->went_on |= UINT64_C(1) << q;
    if (s)
        *out = *s;
    return s != NULL;
}

/* How long until the process goes on by itself. */
static int64_t next_wait(world *w, uint32_t process)
{
    int64_t best_ms = INT64_MAX;
    const task_view *tasks;
    size_t count = w->nodes[process].alive && !w->nodes[process].paused
                   ? process_tasks(w->nodes[process].p, &tasks) : 0;
    for (size_t i = 0; i < count; i++) {
        int64_t at_ms = tasks[i].zero_wait || stalled(w, process, &tasks[i]) ? INT64_MAX
                        : world_wake_ms(w, process, &tasks[i]);
        best_ms = at_ms < best_ms ? at_ms : best_ms;
    }
    const flight *f = network_flights(w, process, &count);
    for (size_t i = 0; i < count; i++) {
        int64_t since_ms = f[i].state == FLIGHT_SENT ? f[i].sent_ms : f[i].state == FLIGHT_EXECUTED ? f[i].executed_ms
                           : INT64_MIN;
        int64_t at_ms = since_ms == INT64_MIN || f[i].late ? INT64_MAX : since_ms + w->sc->latency_lo_ms;
        best_ms = at_ms > w->now_ms && at_ms < best_ms ? at_ms : best_ms;
    }
    return best_ms == INT64_MAX || best_ms <= w->now_ms ? INT64_MAX : best_ms - w->now_ms;
}

static bool take(world *w, const step *s)
{
    err e = { 0 };
    step taken = *s;
    arena_reset(w->step_memory);
    w->cause = (cause){ .op = S(""), .who = S(""), .process = s->process, .task = s->task };
    bool ok = world_happen(w, &taken, &e);
    err_clear(&e);
    if (!ok)
        world_forget_output(w);
    time_next_of_servers(w, false, &w->deadline_now);
    return ok;
}

void follow_step(world *w, const step *s, unsigned branch, unsigned *different, outline *out, outline *heard)
{
    enum { STEPS_MAX = 48, WAITS_MAX = 2 };
    uint32_t process = s->process;
    w->outline = out;
    w->heard = heard;
    outline_count(out, (uint64_t)s->kind);
    heard->began_ms = w->now_ms;
    bool hears = w->out.hears;
    w->out.hears = true;
    w->went_on = 0;
    w->also = asleep(w);
    bool ok = take(w, s);
    int waits = w->o.stops_without & STOPS_WAITS ? WAITS_MAX : 0;
    bool boundaries = !(w->o.stops_without & STOPS_DEADLINE);
    for (int i = 0; ok && i < STEPS_MAX; i++) {
        step next;
        if (next_step(w, process, branch, different, &next)) {
            /* there a millisecond may pass before it */
            outline_count(out, boundaries && waits > 0 && w->deadline_now);
            ok = take(w, &next);
            continue;
        }
        if (w->now_ms == heard->began_ms && next_of_others(w, &next)) {
            ok = take(w, &next);
            continue;
        }
        int64_t ms = next_wait(w, process);
        if (ms == INT64_MAX || waits++ == WAITS_MAX)
            break;
        follow_wait(w, ms);
        outline_later(heard, w->now_ms);
    }
    outline_count(out, ok);
    if (ok) {
        put_servers(w);
        for (uint32_t q = 0; q < w->node_count; q++)
            if (q == process || (q < FOLLOW_OTHERS && w->went_on >> q & 1)) {
                put_flights(w, q);
                put_process(w, q);
            }
    }
    w->out.hears = hears;
    w->outline = w->heard = NULL;
}
