/* hub.c - see hub.h. */
#include "serve/hub.h"

#include <assert.h>
#include <string.h>
#include <uthash.h>

#include "base/fiber.h"
#include "base/mem.h"
#include "script/script.h"
#include "serve/fault.h"
#include "serve/request.h"

enum {
    SCRIPT_STEPS = 1000000000,     /* where scripts end by a budget an endless one ends after some seconds */
    SLICE_MS = 10,                 /* a script that runs long, between two looks at what other clients send */
    REAP_KEYS = 5000,              /* looked at in one tick: less than a millisecond */
    REAP_PAUSE_MS = 100,           /* between rounds through all keys */
    REAP_STEP_MS = 25,             /* between two ticks of a round: a few hundredths of the time at most */
    KEPT_BYTES_MAX = 64 << 10,     /* of the arena, and of requests, when they are empty: more is given back */
    KEPT_OUT_BYTES_MAX = 256 << 10,        /* the same of answers */
};

/* A request that is being executed. It stands still where a script in it runs long: others speak meanwhile. */
typedef struct {
    hub_client *client;
    const str *argv;
    size_t argc, before;           /* bytes of answers that its client had before it */
    int db;
    int64_t now_ms;
    int64_t began_ms, slice_ms;    /* by host.ran_ms: the request, and what runs of it now */
    reply answer;
} job;

struct hub {
    redis *server;
    hub_host host;
    int64_t now_ms;                /* of a clock that stands still */
    int64_t since_ms;              /* it began */
    int64_t reap_ms;               /* when expired keys are looked for next */
    bool moved, stopped;
    uint32_t last_id;
    hub_client *clients;           /* by id */
    hub_client *touched, *touched_last;
    arena *answer;                 /* of one command */
    arena *aside;                  /* the same of one that is answered while a script stands */
    fiber *scripts;                /* they run on it if they may run long */
    job now;                       /* what is executed, or stands: fiber_stands(scripts) */
    uint32_t *postponed;           /* clients whose request waits for the end of a pause, in the order of coming */
    size_t postponed_n, postponed_cap;
    bool raw_quotes;               /* RULE_MONITOR_RAW */
    fault_list faults;
    bool answers_first, empty_is_nothing;          /* RULE_ANSWER_FIRST, RULE_EMPTY_IS_NOTHING */
};

/* What a client told itself within EXEC: the bytes up to `end`, before the answer of this number. */
typedef struct {
    size_t item, end;
} told_mark;

struct hub_client {
    hub *home;
    void *owner;
    redis_conn *conn;
    uint32_t id;
    request_reader *reader;
    buf address;
    buf in;                        /* requests that wait, and the beginning of one */
    size_t in_used;                /* of them, done with */
    buf out;
    size_t sending;                /* taken and on its way */
    buf told;
    buf monitored;                 /* of the command that it runs itself */
    told_mark *marks;
    size_t mark_count, mark_cap;
    bool answered;                 /* its wait is over: what it sent meanwhile is still to be run */
    bool over, dropped, listed, busy;
    bool muted;                    /* an answer of its was lost: it hears and says nothing any more */
    bool runs;                     /* a command of its own is being executed, or stands */
    bool postponed;                /* its next request waits for the end of a pause */
    bool gone;                     /* it was closed while its script stood: forgotten when that ends */
    hub_client *next_touched;
    UT_hash_handle hh;
};

static int64_t now_of(const hub *h)
{
    return h->host.now_ms ? h->host.now_ms(h->host.context) : h->now_ms;
}

static void touch(hub_client *c)
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

static hub_client *client_find(const hub *h, uint32_t id)
{
    hub_client *c;
    HASH_FIND(hh, h->clients, &id, sizeof id, c);
    return c;
}

/* ---- what the server calls back ---- */

/* The client and room for a message, or NULL: one that does not read what it subscribed to is dropped. */
static hub_client *hearer(hub *h, uint32_t conn)
{
    hub_client *c = client_find(h, conn);
    if (!c || c->dropped || c->muted || c->gone)
        return NULL;
    touch(c);
    if (c->out.n + c->sending <= HUB_PUSH_BYTES_MAX)
        return c;
    c->over = c->dropped = true;
    return NULL;
}

