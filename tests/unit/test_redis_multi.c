/* test_redis_multi.c - transactions: queued, run as one, aborted by a changed key or a refused command. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

#define ABORTED "-EXECABORT Transaction discarded because of previous errors."

static void commands_wait_for_exec(void **state)
{
    ASK_ALL(*state, { "multi", "+OK" }, { "set k v", "+QUEUED" }, { "incr k", "+QUEUED" }, { "lpop no 1", "+QUEUED" },
            { "get k", "+QUEUED" },
        { "exec", "*4 +OK -ERR value is not an integer or out of range *-1 $1 v" }, { "get k", "$1 v" },
        { "multi", "+OK" }, { "exec", "*0" });
}

static void discard_forgets_the_queue(void **state)
{
    ASK_ALL(*state, { "multi", "+OK" }, { "set k v", "+QUEUED" }, { "discard", "+OK" }, { "exists k", ":0" },
            { "exec", "-ERR EXEC without MULTI" },
        { "discard", "-ERR DISCARD without MULTI" }, { "multi", "+OK" }, { "exec", "*0" });
}

/* Property: what is refused when it is queued aborts the whole; what is refused when it runs does not. */
static void a_refused_command_aborts(void **state)
{
    ASK_ALL(*state, { "multi", "+OK" }, { "set k v", "+QUEUED" },
            { "nosuch", "-ERR unknown command 'nosuch', with args beginning with: " }, { "exec", ABORTED },
            { "exists k", ":0" },
        { "multi", "+OK" }, { "get", "-ERR wrong number of arguments for 'get' command" }, { "set k v", "+QUEUED" },
        { "exec", ABORTED }, { "multi", "+OK" },
        { "multi", "-ERR MULTI calls can not be nested" }, { "watch k", "-ERR WATCH inside MULTI is not allowed" },
        { "set k v", "+QUEUED" }, { "exec", "*1 +OK" },
        { "multi", "+OK" }, { "exec x", "-EXECABORT Transaction discarded because of: wrong number of arguments for "
                              "'exec' command" }, { "exec", "-ERR EXEC without MULTI" },
        { "exec x", "-EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command" });
}

static void reset_leaves_the_transaction(void **state)
{
    ASK_ALL(*state, { "select 3", "+OK" }, { "watch k", "+OK" }, { "multi", "+OK" }, { "set k v", "+QUEUED" },
            { "reset", "+RESET" }, { "exec", "-ERR EXEC without MULTI" },
        { "dbsize", ":0" }, { "select 3", "+OK" }, { "dbsize", ":0" });
}

/* The server as bytes, and back. */
static void through_bytes(asker *k)
{
    buf keyspace = { 0 }, connections = { 0 }, again = { 0 };
    redis_freeze(k->server, k->now_ms, &keyspace);
    redis_freeze_transactions(k->server, k->now_ms, &connections);
    redis_thaw(k->server, k->now_ms, buf_str(&keyspace));
    redis_thaw_transactions(k->server, k->now_ms, buf_str(&connections));
    redis_freeze_transactions(k->server, k->now_ms, &again);
    assert_true(str_eq(buf_str(&connections), buf_str(&again)));
    buf_free(&keyspace);
    buf_free(&connections);
    buf_free(&again);
}

/* Property: EXEC runs exactly if no other wrote a watched key.
 * How: one connection watches, another one acts in between; also where the server has been bytes before that, and
 * after it. */
