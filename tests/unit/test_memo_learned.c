/* test_memo_learned.c - a learned process does what a live one does, whatever comes, and names its states as freezing
 * does. */
#include "fixture.h"

#include <xxhash.h>

#include "base/mem.h"
#include "base/rng.h"
#include "memo/learned.h"
#include "client/load.h"

#define T0 INT64_C(1700000000000)

/* Reads "redisson/lock.lua" below scripts/, and the test's own files. */
static bool read_any(void *context, str name, arena *a, str *path, str *text, err *e)
{
    char full[512];
    snprintf(full, sizeof full, "scripts/%.*s", STR_ARG(name));
    FILE *f = fopen(full, "rb");
    if (!f)
        return fixture_read(context, name, a, path, text, e);
    buf b = { 0 };
    char chunk[4096];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        buf_add(&b, (str){ .p = chunk, .n = n });
    fclose(f);
    *path = arena_str(a, str_from(full));
    *text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return true;
}

static const loader any_loader = { .read = read_any };

static const fixture_file own_scripts[] = { { "acquire.lua", "return 1" }, { "release.lua", "return 1" },
                                            { NULL, NULL } };

static const char *error_text(arena *a, const err *e)
{
    buf b = { 0 };
    err_print(e, &b);
    const char *s = arena_str(a, b.n ? buf_str(&b) : S("")).p;
    buf_free(&b);
    return s;
}

static scenario *load(arena *a, const char *lua)
{
    scenario *sc = ARENA_NEW(a, scenario);
    err e = { 0 };
    if (!scenario_load(a, &any_loader, S("test.lua"), str_from(lua), sc, &e))
        fail_msg("%s", error_text(a, &e));
    return sc;
}

/* ---- everything that can be seen of a process, as text ---- */

static void put_outputs(const outputs *out, buf *b)
{
    for (size_t i = 0; i < out->count; i++) {
        const output *o = &out->items[i];
        buf_printf(b, "%d %u: ", (int)o->kind, o->task);
        if (o->kind == OUTPUT_REQUEST) {
            const request *r = o->request;
            buf_printf(b, "request %d %u %u %u %d%d%d%u %lld %s '%s' '%s' %lld %lld %s:%d", (int)r->kind, r->id,
                       r->task, r->server, r->waited, r->resend, r->again, r->sync, (long long)r->permits,
                       r->script ? r->script->sha1 : "-", r->op.p, r->lock.p, (long long)r->lease_ms,
                       (long long)r->timeout_ms, r->path.p, r->line);
            for (size_t k = 0; k < r->argc; k++)
                buf_printf(b, " [%.*s]", STR_ARG(r->argv[k]));
        } else if (o->kind == OUTPUT_ANNOUNCE) {
            const event *v = &o->announcement;
            buf_printf(b, "announce %d at %lld %u %.*s '%.*s' '%.*s' '%.*s' %u %lld %lld %lld", (int)v->kind,
                       (long long)v->at_ms, v->task,
                       STR_ARG(v->who), STR_ARG(v->lock), STR_ARG(v->text), STR_ARG(v->mode), v->request,
                       (long long)v->lease_ms, (long long)v->token, (long long)v->count);
        } else if (o->kind == OUTPUT_LOG) {
            buf_printf(b, "log %.*s", STR_ARG(o->text));
        }
        buf_byte(b, '\n');
    }
}

static void put_number(void *context, uint32_t id)
{
    buf_printf(context, " #%u", id);
}

typedef struct {
    int64_t at[1000];
    size_t count;
} instants;

/* Kept sorted, each once: they come in no order. */
static void put_instant(void *context, int64_t at_ms)
{
    instants *list = context;
    size_t i = 0;
    while (i < list->count && list->at[i] < at_ms)
        i++;
    if ((i < list->count && list->at[i] == at_ms) || list->count == COUNT(list->at))
        return;
    memmove(&list->at[i + 1], &list->at[i], (list->count - i) * sizeof list->at[0]);
    list->at[i] = at_ms;
    list->count++;
}

/* How long a task has been due is nobody's business (lua_graph.h, put_timer). */
static void put_looks(process *p, int64_t now_ms, buf *b)
{
    const task_view *t;
    size_t n = process_tasks(p, &t);
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "task %u '%.*s' %u '%.*s' %d %d%d%d%d request %u wake %lld choices %zu next '%.*s' %.*s:%d\n",
                   t[i].id, STR_ARG(t[i].name),
                   t[i].thread, STR_ARG(t[i].who), (int)t[i].status, t[i].daemon, t[i].main, t[i].interruptible,
                   t[i].zero_wait, t[i].request,
                   (long long)(t[i].wake_ms > now_ms ? t[i].wake_ms : now_ms), t[i].choices, STR_ARG(t[i].next),
                   STR_ARG(t[i].path), t[i].line);
    const observed *list;
    n = process_observed(p, &list);
    for (size_t i = 0; i < n; i++)
        buf_printf(b, "observed '%.*s' %d\n", STR_ARG(list[i].lock), (int)list[i].spec);
    buf_addz(b, "requests");
    process_each_request(p, put_number, b);
    instants numbers = { .count = 0 };
    process_each_instant(p, now_ms, INT64_C(2000000000), put_instant, &numbers);
    buf_addz(b, "\ninstants");
    for (size_t i = 0; i < numbers.count; i++)
        buf_printf(b, " %lld", (long long)numbers.at[i]);
    buf_byte(b, '\n');
}

/* ---- two processes of one client, side by side ---- */

/* Hashes of canonical bytes by state id. */
typedef struct {
    XXH128_hash_t *of;
    bool *known;
    size_t count, cap, known_cap;
} bytes_by_id;

enum { WAITING_MAX = 64 };

typedef struct {
    arena *a;
    const scenario *sc;
    process_table *t;
    bytes_by_id ids;
    process *live, *learned;
    int64_t now_ms;
    bool calm;             /* few different inputs, so that many lives go the same ways */
    bool times;            /* answers may be times: a driver that takes them for lengths depends on when it runs */
    uint32_t sent[WAITING_MAX];                    /* requests without an answer */
    size_t sent_count;
    uint32_t last_sent;
    bool failed;           /* both met an error */
    size_t steps;
    buf said_live, said_learned;
    rng r;
} pair;

