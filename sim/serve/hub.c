/* hub.c - see hub.h. */
#include "serve/hub_internal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "script/script.h"

enum {
    SCRIPT_STEPS = 1000000000,     /* where scripts end by a budget an endless one ends after some seconds */
    REAP_KEYS = 5000,              /* looked at in one tick: less than a millisecond */
    REAP_PAUSE_MS = 100,           /* between rounds through all keys */
    REAP_STEP_MS = 25,             /* between two ticks of a round: a few hundredths of the time at most */
    KEPT_OUT_BYTES_MAX = 256 << 10,        /* of answers when they are sent: more is given back */
};

int64_t hub_now_ms(const hub *h)
{
    return h->host.now_ms ? h->host.now_ms(h->host.context) : h->now_ms;
}

void hub_touch(hub_client *c)
{
    hub *h = c->home;
    if (c->listed)
        return;
    c->listed = true;
    c->next_touched = NULL;
    if (h->touched_last)
        h->touched_last->next_touched = c;
    else
        h->touched = c;
    h->touched_last = c;
}

hub_client *hub_client_find(const hub *h, uint32_t id)
{
    hub_client *c;
    HASH_FIND(hh, h->clients, &id, sizeof id, c);
    return c;
}

bool hub_stands(const hub *h)
{
    return h->scripts && fiber_stands(h->scripts);
}

static void untouch(hub_client *c)
{
    hub *h = c->home;
    if (!c->listed)
        return;
    hub_client **at = &h->touched, *before = NULL;
    while (*at != c) {
        before = *at;
        at = &before->next_touched;
    }
    *at = c->next_touched;
    if (h->touched_last == c)
        h->touched_last = before;
    c->listed = false;
}

static void on_clock(void *context, int64_t now_ms)
{
    hub *h = context;
    h->now_ms = now_ms;
    h->moved = true;
}

static void on_sleep(void *context, int64_t sleep_us)
{
    const hub *h = context;
    if (h->host.sleep)
        h->host.sleep(h->host.context, sleep_us);
}

static void on_drop(void *context, uint32_t conn)
{
    hub_client *c = hub_client_find(context, conn);
    if (c) {
        c->over = c->dropped = true;
        hub_touch(c);
    }
}

static void on_stop(void *context)
{
    ((hub *)context)->stopped = true;
}

hub *hub_new(const hub_host *host)
{
    hub *h = mem_zero(sizeof *h);
    h->host = *host;
    h->now_ms = host->start_ms;
    h->answer = arena_new();
    h->aside = arena_new();
    h->scripts = host->ran_ms ? fiber_new() : NULL;
    h->answers_first = dialect_follows(host->dialect, RULE_ANSWER_FIRST);
    h->raw_quotes = dialect_follows(host->dialect, RULE_MONITOR_RAW) &&
                    !dialect_follows(host->dialect, RULE_MONITOR_QUOTED);
    h->empty_is_nothing = dialect_follows(host->dialect, RULE_EMPTY_IS_NOTHING);
    h->server = redis_new((redis_limits){ .script_steps = SCRIPT_STEPS, .dialect = host->dialect, .packings = true });
    redis_observer hears = hub_hears(h);
    redis_observe(h->server, &hears);
    h->since_ms = hub_now_ms(h);
    hub_set_port(h, 0);
    return h;
}

void hub_set_port(hub *h, int port)
{
    redis_host_by(h->server, &(redis_host){
        .context = h, .set_clock = h->host.now_ms ? NULL : on_clock, .sleep = on_sleep, .drop = on_drop,
        .stop = on_stop, .script_runs = h->host.ran_ms ? hub_script_runs : NULL,
        .since_ms = h->since_ms, .process_id = h->host.process_id, .port = port, .unix_path = h->host.unix_path,
    });
}

static void go_on(hub *h);

void hub_free(hub *h)
{
    if (!h)
        return;
    h->stopped = true;                             /* nothing new is begun */
    while (hub_stands(h)) {
        redis_end_script(h->server);
        go_on(h);
    }
    while (h->clients)
        hub_close(h->clients);
    redis_free(h->server);
    fiber_free(h->scripts);
    arena_free(h->answer);
    arena_free(h->aside);
    mem_free(h->postponed);
    mem_free(h);
}

redis *hub_redis(const hub *h)
{
    return h->server;
}

bool hub_is_stopped(const hub *h)
{
    return h->stopped;
}

bool hub_is_busy(const hub *h)
{
    return hub_stands(h);
}

/* ---- clients ---- */

