/* test_model_waiting.c - LK010 no_lost_wakeup, LK011 no_deadlock, LK013 prompt and LK020 fifo: waiters, and who gets in
 * when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

/* ---- LK010 ---- */

/* A holds, B waits and parks with `b`, perhaps C with `c`; A releases. */
static history *release_to(wake b, const char *second, wake c)
{
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    wake_of(h, "B:1", b);
    if (second) {
        asks(h, second);
        wake_of(h, second, c);
    }
    step(h);
    holds(h, PROPERTY_NO_LOST_WAKEUP);             /* not free yet */
    drops(h, "A:1");
    return h;
}

static void parked_waiter_of_a_free_lock_was_not_woken(void **state)
{
    (void)state;
    static const struct { wake b; const char *second; wake c; bool breaks; } row[] = {
        { WAKE_NEVER, NULL, 0, true }, { WAKE_TIMER, NULL, 0, false }, { WAKE_COMING, NULL, 0, false },
        { WAKE_NEVER, "C:1", WAKE_NEVER, true }, { WAKE_NEVER, "C:1", WAKE_TIMER, false },
        { WAKE_NEVER, "C:1", WAKE_COMING, false }, { WAKE_COMING, "C:1", WAKE_NEVER, false },
        { WAKE_NEVER, "B:2", WAKE_COMING, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = release_to(row[i].b, row[i].second, row[i].c);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_NO_LOST_WAKEUP);
        history_free(h);
    }
}

static void who_no_longer_waits_needs_no_wakeup(void **state)
{
    (void)state;
    for (int c = 0; c < 4; c++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        wake_of(h, "B:1", WAKE_NEVER);
        if (c == 0)
            gave_up(h, "B:1");
        else if (c == 1)
            happens(h, EVENT_CRASHED, "B:1");
        else if (c == 2)
            happens(h, EVENT_ENDED, "B:1");
        else
            h->dead[2] = true;         /* its task is gone, and nobody said why */
        step(h);
        drops(h, "A:1");
        holds(h, PROPERTY_NO_LOST_WAKEUP);
        history_free(h);
    }
}

static void newcomer_that_only_begins_to_wait_counts_as_a_waiter(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    wake_of(h, "B:1", WAKE_NEVER);
    wants(h, "C:1");                   /* it is about to ask */
    step(h);
    drops(h, "A:1");
    holds(h, PROPERTY_NO_LOST_WAKEUP);
    gave_up(h, "C:1");
    step(h);
    breaks(h, PROPERTY_NO_LOST_WAKEUP);
    history_free(h);
}

static void lock_nobody_ever_took_may_lose_a_wakeup_too(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    asks(h, "B:1");
    wake_of(h, "B:1", WAKE_NEVER);
    step(h);
    breaks(h, PROPERTY_NO_LOST_WAKEUP);
    history_free(h);
}

static void other_locks_waiters_do_not_count(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    wake_of(h, "B:1", WAKE_NEVER);
    about(h, "M");
    asks(h, "C:1");                    /* waits for M, and is runnable */
    about(h, "L");
    drops(h, "A:1");
    breaks(h, PROPERTY_NO_LOST_WAKEUP);
    history_free(h);
}

/* ---- LK011 ---- */

static void stuck_with_an_unfinished_program_is_a_deadlock(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", LEASE_NONE);
    about(h, "M");
    takes(h, "B:1", LEASE_NONE);
    asks(h, "A:1");
    about(h, "L");
    asks(h, "B:1");
    holds(h, PROPERTY_NO_DEADLOCK);
    stuck(h);
    only_breaks(h, PROPERTY_NO_DEADLOCK);
    assert_string_equal(model_violation(h->m, PROPERTY_NO_DEADLOCK)->text.p,
                        "A:1 waits for \"M\" since 0.000 s, and at 0.000 s nothing can happen any more.");
    history_free(h);
}

static void stuck_with_daemons_only_is_none(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    for (size_t i = 0; i < HISTORY_TASKS; i++)
        h->tasks[i].main = false;
    stuck(h);
    holds(h, PROPERTY_NO_DEADLOCK);
    history_free(h);
}

/* ---- LK013 ---- */

static history *prompt_within(int64_t idle_ms)
{
    model_config c = model_config_default();
    c.judged[PROPERTY_PROMPT] = true;
    c.parameter[PROPERTY_PROMPT] = idle_ms;
    return history_with(&c, SPEC_NONE);
}

static void idle_lock_is_taken_within_idle_ms(void **state)
{
    (void)state;
    for (int64_t ms = 1000; ms <= 1001; ms++) {
        history *h = prompt_within(1000);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        at(h, 50);
        drops(h, "A:1");
        at(h, 50 + ms);
        step(h);
        takes(h, "B:1", 30000);
        (ms == 1000 ? holds : breaks)(h, PROPERTY_PROMPT);
        history_free(h);
    }
}

