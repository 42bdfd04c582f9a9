/* test_redis_numbers.c - numbers and globs are read and written exactly as Redis 7.0 does. Each row was seen on a real
 * server. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "redis/command.h"

static void integers_have_one_spelling(void **state)
{
    (void)state;
    static const struct { const char *text; bool ok; int64_t n; } row[] = {
        { "0", true, 0 }, { "-1", true, -1 }, { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 }, { "-9223372036854775809", false, 0 }, { "99999999999999999999", false, 0 },
        { "18446744073709551616", false, 0 }, { "", false, 0 }, { "-", false, 0 }, { "-0", false, 0 },
        { "00", false, 0 }, { "01", false, 0 },
        { "-01", false, 0 }, { "+1", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 }, { "1.0", false, 0 },
        { "1e3", false, 0 }, { "0x10", false, 0 },
        { "--1", false, 0 }, { "1-", false, 0 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        int64_t n = 77;
        if (parse_int(str_from(row[i].text), &n) != row[i].ok || (row[i].ok && n != row[i].n))
            fail_msg("%s", row[i].text);
        arena *a = arena_new();
        if (row[i].ok)
            assert_true(str_eq(arena_int(a, n), str_from(row[i].text)));
        arena_free(a);
    }
    int64_t n;
    assert_false(parse_int(S("1\0"), &n));
}

static void floats_are_what_strtod_reads_whole(void **state)
{
    (void)state;
    static const struct { const char *text; bool ok; double d; } row[] = {
        { "0", true, 0 }, { "3.5", true, 3.5 }, { "+5", true, 5 }, { ".5", true, .5 }, { "5.", true, 5 },
        { "0x10", true, 16 }, { "1e3", true, 1000 },
        { "inf", true, 1 / 0. }, { "-Infinity", true, -1 / 0. }, { "1e-320", true, 1e-320 }, { "", false, 0 },
        { " 1", false, 0 }, { "1 ", false, 0 },
        { "\t1", false, 0 }, { "nan", false, 0 }, { "1e", false, 0 }, { "1e400", false, 0 }, { "-1e400", false, 0 },
        { "1e-400", false, 0 }, { "abc", false, 0 },
        { "1,5", false, 0 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        double d = 77;
        if (parse_double(str_from(row[i].text), &d) != row[i].ok || (row[i].ok && d != row[i].d))
            fail_msg("%s", row[i].text);
        long double l;
        if (strcmp(row[i].text, "1e400") != 0 && strcmp(row[i].text, "-1e400") != 0 &&
            strcmp(row[i].text, "1e-400") != 0)
            assert_int_equal(parse_long_double(str_from(row[i].text), &l), row[i].ok);
    }
    double d;
    long double l;
    assert_false(parse_double(S("1\0"), &d));
    assert_true(parse_long_double(S("1e400"), &l));            /* 80 bits reach further */
    assert_false(parse_long_double(S("1e5000"), &l));
    char *zeros = malloc(6000);
    memset(zeros, '0', 6000);
    zeros[5999] = '1';
    assert_true(parse_double((str){ zeros, 6000 }, &d));
    assert_true(d == 1);
    assert_true(parse_long_double((str){ zeros + 6000 - 5119, 5119 }, &l));
    assert_false(parse_long_double((str){ zeros + 6000 - 5120, 5120 }, &l));
    free(zeros);
}

