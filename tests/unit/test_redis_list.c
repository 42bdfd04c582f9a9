/* test_redis_list.c - the list commands: what they promise, and how they answer what is wrong. */
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
#define NOT_POSITIVE "-ERR value is out of range, must be positive"
#define SYNTAX "-ERR syntax error"

/* Property: pushes on the left turn the order round, pushes on the right keep it; what comes off an end is what stands
 * there. */
static void pushes_and_pops_work_on_their_own_end(void **state)
{
    ASK_ALL(*state,
        { "lpush l a b c", ":3" }, { "rpush l d", ":4" }, { "lrange l 0 -1", "*4 $1 c $1 b $1 a $1 d" },
        { "lpop l", "$1 c" }, { "rpop l 2", "*2 $1 d $1 a" }, { "llen l", ":1" },
        { "rpop l 9", "*1 $1 b" }, { "exists l", ":0" },
        { "rpush bytes \\x00\\xff ''", ":2" }, { "llen bytes", ":2" }, { "lindex bytes -1", "$0 " });
}

/* Property: nothing has two forms. Without a count it is a nil string, with one a nil array, and a count of 0 on a list
 * is no nil. */
static void popping_nothing_answers_by_what_was_asked(void **state)
{
    ASK_ALL(*state,
        { "lpop no", "$-1" }, { "lpop no 0", "*-1" }, { "lpop no 3", "*-1" }, { "rpush l a", ":1" },
        { "lpop l 0", "*0" },
        { "llen l", ":1" }, { "lpop l -1", NOT_POSITIVE }, { "lpop l x", NOT_POSITIVE }, { "lpop no x", NOT_POSITIVE },
        { "lpop l 1 2", "-ERR wrong number of arguments for 'lpop' command" },
        { "rpop l 1 2", "-ERR wrong number of arguments for 'rpop' command" });
}

static void pushx_never_creates(void **state)
{
    ASK_ALL(*state, { "lpushx l a", ":0" }, { "rpushx l a b", ":0" }, { "exists l", ":0" }, { "rpush l a", ":1" },
            { "rpushx l b c", ":3" }, { "lpushx l z", ":4" }, { "lrange l 0 -1", "*4 $1 z $1 a $1 b $1 c" });
}

/* What LRANGE should give, computed the slow way. */
static void slice(char *out, int from, int to, int n)
{
    char items[256] = "";
    int count = 0;
    from = from < 0 ? from + n : from;
    to = to < 0 ? to + n : to;
    for (int i = 0; i < n; i++)
        if (i >= from && i <= to)
            count++, sprintf(items + strlen(items), " $1 %d", i);
    sprintf(out, "*%d%s", count, items);
}

/* Property: every range of a small list, in and out of bounds, is the slice; LTRIM leaves exactly that slice, or no
 * key. */
static void ranges_are_slices_and_trim_leaves_them(void **state)
{
    enum { N = 4 };
    int tried = 0;
    for (int from = -N - 2; from <= N + 2; from++)
        for (int to = -N - 2; to <= N + 2; to++, tried++) {
            char expected[300];
            slice(expected, from, to, N);
            ask(*state, "del l");
            ask(*state, "rpush l 0 1 2 3");
            assert_string_equal(askf(*state, "lrange l %d %d", from, to), expected);
            assert_string_equal(askf(*state, "ltrim l %d %d", from, to), "+OK");
            assert_string_equal(ask(*state, "lrange l 0 -1"), expected);
            assert_string_equal(ask(*state, "exists l"), strcmp(expected, "*0") == 0 ? ":0" : ":1");
        }
    assert_int_equal(tried, (2 * N + 5) * (2 * N + 5));
    ASK_ALL(*state, { "rpush h 1 2", ":2" }, { "lrange h -9223372036854775808 9223372036854775807", "*2 $1 1 $1 2" },
            { "lrange h 9223372036854775807 -9223372036854775808", "*0" });
}

