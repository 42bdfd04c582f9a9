/* test_simulate_statistics.c - histograms, windows of time, samples and intervals of confidence, against tables and
 * against slow ways to the same. */
#include "occurrences.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "simulate/replications.h"

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Property: a quantile is off by no more than the stated share, whatever the values; mean, least and most not at
 * all. */
static void quantiles_are_within_the_stated_error(void **state)
{
    static const unsigned shares[] = { 0, 1, 100, 2500, 5000, 9000, 9900, 9990, 10000 };
    enum { COUNT_EACH = 5000, ROUNDS = 40 };
    (void)state;
    rng r = rng_new(3, 1);
    int64_t *values = mem_alloc(COUNT_EACH * sizeof *values);
    for (int round = 0; round < ROUNDS; round++) {
        histogram h = { .bits = round % 2 ? HISTOGRAM_FINE : HISTOGRAM_COARSE };
        int64_t sum = 0;
        for (size_t i = 0; i < COUNT_EACH; i++) {
            values[i] = (int64_t)(rng_next(&r) >> (24 + rng_below(&r, 40)));
            sum += values[i];
            histogram_add(&h, values[i]);
        }
        qsort(values, COUNT_EACH, sizeof *values, by_size);
        for (size_t k = 0; k < COUNT(shares); k++) {
            size_t rank = (COUNT_EACH * shares[k] + 9999) / 10000;
            double exact = (double)values[rank ? rank - 1 : 0];
            assert_near((double)histogram_quantile(&h, shares[k]), exact, exact * histogram_error(h.bits));
        }
        assert_int_equal(h.min, values[0]);
        assert_int_equal(h.max, values[COUNT_EACH - 1]);
        assert_near(histogram_mean(&h), (double)sum / COUNT_EACH, 1e-6);
        histogram_free(&h);
    }
    mem_free(values);
}

/* 1 .. 2047 are exact with 10 bits; 2048 and 2049 share a class, and so do 4096 .. 4099. */
static void classes_are_where_the_layout_has_them(void **state)
{
    static const struct { int64_t value, low, high; } rows[] = {
        { 0, 0, 0 }, { 1, 1, 1 }, { 2047, 2047, 2047 }, { 2048, 2048, 2049 }, { 2049, 2048, 2049 },
        { 4095, 4094, 4095 }, { 4096, 4096, 4099 },
        { (int64_t)1 << 40, (int64_t)1 << 40, ((int64_t)1 << 40) + (1 << 30) - 1 },
        { INT64_MAX, INT64_MAX - (((int64_t)1 << 52) - 1), INT64_MAX },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        histogram h = { .bits = HISTOGRAM_FINE };
        size_t at = 0;
        histogram_class c;
        histogram_add(&h, rows[i].value);
        assert_true(histogram_next(&h, &at, &c));
        assert_true(c.low == rows[i].low && c.high == rows[i].high && c.count == 1);
        assert_false(histogram_next(&h, &at, &c));
        histogram_free(&h);
    }
}

static void negative_lengths_count_as_none(void **state)
{
    (void)state;
    histogram h = { .bits = HISTOGRAM_COARSE };
    histogram_add(&h, -5);
    assert_int_equal(h.min, 0);
    assert_int_equal(h.max, 0);
    histogram_free(&h);
}

