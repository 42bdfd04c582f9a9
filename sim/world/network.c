/* network.c - requests on their way to servers, answers and messages on their way back. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/mem.h"
#include "world/internal.h"

static arena *arena_take(world *w)
{
    if (w->spare_count > 0)
        return w->spare[--w->spare_count];
    return arena_new();
}

bool flight_is_pubsub(const flight *f)
{
    return f->kind == REQUEST_SUBSCRIBE || f->kind == REQUEST_UNSUBSCRIBE;
}

uint32_t network_number(const world *w, uint32_t process, uint32_t id)
{
    return (w->nodes[process].request_base + id) * (uint32_t)w->node_count + process + 1;
}

/* Servers learn a script when a client first refers to it, as every client library sees to; after that a NOSCRIPT is a fault's
 * doing and the driver's business. false, and why (in the step's memory), the first time that one does not compile: it is left to
 * answer NOSCRIPT. */
bool server_learn(world *w, server *s, const script_file *script, str op, str *why)
{
    for (size_t i = 0; i < s->script_count; i++)
        if (strcmp(s->scripts[i]->sha1, script->sha1) == 0)
            return true;
    MEM_RESERVE(s->scripts, s->script_cap, s->script_count + 1);
    s->scripts[s->script_count++] = script;
    if (w->o.cover)
        coverage_name(w->o.cover, str_from(script->sha1), script->path.n ? script->path : op);
    return redis_load_script(server_redis(s), script->body, w->step_memory, why);
}

/* The first flight that belongs to this process or a later one. */
static size_t first_of(const world *w, uint32_t process)
{
    size_t lo = 0, hi = w->flight_count;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (w->flights[middle].process < process)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

flight *network_flights(const world *w, uint32_t process, size_t *count)
{
    size_t from = first_of(w, process);
    *count = first_of(w, process + 1) - from;
    return w->flights + from;
}

flight *network_add(world *w, uint32_t process)
{
    MEM_RESERVE(w->flights, w->flight_cap, w->flight_count + 1);
    size_t at = first_of(w, process + 1);
    flight *f = &w->flights[at];
    memmove(f + 1, f, (w->flight_count++ - at) * sizeof *f);
    *f = (flight){ .memory = arena_take(w), .process = process };
    return f;
}

/* Takes it out of the list; its memory is still to be given back. */
static flight flight_take_out(world *w, flight *f)
{
    size_t i = (size_t)(f - w->flights);
    assert(i < w->flight_count);
    flight out = *f;
    memmove(f, f + 1, (--w->flight_count - i) * sizeof *f);
    return out;
}

static void give_back(world *w, arena *memory)
{
    arena_reset(memory);
    MEM_RESERVE(w->spare, w->spare_cap, w->spare_count + 1);
    w->spare[w->spare_count++] = memory;
}

void network_send(world *w, uint32_t process, const request *r)
{
    node *n = &w->nodes[process];
    if (r->id > n->requests)
        n->requests = r->id;
    flight *f = network_add(w, process);
    arena *a = f->memory;
    uint32_t srv = r->server < w->server_count ? r->server : 0;
    f->state = FLIGHT_SENT;
    f->number = network_number(w, process, r->id);
    f->id = r->id;
    f->task = r->task;
    f->server = srv;
    f->kind = r->kind;
    f->waited = r->waited;
    f->resend = r->resend;
    f->sync = r->sync;
    f->sent_ms = w->now_ms;
    f->give_up_ms = r->timeout_ms >= 0 && r->timeout_ms < INT64_MAX - w->now_ms ? w->now_ms + r->timeout_ms : INT64_MAX;
    f->script = r->script;
    f->argc = r->argc;
    f->argv = ARENA_ARRAY(a, str, r->argc ? r->argc : 1);
    for (size_t i = 0; i < r->argc; i++)
        f->argv[i] = arena_str(a, r->argv[i]);
    f->op = arena_str(a, r->op);
    f->lock = arena_str(a, r->lock);
    f->path = arena_str(a, r->path);
    f->lease_ms = r->lease_ms;
    f->line = r->line;
    const task_view *t = world_task(w, process, r->task);
    f->who = t ? arena_str(a, t->who) : S("");
    world_emit(w, (event){ .kind = EVENT_SENT, .process = process, .task = r->task, .who = f->who, .lock = f->lock, .op = f->op,
                           .request = f->number, .server = srv, .lease_ms = f->lease_ms, .count = r->again });
}

flight *network_find(const world *w, const step *s)
{
    if (s->request == 0)
        return NULL;
    size_t count;
    flight *f = network_flights(w, s->process, &count);
    for (size_t i = 0; i < count; i++)
        if (f[i].number == s->request && f[i].copy == s->copy)
            return &f[i];
    return NULL;
}

void flight_put_off(flight *f, int64_t ms)
{
    f->sent_ms += ms;
    if (f->give_up_ms != INT64_MAX)
        f->give_up_ms += ms;
}

void flight_copy(flight *to, const flight *from, arena *a)
{
    *to = *from;
    to->memory = a;
    to->argv = ARENA_ARRAY(a, str, from->argc + 1);
    for (size_t i = 0; i < from->argc; i++)
        to->argv[i] = arena_str(a, from->argv[i]);
    to->who = arena_str(a, from->who);
    to->op = arena_str(a, from->op);
    to->lock = arena_str(a, from->lock);
    to->path = arena_str(a, from->path);
    if (from->state == FLIGHT_EXECUTED)
        to->answer = reply_copy(a, &from->answer);
}

flight *network_copy(world *w, const step *s)
{
    flight *twin = network_add(w, s->process);
    const flight *f = network_find(w, s);
    flight_copy(twin, f, twin->memory);
    twin->orphan = twin->late = true;
    twin->waited = false;
    size_t count;
    const flight *all = network_flights(w, s->process, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].number == f->number && &all[i] != twin && all[i].copy >= twin->copy)
            twin->copy = all[i].copy + 1;
    return twin;
}

