/* test_redis_freeze.c - the keyspace as bytes: equal bytes exactly for keyspaces that no command can tell apart. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "base/rng.h"

static const int64_t NOW = INT64_C(1700000000000);

/* Runs the commands, parted by " ; ", on a fresh server and freezes it. A word +N lets N ms pass. */
static buf frozen_after(const char *commands)
{
    void *state;
    asker_new(&state);
    asker *k = state;
    char text[1024];
    snprintf(text, sizeof text, "%s", commands);
    for (char *at = text, *next; at; at = next) {
        next = strstr(at, " ; ");
        if (next) {
            *next = '\0';
            next += 3;
        }
        if (*at == '+')
            k->now_ms += atoll(at + 1);
        else if (ask(k, at)[0] == '-')
            fail_msg("%s: %s", at, k->answer.p);
    }
    buf b = { 0 };
    redis_freeze(k->server, k->now_ms, &b);
    asker_free(&state);
    return b;
}

static void equal_bytes_mean_equal_keyspaces(void **state)
{
    (void)state;
    static const struct { const char *x, *y; bool equal; } row[] = {
        { "get no", "flushall", true },
        { "set a 1 ; set b 2", "set b 2 ; set a 1", true },
        { "set a 1", "set a 2", false },
        { "set a 1", "set b 1", false },
        { "set a 1", "set a 1 px 100", false },
        { "set a 1 px 100", "set a 1 ; pexpire a 100", true },
        { "set a 1 px 100", "+777 ; set a 1 px 100", true },                /* relative to now */
        { "set a 1 px 100 ; +40", "set a 1 px 60", true },
        { "set a 1 px 100 ; +100", "set a 1 px 1 ; +1", true },             /* both in their last millisecond */
        { "set a 1 px 100 ; +101", "flushall", true },                      /* expired is gone, though nobody looked */
        { "set a 1 px 100 ; +100", "flushall", false },
        { "set a 1 px 100 ; persist a", "set a 1", true },
        { "set a 12", "setrange a 0 12", false },                           /* OBJECT ENCODING tells them apart */
        { "set a 12", "append a 12", true },
        { "append a 1 ; append a 2", "setrange a 0 12", true },
        { "set a 12", "setrange a 0 12 ; set a 12", true },
        { "set a 2.5", "incrbyfloat a 2.5", true },
        { "set a 2", "incrbyfloat a 2", false },
        { "set a 3", "incrbyfloat a 2 ; incr a", true },
        { "set a 0123456789012345678901234567890123456789abcde", "setrange a 40 abcde ; setrange a 0 "
          "0123456789012345678901234567890123456789", false },               /* in Valkey 9.1 */
        { "hset h a 1 b 2", "hset h b 2 a 1", false },                      /* HGETALL tells the order */
        { "hset h a 1 b 2", "hset h a 9 b 2 ; hset h a 1", true },          /* an overwritten field keeps its place */
        { "hset h a 1 b 2", "hset h b 2 a 1 ; hdel h b ; hset h b 2", true },
        { "rpush l a b", "lpush l b a", true },
        { "rpush l a b", "rpush l b a", false },
        { "rpush l ab c", "rpush l a bc", false },                          /* lengths part the elements */
        { "rpush l a b ; rpush l c ; lpop l ; lpush l a ; rpop l", "rpush l a b", true },
        { "sadd s b a", "sadd s a b", true },
        { "sadd s 10 9", "sadd s 9 10", true },
        { "sadd s 1 2 x ; srem s x", "sadd s 1 2", true },                  /* the encoding's past is no part of it */
        { "zadd z 1 a 2 b", "zadd z 2 b 1 a", true },
        { "zadd z 1 a", "zadd z 1.0000000000000002 a", false },
        { "zadd z -0 a", "zadd z 0 a", true },
        { "set k a", "rpush k a", false },
        { "rpush k a", "sadd k a", false },
        { "rpush l a ; lpop l", "flushall", true },
        { "select 1 ; set a 1", "set a 1", false },
        { "select 1 ; set a 1 ; flushdb", "select 9", true },
        { "set a ''", "flushall", false },
        { "set '' ''", "set a ''", false },
        { "set n 10 ; incr n", "set n 11", true },
        { "set n 3.0", "set n 3", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        buf x = frozen_after(row[i].x), y = frozen_after(row[i].y);
        if (str_eq(buf_str(&x), buf_str(&y)) != row[i].equal)
            fail_msg("%s   |   %s", row[i].x, row[i].y);
        buf_free(&x);
        buf_free(&y);
    }
}

/* What every command would say, as text: the observer that the bytes must agree with. */
static void look_around(asker *k, buf *out)
{
    static const char *const looks[] = {
        "keys *", "get a", "get b", "pttl a", "pttl b", "ttl c", "type c", "hgetall c", "hgetall d", "pttl d",
        "lrange e 0 -1", "smembers f", "zrange g 0 -1 withscores", "pttl g",
        "hgetall e", "exists a b c d e f g",
    };
    static const char *const dbs[] = { "select 1", "select 0" };
    for (size_t d = 0; d < COUNT(dbs); d++) {
        ask(k, dbs[d]);
        for (size_t i = 0; i < COUNT(looks); i++) {
            buf_addz(out, ask(k, looks[i]));
            buf_byte(out, '\n');
        }
    }
}

static void change_something(asker *k, rng *r)
{
    static const char *const changes[] = {
        "set a %d", "set b %d px 50", "incrby a %d", "pexpire b %d", "pexpire d %d", "hset c f%d 1", "hset d f%d 2",
        "hincrby c f%d 3", "hdel d f%d", "rpush e %d", "lpush e %d", "lpop e %d", "sadd f %d", "sadd f x%d",
        "srem f %d", "zadd g %d m", "zadd g %d n", "zrem g m%d", "pexpire g %d", "rename a b%d", "del f %d",
        "select %d", "expire c %d",
    };
    askf(k, changes[rng_below(r, COUNT(changes))], (int)rng_below(r, 9));
    k->now_ms += (int64_t)rng_below(r, 3);
}

/* Property: thawing gives back what was frozen, at any time; freezing again gives the same bytes.
 * How: random keyspaces; thawed into another server whose clock shows something else; compared by every look. */
static void thaw_gives_back_what_was_frozen(void **state)
{
    asker *k = *state;
    void *other_state;
    asker_new(&other_state);
    asker *other = other_state;
    rng r = rng_new(5, 5);
    size_t largest = 0;
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 20; i++)
            change_something(k, &r);
        if (round % 40 == 39)
            ask(k, "flushall");
        buf first = { 0 }, second = { 0 }, seen = { 0 }, other_seen = { 0 };
        redis_freeze(k->server, k->now_ms, &first);
        largest = first.n > largest ? first.n : largest;
        other->now_ms = (int64_t)rng_below(&r, 1000000) * 1000000;
        redis_thaw(other->server, other->now_ms, buf_str(&first));
        redis_freeze(other->server, other->now_ms, &second);
        assert_true(str_eq(buf_str(&first), buf_str(&second)));
        look_around(k, &seen);
        look_around(other, &other_seen);
        assert_string_equal(seen.p, other_seen.p);
        k->now_ms += 7;                            /* and the same after the same time */
        other->now_ms += 7;
        buf_clear(&first);
        buf_clear(&second);
        redis_freeze(k->server, k->now_ms, &first);
        redis_freeze(other->server, other->now_ms, &second);
        assert_true(str_eq(buf_str(&first), buf_str(&second)));
        buf_free(&first), buf_free(&second), buf_free(&seen), buf_free(&other_seen);
    }
    assert_true(largest > 500);
    asker_free(&other_state);
}

