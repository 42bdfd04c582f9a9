/* test_redis_zset.c - the sorted-set commands: every form of ZADD and ZRANGE against what they promise, over small
 * worlds tried whole. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "ask.h"

#define WRONGTYPE "-WRONGTYPE Operation against a key holding the wrong kind of value"
#define NOT_INTEGER "-ERR value is not an integer or out of range"
#define NOT_FLOAT "-ERR value is not a valid float"
#define NOT_RANGE "-ERR min or max is not a float"
#define NOT_LEX "-ERR min or max not valid string range item"
#define SYNTAX "-ERR syntax error"

static void scores_order_first_then_member_bytes(void **state)
{
    ASK_ALL(*state, { "zadd z 1 b 1 a 1 aa 1 B 0 z 2 y", ":6" },
            { "zrange z 0 -1", "*6 $1 z $1 B $1 a $2 aa $1 b $1 y" },
        { "zrank z a", ":2" }, { "zrevrank z a", ":3" }, { "zrank z no", "$-1" }, { "zrank no a", "$-1" },
        { "zadd z -inf first inf last", ":2" },
        { "zrange z 0 0", "*1 $5 first" }, { "zrange z -1 -1", "*1 $4 last" }, { "zadd z 9 a", ":0" },
        { "zrank z a", ":6" });
}

static void scores_print_seventeen_digits(void **state)
{
    ASK_ALL(*state, { "zadd z 0.1 a 3.3 b 1e20 c 17179869184 d 1e-7 e inf f -inf g -0 h 5e-324 i", ":9" },
        { "zmscore z a b c d e f g h i no",
          "*10 $19 0.10000000000000001 $18 3.2999999999999998 $5 1e+20 $11 17179869184 $22 9.9999999999999995e-08 $3 "
          "inf $4 -inf $1 0 $23 4.9406564584124654e-324 $-1" },
        { "zincrby z 0.2 a", "$19 0.30000000000000004" }, { "zscore z a", "$19 0.30000000000000004" },
        { "zincrby z -inf f", "-ERR resulting score is not a number (NaN)" },
        { "zscore z f", "$3 inf" });
}

/* Property: ZADD's options decide, per pair, between adding, changing and refusing; CH counts changes too; INCR answers
 * the score. */
static void zadd_options_choose_what_is_written(void **state)
{
    ASK_ALL(*state, { "zadd z xx 1 a", ":0" }, { "exists z", ":0" }, { "zadd z xx incr 1 a", "$-1" },
            { "exists z", ":0" }, { "zadd z nx 5 a 5 b", ":2" },
        { "zadd z nx 6 a 6 c", ":1" }, { "zscore z a", "$1 5" }, { "zadd z xx ch 7 a 7 new", ":1" },
        { "zscore z new", "$-1" }, { "zadd z gt 1 a 9 b 3 d", ":1" },
        { "zmscore z a b d", "*3 $1 7 $1 9 $1 3" }, { "zadd z lt ch 1 a 99 b 4 e", ":2" },
        { "zmscore z a b e", "*3 $1 1 $1 9 $1 4" }, { "zadd z ch 1 a", ":0" },
        { "zadd z nx incr 1 a", "$-1" }, { "zadd z gt incr -1 a", "$-1" }, { "zadd z lt incr -1 a", "$1 0" },
        { "zadd z lt incr 0 a", "$-1" }, { "zadd z gt incr 0 a", "$-1" }, { "zadd z incr 2.5 f", "$3 2.5" },
        { "zadd z ch 8 twice 9 twice", ":2" }, { "zadd t 8 twice 9 twice", ":1" }, { "zscore t twice", "$1 9" });
}

/* Property: nothing is written before every argument was read; the first fault in Redis's order is told. */
static void zadd_judges_before_it_writes(void **state)
{
    ASK_ALL(*state, { "set s v", "+OK" }, { "zadd s 1 a x b", NOT_FLOAT }, { "zadd s 1 a", WRONGTYPE },
            { "zadd z 1 a x b", NOT_FLOAT }, { "exists z", ":0" },
        { "zadd z nan a", NOT_FLOAT }, { "zadd z 1e400 a", NOT_FLOAT }, { "zadd z '' a", NOT_FLOAT },
        { "zadd z 1 a 2", SYNTAX }, { "zadd z foo 1 a", SYNTAX },
        { "zadd z nx ch xx", SYNTAX },
        { "zadd z nx xx x a", "-ERR XX and NX options at the same time are not compatible" },
        { "zadd z gt lt x a", "-ERR GT, LT, and/or NX options at the same time are not compatible" },
        { "zadd z nx gt x a", "-ERR GT, LT, and/or NX options at the same time are not compatible" },
        { "zadd z incr x a 1 b", "-ERR INCR option supports a single increment-element pair" },
        { "zincrby z nx a", SYNTAX }, { "zincrby s x a", NOT_FLOAT },
        { "zincrby s 1 a", WRONGTYPE }, { "exists z", ":0" });
}