void network_end(world *w, flight *f)
{
    give_back(w, flight_take_out(w, f).memory);
}

const spin *spin_find(const node *n, uint32_t task)
{
    for (size_t i = 0; i < n->spin_count; i++)
        if (n->spins[i].task == task)
            return &n->spins[i];
    return NULL;
}

/* The task's spin, a new one at its first request; those of tasks that have ended make room. */
static spin *spin_of(world *w, uint32_t process, uint32_t task)
{
    node *n = &w->nodes[process];
    for (size_t i = 0; i < n->spin_count; i++)
        if (n->spins[i].task == task)
            return &n->spins[i];
    size_t kept = 0;
    for (size_t i = 0; i < n->spin_count; i++)
        if (world_task(w, process, n->spins[i].task))
            n->spins[kept++] = n->spins[i];
    n->spin_count = kept;
    MEM_RESERVE(n->spins, n->spin_cap, n->spin_count + 1);
    n->spins[n->spin_count] = (spin){ .task = task };
    return &n->spins[n->spin_count++];
}

/* After an execution: was it like an earlier one of the task at this instant, with nothing written since? A cheap question, which decides
 * whether the dear one (spin_close) is asked. Which earlier one: the loop may be of many requests, and what came before it is no part of
 * it (Brent, "An improved Monte Carlo factorization algorithm", 1980). */
static void spin_note(world *w, const flight *f)
{
    spin *s = spin_of(w, f->process, f->task);
    buf words = { 0 };
    buf_u64(&words, (uint64_t)f->line);
    reply_print_short(&f->answer, &words);
    for (size_t i = 0; i < f->argc; i++)
        buf_lenstr(&words, f->argv[i]);
    uint64_t last = XXH3_64bits(words.p, words.n), writes = world_writes(w);
    buf_free(&words);
    uint64_t line = UINT64_C(1) << ((unsigned)f->line % 64);
    if (!(s->looped_lines & line))
        s->looped_at_ms = 0;           /* it asks outside of the loop */
    if (s->at_ms != w->now_ms || s->writes != writes) {        /* something happened: it begins again */
        *s = (spin){ .task = f->task, .at_ms = w->now_ms, .writes = writes, .mark = last, .until = 1, .looped_lines = s->looped_lines,
                     .looped_at_ms = s->looped_at_ms };
        return;
    }
    s->lines |= line;
    s->again = s->mark == last;
    if (!s->again && ++s->since == s->until) {
        s->mark = last;
        s->since = 0;
        s->until *= 2;
        s->state = s->lines = 0;
    }
}

void spin_forget(world *w, uint32_t process, uint32_t task)
{
    node *n = &w->nodes[process];
    for (size_t i = 0; i < n->spin_count; i++)
        if (task == NOBODY || task == n->spins[i].task)
            n->spins[i].looped_at_ms = 0;
}

