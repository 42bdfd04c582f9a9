/* test_redis_keys.c - commands on keys of any kind, their deadlines, and the server as clients meet it. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"
#include "base/rng.h"
#include "script/script.h"

#define SYNTAX "-ERR syntax error"
#define NOT_INTEGER "-ERR value is not an integer or out of range"

static void each_kind_has_its_name(void **state)
{
    ASK_ALL(*state, { "set s v", "+OK" }, { "rpush l a", ":1" }, { "hset h f v", ":1" }, { "sadd u m", ":1" },
            { "zadd z 1 m", ":1" },
        { "type s", "+string" }, { "type l", "+list" }, { "type h", "+hash" }, { "type u", "+set" },
        { "type z", "+zset" }, { "type no", "+none" },
        { "exists s l s no", ":3" }, { "touch s no", ":1" }, { "del s s no", ":1" }, { "unlink l h", ":2" },
        { "dbsize", ":2" });
}

/* Property: the deadline millisecond belongs to the key; the next one does not.
 * How: every way of looking at it, on both sides. */
static void a_key_lives_through_its_deadline(void **state)
{
    asker *k = *state;
    static const exchange alive[] = {
        { "exists k", ":1" }, { "pttl k", ":0" }, { "ttl k", ":0" }, { "get k", "$1 v" }, { "set k w nx", "$-1" },
        { "type k", "+string" },
        { "keys *", "*1 $1 k" }, { "setnx k w", ":0" }, { "renamenx k k", ":0" }, { "persist k", ":1" },
    };
    static const exchange gone[] = {
        { "exists k", ":0" }, { "pttl k", ":-2" }, { "ttl k", ":-2" }, { "get k", "$-1" }, { "set k w nx", "+OK" },
        { "type k", "+none" },
        { "keys *", "*0" }, { "setnx k w", ":1" }, { "renamenx k k", "-ERR no such key" }, { "persist k", ":0" },
    };
    for (size_t i = 0; i < COUNT(alive); i++) {
        for (int late = 0; late < 2; late++) {
            k->now_ms = 1000;
            ask(k, "set k v px 30000");
            k->now_ms += 29999;
            assert_string_equal(ask(k, "pttl k"), ":1");
            k->now_ms += 1 + late;
            ask_all(k, late ? &gone[i] : &alive[i], 1);
        }
    }
}

static void an_expired_key_is_counted_until_it_is_met(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "set a v px 10", "+OK" }, { "set b v", "+OK" });
    k->now_ms += 11;
    ASK_ALL(k, { "dbsize", ":2" }, { "keys *", "*1 $1 b" }, { "dbsize", ":2" }, { "del a", ":0" }, { "dbsize", ":1" });
}

/* Each of these looks, and so deletes, or does not: found by comparing DBSIZE with the real server's after random
 * commands. */
static void what_meets_an_expired_key(void **state)
{
    static const struct { const char *command, *left; } row[] = {
        { "scan 0", ":0" }, { "scan 0 match b", ":1" }, { "scan 0 match a", ":0" }, { "keys a", ":1" },
        { "smove no a m", ":0" },
        { "eval return(redis.pcall('sunionstore','a','h')) 0", ":2" },
    };
    asker *k = *state;
    for (size_t i = 0; i < COUNT(row); i++) {
        ASK_ALL(k, { "flushall", "+OK" }, { "set a v px 10", "+OK" });
        if (strstr(row[i].command, "'h'"))
            ASK_ALL(k, { "hset h f v", ":1" });
        k->now_ms += 11;
        ask(k, row[i].command);
        assert_string_equal(ask(k, "dbsize"), row[i].left);
    }
}

static void expire_has_conditions(void **state)
{
    ASK_ALL(*state, { "expire no 10", ":0" }, { "set k v", "+OK" }, { "pexpire k 1000 xx", ":0" },
            { "pexpire k 1000 gt", ":0" }, { "pexpire k 1000 lt", ":1" },
        { "pexpire k 500 nx", ":0" }, { "pexpire k 1000 gt", ":0" }, { "pexpire k 1000 lt", ":0" },
        { "pexpire k 1001 xx gt", ":1" }, { "pttl k", ":1001" },
        { "pexpire k 900 XX Lt", ":1" }, { "pttl k", ":900" }, { "pexpire k 0 gt", ":0" }, { "exists k", ":1" },
        { "pexpire k -1 lt", ":1" }, { "exists k", ":0" }, { "set k v", "+OK" },
        { "pexpire k 0", ":1" }, { "exists k", ":0" }, { "set k v", "+OK" }, { "pexpireat k 1700000000000", ":1" },
        { "exists k", ":0" },
        { "expire no 10 nx xx", "-ERR NX and XX, GT or LT options at the same time are not compatible" },
        { "expire no 10 nx gt", "-ERR NX and XX, GT or LT options at the same time are not compatible" },
        { "expire no 10 gt lt", "-ERR GT and LT options at the same time are not compatible" },
        { "expire no 10 foo", "-ERR Unsupported option foo" },
        { "expire no x", NOT_INTEGER }, { "expire no x foo", "-ERR Unsupported option foo" });
}

