/* pair.c - two servers, the same steps; see pair.h. */
#define _GNU_SOURCE
#include "pair.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/mem.h"
#include "normal.h"
#include "script/script.h"

#define START_MS INT64_C(1700000000000)
enum {
    OUTSTANDING_MAX = 256, /* replies that are sent for before they are read, about */
    SEND_AHEAD = 64,       /* of these, how many are kept back: theirs works while ours does */
    HUNG_MS = 60000,
    LATE_MS = 1000,
    ROUNDS_MAX = 200,      /* of the server, until what has not come never will */
};

typedef enum { A_REPLY, A_MESSAGE, A_CLOCK, A_LOOK, AN_ENCODING } sort;

/* What theirs has to send next on a connection. */
typedef struct {
    sort sort;
    int conn;
    normal forgive;
    const step *step;
    size_t number;
    const str *argv;       /* what was sent, if it is not the step's own command */
    size_t argc;
    size_t from, to;       /* of ours, in pair.bytes */
} expected;

typedef struct {
    const str *argv;
    size_t argc;
    sort sort;
    normal forgive;
    size_t from, to;
} glance;

struct pair {
    real *real;
    real_conn *theirs[CONNS_MAX + 1];              /* the last one is for what is no step */
    redis *sim;
    redis_conn *ours[CONNS_MAX + 1];
    int resp;
    unsigned look_every;
    bool events;                                   /* see pair_tell_events */
    int64_t now_ms, unsent_ms;                     /* the latter: theirs has not been told yet */
    bool in_multi[CONNS_MAX], watching[CONNS_MAX];
    bool sorts;                                    /* a SORT is queued by MULTI */

    expected *queue;
    size_t queued, queue_cap, unsent;
    int last_conn;
    buf bytes;                                     /* of our replies, since the last settling */
    arena *words;                                  /* of what we sent, since then */
    arena *scratch;                                /* of one command */
    const step *running;
    size_t running_number;

    glance *glances;                               /* the last look, while it still holds */
    size_t glance_count, glance_cap;
    uint64_t glance_writes;
    int64_t glance_ms;

    bool differs;
    difference found;
    buf told[3];                                   /* its texts */
    buf answer;                                    /* of theirs */
    buf mine;                                      /* our answer to the last step */
    str table_key;                                 /* replies were forgiven if this key's encoding is a hash table */
    bool table;                                    /* the last encoding was one */
    uint64_t compared;
};

/* ---- what is expected of theirs ---- */

static str ours_of(const pair *t, const expected *e) { return str_slice(buf_str(&t->bytes), e->from, e->to); }

static void expect(pair *t, expected e)
{
    MEM_RESERVE(t->queue, t->queue_cap, t->queued + 1);
    t->queue[t->queued++] = e;
}

static void message_frame(void *context, uint32_t conn, str channel, str payload, str pattern)
{
    pair *t = context;
    size_t from = t->bytes.n;
    bool shard = str_starts_nocase(channel, S("shard"));  /* no channel of another kind is named so */
    str words[] = { pattern.p ? S("pmessage") : shard ? S("smessage") : S("message"), pattern, channel, payload };
    buf_printf(&t->bytes, "%c%d\r\n", t->resp == 3 ? '>' : '*', pattern.p ? 4 : 3);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (i == 1 && !pattern.p)
            continue;
        buf_printf(&t->bytes, "$%zu\r\n", words[i].n);
        buf_add(&t->bytes, words[i]);
        buf_addz(&t->bytes, "\r\n");
    }
    expect(t, (expected){ .sort = A_MESSAGE, .conn = (int)conn - 1, .step = t->running, .number = t->running_number,
                          .from = from, .to = t->bytes.n });
}

static void run_ours(pair *t, int conn, const str *argv, size_t argc, buf *out)
{
    arena_reset(t->scratch);
    reply r = redis_execute(t->sim, t->ours[conn], argv, argc, t->now_ms, t->scratch);
    reply_encode(&r, t->resp, out);
}