enum { N = 5 };                                    /* members 0..4 with scores 0..4 */

static void fill(void *state, const char *key)
{
    askf(state, "del %s", key);
    for (int i = 0; i < N; i++)
        askf(state, "zadd %s %d %d", key, i, i);
}

/* The answer that lists the members i of `in`, from the low end or the high one. */
static void expect_members(char *out, const bool *in, bool reverse)
{
    char items[128] = "";
    int count = 0;
    for (int k = 0; k < N; k++) {
        int i = reverse ? N - 1 - k : k;
        if (in[i])
            count++, sprintf(items + strlen(items), " $1 %d", i);
    }
    sprintf(out, "*%d%s", count, items);
}

/* Property: for every pair of bounds, open or closed, ranges by score read, count and remove exactly the scores between
 * them. */
static void ranges_by_score_read_count_and_remove_the_same(void **state)
{
    int tried = 0;
    for (int min = -1; min <= N; min++)
        for (int max = -1; max <= N; max++)
            for (int open = 0; open < 4; open++, tried++) {
                char low[16], high[16], expected[200], backwards[200], count[16];
                bool in[N], out[N];
                int n = 0;
                sprintf(low, "%s%d", open & 1 ? "(" : "", min);
                sprintf(high, "%s%d", open & 2 ? "(" : "", max);
                for (int i = 0; i < N; i++) {
                    in[i] = (open & 1 ? i > min : i >= min) && (open & 2 ? i < max : i <= max);
                    out[i] = !in[i];
                    n += in[i];
                }
                expect_members(expected, in, false);
                expect_members(backwards, in, true);
                sprintf(count, ":%d", n);
                fill(*state, "z");
                assert_string_equal(askf(*state, "zrangebyscore z %s %s", low, high), expected);
                assert_string_equal(askf(*state, "zrange z %s %s byscore", low, high), expected);
                assert_string_equal(askf(*state, "zrevrangebyscore z %s %s", high, low), backwards);
                assert_string_equal(askf(*state, "zrange z %s %s byscore rev", high, low), backwards);
                assert_string_equal(askf(*state, "zcount z %s %s", low, high), count);
                assert_string_equal(askf(*state, "zrangestore d z %s %s byscore", low, high), count);
                assert_string_equal(ask(*state, "zrange d 0 -1"), expected);
                assert_string_equal(askf(*state, "zremrangebyscore z %s %s", low, high), count);
                expect_members(expected, out, false);
                assert_string_equal(ask(*state, "zrange z 0 -1"), expected);
            }
    assert_int_equal(tried, (N + 2) * (N + 2) * 4);
}

static void ranges_by_rank_read_and_remove_the_same(void **state)
{
    int tried = 0;
    for (int from = -N - 2; from <= N + 2; from++)
        for (int to = -N - 2; to <= N + 2; to++, tried++) {
            char expected[200], backwards[200], count[16];
            bool in[N], mirrored[N], out[N];
            int n = 0, lo = from < 0 ? from + N : from, hi = to < 0 ? to + N : to;
            for (int i = 0; i < N; i++) {
                in[i] = i >= lo && i <= hi;
                mirrored[N - 1 - i] = in[i];
                out[i] = !in[i];
                n += in[i];
            }
            expect_members(expected, in, false);
            expect_members(backwards, mirrored, true);
            sprintf(count, ":%d", n);
            fill(*state, "z");
            assert_string_equal(askf(*state, "zrange z %d %d", from, to), expected);
            assert_string_equal(askf(*state, "zrevrange z %d %d", from, to), backwards);
            assert_string_equal(askf(*state, "zrange z %d %d rev", from, to), backwards);
            assert_string_equal(askf(*state, "zremrangebyrank z %d %d", from, to), count);
            expect_members(expected, out, false);
            assert_string_equal(ask(*state, "zrange z 0 -1"), expected);
        }
    assert_int_equal(tried, (2 * N + 5) * (2 * N + 5));
}

/* Property: LIMIT cuts the unlimited answer, in the direction of reading; a negative count means all, a negative offset
 * nothing. */
