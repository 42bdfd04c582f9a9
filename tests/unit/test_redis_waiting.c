/* test_redis_waiting.c - pops that wait: who is answered, with what, in which order, and when. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

enum { CONNS = 6 };

/* One server with connections 1 to 5, and what came to those that waited: "2:*2 $1 k $1 a; 3:*-1". */
typedef struct {
    asker *k;
    redis_conn *conns[CONNS];
    buf came;
} rig;

static void hear(void *context, uint32_t conn, const reply *r)
{
    rig *g = context;
    buf one = { 0 };
    reply_encode(r, g->k->resp, &one);
    buf_printf(&g->came, "%s%u:", g->came.n ? "; " : "", conn);
    for (size_t i = 0; i + 2 < one.n; i++)
        if (one.p[i] != '\r')
            buf_byte(&g->came, one.p[i] == '\n' ? ' ' : one.p[i]);
    buf_free(&one);
}

static int set_up(void **state)
{
    static rig the;
    asker_new(state);
    the = (rig){ .k = *state };
    the.conns[1] = the.k->conn;
    for (uint32_t i = 2; i < CONNS; i++)
        the.conns[i] = redis_connect(the.k->server, i);
    redis_observe(the.k->server, &(redis_observer){ .context = &the, .answered = hear });
    *state = &the;
    return 0;
}

static int tear_down(void **state)
{
    rig *g = *state;
    buf_free(&g->came);
    void *k = g->k;
    return asker_free(&k);
}

/* "2 blpop k 0": what connection 2 is told at once: "waits" if it has to, then what came to others. */
static const char *told(rig *g, int conn, const char *command)
{
    buf_clear(&g->came);
    g->k->conn = g->conns[conn];
    assert_false(redis_waits(g->k->conn));
    const char *answer = ask(g->k, command);
    return redis_waits(g->k->conn) ? "waits" : answer;
}

static const char *came(const rig *g)
{
    return g->came.n ? buf_str(&g->came).p : "";
}

static void expect(rig *g, int conn, const char *command, const char *answer, const char *to_others)
{
    const char *is = told(g, conn, command);
    buf_byte(&g->came, 0);
    g->came.n--;
    if (strcmp(is, answer) != 0 || strcmp(came(g), to_others) != 0)
        fail_msg("%d %s\n  answered: %s, expected: %s\n  to others: %s, expected: %s", conn, command, is, answer,
                 came(g), to_others);
}

static void what_is_there_is_popped_at_once(void **state)
{
    rig *g = *state;
    expect(g, 1, "rpush l a b c d", ":4", "");
    expect(g, 1, "zadd z 1 x 2 y 3 w 4 v", ":4", "");
    expect(g, 1, "blpop no l 0", "*2 $1 l $1 a", "");
    expect(g, 1, "brpop l no 0", "*2 $1 l $1 d", "");
    expect(g, 1, "blmove l m left right 0", "$1 b", "");
    expect(g, 1, "brpoplpush l m 0", "$1 c", "");
    expect(g, 1, "blmpop 0 2 l m right count 5", "*2 $1 m *2 $1 b $1 c", "");
    expect(g, 1, "bzpopmin no z 0", "*3 $1 z $1 x $1 1", "");
    expect(g, 1, "bzpopmax z 0", "*3 $1 z $1 v $1 4", "");
    expect(g, 1, "bzmpop 0 1 z max count 9", "*2 $1 z *2 *2 $1 w $1 3 *2 $1 y $1 2", "");
    expect(g, 1, "dbsize", ":0", "");
}

/* Property: the first to come is the first served, each key for itself, and only as many as there is something for. */
static void first_come_first_served(void **state)
{
    rig *g = *state;
    expect(g, 2, "blpop k 0", "waits", "");
    expect(g, 3, "brpop other k 0", "waits", "");
    expect(g, 4, "blpop k 0", "waits", "");
    expect(g, 1, "rpush k a b", ":2", "2:*2 $1 k $1 a; 3:*2 $1 k $1 b");
    expect(g, 1, "rpush other c", ":1", "");
    expect(g, 1, "rpush k d e", ":2", "4:*2 $1 k $1 d");
    expect(g, 1, "lrange k 0 -1", "*1 $1 e", "");
}

/* Property: who waits for another kind is passed over, and stays. */
static void another_kind_does_not_wake(void **state)
{
    rig *g = *state;
    expect(g, 2, "bzpopmin k 0", "waits", "");
    expect(g, 3, "blpop k 0", "waits", "");
    expect(g, 1, "set k v", "+OK", "");
    expect(g, 4, "blpop k 0", "-WRONGTYPE Operation against a key holding the wrong kind of value", "");
    expect(g, 1, "del k", ":1", "");
    expect(g, 1, "lpush k v", ":1", "3:*2 $1 k $1 v");
    expect(g, 1, "zadd k 1 m", ":1", "2:*3 $1 k $1 m $1 1");
}