/* ---- comparing ---- */

static bool tell(pair *t, const expected *e, str theirs, str ours)
{
    for (int i = 0; i < 3; i++)
        buf_clear(&t->told[i]);
    if (e->argv)
        paste_command(e->argv, e->argc, &t->told[0]);
    buf_add(&t->told[1], theirs);
    buf_add(&t->told[2], ours);
    t->found = (difference){ e->number, buf_str(&t->told[0]), buf_str(&t->told[1]), buf_str(&t->told[2]) };
    t->differs = true;
    return false;
}

/* Both popped at random: ours gets its own back and loses theirs. Had the set emptied, both had popped all of it. */
static void same_pops(pair *t, const step *s, str theirs, str popped)
{
    static str mine[4096], gone[4098];
    str both[2] = { popped, theirs };
    buf unused = { 0 };
    for (int side = 0; side < 2; side++) {
        size_t n = 1;
        bool whole = normal_elements(both[side], mine, COUNT(mine), &n);
        assert(whole);
        gone[0] = side == 0 ? S("sadd") : S("srem");
        gone[1] = s->argv[1];
        for (size_t i = 0; i < n; i++)
            gone[2 + i] = str_slice(mine[i], str_find(mine[i], '\n', 0) + 1, mine[i].n - 2);
        run_ours(t, s->conn, gone, 2 + n, &unused);
    }
    buf_free(&unused);
}

static bool same_answer(pair *t, const expected *e)
{
    str theirs = buf_str(&t->answer), ours = ours_of(t, e);
    t->compared++;
    if (e->sort == AN_ENCODING) {
        bool small_set = e->forgive == TABLE_ORDER && str_eq(theirs, S("$8\r\nlistpack\r\n"));
        t->table = str_eq(theirs, S("$9\r\nhashtable\r\n")) || small_set;
        if (t->table && t->table_key.p && str_eq(t->table_key, e->argv[2]))
            t->table_key.p = NULL;
        return true;
    }
    if (t->table_key.p && e->sort == A_REPLY)
        return t->differs = true, false;    /* no look found the key kept in a hash table: what was told stands */
    if (str_eq(theirs, ours))
        return true;
    if (!normal_same(e->forgive, e->step, theirs, ours))
        return tell(t, e, theirs, ours);
    if (e->forgive == OPEN_POP)
        same_pops(t, e->step, theirs, ours);
    if (e->forgive == TABLE_ORDER || e->forgive == TABLE_ORDER_PAIRS) {
        if (e->sort == A_LOOK)
            return t->table || tell(t, e, theirs, ours);
        t->table_key = e->step->argv[1];
        tell(t, e, theirs, ours);
        t->differs = false;
    }
    return true;
}

static size_t frames_of(str bytes)
{
    size_t n = 0;
    for (size_t at = 0, frame; at < bytes.n; n++, at += frame) {
        frame = resp_length(str_slice(bytes, at, bytes.n));
        assert(frame > 0 && frame <= bytes.n - at);    /* ours is always whole */
    }
    return n;
}

/* What never comes must not be waited for: while another connection is answered, the server reads a piece of each and
 * writes what there is to write. */
static bool read_frame(pair *t, int conn)
{
    for (int i = 0; i < ROUNDS_MAX; i++) {
        buf pong = { 0 };
        if (real_read_within(t->theirs[conn], 0, &t->answer))
            return true;
        real_queue(t->theirs[CONNS_MAX], (str[]){ S("ping") }, 1);
        if (!real_read_within(t->theirs[CONNS_MAX], HUNG_MS, &pong))
            real_give_up("it hangs");
        buf_free(&pong);
    }
    /* FLUSHALL is done by another thread since Redis 8 */
    return real_read_within(t->theirs[conn], LATE_MS, &t->answer);
}