static void limit_cuts_the_unlimited_answer(void **state)
{
    fill(*state, "z");
    int tried = 0;
    for (int reverse = 0; reverse < 2; reverse++)
        for (int offset = -2; offset <= N + 1; offset++)
            for (int count = -2; count <= N + 1; count++, tried++) {
                char expected[200];
                bool in[N] = { false };
                for (int k = 0; k < N; k++)
                    in[reverse ? N - 1 - k : k] = offset >= 0 && k >= offset && (count < 0 || k < offset + count);
                expect_members(expected, in, reverse);
                assert_string_equal(askf(*state, "zrange z %s byscore %s limit %d %d",
                                         reverse ? "+inf -inf" : "-inf +inf", reverse ? "rev" : "LIMIT 9 9",
                                         offset, count), expected);
                assert_string_equal(askf(*state, "%s limit %d %d", reverse ? "zrevrangebylex z + -"
                                         : "zrangebylex z - +", offset, count), expected);
            }
    assert_int_equal(tried, 2 * (N + 4) * (N + 4));
}

static void bounds_are_read_more_loosely_than_scores(void **state)
{
    ASK_ALL(*state, { "zadd z 1 a 2 b inf c", ":3" }, { "zcount z '' inf", ":3" }, { "zcount z ( (inf", ":2" },
            { "zcount z 0x1 +inf", ":3" }, { "zcount z -infinity 1e400", ":3" },
        { "zcount z 1x 2", NOT_RANGE }, { "zcount z nan 2", NOT_RANGE }, { "zcount z (( 2", NOT_RANGE },
        { "zcount z [1 2", NOT_RANGE }, { "zcount z 1\\x00x 2", ":2" },
        { "zrange z (1 2", NOT_INTEGER }, { "zrange z 1 x byscore", NOT_RANGE }, { "zrange z a b bylex", NOT_LEX },
        { "zlexcount z -x +", NOT_LEX }, { "zlexcount z '' +", NOT_LEX });
}

static void ranges_by_member_take_open_and_closed_ends(void **state)
{
    ASK_ALL(*state, { "zadd z 0 a 0 b 0 c 0 d", ":4" }, { "zrange z - + bylex", "*4 $1 a $1 b $1 c $1 d" },
            { "zrange z + - bylex", "*0" }, { "zrange z + - bylex rev", "*4 $1 d $1 c $1 b $1 a" },
        { "zrangebylex z [b (d", "*2 $1 b $1 c" }, { "zrevrangebylex z (d [b", "*2 $1 c $1 b" },
        { "zlexcount z (a +", ":3" }, { "zlexcount z [b [b", ":1" }, { "zlexcount z (b [b", ":0" },
        { "zlexcount z [c [b", ":0" }, { "zlexcount z - -", ":0" }, { "zlexcount z + +", ":0" },
        { "zlexcount z [ [bb", ":2" }, { "zremrangebylex z - (c", ":2" }, { "zrange z 0 -1", "*2 $1 c $1 d" },
        { "zremrangebylex z - +", ":2" }, { "exists z", ":0" });
}

/* Property: each name takes its own options only, and all are judged before the key is looked at. */
static void zrange_options_are_judged_before_the_key(void **state)
{
    ASK_ALL(*state, { "set s v", "+OK" }, { "zrange s 0 x", NOT_INTEGER }, { "zrange s 0 1", WRONGTYPE },
            { "zrange no 0 1", "*0" }, { "zrange no 0 1 foo", SYNTAX },
        { "zrange no 0 1 rev rev", SYNTAX }, { "zrange no 0 1 bylex byscore", SYNTAX },
        { "zrevrange no 0 1 rev", SYNTAX }, { "zrangebyscore no 0 1 byscore", SYNTAX },
        { "zrange no 0 1 limit 0", SYNTAX },
        { "zrange no 0 1 limit x 1", NOT_INTEGER }, { "zrange no 0 1 limit 0 1", "-ERR syntax error, LIMIT is only "
                                                      "supported in combination with either BYSCORE or BYLEX" },
        { "zrange no 0 1 limit 0 -1", "*0" },
        { "zrange no - + bylex withscores", "-ERR syntax error, WITHSCORES not supported in combination with BYLEX" },
        { "zrangestore d no 0 1 withscores", SYNTAX }, { "zrangestore d s 0 1", WRONGTYPE },
        { "zcount s x 1", NOT_RANGE }, { "zcount s 0 1", WRONGTYPE }, { "zremrangebyrank s x 1", NOT_INTEGER },
        { "zremrangebyrank s 0 1", WRONGTYPE }, { "zremrangebyscore s x 1", NOT_RANGE },
        { "zremrangebylex s x 1", NOT_LEX }, { "zrank s a", WRONGTYPE }, { "zrem s a", WRONGTYPE },
        { "zcard s", WRONGTYPE },
        { "zscore s a", WRONGTYPE }, { "zmscore s a", WRONGTYPE }, { "zmscore no a b", "*2 $-1 $-1" },
        { "zcard no", ":0" }, { "zrangestore s no 0 1", ":0" }, { "exists s", ":0" });
}

