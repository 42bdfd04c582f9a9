/* test_redis_reply.c - replies on the wire in both protocols, as redis-cli prints them, and on one line. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "redis/reply.h"

static reply of(arena *a, reply_kind kind, size_t count, const reply *items)
{
    reply r = reply_items(a, kind, count);
    for (size_t i = 0; i < count; i++)
        r.items[i] = items[i];
    return r;
}
#define OF(a, kind, ...) of((a), (kind), COUNT(((const reply[]){ __VA_ARGS__ })), (const reply[]){ __VA_ARGS__ })

static void check(const reply *r, const char *resp2, const char *resp3, const char *printed, const char *brief)
{
    const char *const expected[] = { resp2, resp3, printed, brief };
    for (size_t i = 0; i < COUNT(expected); i++) {
        buf b = { 0 };
        if (i < 2)
            reply_encode(r, (int)i + 2, &b);
        else if (i == 2)
            reply_print(r, 0, &b);
        else
            reply_print_short(r, &b);
        if (!str_eq(buf_str(&b), str_from(expected[i])))
            fail_msg("form %zu: %.*s\nexpected: %s", i, STR_ARG(buf_str(&b)), expected[i]);
        buf_free(&b);
    }
}

static void every_kind_is_written_in_every_form(void **state)
{
    (void)state;
    arena *a = arena_new();
    reply nil = reply_nil(), none = reply_nil_array(), ok = reply_ok(), error = reply_error(S("ERR no")),
                n = reply_integer(INT64_MIN);
    reply text = reply_bulk(S("a\"\n\0\xff")), d = reply_double(3.3), inf = reply_double(-1 / 0.),
                 minus_zero = reply_double(-0.0);
    check(&nil, "$-1\r\n", "_\r\n", "(nil)", "nil");
    check(&none, "*-1\r\n", "_\r\n", "(nil)", "nil");
    check(&ok, "+OK\r\n", "+OK\r\n", "OK", "OK");
    check(&error, "-ERR no\r\n", "-ERR no\r\n", "(error) ERR no", "error: ERR no");
    check(&n, ":-9223372036854775808\r\n", ":-9223372036854775808\r\n", "(integer) -9223372036854775808",
          "-9223372036854775808");
    check(&d, "$18\r\n3.2999999999999998\r\n", ",3.2999999999999998\r\n", "\"3.2999999999999998\"",
          "3.2999999999999998");
    check(&inf, "$4\r\n-inf\r\n", ",-inf\r\n", "\"-inf\"", "-inf");
    check(&minus_zero, "$2\r\n-0\r\n", ",-0\r\n", "\"-0\"", "-0");
    reply yes = { .kind = REPLY_BOOLEAN, .integer = 1 }, big = { .kind = REPLY_BIG_NUMBER, .text = S("123") };
    reply verbatim = { .kind = REPLY_VERBATIM, .format = S("txt"), .text = S("hi") };
    check(&yes, ":1\r\n", "#t\r\n", "(integer) 1", "true");
    check(&big, "$3\r\n123\r\n", "(123\r\n", "\"123\"", "\"123\"");
    check(&verbatim, "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n", "\"hi\"", "\"hi\"");
    buf b = { 0 };
    reply_print(&text, 0, &b);
    assert_string_equal(b.p, "\"a\\\"\\n\\x00\\xff\"");
    buf_clear(&b);
    reply_encode(&text, 2, &b);
    assert_true(str_eq(buf_str(&b), S("$5\r\na\"\n\0\xff\r\n")));
    buf_free(&b);
    arena_free(a);
}

static void collections_are_flat_in_resp2_and_grouped_in_resp3(void **state)
{
    (void)state;
    arena *a = arena_new();
    reply one = reply_integer(1), x = reply_bulk(S("x")), inner = OF(a, REPLY_ARRAY, x, one),
                empty = reply_items(a, REPLY_ARRAY, 0);
    reply nested = OF(a, REPLY_ARRAY, one, inner, empty), map = OF(a, REPLY_MAP, x, one),
                   set = OF(a, REPLY_SET, x, one);
    reply pairs = OF(a, REPLY_ARRAY, x, one, x, one), several = OF(a, REPLY_ARRAY, inner, inner);
    pairs.pairs = true;
    several.several = true;
    check(&empty, "*0\r\n", "*0\r\n", "(empty array)", "[]");
    check(&nested, "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n*0\r\n", "*3\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n*0\r\n",
          "1) (integer) 1\n2) 1) \"x\"\n   2) (integer) 1\n3) (empty array)", "[1, [\"x\", 1], []]");
    check(&map, "*2\r\n$1\r\nx\r\n:1\r\n", "%1\r\n$1\r\nx\r\n:1\r\n", "1) \"x\"\n2) (integer) 1", "[\"x\", 1]");
    check(&set, "*2\r\n$1\r\nx\r\n:1\r\n", "~2\r\n$1\r\nx\r\n:1\r\n", "1) \"x\"\n2) (integer) 1", "[\"x\", 1]");
    check(&pairs, "*4\r\n$1\r\nx\r\n:1\r\n$1\r\nx\r\n:1\r\n", "*2\r\n*2\r\n$1\r\nx\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n",
          "1) \"x\"\n2) (integer) 1\n3) \"x\"\n4) (integer) 1", "[\"x\", 1, \"x\", 1]");
    check(&several, "*2\r\n$1\r\nx\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n", "*2\r\n$1\r\nx\r\n:1\r\n*2\r\n$1\r\nx\r\n:1\r\n",
          "1) \"x\"\n2) (integer) 1\n1) \"x\"\n2) (integer) 1", "[[\"x\", 1], [\"x\", 1]]");
    arena_free(a);
}

/* Property: indices stand under each other, as redis-cli does it. */
static void ten_items_are_indented_by_the_widest_index(void **state)
{
    (void)state;
    arena *a = arena_new();
    reply inner = reply_items(a, REPLY_ARRAY, 2), r = reply_items(a, REPLY_ARRAY, 10);
    r.items[9] = inner;
    buf b = { 0 };
    reply_print(&r, 0, &b);
    assert_true(str_starts(buf_str(&b), S(" 1) (nil)\n 2) (nil)\n")));
    assert_true(str_ends(buf_str(&b), S("\n 9) (nil)\n10) 1) (nil)\n    2) (nil)")));
    buf_free(&b);
    arena_free(a);
}