hub_client *hub_open(hub *h, void *owner, str address, str local)
{
    if (HASH_COUNT(h->clients) >= HUB_CLIENTS_MAX || HASH_COUNT(h->clients) >= redis_clients_max(h->server))
        return NULL;
    hub_client *c = mem_zero(sizeof *c);
    *c = (hub_client){ .home = h, .owner = owner, .id = ++h->last_id, .reader = request_reader_new() };
    request_reader_speak(c->reader, h->host.dialect);
    c->conn = redis_connect(h->server, c->id);
    buf_add(&c->address, address);
    redis_conn_describe(c->conn, address, local, hub_now_ms(h));
    HASH_ADD(hh, h->clients, id, sizeof c->id, c);
    return c;
}

void hub_close(hub_client *c)
{
    hub *h = c->home;
    assert(!c->busy);
    untouch(c);
    c->over = true;
    if (c->runs) {                                 /* its script goes on */
        c->gone = true;
        return;
    }
    for (size_t i = 0; i < h->postponed_n; i++)
        if (h->postponed[i] == c->id)
            memmove(&h->postponed[i], &h->postponed[i + 1], (--h->postponed_n - i) * sizeof *h->postponed);
    redis_disconnect(h->server, c->conn);
    HASH_DEL(h->clients, c);
    request_reader_free(c->reader);
    buf_free(&c->in);
    buf_free(&c->out);
    buf_free(&c->told);
    buf_free(&c->after);
    buf_free(&c->address);
    mem_free(c->marks);
    mem_free(c);
}

void *hub_owner(const hub_client *c)
{
    return c->owner;
}

bool hub_is_over(const hub_client *c)
{
    return c->over;
}

bool hub_is_dropped(const hub_client *c)
{
    return c->dropped;
}

/* ---- bytes ---- */

static void refuse(hub_client *c, str why)
{
    if (why.n && redis_conn_answers(c->conn)) {
        reply r = reply_error(why);
        reply_encode(&r, 2, &c->out);
    }
    c->over = true;
}

/* A browser, sent here by some web page: the lines after the head may be commands. As in Redis it gets no answer. */
static bool speaks_http(const request *q)
{
    return str_eq_nocase(q->argv[0], S("post")) || str_eq_nocase(q->argv[0], S("host:"));
}

/* Not while it waits for an element, for its script or for the end of a pause, or does not read its messages. */
static bool may_run(const hub_client *c)
{
    return !c->over && !c->muted && !c->home->stopped && !c->runs && !c->postponed && !redis_waits(c->conn) &&
           c->out.n + c->sending <= HUB_OUT_BYTES_PAUSE;
}

static bool postpone(hub_client *c, const request *q)
{
    hub *h = c->home;
    if (hub_stands(h) || (h->host.faults && fault_is_asked(q->argv[0])) ||
        !redis_postpones(h->server, c->conn, q->argv, q->argc, hub_now_ms(h)))
        return false;
    c->postponed = true;
    redis_conn_postpone(c->conn, true);
    MEM_RESERVE(h->postponed, h->postponed_cap, h->postponed_n + 1);
    h->postponed[h->postponed_n++] = c->id;
    return true;
}

/* Runs the complete requests at the front of `bytes` and returns how many bytes they took. */
static size_t consume(hub_client *c, str bytes)
{
    size_t used = 0;
    request q;
    while (may_run(c)) {
        request_state state = request_read(c->reader, str_slice(bytes, used, bytes.n), &q);
        if (state == REQUEST_READY && postpone(c, &q))
            break;                                 /* it is read again then */
        used += q.used;
        if (q.passed_over && !c->home->empty_is_nothing)
            (void)redis_conn_answers(c->conn);     /* CLIENT REPLY SKIP is used up */
        if (state == REQUEST_MORE)
            break;
        if (state == REQUEST_READY && speaks_http(&q))
            c->over = c->dropped = true;
        else if (state == REQUEST_READY)
            hub_run(c, &q);
        else
            refuse(c, q.why);
    }
    return c->over ? bytes.n : used;
}

/* Drops consumed bytes when they are the larger part, so that no byte is moved more than once. */
static void forget_used(hub_client *c)
{
    if (c->in_used == c->in.n) {
        if (c->in.cap > HUB_KEPT_BYTES_MAX)
            buf_free(&c->in);
        buf_clear(&c->in);
        c->in_used = 0;
    } else if (c->in_used > c->in.n / 2) {
        buf all = c->in;
        str rest = str_slice(buf_str(&all), c->in_used, all.n);
        if (all.cap > HUB_KEPT_BYTES_MAX && rest.n < all.cap / 4) {
            c->in = (buf){ 0 };
            buf_add(&c->in, rest);
            buf_free(&all);
        } else {
            memmove(c->in.p, rest.p, rest.n);
            c->in.n = rest.n;
        }
        c->in_used = 0;
    }
}