/* After the answer: is the process in the state in which the last such answer left it? Then it goes round in a loop that takes no
 * time. Real polls take some, so a millisecond may pass now (time_next). If that ends the loop, as at a deadline at which PTTL
 * answers 0, nothing is wrong; if the loop closes again, it is LK051. */
static void spin_close(world *w, uint32_t process, const flight *f)
{
    node *n = &w->nodes[process];
    spin *s = spin_of(w, process, f->task);
    if (!s->again || s->loops)
        return;
    buf state = { 0 };
    err none = { 0 };
    bool frozen = process_freeze(n->p, w->now_ms, &state, &none);
    err_clear(&none);
    buf_u64(&state, n->delivered);
    for (size_t v = 0; v < w->server_count; v++)
        buf_u64(&state, n->messages[v].count);
    uint64_t print = XXH3_64bits(state.p, state.n);
    buf_free(&state);
    if (frozen && s->state == print) {
        s->loops = true;
        if (s->looped_at_ms && s->looped_at_ms < w->now_ms && s->looped_lines == s->lines)
            world_emit(w, (event){ .kind = EVENT_BUSY, .process = process, .task = f->task, .who = f->who, .op = f->op,
                                   .lock = f->lock, .text = f->path, .line = f->line });
        else
            s->looped_at_ms = w->now_ms;
        s->looped_lines = s->lines;
    }
    s->state = frozen ? print : 0;
    s->lines = 0;
}

uint64_t world_writes(const world *w)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < w->server_count; i++)
        sum += w->servers[i].writes + redis_writes(w->servers[i].r);
    return sum;
}

buf server_before(world *w, server *s)
{
    buf before = { 0 };
    if (w->sc->replicas > 0 && w->budget[FAULT_FAILOVER] > 0 && !server_awake(s)->lagging)
        redis_freeze(s->r, w->now_ms, &before);
    return before;
}

void server_after(world *w, server *s, buf *before)
{
    buf after = { 0 };
    if (before->n > 0)
        redis_freeze(server_redis(s), w->now_ms, &after);
    bool wrote = before->n > 0 && !str_eq(buf_str(before), buf_str(&after));
    buf_free(&after);
    if (!wrote) {
        buf_free(before);
        return;
    }
    if (s->history_count == COUNT(s->history)) {
        buf_free(&s->history[0].frozen);
        memmove(&s->history[0], &s->history[1], sizeof s->history - sizeof s->history[0]);
        s->history_count--;
    }
    s->history[s->history_count].frozen = *before;
    s->history[s->history_count++].at_ms = w->now_ms;
}

void server_forget_history(server *s)
{
    for (size_t i = 0; i < s->history_count; i++)
        buf_free(&s->history[i].frozen);
    s->history_count = 0;
}

/* Two connections a process and server, one for commands and one for pub/sub. 0 is the world's own reader. */
uint32_t network_conn_id(const world *w, uint32_t process, uint32_t server, bool pubsub)
{
    return (process * (uint32_t)w->server_count + server) * 2 + pubsub + 1;
}

/* What a crashed client had sent is read from a connection that is closed at its other end: nobody hears what comes of it. */
static uint32_t conn_of_the_dead(const world *w)
{
    return network_conn_id(w, (uint32_t)w->node_count, 0, false);
}

static void remember_channel(world *w, const flight *f)
{
    node *n = &w->nodes[f->process];
    bool pattern = str_eq_nocase(f->argv[0], S("PSUBSCRIBE")) || str_eq_nocase(f->argv[0], S("PUNSUBSCRIBE"));
    for (size_t a = 1; a < f->argc; a++) {
        buf name = { 0 };
        buf_byte(&name, pattern ? 'p' : str_eq_nocase(f->argv[0], S("SSUBSCRIBE")) ? 's' : 'c');
        buf_add(&name, f->argv[a]);
        str *known = n->channels[f->server];
        size_t i = 0, count = n->channel_count[f->server];
        while (i < count && !str_eq(known[i], buf_str(&name)))
            i++;
        if (f->kind == REQUEST_SUBSCRIBE && i == count) {
            MEM_RESERVE(n->channels[f->server], n->channel_cap[f->server], count + 1);
            n->channels[f->server][n->channel_count[f->server]++] = buf_str(&name);    /* takes the buffer over */
            continue;
        }
        if (f->kind == REQUEST_UNSUBSCRIBE && i < count) {
            mem_free((char *)known[i].p);
            memmove(known + i, known + i + 1, (count - i - 1) * sizeof *known);
            n->channel_count[f->server]--;
        }
        buf_free(&name);
    }
}