static void push(hub_client *c, reply *items, size_t count)
{
    reply message = { .kind = REPLY_ARRAY, .push = true, .items = items, .count = count };
    size_t item = redis_conn_exec_done(c->conn);
    bool later = c->runs && c->home->answers_first;
    reply_encode(&message, redis_conn_protocol(c->conn), item == SIZE_MAX && !later ? &c->out : &c->told);
    if (item == SIZE_MAX || later)
        return;
    MEM_RESERVE(c->marks, c->mark_cap, c->mark_count + 1);
    c->marks[c->mark_count++] = (told_mark){ .item = item, .end = c->told.n };
}

static void on_message(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    hub_client *c = hearer(context, conn);
    reply matched[] = { reply_bulk(S("pmessage")), reply_bulk(pattern), reply_bulk(channel), reply_bulk(payload) };
    reply plain[] = { reply_bulk(S("message")), reply_bulk(channel), reply_bulk(payload) };
    if (c)
        push(c, pattern.p ? matched : plain, pattern.p ? COUNT(matched) : COUNT(plain));
}

static void on_shard_message(void *context, uint32_t conn, str channel, str payload)
{
    hub_client *c = hearer(context, conn);
    reply items[] = { reply_bulk(S("smessage")), reply_bulk(channel), reply_bulk(payload) };
    if (c)
        push(c, items, COUNT(items));
}

static void on_answered(void *context, uint32_t conn, const reply *r)
{
    hub_client *c = client_find(context, conn);
    if (!c)
        return;
    if (redis_conn_answers(c->conn))
        reply_encode(r, redis_conn_protocol(c->conn), &c->out);
    c->answered = true;
    touch(c);
}

/* As redis-cli takes it apart again: the bytes that are no letters are \\n, \\r, \\t, \\a, \\b or \\xNN. */
static void add_quoted(buf *out, str word, bool raw)
{
    static const char from[] = "\n\r\t\a\b", to[] = "nrtab";
    buf_byte(out, '"');
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        const char *known = c ? strchr(from, c) : NULL;
        if (known || (!raw && (c == '"' || c == '\\'))) {
            buf_byte(out, '\\');
            buf_byte(out, known ? to[known - from] : (char)c);
        } else if (c < 0x20 || c >= 0x7F) {
            buf_hex(out, c);
        } else {
            buf_byte(out, (char)c);
        }
    }
    buf_byte(out, '"');
}

/* "+1700000000.123000 [0 127.0.0.1:5321] "SET" "k" "v"", and of a socket in the file system [0 unix:/path]. */
static void add_monitored(const hub *h, uint32_t conn, bool lua, int db, const str *argv, size_t argc, buf *out)
{
    const hub_client *c = client_find(h, conn);
    str address = c ? buf_str(&c->address) : S("");
    int64_t now_ms = now_of(h);
    bool file = address.n && address.p[0] == '/';
    if (file && str_ends(address, S(":0")))
        address.n -= 2;
    buf_printf(out, "+%lld.%06lld [%d ", (long long)(now_ms / 1000), (long long)(now_ms % 1000 * 1000), db);
    buf_printf(out, "%s%.*s]", file && !lua ? "unix:" : "", STR_ARG(lua ? S("lua") : address));
    for (size_t i = 0; i < argc; i++) {
        buf_byte(out, ' ');
        add_quoted(out, argv[i], h->raw_quotes);
    }
    buf_addz(out, "\r\n");
}

/* To each that monitors; what it is told of its own command stands behind the answer. */
static void on_monitored(void *context, uint32_t conn, bool lua, int db, const str *argv, size_t argc)
{
    hub *h = context;
    buf line = { 0 };
    hub_client *c, *next;
    add_monitored(h, conn, lua, db, argv, argc, &line);
    HASH_ITER(hh, h->clients, c, next) {
        /* cppcheck-suppress uninitvar ; HASH_ITER sets it */
        if (!c->over && redis_conn_monitors(c->conn) && hearer(h, c->id))
            buf_add(c->runs ? &c->monitored : &c->out, buf_str(&line));
    }
    buf_free(&line);
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
    hub_client *c = client_find(context, conn);
    if (c) {
        c->over = c->dropped = true;
        touch(c);
    }
}