/* Property: nobody is answered inside a transaction or a script; what is there when it has ended is handed out. */
static void a_transaction_is_one_command(void **state)
{
    rig *g = *state;
    expect(g, 2, "blpop k 0", "waits", "");
    expect(g, 1, "multi", "+OK", "");
    expect(g, 1, "rpush k a", "+QUEUED", "");
    expect(g, 1, "del k", "+QUEUED", "");
    expect(g, 1, "exec", "*2 :1 :1", "");
    expect(g, 1, "multi", "+OK", "");
    expect(g, 1, "rpush k a", "+QUEUED", "");
    expect(g, 1, "lpush k b", "+QUEUED", "");
    expect(g, 1, "exec", "*2 :1 :2", "2:*2 $1 k $1 b");
    expect(g, 3, "blpop q 0", "waits", "");
    expect(g, 1, "eval redis.call('rpush','q','x')return(redis.call('llen','q')) 0", ":1", "3:*2 $1 q $1 x");
}

static void nothing_waits_in_a_transaction_or_a_script(void **state)
{
    rig *g = *state;
    expect(g, 1, "multi", "+OK", "");
    expect(g, 1, "blpop k 0", "+QUEUED", "");
    expect(g, 1, "blmove k j left left 0", "+QUEUED", "");
    expect(g, 1, "bzmpop 0 1 k min", "+QUEUED", "");
    expect(g, 1, "exec", "*3 *-1 $-1 *-1", "");
    expect(g, 1, "eval return(redis.call('blmpop',0,1,'k','left')) 0", "$-1", "");
    expect(g, 1, "eval return(redis.pcall('blpop','k',0)) 0", "-ERR This Redis command is not allowed from script", "");
}

/* Property: an element moved on may serve the next; and who cannot put it where he wants to is told so, and takes
 * nothing. */
static void a_move_serves_whoever_waits_behind(void **state)
{
    rig *g = *state;
    expect(g, 2, "blmove a b left left 0", "waits", "");
    expect(g, 3, "brpoplpush b c 0", "waits", "");
    expect(g, 4, "blpop c 0", "waits", "");
    expect(g, 1, "rpush a x", ":1", "2:$1 x; 3:$1 x; 4:*2 $1 c $1 x");
    expect(g, 1, "set text v", "+OK", "");
    expect(g, 2, "brpoplpush a text 0", "waits", "");
    expect(g, 3, "blpop a 0", "waits", "");
    expect(g, 1, "rpush a y", ":1", "2:-WRONGTYPE Operation against a key holding the wrong kind of value; 3:*2 $1 a "
           "$1 y");
}

/* Property: time is up one millisecond after the time-out, the earliest first, and 0 is for ever. */
static void a_timeout_ends_the_wait(void **state)
{
    rig *g = *state;
    expect(g, 2, "blpop k 0", "waits", "");
    assert_int_equal(redis_next_timeout_ms(g->k->server), INT64_MAX);
    expect(g, 3, "blpop k 0.2", "waits", "");
    expect(g, 4, "bzpopmin k 0.1", "waits", "");
    expect(g, 5, "blmove k j left left 0.1001", "waits", "");
    int64_t t = g->k->now_ms;
    assert_int_equal(redis_next_timeout_ms(g->k->server), t + 101);
    buf_clear(&g->came);
    redis_timeouts(g->k->server, t + 100);
    assert_int_equal(g->came.n, 0);
    redis_timeouts(g->k->server, t + 500);
    buf_byte(&g->came, 0);
    assert_string_equal(g->came.p, "4:*-1; 5:*-1; 3:*-1");
    assert_true(redis_waits(g->conns[2]));
    expect(g, 4, "lpush k v", ":1", "2:*2 $1 k $1 v");
}