static void check_id(pair *d)
{
    err e = { 0 };
    buf bytes = { 0 };
    if (!process_freeze(d->live, d->now_ms, &bytes, &e))
        fail_msg("%s", error_text(d->a, &e));
    XXH128_hash_t h = XXH3_128bits(bytes.p, bytes.n);
    buf_free(&bytes);
    uint32_t id = process_state_id(d->learned, d->now_ms, &e);
    assert_int_not_equal(id, PROCESS_NO_STATE);
    assert_int_equal(process_table_intern(d->t, d->live, d->now_ms, &e), id);
    while (d->ids.count <= id) {
        MEM_RESERVE(d->ids.of, d->ids.cap, d->ids.count + 1);
        MEM_RESERVE(d->ids.known, d->ids.known_cap, d->ids.count + 1);
        d->ids.known[d->ids.count++] = false;
    }
    if (d->ids.known[id]) {
        assert_true(XXH128_isEqual(d->ids.of[id], h));
    } else {
        for (size_t i = 0; i < d->ids.count; i++)
            assert_false(d->ids.known[i] && XXH128_isEqual(d->ids.of[i], h));
        d->ids.known[id] = true;
        d->ids.of[id] = h;
    }
}

static void check_looks(pair *d)
{
    buf x = { 0 }, y = { 0 };
    put_looks(d->live, d->now_ms, &x);
    put_looks(d->learned, d->now_ms, &y);
    if (!str_eq(buf_str(&x), buf_str(&y)))
        fail_msg("step %zu\nlive:\n%s\nlearned:\n%s", d->steps, x.p, y.p);
    buf_free(&x);
    buf_free(&y);
}

typedef enum { GIVE_RUN, GIVE_CHOICE, GIVE_INTERRUPT, GIVE_ANSWER, GIVE_UP, GIVE_MESSAGE, GIVE_JUMP } given_kind;

typedef struct {
    given_kind kind;
    uint32_t number;       /* of the task or the request */
    size_t choice;
    reply answer;
    str channel, payload;
    int64_t by_ms;
} given;

static bool give(process *p, const given *g, int64_t now_ms, outputs *out, err *e)
{
    switch (g->kind) {
    case GIVE_RUN: return process_run(p, g->number, now_ms, out, e);
    case GIVE_CHOICE: return process_choose(p, g->number, g->choice, now_ms, out, e);
    case GIVE_INTERRUPT: return process_interrupt(p, g->number, now_ms, out, e);
    case GIVE_ANSWER: return process_answer(p, g->number, &g->answer, now_ms, out, e);
    case GIVE_UP: return process_give_up(p, g->number, g->choice ? S("timeout") : S("lost"), now_ms, out, e);
    case GIVE_MESSAGE: return process_message(p, 0, g->channel, g->payload, S(""), now_ms, out, e);
    case GIVE_JUMP: process_jump_clock(p, g->by_ms); return true;
    }
    return false;
}

/* Gives both the same input and compares what they say. */
static void both(pair *d, given g)
{
    outputs x = { .memory = arena_new() }, y = { .memory = arena_new() };
    err e = { 0 }, f = { 0 };
    bool ok = give(d->live, &g, d->now_ms, &x, &e);
    bool learned_ok = give(d->learned, &g, d->now_ms, &y, &f);
    buf_clear(&d->said_live);
    buf_clear(&d->said_learned);
    put_outputs(&x, &d->said_live);
    put_outputs(&y, &d->said_learned);
    buf_addz(&d->said_live, error_text(d->a, &e));
    buf_addz(&d->said_learned, error_text(d->a, &f));
    if (ok != learned_ok || !str_eq(buf_str(&d->said_live), buf_str(&d->said_learned)))
        fail_msg("step %zu, input %d\nlive:\n%s\nlearned:\n%s", d->steps, (int)g.kind, d->said_live.p,
                 d->said_learned.p);
    for (size_t i = 0; i < x.count; i++)
        if (x.items[i].kind == OUTPUT_REQUEST && d->sent_count < WAITING_MAX)
            d->last_sent = d->sent[d->sent_count++] = x.items[i].request->id;
    if (g.kind == GIVE_ANSWER || g.kind == GIVE_UP) {
        process_forget(d->live, g.number);
        process_forget(d->learned, g.number);
    }
    d->failed = !ok;
    d->steps++;
    arena_free(x.memory);
    arena_free(y.memory);
    err_clear(&e);
    err_clear(&f);
}

static reply any_reply(pair *d)
{
    static const int64_t lengths[] = { 0, 1, -1, 2, 500, 5000, 30000 };
    if (d->calm)
        return rng_below(&d->r, 2) ? reply_nil() : reply_integer(500);
    switch (rng_below(&d->r, 9)) {
    case 0: return reply_nil();
    case 1: return reply_integer(lengths[rng_below(&d->r, COUNT(lengths))]);
    case 2: return reply_integer(d->times ? d->now_ms + (int64_t)rng_below(&d->r, 3) * 700 : 900);
    case 3: return reply_bulk(arena_printf(d->a, "%lld", (long long)(d->now_ms - (int64_t)rng_below(&d->r, 2) * 11)));
    case 4: return reply_bulk(S("A:1"));
    case 5: return reply_ok();
    case 6: return reply_error(rng_below(&d->r, 2) ? S("NOSCRIPT No matching script.") : S("ERR no"));
    case 7: {
        reply list = reply_items(d->a, REPLY_ARRAY, 2);
        list.items[0] = reply_integer(1);
        list.items[1] = reply_integer(d->times ? d->now_ms + 5 : 5);
        return list;
    }
    default: return reply_nil();
    }
}

static str any_channel(pair *d)
{
    static const char *const names[] = { "ch", "redisson_lock__channel:{order:42}",
                                         "redisson_lock__channel:{order:42}:A:1",
                                         "{order:42}:channel", "other" };
    return str_from(names[rng_below(&d->r, COUNT(names))]);
}

