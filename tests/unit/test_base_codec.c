/* test_base_codec.c - what is written as bytes is read as it was, takes the length that codec.h says, and nothing is
 * left over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/codec.h"
#include "base/rng.h"

static const int64_t edges[] = { 0, 1, 63, 64, 127, 128, 255, 16383, 16384, INT32_MAX, INT64_MAX - 1, INT64_MAX,
                                 -1, -63, -64, -65, -128, INT32_MIN, INT64_MIN + 1, INT64_MIN };
enum { ROUNDS = 2000 };

/* An edge, or any number of any size. */
static int64_t any(rng *r)
{
    uint64_t v = rng_next(r) >> rng_below(r, 64);
    return rng_below(r, 4) ? (int64_t)v : edges[rng_below(r, COUNT(edges))];
}

/* Property: a sequence of values of all kinds comes back in its order, each as it was. */
static void what_is_written_is_read(void **state)
{
    (void)state;
    rng r = rng_new(11, 0);
    buf b = { 0 };
    for (int round = 0; round < ROUNDS; round++) {
        int64_t v[4] = { any(&r), any(&r), any(&r), any(&r) };
        str text = S("a\0b");
        text.n = rng_below(&r, text.n + 1);
        buf_clear(&b);
        buf_byte(&b, (char)v[0]);
        buf_u64(&b, (uint64_t)v[1]);
        buf_lenstr(&b, text);
        put_varint(&b, (uint64_t)v[2]);
        put_svarint(&b, v[3]);
        str from = buf_str(&b);
        assert_int_equal(take_byte(&from), (unsigned char)v[0]);
        assert_true(take_u64(&from) == (uint64_t)v[1]);
        assert_true(str_eq(take_lenstr(&from), text));
        assert_true(take_varint(&from) == (uint64_t)v[2]);
        assert_true(take_svarint(&from) == v[3]);
        assert_int_equal(from.n, 0);
    }
    buf_free(&b);
}

/* Property: small numbers of either sign take one byte, the largest ten. */
static void small_numbers_are_short(void **state)
{
    static const struct { int64_t v; size_t number, whole; } row[] = {
        { 0, 1, 1 }, { 63, 1, 1 }, { 64, 1, 2 }, { 127, 1, 2 }, { 128, 2, 2 }, { -1, 10, 1 }, { -64, 10, 1 },
        { -65, 10, 2 },
        { INT64_MAX, 9, 10 }, { INT64_MIN, 10, 10 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        buf b = { 0 };
        put_varint(&b, (uint64_t)row[i].v);
        assert_int_equal(b.n, row[i].number);
        buf_clear(&b);
        put_svarint(&b, row[i].v);
        assert_int_equal(b.n, row[i].whole);
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(small_numbers_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
