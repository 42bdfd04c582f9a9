/* test_client_signature.c - a signature keeps the smallest budgets of faults only, whatever the order they come in, and
 * is read as it was printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/buf.h"
#include "scenario/signature.h"

/* "crash=1,pause=2 acquire" */
static void add(arena *a, signature *s, const char *line)
{
    uint32_t used[FAULT_KINDS];
    str text = str_from(line);
    size_t blank = str_find(text, ' ', 0);
    err e = { 0 };
    assert_true(fault_budgets_parse(str_slice(text, 0, blank), used, &e));
    signature_add(a, s, used, str_slice(text, blank + 1, text.n));
}

static void assert_prints(const signature *s, const char *wanted)
{
    buf b = { 0 };
    signature_print(s, &b);
    assert_string_equal(b.n ? b.p : "", wanted);
    buf_free(&b);
}

static void the_smallest_budgets_are_kept(void **state)
{
    static const struct { const char *in[5], *wanted; } row[] = {
        { { "pause=1 acquire" }, "pause=1: acquire" },
        { { "pause=2 acquire", "pause=1 release" }, "pause=1: release" },
        { { "pause=1 release", "pause=2 acquire" }, "pause=1: release" },
        { { "pause=1 release", "pause=1 acquire", "pause=1 release" }, "pause=1: acquire release" },
        { { "crash=1,pause=1 a", "pause=1 b", "crash=1 c" }, "crash=1: c; pause=1: b" },
        { { "crash=1,pause=1 a", "wipe=1 b", "crash=1 c", "none d" }, "none: d" },
        /* fewer faults come first */
        { { "crash=1,lose_reply=1 a", "pause=1 b" }, "pause=1: b; crash=1,lose_reply=1: a" },
        { { "pause=1 b", "crash=2,pause=1 x", "crash=2 a", "crash=1,wipe=1 c" },
          "pause=1: b; crash=2: a; crash=1,wipe=1: c" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        signature s = { 0 };
        for (size_t k = 0; k < COUNT(row[i].in) && row[i].in[k]; k++)
            add(a, &s, row[i].in[k]);
        assert_prints(&s, row[i].wanted);
        arena_free(a);
    }
}

static void what_is_printed_is_read(void **state)
{
    static const char *const texts[] = { "none: acquire", "none: (rest)", ("pause=1: acquire renew; "
                                         "crash=1,lose_reply=1: time"), "clock_jump=3: !crash <msg" };
    (void)state;
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(texts); i++) {
        signature s;
        err e = { 0 };
        assert_true(signature_parse(a, str_from(texts[i]), &s, &e));
        assert_prints(&s, texts[i]);
    }
    signature x, y;
    err e = { 0 };
    assert_true(signature_parse(a, S("wipe=1: b  a;pause=1:c"), &x, &e));
    assert_true(signature_parse(a, S("pause=1: c; wipe=1: a b"), &y, &e));
    assert_true(signature_equal(&x, &y));
    arena_free(a);
}

static void other_budgets_and_operations_are_not_equal(void **state)
{
    static const char *const texts[] = { "none: a", "pause=1: a", "pause=1: a b", "pause=1: b", "pause=2: a",
                                         "pause=1: a; wipe=1: a", "wipe=1: a" };
    (void)state;
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t k = 0; k < COUNT(texts); k++) {
            signature x, y;
            err e = { 0 };
            assert_true(signature_parse(a, str_from(texts[i]), &x, &e) &&
                        signature_parse(a, str_from(texts[k]), &y, &e));
            assert_int_equal(signature_equal(&x, &y), i == k);
        }
    arena_free(a);
}

static void what_is_no_signature_is_refused(void **state)
{
    static const struct { const char *text, *why; } row[] = {
        { "", "there is no fault ''" },
        { "acquire", "there is no fault 'acquire'" },
        { "pause=1:", "names no operation" },
        { "pause=1: a;", "there is no fault ''" },
        { "pauze=1: a", "there is no fault 'pauze'" },
        { "pause=x: a", "whole number" },
        { "pause=1: a; pause=1: b", "each once" },
        { "pause=1: a; crash=1,pause=1: b", "one contains another" },
        { "crash=1,pause=1: b; pause=1: a", "one contains another" },
        { "pause=1: a; none: b", "one contains another" },
    };
    (void)state;
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        signature s;
        err e = { 0 };
        assert_false(signature_parse(a, str_from(row[i].text), &s, &e));
        assert_int_equal(e.class_, ERR_SCENARIO);
        if (!strstr(e.message.p, row[i].why))
            fail_msg("row %zu: %s", i, e.message.p);
        err_clear(&e);
    }
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_budgets_are_kept),
        cmocka_unit_test(what_is_printed_is_read),
        cmocka_unit_test(other_budgets_and_operations_are_not_equal),
        cmocka_unit_test(what_is_no_signature_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
