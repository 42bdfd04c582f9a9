/* test_redis_set.c - the set commands: membership, algebra, moves, and draws that are random but repeatable. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"
#define SYNTAX "-ERR syntax error"

static void members_are_kept_once(void **state)
{
    ASK_ALL(*state, { "sadd s a b a", ":2" }, { "sadd s b c", ":1" }, { "scard s", ":3" }, { "sismember s a", ":1" },
            { "sismember s z", ":0" },
        { "smismember s a z c", "*3 :1 :0 :1" }, { "srem s a z a", ":1" }, { "smembers s", "*2 $1 b $1 c" },
        { "srem s b c", ":2" }, { "exists s", ":0" },
        { "smembers s", "*0" }, { "smismember s a b", "*2 :0 :0" }, { "srem s a", ":0" }, { "sadd e ''", ":1" },
        { "sismember e ''", ":1" });
}

/* Property: a set of integers is listed by number (Redis's intset), any other in byte order, which is ours where Redis
 * has none. */
static void members_come_out_sorted(void **state)
{
    ASK_ALL(*state, { "sadd n 10 9 -3 2", ":4" }, { "smembers n", "*4 $2 -3 $1 2 $1 9 $2 10" }, { "sadd n x", ":1" },
        { "smembers n", "*5 $2 -3 $2 10 $1 2 $1 9 $1 x" }, { "sadd m 01 1", ":2" }, { "smembers m", "*2 $2 01 $1 1" });
}

static void algebra_reads_missing_keys_as_empty(void **state)
{
    ASK_ALL(*state, { "sadd a 1 2 3", ":3" }, { "sadd b 2 3 4", ":3" }, { "sinter a b", "*2 $1 2 $1 3" },
            { "sunion a b", "*4 $1 1 $1 2 $1 3 $1 4" },
        { "sdiff a b", "*1 $1 1" }, { "sdiff a b b", "*1 $1 1" }, { "sinter a no", "*0" },
        { "sunion a no", "*3 $1 1 $1 2 $1 3" }, { "sdiff no a", "*0" },
        { "sdiff a no", "*3 $1 1 $1 2 $1 3" }, { "sdiff a a", "*0" }, { "sinter a a", "*3 $1 1 $1 2 $1 3" },
        { "sintercard 2 a b", ":2" },
        { "sintercard 2 a b limit 1", ":1" }, { "sintercard 2 a b limit 0", ":2" }, { "sintercard 2 a no", ":0" });
}

/* Property: STORE replaces the destination whole, whatever it was and whatever its deadline; an empty result leaves no
 * key. */
static void stored_results_replace_the_destination(void **state)
{
    ASK_ALL(*state, { "sadd a 1 2", ":2" }, { "sadd b 2", ":1" }, { "set d text px 5000", "+OK" },
            { "sinterstore d a b", ":1" }, { "smembers d", "*1 $1 2" },
        { "pttl d", ":-1" }, { "sdiffstore a a b", ":1" }, { "smembers a", "*1 $1 1" }, { "sunionstore a a b", ":2" },
        { "set d text", "+OK" },
        { "sinterstore d a no", ":0" }, { "exists d", ":0" }, { "set d text", "+OK" },
        { "sunionstore a a d", WRONGTYPE }, { "scard a", ":2" });
}

static void every_operand_must_be_a_set(void **state)
{
    ASK_ALL(*state, { "set t v", "+OK" }, { "sinter no t", WRONGTYPE }, { "sdiff no t", WRONGTYPE },
            { "sunion no t", WRONGTYPE }, { "sinterstore d no t", WRONGTYPE },
        { "sintercard 2 no t", WRONGTYPE }, { "sadd t a", WRONGTYPE }, { "srem t a", WRONGTYPE },
        { "sismember t a", WRONGTYPE }, { "smembers t", WRONGTYPE },
        { "scard t", WRONGTYPE }, { "spop t", WRONGTYPE }, { "srandmember t 2", WRONGTYPE }, { "sscan t 0", WRONGTYPE },
        { "sintercard 0 a", "-ERR numkeys should be greater than 0" },
        { "sintercard x a", "-ERR numkeys should be greater than 0" },
        { "sintercard 2 a", "-ERR Number of keys can't be greater than number of args" },
        { "sintercard 1 a limit -1", "-ERR LIMIT can't be negative" },
        { "sintercard 1 a limit x", "-ERR LIMIT can't be negative" }, { "sintercard 1 a limit", SYNTAX },
        { "sintercard 1 a b", SYNTAX });
}

/* Property: a missing source is 0 before anything else is looked at; a refused move changes nothing; an emptied source
 * goes. */