static void a_timeout_is_read_with_care(void **state)
{
    rig *g = *state;
    static const struct { const char *timeout, *answer; } row[] = {
        { "x", "-ERR timeout is not a float or out of range" }, { "-1", "-ERR timeout is negative" },
        { "''", "-ERR timeout is not a float or out of range" },
        { "nan", "-ERR timeout is not a float or out of range" }, { "inf", "-ERR timeout is negative" },
        { "-inf", "-ERR timeout is negative" },
        { "1e30", "-ERR timeout is negative" }, { "9223372036854775", "waits" }, { "-0.0001", "waits" },
        { "0x1", "waits" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char command[64];
        snprintf(command, sizeof command, "blpop k %s", row[i].timeout);
        expect(g, 2, command, row[i].answer, "");
        redis_unblock(g->k->server, g->conns[2], false, g->k->now_ms);
    }
    /* Found beside the real server: the several-key pops look at it last. */
    ask(g->k, "reset");
    assert_string_equal(ask(g->k, "bzmpop x x k min"), "-ERR numkeys should be greater than 0");
    assert_string_equal(ask(g->k, "blmpop x 1 k up"), "-ERR syntax error");
}

/* Property: who goes, is cut off or sent away leaves the queue, and the next one is served. */
static void who_leaves_is_not_served(void **state)
{
    rig *g = *state;
    for (int i = 2; i < 5; i++)
        expect(g, i, "blpop k 0", "waits", "");
    redis_disconnect(g->k->server, g->conns[2]);
    g->conns[2] = redis_connect(g->k->server, 2);
    buf_clear(&g->came);
    assert_true(redis_unblock(g->k->server, g->conns[3], true, g->k->now_ms));
    assert_false(redis_unblock(g->k->server, g->conns[3], true, g->k->now_ms));
    buf_byte(&g->came, 0);
    assert_string_equal(g->came.p, "3:-UNBLOCKED client unblocked via CLIENT UNBLOCK");
    expect(g, 1, "lpush k a b", ":2", "4:*2 $1 k $1 b");
    expect(g, 2, "blpop z 0", "waits", "");
    redis_wipe(g->k->server);
    expect(g, 1, "lpush z a", ":1", "");
    assert_false(redis_waits(g->conns[2]));
}

/* Property: any way in which a key comes to be serves; overwriting what is there does not. */
static void whatever_brings_the_key_serves(void **state)
{
    rig *g = *state;
    static const char *const bringers[] = { "rename from k", "copy from k", "lmove from k left left",
                                            "rpoplpush from k", "renamenx from k" };
    for (size_t i = 0; i < COUNT(bringers); i++) {
        expect(g, 1, "flushall", "+OK", "");
        expect(g, 1, "rpush from v", ":1", "");
        expect(g, 2, "blpop k 0", "waits", "");
        told(g, 1, bringers[i]);
        buf_byte(&g->came, 0);
        assert_string_equal(g->came.p, "2:*2 $1 k $1 v");
    }
}

/* Property: RENAME and COPY put a new key in the place of an old one; a STORE overwrites it, and nobody is told; nor is
 * anybody of a key that came to be in a kind that nobody waits for, though it ends as one. */
static void overwriting_is_no_news(void **state)
{
    rig *g = *state;
    expect(g, 1, "zadd z 1 m", ":1", "");
    expect(g, 1, "rpush k a", ":1", "");
    expect(g, 2, "bzpopmin no 0", "waits", "");
    expect(g, 1, "set no text", "+OK", "");
    expect(g, 1, "zunionstore no 1 z", ":1", "");
    expect(g, 1, "multi", "+OK", "");
    expect(g, 1, "del no", "+QUEUED", "");
    expect(g, 1, "sadd no m", "+QUEUED", "");
    expect(g, 1, "zunionstore no 1 z", "+QUEUED", "");
    expect(g, 1, "exec", "*3 :1 :1 :1", "");
    expect(g, 1, "copy k no replace", ":1", "");
    expect(g, 1, "copy z no replace", ":1", "2:*3 $2 no $1 m $1 1");
    expect(g, 1, "rpush no a", ":1", "");
    expect(g, 3, "bzpopmax x 0", "waits", "");
    expect(g, 1, "rpush x a", ":1", "");
    expect(g, 1, "rename z x", "+OK", "3:*3 $1 x $1 m $1 1");
}

/* Property: databases are apart. */
static void a_key_of_another_database_serves_nobody(void **state)
{
    rig *g = *state;
    expect(g, 2, "select 3", "+OK", "");
    expect(g, 2, "blpop k 0", "waits", "");
    expect(g, 1, "lpush k v", ":1", "");
    expect(g, 1, "select 3", "+OK", "");
    expect(g, 1, "lpush k w", ":1", "2:*2 $1 k $1 w");
}

/* Property: thawed, the same wait for the same, in the same order, and as long. */
static void waiting_survives_as_bytes(void **state)
{
    rig *g = *state;
    buf b = { 0 }, again = { 0 };
    redis_freeze_waiting(g->k->server, g->k->now_ms, &b);
    assert_int_equal(b.n, 0);
    expect(g, 3, "blmpop 0.5 2 k j right count 2", "waits", "");
    expect(g, 2, "blpop k 0", "waits", "");
    expect(g, 4, "blmove j k right left 0", "waits", "");
    redis_freeze_waiting(g->k->server, g->k->now_ms + 100, &b);
    redis_thaw_waiting(g->k->server, g->k->now_ms, (str){ 0 });
    for (int i = 2; i < 5; i++)
        assert_false(redis_waits(g->conns[i]));
    redis_thaw_waiting(g->k->server, g->k->now_ms + 1000, buf_str(&b));
    assert_int_equal(redis_next_timeout_ms(g->k->server), g->k->now_ms + 1401);
    redis_freeze_waiting(g->k->server, g->k->now_ms + 1000, &again);
    assert_true(str_eq(buf_str(&b), buf_str(&again)));
    expect(g, 1, "rpush k a b c", ":3", "3:*2 $1 k *2 $1 c $1 b; 2:*2 $1 k $1 a");
    expect(g, 1, "rpush j x", ":1", "4:$1 x");
    buf_free(&b);
    buf_free(&again);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        T(what_is_there_is_popped_at_once), T(first_come_first_served), T(another_kind_does_not_wake),
        T(a_transaction_is_one_command),
        T(nothing_waits_in_a_transaction_or_a_script), T(a_move_serves_whoever_waits_behind),
        T(a_timeout_ends_the_wait),
        T(a_timeout_is_read_with_care), T(who_leaves_is_not_served), T(whatever_brings_the_key_serves),
        T(overwriting_is_no_news),
        T(a_key_of_another_database_serves_nobody), T(waiting_survives_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
