/* test_report_simulation.c - measurements as text, JSON and data files: exact bytes of a small case, and nothing broken
 * by empty runs or hostile names. */
#include "occurrences.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include <jansson.h>

#include "report/simulation.h"

/* A holds from 0 to 10 ms, B asks at 2 and has it from 11 to 15 ms (0.5 ms more on each way).
 * Each further seed lets B wait one millisecond longer. */
static measure *small_run(uint64_t seed, int64_t later_us, int64_t end_us)
{
    measure *m = measure_new(2, seed, later_us == 0);
    begins(m, 0);
    asks(m, 0, 0);
    is_granted(m, 0, 0, 0);
    asks(m, 1, 2000);
    releases(m, 0, 10000, 10500);
    is_granted(m, 1, 11000 + later_us, 11500 + later_us);
    releases(m, 1, 15000, 15500);
    ends(m, end_us);
    return m;
}

static const str two_names[] = { { "A", 1 }, { "B", 1 } }, one_lock[] = { { "order:42", 8 } };

static simulated small_until(size_t seeds, int64_t end_us)
{
    replications *r = replications_new(seeds);
    for (size_t i = 0; i < seeds; i++)
        replications_add(r, i, small_run(i + 1, 1000 * (int64_t)i, end_us));
    return (simulated){ .path = S("my/fair.lua"), .title = S("two clients"), .workload = S("low"),
                        .name = S("fair.low"), .clients = two_names,
                        .locks = one_lock, .client_count = 2, .lock_count = 1, .threads = 1, .seed = 1, .runs = r,
                        .end_us = end_us, .folder = S("out/fair.low") };
}

static simulated small(size_t seeds)
{
    return small_until(seeds, 20000);
}

static void done(simulated *s)
{
    replications_free((replications *)(uintptr_t)s->runs);
}

static str data_of(const simulated *s, const char *name, buf *b)
{
    buf_clear(b);
    for (size_t k = 0; k < report_simulation_file_count(); k++)
        if (strcmp(report_simulation_file(k), name) == 0)
            report_simulation_data(s, k, b);
    str text = buf_str(b);
    while (str_starts(text, S("#")))
        text = str_slice(text, str_find(text, '\n', 0) + 1, text.n);
    return text;
}

static void assert_text(str found, const char *expected)
{
    if (!str_eq(found, str_from(expected)))
        fail_msg("found:\n%.*s\nexpected:\n%s", STR_ARG(found), expected);
}

static void the_data_of_a_small_run(void **state)
{
    (void)state;
    simulated s = small(1);
    buf b = { 0 };
    assert_text(data_of(&s, "waits.tsv", &b), "wait_ms\tcdf\tccdf\tcount\n0.000\t0.5\t0.5\t1\n9.500\t1\t0\t1\n");
    assert_text(data_of(&s, "handoff.tsv", &b), "handoff_ms\tcdf\tccdf\tcount\n1.000\t1\t0\t1\n");
    assert_text(data_of(&s, "overtakes.tsv", &b), "overtakes\tacquisitions\tshare\n0\t2\t1\n");
    assert_text(data_of(&s, "wait_samples.tsv", &b),
                "granted_ms\twait_ms\tclient\n0.000\t0.000\tA\n11.500\t9.500\tB\n");
    assert_text(data_of(&s, "gantt.tsv", &b),
                "client\trow\tfrom_ms\tto_ms\twhat\nA\t0\t0.000\t0.000\twait\nA\t0\t0.000\t10.000\thold\n"
                "B\t1\t2.000\t11.500\twait\nB\t1\t11.500\t15.000\thold\n");
    assert_text(data_of(&s, "jain.tsv", &b),       /* 20 windows of 1 ms, five together: grants at 0 and 11.5 ms */
                "from_ms\tto_ms\tjain\tclients\n0.000\t5.000\t0.5\t1\n5.000\t10.000\t-\t0\n10.000\t15.000\t0.5\t1\n"
                "15.000\t20.000\t-\t0\n");
    assert_true(str_starts(data_of(&s, "queue.tsv", &b),
                           S("from_ms\tto_ms\tmean\tmax\n0.000\t1.000\t0\t0\n"
                              "1.000\t2.000\t0\t0\n2.000\t3.000\t1\t1\n")));
    assert_text(data_of(&s, "faults.tsv", &b), "from_ms\tto_ms\twhat\tclient\n");
    assert_text(data_of(&s, "clients.tsv", &b),
                "client\tgrants\tshare\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\t"
                "q_min\tq1\tmedian\tq3\tq_max\tovertaken_mean\tovertaken_longest\thold_mean_ms\n"
                "A\t1\t0.5\t0\t0\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0.000\t0\t0\t10\n"
                "B\t1\t0.5\t0\t9.5\t9.500\t9.500\t9.500\t9.500\t9.500\t9.500\t9.500\t9.500\t9.500\t0\t0\t3.5\n");
    assert_text(data_of(&s, "locks.tsv", &b),
                "lock\tgrants\ttimeouts\twait_mean_ms\twait_p50_ms\twait_p90_ms\twait_p99_ms\twait_max_ms\t"
                "handoff_mean_ms\thandoff_p99_ms\tbusy_percent\tidle_percent\thold_mean_ms\tqueue_mean\n"
                "order:42\t2\t0\t4.75\t0.000\t9.500\t9.500\t9.500\t1\t1.000\t70\t5\t6.75\t0.475\n");
    buf_free(&b);
    done(&s);
}