static void forget_channels(node *n, uint32_t s)
{
    for (size_t i = 0; i < n->channel_count[s]; i++)
        mem_free((char *)n->channels[s][i].p);
    n->channel_count[s] = 0;
}

static void learn_script(world *w, const flight *f)
{
    str why = S("");
    const script_file *script = f->script && w->parts ? parts_script(w->parts, f->script, &w->servers[f->server]) : f->script;
    if (script && !server_learn(w, &w->servers[f->server], script, f->op, &why))
        world_emit(w, (event){ .kind = EVENT_FINDING, .process = f->process, .task = f->task, .who = f->who, .op = S("error"), .text = why,
                               .request = f->number, .path = f->script->path });
}

reply network_run(world *w, redis *r, const flight *f, redis_conn *conn, redis_conn *subscriber, int64_t now_ms, arena *out)
{
    if (!f->dead)
        return redis_execute(r, flight_is_pubsub(f) ? subscriber : conn, f->argv, f->argc, now_ms, out);
    conn = redis_connect(r, conn_of_the_dead(w));
    reply answer = redis_execute(r, conn, f->argv, f->argc, now_ms, out);
    redis_disconnect(r, conn);
    return answer;
}

static const str too_few = { "NOSYNC too few replicas have it", 31 };

void network_execute(world *w, flight *f)
{
    assert(f->state == FLIGHT_SENT);
    server *s = &w->servers[f->server];
    uint32_t number = f->number;
    w->cause = (cause){ .op = arena_str(w->step_memory, f->op), .who = arena_str(w->step_memory, f->who),
                        .process = f->process, .task = f->task, .request = number };
    learn_script(w, f);
    bool pubsub = flight_is_pubsub(f);
    buf before = redis_command_writes(f->argc ? f->argv[0] : S("")) ? server_before(w, s) : (buf){ 0 };
    if (w->parts)
        parts_execute(w, f);
    else
        f->answer = network_run(w, s->r, f, w->nodes[f->process].conns[f->server], w->nodes[f->process].subscribers[f->server],
                                w->now_ms, f->memory);
    server_after(w, s, &before);
    if (f->resend)
        world_see(w, "resend");
    if (!w->parts && again_judged(w, f))
        again_judge(w, f);
    f->executed_ms = w->now_ms;
    f->state = FLIGHT_EXECUTED;
    w->executed++;
    if (pubsub)
        remember_channel(w, f);
    bool synced = w->sc->replicas > 0 && f->sync > 0 && !server_awake(s)->lagging;
    if (synced || (f->answer.kind == REPLY_INTEGER && f->argc > 0 && str_eq_nocase(f->argv[0], S("WAIT")) &&
                   f->answer.integer >= (int64_t)w->sc->replicas))
        server_forget_history(server_awake(s));    /* no failover can lose them now */
    if (w->o.on_executed)
        w->o.on_executed(w->o.context, &(world_executed){ .server = f->server, .process = f->process, .at_ms = w->now_ms,
                                                          .argv = f->argv, .argc = f->argc, .script = f->script,
                                                          .answer = &f->answer });
    if (!f->orphan && world_sees_loops(w))         /* what comes late or twice is no turn of the sender's loop */
        spin_note(w, f);
    buf shown = { 0 };
    reply_print_short(&f->answer, &shown);
    world_emit(w, (event){ .kind = EVENT_EXECUTED, .process = f->process, .task = f->task, .who = w->cause.who, .lock = f->lock,
                           .op = f->op, .text = buf_str(&shown), .request = number, .server = f->server,
                           .lease_ms = f->lease_ms, .path = f->script ? f->script->path : S("") });
    buf_free(&shown);
    /* What its WAIT said, in one batch with it, so that nothing can come between: it was executed, and its sender learns this instead. */
    if (f->sync > 0 && f->answer.kind != REPLY_ERROR && (!synced || f->sync > w->sc->replicas))
        f->answer = reply_error(too_few);
}