/* The clock runs only while no client believes to hold it and a client that could act waits. */
static void clock_runs_only_while_somebody_waits_for_nobody(void **state)
{
    (void)state;
    enum { HELD, NOBODY_WAITS, PAUSED, HELD_BY_SERVER, CRASHED_HOLDER, TAKES_TURNS, CASES };
    for (int c = 0; c < CASES; c++) {
        history *h = prompt_within(1000);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        if (c == PAUSED)
            happens(h, EVENT_PAUSED, "B:1");
        if (c == CRASHED_HOLDER)
            happens(h, EVENT_CRASHED, "A:1");
        if (c != HELD && c != CRASHED_HOLDER)
            drops(h, "A:1");
        if (c == NOBODY_WAITS)
            gave_up(h, "B:1");
        if (c == HELD_BY_SERVER) {
            uint32_t n = sends(h, "B:1", "acquire", 30000);
            runs(h, n);
            put(h, "B:1", 1, 30000);
            view(h, n);
        }
        step(h);
        if (c == TAKES_TURNS) {        /* each waits shorter than idle_ms, but one always does */
            at(h, 900);
            asks(h, "C:1");
            gave_up(h, "B:1");
            step(h);
        }
        at(h, 1500);
        step(h);
        (c == CRASHED_HOLDER || c == TAKES_TURNS ? breaks : holds)(h, PROPERTY_PROMPT);
        history_free(h);
    }
}

/* Readers leave room for readers: a reader that sleeps beside them is not served promptly. */
static void reader_beside_readers_is_served_within_idle_ms(void **state)
{
    (void)state;
    static const struct { spec_kind spec; const char *held, *wanted; bool breaks; } row[] = {
        { SPEC_READ_WRITE, "read", "read", true }, { SPEC_READ_WRITE, "read", "write", false },
        { SPEC_READ_WRITE, "write", "read", false },
        { SPEC_READ_WRITE, "write", "write", false }, { SPEC_REENTRANT, "", "", false },
    };
    model_config c = model_config_default();
    c.judged[PROPERTY_PROMPT] = true;
    c.parameter[PROPERTY_PROMPT] = 1000;
    for (size_t i = 0; i < COUNT(row); i++)
        for (int64_t ms = 1000; ms <= 1001; ms++) {
            history *h = history_with(&c, row[i].spec);
            h->mode = row[i].wanted;
            wants(h, "B:1");
            step(h);
            h->mode = row[i].held;
            takes(h, "A:1", 30000);
            buf bytes = { 0 };         /* and a state that was written down goes on alike */
            model_freeze(h->m, T0, NULL, &bytes);
            model_free(h->m);
            const str names[] = { S("A"), S("B"), S("C"), S("D") };
            h->m = model_thaw(&c, names, COUNT(names), buf_str(&bytes), T0);
            buf_free(&bytes);
            at(h, ms);
            step(h);
            (row[i].breaks && ms > 1000 ? breaks : holds)(h, PROPERTY_PROMPT);
            history_free(h);
        }
}

static void waiter_that_is_stuck_is_never_prompt(void **state)
{
    (void)state;
    history *h = prompt_within(1000000);
    takes(h, "A:1", LEASE_NONE);
    asks(h, "B:1");
    happens(h, EVENT_CRASHED, "A:1");
    step(h);
    holds(h, PROPERTY_PROMPT);
    stuck(h);
    breaks(h, PROPERTY_PROMPT);
    history_free(h);
}

/* ---- LK020 ---- */

static history *overtakes_at_most(int64_t max)
{
    model_config c = model_config_default();
    c.judged[PROPERTY_FIFO] = true;
    c.parameter[PROPERTY_FIFO] = max;
    return history_with(&c, SPEC_NONE);
}