/* 22 windows of 1 ms, five together: a rest of two would be called unfair for its length alone. */
static void jains_index_has_whole_windows_only(void **state)
{
    (void)state;
    simulated s = small_until(1, 22000);
    buf b = { 0 };
    assert_text(data_of(&s, "jain.tsv", &b),
                "from_ms\tto_ms\tjain\tclients\n0.000\t5.000\t0.5\t1\n5.000\t10.000\t-\t0\n10.000\t15.000\t0.5\t1\n"
                "15.000\t20.000\t-\t0\n");
    buf_free(&b);
    done(&s);
}

/* Waits of B over three seeds: 9.5, 10.5, 11.5 ms, A's 0: means 4.75, 5.25, 5.75; t(2) = 4.3027, half width 4.3027 *
 * 0.5 / sqrt(3) = 1.2421. */
static void the_summary_has_intervals_from_two_seeds_on(void **state)
{
    (void)state;
    simulated s = small(3);
    buf b = { 0 };
    str text = data_of(&s, "summary.tsv", &b);
    assert_non_null(strstr(text.p, "\nwait_mean\tms\t5.25\t4.00793\t6.49207\t3\n"));
    assert_non_null(strstr(text.p, "\nacquisitions\t-\t2\t2\t2\t3\n"));
    assert_non_null(strstr(text.p, "\ntimeout_wait\tms\t-\t-\t-\t0\n"));
    done(&s);
    s = small(1);
    text = data_of(&s, "summary.tsv", &b);
    assert_non_null(strstr(text.p, "\nwait_mean\tms\t4.75\t-\t-\t1\n"));
    buf_free(&b);
    done(&s);
}

static void text_and_json_say_the_same_numbers(void **state)
{
    (void)state;
    simulated s = small(3);
    report_style style = { .program = "locksim" };
    buf b = { 0 };
    report_simulation_text(&s, &style, &b);
    static const char *const told[] = {
        "MEASURED  my/fair.lua  low   two clients\n", "mean 5.2 ±1.2 ", "3 seeds, 1 to 3", "with 2 degrees of freedom",
        "worst B: mean wait 9.50 ms", "wrote         out/fair.low/", "next          locksim plot out/fair.low\n",
    };
    for (size_t i = 0; i < COUNT(told); i++)
        if (!strstr(b.p, told[i]))
            fail_msg("no \"%s\" in:\n%s", told[i], b.p);
    buf_clear(&b);
    report_simulation_json(&s, 1, 0, &b);
    json_error_t where;
    json_t *document = json_loads(b.p, 0, &where);
    assert_non_null(document);
    json_t *one = json_array_get(json_object_get(document, "simulations"), 0);
    json_t *mean = json_object_get(json_object_get(one, "metrics"), "wait_mean");
    assert_near(json_real_value(json_object_get(mean, "value")), 5.25, 1e-9);
    assert_near(json_real_value(json_object_get(mean, "low")), 4.00793, 1e-5);
    assert_int_equal(json_array_size(json_object_get(mean, "seeds")), 3);
    assert_int_equal(json_object_size(json_object_get(one, "metrics")), METRIC_COUNT);
    json_decref(document);
    buf_free(&b);
    done(&s);
    s = small(1);
    report_simulation_text(&s, &style, &b);
    assert_non_null(strstr(b.p, "one seed: no interval"));
    assert_null(strstr(b.p, "\xc2\xb1"));
    buf_free(&b);
    done(&s);
}

/* No client acquires, nothing was measured, or the names are hostile: the output is whole. */
static void nothing_is_ever_not_a_number(void **state)
{
    static const str hostile[] = { { "a\tb\n\x1b[31m", 9 }, { "\xff\"&<", 4 } };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        replications *r = replications_new(2);
        for (uint64_t i = 0; i < 2 && kind < 3; i++) {
            measure *m = measure_new(2, i, i == 0);
            if (kind > 0)
                begins(m, 0);
            if (kind > 1)
                asks(m, 1, 5);
            measure_end(m, kind == 1 ? 0 : 1000);
            replications_add(r, i, m);
        }
        simulated s = { .path = hostile[0], .title = hostile[1], .workload = hostile[0], .name = S("x"),
                        .clients = hostile, .locks = hostile,
                        .client_count = 2, .lock_count = 1, .threads = 1, .runs = r, .end_us = kind == 1 ? 0 : 1000 };
        buf b = { 0 };
        for (size_t k = 0; k < report_simulation_file_count(); k++)
            report_simulation_data(&s, k, &b);
        report_simulation_text(&s, &(report_style){ .program = "locksim" }, &b);
        report_simulation_comparison((simulated[]){ s, s }, 2, &(report_style){ .color = true }, &b);
        report_simulation_json(&s, 1, 3, &b);
        assert_null(strstr(b.p, "nan"));
        assert_null(strstr(b.p, "inf\t"));
        assert_non_null(strstr(b.p, "EMPTY"));
        assert_null(strstr(b.p, "a\tb"));
        assert_null(memchr(b.p, 0xff, b.n));
        buf_free(&b);
        replications_free(r);
    }
}

