/* test_serve_request.c - what clients send is read the same however it is cut into pieces, and what is no request is
 * refused as Redis does. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "serve/request.h"

/* What a reader made of all bytes: each request as "[a|b|c]", then "!why" if it ended badly, or "?" if a part of one is
 * left. */
static void tell(const request *q, request_state state, buf *out)
{
    if (state == REQUEST_BROKEN) {
        buf_printf(out, "!%.*s", STR_ARG(q->why));
        return;
    }
    buf_byte(out, '[');
    for (size_t i = 0; i < q->argc; i++) {
        buf_addz(out, i ? "|" : "");
        buf_add(out, q->argv[i]);
    }
    buf_byte(out, ']');
}

/* Feeds `all` in pieces of `step` bytes, each time in memory of its own that ends where the bytes end, so that a read
 * beyond is found. */
static void read_in_steps(str all, size_t step, buf *out)
{
    request_reader *q = request_reader_new();
    size_t from = 0;
    bool broken = false;
    for (size_t have = 0; !broken && have <= all.n; have = have == all.n ? have + 1 : have + step < all.n ? have + step
         : all.n) {
        request_state state = REQUEST_READY;
        while (state == REQUEST_READY) {
            str seen = str_slice(all, from, have);
            char *copy = malloc(seen.n ? seen.n : 1);
            request got;
            if (seen.n)
                memcpy(copy, seen.p, seen.n);
            state = request_read(q, (str){ .p = copy, .n = seen.n }, &got);
            assert_true(got.used <= seen.n);
            from += got.used;
            if (state != REQUEST_MORE)
                tell(&got, state, out);
            free(copy);
        }
        broken = state == REQUEST_BROKEN;
    }
    if (!broken && from < all.n)
        buf_byte(out, '?');
    request_reader_free(q);
}

static void check(str all, const char *expected)
{
    for (size_t step = 1; step <= all.n + 1; step = step < 16 ? step + 1 : step * 2) {
        buf out = { 0 };
        read_in_steps(all, step, &out);
        if (!str_eq(buf_str(&out), str_from(expected)))
            fail_msg("in steps of %zu: %.*s\nexpected: %s\nof: %.*s", step, STR_ARG(buf_str(&out)), expected,
                     STR_ARG(str_slice(all, 0, 200)));
        buf_free(&out);
    }
}

static void requests_are_read_however_they_are_cut(void **state)
{
    (void)state;
    check(S(""), "");
    check(S("*1\r\n$4\r\nPING\r\n"), "[PING]");
    check(S("*2\r\n$3\r\nGET\r\n$0\r\n\r\n"), "[GET|]");
    check(S("*2\r\n$1\r\na\r\n$5\r\n\r\n*1\r\r\n*1\r\n$1\r\nb\r\n"), "[a|\r\n*1\r][b]");
    check(S("*0\r\n*-1\r\n*-7\r\n*1\r\n$1\r\nx\r\n"), "[x]");
    check(S("PING\r\nGET  a \r\n\r\n\n   \n*1\r\n$1\r\nx\r\nECHO \"a b\\x41\\n\" 'c\\'d'\n"),
          "[PING][GET|a][x][ECHO|a bA\n|c'd]");
    check(S("SET a b"), "?");
    check(S("*2\r\n$1\r\na\r\n$1\r\nb"), "?");
    check(S("*2\r\n$1\r\na\r\n$"), "?");
    check(S("*12"), "?");
    check(S("*1\rX$1\rXa??*1\r\n$1\r\nb\r\n"), "[a][b]");      /* Redis looks at the \r only */
}

static void what_is_no_request_is_refused_in_the_words_of_redis(void **state)
{
    (void)state;
    static const char *const lengths[] = { "", "x", "1x", " 1", "+1", "01", "-0", "2147483648", "99999999999999999999",
                                           "1.0", "0x1" };
    for (size_t i = 0; i < COUNT(lengths); i++) {
        buf b = { 0 };
        buf_printf(&b, "*1\r\n$1\r\na\r\n*%s\r\n", lengths[i]);
        check(buf_str(&b), "[a]!ERR Protocol error: invalid multibulk length");
        buf_clear(&b);
        buf_printf(&b, "*2\r\n$1\r\na\r\n$%s\r\n", lengths[i]);
        check(buf_str(&b), "!ERR Protocol error: invalid bulk length");
        buf_free(&b);
    }
    check(S("*1\r\n$-1\r\n"), "!ERR Protocol error: invalid bulk length");
    check(S("*1\r\n$536870913\r\n"), "!ERR Protocol error: invalid bulk length");
    check(S("*1\r\n$536870912\r\n"), "?");
    check(S("*2147483647\r\n"), "?");
    check(S("*1\r\n:1\r\n"), "!ERR Protocol error: expected '$', got ':'");
    check(S("*2\r\n$1\r\na\r\nPING\r\n"), "!ERR Protocol error: expected '$', got 'P'");
    check(S("*1\r\n\r\n\r\n"), "!ERR Protocol error: expected '$', got ' '");
    check(S("GET \"a\r\n"), "!ERR Protocol error: unbalanced quotes in request");
    check(S("GET \"a\"b\n"), "!ERR Protocol error: unbalanced quotes in request");
}

/* Property: a line that never ends is refused as soon as it is longer than a line may be, and one as long as allowed is
 * not. */
static void lines_have_a_limit(void **state)
{
    (void)state;
    static const struct { const char *begin, *why; } rows[] = {
        { "", "!ERR Protocol error: too big inline request" },
        { "*", "!ERR Protocol error: too big mbulk count string" },
        { "*1\r\n", "!ERR Protocol error: too big bulk count string" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (size_t more = 0; more <= 1; more++) {
            buf b = { 0 }, out = { 0 };
            size_t counted = strcmp(rows[i].begin, "*") == 0 ? 1 : 0;      /* the star is a byte of its line */
            buf_addz(&b, rows[i].begin);
            for (size_t n = counted; n < REQUEST_LINE_BYTES_MAX + more; n++)
                buf_byte(&b, '1');
            read_in_steps(buf_str(&b), b.n, &out);
            assert_string_equal(out.p, more ? rows[i].why : "?");
            buf_free(&b);
            buf_free(&out);
        }
    }
    check(S("*1\0\r\n$1\r\na\r\n"), "?");          /* C's strchr ends at a NUL: no line end is seen */
}

static void a_large_request_leaves_nothing_behind(void **state)
{
    (void)state;
    enum { WORDS = 100000 };
    request_reader *q = request_reader_new();
    buf b = { 0 };
    request got;
    buf_printf(&b, "*%d\r\n", WORDS);
    for (int i = 0; i < WORDS; i++)
        buf_addz(&b, "$1\r\nx\r\n");
    assert_int_equal(request_read(q, buf_str(&b), &got), REQUEST_READY);
    assert_int_equal(got.argc, WORDS);
    assert_true(request_kept_bytes(q) > WORDS);
    assert_int_equal(request_read(q, S("*1\r\n$1\r\nx\r\n"), &got), REQUEST_READY);
    assert_true(request_kept_bytes(q) < 4096);
    buf_free(&b);
    request_reader_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read_however_they_are_cut),
        cmocka_unit_test(what_is_no_request_is_refused_in_the_words_of_redis),
        cmocka_unit_test(lines_have_a_limit),
        cmocka_unit_test(a_large_request_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
