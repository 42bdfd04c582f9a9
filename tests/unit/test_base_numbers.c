/* test_base_numbers.c - lists of numbers end up sorted, each once, whatever order they come in; digits are those that
 * printf writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/numbers.h"
#include "base/rng.h"

enum { LIST_MAX = 12, ROUNDS = 2000 };

static const uint32_t large[] = { 0, 1, 2, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX - 1, UINT32_MAX };
static const int64_t wide[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX };
enum { VALUES = sizeof large / sizeof *large };

/* Property: exactly the numbers that were there are left, and rise. */
static void a_set_rises_and_has_what_was_there(void **state)
{
    (void)state;
    rng r = rng_new(7, 0);
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t narrow_list[LIST_MAX];
        int64_t wide_list[LIST_MAX];
        size_t n = rng_below(&r, LIST_MAX + 1), different = 0;
        unsigned there = 0;
        for (size_t i = 0; i < n; i++) {
            size_t which = rng_below(&r, VALUES);
            narrow_list[i] = large[which];
            wide_list[i] = wide[which];
            there |= 1u << which;
        }
        size_t narrow_kept = numbers_set_u32(narrow_list, n), wide_kept = numbers_set_i64(wide_list, n);
        for (size_t which = 0; which < VALUES; which++)
            if (there >> which & 1) {
                assert_true(different < narrow_kept && different < wide_kept);
                assert_int_equal(narrow_list[different], large[which]);
                assert_true(wide_list[different++] == wide[which]);
            }
        assert_int_equal(narrow_kept, different);
        assert_int_equal(wide_kept, different);
    }
}

static void no_list_is_an_empty_set(void **state)
{
    (void)state;
    assert_int_equal(numbers_set_u32(NULL, 0), 0);
    assert_int_equal(numbers_set_i64(NULL, 0), 0);
    assert_int_equal(numbers_place(NULL, 0, 5), UINT32_MAX);
}

static void a_place_is_the_first_that_has_it(void **state)
{
    (void)state;
    static const uint32_t list[] = { 9, 4, 9, 0 };
    assert_int_equal(numbers_place(list, 4, 9), 0);
    assert_int_equal(numbers_place(list, 4, 4), 1);
    assert_int_equal(numbers_place(list, 4, 0), 3);
    assert_int_equal(numbers_place(list, 3, 0), UINT32_MAX);
}

static void assert_digits(arena *a, int64_t n)
{
    char printed[24];
    snprintf(printed, sizeof printed, "%" PRId64, n);
    str text = arena_int(a, n);
    assert_string_equal(text.p, printed);          /* so there is a NUL behind it */
    assert_int_equal(text.n, strlen(printed));
}

/* How: every number of up to four digits, those around each power of ten, and the ends; of both signs, in an arena full
 * of junk. */
static void digits_are_what_printf_writes(void **state)
{
    (void)state;
    arena *a = arena_new();
    memset(arena_alloc(a, 4000), 0xa5, 4000);
    arena_reset(a);
    for (int64_t n = -9999; n <= 9999; n++)
        assert_digits(a, n);
    for (int64_t power = 10; power <= INT64_MAX / 10; power *= 10)
        for (int64_t n = power - 2; n <= power + 2; n++) {
            assert_digits(a, n);
            assert_digits(a, -n);
        }
    for (size_t i = 0; i < VALUES; i++)
        assert_digits(a, wide[i]);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_rises_and_has_what_was_there),
        cmocka_unit_test(no_list_is_an_empty_set),
        cmocka_unit_test(a_place_is_the_first_that_has_it),
        cmocka_unit_test(digits_are_what_printf_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