static void a_failure_says_what_and_where(void **state)
{
    (void)state;
    err e = { 0 };
    buf b = { 0 };
    err_at(&e, ERR_DRIVER, S("my/fair.lua"), 3, 7, "nil has no such field");
    simulated s = { .path = S("my/fair.lua"), .title = S("t"), .ending = SIMULATED_FAILED, .error = &e };
    report_simulation_text(&s, &(report_style){ .program = "locksim" }, &b);
    assert_non_null(strstr(b.p, "ERROR  my/fair.lua"));
    assert_non_null(strstr(b.p, "my/fair.lua:3:7:"));
    report_simulation_json(&s, 1, 4, &b);
    report_simulation_comparison((simulated[]){ s, s }, 2, &(report_style){ 0 }, &b);
    assert_non_null(strstr(b.p, "\"line\": 3"));
    buf_free(&b);
    err_clear(&e);
}

/* Rows of one workload stand side by side, in the order of the files; what only one has is left out. */
static void a_comparison_for_each_workload_that_several_share(void **state)
{
    (void)state;
    simulated all[3] = { small(2), small(1), small(1) };
    buf b = { 0 };
    all[1].path = S("my/unfair.lua");
    all[2].workload = S("high");
    report_simulation_comparison(all, 3, &(report_style){ 0 }, &b);
    assert_true(str_starts(buf_str(&b), S("  low")));
    assert_non_null(strstr(b.p, "fair              unfair\n"));
    assert_non_null(strstr(b.p, "  wait mean, ms"));
    assert_null(strstr(b.p, "high"));
    assert_null(strstr(b.p, "an acquisition is of one"));
    static const str three_locks[] = { { "a", 1 }, { "b", 1 }, { "c", 1 } };
    all[1].locks = three_locks;
    all[1].lock_count = 3;
    report_simulation_comparison(all, 3, &(report_style){ 0 }, &b);
    assert_non_null(strstr(b.p, "  unfair: 3 locks, and an acquisition is of one of them\n"));
    buf_free(&b);
    for (size_t i = 0; i < 3; i++)
        done(&all[i]);
}

/* Property: however many classes there are, the distribution has some hundred rows, rises to 1, and counts all. */
static void a_distribution_stays_small(void **state)
{
    enum { WAITS = 20000 };
    (void)state;
    measure *m = measure_new(1, 1, true);
    begins(m, 0);
    int64_t at = 0;
    for (int64_t i = 1; i <= WAITS; i++) {
        asks(m, 0, at);
        at += i * i;
        is_granted(m, 0, at, at);
        releases(m, 0, at, at);
    }
    ends(m, at);
    replications *r = replications_new(1);
    replications_add(r, 0, m);
    simulated s = { .path = S("x.lua"), .clients = two_names, .client_count = 1, .runs = r, .end_us = at };
    buf b = { 0 };
    str text = data_of(&s, "waits.tsv", &b);
    uint64_t rows = 0, all = 0;
    double before = 0, cdf = 0;
    for (const char *p = strchr(text.p, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
        double wait_ms, ccdf;
        unsigned long count;
        assert_int_equal(sscanf(p, "%lf\t%lf\t%lf\t%lu\n", &wait_ms, &cdf, &ccdf, &count), 4);
        assert_true(cdf > before);
        assert_near(cdf + ccdf, 1, 1e-6);
        before = cdf;
        all += count;
        rows++;
    }
    assert_int_equal(all, WAITS);
    assert_near(cdf, 1, 0);
    assert_true(rows > 100 && rows < 2500);
    buf_free(&b);
    replications_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_data_of_a_small_run),
        cmocka_unit_test(jains_index_has_whole_windows_only),
        cmocka_unit_test(the_summary_has_intervals_from_two_seeds_on),
        cmocka_unit_test(text_and_json_say_the_same_numbers),
        cmocka_unit_test(nothing_is_ever_not_a_number),
        cmocka_unit_test(a_failure_says_what_and_where),
        cmocka_unit_test(a_comparison_for_each_workload_that_several_share),
        cmocka_unit_test(a_distribution_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
