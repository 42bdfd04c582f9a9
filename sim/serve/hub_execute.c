/* hub_execute.c - one request: it is executed, stands where its script runs long, and is answered. */
#include "serve/hub_internal.h"

#include <assert.h>

enum { SLICE_MS = 10 };            /* a script that runs long, between two checks for other clients' requests */

/* From within a script. Once it has run for long it stands here after each slice, and the hub is turned again. */
void hub_script_runs(void *context)
{
    hub *h = context;
    int64_t ran_ms = h->host.ran_ms(h->host.context), after_ms = redis_busy_after_ms(h->server);
    if (after_ms == 0 || ran_ms - h->now.began_ms < after_ms || ran_ms - h->now.slice_ms < SLICE_MS)
        return;
    redis_stand(h->server, ran_ms - h->now.began_ms);
    fiber_pause(h->scripts);
    redis_go_on(h->server);
    h->now.slice_ms = h->host.ran_ms(h->host.context);
}

static void forget_answer(hub *h)
{
    if (arena_bytes(h->answer) > HUB_KEPT_BYTES_MAX) {
        arena_free(h->answer);
        h->answer = arena_new();
    } else {
        arena_reset(h->answer);
    }
}

/* EXEC's answers, and between them messages that the client sent itself by them. */
static void encode_exec(hub_client *c, const reply *r, bool answers)
{
    size_t from = 0, mark = 0;
    if (answers && !r->several)
        buf_printf(&c->out, "*%zu\r\n", r->count);
    for (size_t i = 0; i < r->count; i++) {
        for (; mark < c->mark_count && c->marks[mark].item == i; from = c->marks[mark++].end)
            buf_add(&c->out, str_slice(buf_str(&c->told), from, c->marks[mark].end));
        if (answers)
            reply_encode(&r->items[i], redis_conn_protocol(c->conn), &c->out);
    }
    assert(mark == c->mark_count);
    buf_free(&c->told);
    c->mark_count = 0;
}

/* Was it FAULT, which is answered here? */
static bool asks_for_fault(hub_client *c, const request *q)
{
    hub *h = c->home;
    if (!h->host.faults || !fault_is_asked(q->argv[0]))
        return false;
    reply r = fault_answer(h->answer, &h->faults, q->argv, q->argc);
    if (redis_conn_answers(c->conn))
        reply_encode(&r, redis_conn_protocol(c->conn), &c->out);
    forget_answer(h);
    return true;
}

/* The answer, from `before` on, is dropped, and nothing else is. */
static void lose_reply(hub_client *c, size_t before, str command)
{
    next_fault f;
    if (redis_waits(c->conn) || !fault_take(&c->home->faults, c->id, command, &f))
        return;
    c->out.n = before;
    c->muted = true;
    c->over = c->over || f.reset;
}

static void log_executed(hub *h, const hub_job *j, const reply *r, bool waits)
{
    if (h->host.executed)
        h->host.executed(h->host.context, &(hub_request){ .at_ms = j->now_ms, .address = buf_str(&j->client->address),
                                                          .db = j->db, .argv = j->argv, .argc = j->argc,
                                                          .answer = waits ? NULL : r });
}

static void say(hub_client *c, const reply *r)
{
    /* SUBSCRIBE is confirmed whatever CLIENT REPLY says. */
    bool answers = !redis_waits(c->conn) && (redis_conn_answers(c->conn) || r->push ||
                                             (r->several && r->count && r->items[0].push));
    if (c->mark_count)
        encode_exec(c, r, answers);
    else if (answers)
        reply_encode(r, redis_conn_protocol(c->conn), &c->out);
    if (c->told.n) {                               /* its own output comes after the answer */
        buf_add(&c->out, buf_str(&c->told));
        buf_free(&c->told);
    }
    if (!redis_conn_over(c->conn))
        buf_add(&c->out, buf_str(&c->after));
    buf_free(&c->after);
}

static void execute(void *context)
{
    hub *h = context;
    hub_job *j = &h->now;
    j->answer = redis_execute(h->server, j->client->conn, j->argv, j->argc, j->now_ms, h->answer);
}

/* Answers what was executed. */
void hub_finish(hub *h)
{
    hub_job j = h->now;
    hub_client *c = j.client;
    h->now = (hub_job){ .client = NULL };
    c->runs = false;
    log_executed(h, &j, &j.answer, redis_waits(c->conn));
    say(c, &j.answer);
    lose_reply(c, j.before, j.argv[0]);
    forget_answer(h);
    if (redis_conn_over(c->conn))
        c->over = true;
    if (h->moved) {
        h->moved = false;
        redis_timeouts(h->server, h->now_ms);
        size_t gone;
        (void)redis_reap(h->server, h->now_ms, SIZE_MAX, &gone);
    }
}

/* While a script of another client stands. */
static void run_aside(hub_client *c, const request *q)
{
    hub *h = c->home;
    hub_job j = { .client = c, .argv = q->argv, .argc = q->argc, .db = redis_conn_db(c->conn),
                  .now_ms = hub_now_ms(h) };
    reply r = redis_execute(h->server, c->conn, q->argv, q->argc, j.now_ms, h->aside);
    log_executed(h, &j, &r, false);
    say(c, &r);
    arena_reset(h->aside);
    if (redis_conn_over(c->conn))
        c->over = true;
}

static const str *words_kept(arena *a, const request *q)
{
    str *argv = ARENA_ARRAY(a, str, q->argc);
    for (size_t i = 0; i < q->argc; i++)
        argv[i] = arena_str(a, q->argv[i]);
    return argv;
}

/* What runs no script is over at once; of others the words are kept, for they may outlive the bytes that came. */
void hub_run(hub_client *c, const request *q)
{
    hub *h = c->home;
    if (asks_for_fault(c, q))
        return;
    if (hub_stands(h)) {
        run_aside(c, q);
        return;
    }
    bool long_one = h->scripts && redis_command_runs_scripts(q->argv[0]);
    h->now = (hub_job){ .client = c, .argv = q->argv, .argc = q->argc, .before = c->out.n,
                        .db = redis_conn_db(c->conn), .now_ms = hub_now_ms(h) };
    c->runs = true;
    if (long_one) {
        h->now.argv = words_kept(h->answer, q);
        h->now.began_ms = h->now.slice_ms = h->host.ran_ms(h->host.context);
        if (!fiber_run(h->scripts, execute, h))
            return;
    } else {
        execute(h);
    }
    hub_finish(h);
}