/* Property: two halves merged are the whole. */
static void merging_is_adding(void **state)
{
    (void)state;
    rng r = rng_new(5, 1);
    for (int round = 0; round < 50; round++) {
        histogram whole = { .bits = HISTOGRAM_COARSE },
                          half[2] = { { .bits = HISTOGRAM_COARSE }, { .bits = HISTOGRAM_COARSE } };
        for (int i = 0; i < 200; i++) {
            int64_t v = (int64_t)(rng_next(&r) >> (20 + rng_below(&r, 44)));
            histogram_add(&whole, v);
            histogram_add(&half[rng_below(&r, 2)], v);
        }
        histogram_merge(&half[0], &half[1]);
        size_t a = 0, b = 0;
        histogram_class x, y;
        bool more;
        while ((more = histogram_next(&whole, &a, &x))) {
            assert_true(histogram_next(&half[0], &b, &y));
            assert_true(x.low == y.low && x.count == y.count);
        }
        assert_false(histogram_next(&half[0], &b, &y));
        assert_true(whole.sum == half[0].sum && whole.min == half[0].min && whole.max == half[0].max &&
                    whole.count == half[0].count);
        for (int i = 0; i < 2; i++)
            histogram_free(&half[i]);
        histogram_free(&whole);
    }
}

/* The printed tables of the two-sided 95 % point. */
static void students_t_is_as_printed(void **state)
{
    static const struct { size_t degrees; double t; } rows[] = {
        { 1, 12.7062 }, { 2, 4.3027 }, { 3, 3.1824 }, { 4, 2.7764 }, { 5, 2.5706 }, { 6, 2.4469 }, { 7, 2.3646 },
        { 8, 2.3060 }, { 9, 2.2622 },
        { 10, 2.2281 }, { 19, 2.0930 }, { 20, 2.0860 }, { 29, 2.0452 }, { 30, 2.0423 }, { 60, 2.0003 }, { 120, 1.9799 },
        { 100000000, 1.9600 },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_near(student_95(rows[i].degrees), rows[i].t, 0.00006);
}

/* Of 1 2 3 4: mean 2.5, deviation sqrt(5/3) = 1.29099, half width 3.18245 * 1.29099 / 2. */
static void an_interval_by_hand(void **state)
{
    static const double values[] = { 1, 2, 3, 4 };
    (void)state;
    interval i = interval_of(values, 4);
    assert_near(i.mean, 2.5, 1e-12);
    assert_near(i.half, 2.05426, 1e-4);
    i = interval_of(values, 1);
    assert_true(i.count == 1 && i.half == 0);
    assert_int_equal(interval_of(values, 0).count, 0);
}

/* Property: where all runs agree there is no interval, though their sum is rounded: 3 * 3.45 / 3 is not 3.45. */
static void what_all_agree_on_has_no_interval(void **state)
{
    static const double values[] = { 3.45, 102.24948875255624, 0.1, -7.7, 1e300 };
    (void)state;
    for (size_t v = 0; v < COUNT(values); v++)
        for (size_t n = 2; n <= 30; n++) {
            double same[30];
            for (size_t k = 0; k < n; k++)
                same[k] = values[v];
            interval i = interval_of(same, n);
            assert_true(i.mean == values[v] && i.half == 0);
        }
}

/* Property: a 95 % interval over 10 runs holds the truth in about 95 of 100 tries. Sums of twelve uniform draws are
 * nearly normal. */
static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    enum { TRIES = 4000, RUNS = 10 };
    (void)state;
    rng r = rng_new(11, 1);
    int held = 0;
    for (int i = 0; i < TRIES; i++) {
        double values[RUNS];
        for (size_t k = 0; k < RUNS; k++) {
            values[k] = 0;
            for (int d = 0; d < 12; d++)
                values[k] += (double)rng_below(&r, 1000001) / 1e6;
        }
        interval c = interval_of(values, RUNS);
        held += fabs(c.mean - 6) <= c.half;
    }
    assert_near((double)held / TRIES, 0.95, 0.012);
}