/* One random input, or time passes. odds: one in so many is what a world gives only by a fault. */
static void random_input(pair *d, uint64_t odds)
{
    const task_view *tasks;
    size_t n = process_tasks(d->live, &tasks);
    const task_view *t = &tasks[rng_below(&d->r, n)];
    uint64_t kind = rng_below(&d->r, odds);
    if (kind == 0) {
        both(d, (given){ .kind = GIVE_JUMP, .by_ms = rng_below(&d->r, 2) ? 300 : -300 });
    } else if (kind == 1) {
        str time = arena_printf(d->a, "%lld", (long long)d->now_ms + 9);
        both(d, (given){ .kind = GIVE_MESSAGE, .channel = any_channel(d),
                         .payload = rng_below(&d->r, 2) ? S("0") : time });
    } else if (kind <= 3 && d->last_sent) {        /* an answer that comes too late, or was never asked for */
        both(d, (given){ .kind = kind == 2 ? GIVE_ANSWER : GIVE_UP,
                         .number = (uint32_t)rng_below(&d->r, d->last_sent + 3),
                         .answer = any_reply(d), .choice = rng_below(&d->r, 2) });
    } else if (kind == 4 && t->interruptible) {
        both(d, (given){ .kind = GIVE_INTERRUPT, .number = t->id });
    } else if (d->sent_count && rng_below(&d->r, 2)) {
        size_t i = rng_below(&d->r, d->sent_count);
        given g = { .kind = rng_below(&d->r, odds) ? GIVE_ANSWER : GIVE_UP, .number = d->sent[i],
                    .answer = any_reply(d), .choice = 1 };
        d->sent[i] = d->sent[--d->sent_count];
        both(d, g);
    } else if (t->status == TASK_READY || t->status == TASK_WORK ||
               ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms <= d->now_ms)) {
        both(d, (given){ .kind = GIVE_RUN, .number = t->id });
    } else if (t->status == TASK_CHOOSE) {
        both(d, (given){ .kind = GIVE_CHOICE, .number = t->id, .choice = rng_below(&d->r, t->choices) });
    } else if ((t->status == TASK_SLEEP || t->status == TASK_WAIT) && t->wake_ms != INT64_MAX && rng_below(&d->r, 2)) {
        d->now_ms = t->wake_ms;
    } else {
        d->now_ms += d->calm ? 0 : (int64_t)rng_below(&d->r, 3) * 37;
    }
}

/* A life from the beginning, up to `steps` inputs. */
static void live_a_life(pair *d, size_t client, size_t steps, uint64_t odds)
{
    err e = { 0 };
    uint32_t incarnation = (uint32_t)rng_below(&d->r, 2);
    d->live = process_new(d->sc, &any_loader, client, incarnation, d->now_ms, &e);
    d->learned = process_learned(d->t, incarnation, d->now_ms, &e);
    if (!d->live || !d->learned)
        fail_msg("%s", error_text(d->a, &e));
    process *copy = process_learned(d->t, 0, d->now_ms, &e), *other;
    d->sent_count = 0;
    d->last_sent = 0;
    d->failed = false;
    const task_view *tasks;
    for (size_t i = 0; i < steps && !d->failed && process_tasks(d->live, &tasks) > 0; i++) {
        random_input(d, odds);
        if (d->failed)
            break;
        check_looks(d);
        check_id(d);
        if (rng_below(&d->r, 4) == 0) {
            process_assign(copy, d->learned);
            other = copy;
            copy = d->learned;
            d->learned = other;
            check_looks(d);
        }
    }
    process_free(d->live);
    process_free(d->learned);
    process_free(copy);
}

/* odds 0: calm. Returns how many inputs Lua ran to come back to states. */
static uint64_t drive(const char *lua, size_t lives, size_t steps, uint64_t odds, size_t keep)
{
    pair d = { .a = arena_new(), .now_ms = T0, .r = rng_new(7, 1), .times = strstr(lua, "require") == NULL,
               .calm = odds == 0 };
    uint64_t again = 0;
    d.sc = load(d.a, lua);
    for (size_t client = 0; client < d.sc->client_count; client++) {
        d.t = process_table_new(d.sc, &any_loader, client);
        process_table_keep(d.t, keep);
        for (size_t i = 0; i < lives; i++)
            live_a_life(&d, client, steps, odds ? odds : 200);
        str why;
        if (process_table_absolute(d.t, &why))
            fail_msg("absolute: %s", why.p);
        assert_true(process_table_states(d.t) > 1);
        again += process_table_repeated(d.t);
        process_table_free(d.t);
        mem_free(d.ids.of);
        mem_free(d.ids.known);
        d.ids = (bytes_by_id){ 0 };
    }
    buf_free(&d.said_live);
    buf_free(&d.said_learned);
    arena_free(d.a);
    return again;
}

#define USE(module, body, fields) \
    "local m = require '" module "' return { title = 't', clients = { 'A' }, program = function(me) " body " end, " \
    fields " }"
#define ROUNDS "local lock = m.lock(me, 'order:42') while true do if lock:acquire() then me:work(100) lock:release() " \
    "end end"