bool network_answer(world *w, flight *f, err *e)
{
    assert(f->state == FLIGHT_EXECUTED && !f->orphan);
    uint32_t process = f->process, id = f->id;
    buf shown = { 0 };
    reply_print_short(&f->answer, &shown);
    /* That no replica has it says no more of what it did than silence does. */
    bool silent = f->sync > 0 && f->answer.kind == REPLY_ERROR && str_eq(f->answer.text, too_few);
    world_emit(w, (event){ .kind = silent ? EVENT_TIMED_OUT : EVENT_ANSWERED, .process = process, .task = f->task, .who = f->who,
                           .lock = f->lock, .op = f->op, .text = buf_str(&shown), .request = f->number, .server = f->server,
                           .lease_ms = f->lease_ms, .count = silent });
    buf_free(&shown);
    flight ended = flight_take_out(w, f);          /* the list may move while the process sends more */
    bool ok = process_answer(w->nodes[process].p, id, &ended.answer, w->now_ms, &w->out, e) && world_absorb(w, process, e);
    process_forget(w->nodes[process].p, id);
    if (ok && world_sees_loops(w))
        spin_close(w, process, &ended);
    give_back(w, ended.memory);
    return ok;
}

bool network_give_up(world *w, flight *f, err *e)
{
    uint32_t process = f->process, id = f->id;
    world_see(w, "timeout");
    world_emit(w, (event){ .kind = EVENT_TIMED_OUT, .process = process, .task = f->task, .who = f->who, .lock = f->lock,
                           .op = f->op, .request = f->number, .server = f->server, .lease_ms = f->lease_ms,
                          .count = f->state != FLIGHT_SENT });
    if (f->state == FLIGHT_SENT)
        f->orphan = f->late = true;                /* it may still be executed, or never: it no longer holds time */
    else
        network_end(w, f);
    bool ok = process_give_up(w->nodes[process].p, id, S("timeout"), w->now_ms, &w->out, e) && world_absorb(w, process, e);
    process_forget(w->nodes[process].p, id);
    return ok;
}

/* ---- connections and messages ---- */

void network_connect(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    for (uint32_t s = 0; s < w->server_count && !n->conns[s]; s++) {
        n->conns[s] = redis_connect(w->servers[s].r, network_conn_id(w, process, s, false));
        n->subscribers[s] = redis_connect(w->servers[s].r, network_conn_id(w, process, s, true));
    }
}

void network_disconnect(world *w, uint32_t process)
{
    node *n = &w->nodes[process];
    for (uint32_t s = 0; s < w->server_count; s++) {
        if (n->conns[s]) {
            redis_disconnect(w->servers[s].r, n->conns[s]);
            redis_disconnect(w->servers[s].r, n->subscribers[s]);
        }
        n->conns[s] = n->subscribers[s] = NULL;
        while (n->messages[s].count > 0)
            network_drop_message(w, process, s);
        forget_channels(n, s);
    }
}

void network_resubscribe(world *w, uint32_t s)
{
    if (w->parts) {        /* its connections subscribe before the next command that runs */
        parts_unsubscribed(w->parts);
        return;
    }
    arena *a = arena_new();
    for (uint32_t p = 0; p < w->node_count; p++) {
        node *n = &w->nodes[p];
        for (size_t i = 0; n->alive && i < n->channel_count[s]; i++) {
            str name = n->channels[s][i];
            str command = name.p[0] == 'p' ? S("PSUBSCRIBE") : name.p[0] == 's' ? S("SSUBSCRIBE") : S("SUBSCRIBE");
            str argv[] = { command, str_slice(name, 1, name.n) };
            redis_execute(w->servers[s].r, n->subscribers[s], argv, 2, w->now_ms, a);
        }
    }
    arena_free(a);
}

bool node_subscribed(const world *w, const node *n)
{
    for (size_t s = 0; s < w->server_count; s++)
        if (n->channel_count[s] > 0)
            return true;
    return false;
}

void message_add(message_queue *q, str channel, str payload, str pattern, int64_t sent_ms)
{
    MEM_RESERVE(q->items, q->cap, q->count + 1);
    message *m = &q->items[q->count++];
    *m = (message){ .channel_n = channel.n, .payload_n = payload.n, .sent_ms = sent_ms };
    buf_add(&m->text, channel);
    buf_add(&m->text, payload);
    buf_add(&m->text, pattern);
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    server *s = context;
    world *w = s->w;
    assert(conn > 0);      /* the world's own reader is subscribed to nothing */
    uint32_t pair = (conn - 1) / 2;
    uint32_t process = pair / (uint32_t)w->server_count, index = pair % (uint32_t)w->server_count;
    if (conn == conn_of_the_dead(w))
        return;
    message_add(&w->nodes[process].messages[index], channel, payload, pattern, w->now_ms);
}

