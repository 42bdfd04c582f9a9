/* test_redis_values.c - values keep what they are given, in the order they promise, and know what they weigh. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "redis/sorted.h"
#include "redis/value.h"

static str number_text(char space[24], int64_t n)
{
    return (str){ .p = space, .n = (size_t)snprintf(space, 24, "%" PRId64, n) };
}

#define assert_str(s, literal) assert_true(str_eq((s), str_from(literal)))

static void strings_take_parts_of_themselves(void **state)
{
    (void)state;
    value *v = value_new_string(S("abcdef"));
    str own = value_string(v);
    value_string_set(v, str_slice(own, 2, 6));                 /* a text within the old string */
    assert_str(value_string(v), "cdef");
    value_string_write(v, 6, S("x"));
    assert_true(str_eq(value_string(v), S("cdef\0\0x")));
    value_string_write(v, 0, S("AB"));
    assert_true(str_eq(value_string(v), S("ABef\0\0x")));
    value_string_set(v, S(""));
    assert_int_equal(value_count(v), 0);
    assert_int_equal(value_bytes(v), 0);
    value_string_write(v, 1, S(""));                           /* even an empty text is written somewhere */
    assert_true(str_eq(value_string(v), S("\0")));
    value_free(v);
}

/* Property: a list is a sequence.
 * How: random operations on it and on a plain array, compared after each. */
static void lists_agree_with_an_array(void **state)
{
    (void)state;
    enum { ROUNDS = 4000, MAX = 512 };
    int64_t model[MAX];
    size_t n = 0, most = 0;
    rng r = rng_new(1, 1);
    value *v = value_new(VALUE_LIST);
    for (int64_t i = 0; i < ROUNDS; i++) {
        char space[24];
        str text = number_text(space, i);
        /* waves: up to hundreds, down to none */
        bool growing = rng_below(&r, 1000) < 500 + 400 * (uint64_t)(i / 1000 % 2 == 0);
        bool tail = rng_below(&r, 4) > 0;
        if (n == 0 || (growing && n + 1 < MAX)) {
            size_t at = tail ? n : 0;
            if (rng_below(&r, 4) == 0) {
                at = (size_t)rng_below(&r, n + 1);
                list_insert(v, at, text);
            } else {
                list_push(v, tail, text);
            }
            memmove(model + at + 1, model + at, (n - at) * sizeof *model);
            model[at] = i;
            n++;
        } else if (rng_below(&r, 8) == 0) {
            size_t at = (size_t)rng_below(&r, n);
            list_set(v, at, text);
            model[at] = i;
        } else if (rng_below(&r, 8) == 0) {
            size_t from = (size_t)rng_below(&r, n), count = (size_t)rng_below(&r, n - from + 1);
            list_remove(v, from, count);
            memmove(model + from, model + from + count, (n - from - count) * sizeof *model);
            n -= count;
        } else {
            list_pop(v, tail);
            memmove(model, model + !tail, --n * sizeof *model);
        }
        most = n > most ? n : most;
        assert_int_equal(value_count(v), n);
        for (size_t k = 0; k < n; k++)
            assert_true(str_eq(list_at(v, k), number_text(space, model[k])));
    }
    assert_true(most > 100);
    value_free(v);
}

static void hash_fields_keep_their_place_when_overwritten(void **state)
{
    (void)state;
    value *v = value_new(VALUE_HASH);
    assert_true(hash_set(v, S("b"), S("1")));
    assert_true(hash_set(v, S("a"), S("2")));
    assert_true(hash_set(v, S(""), S("")));
    assert_false(hash_set(v, S("b"), S("a longer text than before, which needs more room")));
    assert_true(hash_del(v, S("a")));
    assert_false(hash_del(v, S("a")));
    assert_true(hash_set(v, S("a"), S("3")));                  /* comes back at the end */
    static const char *const names[] = { "b", "", "a" };
    const hash_field *f = NULL;
    for (size_t i = 0; i < COUNT(names); i++) {
        f = hash_next(v, f);
        assert_str(hash_field_name(f), names[i]);
    }
    assert_null(hash_next(v, f));
    str text;
    assert_true(hash_get(v, (str){ .p = NULL, .n = 0 }, &text));
    assert_int_equal(text.n, 0);
    assert_true(hash_get(v, S("b"), &text));
    assert_false(hash_set(v, S("a"), text));                   /* a text of the same hash */
    assert_true(hash_get(v, S("a"), &text));
    assert_str(text, "a longer text than before, which needs more room");
    assert_false(hash_get(v, S("c"), &text));
    value_free(v);
}