static const char *const drivers[] = {
    USE("redisson.lock", ROUNDS, "faults = { interrupt = 1 }"),
    USE("redisson.fair", ROUNDS, "faults = { pause = 1 }"),
    USE("redisson.fair", "local lock = m.lock(me, 'order:42') for _ = 1, 3 do lock:acquire() end me:work() for _ = 1, "
        "3 do lock:release() end", ""),
    USE("redisson.fair_3_13", ROUNDS, ""),
    USE("notes.fair", ROUNDS, ""),
    USE("notes.reentrant_mended", ROUNDS, ""),
    "local own = require('generic').lock { acquire = 'acquire.lua', release = 'release.lua', keys = { '$lock' }, "
    "args = { acquire = { '$owner', '$lease_ms' }, release = { '$owner' } }, granted = 1, holder = 'string value', "
        "wait = 'pubsub', "
    "retry_ms = 250, lease_ms = 1000 } "
    "return { title = 't', clients = { 'A' }, program = function(me) local lock = own.lock(me, 'order:42') "
    "while true do if lock:acquire() then me:work(100) lock:release() end end end }",
    USE("simple.string", ROUNDS, ""),
    USE("simple.counted", ROUNDS, ""),
    "local m = require 'redisson.lock' return { title = 't', clients = { { 'A', threads = 2, skew_ms = 250, start_ms = "
        "10 } }, "
    "work_ms = { 10, 20 }, program = function(me) local lock = m.lock(me, 'order:42') if lock:acquire() then me:work() "
    "lock:release() end end }",
    /* All that there is in the driver API, at once. */
    "return { title = 't', clients = { 'A' }, program = function(me) \n"
    " local s = me:semaphore(1) \n"
    " me:subscribe('ch', function(h, m) h:log('got ' .. m .. ' at ' .. h:now()) s:release(1) h:sleep(5) h:log('end') "
        "end) \n"
    " for i = 1, 3 do \n"
    "  local f = me:send('GET', { 'k' }) \n"
    "  f:on_answer(function(t, v) t:log('answer') t:granted('L', { token = t:now() + 3, lease = 20 }) t:sleep(3) "
        "t:released('L') end) \n"
    "  local until_ms = me:now() + 500 \n"
    "  local w = me:spawn('w', function(t) t:sleep(2) t:step() t:call('SET', 'k', until_ms, { op = 'set' }) end, { "
        "daemon = true }) \n"
    "  local v = f:wait(100) \n"
    "  me:use('r', 3) me:log(tostring(v)) \n"
    "  local c = me:choose { 1, 2, 'x' } \n"
    "  if c == 1 then w:cancel() elseif c == 2 then w:join(7) else s:acquire(10) end \n"
    "  if me:now() < until_ms then me:call('PEXPIREAT', 'k', until_ms) end \n"
    "  me:unique('id') \n"
    " end me:unsubscribe('ch') end }",
};

enum { IMAGES = 64 * 1024 * 1024 };

/* Property: equal inputs, equal outputs, looks and names of states. */
static void a_learned_process_does_what_a_live_one_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(drivers); i++)
        drive(drivers[i], 30, 60, 40, IMAGES);
}

/* The same where no state is saved, where few are, and where all are: then hardly one is come back to by repetition. */
static void states_are_come_back_to(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(drivers); i++) {
        uint64_t repeated = drive(drivers[i], 30, 25, 0, 0), few = drive(drivers[i], 30, 25, 0, 400000),
                 restored = drive(drivers[i], 30, 25, 0, IMAGES);
        assert_true(repeated > 0 && few <= repeated && 4 * restored <= repeated);
        assert_true(drive(drivers[i], 30, 25, 40, 400000) <= drive(drivers[i], 30, 25, 40, 0));
    }
}

/* ---- one table, few inputs ---- */

typedef struct {
    arena *a;
    scenario *sc;
    process_table *t;
    process *p;
    outputs out;
    err e;
    int64_t now_ms;
} one;

static one begin(const char *lua)
{
    one o = { .a = arena_new(), .now_ms = T0 };
    o.sc = load(o.a, lua);
    o.t = process_table_new(o.sc, &any_loader, 0);
    o.out.memory = o.a;
    o.p = process_learned(o.t, 0, T0, &o.e);
    return o;
}

static one begin_program(arena *a, const char *body)
{
    return begin(arena_printf(a, "return { title = 't', clients = { 'A' }, program = function(me) %s end }", body).p);
}

static void end(one *o)
{
    process_free(o->p);
    process_table_free(o->t);
    err_clear(&o->e);
    arena_free(o->a);
}

static bool run(one *o, uint32_t task)
{
    return process_run(o->p, task, o->now_ms, &o->out, &o->e);
}

static bool answer(one *o, uint32_t request, reply r)
{
    return process_answer(o->p, request, &r, o->now_ms, &o->out, &o->e);
}

/* Property: what was seen once runs no Lua again, at no other time and in no other process. */
static void what_is_known_runs_no_lua(void **state)
{
    (void)state;
    arena *a = arena_new();
    one o = begin_program(a, "for i = 1, 3 do me:call('SET', 'k', me:now()) me:sleep(10) end");
    uint64_t runs = 0;
    for (int life = 0; life < 3; life++) {
        process_free(o.p);
        o.now_ms += 12345 * life;
        o.p = process_learned(o.t, 0, o.now_ms, &o.e);
        for (uint32_t i = 1; i <= 3; i++) {
            assert_true(run(&o, 0));
            assert_true(answer(&o, i, reply_ok()));
            const output *sent = &o.out.items[o.out.count - 1];
            assert_int_equal(sent->kind, OUTPUT_REQUEST);
            assert_int_equal(sent->request->id, i);
            assert_string_equal(sent->request->argv[2].p, arena_printf(a, "%lld", (long long)o.now_ms).p);
            const task_view *t;
            assert_int_equal(process_tasks(o.p, &t), 1);
            assert_int_equal(t[0].wake_ms, o.now_ms + 10);
            o.now_ms += 10;
        }
        assert_true(run(&o, 0));
        assert_int_equal(o.out.items[o.out.count - 1].kind, OUTPUT_ENDED);
        assert_string_equal(o.out.items[o.out.count - 1].announcement.who.p, "A:1");
        if (life == 0)
            runs = process_table_runs(o.t);
    }
    assert_int_equal(runs, 7);
    assert_int_equal(process_table_runs(o.t), runs);
    /* at two instants, and nothing had to be come back to */
    assert_int_equal(process_table_runs_all(o.t), 2 * runs);
    end(&o);
    arena_free(a);
}