static void pops_take_from_their_end(void **state)
{
    ASK_ALL(*state, { "zadd z 1 a 2 b 3 c 4 d", ":4" }, { "zpopmin z", "*2 $1 a $1 1" },
            { "zpopmax z 2", "*4 $1 d $1 4 $1 c $1 3" }, { "zpopmin z 0", "*0" }, { "zcard z", ":1" },
        { "zpopmin z x", "-ERR value is out of range, must be positive" },
        { "zpopmin z -1", "-ERR value is out of range, must be positive" }, { "zpopmin z 1 2", SYNTAX },
        { "zpopmax z 9", "*2 $1 b $1 2" }, { "exists z", ":0" }, { "zpopmin z", "*0" }, { "zadd y 1 a 2 b 3 c", ":3" },
        { "zmpop 2 z y min", "*2 $1 y *1 *2 $1 a $1 1" },
        { "zmpop 2 z y max count 5", "*2 $1 y *2 *2 $1 c $1 3 *2 $1 b $1 2" }, { "zmpop 1 y min", "*-1" },
        { "zmpop 0 y min", "-ERR numkeys should be greater than 0" }, { "zmpop 1 y up", SYNTAX },
        { "zmpop 1 y min count 0", "-ERR count should be greater than 0" }, { "zmpop 9 y min", SYNTAX });
}

static void unions_weigh_and_aggregate(void **state)
{
    ASK_ALL(*state, { "zadd a 1 x 2 y", ":2" }, { "zadd b 10 y 20 z", ":2" }, { "sadd s x z", ":2" },
            { "zunion 2 a b withscores", "*6 $1 x $1 1 $1 y $2 12 $1 z $2 20" },
        { "zunion 2 a b weights 2 -1 aggregate max withscores", "*6 $1 z $3 -20 $1 x $1 2 $1 y $1 4" },
        { "zinter 2 a b aggregate min withscores", "*2 $1 y $1 2" }, { "zdiff 2 a b withscores", "*2 $1 x $1 1" },
        { "zunionstore d 2 a s", ":3" }, { "zmscore d x y z", "*3 $1 2 $1 2 $1 1" }, { "zinterstore d 2 a no", ":0" },
        { "exists d", ":0" }, { "zdiffstore d 2 a s", ":1" }, { "zintercard 2 a b", ":1" },
        { "zintercard 2 a s limit 1", ":1" }, { "zinter 2 a b weights 1", SYNTAX },
        { "zinter 2 a b weights 1 x", "-ERR weight value is not a float" }, { "zdiff 2 a b weights 1 1", SYNTAX },
        { "zunion x a", NOT_INTEGER }, { "zunion 0 a", "-ERR at least 1 input key is needed for 'zunion' command" },
        { "zinterstore d 0 a", "-ERR at least 1 input key is needed for 'zinterstore' command" },
        { "zunion 3 a b", SYNTAX }, { "set t v", "+OK" }, { "zunion 2 a t foo", WRONGTYPE }, { "zadd i inf m", ":1" },
        { "zadd j -inf m", ":1" }, { "zunion 2 i j withscores", "*2 $1 m $1 0" });
}

static void members_with_scores_are_pairs_in_resp3_only(void **state)
{
    asker *k = *state;
    ask(k, "zadd z 1 a 2.5 b");
    k->resp = 3;
    ASK_ALL(k, { "zrange z 0 -1 withscores", "*2 *2 $1 a ,1 *2 $1 b ,2.5" }, { "zscore z b", ",2.5" },
            { "zscore z no", "_" }, { "zrange z 0 -1", "*2 $1 a $1 b" },
        { "zscan z 0", "*2 $1 0 *4 $1 a $1 1 $1 b $3 2.5" }, { "zpopmin z", "*2 $1 a ,1" },
        { "zpopmax z 1", "*1 *2 $1 b ,2.5" });
}

/* Property: removing what is there takes the key with its last member, and the deadline with the key; changing keeps
 * both. */