static void thaw_leaves_nothing_of_before(void **state)
{
    asker *k = *state;
    buf empty = { 0 }, b = { 0 };
    redis_freeze(k->server, 5, &empty);
    ASK_ALL(k, { "set a 1", "+OK" }, { "select 7", "+OK" }, { "set b 1 px 9", "+OK" }, { "watch b", "+OK" });
    redis_thaw(k->server, k->now_ms, buf_str(&empty));
    redis_freeze(k->server, k->now_ms, &b);
    assert_true(str_eq(buf_str(&b), buf_str(&empty)));
    ASK_ALL(k, { "dbsize", ":0" }, { "multi", "+OK" }, { "exec", "*-1" });
    buf_free(&b);
    buf_free(&empty);
}

/* Property: the farthest deadline survives, and a deadline beyond the range of time is cut to its end. */
static void extreme_deadlines_survive(void **state)
{
    asker *k = *state;
    buf b = { 0 };
    ask(k, "set k v pxat 9223372036854775807");
    redis_freeze(k->server, k->now_ms, &b);
    redis_thaw(k->server, k->now_ms, buf_str(&b));
    assert_string_equal(ask(k, "pexpiretime k"), ":9223372036854775807");
    redis_thaw(k->server, k->now_ms + 1000, buf_str(&b));
    k->now_ms += 1000;
    assert_string_equal(ask(k, "pexpiretime k"), ":9223372036854775807");
    buf_free(&b);
}

