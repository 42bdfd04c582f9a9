/* test_redis_fields.c - fields of hashes that expire: who sees an expired one, in each lineage, and what of it is part
 * of a state. What real servers answer is compared by tests/conformance (module fields). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <string.h>

#include "ask.h"

static const char *const lineages[] = { "redis 8.0", "valkey 9.1" };

static void a_field_lives_through_its_deadline(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *k = asker_of(lineages[i]);
        ASK_ALL(k, { "hset h a 1 b 2", ":2" }, { "hpexpire h 100 fields 2 a no", "*2 :1 :-2" },
                { "hpttl h fields 3 a b no", "*3 :100 :-1 :-2" });
        k->now_ms += 100;
        ASK_ALL(k, { "hget h a", "$1 1" }, { "hexists h a", ":1" });
        k->now_ms += 1;
        ASK_ALL(k, { "hkeys h", "*1 $1 b" }, { "hget h a", "$-1" }, { "hpttl h fields 2 a b", "*2 :-2 :-1" });
        asker_free((void **)&k);
    }
}

/* Redis removes an expired field when it is asked for, and until then takes it for one that is there; Valkey does
 * neither. */
static void lineages_differ_in_what_has_expired(void **state)
{
    (void)state;
    static const struct { const char *command, *redis, *valkey; } row[] = {
        { "hset h a 1 b 2 c 3", ":3", ":3" }, { "hpexpire h 5 fields 3 a b c", "*3 :1 :1 :1", "*3 :1 :1 :1" },
        { "+6", "", "" },
        { "hlen h", ":3", ":3" }, { "hget h a", "$-1", "$-1" }, { "hlen h", ":2", ":3" },               /* a is gone */
        { "hset h b 2", ":0", ":1" }, { "hgetall h", "*2 $1 b $1 2", "*2 $1 b $1 2" }, { "hdel h c", ":1", ":0" },
        { "hpexpire h 5 fields 1 b", "*1 :1", "*1 :1" }, { "+6", "", "" },
        { "hpexpire h 5 fields 1 b", "*1 :1", "*1 :-2" }, { "+6", "", "" },
        { "exists h", ":1", ":1" }, { "hmget h a b c", "*3 $-1 $-1 $-1", "*3 $-1 $-1 $-1" }, { "exists h", ":0", ":1" },
    };
    for (size_t lineage = 0; lineage < 2; lineage++) {
        asker *k = asker_of(lineages[lineage]);
        for (size_t i = 0; i < COUNT(row); i++) {
            if (row[i].command[0] == '+')
                k->now_ms += row[i].command[1] - '0';
            else
                assert_string_equal(ask(k, row[i].command), lineage ? row[i].valkey : row[i].redis);
        }
        asker_free((void **)&k);
    }
}

static void what_is_written_over_lives_for_ever(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *k = asker_of(lineages[i]);
        ASK_ALL(k, { "hsetex h px 50 fields 2 a 1 n 1", ":1" }, { "hincrby h n 1", ":2" },
                { "hpttl h fields 2 a n", "*2 :50 :50" }, { "hset h a 2", ":0" },
                { "hsetex h keepttl fields 1 n 7", ":1" }, { "hpttl h fields 2 a n", "*2 :-1 :50" },
                { "hgetex h persist fields 1 n", "*1 $1 7" },
                { "hpttl h fields 1 n", "*1 :-1" }, { "hsetex h fnx fields 2 n 1 new 1", ":0" },
                { "hsetex h fxx fields 2 n 1 new 1", ":0" },
                { "hgetdel h fields 2 a n", "*2 $1 2 $1 7" }, { "exists h", ":0" });
        asker_free((void **)&k);
    }
}

/* In its last millisecond a field keeps its deadline under HINCRBY and HINCRBYFLOAT; HSETEX KEEPTTL of Valkey takes it
 * for expired then. */
static void a_field_in_its_last_millisecond_may_keep_its_deadline(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *k = asker_of(lineages[i]);
        ask(k, "hsetex h px 5 fields 3 a 1 b 1 c 1");
        k->now_ms += 5;
        ASK_ALL(k, { "hincrby h a 2", ":3" }, { "hincrbyfloat h b 2", "$1 3" },
                { "hsetex h keepttl fields 1 c 3", ":1" });
        assert_string_equal(ask(k, "hexpiretime h fields 1 c"), i ? "*1 :-1" : "*1 :-2");
        k->now_ms += 1;
        assert_string_equal(ask(k, "hgetall h"), i ? "*2 $1 c $1 3" : "*0");
        asker_free((void **)&k);
        k = asker_of(lineages[i]);
        ask(k, "hsetex h px 5 fields 1 a 1");
        k->now_ms += 6;                            /* one that has expired is begun anew, without a deadline */
        ASK_ALL(k, { "hincrby h a 2", ":2" }, { "hpttl h fields 1 a", "*1 :-1" });
        asker_free((void **)&k);
    }
}

/* A small hash of Redis has the fields with the earliest deadlines first; of equal ones the later set. */
static void redis_orders_fields_by_deadline(void **state)
{
    (void)state;
    asker *k = asker_of("redis 8.0");
    ASK_ALL(k, { "hset h a 1 b 2 c 3 d 4", ":4" }, { "hpexpire h 90 fields 1 c", "*1 :1" },
            { "hpexpire h 50 fields 1 d", "*1 :1" }, { "hpexpire h 90 fields 1 b", "*1 :1" },
            { "hkeys h", "*4 $1 d $1 b $1 c $1 a" }, { "hset h d 9", ":0" }, { "hkeys h", "*4 $1 b $1 c $1 a $1 d" });
    asker_free((void **)&k);
}