/* Property: an error is learned like anything else. */
static void errors_are_learned(void **state)
{
    (void)state;
    static const struct { const char *body, *error; } row[] = {
        { "me:call('GET', 'k') error('boom')", "boom" },
        { "me:call('GET', 'k') local t = {} t[1] = 1 t[2] = 2 t[4] = 4 me:call('GET', 'k') me:log(#t)",
          "no canonical form" },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        one o = begin_program(a, row[i].body);
        assert_true(run(&o, 0));
        process *copy = process_learned(o.t, 0, T0, &o.e);
        process_assign(copy, o.p);
        assert_false(answer(&o, 1, reply_nil()));
        assert_int_equal(o.e.class_, ERR_DRIVER);
        assert_non_null(strstr(o.e.message.p, row[i].error));
        assert_string_equal(o.e.path.p, "test.lua");
        const char *first = error_text(a, &o.e);
        uint64_t runs = process_table_runs(o.t);
        process_free(o.p);
        o.p = copy;
        err_clear(&o.e);
        assert_false(answer(&o, 1, reply_nil()));
        assert_string_equal(error_text(a, &o.e), first);
        assert_int_equal(process_table_runs(o.t), runs);
        err_clear(&o.e);
        assert_int_equal(process_state_id(o.p, T0, &o.e), PROCESS_NO_STATE);
        assert_string_equal(error_text(a, &o.e), first);
        end(&o);
    }
    arena_free(a);
}

/* ---- what a step does not look at ---- */

/* A first step that keeps an instant and asks; the answer comes after several gaps, and what is done then is `body`. */
static const char asking[] = "local t = me:now() me:call('GET', 'k') %s me:call('DEL', 'k') me:call('GET', 'k') "
                             "me:log(me:now() - t)";

/* Timers that are due, each once. */
static void run_due(process *p, int64_t now_ms, outputs *out)
{
    const task_view *t;
    err e = { 0 };
    for (size_t k = process_tasks(p, &t); k-- > 0;)
        if (process_tasks(p, &t) > k && t[k].status == TASK_SLEEP && t[k].wake_ms <= now_ms)
            assert_true(process_run(p, t[k].id, now_ms, out, &e));
}

/* One life of a learned process and of a live one: both do and are the same when the first answer comes gap_ms later,
 * and the next one after that. */
static void live_with_gap(one *o, int64_t gap_ms)
{
    err e = { 0 };
    process *live = process_new(o->sc, &any_loader, 0, 0, T0, &e), *learned = process_learned(o->t, 0, T0, &e);
    buf of_live = { 0 }, of_learned = { 0 };
    process *both[] = { live, learned };
    buf *texts[] = { &of_live, &of_learned };
    int64_t ends_ms = T0;
    for (int i = 0; i < 2; i++) {
        outputs out = { .memory = o->a };
        reply nil = reply_nil();
        const task_view *t;
        int64_t now_ms = T0;
        for (uint32_t k = (uint32_t)process_tasks(both[i], &t); k-- > 0;)
            assert_true(process_run(both[i], k, now_ms, &out, &e));
        size_t first = process_tasks(both[i], &t);
        for (uint32_t k = 0; k < first; k++)       /* what the first one spawned */
            if (process_tasks(both[i], &t) > k && t[k].status == TASK_READY)
                assert_true(process_run(both[i], t[k].id, now_ms, &out, &e));
        assert_true(process_tasks(both[i], &t) > 0 && t[0].status == TASK_REQUEST);
        for (int64_t waited_ms = gap_ms, round = 0; round < 2; round++, waited_ms = 3) {
            now_ms += waited_ms;
            if (process_tasks(both[i], &t) == 0 || t[0].status != TASK_REQUEST)
                continue;
            assert_true(process_answer(both[i], t[0].request, &nil, now_ms, &out, &e));
            run_due(both[i], now_ms, &out);
            put_looks(both[i], now_ms, texts[i]);
        }
        put_outputs(&out, texts[i]);
        ends_ms = now_ms;
    }
    if (!str_eq(buf_str(&of_live), buf_str(&of_learned)))
        fail_msg("after %lld ms, live:\n%.*s\nlearned:\n%.*s", (long long)gap_ms, STR_ARG(buf_str(&of_live)),
                 STR_ARG(buf_str(&of_learned)));
    assert_int_equal(process_table_intern(o->t, live, ends_ms, &e), process_state_id(learned, ends_ms, &e));
    buf_free(&of_live);
    buf_free(&of_learned);
    process_free(live);
    process_free(learned);
}

/* Property: a step that looks at no instant and at no timer of others runs its Lua once, whenever it comes; one that
 * looks, in whatever way, does at each instant what a live process does. */