static bool stands(const hub *h)
{
    return h->scripts && fiber_stands(h->scripts);
}

/* From within a script. Once it has run for long it stands here after each slice, and the hub is turned again. */
static void on_script_runs(void *context)
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
    redis_observe(h->server, &(redis_observer){ .context = h,
        .message = on_message, .shard_message = on_shard_message, .answered = on_answered,
        .monitored = on_monitored });
    h->since_ms = now_of(h);
    hub_set_port(h, 0);
    return h;
}

void hub_set_port(hub *h, int port)
{
    redis_host_by(h->server, &(redis_host){
        .context = h, .set_clock = h->host.now_ms ? NULL : on_clock, .sleep = on_sleep, .drop = on_drop,
        .stop = on_stop, .script_runs = h->host.ran_ms ? on_script_runs : NULL,
        .since_ms = h->since_ms, .process_id = h->host.process_id, .port = port, .unix_path = h->host.unix_path,
    });
}

static void go_on(hub *h);

void hub_free(hub *h)
{
    if (!h)
        return;
    h->stopped = true;                             /* nothing new is begun */
    while (stands(h)) {
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
    return stands(h);
}

/* ---- clients ---- */

hub_client *hub_open(hub *h, void *owner, str address, str local)
{
    if (HASH_COUNT(h->clients) >= HUB_CLIENTS_MAX)
        return NULL;
    hub_client *c = mem_zero(sizeof *c);
    *c = (hub_client){ .home = h, .owner = owner, .id = ++h->last_id, .reader = request_reader_new() };
    request_reader_speak(c->reader, h->host.dialect);
    c->conn = redis_connect(h->server, c->id);
    buf_add(&c->address, address);
    redis_conn_describe(c->conn, address, local, now_of(h));
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
    buf_free(&c->monitored);
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

/* ---- requests ---- */

static void forget_answer(hub *h)
{
    if (arena_bytes(h->answer) > KEPT_BYTES_MAX) {
        arena_free(h->answer);
        h->answer = arena_new();
    } else {
        arena_reset(h->answer);
    }
}

/* EXEC's answers, and in their midst what the client told itself by them. */
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

/* The answer, from `before` on, goes nowhere, and nothing else does. */
static void lose_reply(hub_client *c, size_t before, str command)
{
    next_fault f;
    if (redis_waits(c->conn) || !fault_take(&c->home->faults, c->id, command, &f))
        return;
    c->out.n = before;
    c->muted = true;
    c->over = c->over || f.reset;
}

static void log_executed(hub *h, const job *j, const reply *r, bool waits)
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
    if (c->told.n) {                               /* by itself, and the answer goes first */
        buf_add(&c->out, buf_str(&c->told));
        buf_free(&c->told);
    }
    if (!redis_conn_over(c->conn))
        buf_add(&c->out, buf_str(&c->monitored));
    buf_free(&c->monitored);
}

static void execute(void *context)
{
    hub *h = context;
    job *j = &h->now;
    j->answer = redis_execute(h->server, j->client->conn, j->argv, j->argc, j->now_ms, h->answer);
}

/* What was executed is answered. */
static void finish(hub *h)
{
    job j = h->now;
    hub_client *c = j.client;
    h->now = (job){ .client = NULL };
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
    job j = { .client = c, .argv = q->argv, .argc = q->argc, .db = redis_conn_db(c->conn), .now_ms = now_of(h) };
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
static void run(hub_client *c, const request *q)
{
    hub *h = c->home;
    if (asks_for_fault(c, q))
        return;
    if (stands(h)) {
        run_aside(c, q);
        return;
    }
    bool long_one = h->scripts && redis_command_runs_scripts(q->argv[0]);
    h->now = (job){ .client = c, .argv = q->argv, .argc = q->argc, .before = c->out.n, .db = redis_conn_db(c->conn),
                    .now_ms = now_of(h) };
    c->runs = true;
    if (long_one) {
        h->now.argv = words_kept(h->answer, q);
        h->now.began_ms = h->now.slice_ms = h->host.ran_ms(h->host.context);
        if (!fiber_run(h->scripts, execute, h))
            return;
    } else {
        execute(h);
    }
    finish(h);
}

static void refuse(hub_client *c, str why)
{
    if (why.n && redis_conn_answers(c->conn)) {
        reply r = reply_error(why);
        reply_encode(&r, 2, &c->out);
    }
    c->over = true;
}

/* A browser that a page of somebody's sent here: the lines behind these may be commands. As in Redis it is left without
 * an answer. */
static bool speaks_http(const request *q)
{
    return str_eq_nocase(q->argv[0], S("post")) || str_eq_nocase(q->argv[0], S("host:"));
}

/* Not while it waits for an element, for its script or for the end of a pause, or does not read what it is told. */
static bool may_run(const hub_client *c)
{
    return !c->over && !c->muted && !c->home->stopped && !c->runs && !c->postponed && !redis_waits(c->conn) &&
           c->out.n + c->sending <= HUB_OUT_BYTES_PAUSE;
}

static bool postpone(hub_client *c, const request *q)
{
    hub *h = c->home;
    if (stands(h) || (h->host.faults && fault_is_asked(q->argv[0])) ||
        !redis_postpones(h->server, c->conn, q->argv, q->argc, now_of(h)))
        return false;
    c->postponed = true;
    redis_conn_postpone(c->conn, true);
    MEM_RESERVE(h->postponed, h->postponed_cap, h->postponed_n + 1);
    h->postponed[h->postponed_n++] = c->id;
    return true;
}

/* Runs what is complete at the front of `bytes` and returns how much of it is done with. */
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
            run(c, &q);
        else
            refuse(c, q.why);
    }
    return c->over ? bytes.n : used;
}

