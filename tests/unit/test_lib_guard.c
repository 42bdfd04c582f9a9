/* test_lib_guard.c - what would end a program comes back from the library's calls: its guard and its errors, compiled
 * into this test, so that the assertions and last words of the rooms are theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <assert.h>

#include "../../sim/lib/error.c"    /* NOLINT(bugprone-suspicious-include): see above */
#include "../../sim/lib/guard.c"    /* NOLINT(bugprone-suspicious-include) */
#include "redis/redis.h"
#include "script/script.h"

static void claim(void *context)
{
    assert(*(int *)context == 1);
    *(int *)context = 2;
}

static void exhaust(void *context)
{
    (void)context;
    mem_free(mem_alloc(SIZE_MAX / 2));
}

/* Bytes that no redis_freeze made: an assertion far below. */
static void thaw_nonsense(void *context)
{
    (void)context;
    redis *r = redis_new((redis_limits){ 0 });
    redis_thaw(r, 0, S("no keyspace"));
}

static void within(void *context)
{
    int two = 2;
    locksim_error *e = NULL;
    assert_false(guarded(claim, &two, &e));
    assert_int_equal(locksim_error_code(e), LOCKSIM_BUG);
    locksim_error_free(e);
    claim(context);
}

/* Property: a call that is done leaves nothing behind. */
static void what_holds_comes_back(void **state)
{
    (void)state;
    int one = 1;
    locksim_error *e = NULL;
    assert_true(guarded(claim, &one, &e));
    assert_int_equal(one, 2);
    assert_null(e);
    assert_null(innermost);
}

static void a_failed_assertion_is_an_error_with_its_place(void **state)
{
    (void)state;
    int zero = 0;
    locksim_error *e = NULL;
    assert_false(guarded(claim, &zero, &e));
    assert_int_equal(locksim_error_code(e), LOCKSIM_BUG);
    assert_non_null(strstr(locksim_error_message(e), "test_lib_guard.c:"));
    assert_non_null(strstr(locksim_error_message(e), "*(int *)context == 1"));
    assert_non_null(strstr(locksim_error_hint(e), "mistake of locksim's"));
    locksim_error_free(e);
    assert_false(guarded(claim, &zero, NULL));
    assert_null(innermost);
}

static void an_assertion_deep_below_comes_back_too(void **state)
{
    (void)state;
    locksim_error *e = NULL;
    assert_false(guarded(thaw_nonsense, NULL, &e));
    assert_int_equal(locksim_error_code(e), LOCKSIM_BUG);
    assert_non_null(strstr(locksim_error_message(e), "sim/"));
    locksim_error_free(e);
}

static void missing_memory_is_an_error_that_takes_none(void **state)
{
    (void)state;
    locksim_error *e = NULL;
    assert_false(guarded(exhaust, NULL, &e));
    assert_int_equal(locksim_error_code(e), LOCKSIM_NO_MEMORY);
    assert_ptr_equal(e, &no_memory);
    locksim_error_free(e);
    assert_int_equal(locksim_error_code(e), LOCKSIM_NO_MEMORY);
}

/* Property: a callback may call the library; its end is not that of the call around it. */
static void a_call_within_a_call_ends_alone(void **state)
{
    (void)state;
    int one = 1, zero = 0;
    locksim_error *e = NULL;
    assert_true(guarded(within, &one, &e));
    assert_int_equal(one, 2);
    assert_false(guarded(within, &zero, &e));
    assert_non_null(e);
    locksim_error_free(e);
    assert_null(innermost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_comes_back),
        cmocka_unit_test(a_failed_assertion_is_an_error_with_its_place),
        cmocka_unit_test(an_assertion_deep_below_comes_back_too),
        cmocka_unit_test(missing_memory_is_an_error_that_takes_none),
        cmocka_unit_test(a_call_within_a_call_ends_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