static void a_step_is_learned_for_all_that_it_does_not_look_at(void **state)
{
    (void)state;
    /* what is learned first, of an instant in the past, is not what holds for one that is now */
    static const int64_t gaps[] = { 5, 0, 1, 4, 6, 9, 10, 11, 49, 50, 51, 1000, 30001 };
    static const struct { const char *body; bool looks; } row[] = {
        { "", false },
        { "local u, v = t, { t } me:log(type(u))", false },
        { "if t and t ~= nil then me:log('is there') end", false },
        { "local u = me:now() me:call('SET', 'x', u)", false },
        { "local a, b = t, me:now() me:call('GET', 'x') me:log(b - a)", true },
        { "local u = me:now() me:call('GET', 'x') me:call('GET', 'x') me:log(u - t)", false },
        { "local f = (function(u) return function() return u end end)(t) me:call('GET', 'x') me:log(type(f()))",
          false },
        { "local f = (function(u) return function() return u end end)(t) me:call('GET', 'x') me:log(me:now() - f())",
          true },
        { "local v = { { t } } me:call('GET', 'x') me:log(type(v[1][1]))", false },
        { "local v = { { t } } me:call('GET', 'x') me:log(me:now() - v[1][1])", true },
        { "me:log(string.format('%d', t))", true },
        { "local l = { me:now(), t } table.sort(l) if l[2] == l[1] then me:log('at once') end", true },
        { "me:log(('x'):rep(me:now() - t))", true },
        { "me:log((select((me:now() - t) % 2 + 1, 'a', 'b')))", true },
        { "local v = { t } me:call('GET', 'x') v[t] = t me:log(me:now() - next(v, 1))", true },
        { "local k = { [t] = 1 } me:call('GET', 'x') for a in pairs(k) do me:call('SET', 'x', me:now() - a) end",
          true },
        { "if me:now() - t > 10 then me:log('late') end", true },
        { "if me:now() > t then me:log('late') end", true },
        { "if t < 0 then me:log('negative') end", true },
        { "if t == me:now() then me:log('at once') end", true },
        { "if rawequal(t, me:now()) then me:log('at once') end", true },
        { "if -t == -me:now() then me:log('at once') end", true },
        { "if t .. ' at' == me:now() .. ' at' then me:log('at once') end", true },
        { "if 'at ' .. t == 'at ' .. me:now() then me:log('at once') end", true },
        { "if 'a' .. t .. 'b' .. 'c' == 'a' .. me:now() .. 'bc' then me:log('at once') end", true },
        { "if tostring(t) == tostring(me:now()) then me:log('at once') end", true },
        { "if string.format('%s', t) == string.format('%s', me:now()) then me:log('at once') end", true },
        { "if ('%.0f'):format(t) == ('%.0f'):format(me:now()) then me:log('at once') end", true },
        { "if string.upper(t) == string.upper(me:now()) then me:log('at once') end", true },
        { "if table.concat({ t, 1 }, ',') == table.concat({ me:now(), 1 }, ',') then me:log('at once') end", true },
        { "if ('x'):gsub('x', { x = t }) == tostring(me:now()) then me:log('at once') end", true },
        { "local _, m = pcall(assert, false, t) if m == tostring(me:now()) then me:log('at once') end", true },
        { "if ({ [me:now()] = 'here' })[t] then me:log('at once') end", true },
        { "if math.max(t, me:now() - 5) ~= t then me:log('late') end", true },
        { "if math.abs(t) == me:now() then me:log('at once') end", true },
        { "if math.floor(t) == math.floor(me:now()) then me:log('at once') end", true },
        { "if math.ceil(t) == math.ceil(me:now()) then me:log('at once') end", true },
        { "if math.modf(t) == math.modf(me:now()) then me:log('at once') end", true },
        { "if math.frexp(t) == math.frexp(me:now()) then me:log('at once') end", true },
        { "if math.ldexp(t, 1) == math.ldexp(me:now(), 1) then me:log('at once') end", true },
        { "if math.sqrt(t) == math.sqrt(me:now()) then me:log('at once') end", true },
        { "if math.log(t) == math.log(me:now()) then me:log('at once') end", true },
        { "if math.sin(t) == math.sin(me:now()) then me:log('at once') end", true },
        { "if math.atan2(t, 1) == math.atan2(me:now(), 1) then me:log('at once') end", true },
        { "if math.tanh(t - t) == math.tanh(me:now() - t) then me:log('at once') end", true },
        { "for i = t, me:now(), 10 do me:log('x') end", true },
        { "me:sleep(me:now() - t)", true },
        { "me:log(t)", true },
        { "me:call('SET', 'k', t)", true },
        { "me:use('r', t)", true },
        { "me:granted('L', { token = t })", true },
        { "local w = coroutine.wrap(function(u) if u == me:now() then me:log('at once') end end) w(t)", true },
        { "local ok = pcall(function() if t == me:now() then error('at once') end end) me:log(tostring(ok))", true },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        one o = begin_program(a, arena_printf(a, asking, row[i].body).p);
        uint64_t first = 0;
        for (size_t k = 0; k < COUNT(gaps); k++) {
            live_with_gap(&o, gaps[k]);
            if (k == 1)                /* what is kept at once, two instants that are equal, is another piece */
                first = process_table_runs(o.t);
        }
        if (!row[i].looks && process_table_runs(o.t) != first)
            fail_msg("%s: %d more runs", row[i].body, (int)(process_table_runs(o.t) - first));
        if (row[i].looks && process_table_runs(o.t) < first + COUNT(gaps) - 2)
            fail_msg("%s: it was not seen to look", row[i].body);
        str why;
        assert_false(process_table_absolute(o.t, &why));
        end(&o);
    }
    arena_free(a);
}

/* Property: what is learned while two instants are equal does not hold where they are two, nor the other way round. */
static void equal_instants_are_another_piece(void **state)
{
    (void)state;
    static const char body[] = "local u = me:now() me:call('GET', 'x') me:call('GET', 'x') me:log(u - t)";
    static const int64_t gaps[][4] = { { 0, 5, 1, 0 }, { 5, 0, 1, 5 } };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(gaps); i++) {
        one o = begin_program(a, arena_printf(a, asking, body).p);
        for (size_t k = 0; k < COUNT(gaps[i]); k++)
            live_with_gap(&o, gaps[i][k]);
        end(&o);
    }
    arena_free(a);
}

/* Its first request is a future's: that is answered with an instant at once, and held for gap_ms. */
static void hold_a_future(one *o, int64_t gap_ms)
{
    err e = { 0 };
    process *both[] = { process_new(o->sc, &any_loader, 0, 0, T0, &e), process_learned(o->t, 0, T0, &e) };
    buf texts[2] = { { 0 }, { 0 } };
    for (int i = 0; i < 2; i++) {
        outputs out = { .memory = o->a };
        reply at = reply_integer(T0), nil = reply_nil();
        const task_view *t;
        assert_int_equal(process_tasks(both[i], &t), 1);
        assert_true(process_run(both[i], t[0].id, T0, &out, &e));
        assert_true(process_answer(both[i], 1, &at, T0, &out, &e));
        for (uint32_t request = 2; request <= 3; request++)
            assert_true(process_answer(both[i], request, &nil, T0 + gap_ms + 3 * (request - 2), &out, &e));
        put_outputs(&out, &texts[i]);
    }
    assert_true(str_eq(buf_str(&texts[0]), buf_str(&texts[1])));
    int64_t ends_ms = T0 + gap_ms + 3;
    assert_int_equal(process_table_intern(o->t, both[0], ends_ms, &e), process_state_id(both[1], ends_ms, &e));
    for (int i = 0; i < 2; i++) {
        buf_free(&texts[i]);
        process_free(both[i]);
    }
}

