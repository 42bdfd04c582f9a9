/* test_simulate_draw.c - lengths that are drawn, and the order of what happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "base/str.h"
#include "simulate/draw.h"
#include "simulate/queue.h"

enum { DRAWS = 100000 };

typedef struct {
    double mean_ms, least_ms, most_ms, half_ms;    /* half_ms: the share of draws below it is in `below` */
    double below;
} drawn;

static drawn draw_many(distribution d, double half_ms)
{
    rng r = rng_new(1, 1);
    drawn x = { .least_ms = INFINITY, .half_ms = half_ms };
    for (int i = 0; i < DRAWS; i++) {
        int64_t us = draw_us(&r, &d);
        assert_true(us >= 0 && us <= DRAW_US_MAX);
        double ms = (double)us / 1000;
        x.mean_ms += ms / DRAWS;
        x.least_ms = ms < x.least_ms ? ms : x.least_ms;
        x.most_ms = ms > x.most_ms ? ms : x.most_ms;
        x.below += (ms < half_ms) / (double)DRAWS;
    }
    return x;
}

static void near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.6g is not within %.3g of %.6g", value, error, expected);
}

/* Means and medians within four deviations of the mean of so many draws. */
static void distributions_are_what_they_are_called(void **state)
{
    (void)state;
    double root = sqrt(DRAWS);
    drawn x = draw_many((distribution){ .kind = DRAW_CONSTANT, .a = 1.5 }, 0);
    assert_true(x.least_ms == 1.5 && x.most_ms == 1.5);
    x = draw_many((distribution){ .kind = DRAW_UNIFORM, .a = 2, .b = 6 }, 3);
    near(x.mean_ms, 4, 4 * 1.155 / root);
    near(x.below, 0.25, 4 * 0.433 / root);
    assert_true(x.least_ms >= 2 && x.most_ms <= 6);
    x = draw_many((distribution){ .kind = DRAW_EXPONENTIAL, .a = 20 }, 20 * log(2));
    near(x.mean_ms, 20, 4 * 20 / root);
    near(x.below, 0.5, 4 * 0.5 / root);
    x = draw_many((distribution){ .kind = DRAW_LOG_NORMAL, .a = 10, .b = 0.5 }, 10);
    near(x.mean_ms, 10 * exp(0.125), 4 * 6.1 / root);          /* deviation: mean * sqrt(exp(0.25) - 1) */
    near(x.below, 0.5, 4 * 0.5 / root);
    const double list[] = { 1, 2, 6 };
    x = draw_many((distribution){ .kind = DRAW_LIST, .list = list, .count = 3 }, 1.5);
    near(x.mean_ms, 3, 4 * 2.16 / root);
    near(x.below, 1 / 3.0, 4 * 0.47 / root);
    x = draw_many((distribution){ .kind = DRAW_NOTHING }, 0);
    assert_true(x.most_ms == 0);
    x = draw_many((distribution){ .kind = DRAW_LOG_NORMAL, .a = 1e12, .b = 100 }, 0);    /* bounded, and no overflow */
    assert_true(x.most_ms == (double)DRAW_US_MAX / 1000);
}

/* Property: gaps far shorter than a microsecond keep their mean, and each arrival is where the unrounded gaps put it,
 * rounded once. */
static void gaps_add_up(void **state)
{
    static const double means_ms[] = { 0.0001, 0.001, 0.0125, 1, 1000 };
    (void)state;
    for (size_t i = 0; i < sizeof means_ms / sizeof *means_ms; i++) {
        rng r = rng_new(1, 1), same = rng_new(1, 1);
        double carried_us = 0, exact_us = 0;
        int64_t at_us = 0;
        for (int n = 0; n < DRAWS; n++) {
            int64_t gap_us = draw_gap_us(&r, means_ms[i], &carried_us);
            assert_true(gap_us >= 0);
            at_us += gap_us;
            exact_us += -means_ms[i] * 1000 * log(1 - (double)(rng_next(&same) >> 11) * 0x1p-53);
            near((double)at_us, exact_us, 0.501);
        }
        near((double)at_us / DRAWS, means_ms[i] * 1000, 4 * means_ms[i] * 1000 / sqrt(DRAWS));
    }
    rng r = rng_new(1, 1);
    double carried_us = 0;
    for (int n = 0; n < 100; n++)
        assert_true(draw_gap_us(&r, 1e300, &carried_us) == DRAW_US_MAX && carried_us == 0);
}

static void chances(void **state)
{
    (void)state;
    rng r = rng_new(1, 2);
    int hits = 0;
    for (int i = 0; i < DRAWS; i++) {
        hits += draw_chance(&r, 0.25);
        assert_false(draw_chance(&r, 0));
        assert_true(draw_chance(&r, 1));
    }
    near(hits / (double)DRAWS, 0.25, 4 * 0.433 / sqrt(DRAWS));
}

/* Property: happenings come by time, and at one instant as they were posted.
 * How: many of few instants, some for the very present, posted while others are taken. */
static void happenings_come_in_order(void **state)
{
    (void)state;
    rng r = rng_new(5, 1);
    queue q = { 0 };
    int64_t now_us = 0, last_us = 0;
    uint64_t last_seq = 0, taken = 0, posted = 0;
    while (taken < 20000) {
        for (uint64_t n = rng_below(&r, 4); n > 0 && posted < 20000; n--, posted++)
            queue_post(&q, now_us, (happening){ .at_us = now_us + (int64_t)rng_below(&r, 5),
                                                .number = (uint32_t)posted });
        if (!queue_first(&q))
            continue;
        happening first = *queue_first(&q), h = queue_take(&q);
        assert_int_equal(first.number, h.number);
        assert_true(h.at_us >= now_us);
        assert_true(taken == 0 || h.at_us > last_us || (h.at_us == last_us && h.seq > last_seq));
        assert_int_equal(h.seq, h.number);
        last_us = now_us = h.at_us;
        last_seq = h.seq;
        taken++;
    }
    assert_null(queue_first(&q));
    queue_free(&q);
}

/* Property: the first timer is the earliest, and one that is advanced never moves back. Against a plain list. */
static void timers_come_in_order(void **state)
{
    (void)state;
    enum { N = 50 };
    rng r = rng_new(6, 1);
    timers t;
    timers_make(&t, N);
    int64_t at_us[N];
    uint64_t seq_of[N] = { 0 }, seq = 0;
    for (int i = 0; i < N; i++)
        at_us[i] = INT64_MAX;
    for (int step = 0; step < 20000; step++) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < N; i++)
            if (at_us[i] != INT64_MAX && (first == UINT32_MAX || at_us[i] < at_us[first] ||
                                          (at_us[i] == at_us[first] && seq_of[i] < seq_of[first])))
                first = i;
        assert_int_equal(timers_first(&t), first);
        if (first != UINT32_MAX && rng_below(&r, 3) == 0) {
            timers_drop_first(&t);
            at_us[first] = INT64_MAX;
            continue;
        }
        uint32_t i = (uint32_t)rng_below(&r, N);
        int64_t to_us = (int64_t)rng_below(&r, 1000);
        timers_advance(&t, i, to_us, seq);
        if (to_us < at_us[i]) {
            at_us[i] = to_us;
            seq_of[i] = seq;
        }
        seq++;
    }
    timers_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distributions_are_what_they_are_called),
        cmocka_unit_test(gaps_add_up),
        cmocka_unit_test(chances),
        cmocka_unit_test(happenings_come_in_order),
        cmocka_unit_test(timers_come_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
