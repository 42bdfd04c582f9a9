/* servers.c - the servers: a request is executed, its answer and the messages it published set out, each with a latency
 * of its own. */
#include <assert.h>

#include "base/mem.h"
#include "script/script.h"
#include "simulate/internal.h"

/* Pops that may wait have connections of their own, by the number of their flight. */
enum { WAITING_CONNS = FLIGHTS_MAX, REAP_EVERY_MS = 100, REAP_KEYS = 200 };

static void keep_answer(simulation *s, flight *f, const reply *r)
{
    f->answer = r->kind == REPLY_INTEGER || r->kind == REPLY_NIL ? *r : reply_copy(flight_memory(s, f), r);
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    server *sv = context;
    simulation *s = sv->s;
    if (conn == 0 || conn >= WAITING_CONNS)
        return;            /* of a crashed client */
    uint32_t c = (conn - 1) / 2 / s->server_count, at = (uint32_t)(sv - s->servers);
    if (draw_chance(&s->random[STREAM_LOST_MESSAGES], s->w.lose_message)) {
        simulation_tell(s, (occurrence){ .kind = OCCURS_LOST_MESSAGE, .client = c, .lock = OCCURS_NOBODY });
        return;
    }
    uint32_t number = mail_new(s);
    mail *m = &s->mails[number];
    m->channel_n = channel.n;
    m->payload_n = payload.n;
    m->server = at;
    buf_add(&m->text, channel);
    buf_add(&m->text, payload);
    buf_add(&m->text, pattern);
    line *l = line_of(s, c, at);
    int64_t heard_us = s->now_us + draw_us(&s->random[STREAM_MESSAGES], &s->w.message_latency_ms);
    if (heard_us < l->heard_us)
        heard_us = l->heard_us;                    /* a connection keeps its order */
    l->heard_us = heard_us;
    simulation_post(s, HAPPENS_MESSAGE, heard_us, c, number);
}

/* ---- pops that wait ---- */

static void close_later(simulation *s, redis *r, redis_conn *conn)
{
    s->closes = mem_reserve(s->closes, &s->close_cap, s->close_count + 1, sizeof *s->closes);
    s->closes[s->close_count].r = r;
    s->closes[s->close_count++].c = conn;
}

static void close_now(simulation *s)
{
    while (s->close_count > 0) {
        s->close_count--;
        redis_disconnect(s->closes[s->close_count].r, s->closes[s->close_count].c);
    }
}

/* The answer is sent. */
static void send_back(simulation *s, uint32_t number, bool pubsub)
{
    flight *f = &s->flights[number];
    f->state = FLIGHT_EXECUTED;
    f->executed_us = s->now_us;
    int64_t heard_us = s->now_us + draw_us(&s->random[STREAM_ANSWERS], &s->w.latency_ms);
    if (draw_chance(&s->random[STREAM_LOST_REPLIES], s->w.lose_reply)) {
        simulation_tell(s, (occurrence){ .kind = OCCURS_LOST_REPLY, .client = f->client, .lock = OCCURS_NOBODY });
        f->state = FLIGHT_LOST;
        return;
    }
    if (pubsub) {
        line *l = line_of(s, f->client, f->server);
        heard_us = heard_us < l->heard_us ? l->heard_us : heard_us;
        l->heard_us = heard_us;
    }
    simulation_post(s, HAPPENS_ANSWER, heard_us, f->client, number);
}

static void on_call(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    const server *sv = context;
    (void)sha1, (void)line, (void)argv, (void)argc;
    sv->s->o.on_call(sv->s->o.context, r);
}

static void on_answered(void *context, uint32_t conn, const reply *answer)
{
    server *sv = context;
    simulation *s = sv->s;
    uint32_t number = conn - WAITING_CONNS;
    flight *f = &s->flights[number];
    assert(f->state == FLIGHT_WAITING);
    keep_answer(s, f, answer);
    close_later(s, sv->r, f->own);
    f->own = NULL;
    send_back(s, number, false);
}