static void deadlines_live_and_die_with_the_set(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "zadd z 1 a 2 b", ":2" }, { "pexpire z 100", ":1" }, { "zincrby z 5 a", "$1 6" }, { "pttl z", ":100" },
            { "zrem z a no a", ":1" }, { "zrem z b", ":1" }, { "exists z", ":0" },
        { "zadd z 1 a", ":1" }, { "pttl z", ":-1" }, { "pexpire z 100", ":1" });
    k->now_ms += 100;
    ASK_ALL(k, { "zscore z a", "$1 1" });
    k->now_ms += 1;
    ASK_ALL(k, { "zscore z a", "$-1" }, { "zadd z xx 1 a", ":0" }, { "zadd z 2 b", ":1" }, { "zcard z", ":1" },
            { "pttl z", ":-1" }, { "pexpire z 50", ":1" }, { "zunionstore z 1 z", ":1" },
        { "pttl z", ":-1" });
}

static void random_members_keep_their_scores(void **state)
{
    ask(*state, "zadd z 1 1 2 2 3 3");
    for (int i = 0; i < 20; i++) {
        int a, sa, b, sb;
        assert_int_equal(sscanf(ask(*state, "zrandmember z 2 withscores"), "*4 $1 %d $1 %d $1 %d $1 %d", &a, &sa, &b,
                                &sb), 4);
        assert_true(a == sa && b == sb && a != b);
    }
    assert_memory_equal(ask(*state, "zrandmember z -5"), "*5 ", 3);
    ASK_ALL(*state, { "zrandmember no", "$-1" }, { "zrandmember no 3", "*0" }, { "zrandmember z 0", "*0" },
            { "zrandmember z x", NOT_INTEGER }, { "zrandmember z 1 foo", SYNTAX },
            { "zrandmember z 3", "*3 $1 3 $1 2 $1 1" },
            { "zrandmember z 9 withscores", "*6 $1 3 $1 3 $1 2 $1 2 $1 1 $1 1" },
        { "zrandmember z 9223372036854775807 withscores", "-ERR value is out of range" }, { "zcard z", ":3" });
}

static void note_undeclared(void *context, script_finding kind, str sha1, int line, str text)
{
    (void)sha1, (void)line, (void)text;
    *(int *)context += kind == FINDING_UNDECLARED_KEY;
}

/* Property: the keys that follow a count are keys, and so is a destination before it: a script must have declared
 * them. */
static void counted_keys_are_keys(void **state)
{
    static const struct { const char *script; int undeclared; } row[] = {
        { "return(redis.call('zunionstore','k',2,'a','b'))", 2 },
        { "return(redis.call('zunionstore','d',2,'k','k'))", 1 },
        { "return(redis.call('zinterstore','d',2,'a','k','weights',1,2))", 2 },
        { "return(redis.call('zmpop',2,'k','b','min'))", 1 },
        { "return(redis.call('lmpop',1,'k','left'))", 0 }, { "return(redis.call('lmpop',1,'a','left'))", 1 },
        { "return(redis.call('sintercard',2,'a','b'))", 2 }, { "return(redis.pcall('zdiff',9,'a'))", 0 },
        { "return(redis.call('sort','k'))", 0 }, { "return(redis.call('sort','k','store','d'))", 1 },
        { "return(redis.call('sort','k','by','store','store','k'))", 0 },
        { "return(redis.call('sort','k','get','store','limit',0,1,'store','x','STORE','d'))", 1 },
    };
    asker *k = *state;
    int undeclared = 0;
    redis_observe(k->server, &(redis_observer){ .context = &undeclared, .finding = note_undeclared });
    for (size_t i = 0; i < COUNT(row); i++) {
        undeclared = 0;
        askf(k, "eval %s 1 k", row[i].script);
        assert_int_equal(undeclared, row[i].undeclared);
    }
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(scores_order_first_then_member_bytes),
        ON_FRESH_SERVER(scores_print_seventeen_digits),
        ON_FRESH_SERVER(zadd_options_choose_what_is_written),
        ON_FRESH_SERVER(zadd_judges_before_it_writes),
        ON_FRESH_SERVER(ranges_by_score_read_count_and_remove_the_same),
        ON_FRESH_SERVER(ranges_by_rank_read_and_remove_the_same),
        ON_FRESH_SERVER(limit_cuts_the_unlimited_answer),
        ON_FRESH_SERVER(bounds_are_read_more_loosely_than_scores),
        ON_FRESH_SERVER(ranges_by_member_take_open_and_closed_ends),
        ON_FRESH_SERVER(zrange_options_are_judged_before_the_key),
        ON_FRESH_SERVER(pops_take_from_their_end),
        ON_FRESH_SERVER(unions_weigh_and_aggregate),
        ON_FRESH_SERVER(members_with_scores_are_pairs_in_resp3_only),
        ON_FRESH_SERVER(deadlines_live_and_die_with_the_set),
        ON_FRESH_SERVER(random_members_keep_their_scores),
        ON_FRESH_SERVER(counted_keys_are_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
