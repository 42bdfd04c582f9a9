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

#include "base/instant_text.h"

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

/* Property: a text that is folded comes back as it was, and at another time with each of its instants as far from then,
 * in its unit; what is spelled otherwise stays. Distances in seconds count from the last full one. */
static void a_text_moves_with_its_instants(void **state)
{
    (void)state;
    const struct { const char *text; instant_spelling spelling; int64_t by_ms; const char *moved; } row[] = {
        { "1700000000007", INSTANTS_PLAIN, 5, "1700000000012" },
        { ":1700000000007", INSTANTS_PLAIN, 5, ":1700000000012" },
        { "1700000000007:A", INSTANTS_PLAIN, 5, "1700000000007:A" },
        { "1700000000007:A", INSTANTS_WITHIN, 5, "1700000000012:A" },
        { "{\"a\":1700000000007,\"b\":5}", INSTANTS_WITHIN, 5, "{\"a\":1700000000012,\"b\":5}" },
        { "1700000000000007", INSTANTS_WITHIN, 5, "1700000000005007" },
        { "1700000003", INSTANTS_WITHIN, 5000, "1700000003" }, { "1700000003", INSTANTS_SECONDS, 5000, "1700000008" },
        { "1700000003", INSTANTS_SECONDS, 999, "1700000003" }, { "1700000003", INSTANTS_SECONDS, 1000, "1700000004" },
        { "x1700000003y1700000000009z01700000003", INSTANTS_SECONDS, 2000, "x1700000005y1700000002009z01700000003" },
        { "1700000003", INSTANTS_SECONDS, -2000, "1700000001" }, { "", INSTANTS_SECONDS, 2000, "" },
        { "no instant 12", INSTANTS_SECONDS, 2000, "no instant 12" },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        str s = str_from(row[i].text), moved = str_from(row[i].moved);
        int64_t then_ms = NOW_MS + row[i].by_ms;
        assert_true(str_eq(instant_text_move(a, s, row[i].spelling, NOW_MS, then_ms), moved));
        assert_true(str_eq(instant_text_move(a, moved, row[i].spelling, then_ms, NOW_MS), s));
        buf here = { 0 }, there = { 0 };
        instant_text_put(&here, s, row[i].spelling, NOW_MS);
        instant_text_put(&there, moved, row[i].spelling, then_ms);
        assert_true(str_eq(buf_str(&here), buf_str(&there)));
        str rest = buf_str(&here);
        assert_true(str_eq(instant_text_take(a, &rest, then_ms), moved));
        assert_int_equal(rest.n, 0);
        buf_free(&here);
        buf_free(&there);
    }
    arena_free(a);
}

/* Property: seconds with whole milliseconds behind the point are an instant; with less than one, or far away, none. */
static void seconds_have_milliseconds(void **state)
{
    (void)state;
    int64_t at_ms;
    for (int64_t ms = NOW_MS - 2000; ms < NOW_MS + 2000; ms++)
        assert_true(instant_of_seconds((double)ms / 1000, NOW_MS, &at_ms) && at_ms == ms);
    const double none[] = { 1700000000.0005, 17, -1700000000.0, 1.7e12, (double)NAN, (double)INFINITY };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_false(instant_of_seconds(none[i], NOW_MS, &at_ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_forms_agree_at_the_edges),
        cmocka_unit_test(fractions_and_no_numbers_are_none),
        cmocka_unit_test(only_the_usual_spelling_folds),
        cmocka_unit_test(an_id_of_an_entry_has_an_instant),
        cmocka_unit_test(the_text_zero_is_never_one),
        cmocka_unit_test(a_text_moves_with_its_instants),
        cmocka_unit_test(seconds_have_milliseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