/* Property: what a future, an upvalue or a table within a table holds is an instant like others. */
static void an_answer_that_is_kept_can_be_hidden(void **state)
{
    (void)state;
    static const char holding[] =
        "local f = me:send('GET', { 'f' }, {}) local v = { { me:now() } } "
        "local c = (function(u) return function() return u end end)(me:now()) "
        "me:call('GET', 'k') me:call('DEL', 'k') %s me:call('GET', 'k')";
    static const char *const last[] = { "me:log(type(f:wait()))", "me:log(type(c()))", "me:log(type(v[1][1]))",
                                        "me:log(me:now() - f:wait())", "me:log(me:now() - c())",
                                        "me:log(me:now() - v[1][1])" };
    static const int64_t gaps[] = { 5, 1, 4, 30001 };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(last); i++) {
        one o = begin_program(a, arena_printf(a, holding, last[i]).p);
        hold_a_future(&o, gaps[0]);
        uint64_t first = process_table_runs(o.t);
        for (size_t k = 1; k < COUNT(gaps); k++)
            hold_a_future(&o, gaps[k]);
        assert_int_equal(process_table_runs(o.t) > first, 2 * i >= COUNT(last));
        end(&o);
    }
    arena_free(a);
}

/* Property: a timer of another task goes on; one that was set anew does not. */
static void timers_of_other_tasks_go_on(void **state)
{
    (void)state;
    static const int64_t gaps[] = { 0, 1, 7, 49, 50, 51, 52, 90 };
    static const char *const body[] = {
        "me:spawn('w', function(w) w:sleep(50) w:call('DEL', 'x') end) me:call('GET', 'k') me:step()",
        "me:spawn('w', function(w) w:sleep(50) w:sleep(60) end) me:spawn('v', function(v) v:sleep(170) end) "
        "me:call('GET', 'k') me:sleep(50)",
        "local s = me:semaphore(0) me:spawn('w', function(w) s:acquire(50) w:sleep(50) end) me:call('GET', 'k') "
        "s:release(1) me:step()",
        "local s = me:semaphore(0) me:spawn('w', function(w) while true do s:acquire(50) end end) me:call('GET', 'k') "
        "s:release(1) me:step()",
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(body); i++) {
        one o = begin_program(a, body[i]);
        for (size_t k = 0; k < COUNT(gaps); k++)
            live_with_gap(&o, gaps[k]);
        end(&o);
    }
    arena_free(a);
}

/* What depends on the time itself is found out; what depends on the time that has passed is not accused. */
static void what_depends_on_the_time_itself_is_found(void **state)
{
    (void)state;
    static const struct { const char *body; const char *why; } row[] = {
        { "if me:now() % 2 == 0 then me:sleep(1) else me:step() end", "(test.lua:1)" },
        { "local x = me:now() % 1000 me:call('GET', 'k') me:log(tostring(x))", "what client 'A' remembers" },
        { "me:call('SET', 'k', me:now() % 60000)", "what client 'A' sends as \"set\"" },
        { "me:call('SET', 'k', 'at ' .. me:now())", "sends" },
        { "me:granted('L', { token = me:now() % 7 + 1 })", "announces" },
        /* each thing that is said of a request or a grant, by itself */
        { "me:send('return 1', {}, {}, { op = 'x', lease = me:now() % 60000 })", "sends as \"x\"" },
        { "me:send('return 1', {}, {}, { op = 'x', timeout_ms = me:now() % 60000 + 1 })", "sends as \"x\"" },
        { "me:send('return 1', {}, {}, { op = 'release', lock = 'L', permits = me:now() % 7 + 1 })",
          "sends as \"release\"" },
        { "me:send('return 1', {}, {}, { op = 'x' .. me:now() % 7 })", "sends as" },
        { "me:send('return 1', {}, {}, { op = 'x', lock = 'L' .. me:now() % 7 })", "sends as \"x\"" },
        { "me:send('return 1', {}, {}, { op = 'x', resend = me:now() % 2 == 0 })", "sends as \"x\"" },
        { "me:send('return 1', {}, {}, { op = 'x', again = me:now() % 2 == 0 })", "sends as \"x\"" },
        { "me:send(me:now() % 2 == 0 and 'return 1' or 'return 2', {}, {}, { op = 'x' })", "sends as \"x\"" },
        { "me:granted('L', { lease = me:now() % 60000 })", "announces" },
        { "me:granted('L', { renew_ms = me:now() % 60000 + 1 })", "announces" },
        { "me:granted('L', { count = me:now() % 7 })", "announces" },
        { "me:granted('L', { mode = me:now() % 2 == 0 and 'read' or 'write' })", "announces" },
        { "me:use('r' .. me:now() % 7)", "announces" },
        { "if me:now() % 2 == 0 then me:log('even') me:log('even') end", "what client 'A'" },
        { "if me:now() % 2 == 1 then error('odd') end", "what client 'A'" },
        /* true at one instant in many, and at neither of two */
        { "me:sleep(5) if me:now() % 10 == 7 then me:log('seven') end", "makes of an instant" },
        { "me:sleep(5)\n local t = { at = me:now() }\n if t.at % 1000 == 7 then me:log('seven') end", "(test.lua:3)" },
        { "me:sleep(6) if me:now() / 8 == math.floor(me:now() / 8) then me:log('round') end", "makes of an instant" },
        { "if math.fmod(me:now() + 5, 10) == 7 then me:log('seven') end", "makes of an instant" },
        { "if tostring(me:now()):sub(-1) == '7' then me:log('seven') end", "makes of an instant" },
        { "if ('' .. me:now()):find('7$') then me:log('seven') end", "makes of an instant" },
        { "local w = coroutine.wrap(function(t) return t % 10 == 7 end) if w(me:now()) then me:log('seven') end",
          "makes of an instant" },
        { "local began_ms = me:now() me:sleep(7) if (me:now() - began_ms) % 2 == 1 then me:log('odd') end", NULL },
        { "local until_ms, n = me:now() + 2 * 3, 7 if me:now() >= until_ms or n % 2 == 0 then me:log('late') end "
          "me:sleep(n / 7)", NULL },
        { "local began_ms = me:now() me:sleep(10) if me:now() - began_ms > 5 then me:log('late') end", NULL },
        { "local text = tostring(me:now()) me:call('SET', 'k', text) me:log('now ' .. me:now()) me:log(text)", NULL },
        { "local t = { [me:now() + 5] = 'x' } me:call('GET', 'k') for k, v in pairs(t) do me:call('SET', v, k - "
          "me:now()) end", NULL },
        { "me:granted('L', { token = me:now() }) me:use('r', me:now() + 7) me:sleep(3)", NULL },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        one o = begin_program(a, row[i].body);
        bool ok = run(&o, 0);
        const task_view *t;
        while (ok && process_tasks(o.p, &t) > 0) {
            o.now_ms = t[0].status == TASK_SLEEP ? t[0].wake_ms : o.now_ms + 3;
            ok = t[0].status == TASK_REQUEST ? answer(&o, t[0].request, reply_nil()) : run(&o, 0);
        }
        str why;
        if (process_table_absolute(o.t, &why) != (row[i].why != NULL) || (row[i].why && !strstr(why.p, row[i].why)))
            fail_msg("%s: %.*s", row[i].body, STR_ARG(why));
        assert_true(!row[i].why || strstr(why.p, "(test.lua"));
        end(&o);
    }
    arena_free(a);
}