typedef struct {
    int64_t at[64];
    size_t n, deadlines;
} seen;

static void see(void *context, int64_t at_ms, bool deadline)
{
    seen *s = context;
    assert_true(s->n < COUNT(s->at));
    s->at[s->n++] = at_ms;
    s->deadlines += deadline;
}

static bool has(const seen *s, int64_t at_ms)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i] == at_ms)
            return true;
    return false;
}

static void every_number_near_now_is_an_instant(void **state)
{
    asker *k = *state;
    seen s = { .n = 0 };
    ASK_ALL(k, { "set a 1700000000001", "+OK" }, { "set b 1700000000002.5", "+OK" }, { "set far 1699998999999", "+OK" },
            { "set text 170000000000x", "+OK" },
        { "hset h owner 1700000000005 1700000000006 x", ":2" }, { "rpush l 1700000000007", ":1" },
        { "sadd s 1700000000008", ":1" }, { "zadd z 1700000000009.5 m", ":1" },
        { "zadd z inf n -inf o 1e300 p", ":3" }, { "set leased x px 20", "+OK" }, { "set farther x px 5000000", "+OK" },
        { "set gone x px 1", "+OK" },
        { "set edge 1700000001000", "+OK" }, { "set over 1700000001003", "+OK" }, { "set under 1699999999002", "+OK" });
    redis_each_instant(k->server, NOW + 2, 1000, see, &s);
    static const int64_t expected[] = { 1, 2, 3, 5, 6, 7, 8, 9, 10, 20, 5000000, 1000, -998 };
    assert_int_equal(s.n, COUNT(expected));
    assert_int_equal(s.deadlines, 2);                          /* at any distance; not the expired one */
    for (size_t i = 0; i < COUNT(expected); i++)
        if (!has(&s, NOW + expected[i]))
            fail_msg("%" PRId64, expected[i]);
}

static void show(void *context, str key, str shown, int64_t ttl_ms)
{
    buf_printf(context, "%.*s %.*s %" PRId64 "\n", STR_ARG(key), STR_ARG(shown), ttl_ms);
}

static void keys_are_shown_on_one_line_each(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "hset h A:1 1 B,2 x=y", ":2" }, { "pexpire h 30000", ":1" }, { "rpush l a ''", ":2" },
            { "set s text", "+OK" }, { "sadd u 10 9", ":2" }, { "zadd z 1.5 m -inf n", ":2" },
        { "set gone x px 1", "+OK" }, { "set t \\x0a", "+OK" }, { "select 1", "+OK" }, { "set other 1", "+OK" });
    buf b = { 0 };
    redis_each_key(k->server, NOW + 2, k->a, show, &b);
    assert_string_equal(b.p, "h {A:1 = 1, \"B,2\" = \"x=y\"} 29998\nl [a, \"\"] -1\ns \"text\" -1\nt \"\\n\" -1\nu {9, "
                        "10} -1\nz {n: -inf, m: 1.5} -1\n");
    buf_free(&b);
}

static void eviction_takes_one_living_key(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "set a 1", "+OK" }, { "set b 1 px 10", "+OK" });
    uint64_t before = redis_writes(k->server);
    assert_false(redis_evict(k->server, NOW, S("no")));
    assert_int_equal(redis_writes(k->server), before);
    assert_true(redis_evict(k->server, NOW, S("a")));
    assert_true(redis_writes(k->server) > before);
    assert_false(redis_evict(k->server, NOW + 11, S("b")));
    assert_string_equal(ask(k, "dbsize"), ":0");
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bytes_mean_equal_keyspaces),
        ON_FRESH_SERVER(thaw_gives_back_what_was_frozen),
        ON_FRESH_SERVER(thaw_leaves_nothing_of_before),
        ON_FRESH_SERVER(extreme_deadlines_survive),
        ON_FRESH_SERVER(every_number_near_now_is_an_instant),
        ON_FRESH_SERVER(keys_are_shown_on_one_line_each),
        ON_FRESH_SERVER(eviction_takes_one_living_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
