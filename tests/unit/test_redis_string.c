/* test_redis_string.c - the string commands: SET and all its options, numbers, parts. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"
#define SYNTAX "-ERR syntax error"
#define NOT_INTEGER "-ERR value is not an integer or out of range"
#define NOT_FLOAT "-ERR value is not a valid float"
#define BAD_TIME(command) "-ERR invalid expire time in '" command "' command"

static void set_nx_is_a_lock(void **state)
{
    ASK_ALL(*state, { "set l A nx px 30000", "+OK" }, { "set l B nx px 30000", "$-1" }, { "get l", "$1 A" },
            { "set l C xx", "+OK" }, { "pttl l", ":-1" },
        { "set no v xx", "$-1" }, { "exists no", ":0" }, { "hset h f v", ":1" }, { "set h v nx", "$-1" },
        { "type h", "+hash" }, { "set h v", "+OK" }, { "type h", "+string" },
        { "setnx l D", ":0" }, { "rpush q x", ":1" }, { "setnx q D", ":0" }, { "setnx new D", ":1" });
}

static void set_get_answers_the_old_value_in_every_case(void **state)
{
    ASK_ALL(*state, { "set k 1 get", "$-1" }, { "set k 2 get", "$1 1" }, { "set k 3 nx get", "$1 2" },
            { "get k", "$1 2" }, { "set no 3 xx get", "$-1" }, { "exists no", ":0" },
        { "set fresh 3 nx get", "$-1" }, { "get fresh", "$1 3" }, { "rpush q x", ":1" }, { "set q v get", WRONGTYPE },
        { "set q v nx get", WRONGTYPE }, { "type q", "+list" },
        { "getset k 9", "$1 2" }, { "getset no2 9", "$-1" }, { "getset q 9", WRONGTYPE }, { "getdel k", "$1 9" },
        { "getdel k", "$-1" }, { "getdel q", WRONGTYPE });
}

static void set_times_exclude_each_other(void **state)
{
    asker *k = *state;
    static const char *const bad[] = {
        "nx xx", "xx nx", "ex 1 px 1", "px 1 ex 1", "ex 1 exat 1", "ex 1 keepttl", "keepttl ex 1", "keepttl pxat 5",
        "ex", "px", "persist", "foo", "px 1 persist", "nx foo", "get get px",
    };
    static const char *const good[] = { "px 100 px 200", "EX 1 ex 2", "keepttl KEEPTTL", "nx nx", "get GET",
                                        "px 5 get nx" };
    for (size_t i = 0; i < COUNT(bad); i++)
        if (strcmp(askf(k, "set k v %s", bad[i]), SYNTAX) != 0)
            fail_msg("set k v %s: %s", bad[i], k->answer.p);
    for (size_t i = 0; i < COUNT(good); i++) {
        ask(k, "del k");
        if (askf(k, "set k v %s", good[i])[0] == '-')
            fail_msg("set k v %s: %s", good[i], k->answer.p);
    }
    ASK_ALL(k, { "set k v px 100 px 200", "+OK" }, { "pttl k", ":200" }, { "set k w keepttl", "+OK" },
            { "pttl k", ":200" }, { "set k w", "+OK" }, { "pttl k", ":-1" },
        { "set no v keepttl", "+OK" }, { "pttl no", ":-1" });
}

static void set_times_are_checked_before_anything_else(void **state)
{
    ASK_ALL(*state, { "rpush q x", ":1" }, { "set q v px 0 get", BAD_TIME("set") }, { "set k v px x", NOT_INTEGER },
            { "set k v px 0", BAD_TIME("set") }, { "set k v ex -1", BAD_TIME("set") },
        { "set k v ex 9223372036854775807", BAD_TIME("set") }, { "set k v px 9223372036854775807", BAD_TIME("set") },
        { "set k v exat 0", BAD_TIME("set") }, { "exists k", ":0" },
        { "set k v pxat 9223372036854775807", "+OK" }, { "set k v pxat 1", "+OK" }, { "exists k", ":0" },
        { "set k v exat 1700000001", "+OK" }, { "pttl k", ":1000" },
        { "setex k 0 v", BAD_TIME("setex") }, { "setex k x v", NOT_INTEGER }, { "psetex k -5 v", BAD_TIME("psetex") },
        { "setex k 2 v", "+OK" }, { "pttl k", ":2000" },
        { "psetex q 2 v", "+OK" }, { "pttl q", ":2" });
}

static void getex_moves_the_deadline(void **state)
{
    ASK_ALL(*state, { "getex no px 5", "$-1" }, { "getex no foo", SYNTAX }, { "getex no px x", "$-1" },
            { "set k v", "+OK" }, { "getex k", "$1 v" }, { "getex k px 100", "$1 v" }, { "pttl k", ":100" },
        { "getex k", "$1 v" }, { "pttl k", ":100" }, { "getex k persist", "$1 v" }, { "pttl k", ":-1" },
        { "getex k ex 3", "$1 v" }, { "pttl k", ":3000" }, { "getex k px 0", BAD_TIME("getex") },
        { "getex k px x", NOT_INTEGER }, { "getex k px 1 ex 1", SYNTAX }, { "getex k persist px 1", SYNTAX },
        { "getex k keepttl", SYNTAX }, { "getex k nx", SYNTAX },
        { "getex k pxat 1700000000000", "$1 v" }, { "exists k", ":0" }, { "rpush q x", ":1" },
        { "getex q px x", WRONGTYPE }, { "getex q foo", SYNTAX });
}

static void several_keys_at_once(void **state)
{
    ASK_ALL(*state, { "mset a 1 b 2 a 3", "+OK" }, { "rpush q x", ":1" }, { "mget a q no b", "*4 $1 3 $-1 $-1 $1 2" },
            { "msetnx c 1 a 2", ":0" }, { "exists c", ":0" },
        { "msetnx c 1 d 2", ":1" }, { "mset a 1 b", "-ERR wrong number of arguments for 'mset' command" },
        { "msetnx e 1 f", "-ERR wrong number of arguments for 'msetnx' command" },
        { "pexpire a 50", ":1" }, { "mset a 9 q 1", "+OK" }, { "pttl a", ":-1" }, { "get q", "$1 1" });
}

static void counters_stop_at_64_bits(void **state)
{
    ASK_ALL(*state, { "incr n", ":1" }, { "decrby n 3", ":-2" }, { "incrby n 10", ":8" }, { "decr n", ":7" },
            { "pexpire n 100", ":1" }, { "incr n", ":8" }, { "pttl n", ":100" },
        { "set n 9223372036854775807", "+OK" }, { "incr n", "-ERR increment or decrement would overflow" },
        { "get n", "$19 9223372036854775807" },
        { "set n -9223372036854775808", "+OK" }, { "decr n", "-ERR increment or decrement would overflow" },
        { "incrby n 9223372036854775807", ":-1" },
        { "decrby n -9223372036854775808", "-ERR decrement would overflow" }, { "decrby n x", NOT_INTEGER },
        { "set n abc", "+OK" }, { "incr n", NOT_INTEGER }, { "incrby n x", NOT_INTEGER },
        { "rpush q x", ":1" }, { "incrby q x", NOT_INTEGER }, { "incr q", WRONGTYPE }, { "set n ''", "+OK" },
        { "incr n", NOT_INTEGER });
}

static void floats_have_17_decimals(void **state)
{
    ASK_ALL(*state, { "incrbyfloat f 0.1", "$3 0.1" }, { "incrbyfloat f 0.2", "$3 0.3" },
            { "incrbyfloat f -0.3", "$1 0" }, { "incrbyfloat f 1e3", "$4 1000" },
        { "incrbyfloat f x", NOT_FLOAT }, { "incrbyfloat f nan", NOT_FLOAT },
        { "incrbyfloat f inf", "-ERR increment would produce NaN or Infinity" }, { "set f x", "+OK" },
        { "incrbyfloat f 1", NOT_FLOAT }, { "rpush q x", ":1" }, { "incrbyfloat q x", WRONGTYPE },
        { "set f 3.0", "+OK" }, { "incrbyfloat f 1.0", "$1 4" }, { "get f", "$1 4" });
}

static void parts_of_a_string(void **state)
{
    ASK_ALL(*state, { "append k abc", ":3" }, { "append k def", ":6" }, { "strlen k", ":6" }, { "strlen no", ":0" },
            { "getrange k 0 -1", "$6 abcdef" }, { "getrange k -3 -2", "$2 de" },
        { "getrange k 4 99", "$2 ef" }, { "getrange k 3 1", "$0 " }, { "getrange k -1 -3", "$0 " },
        { "getrange k 0 -99", "$1 a" }, { "getrange k -99 0", "$1 a" }, { "getrange k 6 7", "$0 " },
        { "getrange no 0 1", "$0 " }, { "getrange k x 1", NOT_INTEGER }, { "setrange k 1 XY", ":6" },
        { "get k", "$6 aXYdef" }, { "setrange no 0 ''", ":0" }, { "exists no", ":0" },
        { "setrange k 0 ''", ":6" }, { "setrange k -1 x", "-ERR offset is out of range" },
        { "setrange k x x", NOT_INTEGER },
        { "setrange k 99999999999 x", "-ERR string exceeds maximum allowed size (proto-max-bulk-len)" },
        { "pexpire k 100", ":1" }, { "setrange k 7 z", ":8" }, { "append k ''", ":8" },
        { "pttl k", ":100" }, { "rpush q x", ":1" }, { "append q x", WRONGTYPE }, { "setrange q 0 ''", WRONGTYPE },
        { "getrange q 0 1", WRONGTYPE }, { "strlen q", WRONGTYPE });
}

/* Property: no single command can ask for more than a limited answer, or build more than a limited string: also where
 * SETBIT made it larger than APPEND alone could. */