bool pair_settle(pair *t)
{
    for (int i = 0; i < CONNS_MAX; i++)
        real_send(t->theirs[i]);
    for (size_t i = 0; i < t->queued && !t->differs; i++) {
        const expected *e = &t->queue[i];
        buf_clear(&t->answer);
        for (size_t n = frames_of(ours_of(t, e)); n > 0; n--)
            if (!read_frame(t, e->conn)) {
                buf_addz(&t->answer, "(nothing more)");
                break;
            }
        same_answer(t, e);
    }
    if (t->table_key.p)
        t->differs = true;
    t->queued = t->unsent = t->glance_count = 0;
    buf_clear(&t->bytes);
    arena_reset(t->words);
    return !t->differs;
}

/* ---- sending ---- */

static void send_theirs(pair *t, int conn, const str *argv, size_t argc)
{
    if (++t->unsent >= SEND_AHEAD) {
        real_send(t->theirs[conn]);
        t->unsent = 0;
    }
    real_queue(t->theirs[conn], argv, argc);
}

size_t pair_subscriptions(const pair *t, int conn) { return redis_subscriptions(t->sim, t->ours[conn]); }
static bool is_subscriber(const pair *t, int conn) { return pair_subscriptions(t, conn) > 0; }

/* In order among the commands where the connection can take it; between them otherwise. */
static void move_their_clock(pair *t, int conn)
{
    if (t->in_multi[conn] || is_subscriber(t, conn)) {
        if (pair_settle(t))
            real_set_clock(t->real, t->now_ms);
    } else {
        str *argv = ARENA_ARRAY(t->words, str, 3);
        argv[0] = S("debug");
        argv[1] = S("sleep");
        argv[2] = arena_printf(t->words, "%" PRId64 ".%03d", t->unsent_ms / 1000, (int)(t->unsent_ms % 1000));
        size_t from = t->bytes.n;
        buf_addz(&t->bytes, "+OK\r\n");
        expect(t, (expected){ .sort = A_CLOCK, .conn = conn, .step = t->running, .number = t->running_number,
                              .argv = argv, .argc = 3, .from = from, .to = t->bytes.n });
        send_theirs(t, conn, argv, 3);
    }
    t->unsent_ms = 0;
}

void pair_advance(pair *t, int64_t ms)
{
    t->now_ms += ms;
    t->unsent_ms += ms;
}

/* ---- looking ---- */

static glance add_glance(pair *t, int conn, sort sort, normal forgive, const str *argv, size_t argc)
{
    MEM_RESERVE(t->glances, t->glance_cap, t->glance_count + 1);
    glance *g = &t->glances[t->glance_count++];
    str *copy = ARENA_ARRAY(t->words, str, argc);
    memcpy(copy, argv, argc * sizeof *argv);
    *g = (glance){ .argv = copy, .argc = argc, .sort = sort, .forgive = forgive, .from = t->bytes.n };
    if (sort == AN_ENCODING)
        buf_addz(&t->bytes, "+\r\n");
    else
        run_ours(t, conn, argv, argc, &t->bytes);
    g->to = t->bytes.n;
    return *g;
}

static void expect_glance(pair *t, int conn, const glance *g)
{
    expect(t, (expected){ .sort = g->sort, .conn = conn, .forgive = g->forgive, .step = t->running,
                          .number = t->running_number,
                          .argv = g->argv, .argc = g->argc, .from = g->from, .to = g->to });
    send_theirs(t, conn, g->argv, g->argc);
}

#define KEY ""