static void consume_kept(hub_client *c)
{
    c->in_used += consume(c, str_slice(buf_str(&c->in), c->in_used, c->in.n));
    forget_used(c);
}

void hub_feed(hub_client *c, str bytes)
{
    if (c->over)
        return;
    assert(!c->busy);
    c->busy = true;
    if (c->in.n) {
        buf_add(&c->in, bytes);
        consume_kept(c);
    } else {
        size_t used = consume(c, bytes);
        buf_add(&c->in, str_slice(bytes, used, bytes.n));
    }
    size_t in_max = c->out.n + c->sending > HUB_OUT_BYTES_PAUSE ? HUB_WAITING_BYTES_MAX : HUB_IN_BYTES_MAX;
    if (c->in.n - c->in_used > in_max)
        c->over = c->dropped = true;
    c->busy = false;
    if (c->out.n || c->over)
        hub_touch(c);
}

/* ---- answers ---- */

static void run_waiting(hub_client *c)
{
    if (!c->in.n || c->over)
        return;
    c->busy = true;
    consume_kept(c);
    c->busy = false;
}

/* The pause is over: the clients that waited for it go on, in the order of coming. One of them may begin the next
 * one. */
static void end_pause(hub *h)
{
    if (!h->postponed_n || hub_stands(h) || redis_paused_until_ms(h->server, hub_now_ms(h)) != INT64_MIN)
        return;
    size_t count = h->postponed_n;
    uint32_t *ids = h->postponed;
    h->postponed = NULL;
    h->postponed_n = h->postponed_cap = 0;
    for (size_t i = 0; i < count; i++) {
        hub_client *c = hub_client_find(h, ids[i]);
        if (!c)
            continue;
        c->postponed = false;
        redis_conn_postpone(c->conn, false);
        run_waiting(c);
        hub_touch(c);
    }
    mem_free(ids);
}

/* The script that stands goes on. */
static void go_on(hub *h)
{
    hub_client *c = h->now.client;
    if (!fiber_go_on(h->scripts))
        return;
    hub_finish(h);
    if (c->gone) {
        hub_close(c);
        return;
    }
    run_waiting(c);
    hub_touch(c);
}

hub_client *hub_next_touched(hub *h)
{
    end_pause(h);
    if (!h->touched)
        redis_turn_ends(h->server);
    hub_client *c = h->touched;
    if (!c)
        return NULL;
    h->touched = c->next_touched;
    if (!h->touched)
        h->touched_last = NULL;
    c->listed = false;
    if (c->answered) {
        c->answered = false;
        run_waiting(c);
    }
    return c;
}

bool hub_take(hub_client *c, buf *to)
{
    assert(!to->n);
    if (c->sending || !c->out.n)
        return false;
    buf empty = *to;
    *to = c->out;
    c->out = empty;
    c->sending = to->n;
    return true;
}

void hub_sent(hub_client *c, buf *sent)
{
    c->sending = 0;
    if (sent->cap > KEPT_OUT_BYTES_MAX || (sent->cap > HUB_KEPT_BYTES_MAX && sent->n < sent->cap / 4))
        buf_free(sent);
    buf_clear(sent);
    run_waiting(c);
    if (c->out.n || c->over)
        hub_touch(c);
}

/* ---- time ---- */

int64_t hub_wait_ms(const hub *h)
{
    if (hub_stands(h))
        return 0;
    if (!h->host.now_ms)
        return -1;
    int64_t now_ms = hub_now_ms(h), next_ms = redis_next_timeout_ms(h->server);
    if (h->reap_ms < next_ms)
        next_ms = h->reap_ms;
    if (h->postponed_n && redis_paused_until_ms(h->server, now_ms) < next_ms)
        next_ms = redis_paused_until_ms(h->server, now_ms) + 1;
    return next_ms <= now_ms ? 0 : next_ms - now_ms < REAP_PAUSE_MS ? next_ms - now_ms : REAP_PAUSE_MS;
}

/* Where many keys of those looked at had expired, more will have. */
static void reap(hub *h, int64_t now_ms)
{
    size_t gone;
    bool more = redis_reap(h->server, now_ms, REAP_KEYS, &gone);
    h->reap_ms = now_ms + (gone > REAP_KEYS / 4 ? 1 : more ? REAP_STEP_MS : REAP_PAUSE_MS);
}

/* The machine's clock may have been set back: the next tick is not far, either. */
void hub_tick(hub *h)
{
    if (hub_stands(h)) {
        go_on(h);
        return;
    }
    if (!h->host.now_ms)
        return;
    int64_t now_ms = hub_now_ms(h);
    redis_timeouts(h->server, now_ms);
    if (now_ms >= h->reap_ms || h->reap_ms - now_ms > REAP_PAUSE_MS)
        reap(h, now_ms);
}