static void watch_waits(simulation *s, uint32_t at)
{
    server *sv = &s->servers[at];
    int64_t next_ms = redis_next_timeout_ms(sv->r);
    if (next_ms == INT64_MAX)
        return;
    int64_t at_us = (next_ms - WORLD_EPOCH_MS) * 1000;
    if (at_us < s->now_us)
        at_us = s->now_us;
    if (at_us >= sv->wakes_us)
        return;
    sv->wakes_us = at_us;
    simulation_post(s, HAPPENS_SERVER, at_us, NONE, at);
}

void traffic_server_wakes(simulation *s, uint32_t at)
{
    server *sv = &s->servers[at];
    if (s->now_us >= sv->wakes_us)
        sv->wakes_us = INT64_MAX;
    if (redis_next_timeout_ms(sv->r) <= simulation_now_ms(s))
        redis_timeouts(sv->r, simulation_now_ms(s));
    close_now(s);
    watch_waits(s, at);
}

void traffic_leave(simulation *s, uint32_t number)
{
    flight *f = &s->flights[number];
    assert(f->state == FLIGHT_WAITING && f->own);
    redis_disconnect(s->servers[f->server].r, f->own);
    f->own = NULL;
}

/* ---- execution ---- */

/* Loads the script, as every client library does; later NOSCRIPT answers have no cause here. A script that does not
 * compile answers NOSCRIPT. */
static void learn(simulation *s, server *sv, const script_file *script)
{
    for (size_t i = 0; i < sv->script_count; i++)
        if (sv->scripts[i].script == script)
            return;
    MEM_RESERVE(sv->scripts, sv->script_cap, sv->script_count + 1);
    str why = S("");
    if (redis_load_script(sv->r, script->body, s->scratch, &why))
        why = S("");
    sv->scripts[sv->script_count].script = script;
    sv->scripts[sv->script_count++].broken = arena_str(s->out->memory, why);
}

/* The request's connection. Connections are opened at their first use. */
static redis_conn *connection(simulation *s, uint32_t number)
{
    const flight *f = &s->flights[number];
    redis *r = s->servers[f->server].r;
    bool gone = f->orphan && s->clients[f->client].life != f->life;
    if (gone)
        return redis_connect(r, 0);
    if (f->r->kind == REQUEST_COMMAND && redis_command_waits(f->r->argv[0]))
        return redis_connect(r, WAITING_CONNS + number);
    line *l = line_of(s, f->client, f->server);
    uint32_t id = (f->client * s->server_count + f->server) * 2 + 1;
    redis_conn **at = is_pubsub(f->r) ? &l->subscriber : &l->commands;
    if (!*at)
        *at = redis_connect(r, id + is_pubsub(f->r));
    return *at;
}

static bool lasts(const simulation *s, const flight *f, const redis_conn *conn)
{
    const line *l = &s->lines[(size_t)f->client * s->server_count + f->server];
    return conn == l->commands || conn == l->subscriber;
}

/* A client that asks a server to wait allows for that wait: its own time-out begins after it. */
static void begin_wait(simulation *s, uint32_t number, redis_conn *conn)
{
    flight *f = &s->flights[number];
    int64_t until_ms = redis_waits_until_ms(conn);
    f->state = FLIGHT_WAITING;
    f->own = conn;
    if (until_ms == INT64_MAX)
        f->give_up_us = INT64_MAX;
    else if (f->give_up_us != INT64_MAX)
        f->give_up_us += (until_ms - simulation_now_ms(s)) * 1000;
    watch_waits(s, f->server);
    client_set_timer(s, f->client);
}

/* The thread of its client that sent it; OCCURS_NOBODY: another task, such as a watchdog. */
static uint32_t thread_of(const simulation *s, const flight *f)
{
    for (uint32_t i = 0; i < s->threads; i++) {
        const slot *t = &s->slots[(size_t)f->client * s->threads + i];
        if (t->busy && t->task == f->r->task)
            return i;
    }
    return OCCURS_NOBODY;
}