/* Property: however often windows double, nothing told gets lost, and each window has what happened within it. */
static void windows_double_and_lose_nothing(void **state)
{
    enum { CLIENTS = 3, GRANTS = 3000 };
    (void)state;
    rng r = rng_new(9, 1);
    windows *w = windows_new(5000, CLIENTS);
    static int64_t at_us[GRANTS];
    static uint32_t client[GRANTS];
    int64_t now = 5000, area = 0;
    for (size_t i = 0; i < GRANTS; i++) {
        int64_t next = now + (int64_t)rng_below(&r, 3000);
        uint32_t waiting = (uint32_t)rng_below(&r, 7);
        windows_queue(w, now, next, waiting);
        area += (next - now) * waiting;
        at_us[i] = now = next;
        client[i] = (uint32_t)rng_below(&r, CLIENTS);
        windows_grant(w, now, client[i], (int64_t)i);
    }
    assert_true(w->width_us > WINDOW_FIRST_US && w->used <= WINDOWS_MAX);
    assert_int_equal(w->used, (now - 1 - 5000) / w->width_us + ((now - 5000) % w->width_us == 0) + 1);
    int64_t found_area = 0;
    for (size_t i = 0; i < w->used; i++) {
        uint32_t grants[CLIENTS] = { 0 };
        uint64_t all = 0;
        for (size_t k = 0; k < GRANTS; k++)
            if ((size_t)((at_us[k] - 5000) / w->width_us) == i) {
                grants[client[k]]++;
                all++;
            }
        assert_memory_equal(&w->grants[i * CLIENTS], grants, sizeof grants);
        assert_int_equal(w->at[i].waits.count, all);
        assert_true(w->at[i].queue_max <= 6);
        found_area += w->at[i].queue_us;
    }
    assert_int_equal(found_area, area);
    windows_free(w);
}

static void jains_index_of_nothing_is_not_defined(void **state)
{
    (void)state;
    jain_sum j = { 0 };
    double index;
    assert_false(jain_index(&j, &index));
    jain_add(&j, 0);
    assert_false(jain_index(&j, &index));
    jain_add(&j, 4);
    assert_true(jain_index(&j, &index));
    assert_near(index, 0.5, 1e-12);
}

/* Property: late waits are in the sample as often as early ones. */
static void a_sample_prefers_no_part_of_the_run(void **state)
{
    enum { WAITS = 50000 };
    (void)state;
    size_t first_half = 0, all = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        excerpt *x = excerpt_new(seed);
        for (int64_t i = 0; i < WAITS; i++)
            excerpt_add_wait(x, i, i, 0);
        excerpt_sort(x);
        assert_int_equal(excerpt_waits(x), EXCERPT_WAITS_MAX);
        for (size_t i = 0; i < EXCERPT_WAITS_MAX; i++) {
            assert_true(i == 0 || x->waits[i - 1].granted_us < x->waits[i].granted_us);
            first_half += x->waits[i].granted_us < WAITS / 2;
            all++;
        }
        excerpt_free(x);
    }
    assert_near((double)first_half / (double)all, 0.5, 0.02);
}

/* Property: in whatever order runs are added, they come to the same. */
static void the_order_of_replications_does_not_matter(void **state)
{
    static const size_t orders[2][3] = { { 0, 1, 2 }, { 2, 0, 1 } };
    (void)state;
    interval means[2];
    for (size_t o = 0; o < 2; o++) {
        replications *r = replications_new(3);
        for (size_t i = 0; i < 3; i++) {
            size_t number = orders[o][i];
            measure *m = measure_new(1, number, number == 0);
            begins(m, 0);
            asks(m, 0, 0);
            is_granted(m, 0, 0, 1000 * (int64_t)(number + 1) * (int64_t)(number + 1));
            ends(m, 100000);
            replications_add(r, number, m);
        }
        assert_true(replications_interval(r, METRIC_WAIT_MEAN, &means[o]));
        assert_int_equal(r->all[MEASURED_WAITS].count, 3);
        assert_non_null(r->first);
        interval none;
        assert_false(replications_interval(r, METRIC_HANDOFF_MEAN, &none));
        replications_free(r);
    }
    assert_true(means[0].mean == means[1].mean && means[0].half == means[1].half);
    assert_near(means[0].mean, (1 + 4 + 9) / 3.0, 1e-9);
}