static const script_file *server_script(const server *s, str sha1)
{
    for (size_t i = 0; i < s->script_count; i++)
        if (str_eq(str_from(s->scripts[i]->sha1), sha1))
            return s->scripts[i];
    return NULL;
}

static void on_effect(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    server *s = context;
    world *w = s->w;
    if (w->parts) {
        if (argc > 0 && (str_starts_nocase(argv[0], S("PUB")) || str_starts_nocase(argv[0], S("SPUB"))))
            parts_published(w->parts);
        return;
    }
    const script_file *f = server_script(s, sha1);
    if (!story_line(&w->effects))
        return;
    if (f && f->path.n)
        buf_printf(&w->effects, "%.*s:%d  ", STR_ARG(f->path), line);
    else
        buf_printf(&w->effects, "script:%d  ", line);
    enum { WORDS_MAX = 64 };
    for (size_t i = 0; i < argc && i < WORDS_MAX; i++) {
        buf_addz(&w->effects, i ? " " : "");
        story_text(&w->effects, argv[i]);
    }
    if (argc > WORDS_MAX)
        buf_printf(&w->effects, " ... (%zu words)", argc);
    buf_addz(&w->effects, " -> ");
    reply_print_short(r, &w->effects);
}

static void on_finding(void *context, script_finding kind, str sha1, int line, str text)
{
    static const char *const name[] = {
        [FINDING_UNDECLARED_KEY] = "undeclared_key", [FINDING_CROSS_SLOT] = "cross_slot", [FINDING_LEAKED_GLOBAL] = "leaked_global",
        [FINDING_SCRIPT_ERROR] = "error", [FINDING_BUDGET] = "budget", [FINDING_CRASH] = "crash",
    };
    server *s = context;
    const script_file *f = server_script(s, sha1);
    buf cut = { 0 };       /* a script may raise megabytes */
    story_text(&cut, text);
    world_emit(s->w, (event){ .kind = EVENT_FINDING, .process = s->w->cause.process, .task = s->w->cause.task,
                              .who = s->w->cause.who, .op = str_from(name[kind]), .text = buf_str(&cut),
                              .request = s->w->cause.request, .path = f ? f->path : S(""), .line = line });
    buf_free(&cut);
}

static void on_log(void *context, int level, str text)
{
    server *s = context;
    (void)level;
    if (!s->w->o.record)
        return;
    if (!story_line(&s->w->notes))
        return;
    buf_addz(&s->w->notes, "redis.log: ");
    story_text(&s->w->notes, text);
}

void server_open(world *w, size_t i)
{
    server *s = &w->servers[i];
    s->w = w;
    s->r = redis_new(w->o.limits);
    redis_cover(s->r, w->o.cover);
    redis_observe(s->r, &(redis_observer){ .context = s, .message = on_message, .effect = w->o.record || w->parts ? on_effect : NULL,
                                           .finding = on_finding, .log = on_log });
    s->reader = redis_connect(s->r, 0);
    redis_set_acks(s->r, w->sc->replicas);
}

void server_close(server *s)
{
    redis_free(s->r);
    server_forget_history(s);
    buf_free(&s->replica);
    mem_free(s->scripts);
}

void network_drop_message(world *w, uint32_t process, uint32_t server)
{
    message_queue *q = &w->nodes[process].messages[server];
    assert(q->count > 0);
    buf_free(&q->items[0].text);
    memmove(q->items, q->items + 1, (q->count - 1) * sizeof *q->items);
    q->count--;
}

bool network_deliver(world *w, uint32_t process, uint32_t server, err *e)
{
    message_queue *q = &w->nodes[process].messages[server];
    assert(q->count > 0);
    message m = q->items[0];
    memmove(q->items, q->items + 1, (q->count - 1) * sizeof *q->items);
    q->count--;
    str all = buf_str(&m.text);
    str channel = str_slice(all, 0, m.channel_n), payload = str_slice(all, m.channel_n, m.channel_n + m.payload_n);
    str pattern = str_slice(all, m.channel_n + m.payload_n, all.n);
    world_see(w, "message");
    w->nodes[process].delivered++;
    spin_forget(w, process, NOBODY);
    if (w->o.record)
        buf_printf(&w->did, "message \"%.*s\" on %.*s", STR_ARG(payload), STR_ARG(channel));
    bool ok = process_message(w->nodes[process].p, server, channel, payload, pattern, w->now_ms, &w->out, e) &&
              world_absorb(w, process, e);
    buf_free(&m.text);
    return ok;
}
