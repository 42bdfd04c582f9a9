/* test_base_wrap.c - text in lines of a width: where lines are broken, and what stays as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/wrap.h"

static void paragraphs_are_broken_at_blanks_and_items_are_indented(void **state)
{
    (void)state;
    static const struct { const char *text; size_t width; const char *lines; } rows[] = {
        { "", 10, "" },
        { "a b c\n", 10, "a b c\n" },
        { "one two three\n", 7, "one two\nthree\n" },                 /* exactly the width */
        { "one two three\n", 6, "one\ntwo\nthree\n" },
        { "one  two\n", 20, "one two\n" },
        { "unbreakable a\n", 5, "unbreakable\na\n" },
        { "first\nsecond\n", 80, "first\nsecond\n" },
        { "  item of words\n", 9, "  item of\n  words\n" },
        { "  n  one two three\n", 13, "  n  one two\n     three\n" },
        { "no newline", 80, "no newline\n" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf b = { 0 };
        wrap_paragraphs(&b, str_from(rows[i].text), rows[i].width);
        buf_byte(&b, 0);
        assert_string_equal(b.p, rows[i].lines);
        buf_free(&b);
    }
}

static void words_go_on_behind_a_column_that_is_taken(void **state)
{
    (void)state;
    buf b = { 0 };
    buf_addz(&b, "--opt  ");
    wrap_words(&b, S("aa bb cc"), 7, 3, 12);
    buf_byte(&b, 0);
    assert_string_equal(b.p, "--opt  aa bb\n   cc");
    buf_free(&b);
}

/* Whatever the text: every word is there, in order, and no line of two words or more passes the width. */
static void nothing_is_lost_and_no_line_is_too_long(void **state)
{
    (void)state;
    rng r = rng_new(7, 1);
    for (int round = 0; round < 2000; round++) {
        buf text = { 0 }, out = { 0 };
        size_t words = rng_below(&r, 30), width = 1 + rng_below(&r, 40);
        for (size_t i = 0; i < words; i++) {
            buf_byte(&text, ' ');
            for (size_t n = 1 + rng_below(&r, 9); n > 0; n--)
                buf_byte(&text, (char)('a' + rng_below(&r, 26)));
        }
        wrap_words(&out, buf_str(&text), 0, 0, width);
        size_t column = 0;
        bool several = false;
        for (size_t i = 0; i < out.n; i++) {
            assert_int_equal(out.p[i] == '\n' ? ' ' : out.p[i], text.p[i + 1]);
            several = out.p[i] == '\n' ? false : several || out.p[i] == ' ';
            column = out.p[i] == '\n' ? 0 : column + 1;
            assert_true(!several || column <= width);
        }
        assert_int_equal(out.n, text.n ? text.n - 1 : 0);
        buf_free(&text);
        buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paragraphs_are_broken_at_blanks_and_items_are_indented),
        cmocka_unit_test(words_go_on_behind_a_column_that_is_taken),
        cmocka_unit_test(nothing_is_lost_and_no_line_is_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