/* Waits of 10 and 30 ms beside 11 and 32 ms: the difference is 1 and 2, mean 1.5, half width 12.7062 * 0.7071 / sqrt(2)
 * = 6.3531, however far apart the two runs are. */
static void a_difference_is_taken_seed_by_seed(void **state)
{
    static const int64_t waits_us[2][2] = { { 10000, 30000 }, { 11000, 32000 } };
    (void)state;
    replications *side[2];
    for (size_t s = 0; s < 2; s++) {
        side[s] = replications_new(2);
        for (size_t i = 0; i < 2; i++) {
            measure *m = measure_new(1, i, false);
            begins(m, 0);
            asks(m, 0, 0);
            is_granted(m, 0, 0, waits_us[s][i]);
            ends(m, 100000);
            replications_add(side[s], i, m);
        }
    }
    interval i;
    assert_true(replications_difference(side[0], side[1], METRIC_WAIT_MEAN, &i));
    assert_near(i.mean, 1.5, 1e-9);
    assert_near(i.half, 6.3531, 1e-4);
    assert_false(replications_difference(side[0], side[1], METRIC_HANDOFF_MEAN, &i));
    for (size_t s = 0; s < 2; s++)
        replications_free(side[s]);
}

static measure *run_of(size_t number)
{
    measure *m = measure_new(1, number, number == 0);
    begins(m, 0);
    for (int64_t k = 1; k <= 3; k++) {
        asks(m, 0, 50000 * k);
        is_granted(m, 0, 0, 50000 * k + 1000 * k / (int64_t)(number + 1) + 7 * (int64_t)number);
    }
    ends(m, 300000);
    return m;
}

/* Property: a run that is told as bytes counts as the run itself. How: every number of both, in two replications. */
static void a_run_that_is_told_counts_as_one_that_is_added(void **state)
{
    enum { RUNS = 3 };
    (void)state;
    replications *added = replications_new(RUNS), *told = replications_new(RUNS);
    for (size_t i = 0; i < RUNS; i++) {
        replications_add(added, i, run_of(i));
        measure *m = run_of(i);
        if (i == 0) {
            replications_add(told, i, m);
            continue;
        }
        buf b = { 0 };
        replications_tell(m, &b);
        measure_free(m);
        replications_hear(told, i, buf_str(&b));
        buf_free(&b);
    }
    assert_int_equal(told->done, RUNS);
    assert_memory_equal(told->runs, added->runs, RUNS * sizeof *told->runs);
    for (int k = 0; k < MEASURED_KINDS; k++) {
        const histogram *x = &told->all[k], *y = &added->all[k];
        size_t at_x = 0, at_y = 0;
        histogram_class c, d;
        assert_true(x->count == y->count && x->sum == y->sum && x->min == y->min && x->max == y->max);
        while (histogram_next(x, &at_x, &c)) {
            assert_true(histogram_next(y, &at_y, &d));
            assert_true(c.low == d.low && c.count == d.count);
        }
        assert_false(histogram_next(y, &at_y, &d));
    }
    assert_int_equal(told->all[MEASURED_WAITS].count, 3 * RUNS);
    replications_free(added);
    replications_free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_the_stated_error),
        cmocka_unit_test(classes_are_where_the_layout_has_them),
        cmocka_unit_test(negative_lengths_count_as_none),
        cmocka_unit_test(merging_is_adding),
        cmocka_unit_test(students_t_is_as_printed),
        cmocka_unit_test(an_interval_by_hand),
        cmocka_unit_test(what_all_agree_on_has_no_interval),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(windows_double_and_lose_nothing),
        cmocka_unit_test(jains_index_of_nothing_is_not_defined),
        cmocka_unit_test(a_sample_prefers_no_part_of_the_run),
        cmocka_unit_test(a_run_that_is_told_counts_as_one_that_is_added),
        cmocka_unit_test(the_order_of_replications_does_not_matter),
        cmocka_unit_test(a_difference_is_taken_seed_by_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