static void glance_at_key(pair *t, int conn, str key)
{
    static const struct { const char *type; bool encoded; normal forgive; const char *words[6]; } how[] = {
        { "+string\r\n", false, EXACT, { "get", KEY } },
        { "+hash\r\n", true, TABLE_ORDER_PAIRS, { "hgetall", KEY } },
        { "+list\r\n", false, EXACT, { "lrange", KEY, "0", "-1" } },
        { "+set\r\n", true, TABLE_ORDER, { "smembers", KEY } },
        { "+zset\r\n", false, EXACT, { "zrange", KEY, "0", "-1", "withscores" } },
        { "+stream\r\n", false, EXACT, { "xinfo", "stream", KEY, "full", "count", "0" } },
    };
    buf type = { 0 };
    run_ours(t, conn, (str[]){ S("type"), key }, 2, &type);
    add_glance(t, conn, A_LOOK, EXACT, (str[]){ S("pttl"), key }, 2);
    for (size_t i = 0; i < COUNT(how); i++) {
        if (!str_eq(buf_str(&type), str_from(how[i].type)))
            continue;
        if (how[i].encoded)
            add_glance(t, conn, AN_ENCODING, how[i].forgive, (str[]){ S("object"), S("encoding"), key }, 3);
        str words[COUNT(how[i].words)];
        size_t n = 0;
        for (; n < COUNT(how[i].words) && how[i].words[n]; n++)
            words[n] = *how[i].words[n] ? str_from(how[i].words[n]) : key;
        add_glance(t, conn, A_LOOK, how[i].forgive, words, n);
    }
    buf_free(&type);
}

static void glance_at_all(pair *t, int conn)
{
    static str names[4096];
    size_t n = 0;
    t->glance_count = 0;
    glance keys = add_glance(t, conn, A_LOOK, OPEN_ORDER, (str[]){ S("keys"), S("*") }, 2);
    str bytes = arena_str(t->words, str_slice(buf_str(&t->bytes), keys.from, keys.to));
    normal_elements(bytes, names, COUNT(names), &n);
    for (size_t i = 0; i < n; i++)
        glance_at_key(t, conn, str_slice(names[i], str_find(names[i], '\n', 0) + 1, names[i].n - 2));
    t->glance_writes = redis_writes(t->sim);
    t->glance_ms = t->now_ms;
}

static const str whole_scan = { .p = "local keys = redis.call('scan', '0', 'count', '100000')[2] table.sort(keys) "
                                "return keys", .n = 87 };

/* SCAN deletes the expired keys that it meets, and which it meets in a round is left open: a whole one makes both
 * alike. */
static void scan_whole(pair *t, int conn)
{
    glance g = add_glance(t, conn, A_LOOK, EXACT, (str[]){ S("eval"), whole_scan, S("0") }, 3);
    t->glance_count = 0;
    expect_glance(t, conn, &g);
}

static void look(pair *t, int conn)
{
    if (t->in_multi[conn] || is_subscriber(t, conn))
        return;
    if (t->glance_count == 0 || t->glance_writes != redis_writes(t->sim) || t->glance_ms != t->now_ms)
        glance_at_all(t, conn);
    for (size_t i = 0; i < t->glance_count; i++)
        expect_glance(t, conn, &t->glances[i]);
}

/* ---- a step ---- */

/* What our reply says about the connection. */
static void observe(pair *t, const step *s, str answer)
{
    str name = s->argv[0];
    bool ok = str_starts(answer, S("+OK"));
    if (ok && str_eq_nocase(name, S("multi")))
        t->in_multi[s->conn] = true;
    if (ok && str_eq_nocase(name, S("watch")))
        t->watching[s->conn] = true;
    if (ok && str_eq_nocase(name, S("unwatch")))
        t->watching[s->conn] = false;
    if ((ok && str_eq_nocase(name, S("discard"))) || (!str_starts(answer, S("-ERR")) && str_eq_nocase(name, S("exec"))))
        t->in_multi[s->conn] = t->watching[s->conn] = false;
    static const str elsewhere[] = { { "select", 6 }, { "exec", 4 }, { "multi", 5 }, { "discard", 7 } };
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (str_eq_nocase(name, elsewhere[i]))
            t->glance_count = 0;
}

static bool same_after_thaw(pair *t);

/* SORT asks errno whether a number overflowed, and does not clear it first: an overflow in any command before shows
 * there. A time-out that is no number is read after errno was cleared. */