/* Property: by number while all are canonical integers and at most 512, else by bytes, and by number again when that
 * ends. */
static void sets_choose_their_order_by_their_members(void **state)
{
    (void)state;
    value *v = value_new(VALUE_SET);
    char space[24];
    for (int64_t i = 512; i > 0; i--)
        assert_true(set_add(v, number_text(space, i - 256)));
    assert_false(set_add(v, S("7")));
    assert_str(set_at(v, 0), "-255");
    assert_str(set_at(v, 511), "256");
    assert_true(set_add(v, S("257")));                         /* 513: Redis leaves the order open, ours is by bytes */
    assert_str(set_at(v, 0), "-1");
    assert_true(set_del(v, S("257")));
    assert_str(set_at(v, 0), "-255");
    assert_true(set_add(v, S("07")));                          /* the 513th again, and no canonical integer */
    assert_true(set_has(v, S("07")) && set_has(v, S("7")) && set_has(v, S("-255")));
    assert_str(set_at(v, 0), "-1");
    assert_true(set_del(v, S("07")));
    assert_false(set_has(v, S("07")));
    assert_str(set_at(v, 0), "-255");
    while (value_count(v))
        assert_true(set_del(v, set_at(v, value_count(v) / 2)));
    assert_int_equal(value_bytes(v), 0);
    assert_true(set_add(v, S("x")) && set_add(v, S("9223372036854775807")) && set_add(v, S("")));
    assert_str(set_at(v, 0), "");
    assert_str(set_at(v, 2), "x");
    value_free(v);
}

static void sorted_sets_order_by_score_then_bytes(void **state)
{
    (void)state;
    value *v = value_new(VALUE_ZSET);
    const double inf = 1.0 / 0.0;
    static const struct { const char *name; double score; } in[] = {
        { "aa", 1 }, { "\xff", 1 }, { "B", 1 }, { "b", 1 }, { "a", 1 }, { "low", -1e300 }, { "zero", -0.0 }, { "", 0 },
    };
    for (size_t i = 0; i < COUNT(in); i++)
        assert_true(zset_put(v, str_from(in[i].name), in[i].score));
    assert_true(zset_put(v, S("last"), inf) && zset_put(v, S("first"), -inf));
    static const char *const order[] = { "first", "low", "", "zero", "B", "a", "aa", "b", "\xff", "last" };
    assert_int_equal(value_count(v), COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++) {
        double score;
        size_t rank;
        assert_str(zset_at(v, i, &score), order[i]);
        assert_true(zset_rank(v, str_from(order[i]), &rank));
        assert_int_equal(rank, i);
    }
    double zero = 1;
    assert_true(zset_score(v, S("zero"), &zero));
    assert_false(__builtin_signbit(zero));                     /* -0 is stored as 0 */
    static const struct { double min; bool exclusive; size_t rank; } lower[] = {
        { 1, false, 4 }, { 1, true, 9 }, { 0.5, true, 4 }, { 0, false, 2 }, { 0, true, 4 }, { 2, false, 9 },
    };
    for (size_t i = 0; i < COUNT(lower); i++)
        assert_int_equal(zset_lower(v, lower[i].min, lower[i].exclusive), lower[i].rank);
    assert_int_equal(zset_lower(v, -inf, false), 0);
    assert_int_equal(zset_lower(v, -inf, true), 1);
    assert_int_equal(zset_lower(v, inf, false), 9);
    assert_int_equal(zset_lower(v, inf, true), 10);
    assert_false(zset_put(v, S("a"), 5));                      /* moves */
    size_t rank;
    assert_true(zset_rank(v, S("a"), &rank));
    assert_int_equal(rank, 8);
    assert_true(zset_del(v, S("a")));
    assert_false(zset_del(v, S("a")));
    assert_false(zset_rank(v, S("a"), &rank));
    value_free(v);
}

static int int_cmp(const void *item, const void *probe)
{
    int a = *(const int *)item, b = *(const int *)probe;
    return (a > b) - (a < b);
}