/* Property: ageing names the state that freezing finds, where a number stops being an instant or begins to be one,
 * too. */
static void numbers_leave_and_enter_the_window(void **state)
{
    (void)state;
    static const int64_t elapsed_ms[] = { 0, 1, 400000000, 600000000, 999999999, 1000000000, 1000000001, 2500000000,
                                          5000000000 };
    static const char *const body[] = {
        "local past_ms = me:now() me:call('GET', 'k') me:log(past_ms)",
        "local ahead = 1701500000000 me:call('GET', 'k') me:log(ahead)",
        "me:sleep(1200000000)",
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(body); i++) {
        one o = begin_program(a, body[i]);
        assert_true(run(&o, 0));
        process *live = process_new(o.sc, &any_loader, 0, 0, T0, &o.e), *aged = process_learned(o.t, 0, T0, &o.e);
        assert_true(process_run(live, 0, T0, &o.out, &o.e));
        for (size_t k = 0; k < COUNT(elapsed_ms); k++) {
            process_assign(aged, o.p);
            int64_t now_ms = T0 + elapsed_ms[k];
            uint32_t id = process_state_id(aged, now_ms, &o.e);
            assert_int_not_equal(id, PROCESS_NO_STATE);
            assert_int_equal(process_table_intern(o.t, live, now_ms, &o.e), id);
            buf x = { 0 }, y = { 0 };
            put_looks(live, now_ms, &x);
            put_looks(aged, now_ms, &y);
            assert_string_equal(x.p, y.p);
            buf_free(&x);
            buf_free(&y);
        }
        process_free(live);
        process_free(aged);
        end(&o);
    }
    arena_free(a);
}

static reply read_nothing(void *context, uint32_t server, const str *argv, size_t argc, arena *a)
{
    (void)context; (void)server; (void)argv; (void)argc; (void)a;
    return reply_integer(7);
}

/* Property: a learned process views its locks as a live one would, whichever of several it has registered. */
static void views_are_looked_through_a_live_process(void **state)
{
    (void)state;
    one o = begin(FIXTURE_LOCK
                  "local other = { view = function(redis, name) return { ttl_ms = redis.call('PTTL', name), keys = { "
                  "name } } end } return { title = 't', clients = { 'A' }, always = function(v) return v.ttl_ms > 3, "
                  "'short' end, program = function(me) me:observe('one', other) me:call('GET', 'k') me:observe('two', "
                  "other) me:call('GET', 'k') end }");
    lock_view v;
    assert_true(run(&o, 0));
    for (size_t n = 1; n <= 2; n++) {
        const observed *list;
        assert_int_equal(process_observed(o.p, &list), n);
        for (size_t i = 0; i < n; i++) {
            assert_true(process_view(o.p, i, T0, read_nothing, NULL, o.a, &v, &o.e));
            assert_string_equal(v.lock.p, i ? "two" : "one");
            assert_string_equal(v.keys[0].p, i ? "two" : "one");
            assert_int_equal(v.ttl_ms, 7);
        }
        assert_true(answer(&o, (uint32_t)n, reply_nil()));
    }
    bool ok;
    str why;
    assert_true(process_always(o.p, &(always_asked){ .view = &v }, T0, o.a, &ok, &why, &o.e));
    assert_true(ok);
    v.ttl_ms = 2;
    assert_true(process_always(o.p, &(always_asked){ .view = &v }, T0, o.a, &ok, &why, &o.e));
    assert_false(ok);
    assert_string_equal(why.p, "short");
    end(&o);
}

/* What cannot begin is no process, and says why; what cannot begin once cannot begin again. */
static void what_does_not_load_is_no_process(void **state)
{
    (void)state;
    one o = begin("local t = {} t[1] = 1 t[2] = 2 t[4] = 4 return { title = 't', clients = { 'A' }, program = "
                  "function(me) me:log(#t) end }");
    assert_null(o.p);
    assert_int_equal(o.e.class_, ERR_DRIVER);
    err_clear(&o.e);
    assert_null(process_learned(o.t, 0, T0, &o.e));
    assert_int_equal(o.e.class_, ERR_DRIVER);
    end(&o);
}

int main(void)
{
    fixture_files = own_scripts;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_runs_no_lua),
        cmocka_unit_test(errors_are_learned),
        cmocka_unit_test(a_step_is_learned_for_all_that_it_does_not_look_at),
        cmocka_unit_test(equal_instants_are_another_piece),
        cmocka_unit_test(an_answer_that_is_kept_can_be_hidden),
        cmocka_unit_test(timers_of_other_tasks_go_on),
        cmocka_unit_test(what_depends_on_the_time_itself_is_found),
        cmocka_unit_test(numbers_leave_and_enter_the_window),
        cmocka_unit_test(views_are_looked_through_a_live_process),
        cmocka_unit_test(what_does_not_load_is_no_process),
        cmocka_unit_test(states_are_come_back_to),
        cmocka_unit_test(a_learned_process_does_what_a_live_one_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