static void forget_their_overflow(pair *t, const step *s)
{
    bool sorts = t->sorts && str_eq_nocase(s->argv[0], S("exec"));
    for (size_t i = 0; i < s->argc; i++)
        sorts |= str_starts_nocase(s->argv[i], S("sort"));
    t->sorts = sorts && t->in_multi[s->conn];
    if (!sorts || !pair_settle(t))
        return;
    buf unused = { 0 };
    real_execute(t->theirs[CONNS_MAX], (str[]){ S("blpop"), S("k"), S("x") }, 3, &unused);
    buf_free(&unused);
}

static bool waits(const step *s)
{
    static const str names[] = { { "blpop", 5 }, { "brpop", 5 }, { "brpoplpush", 10 }, { "blmove", 6 }, { "blmpop", 6 },
                                 { "bzpopmin", 8 }, { "bzpopmax", 8 },
                                 { "bzmpop", 6 } };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq_nocase(s->argv[0], names[i]))
            return true;
    bool blocks = false;
    for (size_t i = 1; i < s->argc && str_eq_nocase(s->argv[0], S("xread")); i++)
        blocks |= str_eq_nocase(s->argv[i], S("block"));
    return blocks;
}

/* SORT ALPHA compares up to a NUL, and equal elements stay in the order of the server's hash table: which is left
 * open. */
static bool leaves_ties(pair *t, const step *s)
{
    bool alpha = false;
    size_t at = s->argc;
    for (size_t i = 0; i < s->argc; i++) {
        alpha |= str_eq_nocase(s->argv[i], S("alpha"));
        if (at == s->argc && str_starts_nocase(s->argv[i], S("sort")))
            at = i;
    }
    if (!alpha || at + 1 >= s->argc || t->in_multi[s->conn])
        return alpha && at < s->argc;
    buf members = { 0 };
    /* which, unlike the others, deletes nothing expired */
    run_ours(t, s->conn, (str[]){ S("keys"), S("*") }, 2, &members);
    str name = arena_printf(t->words, "\r\n%.*s\r\n", STR_ARG(s->argv[at + 1]));
    bool lives = memmem(members.p, members.n, name.p, name.n) != NULL;
    buf_clear(&members);
    if (!lives)
        return buf_free(&members), false;
    run_ours(t, s->conn, (str[]){ S("smembers"), s->argv[at + 1] }, 2, &members);
    run_ours(t, s->conn, (str[]){ S("lrange"), s->argv[at + 1], S("0"), S("-1") }, 4, &members);
    run_ours(t, s->conn, (str[]){ S("zrange"), s->argv[at + 1], S("0"), S("-1") }, 4, &members);
    bool nul = memchr(members.p, '\0', members.n) != NULL;
    buf_free(&members);
    return nul;
}

void pair_step(pair *t, const step *s, size_t number)
{
    if (s->conn != t->last_conn || t->queued > OUTSTANDING_MAX)
        pair_settle(t);
    if (s->conn != t->last_conn)
        t->glance_count = 0;
    t->last_conn = s->conn;
    t->running = s;
    t->running_number = number;
    pair_advance(t, s->advance_ms);
    if (t->unsent_ms != 0)
        move_their_clock(t, s->conn);
    forget_their_overflow(t, s);
    bool multi = t->in_multi[s->conn];
    if (t->differs || (multi ? s->forgive != EXACT : waits(s)) || leaves_ties(t, s))
        return;                                    /* inside EXEC's reply nothing could be forgiven, and outside nobody
                                                    * may wait */
    buf_clear(&t->mine);
    run_ours(t, s->conn, s->argv, s->argc, &t->mine); /* messages to itself go before the reply */
    size_t from = t->bytes.n;
    buf_add(&t->bytes, buf_str(&t->mine));
    expect(t, (expected){ .sort = A_REPLY, .conn = s->conn, .forgive = s->forgive, .step = s, .number = number,
                          .from = from, .to = t->bytes.n });
    send_theirs(t, s->conn, s->argv, s->argc);
    observe(t, s, buf_str(&t->mine));
    /* Redis 8 does it in another thread, and other connections go on meanwhile */
    bool flushes = str_starts_nocase(s->argv[0], S("flush"));
    if ((s->forgive == OPEN_POP || flushes) && !pair_settle(t))
        return;
    if (str_eq_nocase(s->argv[0], S("scan")) && !t->in_multi[s->conn])
        scan_whole(t, s->conn);
    bool table = s->forgive == TABLE_ORDER || s->forgive == TABLE_ORDER_PAIRS;     /* which only a look can tell */
    if (table || t->look_every == 0 || number % t->look_every == 0)
        look(t, s->conn);
    if (s->thaw && !t->differs && pair_settle(t) && !same_after_thaw(t))
        tell(t, &(expected){ .number = number }, S(""), S("(freezing, thawing and freezing again gave other bytes)"));
}