/* Property: what is said to stay lies between its neighbours; and little that does is not said to stay. */
static void what_stays_at_its_place_lies_between_its_neighbours(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const int by[] = { -11, -10, -9, 0, 9, 10, 11 };
    static int numbers[N];
    sorted s = { 0 };
    size_t missed = 0;
    for (int i = 0; i < N; i++) {
        numbers[i] = 10 * i;
        sorted_insert(&s, int_cmp, &numbers[i]);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < COUNT(by); k++) {
            int then = numbers[i] + by[k];
            bool between = (i == 0 || numbers[i - 1] < then) && (i == N - 1 || then < numbers[i + 1]);
            bool stays = sorted_stays(&s, int_cmp, &numbers[i], &then);
            assert_false(stays && !between);
            missed += between && !stays;
        }
    assert_true(missed < N / 10);
    sorted_free(&s);
}

/* Property: positions and ranks agree over many blocks, while items come and go in any order.
 * How: numbers 0..N-1 in a seeded order; half are taken out again, and every position is compared with a count of
 * the flags. */
static void a_sorted_sequence_agrees_with_an_array_over_many_blocks(void **state)
{
    (void)state;
    enum { N = 20000 };
    int *numbers = malloc(N * sizeof *numbers);
    int **order = malloc(N * sizeof *order);
    bool *in = calloc(N, sizeof *in);
    rng r = rng_new(2, 2);
    for (int i = 0; i < N; i++) {
        numbers[i] = i;
        order[i] = &numbers[i];
    }
    for (int i = N - 1; i > 0; i--) {
        int k = (int)rng_below(&r, (uint64_t)i + 1), *t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    sorted s = { 0 };
    for (int i = 0; i < N; i++) {
        sorted_insert(&s, int_cmp, order[i]);
        in[*order[i]] = true;
        int *back = order[(size_t)i / 2];
        if (i % 2 && in[*back]) {
            assert_ptr_equal(sorted_remove(&s, int_cmp, back), back);
            assert_null(sorted_remove(&s, int_cmp, back));
            in[*back] = false;
        }
    }
    size_t rank = 0;
    for (int i = 0; i < N; i++) {
        assert_ptr_equal(sorted_find(&s, int_cmp, &i), in[i] ? &numbers[i] : NULL);
        assert_int_equal(sorted_lower(&s, int_cmp, &i), rank);
        if (in[i])
            assert_ptr_equal(sorted_at(&s, rank++), &numbers[i]);
    }
    assert_int_equal(rank, s.count);
    assert_int_equal(rank, N / 2);
    for (int i = 0; i < N; i++)                                /* and empties without a trace */
        sorted_remove(&s, int_cmp, &i);
    assert_int_equal(s.count, 0);
    assert_null(sorted_find(&s, int_cmp, &numbers[0]));
    sorted_insert(&s, int_cmp, &numbers[0]);
    for (int i = 1; i < N; i++)                                /* growing at the end only, as times do */
        sorted_insert(&s, int_cmp, &numbers[i]);
    for (int i = 0; i < N; i += 97)
        assert_ptr_equal(sorted_at(&s, (size_t)i), &numbers[i]);
    sorted_free(&s);
    free(numbers);
    free(order);
    free(in);
}

/* Property: what a value weighs is a function of what it holds, and its account follows every change. */
static void weight_follows_every_change(void **state)
{
    (void)state;
    for (value_kind kind = VALUE_STRING; kind <= VALUE_STREAM; kind++) {
        value_home home = { .bytes = 1000 };
        value *v = value_new(kind);
        value_account(v, &home);
        assert_int_equal(home.bytes, 1000);
        char space[24];
        for (int64_t i = 0; i < 100; i++) {
            str s = number_text(space, i * i % 37);
            switch (kind) {
            case VALUE_STRING: i % 2 ? value_string_set(v, s) : value_string_write(v, (size_t)i, s); break;
            case VALUE_LIST:
                i % 3 == 2 ? list_pop(v, i % 2) : list_push(v, i % 2, s);
                if (i % 7 == 0) list_set(v, 0, s);
                break;
            case VALUE_HASH:   i % 5 == 4 ? (void)hash_del(v, s) : (void)hash_set(v, s, s); break;
            case VALUE_SET:    i % 5 == 4 ? (void)set_del(v, s) : (void)set_add(v, s); break;
            case VALUE_ZSET:   i % 5 == 4 ? (void)zset_del(v, s) : (void)zset_put(v, s, (double)(i % 11)); break;
            case VALUE_STREAM:
                i % 5 == 4 ? stream_remove(v, (size_t)(i % 2), 2)
                    : stream_append(v, (stream_id){ (uint64_t)i, 1 }, (str[]){ s, s }, 2);
                break;
            }
            value *copy = value_copy(v);
            assert_int_equal(value_bytes(copy), value_bytes(v));
            assert_int_equal(value_count(copy), value_count(v));
            value_free(copy);
            assert_int_equal(home.bytes, 1000 + value_bytes(v));
        }
        assert_true(home.bytes > 1000);
        value_free(v);
        assert_int_equal(home.bytes, 1000);
    }
    value_free(NULL);
}

/* Property: what is pending for a consumer is counted, whoever had it before and however it goes; and its weight. */
static void pending_entries_have_one_owner(void **state)
{
    (void)state;
    enum { CONSUMERS = 3, IDS = 40 };
    value_home home = { 0 };
    value *v = value_new(VALUE_STREAM);
    value_account(v, &home);
    stream_group *g = stream_group_add(v, S("g"), (stream_progress){ .read = 0 });
    stream_group_add(v, S("f"), (stream_progress){ .read = 7 });
    assert_true(stream_group_at(v, 1) == g && stream_group_find(v, S("g")) == g);
    static const char *const names[CONSUMERS] = { "b", "a", "" };
    for (size_t i = 0; i < CONSUMERS; i++)
        stream_consumer_add(v, g, str_from(names[i]), 5);
    int owner[IDS];
    memset(owner, -1, sizeof owner);
    rng r = rng_new(3, 3);
    for (int step = 0; step < 2000; step++) {
        uint64_t id = rng_below(&r, IDS);
        int who = (int)rng_below(&r, CONSUMERS + 1);
        if (who < CONSUMERS)
            stream_pending_put(v, g, (stream_pending){ .id = { id, 0 }, .deliveries = (uint64_t)step,
                                                       .owner = stream_consumer_find(g, str_from(names[who])) });
        else
            stream_pending_remove(v, g, (stream_id){ id, 0 });
        owner[id] = who < CONSUMERS ? who : -1;
        size_t counts[CONSUMERS + 1] = { 0 }, n = 0;
        for (size_t i = 0; i < IDS; i++)
            counts[owner[i] + 1]++;
        for (size_t i = 0; i < CONSUMERS; i++)
            assert_int_equal(stream_consumer_find(g, str_from(names[i]))->pending, counts[i + 1]);
        for (uint64_t i = 0; i < IDS; i++) {
            const stream_pending *p = stream_pending_find(g, (stream_id){ i, 0 });
            assert_int_equal(p != NULL, owner[i] >= 0);
            assert_true(!p || p == stream_pending_at(g, n++));
        }
        assert_int_equal(home.bytes, value_bytes(v));
    }
    value *copy = value_copy(v);
    assert_int_equal(value_bytes(copy), value_bytes(v));
    assert_int_equal(stream_pendings(stream_group_find(copy, S("g"))), stream_pendings(g));
    value_free(copy);
    size_t left = stream_pendings(g) - stream_consumer_find(g, S("a"))->pending;
    stream_consumer_remove(v, g, stream_consumer_find(g, S("a")));
    assert_int_equal(stream_pendings(g), left);
    stream_group_remove(v, g);
    assert_int_equal(stream_groups(v), 1);
    assert_int_equal(home.bytes, value_bytes(v));
    value_free(v);
    assert_int_equal(home.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_take_parts_of_themselves),
        cmocka_unit_test(lists_agree_with_an_array),
        cmocka_unit_test(hash_fields_keep_their_place_when_overwritten),
        cmocka_unit_test(sets_choose_their_order_by_their_members),
        cmocka_unit_test(sorted_sets_order_by_score_then_bytes),
        cmocka_unit_test(what_stays_at_its_place_lies_between_its_neighbours),
        cmocka_unit_test(a_sorted_sequence_agrees_with_an_array_over_many_blocks),
        cmocka_unit_test(weight_follows_every_change),
        cmocka_unit_test(pending_entries_have_one_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