/* What is done with goes when it is the larger part, so that no byte is moved more than once. */
static void forget_used(hub_client *c)
{
    if (c->in_used == c->in.n) {
        if (c->in.cap > KEPT_BYTES_MAX)
            buf_free(&c->in);
        buf_clear(&c->in);
        c->in_used = 0;
    } else if (c->in_used > c->in.n / 2) {
        buf all = c->in;
        str rest = str_slice(buf_str(&all), c->in_used, all.n);
        if (all.cap > KEPT_BYTES_MAX && rest.n < all.cap / 4) {
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
        touch(c);
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

/* The pause is over: those who waited for that go on, in the order of coming. One of them may begin the next one. */
static void end_pause(hub *h)
{
    if (!h->postponed_n || stands(h) || redis_paused_until_ms(h->server, now_of(h)) != INT64_MIN)
        return;
    size_t count = h->postponed_n;
    uint32_t *ids = h->postponed;
    h->postponed = NULL;
    h->postponed_n = h->postponed_cap = 0;
    for (size_t i = 0; i < count; i++) {
        hub_client *c = client_find(h, ids[i]);
        if (!c)
            continue;
        c->postponed = false;
        redis_conn_postpone(c->conn, false);
        run_waiting(c);
        touch(c);
    }
    mem_free(ids);
}

/* The script that stands goes on. */
static void go_on(hub *h)
{
    hub_client *c = h->now.client;
    if (!fiber_go_on(h->scripts))
        return;
    finish(h);
    if (c->gone) {
        hub_close(c);
        return;
    }
    run_waiting(c);
    touch(c);
}

hub_client *hub_next_touched(hub *h)
{
    end_pause(h);
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
    if (sent->cap > KEPT_OUT_BYTES_MAX || (sent->cap > KEPT_BYTES_MAX && sent->n < sent->cap / 4))
        buf_free(sent);
    buf_clear(sent);
    run_waiting(c);
    if (c->out.n || c->over)
        touch(c);
}

/* ---- time ---- */

int64_t hub_wait_ms(const hub *h)
{
    if (stands(h))
        return 0;
    if (!h->host.now_ms)
        return -1;
    int64_t now_ms = now_of(h), next_ms = redis_next_timeout_ms(h->server);
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

/* The machine's clock may have been set back: then the next look is not far, either. */
void hub_tick(hub *h)
{
    if (stands(h)) {
        go_on(h);
        return;
    }
    if (!h->host.now_ms)
        return;
    int64_t now_ms = now_of(h);
    redis_timeouts(h->server, now_ms);
    if (now_ms >= h->reap_ms || h->reap_ms - now_ms > REAP_PAUSE_MS)
        reap(h, now_ms);
}