static void expire_reads_numbers_before_it_looks_at_the_key(void **state)
{
    ASK_ALL(*state, { "expire no 9223372036854775807", "-ERR invalid expire time in 'expire' command" },
        { "expire no 9223372036854775", "-ERR invalid expire time in 'expire' command" },
        { "expire no 9223372036854774", "-ERR invalid expire time in 'expire' command" },
        { "expire no 9223370336854775", ":0" },
        { "pexpire no 9223372036854775807", "-ERR invalid expire time in 'pexpire' command" },
        { "expireat no 9223372036854776", "-ERR invalid expire time in 'expireat' command" },
        { "pexpireat no 9223372036854775807", ":0" },
        { "expire no -9223372036854775808", "-ERR invalid expire time in 'expire' command" }, { "set k v", "+OK" },
        { "pexpireat k 9223372036854775807", ":1" },
        { "pttl k", ":9223370336854775807" }, { "pexpiretime k", ":9223372036854775807" },
        { "pexpire k -9223372036854775808", ":1" }, { "exists k", ":0" });
}

static void ttl_rounds_to_the_nearest_second(void **state)
{
    asker *k = *state;
    static const struct { int ms; const char *ttl; } row[] = { { 1, ":0" }, { 499, ":0" }, { 500, ":1" },
                                                               { 1499, ":1" }, { 1500, ":2" }, { 10000, ":10" } };
    for (size_t i = 0; i < COUNT(row); i++) {
        assert_string_equal(askf(k, "set k v px %d", row[i].ms), "+OK");
        assert_string_equal(ask(k, "ttl k"), row[i].ttl);
    }
    k->now_ms = 1700000000250;
    ASK_ALL(k, { "set k v px 10250", "+OK" }, { "pexpiretime k", ":1700000010500" }, { "expiretime k", ":1700000011" },
            { "expireat k 1700000000", ":1" },
        { "exists k", ":0" }, { "set k v", "+OK" }, { "expireat k 1700000001", ":1" }, { "pttl k", ":750" },
        { "persist k", ":1" }, { "persist k", ":0" }, { "ttl k", ":-1" },
        { "pexpiretime k", ":-1" }, { "expiretime no", ":-2" });
}

static void rename_moves_value_and_deadline(void **state)
{
    ASK_ALL(*state, { "rename no x", "-ERR no such key" }, { "renamenx no no", "-ERR no such key" },
            { "set a v px 100", "+OK" }, { "rpush b x", ":1" }, { "rename a b", "+OK" },
        { "pttl b", ":100" }, { "get b", "$1 v" }, { "exists a", ":0" }, { "rename b b", "+OK" }, { "get b", "$1 v" },
        { "renamenx b b", ":0" }, { "set c w px 5", "+OK" },
        { "renamenx b c", ":0" }, { "set d w", "+OK" }, { "rename d c", "+OK" }, { "pttl c", ":-1" },
        { "renamenx c e", ":1" }, { "get e", "$1 w" });
}

static void copy_is_apart_from_its_source(void **state)
{
    ASK_ALL(*state, { "copy no x", ":0" }, { "hset a f 1", ":1" }, { "pexpire a 100", ":1" }, { "copy a b", ":1" },
            { "hset b f 2 g 3", ":1" }, { "hgetall a", "*2 $1 f $1 1" },
        { "pttl b", ":100" }, { "copy a b", ":0" }, { "copy a b replace", ":1" }, { "hlen b", ":1" },
        { "persist a", ":1" }, { "copy a b REPLACE", ":1" }, { "pttl b", ":-1" },
        { "copy a a", "-ERR source and destination objects are the same" }, { "copy a a db 1", ":1" },
        { "copy a a db 16", "-ERR DB index is out of range" },
        { "copy a a db x", NOT_INTEGER }, { "copy a b db", SYNTAX }, { "copy a b foo", SYNTAX }, { "select 1", "+OK" },
        { "hgetall a", "*2 $1 f $1 1" }, { "dbsize", ":1" });
}

