/* test_timeline.c - a log's timeline: its bins hold every moment of every hold and wait, whatever the log's length, and
 * its windows what was around a finding. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "trace/timeline.h"

static const int64_t BEGIN_US = INT64_C(1700000000000000);

typedef struct { timeline *x; arena *a; size_t line; int64_t at_us; } bench;

static int bench_open(void **state)
{
    bench *b = test_calloc(1, sizeof *b);
    *b = (bench){ .x = timeline_new(), .a = arena_new(), .at_us = BEGIN_US };
    *state = b;
    return 0;
}

static int bench_close(void **state)
{
    bench *b = *state;
    timeline_free(b->x);
    arena_free(b->a);
    test_free(b);
    return 0;
}

static void says(bench *b, told_kind kind, str lock, uint32_t task, uint32_t count)
{
    static const char names[] = "abcdefghijklmnopqrstuvwxyz";
    timeline_take(b->x, &(told){ .kind = kind, .at_us = b->at_us, .task = task, .name = lock, .line = ++b->line,
                                 .who = { .p = names + task % 26, .n = 1 }, .count = count, .seen_us = b->at_us });
}

static void finds(bench *b, str lock, size_t since)
{
    timeline_found(b->x, &(finding){ .kind = FOUND_OVERRUN, .lock = lock, .at_us = b->at_us, .line = b->line,
                                     .since = since, .text = S(""), .why = S("") });
}

/* Property: the bins of a row hold as much as its holds and waits are long, and those of all locks the sum, in logs of
 * seconds and of years.
 * How: random histories of three locks, each moment counted by hand; each bin at most as long as it is wide. */
static void bins_hold_every_moment(void **state)
{
    bench *b = *state;
    rng r = rng_new(5, 1);
    int64_t held[3] = { 0 }, waited[3] = { 0 };
    int what[3] = { 0 };                           /* 0 nothing, 1 waits, 2 holds */
    const str locks[3] = { S("x"), S("y"), S("z") };
    for (int step = 0; step < 4000; step++) {
        int64_t pause_us = (int64_t)rng_below(&r, step < 3000 ? 2000 : UINT64_C(90000000000));
        for (int l = 0; l < 3; l++) {
            held[l] += what[l] == 2 ? pause_us : 0;
            waited[l] += what[l] == 1 ? pause_us : 0;
        }
        b->at_us += pause_us;
        size_t l = rng_below(&r, 3);
        says(b, what[l] == 0 ? TOLD_ASKED : what[l] == 1 ? TOLD_GRANTED : TOLD_RELEASED, locks[l], 0, what[l] == 1);
        what[l] = (what[l] + 1) % 3;
    }
    timeline_told t = timeline_end(b->x, b->a, BEGIN_US, b->at_us);
    assert_int_equal(t.row_count, 3);
    assert_true(t.bin_count <= TIMELINE_BINS && t.bin_count > TIMELINE_BINS / 2);
    for (size_t i = 0; i < t.row_count; i++) {
        const timeline_row *row = t.rows[i];
        size_t l = row->lock.p[0] - 'x';
        int64_t in_bins = 0, waits = 0;
        for (size_t k = 0; k < TIMELINE_BINS; k++) {
            assert_true(row->bins[k].held_us + row->bins[k].waited_us <= t.bin_us);
            in_bins += row->bins[k].held_us;
            waits += row->bins[k].waited_us;
        }
        assert_int_equal(in_bins, held[l]);
        assert_int_equal(waits, waited[l]);
        assert_int_equal(row->held_us, held[l]);
    }
    int64_t all = 0;
    for (size_t k = 0; k < TIMELINE_BINS; k++)
        all += t.all->bins[k].held_us;
    assert_int_equal(all, held[0] + held[1] + held[2]);
}

/* Property: whose lease was found to have ended is in the window from its grant on, however many came in between; then
 * so many more, and who goes on. */
