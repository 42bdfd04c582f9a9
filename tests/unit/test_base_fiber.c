/* test_base_fiber.c - a function that pauses in its midst and is gone on with, on a stack of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/fiber.h"

typedef struct {
    fiber *f;
    int turns, done;
    jmp_buf out;
} work;

static void count(void *context)
{
    work *w = context;
    volatile char kept[4096];
    memset((char *)(uintptr_t)kept, 7, sizeof kept);
    for (; w->done < w->turns; w->done++) {
        fiber_pause(w->f);
        for (size_t i = 0; i < sizeof kept; i++)
            assert_int_equal(kept[i], 7);
    }
}

/* Property: what is on its stack is there when it goes on, and what is on its caller's is not touched. */
static void it_goes_on_where_it_paused(void **state)
{
    (void)state;
    work w = { .f = fiber_new(), .turns = 3 };
    for (int again = 0; again < 2; again++) {
        w.done = 0;
        assert_false(fiber_run(w.f, count, &w));
        for (int i = 0; i < w.turns; i++) {
            assert_true(fiber_stands(w.f));
            assert_int_equal(w.done, i);
            assert_int_equal(fiber_go_on(w.f), i == w.turns - 1);
        }
        assert_false(fiber_stands(w.f));
    }
    w.turns = w.done;
    assert_true(fiber_run(w.f, count, &w));        /* one that never pauses */
    fiber_free(w.f);
}

static void leap(void *context)
{
    work *w = context;
    if (setjmp(w->out) == 0) {
        fiber_pause(w->f);
        longjmp(w->out, 1);
    }
    w->done = 1;
}

/* Lua's errors leap over frames: within the fiber, before and after a pause. */
static void leaps_stay_within(void **state)
{
    (void)state;
    work w = { .f = fiber_new() };
    assert_false(fiber_run(w.f, leap, &w));
    assert_true(fiber_go_on(w.f));
    assert_int_equal(w.done, 1);
    fiber_free(w.f);
}

static int deep(int n)
{
    volatile char room[1024];
    room[0] = (char)n;
    return n == 0 ? 0 : deep(n - 1) + (room[0] == (char)n);
}

static void dive(void *context)
{
    ((work *)context)->done = deep(5000);          /* five of its eight mebibytes */
}

static void there_is_room_for_deep_calls(void **state)
{
    (void)state;
    work w = { .f = fiber_new() };
    assert_true(fiber_run(w.f, dive, &w));
    assert_int_equal(w.done, 5000);
    fiber_free(w.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_on_where_it_paused),
        cmocka_unit_test(leaps_stay_within),
        cmocka_unit_test(there_is_room_for_deep_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