static buf frozen(asker *k)
{
    buf b = { 0 };
    redis_freeze(k->server, k->now_ms, &b);
    return b;
}

static void same(asker *x, asker *y, bool equal)
{
    buf a = frozen(x), b = frozen(y);
    assert_int_equal(str_eq(buf_str(&a), buf_str(&b)), equal);
    buf_free(&a);
    buf_free(&b);
}

/* Deadlines count from now; what has expired counts, but not since when; and a thawed hash ages as the frozen one
 * would. */
static void deadlines_of_fields_are_part_of_a_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *x = asker_of(lineages[i]), *y = asker_of(lineages[i]);
        y->now_ms += 777;
        ask(x, "hset h a 1 b 2");
        ask(y, "hset h a 1 b 2");
        same(x, y, true);
        ask(x, "hpexpire h 100 fields 2 b a");
        same(x, y, false);
        ask(y, "hpexpire h 100 fields 2 b a");
        same(x, y, true);
        x->now_ms += 100;
        same(x, y, false);
        x->now_ms += 1;
        y->now_ms += 900;
        same(x, y, true);                          /* both have expired */
        ask(y, "del h");
        same(x, y, false);                         /* HLEN still tells */
        buf b = frozen(x);
        redis_thaw(y->server, y->now_ms, buf_str(&b));
        buf_free(&b);
        same(x, y, true);
        ASK_ALL(y, { "hlen h", ":2" }, { "hgetall h", "*0" });
        asker_free((void **)&x);
        asker_free((void **)&y);
    }
}

static void folded_deadlines_come_back_at_another_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *x = asker_of(lineages[i]), *y = asker_of(lineages[i]);
        ask(x, "hset h a 1 1700000000005 1700000000007 c 3");
        ask(x, "hpexpire h 40 fields 1 c");
        ask(x, "hpexpire h 9 fields 1 1700000000005");
        buf b = { 0 };
        redis_fold(x->server, x->now_ms, &b);
        y->now_ms += 1000;
        redis_unfold(y->server, y->now_ms, buf_str(&b));
        buf_free(&b);
        ASK_ALL(y, { "hpttl h fields 3 a 1700000001005 c", "*3 :-1 :9 :40" },
                { "hget h 1700000001005", "$13 1700000001007" });
        asker_free((void **)&x);
        asker_free((void **)&y);
    }
}

static void count_instant(void *context, int64_t at_ms, bool deadline)
{
    if (deadline)
        *(int64_t *)context = *(int64_t *)context * 1000 + at_ms % 1000;
}

static void deadlines_of_fields_are_instants(void **state)
{
    (void)state;
    asker *k = asker_of("redis 8.0");
    int64_t seen = 0;
    ask(k, "hset h a x b y");
    ask(k, "hpexpire h 123 fields 1 b");
    redis_each_instant(k->server, k->now_ms, 10, count_instant, &seen);
    assert_int_equal(seen, 123);
    k->now_ms += 124;
    seen = 0;
    redis_each_instant(k->server, k->now_ms, 10, count_instant, &seen);
    assert_int_equal(seen, 0);
    asker_free((void **)&k);
}

static void the_server_removes_fields_by_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *k = asker_of(lineages[i]);
        size_t gone;
        ASK_ALL(k, { "hset h a 1 b 2", ":2" }, { "hset g a 1", ":1" }, { "hpexpire h 5 fields 1 a", "*1 :1" },
                { "hpexpire g 5 fields 1 a", "*1 :1" });
        k->now_ms += 6;
        while (redis_reap(k->server, k->now_ms, 1, &gone))
            continue;
        ASK_ALL(k, { "hlen h", ":1" }, { "exists g", ":0" });
        asker_free((void **)&k);
    }
}

static void sort_sees_no_expired_field(void **state)
{
    (void)state;
    asker *k = asker_of("redis 8.0");
    ASK_ALL(k, { "rpush l 1", ":1" }, { "hset 1 f x", ":1" }, { "hpexpire 1 5 fields 1 f", "*1 :1" },
            { "sort l by nosort get *->f", "*1 $1 x" });
    k->now_ms += 6;
    ASK_ALL(k, { "sort l by nosort get *->f", "*1 $-1" }, { "exists 1", ":0" });
    asker_free((void **)&k);
}

static void copies_keep_deadlines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lineages); i++) {
        asker *k = asker_of(lineages[i]);
        ASK_ALL(k, { "hset h a 1 b 2 c 3", ":3" }, { "hpexpire h 5 fields 1 a", "*1 :1" },
                { "hpexpire h 50 fields 1 b", "*1 :1" });
        k->now_ms += 6;
        ASK_ALL(k, { "copy h g", ":1" }, { "hlen g", i ? ":2" : ":3" }, { "hpttl g fields 3 a b c", "*3 :-2 :44 :-1" });
        asker_free((void **)&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_lives_through_its_deadline),
        cmocka_unit_test(lineages_differ_in_what_has_expired),
        cmocka_unit_test(what_is_written_over_lives_for_ever),
        cmocka_unit_test(a_field_in_its_last_millisecond_may_keep_its_deadline),
        cmocka_unit_test(redis_orders_fields_by_deadline),
        cmocka_unit_test(deadlines_of_fields_are_part_of_a_state),
        cmocka_unit_test(folded_deadlines_come_back_at_another_time),
        cmocka_unit_test(deadlines_of_fields_are_instants),
        cmocka_unit_test(the_server_removes_fields_by_itself),
        cmocka_unit_test(sort_sees_no_expired_field),
        cmocka_unit_test(copies_keep_deadlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