static void a_watched_key_that_changed_aborts(void **state)
{
    static const struct { const char *other; bool aborts; } row[] = {
        { "get k", false }, { "set k v", true }, { "set other v", false }, { "del k", true }, { "expire k 100", true },
        { "persist k", false }, { "persist leased", true },
        { "exists k", false }, { "hset h f 1", true }, { "hset h f 2", true }, { "hdel h nothing", false },
        { "hdel h f", true }, { "incr k", false }, { "append k ''", true },
        { "rename k z", true }, { "rename other k", true }, { "rename k k", false }, { "renamenx other k", false },
        { "copy other k replace", true }, { "copy k other replace", false },
        { "flushall", true }, { "flushdb", true }, { "getex k", false }, { "getex k persist", false },
        { "getex leased persist", true }, { "touch k", false }, { "setnx k w", false },
        { "msetnx new 1 k 2", false }, { "mset new 1 k 2", true }, { "getset k v", true }, { "set k v nx", false },
        { "setrange k 0 ''", false }, { "pexpire k 0", true },
        { "pexpire no 0", false }, { "expire k 100 xx", false }, { "hsetnx h f 3", false }, { "hincrby h f 0", true },
    };
    asker *k = *state;
    redis_conn *watcher = k->conn, *other = redis_connect(k->server, 2);
    for (size_t n = 0; n < 4 * COUNT(row); n++) {
        size_t i = n / 4;
        ASK_ALL(k, { "flushall", "+OK" }, { "mset k text other o", "+OK" }, { "hset h f 1", ":1" },
                { "set leased x px 1000", "+OK" }, { "watch k h leased", "+OK" });
        if (n & 1)
            through_bytes(k);
        k->conn = other;
        ask(k, row[i].other);
        if (n & 2)
            through_bytes(k);
        k->conn = watcher;
        ASK_ALL(k, { "multi", "+OK" }, { "set done 1", "+QUEUED" });
        if (strcmp(ask(k, "exec"), row[i].aborts ? "*-1" : "*1 +OK") != 0)
            fail_msg("%s: %s", row[i].other, k->answer.p);
        assert_string_equal(ask(k, "exists done"), row[i].aborts ? ":0" : ":1");
    }
}

/* Found by random transactions beside the real server. */
static void a_bit_that_was_so_already_is_no_change(void **state)
{
    ASK_ALL(*state, { "setbit k 7 1", ":0" }, { "watch k", "+OK" }, { "setbit k 7 1", ":1" }, { "setbit k 6 0", ":0" },
            { "multi", "+OK" }, { "exec", "*0" },
        { "watch k", "+OK" }, { "setbit k 6 1", ":0" }, { "multi", "+OK" }, { "exec", "*-1" }, { "watch k", "+OK" },
        { "setbit k 8 0", ":0" },
        { "multi", "+OK" }, { "exec", "*-1" }, { "watch new k", "+OK" },
        { "bitfield new overflow fail incrby u8 3 -5", "*1 $-1" },
        { "bitfield k set u1 7 1", "*1 :1" }, { "multi", "+OK" }, { "exec", "*0" }, { "exists new", ":1" },
        { "watch new", "+OK" },
        { "bitfield new set u8 16 0", "*1 :0" }, { "multi", "+OK" }, { "exec", "*-1" });
}

static void a_watch_ends_with_exec_discard_or_unwatch(void **state)
{
    asker *k = *state;
    static const char *const enders[] = { "exec", "discard", "unwatch" };
    for (size_t i = 0; i < COUNT(enders); i++) {
        ask(k, "watch k k");
        if (i < 2)
            ask(k, "multi");
        ask(k, enders[i]);
        ask(k, "set k v");
        ASK_ALL(k, { "multi", "+OK" }, { "get k", "+QUEUED" }, { "exec", "*1 $1 v" });
    }
}

/* Property: a key that expires under the watch aborts; one that had expired before does not, and one key made and
 * unmade does. */