static void grants_follow_the_order_of_first_refusals(void **state)
{
    (void)state;
    static const struct { const char *first; bool breaks; } row[] = { { "B:1", false }, { "C:1", true },
                                                                      { "D:1", true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = overtakes_at_most(0);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        asks(h, "C:1");
        asks(h, "B:1");                /* asking again does not lose the place */
        drops(h, "A:1");
        takes(h, row[i].first, 30000); /* D never asked before */
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

static void each_waiter_may_be_overtaken_max_overtakes_times(void **state)
{
    (void)state;
    for (int64_t times = 0; times <= 3; times++) {
        history *h = overtakes_at_most(2);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        for (int64_t i = 0; i < times; i++) {
            drops(h, i % 2 ? "C:1" : "A:1");
            takes(h, i % 2 ? "A:1" : "C:1", 30000);
        }
        (times <= 2 ? holds : breaks)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

static void new_wait_begins_a_new_count(void **state)
{
    (void)state;
    history *h = overtakes_at_most(1);
    for (int i = 0; i < 4; i++) {
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        drops(h, "A:1");
        takes(h, "C:1", 30000);
        drops(h, "C:1");
        takes(h, "B:1", 30000);
        drops(h, "B:1");
    }
    holds(h, PROPERTY_FIFO);
    history_free(h);
}

static void re_entry_overtakes_nobody(void **state)
{
    (void)state;
    history *h = overtakes_at_most(0);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    takes(h, "A:1", 30000);
    holds(h, PROPERTY_FIFO);
    drops(h, "A:1");
    drops(h, "A:1");
    takes(h, "A:1", 30000);            /* a new turn is no re-entry */
    breaks(h, PROPERTY_FIFO);
    history_free(h);
}

static void who_leaves_the_order_is_not_overtaken(void **state)
{
    (void)state;
    static const struct { event_kind kind; bool breaks; } row[] = {
        { EVENT_GAVE_UP, false }, { EVENT_CRASHED, false }, { EVENT_INTERRUPTED, false }, { EVENT_PAUSED, true },
        { EVENT_ENDED, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = overtakes_at_most(0);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        if (row[i].kind == EVENT_GAVE_UP)
            gave_up(h, "B:1");
        else
            happens(h, row[i].kind, "B:1");
        step(h);
        drops(h, "A:1");
        takes(h, "C:1", 30000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

static void interrupted_waiter_that_goes_on_has_a_new_place(void **state)
{
    (void)state;
    static const struct { const char *first; bool breaks; } row[] = { { "C:1", false }, { "B:1", true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = overtakes_at_most(0);
        takes(h, "A:1", 30000);
        asks(h, "B:1");
        asks(h, "C:1");
        happens(h, EVENT_INTERRUPTED, "B:1");
        asks(h, "B:1");
        drops(h, "A:1");
        takes(h, row[i].first, 30000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

/* B's refusal was executed first, and its answer comes last: what counts is execution. */
static void refusals_are_ordered_by_execution_not_by_their_answers(void **state)
{
    (void)state;
    for (int tries_once = 0; tries_once < 2; tries_once++) {
        history *h = overtakes_at_most(0);
        takes(h, "A:1", 30000);
        wants(h, "B:1");
        uint32_t b = sends(h, "B:1", "acquire", 30000);
        runs(h, b);
        step(h);
        drops(h, "A:1");
        takes(h, "C:1", 30000);
        holds(h, PROPERTY_FIFO);
        answers(h, b);
        refused(h, "B:1", b);
        if (tries_once)
            gave_up(h, "B:1");         /* a try that does not wait was not overtaken */
        step(h);
        (tries_once ? holds : breaks)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

/* B was granted by execution before C, and both answers are under way: C's comes first. */
static void grants_are_ordered_by_execution_too(void **state)
{
    (void)state;
    history *h = overtakes_at_most(0);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    drops(h, "A:1");
    uint32_t b = sends(h, "B:1", "acquire", 1000);
    runs(h, b);
    put(h, "B:1", 1, 1000);
    view(h, b);
    step(h);
    at(h, 1001);
    expires(h);
    takes(h, "C:1", 1000);
    answers(h, b);
    granted(h, "B:1", b, 1000);
    step(h);
    holds(h, PROPERTY_FIFO);
    history_free(h);
}

static void readers_do_not_overtake_readers(void **state)
{
    (void)state;
    static const struct { const char *waits, *gets; bool breaks; } row[] = {
        { "read", "read", false }, { "write", "read", true }, { "read", "write", true }, { "permit", "permit", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = overtakes_at_most(0);
        h->mode = "write";
        takes(h, "A:1", 30000);
        h->mode = row[i].waits;
        asks(h, "B:1");
        h->mode = "write";
        drops(h, "A:1");
        h->mode = row[i].gets;
        takes(h, "C:1", 30000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

static void orders_of_two_locks_are_apart(void **state)
{
    (void)state;
    history *h = overtakes_at_most(0);
    takes(h, "A:1", 30000);
    asks(h, "B:1");
    about(h, "M");
    takes(h, "C:1", 30000);
    holds(h, PROPERTY_FIFO);
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parked_waiter_of_a_free_lock_was_not_woken),
        cmocka_unit_test(who_no_longer_waits_needs_no_wakeup),
        cmocka_unit_test(newcomer_that_only_begins_to_wait_counts_as_a_waiter),
        cmocka_unit_test(lock_nobody_ever_took_may_lose_a_wakeup_too),
        cmocka_unit_test(other_locks_waiters_do_not_count),
        cmocka_unit_test(stuck_with_an_unfinished_program_is_a_deadlock),
        cmocka_unit_test(stuck_with_daemons_only_is_none),
        cmocka_unit_test(idle_lock_is_taken_within_idle_ms),
        cmocka_unit_test(clock_runs_only_while_somebody_waits_for_nobody),
        cmocka_unit_test(reader_beside_readers_is_served_within_idle_ms),
        cmocka_unit_test(waiter_that_is_stuck_is_never_prompt),
        cmocka_unit_test(grants_follow_the_order_of_first_refusals),
        cmocka_unit_test(each_waiter_may_be_overtaken_max_overtakes_times),
        cmocka_unit_test(new_wait_begins_a_new_count),
        cmocka_unit_test(re_entry_overtakes_nobody),
        cmocka_unit_test(who_leaves_the_order_is_not_overtaken),
        cmocka_unit_test(interrupted_waiter_that_goes_on_has_a_new_place),
        cmocka_unit_test(refusals_are_ordered_by_execution_not_by_their_answers),
        cmocka_unit_test(grants_are_ordered_by_execution_too),
        cmocka_unit_test(readers_do_not_overtake_readers),
        cmocka_unit_test(orders_of_two_locks_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