static void answers_and_strings_have_limits(void **state)
{
    asker *k = *state;
    assert_string_equal(ask(k, "setrange big 60000000 x"), ":60000001");
    assert_string_equal(ask(k, "mget big big big big big"), "-ERR locksim answers with at most 268435456 bytes");
    assert_string_equal(ask(k, "setbit b 800000000 1"), ":0");
    assert_string_equal(ask(k, "append b x"), ":100000002");
    assert_string_equal(ask(k, "setrange b 536870912 x"), "-ERR string exceeds maximum allowed size "
                        "(proto-max-bulk-len)");
}

/* What makes an integer a text, what makes a text one with room to grow, and what makes it an integer again. */
static void strings_are_encoded_as_they_came_to_be(void **state)
{
    static const struct { const char *commands[4], *encoding; } row[] = {
        { { "set k 12" }, "int" }, { { "set k -9223372036854775808" }, "int" },
        { { "set k 9223372036854775808" }, "embstr" }, { { "set k 007" }, "embstr" }, { { "set k ''" }, "embstr" },
        { { "set k 01234567890123456789012345678901234567890123" }, "embstr" },
        { { "set k 012345678901234567890123456789012345678901234" }, "raw" },
        { { "append k 12" }, "int" }, { { "set k 12", "append k ''" }, "raw" }, { { "set k a", "append k b" }, "raw" },
        { { "setrange k 0 12" }, "raw" }, { { "set k 12", "setrange k 0 ''" }, "int" },
        { { "setbit k 0 0" }, "raw" }, { { "set k 12", "setbit k 0 0" }, "raw" },
        { { "set k 12", "bitfield k get u8 0" }, "int" }, { { "set k 12", "bitfield k set u8 0 49" }, "raw" },
        { { "set a 12", "bitop and k a a" }, "raw" }, { { "append k 1", "append k 2", "incr k" }, "int" },
        { { "incrbyfloat k 3" }, "embstr" }, { { "incrbyfloat k 3", "decr k" }, "int" },
        { { "incrbyfloat k 1e60" }, "raw" }, { { "setrange k 0 12", "set k 12 keepttl" }, "int" },
        { { "setrange a 0 12", "copy a k" }, "raw" }, { { "incrbyfloat a 12", "rename a k" }, "embstr" },
        { { "xadd k 1-1 a b" }, "stream" }, { { "rpush k a" }, "quicklist" },
    };
    asker *k = *state;
    for (size_t i = 0; i < COUNT(row); i++) {
        ask(k, "flushall");
        for (size_t n = 0; n < COUNT(row[i].commands) && row[i].commands[n]; n++)
            ask(k, row[i].commands[n]);
        buf frozen = { 0 };
        for (int thawed = 0; thawed < 2; thawed++) {
            const char *answer = strrchr(ask(k, "object encoding k"), ' ');
            if (!answer || strcmp(answer + 1, row[i].encoding) != 0)
                fail_msg("row %zu%s: %s", i, thawed ? ", thawed" : "", k->answer.p);
            redis_freeze(k->server, k->now_ms, &frozen);
            if (!thawed)
                redis_thaw(k->server, k->now_ms, buf_str(&frozen));
        }
        buf_free(&frozen);
    }
}

