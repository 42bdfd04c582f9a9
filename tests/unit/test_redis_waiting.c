/* test_redis_waiting.c - pops and readers that wait: who is answered, with what, in which order, and when. */
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

static rig *rig_of(void **state, asker *k)
{
    static rig the;
    the = (rig){ .k = k };
    the.conns[1] = the.k->conn;
    for (uint32_t i = 2; i < CONNS; i++)
        the.conns[i] = redis_connect(the.k->server, i);
    redis_observe(the.k->server, &(redis_observer){ .context = &the, .answered = hear });
    *state = &the;
    return &the;
}

static int set_up(void **state)
{
    asker_new(state);
    rig_of(state, *state);
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

/* Property: a waiter for another kind is passed over, and stays. */
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

/* Property: an element moved on may serve the next; and one that cannot put it where it wants is told so, and takes
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

/* Property: an entry is for all readers of its stream, each from the id that it named on; $ is the id that was the last
 * when it came. */
static void an_entry_is_told_to_all_its_readers(void **state)
{
    rig *g = *state;
    expect(g, 1, "xadd s 5-0 a b", "$3 5-0", "");
    expect(g, 2, "xread block 0 streams s $", "waits", "");
    expect(g, 3, "xread block 0 streams t s 0 7", "waits", "");
    expect(g, 4, "xread block 0 count 1 streams s $", "waits", "");
    expect(g, 1, "multi", "+OK", "");
    expect(g, 1, "xadd s 6-0 c d", "+QUEUED", "");
    expect(g, 1, "xadd s 7-0 e f", "+QUEUED", "");
    expect(g, 1, "exec", "*2 $3 6-0 $3 7-0",
           "2:*1 *2 $1 s *2 *2 $3 6-0 *2 $1 c $1 d *2 $3 7-0 *2 $1 e $1 f; 4:*1 *2 $1 s *1 *2 $3 6-0 *2 $1 c $1 d");
    expect(g, 1, "xadd s 8-0 g h", "$3 8-0", "3:*1 *2 $1 s *1 *2 $3 8-0 *2 $1 g $1 h");
    expect(g, 2, "xread count 2 block 0 streams t s 0 5", "*1 *2 $1 s *2 *2 $3 6-0 *2 $1 c $1 d *2 $3 7-0 *2 $1 e $1 f",
           "");
}

/* Property: a reader that is woken in vain waits on, and no longer than it meant to; in later servers it stands behind
 * the others then. */
static void a_reader_waits_on_where_nothing_is_new(void **state)
{
    static const struct { const char *dialect, *told; } row[] = { { "redis 7.0", "2:*1 *2 $1 s *0" },
                                                                  { "redis 8.0", "" }, { "valkey 9.1", "" } };
    for (size_t i = 0; i < COUNT(row); i++) {
        tear_down(state);
        rig *g = rig_of(state, asker_of(row[i].dialect));
        expect(g, 2, "xread block 100 streams s 5", "waits", "");
        expect(g, 3, "xread block 0 streams s 2", "waits", "");
        g->k->now_ms += 50;
        expect(g, 1, "xadd s 1-0 a b", "$3 1-0", "");
        expect(g, 1, "xadd s 3-0 a b", "$3 3-0", "3:*1 *2 $1 s *1 *2 $3 3-0 *2 $1 a $1 b");
        assert_int_equal(redis_next_timeout_ms(g->k->server), g->k->now_ms + 51);
        /* an entry that is gone when the readers are asked: Redis 7.0 compares with the last id alone */
        expect(g, 1, "xadd s maxlen 0 9-0 a b", "$3 9-0", row[i].told);
        assert_int_equal(redis_waits(g->conns[2]), !row[i].told[0]);
    }
}

static void note_latest(void *context, int64_t at_ms, bool deadline)
{
    int64_t *latest_ms = context;
    assert_false(deadline);
    if (at_ms > *latest_ms)
        *latest_ms = at_ms;
}

/* Property: of a reader that waits the bytes hold where it reads on, as an instant that moves with the clock; and the
 * stops of time know it. */
static void what_a_reader_waits_for_moves_with_the_clock(void **state)
{
    rig *g = *state;
    buf b = { 0 }, here = { 0 }, later = { 0 };
    expect(g, 1, "xadd s 1700000000500-3 a b", "$15 1700000000500-3", "");
    expect(g, 2, "xread block 0 streams s $", "waits", "");
    expect(g, 3, "xread block 200 streams s no 1700000000500-9 0", "waits", "");
    expect(g, 4, "xread block 0 streams no 1700000000700-1", "waits", "");
    int64_t seen_ms = 0;
    redis_each_instant(g->k->server, g->k->now_ms, 1000, note_latest, &seen_ms);
    assert_true(seen_ms == g->k->now_ms + 700);
    redis_freeze_waiting(g->k->server, g->k->now_ms, &b);
    redis_fold(g->k->server, g->k->now_ms, &here);
    g->k->now_ms += 7000;
    redis_unfold(g->k->server, g->k->now_ms, buf_str(&here));
    redis_thaw_waiting(g->k->server, g->k->now_ms, buf_str(&b));
    redis_freeze_waiting(g->k->server, g->k->now_ms, &later);
    assert_true(str_eq(buf_str(&b), buf_str(&later)));
    expect(g, 1, "xadd s 1700000007500-4 c d", "$15 1700000007500-4",
           "2:*1 *2 $1 s *1 *2 $15 1700000007500-4 *2 $1 c $1 d");
    expect(g, 1, "xadd s 1700000007500-10 e f", "$16 1700000007500-10",
           "3:*1 *2 $1 s *1 *2 $16 1700000007500-10 *2 $1 e $1 f");
    buf_free(&b);
    buf_free(&here);
    buf_free(&later);
}

/* Property: of a group's consumers that wait the first to come gets the entry, and it alone; where the group or the
 * stream goes, or is one no more, each is told so. A wait as bytes knows its group. */
static void an_entry_is_for_one_consumer_of_a_group(void **state)
{
    rig *g = *state;
    buf b = { 0 }, again = { 0 };
    expect(g, 2, "xreadgroup group g a block 0 streams s >",
           "-NOGROUP No such key 's' or consumer group 'g' in XREADGROUP with GROUP option", "");
    expect(g, 1, "xgroup create s g $ mkstream", "+OK", "");
    expect(g, 2, "xreadgroup group g a block 0 streams s >", "waits", "");
    expect(g, 3, "xreadgroup group g b block 0 streams s >", "waits", "");
    redis_freeze_waiting(g->k->server, g->k->now_ms, &b);
    redis_thaw_waiting(g->k->server, g->k->now_ms, buf_str(&b));
    redis_freeze_waiting(g->k->server, g->k->now_ms, &again);
    assert_true(str_eq(buf_str(&b), buf_str(&again)));
    expect(g, 1, "xadd s 1-0 x y", "$3 1-0", "2:*1 *2 $1 s *1 *2 $3 1-0 *2 $1 x $1 y");
    expect(g, 1, "xpending s g", "*4 :1 $3 1-0 $3 1-0 *1 *2 $1 a $1 1", "");
    expect(g, 2, "xreadgroup group g a block 0 streams s 0", "*1 *2 $1 s *1 *2 $3 1-0 *2 $1 x $1 y", "");
    expect(g, 1, "xgroup destroy s g", ":1",
           "3:-NOGROUP the consumer group this client was blocked on no longer exists");
    static const char *const ends[] = { "del s", "set s v", "rename s t", "move s 1", "flushall" };
    for (size_t i = 0; i < COUNT(ends); i++) {
        told(g, 1, "del s");
        expect(g, 1, "xgroup create s g $ mkstream", "+OK", "");
        expect(g, 2, "xreadgroup group g a block 0 streams s >", "waits", "");
        told(g, 1, ends[i]);
        assert_string_equal(came(g), "2:-UNBLOCKED the stream key no longer exists");
    }
    buf_free(&b);
    buf_free(&again);
}

/* And where nobody's command removes it, but its deadline or an eviction. */
static void a_stream_that_expires_or_is_evicted_ends_the_wait(void **state)
{
    rig *g = *state;
    for (int i = 0; i < 2; i++) {
        told(g, 1, "del s");
        expect(g, 1, "xgroup create s g $ mkstream", "+OK", "");
        expect(g, 1, "pexpire s 50", ":1", "");
        expect(g, 2, "xreadgroup group g a block 0 streams s >", "waits", "");
        buf_clear(&g->came);
        g->k->now_ms += i ? 0 : 51;
        i ? redis_evict(g->k->server, g->k->now_ms, S("s")) : redis_expire(g->k->server, g->k->now_ms, S("s"));
        assert_string_equal(came(g), "2:-UNBLOCKED the stream key no longer exists");
    }
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
        T(an_entry_is_told_to_all_its_readers), T(a_reader_waits_on_where_nothing_is_new),
        T(what_a_reader_waits_for_moves_with_the_clock), T(an_entry_is_for_one_consumer_of_a_group),
        T(a_stream_that_expires_or_is_evicted_ends_the_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
