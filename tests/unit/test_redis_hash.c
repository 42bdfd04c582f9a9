/* test_redis_hash.c - the hash commands, on which every reentrant lock stands. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ask.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"
#define SYNTAX "-ERR syntax error"
#define NOT_INTEGER "-ERR value is not an integer or out of range"

static void fields_keep_the_order_of_their_insertion(void **state)
{
    ASK_ALL(*state, { "hset h b 1 a 2 b 3", ":2" }, { "hgetall h", "*4 $1 b $1 3 $1 a $1 2" }, { "hdel h b z", ":1" },
            { "hset h b 4", ":1" }, { "hkeys h", "*2 $1 a $1 b" },
        { "hvals h", "*2 $1 2 $1 4" }, { "hincrby h a 5", ":7" }, { "hkeys h", "*2 $1 a $1 b" }, { "hlen h", ":2" },
        { "hmset h '' ''", "+OK" }, { "hget h ''", "$0 " },
        { "hstrlen h b", ":1" }, { "hstrlen h no", ":0" }, { "hexists h b", ":1" }, { "hexists h c", ":0" },
        { "hmget h a no b", "*3 $1 7 $-1 $1 4" });
}

static void a_missing_hash_is_empty(void **state)
{
    ASK_ALL(*state, { "hget no f", "$-1" }, { "hmget no a b", "*2 $-1 $-1" }, { "hgetall no", "*0" },
            { "hkeys no", "*0" }, { "hlen no", ":0" }, { "hexists no f", ":0" },
        { "hdel no f", ":0" }, { "hstrlen no f", ":0" }, { "hscan no 0", "*2 $1 0 *0" }, { "hrandfield no", "$-1" },
        { "hrandfield no 3", "*0" }, { "exists no", ":0" });
}

/* Property: the key dies with its last field and its deadline with it; as long as a field stays, so does the
 * deadline. */
static void the_key_dies_with_its_last_field(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "hset h a 1 b 2", ":2" }, { "pexpire h 100", ":1" }, { "hdel h a", ":1" }, { "pttl h", ":100" },
            { "hset h b 3", ":0" }, { "hincrby h b 1", ":4" },
        { "hincrbyfloat h b 1", "$1 5" }, { "pttl h", ":100" }, { "hdel h b b", ":1" }, { "exists h", ":0" },
        { "hset h a 1", ":1" }, { "pttl h", ":-1" }, { "pexpire h 5", ":1" });
    k->now_ms += 6;
    ASK_ALL(k, { "hset h c 1", ":1" }, { "hgetall h", "*2 $1 c $1 1" }, { "pttl h", ":-1" });
}

static void faults_come_in_order(void **state)
{
    ASK_ALL(*state, { "set s v", "+OK" }, { "hset s f", "-ERR wrong number of arguments for 'hset' command" },
            { "hset s f v g", "-ERR wrong number of arguments for 'hset' command" },
        { "hmset s f v g", "-ERR wrong number of arguments for 'hmset' command" }, { "hset s f v", WRONGTYPE },
        { "hsetnx s f v", WRONGTYPE }, { "hget s f", WRONGTYPE }, { "hmget s f", WRONGTYPE },
        { "hgetall s", WRONGTYPE }, { "hlen s", WRONGTYPE }, { "hexists s f", WRONGTYPE }, { "hdel s f", WRONGTYPE },
        { "hstrlen s f", WRONGTYPE }, { "hincrby s f abc", NOT_INTEGER },
        { "hincrby s f 1", WRONGTYPE }, { "hincrbyfloat s f abc", "-ERR value is not a valid float" },
        { "hincrbyfloat s f inf", "-ERR value is NaN or Infinity" },
        { "hincrbyfloat s f 1", WRONGTYPE }, { "hscan s x", "-ERR invalid cursor" }, { "hscan s 0 count x", WRONGTYPE },
        { "hrandfield s x", NOT_INTEGER }, { "hrandfield s 1 foo", SYNTAX },
        { "hrandfield s 1", WRONGTYPE });
}