/* Property: a bad number comes before a missing key and before a wrong type; LINDEX and LSET look at the key first. */
static void arguments_are_judged_in_redis_order(void **state)
{
    ASK_ALL(*state, { "set s v", "+OK" },
        { "lrange no x 0", NOT_INTEGER }, { "lrange s 0 x", NOT_INTEGER }, { "lrange s 0 1", WRONGTYPE },
        { "lrange no 0 1", "*0" },
        { "ltrim s x 0", NOT_INTEGER }, { "ltrim s 0 0", WRONGTYPE }, { "ltrim no 0 0", "+OK" },
        { "lindex no x", "$-1" }, { "lindex s x", WRONGTYPE }, { "lset no x v", "-ERR no such key" },
        { "lset s x v", WRONGTYPE },
        { "lrem no x v", NOT_INTEGER }, { "lrem s 0 v", WRONGTYPE }, { "lrem no 0 v", ":0" },
        { "linsert s between a b", SYNTAX }, { "linsert s before a b", WRONGTYPE }, { "linsert no before a b", ":0" },
        { "lpop s x", NOT_POSITIVE }, { "lpop s 0", WRONGTYPE }, { "lpush s v", WRONGTYPE },
        { "rpushx s v", WRONGTYPE },
        { "llen s", WRONGTYPE }, { "lmove s d up down", SYNTAX }, { "lmove s d left right", WRONGTYPE });
}

static void single_elements_are_reached_from_both_ends(void **state)
{
    ASK_ALL(*state, { "rpush l a b c", ":3" }, { "lindex l 0", "$1 a" }, { "lindex l -1", "$1 c" },
            { "lindex l -3", "$1 a" },
        { "lindex l 3", "$-1" }, { "lindex l -4", "$-1" }, { "lindex l -9223372036854775808", "$-1" },
        { "lindex l x", NOT_INTEGER },
        { "lset l -1 z", "+OK" }, { "lset l 3 z", "-ERR index out of range" },
        { "lset l -4 z", "-ERR index out of range" },
        { "lset l 1.0 z", NOT_INTEGER }, { "linsert l before z y", ":4" }, { "linsert l AFTER z end", ":5" },
        { "linsert l before no y", ":-1" },
        { "lrange l 0 -1", "*5 $1 a $1 b $1 y $1 z $3 end" });
}

/* Property: LREM takes equal elements from the side that the sign names, and no more than the number; the last one
 * takes the key. */
static void removal_counts_from_the_side_of_its_sign(void **state)
{
    ASK_ALL(*state, { "rpush l x a x b x", ":5" }, { "lrem l 1 x", ":1" },
            { "lrange l 0 -1", "*4 $1 a $1 x $1 b $1 x" },
        { "lrem l -1 x", ":1" }, { "lrange l 0 -1", "*3 $1 a $1 x $1 b" }, { "rpush l x x", ":5" },
        { "lrem l -2 x", ":2" },
        { "lrange l 0 -1", "*3 $1 a $1 x $1 b" }, { "lrem l 0 no", ":0" }, { "lrem l -9223372036854775808 x", ":1" },
        { "lrem l 9 a", ":1" }, { "lrem l 0 b", ":1" }, { "exists l", ":0" });
}

static void lpos_finds_by_rank_from_either_side(void **state)
{
    ASK_ALL(*state, { "rpush l a b c a b a", ":6" }, { "lpos l a", ":0" }, { "lpos l a rank 2", ":3" },
            { "lpos l a rank -1", ":5" },
        { "lpos l a count 0", "*3 :0 :3 :5" }, { "lpos l a count 2 rank -1", "*2 :5 :3" }, { "lpos l a rank 9", "$-1" },
        { "lpos l a rank 9 count 0", "*0" }, { "lpos l b maxlen 1", "$-1" }, { "lpos l b maxlen 2", ":1" },
        { "lpos l a rank -1 maxlen 1", ":5" },
        { "lpos l b rank -1 maxlen 1", "$-1" }, { "lpos no a", "$-1" }, { "lpos no a count 1", "*0" },
        { "lpos l a rank", SYNTAX }, { "lpos l a foo 1", SYNTAX },
        { "lpos l a rank 0", "-ERR RANK can't be zero: use 1 to start from the first match, 2 from the second ... or "
          "use negative to "
                             "start from the end of the list" },
        { "lpos l a count -1", "-ERR COUNT can't be negative" },
        { "lpos l a maxlen x", "-ERR MAXLEN can't be negative" },
        { "lpos l a rank x", NOT_INTEGER }, { "lpos l a rank -9223372036854775807", "$-1" });
}