/* Of a script that does not compile the server knows nothing, and says only that. */
static void note_error(simulation *s, const server *sv, const request *r, str text)
{
    enum { TEXT_MAX = 300 };
    if (s->out->errors++ > 0)
        return;
    str asked = r->script ? r->script->name : r->argv[0];
    for (size_t i = 0; r->script && i < sv->script_count; i++)
        if (sv->scripts[i].script == r->script && sv->scripts[i].broken.n)
            text = sv->scripts[i].broken;
    size_t n = text.n < TEXT_MAX ? text.n : TEXT_MAX;
    while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
        n--;                       /* not within a character of UTF-8 */
    s->out->error = arena_printf(s->out->memory, "%.*s: %.*s%s", STR_ARG(asked), (int)n, text.p,
                                 n < text.n ? "..." : "");
}

static reply run(simulation *s, uint32_t number, redis_conn *conn)
{
    flight *f = &s->flights[number];
    server *sv = &s->servers[f->server];
    int64_t now_ms = simulation_now_ms(s);
    if (now_ms - sv->reaped_ms >= REAP_EVERY_MS) {
        size_t gone;
        redis_reap(sv->r, now_ms, REAP_KEYS, &gone);
        sv->reaped_ms = now_ms;
    }
    uint64_t writes = redis_writes(sv->r), calls = redis_script_calls(sv->r);
    const request *r = f->r;
    reply answer = redis_execute(sv->r, conn, r->argv, r->argc, now_ms, s->scratch);
    calls = redis_script_calls(sv->r) - calls;
    bool script = r->kind == REQUEST_EVAL;
    uint32_t commands = (script ? (uint32_t)calls : 1) + (r->sync > 0);
    s->out->requests++;
    s->out->scripts += script;
    s->out->commands += commands;
    simulation_tell(s, (occurrence){ .kind = OCCURS_REQUEST, .client = s->flights[number].client, .lock = OCCURS_NOBODY,
                                     .task = thread_of(s, &s->flights[number]), .commands = commands, .script = script,
                                     .listens = is_pubsub(r) || redis_waits(conn),
                                     .wrote = redis_writes(sv->r) != writes });
    if (s->o.on_executed)
        s->o.on_executed(s->o.context, (uint32_t)(sv - s->servers), r->argv, r->argc,
                         r->script ? r->script->body : S(""));
    if (answer.kind == REPLY_ERROR)
        note_error(s, sv, r, answer.text);
    /* The result of a WAIT in one batch with it: its sender learns that instead. */
    if (r->sync > s->sc->replicas && answer.kind != REPLY_ERROR)
        answer = reply_error(S("NOSYNC too few replicas have it"));
    return answer;
}

void traffic_arrive(simulation *s, uint32_t number)
{
    flight *f = &s->flights[number];
    assert(f->state == FLIGHT_SENT);
    server *sv = &s->servers[f->server];
    arena_reset(s->scratch);
    if (f->r->script)
        learn(s, sv, f->r->script);
    redis_conn *conn = connection(s, number);
    reply answer = run(s, number, conn);
    f = &s->flights[number];
    bool pubsub = is_pubsub(f->r);
    if (redis_waits(conn) && !f->orphan) {
        begin_wait(s, number, conn);
    } else {
        if (!lasts(s, f, conn))
            redis_disconnect(sv->r, conn);
        if (f->orphan) {
            if (s->clients[f->client].p && s->clients[f->client].life == f->life)
                process_forget(s->clients[f->client].p, f->id);
            traffic_end(s, number);
        } else {
            keep_answer(s, f, &answer);
            send_back(s, number, pubsub);
        }
    }
    close_now(s);
}

/* ---- beginning and end ---- */

void servers_open(simulation *s)
{
    for (uint32_t i = 0; i < s->server_count; i++) {
        server *sv = &s->servers[i];
        const redis_limits limits = { .dialect = s->sc->dialect, .notify = s->sc->notify, .cluster = s->sc->cluster };
        *sv = (server){ .s = s, .r = redis_new(limits), .wakes_us = INT64_MAX };
        redis_seed(sv->r, s->o.seed);
        redis_set_acks(sv->r, s->sc->replicas);
        redis_observe(sv->r, &(redis_observer){ .context = sv, .message = on_message, .answered = on_answered,
                                               .effect = s->o.on_call ? on_call : NULL });
    }
}

void servers_close(simulation *s)
{
    for (uint32_t i = 0; i < s->server_count; i++) {
        redis_free(s->servers[i].r);
        mem_free(s->servers[i].scripts);
    }
}