/* Property: a copy is equal and shares nothing.
 * How: copy, throw the original away, compare with a second copy. */
static void a_copy_is_equal_and_shares_nothing(void **state)
{
    (void)state;
    arena *a = arena_new(), *b = arena_new(), *c = arena_new();
    reply verbatim = { .kind = REPLY_VERBATIM, .format = arena_str(a, S("txt")), .text = arena_str(a, S("hi")) };
    reply r = OF(a, REPLY_ARRAY, reply_nil(), verbatim,
                 OF(a, REPLY_MAP, reply_double(0.5), reply_bulk(arena_str(a, S("deep")))));
    reply first = reply_copy(b, &r), second = reply_copy(c, &r);
    assert_true(reply_equal(&first, &r));
    arena_free(a);
    arena_free(c);
    (void)second;
    assert_true(str_eq(first.items[2].items[1].text, S("deep")));
    assert_true(str_eq(first.items[1].format, S("txt")));
    reply other = reply_copy(b, &first);
    assert_true(reply_equal(&first, &other));
    other.items[2].items[0].number = 0.25;
    assert_false(reply_equal(&first, &other));
    other = reply_copy(b, &first);
    other.items[0] = reply_nil_array();
    assert_false(reply_equal(&first, &other));
    arena_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_written_in_every_form),
        cmocka_unit_test(collections_are_flat_in_resp2_and_grouped_in_resp3),
        cmocka_unit_test(ten_items_are_indented_by_the_widest_index),
        cmocka_unit_test(a_copy_is_equal_and_shares_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