/* ---- all of it ---- */

bool pair_same_keyspace(pair *t, size_t number)
{
    static const str script[] = { { "eval", 4 }, { "", 0 }, { "0", 1 }, { "2", 1 } };
    str argv[COUNT(script)];
    memcpy(argv, script, sizeof argv);
    argv[1] = keyspace_script;
    if (!pair_settle(t))
        return false;
    if (t->unsent_ms != 0)
        real_set_clock(t->real, t->now_ms);
    t->unsent_ms = 0;
    buf_clear(&t->answer);
    run_ours(t, CONNS_MAX, argv, COUNT(argv), &t->bytes);
    real_execute(t->theirs[CONNS_MAX], argv, COUNT(argv), &t->answer);
    expected e = { .sort = A_LOOK, .number = number, .argv = (str[]){ S("(all databases)") }, .argc = 1,
                   .to = t->bytes.n };
    bool same = same_answer(t, &e);
    buf_clear(&t->bytes);
    return same;
}

/* Keys past their deadline that nothing has looked at are counted by DBSIZE, and a frozen keyspace has none. */
static bool holds_expired(pair *t)
{
    str count[] = { S("eval"),
                    S("local n = 0 for db = 0, 15 do redis.call('SELECT', db) n = n + redis.call('DBSIZE') - "
                      "#redis.call('KEYS', '*') end return n"), S("0") };
    buf answer = { 0 };
    run_ours(t, CONNS_MAX, count, COUNT(count), &answer);
    bool expired = !str_eq(buf_str(&answer), S(":0\r\n"));
    buf_free(&answer);
    return expired;
}

static bool same_after_thaw(pair *t)
{
    if (pair_entangled(t) || holds_expired(t))
        return true;
    buf before = { 0 }, after = { 0 };
    redis_freeze(t->sim, t->now_ms, &before);
    redis_thaw(t->sim, t->now_ms, buf_str(&before));
    redis_freeze(t->sim, t->now_ms, &after);
    bool same = str_eq(buf_str(&before), buf_str(&after));
    buf_free(&before);
    buf_free(&after);
    return same;
}

bool pair_entangled(const pair *t)
{
    for (int i = 0; i < CONNS_MAX; i++)
        if (t->in_multi[i] || t->watching[i] || is_subscriber(t, i))
            return true;
    return false;
}

void pair_look_every(pair *t, unsigned n) { t->look_every = n; }
bool pair_in_multi(const pair *t, int conn) { return t->in_multi[conn]; }
redis *pair_ours(pair *t) { return t->sim; }
int64_t pair_now_ms(const pair *t) { return t->now_ms; }
uint64_t pair_compared(const pair *t) { return t->compared; }
str pair_answer(const pair *t) { return buf_str(&t->mine); }
const difference *pair_difference(const pair *t) { return &t->found; }