static void databases_are_apart(void **state)
{
    ASK_ALL(*state, { "set k v", "+OK" }, { "select 15", "+OK" }, { "exists k", ":0" }, { "set k w", "+OK" },
            { "flushdb", "+OK" }, { "select 0", "+OK" }, { "get k", "$1 v" },
        { "select 16", "-ERR DB index is out of range" }, { "select -1", "-ERR DB index is out of range" },
        { "select x", NOT_INTEGER },
        { "select 2147483648", "-ERR value is out of range, value must between -2147483648 and 2147483647" },
        { "get k", "$1 v" }, { "select 3", "+OK" }, { "flushall async", "+OK" },
        { "select 0", "+OK" }, { "dbsize", ":0" }, { "flushall now", SYNTAX }, { "flushdb sync sync", SYNTAX });
}

static void keys_come_in_byte_order(void **state)
{
    ASK_ALL(*state, { "mset b 1 a 2 aa 3 '' 4 B 5", "+OK" }, { "keys *", "*5 $0  $1 B $1 a $2 aa $1 b" },
            { "keys a*", "*2 $1 a $2 aa" }, { "keys ''", "*1 $0 " },
        { "scan 0", "*2 $1 0 *5 $0  $1 B $1 a $2 aa $1 b" }, { "scan 0 match [ab] count 1", "*2 $1 0 *2 $1 a $1 b" },
        { "hset h f v", ":1" },
        { "scan 0 type hash", "*2 $1 0 *1 $1 h" }, { "scan 0 TYPE bogus", "*2 $1 0 *0" },
        { "scan x", "-ERR invalid cursor" }, { "scan 0 count 0", SYNTAX },
        { "scan 0 count x", NOT_INTEGER }, { "scan 0 match", SYNTAX }, { "scan 0 foo bar", SYNTAX });
}

/* Property: one seed gives one sequence, every key can be drawn, and an empty database gives nil. */
static void randomkey_is_drawn_from_the_seed(void **state)
{
    asker *k = *state;
    char first[41] = { 0 }, again[41] = { 0 };
    assert_string_equal(ask(k, "randomkey"), "$-1");
    ask(k, "mset a 1 b 2 c 3");
    for (int pass = 0; pass < 2; pass++) {
        redis_seed(k->server, 7);
        for (int i = 0; i < 40; i++)
            (pass ? again : first)[i] = ask(k, "randomkey")[3];
    }
    assert_string_equal(first, again);
    assert_true(strchr(first, 'a') && strchr(first, 'b') && strchr(first, 'c'));
    redis_seed(k->server, 8);
    bool differs = false;
    for (int i = 0; i < 40; i++)
        differs |= ask(k, "randomkey")[3] != first[i];
    assert_true(differs);
}

static void the_clock_is_the_callers(void **state)
{
    asker *k = *state;
    k->now_ms = 1700000000123;
    assert_string_equal(ask(k, "time"), "*2 $10 1700000000 $6 123000");
    k->now_ms = 7;
    assert_string_equal(ask(k, "time"), "*2 $1 0 $4 7000");
}

static void small_talk(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "ping", "+PONG" }, { "PING hello", "$5 hello" },
            { "ping a b", "-ERR wrong number of arguments for 'ping' command" }, { "echo hello", "$5 hello" },
        { "wait 1 0", ":0" }, { "wait x 0", NOT_INTEGER },
        { "wait 0 x", "-ERR timeout is not an integer or out of range" }, { "wait 0 -1", "-ERR timeout is negative" },
        { "quit", "+OK" }, { "reset", "+RESET" });
    redis_set_acks(k->server, 2);
    assert_string_equal(ask(k, "wait 1 0"), ":2");
}

static void unknown_commands_are_named_with_their_arguments(void **state)
{
    ASK_ALL(*state, { "nosuch", "-ERR unknown command 'nosuch', with args beginning with: " },
        { "NoSuch a 'b'", "-ERR unknown command 'NoSuch', with args beginning with: 'a' ''b'' " },
        { "no\\x0d\\x0asuch a\\x0ab", "-ERR unknown command 'no  such', with args beginning with: 'a b' " },
        { "no\\x00such a\\x00b", "-ERR unknown command 'no', with args beginning with: 'a' " },
        { "''", "-ERR unknown command '', with args beginning with: " },
        { "pubsub|channels", "-ERR unknown command 'pubsub|channels', with args beginning with: " },
        { "get", "-ERR wrong number of arguments for 'get' command" },
        { "GET a b", "-ERR wrong number of arguments for 'get' command" },
        { "pubsub", "-ERR wrong number of arguments for 'pubsub' command" },
        { "pubsub foo", "-ERR unknown subcommand 'foo'. Try PUBSUB HELP." },
        { "PubSub NumPat x", "-ERR wrong number of arguments for 'pubsub|numpat' command" });
}