static void smove_moves_or_changes_nothing(void **state)
{
    ASK_ALL(*state, { "set t v", "+OK" }, { "smove no t a", ":0" }, { "smove t no a", WRONGTYPE },
            { "sadd s a b", ":2" }, { "smove s t a", WRONGTYPE }, { "scard s", ":2" },
        { "smove s d z", ":0" }, { "exists d", ":0" }, { "smove s d a", ":1" }, { "pexpire s 500", ":1" },
        { "smove s s b", ":1" }, { "pttl s", ":500" }, { "smove s s z", ":0" }, { "smove s d b", ":1" },
        { "exists s", ":0" },
        { "smembers d", "*2 $1 a $1 b" }, { "sadd s a", ":1" }, { "smove s d a", ":1" }, { "scard d", ":2" },
        { "exists s", ":0" });
}

static void draws_judge_their_arguments_first(void **state)
{
    ASK_ALL(*state, { "spop no", "$-1" }, { "spop no 2", "*0" },
            { "spop no -1", "-ERR value is out of range, must be positive" },
            { "spop no x", "-ERR value is out of range, must be positive" },
        { "spop no 1 2", SYNTAX }, { "srandmember no", "$-1" }, { "srandmember no -3", "*0" },
        { "srandmember no x", "-ERR value is not an integer or out of range" },
        { "srandmember no 1 2", SYNTAX }, { "sadd s a b c", ":3" }, { "spop s 0", "*0" }, { "srandmember s 0", "*0" },
        { "srandmember s 9", "*3 $1 a $1 b $1 c" },
        { "srandmember s -2000000", "-ERR locksim draws at most 1000000 members in one command" }, { "scard s", ":3" },
        { "spop s 9", "*3 $1 a $1 b $1 c" }, { "exists s", ":0" });
}

/* Property: a pop takes what it answers, exactly once each; so many pops empty the set. */
static void pops_partition_the_set(void **state)
{
    int seen[8] = { 0 };
    ask(*state, "sadd s 0 1 2 3 4 5 6 7");
    for (int i = 0; i < 8; i++) {
        int member = -1;
        assert_int_equal(sscanf(ask(*state, "spop s"), "$1 %d", &member), 1);
        assert_in_range(member, 0, 7);
        seen[member]++;
        assert_string_equal(askf(*state, "sismember s %d", member), ":0");
    }
    for (int i = 0; i < 8; i++)
        assert_int_equal(seen[i], 1);
    assert_string_equal(ask(*state, "exists s"), ":0");
}

/* Property: a positive count draws different members, a negative one as many as asked. */
static void counted_draws_differ_or_repeat(void **state)
{
    char a[4], b[4];
    ask(*state, "sadd s p q r");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(sscanf(ask(*state, "srandmember s 2"), "*2 $1 %3s $1 %3s", a, b), 2);
        assert_string_not_equal(a, b);
    }
    assert_memory_equal(ask(*state, "srandmember s -7"), "*7 ", 3);
    assert_string_equal(ask(*state, "scard s"), ":3");
}

/* Property: two fresh servers draw the same; one server does not always draw the same member. */
static void draws_are_random_and_repeatable(void **state)
{
    void *other = NULL;
    asker_new(&other);
    ask(*state, "sadd s 0 1 2 3 4 5 6 7");
    ask(other, "sadd s 0 1 2 3 4 5 6 7");
    char first[64] = "";
    bool moved = false;
    for (int i = 0; i < 30; i++) {
        const char *drawn = ask(*state, "srandmember s");
        assert_string_equal(drawn, ask(other, "srandmember s"));
        if (i == 0)
            strcpy(first, drawn);
        moved = moved || strcmp(first, drawn) != 0;
    }
    assert_true(moved);
    asker_free(&other);
}

static void scans_answer_in_one_round(void **state)
{
    ASK_ALL(*state, { "sadd s aa ab b", ":3" }, { "sscan s 0", "*2 $1 0 *3 $2 aa $2 ab $1 b" },
            { "sscan s 0 match a* count 1", "*2 $1 0 *2 $2 aa $2 ab" },
        { "sscan no 0 count x", "*2 $1 0 *0" }, { "sscan s x", "-ERR invalid cursor" },
        { "sscan no x", "-ERR invalid cursor" }, { "sscan s 0 count 0", SYNTAX },
        { "sscan s 0 count x", "-ERR value is not an integer or out of range" }, { "sscan s 0 type set", SYNTAX },
        { "sscan s 0 match", SYNTAX },
        { "sscan s 18446744073709551616", "-ERR invalid cursor" }, { "sscan s 0 match ''", "*2 $1 0 *0" });
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(members_are_kept_once),
        ON_FRESH_SERVER(members_come_out_sorted),
        ON_FRESH_SERVER(algebra_reads_missing_keys_as_empty),
        ON_FRESH_SERVER(stored_results_replace_the_destination),
        ON_FRESH_SERVER(every_operand_must_be_a_set),
        ON_FRESH_SERVER(smove_moves_or_changes_nothing),
        ON_FRESH_SERVER(draws_judge_their_arguments_first),
        ON_FRESH_SERVER(pops_partition_the_set),
        ON_FRESH_SERVER(counted_draws_differ_or_repeat),
        ON_FRESH_SERVER(draws_are_random_and_repeatable),
        ON_FRESH_SERVER(scans_answer_in_one_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