static void long_doubles_have_17_decimals_without_trailing_zeros(void **state)
{
    (void)state;
    arena *a = arena_new();
    static const struct { long double d; const char *text; } row[] = {
        { 0, "0" }, { -0.0L, "0" }, { 10, "10" }, { 100, "100" }, { 3.5L, "3.5" }, { 0.1L, "0.1" }, { -2.25L, "-2.25" },
        { 1e20L, "100000000000000000000" },
        { 1e-17L, "0.00000000000000001" }, { 1e-18L, "0" }, { -1e-18L, "0" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        str s = format_long_double(a, row[i].d);
        if (!str_eq(s, str_from(row[i].text)))
            fail_msg("%s: %.*s", row[i].text, STR_ARG(s));
    }
    arena_free(a);
}

static void globs_match_as_keys_does(void **state)
{
    (void)state;
    static const struct { const char *pattern, *text; bool match; } row[] = {
        { "*", "a", true }, { "**", "a", true }, { "", "", true }, { "", "a", false }, { "a", "a", true },
        { "a", "ab", false }, { "ab", "a", false },
        { "*", "", false },                            /* a peculiarity: an empty text is given up before the pattern is
                                                        * read */
        { "h?llo", "hello", true }, { "h?llo", "hllo", false }, { "h*llo", "hllo", true },
        { "h*llo", "heeeello", true }, { "h*llo", "hello!", false },
        { "h[ae]llo", "hallo", true }, { "h[ae]llo", "hillo", false }, { "h[^e]llo", "hallo", true },
        { "h[^e]llo", "hello", false },
        { "h[a-c]llo", "hbllo", true }, { "h[c-a]llo", "hbllo", true }, { "h[a-c]llo", "hdllo", false },
        { "k[ab", "ka", true }, { "k[ab", "kc", false },
        { "k[^", "k\\", true }, { "k[a-", "k-", true }, { "k[a-]", "k-", false }, { "k[-a]", "k-", true },
        { "k[^]", "k-", true }, { "k[]", "k]", false },
        { "k\\*", "k*", true }, { "k\\*", "kx", false }, { "k\\", "k\\", true }, { "k\\\\", "k\\", true },
        { "k[\\]", "k\\", false }, { "k[\\\\]", "k\\", true },
        { "k[\\]]", "k]", true }, { "*a*b", "xaxxb", true }, { "*a*b", "xaxxbc", false }, { "[", "[", false },
        { "a*", "a", true }, { "*[0-9]", "x7", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        if (glob_match(str_from(row[i].pattern), str_from(row[i].text)) != row[i].match)
            fail_msg("pattern '%s', text '%s'", row[i].pattern, row[i].text);
    }
    assert_true(glob_match(S("a?b"), S("a\0b")));
}

/* Property: no pattern takes exponential time.
 * How: the classic one, which would not end. */
static void many_stars_do_not_explode(void **state)
{
    (void)state;
    char pattern[201], text[5000];
    for (int i = 0; i < 100; i++) {
        pattern[2 * i] = '*';
        pattern[2 * i + 1] = 'a';
    }
    pattern[200] = 'b';
    memset(text, 'a', sizeof text);
    assert_false(glob_match((str){ pattern, 201 }, (str){ text, sizeof text }));
    assert_true(glob_match((str){ pattern, 200 }, (str){ text, sizeof text }));
}

static void commands_are_found_in_any_case(void **state)
{
    (void)state;
    const dialect d = dialect_or_default((dialect){ 0 });
    static const char *const known[] = { "get", "GET", "gEt", "zremrangebyscore", "ZRANGEBYSCORE", "pubsub|channels",
                                         "evalsha" };
    static const char *const unknown[] = { "", "ge", "getx", "get ", "zremrangebyscorezremrangebyscorezremrangebyscore",
                                           "pubsub|", "\xc3\xa9" };
    for (size_t i = 0; i < COUNT(known); i++)
        assert_non_null(command_find(d, str_from(known[i])));
    for (size_t i = 0; i < COUNT(unknown); i++)
        assert_null(command_find(d, str_from(unknown[i])));
    assert_ptr_equal(command_find(d, S("get")), command_find(d, S("Get")));
    static const struct { const char *name; bool writes; } row[] = {
        { "get", false }, { "set", true }, { "EVAL", true }, { "evalsha", true }, { "eval_ro", false },
        { "exec", true }, { "publish", false }, { "nosuch", false },
        { "PEXPIRE", true }, { "pttl", false }, { "multi", false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(redis_command_writes(str_from(row[i].name)), row[i].writes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_have_one_spelling),
        cmocka_unit_test(floats_are_what_strtod_reads_whole),
        cmocka_unit_test(long_doubles_have_17_decimals_without_trailing_zeros),
        cmocka_unit_test(globs_match_as_keys_does),
        cmocka_unit_test(many_stars_do_not_explode),
        cmocka_unit_test(commands_are_found_in_any_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