static void a_long_unknown_command_is_cut(void **state)
{
    char command[600] = { 0 }, expected[700];
    memset(command, 'x', 200);
    command[200] = ' ';
    memset(command + 201, 'y', 100);
    command[301] = ' ';
    memset(command + 302, 'z', 200);
    snprintf(expected, sizeof expected, "-ERR unknown command '%.128s', with args beginning with: '%.100s' '%.25s' ",
             command, command + 201, command + 302);
    assert_string_equal(ask(*state, command), expected);
}

/* Property: whatever is executed, the server answers.
 * How: random words from a small vocabulary, half of them commands. */
static void random_words_never_crash(void **state)
{
    static const char *const words[] = {
        "set", "get", "getex", "del", "expire", "pexpireat", "hset", "hincrby", "hdel", "rename", "copy", "scan",
        "multi", "exec", "watch", "incr", "append", "setrange", "getrange", "subscribe", "unsubscribe", "publish",
        "select", "hscan", "hrandfield", "incrbyfloat", "mset", "persist", "a", "b", "''", "0", "1", "-1",
        "9223372036854775807", "-9223372036854775808", "px", "ex", "nx", "keepttl", "get", "match", "*", "count", "1.5",
        "inf", "nan", "\\x00",
    };
    asker *k = *state;
    rng r = rng_new(3, 3);
    size_t refused = 0;
    for (int i = 0; i < 20000; i++) {
        char command[256] = { 0 };
        size_t n = 1 + (size_t)rng_below(&r, 6), at = 0;
        for (size_t w = 0; w < n; w++)
            at += (size_t)snprintf(command + at, sizeof command - at, "%s%s", w ? " " : "",
                                   words[rng_below(&r, w ? COUNT(words) : 28)]);
        refused += ask(k, command)[0] == '-';
        k->now_ms += (int64_t)rng_below(&r, 3);
        if (i % 50 == 49)
            ask(k, "reset");
    }
    assert_in_range(refused, 5000, 19000);                     /* neither all nonsense nor all sense */
}

/* Property: a keyspace that is too large refuses to grow, and nothing else. */
static void a_full_keyspace_answers_oom(void **state)
{
    (void)state;
    asker k = { .server = redis_new((redis_limits){ .store_bytes = 10000 }), .now_ms = 0, .resp = 2, .a = arena_new() };
    k.conn = redis_connect(k.server, 1);
    ASK_ALL(&k, { "set a v px 100", "+OK" }, { "setrange b 9999 x", ":10000" },
            { "set c v", "-OOM command not allowed when used memory > 'maxmemory'." },
        { "get a", "$1 v" }, { "expire a 5", ":1" }, { "lpop no", "$-1" },
        { "hset h f v", "-OOM command not allowed when used memory > 'maxmemory'." },
        { "del b", ":1" }, { "set c v", "+OK" });
    redis_free(k.server);
    arena_free(k.a);
    buf_free(&k.answer);
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(each_kind_has_its_name),
        ON_FRESH_SERVER(a_key_lives_through_its_deadline),
        ON_FRESH_SERVER(an_expired_key_is_counted_until_it_is_met),
        ON_FRESH_SERVER(what_meets_an_expired_key),
        ON_FRESH_SERVER(expire_has_conditions),
        ON_FRESH_SERVER(expire_reads_numbers_before_it_looks_at_the_key),
        ON_FRESH_SERVER(ttl_rounds_to_the_nearest_second),
        ON_FRESH_SERVER(rename_moves_value_and_deadline),
        ON_FRESH_SERVER(copy_is_apart_from_its_source),
        ON_FRESH_SERVER(databases_are_apart),
        ON_FRESH_SERVER(keys_come_in_byte_order),
        ON_FRESH_SERVER(randomkey_is_drawn_from_the_seed),
        ON_FRESH_SERVER(the_clock_is_the_callers),
        ON_FRESH_SERVER(small_talk),
        ON_FRESH_SERVER(unknown_commands_are_named_with_their_arguments),
        ON_FRESH_SERVER(a_long_unknown_command_is_cut),
        ON_FRESH_SERVER(random_words_never_crash),
        ON_FRESH_SERVER(a_full_keyspace_answers_oom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
