/* test_base_instant.c - what is taken for an instant is near and whole, and what is folded comes back as it was
 * spelled. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/instant.h"

#define NOW_MS INT64_C(1700000000000)

/* Property: the window reaches equally far on both sides, and number, double and text agree about it. */
static void all_forms_agree_at_the_edges(void **state)
{
    (void)state;
    static const struct { int64_t distance_ms; bool near; } row[] = {
        { -INSTANT_WINDOW_MS - 1, false }, { -INSTANT_WINDOW_MS, true }, { -1, true }, { 0, true },
        { INSTANT_WINDOW_MS, true }, { INSTANT_WINDOW_MS + 1, false }, { -NOW_MS, false }, { -2 * NOW_MS, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        int64_t n = NOW_MS + row[i].distance_ms, at_ms;
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, n);
        assert_int_equal(instant_near(n, NOW_MS), row[i].near);
        assert_int_equal(instant_near_double((double)n, NOW_MS), row[i].near);
        assert_int_equal(instant_text(str_from(text), NOW_MS, &at_ms), row[i].near);
        if (row[i].near)
            assert_true(at_ms == n);
    }
}

static void fractions_and_no_numbers_are_none(void **state)
{
    (void)state;
    const double none[] = { (double)NOW_MS + 0.5, (double)NOW_MS - 0.25, (double)NAN, (double)INFINITY,
                            -(double)INFINITY, 1e300 };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_false(instant_near_double(none[i], NOW_MS));
}

/* Property: the id of an entry has its instant before the first dash, spelled as usual, and keeps what follows. */
static void an_id_of_an_entry_has_an_instant(void **state)
{
    (void)state;
    const struct { str text; bool is; const char *rest; } row[] = {
        { S("1700000000007-0"), true, "-0" },
        { S("1700000000007-18446744073709551615"), true, "-18446744073709551615" },
        { S("1700000000007-"), true, "-" }, { S("1700000000007-1-2"), true, "-1-2" }, { S("1700000000007"), false, "" },
        { S("01700000000007-0"), false, "" }, { S("7-0"), false, "" }, { S("-1700000000007"), false, "" },
        { S("-"), false, "" }, { S(""), false, "" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        int64_t at_ms = 0;
        str rest;
        assert_int_equal(instant_id(row[i].text, NOW_MS, &at_ms, &rest), row[i].is);
        if (row[i].is)
            assert_true(at_ms == NOW_MS + 7 && str_eq(rest, str_from(row[i].rest)));
    }
}

/* Property: a folded text is spelled as its number is printed; whatever else could be read as that number is no
 * instant. */
static void only_the_usual_spelling_folds(void **state)
{
    (void)state;
    const struct { str text; bool folds, digits; } row[] = {
        { S("1700000000007"), true, true }, { S("01700000000007"), false, true },
        { S("0001700000000007"), false, true },
        { S("00001700000000007"), false, false }, { S("+1700000000007"), false, false },
        { S("-1700000000007"), false, false },
        { S(" 1700000000007"), false, false }, { S("1700000000007 "), false, false },
        { S("1700000000007.0"), false, false },
        { S("1.700000000007e12"), false, false }, { S("0x18bcfe56807"), false, false },
        { S("1700000000007\0"), false, false },
        { S(""), false, false }, { S("17000000000070000"), false, false }, { S("9999999999999999"), false, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        int64_t at_ms, n;
        assert_int_equal(instant_text(row[i].text, NOW_MS, &at_ms), row[i].folds);
        assert_int_equal(instant_digits(row[i].text, &n), row[i].digits);
    }
    int64_t n;
    assert_true(instant_digits(S("0001700000000007"), &n) && n == NOW_MS + 7);
    assert_true(instant_digits(S("9999999999999999"), &n) && n == INT64_C(9999999999999999));
}

/* Small counts are texts, too: where now is small, as in tests, at least the most common of them stays one. */
static void the_text_zero_is_never_one(void **state)
{
    (void)state;
    int64_t at_ms;
    assert_true(instant_near(0, 5));
    assert_false(instant_text(S("0"), 5, &at_ms));
    static const struct { const char *text; bool marked; } marks[] = {
        { ":1700000000000", true }, { "1700000000000", false }, { "::1700000000000", false }, { ":", false },
        { ":01700000000000", false },
        { ";1700000000000", false }, { ":1700000000000 ", false },
    };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        assert_int_equal(instant_marked(str_from(marks[i].text), INT64_C(1700000000001), &at_ms), marks[i].marked);
    assert_true(instant_text(S("4"), 5, &at_ms) && at_ms == 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_agree_at_the_edges),
        cmocka_unit_test(fractions_and_no_numbers_are_none),
        cmocka_unit_test(only_the_usual_spelling_folds),
        cmocka_unit_test(an_id_of_an_entry_has_an_instant),
        cmocka_unit_test(the_text_zero_is_never_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