/* Property: a move is one pop and one push; a list moved onto itself rotates; a refused move changes nothing. */
static void moves_pop_and_push_at_once(void **state)
{
    ASK_ALL(*state, { "rpush l a b c", ":3" }, { "rpoplpush l l", "$1 c" }, { "lrange l 0 -1", "*3 $1 c $1 a $1 b" },
        { "lmove l l left right", "$1 c" }, { "lrange l 0 -1", "*3 $1 a $1 b $1 c" }, { "lmove l l left left", "$1 a" },
        { "lrange l 0 -1", "*3 $1 a $1 b $1 c" }, { "lmove l m LEFT RIGHT", "$1 a" },
        { "lmove l m right left", "$1 c" },
        { "lrange m 0 -1", "*2 $1 c $1 a" }, { "set s v", "+OK" }, { "rpoplpush l s", WRONGTYPE },
        { "lrange l 0 -1", "*1 $1 b" },
        { "rpoplpush no s", "$-1" }, { "rpoplpush l m", "$1 b" }, { "exists l", ":0" }, { "rpush one x", ":1" },
        { "rpoplpush one one", "$1 x" },
        { "llen one", ":1" });
}

static void mpop_takes_from_the_first_list_there_is(void **state)
{
    ASK_ALL(*state, { "rpush b 1 2 3", ":3" }, { "set s v", "+OK" }, { "lmpop 2 a b left", "*2 $1 b *1 $1 1" },
        { "lmpop 2 a b right count 9", "*2 $1 b *2 $1 3 $1 2" }, { "exists b", ":0" }, { "lmpop 1 a left", "*-1" },
        { "lmpop 2 a s left", WRONGTYPE },
        { "lmpop 0 a left", "-ERR numkeys should be greater than 0" },
        { "lmpop x a left", "-ERR numkeys should be greater than 0" },
        { "lmpop 3 a b left", SYNTAX }, { "lmpop 1 a up", SYNTAX },
        { "lmpop 1 a left count 0", "-ERR count should be greater than 0" },
        { "lmpop 1 a left count", SYNTAX }, { "lmpop 1 a left count 1 count 1", SYNTAX },
        { "lmpop 9223372036854775807 a left", SYNTAX });
}

/* Property: a list that was emptied takes its deadline with it; one that was only changed keeps it; an expired one is
 * not there. */
static void deadlines_live_and_die_with_the_list(void **state)
{
    asker *k = *state;
    ASK_ALL(k, { "rpush l a b", ":2" }, { "pexpire l 100", ":1" }, { "lpop l", "$1 a" }, { "pttl l", ":100" },
            { "rpoplpush l l", "$1 b" },
        { "pttl l", ":100" }, { "lpop l", "$1 b" }, { "rpush l c", ":1" }, { "pttl l", ":-1" },
        { "pexpire l 100", ":1" });
    k->now_ms += 100;
    ASK_ALL(k, { "llen l", ":1" }, { "pttl l", ":0" });
    k->now_ms += 1;
    ASK_ALL(k, { "llen l", ":0" }, { "rpushx l x", ":0" }, { "lpop l 1", "*-1" }, { "rpush l d", ":1" },
            { "pttl l", ":-1" });
}

int main(void)
{
#define ON_FRESH_SERVER(test) cmocka_unit_test_setup_teardown(test, asker_new, asker_free)
    const struct CMUnitTest tests[] = {
        ON_FRESH_SERVER(pushes_and_pops_work_on_their_own_end),
        ON_FRESH_SERVER(popping_nothing_answers_by_what_was_asked),
        ON_FRESH_SERVER(pushx_never_creates),
        ON_FRESH_SERVER(ranges_are_slices_and_trim_leaves_them),
        ON_FRESH_SERVER(arguments_are_judged_in_redis_order),
        ON_FRESH_SERVER(single_elements_are_reached_from_both_ends),
        ON_FRESH_SERVER(removal_counts_from_the_side_of_its_sign),
        ON_FRESH_SERVER(lpos_finds_by_rank_from_either_side),
        ON_FRESH_SERVER(moves_pop_and_push_at_once),
        ON_FRESH_SERVER(mpop_takes_from_the_first_list_there_is),
        ON_FRESH_SERVER(deadlines_live_and_die_with_the_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
