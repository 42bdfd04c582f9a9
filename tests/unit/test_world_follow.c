/* test_world_follow.c - the search for the first instant at which a step has another outcome, over outcomes made up
 * here: what it finds, and what it asks on the way. Real worlds stand in test_search_stops.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "world/follow.h"

enum { QUESTIONS_MAX = 4096, NOW_MS = 1700000000 };

/* A step that does one thing before `change_ms` and another from then on. */
typedef struct {
    int64_t change_ms;
    bool compares;         /* it says what it compares; else only that it has seen a length that grows */
    follow_question asked[QUESTIONS_MAX];
    size_t count;
} made_up;

static bool outcome_at(void *context, const follow_question *q, outline *out, outline *heard)
{
    made_up *x = context;
    assert_true(x->count < QUESTIONS_MAX);
    x->asked[x->count++] = *q;
    if (!q->step)
        return true;
    outline_count(out, q->ms >= x->change_ms);
    if (x->compares) {
        outline_compared(heard, (double)(q->ms - x->change_ms));
    } else {
        outline_number(heard, (double)q->ms);
        heard->unknown = true;
    }
    return true;
}

static int64_t found(made_up *x, const int64_t *constants, size_t count)
{
    follower f = { .context = x, .at = outcome_at, .constants = constants, .constant_count = count, .now_ms = NOW_MS };
    return follow_first(&f, &(step){ .kind = STEP_RESUME }, INT64_MAX);
}

static size_t asked_again(const made_up *x)
{
    size_t again = 0;
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < i; k++)
            again += x->asked[i].ms == x->asked[k].ms && x->asked[i].waits == x->asked[k].waits &&
                     x->asked[i].visits == x->asked[k].visits && x->asked[i].step == x->asked[k].step;
    return again;
}

/* Property: the first millisecond of the other outcome is found, and nothing is followed twice on the way. */
static void a_change_is_found_and_nothing_is_asked_twice(void **state)
{
    static const int64_t constants[] = { 5, 1000, 30000 };
    (void)state;
    for (int compares = 0; compares < 2; compares++)
        for (size_t i = 0; i < COUNT(constants); i++) {
            made_up x = { .change_ms = constants[i], .compares = compares };
            assert_int_equal(found(&x, constants, COUNT(constants)), constants[i]);
            assert_true(x.count > 3);
            assert_int_equal(asked_again(&x), 0);
        }
}

/* Property: an answer is its own question's, however many were asked in between.
 * How: a change at one of many constants or between two of them, where halving an interval finds it. */
static void no_answer_is_taken_for_another(void **state)
{
    enum { MANY = 200 };
    int64_t constants[MANY];
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        constants[i] = 100 + 10 * (int64_t)i;
    for (size_t i = 0; i < MANY; i += 33)
        for (int64_t beyond_ms = 0; beyond_ms < 5; beyond_ms += 4) {
            made_up x = { .change_ms = constants[i] + beyond_ms };
            assert_int_equal(found(&x, constants, MANY), constants[i] + beyond_ms);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_found_and_nothing_is_asked_twice),
        cmocka_unit_test(no_answer_is_taken_for_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