/* A string that is only encoded anew counts as written: what was frozen before is out of date. */
static void a_new_encoding_is_a_write(void **state)
{
    static const struct { const char *command; bool writes; } row[] = {
        { "set k 1", true }, { "setbit k 2 1", true }, { "setbit k 2 1", false }, { "bitfield k set u8 0 49", false },
        { "set k 1", true }, { "bitfield k set u8 0 49", true }, { "object encoding k", false },
    };
    asker *k = *state;
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t before = redis_writes(k->server);
        ask(k, row[i].command);
        if ((redis_writes(k->server) != before) != row[i].writes)
            fail_msg("row %zu: %s", i, row[i].command);
    }
}

/* A string whose encoding this server decides in a way that is not followed. */
static void other_encodings_are_refused(void **state)
{
    (void)state;
    static const struct { const char *dialect, *make; } row[] = {
        { "redis 8.2", "set k a" }, { "valkey 8.0", "set k a" }, { "valkey 9.0", "set k a" },
        { "valkey 8.1", "set k 0123456789012345678901234567890123" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        asker *k = asker_of(row[i].dialect);
        ask(k, row[i].make);
        assert_memory_equal(ask(k, "object encoding k"), "-ERR locksim refuses 'object encoding': ", 38);
        asker_free((void **)&k);
    }
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(set_nx_is_a_lock),
        ON_FRESH_SERVER(set_get_answers_the_old_value_in_every_case),
        ON_FRESH_SERVER(set_times_exclude_each_other),
        ON_FRESH_SERVER(set_times_are_checked_before_anything_else),
        ON_FRESH_SERVER(getex_moves_the_deadline),
        ON_FRESH_SERVER(several_keys_at_once),
        ON_FRESH_SERVER(counters_stop_at_64_bits),
        ON_FRESH_SERVER(floats_have_17_decimals),
        ON_FRESH_SERVER(parts_of_a_string),
        ON_FRESH_SERVER(answers_and_strings_have_limits),
        ON_FRESH_SERVER(strings_are_encoded_as_they_came_to_be),
        ON_FRESH_SERVER(a_new_encoding_is_a_write),
        cmocka_unit_test(other_encodings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