static void a_window_begins_where_it_began(void **state)
{
    bench *b = *state;
    says(b, TOLD_GRANTED, S("x"), 25, 1);
    size_t since = b->line;
    b->at_us += 1000;
    says(b, TOLD_LOST, S("x"), 25, 0);
    for (uint32_t i = 0; i < 20; i++) {
        says(b, TOLD_GRANTED, S("x"), i, 1);
        b->at_us += 1000;
        says(b, TOLD_RELEASED, S("x"), i, 0);
    }
    says(b, TOLD_GRANTED, S("x"), 24, 1);
    finds(b, S("x"), since);
    for (uint32_t i = 0; i < TIMELINE_AFTER + 5; i++) {
        says(b, TOLD_ASKED, S("x"), i, 0);
        b->at_us += 1000;
        says(b, TOLD_GAVE_UP, S("x"), i, 0);
    }
    timeline_told t = timeline_end(b->x, b->a, BEGIN_US, b->at_us);
    assert_int_equal(t.window_count, 1);
    const timeline_window *w = &t.windows[0];
    assert_int_equal(w->span_count, 21 + TIMELINE_AFTER + 1);
    assert_int_equal(w->spans[0].from_line, since);
    assert_int_equal(w->spans[0].end, SPAN_LOST);
    assert_int_equal(w->from_us, BEGIN_US);
    assert_int_equal(w->spans[w->span_count - 1].who[0], 'y');
    assert_int_equal(w->spans[w->span_count - 1].end, SPAN_OPEN);
    assert_int_equal(w->to_us, BEGIN_US + (21 + TIMELINE_AFTER) * 1000);
}

/* Property: a hold that is re-entered, and given back once, goes on; without `since` a window has the last few. */
static void a_hold_ends_with_its_last_release(void **state)
{
    bench *b = *state;
    for (uint32_t i = 0; i < 2 * TIMELINE_BEFORE; i++) {
        says(b, TOLD_GRANTED, S("x"), 1, 1);
        says(b, TOLD_GRANTED, S("x"), 1, 2);
        b->at_us += 500;
        says(b, TOLD_RELEASED, S("x"), 1, 1);
        b->at_us += 500;
        says(b, TOLD_RELEASED, S("x"), 1, 0);
    }
    finds(b, S("x"), 0);
    timeline_told t = timeline_end(b->x, b->a, BEGIN_US, b->at_us);
    assert_int_equal(t.rows[0]->held_us, 2 * TIMELINE_BEFORE * 1000);
    assert_int_equal(t.rows[0]->grants, 2 * TIMELINE_BEFORE);
    assert_int_equal(t.windows[0].span_count, TIMELINE_BEFORE);
}

/* Property: memory is that of so many locks, and of so many windows; those with findings stay, and nobody who holds is
 * forgotten. */
static void locks_make_room_but_those_that_matter(void **state)
{
    bench *b = *state;
    arena *names = arena_new();
    says(b, TOLD_GRANTED, S("held"), 0, 1);
    says(b, TOLD_GRANTED, S("found"), 0, 1);
    finds(b, S("found"), 0);
    says(b, TOLD_RELEASED, S("found"), 0, 0);
    finds(b, S("found, too"), 0);
    finds(b, S("found third"), 0);
    finds(b, S("found once"), 0);                  /* and has no window */
    for (uint32_t i = 0; i < 3 * TIMELINE_LANES_MAX; i++) {
        str name = arena_printf(names, "order:%u", i);
        says(b, TOLD_GRANTED, name, 0, 1);
        b->at_us += 10;
        if (i % 2)
            finds(b, S("found"), 0);
        says(b, TOLD_RELEASED, name, 0, 0);
    }
    timeline_told t = timeline_end(b->x, b->a, BEGIN_US, b->at_us);
    size_t kept = 0;
    for (size_t i = 0; i < t.row_count; i++)
        kept += str_eq(t.rows[i]->lock, S("held")) || str_eq(t.rows[i]->lock, S("found once"));
    assert_int_equal(kept, 2);
    assert_true(str_starts(t.rows[0]->lock, S("found")));
    assert_int_equal(t.row_count, TIMELINE_LANES_MAX);
    assert_int_equal(t.forgotten, 3 * TIMELINE_LANES_MAX + 5 - TIMELINE_LANES_MAX);
    assert_true(t.window_count >= 1 && t.window_count <= TIMELINE_WINDOWS_EACH);
    uint64_t shown = 0;
    for (size_t i = 0; i < t.window_count; i++)
        shown += t.windows[i].mark_count;
    assert_int_equal(shown + t.windows_left_out, t.all->found);
    arena_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bins_hold_every_moment, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(a_window_begins_where_it_began, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(a_hold_ends_with_its_last_release, bench_open, bench_close),
        cmocka_unit_test_setup_teardown(locks_make_room_but_those_that_matter, bench_open, bench_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