bool pair_knows(pair *t, str name)
{
    buf answer = { 0 };
    run_ours(t, CONNS_MAX, &name, 1, &answer);
    bool known = !str_starts(buf_str(&answer), S("-ERR unknown command"));
    buf_free(&answer);
    return known;
}

/* ---- making and ending them ---- */

static void leave(pair *t)
{
    for (int i = 0; i <= CONNS_MAX; i++) {
        real_disconnect(t->theirs[i]);
        t->theirs[i] = NULL;
    }
    redis_free(t->sim);
    t->sim = NULL;
}

/* What a history that was broken off has still in the server's buffers must not come after its connections are gone. */
static void empty_theirs(pair *t)
{
    buf answer = { 0 };
    real_conn *c = t->theirs[CONNS_MAX];
    real_execute(c, (str[]){ S("client"), S("kill"), S("type"), S("normal"), S("skipme"), S("yes") }, 6, &answer);
    real_execute(c, (str[]){ S("client"), S("kill"), S("type"), S("pubsub") }, 4, &answer);
    buf_free(&answer);
    real_reset(c);
}

void pair_tell_events(pair *t, bool yes) { t->events = yes; }

static void subscribe_to_events(pair *t)
{
    str argv[] = { S("psubscribe"), S("__key*") };
    buf answer = { 0 };
    run_ours(t, 1, argv, 2, &answer);
    buf_clear(&answer);
    real_execute(t->theirs[1], argv, 2, &answer);
    buf_free(&answer);
}

void pair_begin(pair *t, int resp)
{
    leave(t);
    t->resp = resp;
    t->now_ms = START_MS;
    t->unsent_ms = 0;
    t->queued = t->unsent = t->glance_count = 0;
    t->differs = false;
    t->last_conn = 0;
    t->table_key.p = NULL;
    t->sorts = false;
    buf_clear(&t->bytes);
    real_set_clock(t->real, t->now_ms);
    t->theirs[CONNS_MAX] = real_connect(t->real);
    empty_theirs(t);
    real_set_clock(t->real, t->now_ms);    /* what was broken off may have moved it again before it was killed */
    str kinds = t->events ? S("KEAn") : S("");
    unsigned notify;
    const char *why;
    bool known = redis_notify_parse(kinds, &notify, &why);
    assert(known);
    buf_clear(&t->answer);
    real_execute(t->theirs[CONNS_MAX], (str[]){ S("config"), S("set"), S("notify-keyspace-events"), kinds }, 4,
                 &t->answer);
    assert(str_eq(buf_str(&t->answer), S("+OK\r\n")));
    t->sim = redis_new((redis_limits){ .dialect = real_dialect(t->real), .notify = notify, .packings = true });
    redis_observe(t->sim, &(redis_observer){ .context = t, .message = message_frame });
    for (int i = 0; i <= CONNS_MAX; i++) {
        t->ours[i] = redis_connect(t->sim, (uint32_t)i + 1);
        if (i == CONNS_MAX)
            continue;
        t->in_multi[i] = t->watching[i] = false;
        t->theirs[i] = real_connect(t->real);
        buf answer = { 0 };
        if (resp == 3)
            real_execute(t->theirs[i], (str[]){ S("hello"), S("3") }, 2, &answer);
        buf_free(&answer);
    }
    if (t->events)
        subscribe_to_events(t);
}

pair *pair_new(real *server)
{
    pair *t = mem_zero(sizeof *t);
    t->real = server;
    t->words = arena_new();
    t->scratch = arena_new();
    pair_begin(t, 2);
    return t;
}

void pair_free(pair *t)
{
    if (!t)
        return;
    leave(t);
    arena_free(t->words);
    arena_free(t->scratch);
    for (int i = 0; i < 3; i++)
        buf_free(&t->told[i]);
    buf_free(&t->answer);
    buf_free(&t->mine);
    buf_free(&t->bytes);
    mem_free(t->queue);
    mem_free(t->glances);
    mem_free(t);
}
