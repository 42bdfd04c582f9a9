/* test_base_words.c - redis-cli's quoting: what a line's words are, and lines that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/words.h"

static void words_come_out_as_redis_cli_reads_them(void **state)
{
    (void)state;
    static const struct { str line; str words[4]; size_t count; } rows[] = {
        { { "", 0 }, { { 0 } }, 0 },
        { { "  \t ", 4 }, { { 0 } }, 0 },
        { { "get k", 5 }, { { "get", 3 }, { "k", 1 } }, 2 },
        { { "set k \"a b\"", 11 }, { { "set", 3 }, { "k", 1 }, { "a b", 3 } }, 3 },
        { { "x \"\\x00\\xfF\\n\\t\\\"\\\\\"", 20 }, { { "x", 1 }, { "\x00\xff\n\t\"\\", 6 } }, 2 },
        { { "x \"\\xZZ\"", 8 }, { { "x", 1 }, { "xZZ", 3 } }, 2 },          /* no hex: the x itself */
        { { "x '\\n \\' \"'", 11 }, { { "x", 1 }, { "\\n ' \"", 6 } }, 2 }, /* single quotes know \' only */
        { { "x \"\"", 4 }, { { "x", 1 }, { "", 0 } }, 2 },
        { { "pre\"fix\"", 8 }, { { "prefix", 6 } }, 1 },
        { { "a\tb\r", 4 }, { { "a", 1 }, { "b", 1 } }, 2 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        arena *a = arena_new();
        str *words;
        size_t count;
        assert_true(words_split(a, rows[i].line, &words, NULL, &count));
        assert_int_equal(count, rows[i].count);
        for (size_t k = 0; k < count; k++)
            assert_true(str_eq(words[k], rows[i].words[k]));
        arena_free(a);
    }
}

static void an_open_quote_or_text_after_a_closing_one_is_refused(void **state)
{
    (void)state;
    static const str bad[] = { { "\"", 1 }, { "a \"b", 4 }, { "'b", 2 }, { "\"a\"b", 4 }, { "'a'b", 4 }, { "\"a\\", 3 },
                               { "\"a\"\"b\"", 6 } };
    for (size_t i = 0; i < COUNT(bad); i++) {
        arena *a = arena_new();
        str *words;
        size_t count;
        assert_false(words_split(a, bad[i], &words, NULL, &count));
        arena_free(a);
    }
}

/* Property: any bytes end in words or a refusal, and all words together are no longer than the line. */
static void any_line_ends_in_words_or_a_refusal(void **state)
{
    (void)state;
    static const char alphabet[] = "a \"'\\xn0\t";
    rng r = rng_new(1, 1);
    size_t accepted = 0;
    for (int round = 0; round < 20000; round++) {
        char line[16];
        size_t n = rng_below(&r, sizeof line + 1);
        for (size_t i = 0; i < n; i++)
            line[i] = alphabet[rng_below(&r, sizeof alphabet - 1)];
        arena *a = arena_new();
        str *words;
        bool *quoted;
        size_t count, bytes = 0;
        if (words_split(a, (str){ line, n }, &words, &quoted, &count)) {
            accepted++;
            for (size_t i = 0; i < count; i++)
                bytes += words[i].n + quoted[i];
            assert_true(bytes <= n);
        }
        arena_free(a);
    }
    assert_true(accepted > 1000 && accepted < 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_come_out_as_redis_cli_reads_them),
        cmocka_unit_test(an_open_quote_or_text_after_a_closing_one_is_refused),
        cmocka_unit_test(any_line_ends_in_words_or_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