static void counters_stop_at_64_bits(void **state)
{
    ASK_ALL(*state, { "hincrby h f 1", ":1" }, { "hincrby h f 9223372036854775806", ":9223372036854775807" },
            { "hincrby h f 1", "-ERR increment or decrement would overflow" },
        { "hincrby h f -9223372036854775808", ":-1" }, { "hset h f x", ":0" },
        { "hincrby h f 1", "-ERR hash value is not an integer" }, { "hset h f 1.5", ":0" },
        { "hincrby h f 1", "-ERR hash value is not an integer" }, { "hincrbyfloat h f 0.1", "$3 1.6" },
        { "hset h f x", ":0" }, { "hincrbyfloat h f 1", "-ERR hash value is not a float" },
        { "hset h f inf", ":0" }, { "hincrbyfloat h f 1", "-ERR increment would produce NaN or Infinity" },
        { "hincrby no f x", NOT_INTEGER }, { "exists no", ":0" });
}

static void hsetnx_never_overwrites(void **state)
{
    ASK_ALL(*state, { "hsetnx h f 1", ":1" }, { "hsetnx h f 2", ":0" }, { "hget h f", "$1 1" },
            { "hsetnx h g 2", ":1" }, { "hlen h", ":2" });
}

static void scans_answer_in_one_round(void **state)
{
    ASK_ALL(*state, { "hset h aa 1 ab 2 b 3", ":3" }, { "hscan h 0", "*2 $1 0 *6 $2 aa $1 1 $2 ab $1 2 $1 b $1 3" },
            { "hscan h 0 match a* count 1", "*2 $1 0 *4 $2 aa $1 1 $2 ab $1 2" },
        { "hscan h 0 count 0", SYNTAX }, { "hscan h 0 match", SYNTAX });
}

/* Property: a positive count gives different fields, all of them in order if there are no more; a negative one that
 * many draws. */
static void draws_keep_their_count(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "hset h a 1 b 2 c 3", ":3" }, { "hrandfield h 0", "*0" }, { "hrandfield h 9", "*3 $1 a $1 b $1 c" },
            { "hrandfield h 3 withvalues", "*6 $1 a $1 1 $1 b $1 2 $1 c $1 3" },
        { "hrandfield h 9223372036854775807 withvalues", "-ERR value is out of range" });
    bool seen[3] = { false };
    for (int i = 0; i < 60; i++) {
        const char *one = ask(k, "hrandfield h");
        assert_int_equal(strlen(one), 4);
        assert_in_range(one[3], 'a', 'c');
        seen[one[3] - 'a'] = true;
        const char *two = ask(k, "hrandfield h 2");
        assert_true(strncmp(two, "*2 ", 3) == 0 && two[6] != two[11]);
        assert_true(strncmp(ask(k, "hrandfield h -7"), "*7 ", 3) == 0);
        assert_true(strncmp(ask(k, "hrandfield h -7 withvalues"), "*14 ", 4) == 0);
    }
    assert_true(seen[0] && seen[1] && seen[2]);
    k->resp = 3;
    assert_string_equal(ask(k, "hrandfield h 3 withvalues"), "*3 *2 $1 a $1 1 *2 $1 b $1 2 *2 $1 c $1 3");
    assert_string_equal(ask(k, "hgetall h"), "%3 $1 a $1 1 $1 b $1 2 $1 c $1 3");
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(fields_keep_the_order_of_their_insertion),
        ON_FRESH_SERVER(a_missing_hash_is_empty),
        ON_FRESH_SERVER(the_key_dies_with_its_last_field),
        ON_FRESH_SERVER(faults_come_in_order),
        ON_FRESH_SERVER(counters_stop_at_64_bits),
        ON_FRESH_SERVER(hsetnx_never_overwrites),
        ON_FRESH_SERVER(scans_answer_in_one_round),
        ON_FRESH_SERVER(draws_keep_their_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