static void expiry_under_a_watch_aborts(void **state)
{
    asker *k = *state;
    static const struct { int64_t watched_at, executed_at; bool met, aborts; } row[] = {
        { 100, 100, false, false }, { 100, 101, false, true }, { 100, 101, true, true }, { 101, 102, false, false },
        { 101, 102, true, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        k->now_ms = 0;
        ask(k, "set k v px 100");
        k->now_ms = row[i].watched_at;
        ask(k, "watch k");
        k->now_ms = row[i].executed_at;
        if (row[i].met)
            ask(k, "exists k");
        ASK_ALL(k, { "multi", "+OK" }, { "ping", "+QUEUED" });
        if (strcmp(ask(k, "exec"), row[i].aborts ? "*-1" : "*1 +PONG") != 0)
            fail_msg("row %zu: %s", i, k->answer.p);
    }
    ASK_ALL(k, { "del k", ":0" }, { "watch k", "+OK" }, { "set k v", "+OK" }, { "del k", ":1" }, { "multi", "+OK" },
            { "exec", "*-1" });
}

static void watches_belong_to_a_database_and_a_connection(void **state)
{
    asker *k = *state;
    redis_conn *first = k->conn, *second = redis_connect(k->server, 2);
    ASK_ALL(k, { "watch k", "+OK" }, { "select 1", "+OK" }, { "set k v", "+OK" }, { "multi", "+OK" }, { "exec", "*0" },
            { "select 0", "+OK" }, { "watch k", "+OK" });
    k->conn = second;
    /* one's own writes count */
    ASK_ALL(k, { "watch k", "+OK" }, { "set k v", "+OK" }, { "multi", "+OK" }, { "exec", "*-1" });
    redis_disconnect(k->server, second);
    k->conn = first;
    ASK_ALL(k, { "multi", "+OK" }, { "exec", "*-1" });
    ask(k, "watch a b c");                                     /* left open: the tear-down must not leak */
    ask(k, "multi");
    ask(k, "set k v");
}

static void select_inside_exec_stays(void **state)
{
    ASK_ALL(*state, { "multi", "+OK" }, { "select 2", "+QUEUED" }, { "set k v", "+QUEUED" }, { "exec", "*2 +OK +OK" },
            { "get k", "$1 v" }, { "select 0", "+OK" }, { "exists k", ":0" });
}

/* Property: what connections remember is the same bytes in any order of connecting and at any time, and tells apart all
 * that EXEC can. */
static void what_connections_remember_survives_as_bytes(void **state)
{
    static const char *const told[][3] = {             /* by connection 1 (twice), and 2 */
        { "multi", "incr n", "ping" }, { "multi", "incr m", "ping" }, { "multi", "ping", "multi" },
        { "ping", "ping", "multi" }, { "watch k", "ping", "ping" },
        { "watch k", "set k v", "ping" }, { "watch l", "ping", "ping" }, { "watch k", "multi", "ping" },
        { "select 1", "watch k", "ping" }, { "select 2", "ping", "ping" },
        { "multi", "nosuch", "ping" }, { "multi", "ping", "ping" },
    };
    buf seen[COUNT(told)] = { { 0 } };
    for (size_t i = 0; i < COUNT(told); i++) {
        asker *k;
        asker_new((void **)&k);
        redis_conn *first = redis_connect(k->server, 9 + (i & 1)), *second = redis_connect(k->server, 10 - (i & 1));
        k->conn = i & 1 ? second : first;
        ask(k, told[i][0]);
        ask(k, told[i][1]);
        k->conn = i & 1 ? first : second;
        ask(k, told[i][2]);
        through_bytes(k);
        redis_freeze_transactions(k->server, k->now_ms, &seen[i]);
        for (size_t j = 0; j < i; j++)
            assert_false(str_eq(buf_str(&seen[i]), buf_str(&seen[j])));
        asker_free((void **)&k);
    }
    for (size_t i = 0; i < COUNT(told); i++)
        buf_free(&seen[i]);
    asker *k = *state;
    buf at = { 0 }, later = { 0 };
    ASK_ALL(k, { "multi", "+OK" });
    char text[64];
    snprintf(text, sizeof text, "set k %lld", (long long)k->now_ms + 30);
    ask(k, text);
    redis_freeze_transactions(k->server, k->now_ms, &at);
    redis_thaw_transactions(k->server, k->now_ms + 500, buf_str(&at));
    redis_freeze_transactions(k->server, k->now_ms + 500, &later);
    assert_true(str_eq(buf_str(&at), buf_str(&later)));
    ASK_ALL(k, { "exec", "*1 +OK" });
    snprintf(text, sizeof text, "$13 %lld", (long long)k->now_ms + 530);
    ASK_ALL(k, { "get k", text });
    redis_thaw_transactions(k->server, k->now_ms, S(""));
    assert_false(redis_conn_remembers(k->conn));
    buf_free(&at);
    buf_free(&later);
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(commands_wait_for_exec),
        ON_FRESH_SERVER(discard_forgets_the_queue),
        ON_FRESH_SERVER(a_refused_command_aborts),
        ON_FRESH_SERVER(reset_leaves_the_transaction),
        ON_FRESH_SERVER(a_watched_key_that_changed_aborts),
        ON_FRESH_SERVER(a_bit_that_was_so_already_is_no_change),
        ON_FRESH_SERVER(a_watch_ends_with_exec_discard_or_unwatch),
        ON_FRESH_SERVER(expiry_under_a_watch_aborts),
        ON_FRESH_SERVER(watches_belong_to_a_database_and_a_connection),
        ON_FRESH_SERVER(select_inside_exec_stays),
        ON_FRESH_SERVER(what_connections_remember_survives_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
