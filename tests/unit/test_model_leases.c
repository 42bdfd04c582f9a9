/* test_model_leases.c - LK030 no_leak, LK031 lease_set, LK050 script_health, LK051 no_busy_wait, and what is reported
 * from outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "history.h"

/* ---- LK030 ---- */

static void nothing_may_be_left_at_rest(void **state)
{
    (void)state;
    enum { NOTHING, HOLDER, QUEUED, LATCH, SUBSCRIBED, CASES };
    for (int c = 0; c < CASES; c++) {
        history *h = history_new(SPEC_NONE);
        str key = S("latch:{L}:1");
        lock_holder holder = { .id = S("A:1"), .count = 1 };
        str queued = S("B:1");
        lock_view v = { .lock = S("L"), .ttl_ms = c == HOLDER ? TTL_NONE : TTL_NO_KEY, .holders = &holder,
                        .queue = &queued,
                        .keys = &key, .holder_count = c == HOLDER, .queue_count = c == QUEUED,
                        .key_count = c == LATCH };
        emit(h, (event){ .kind = EVENT_REST, .view = &v, .subscriptions = c == SUBSCRIBED ? 2 : 0 });
        (c == NOTHING ? holds : breaks)(h, PROPERTY_NO_LEAK);
        history_free(h);
    }
}

static void rest_without_any_lock_counts_subscriptions(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    emit(h, (event){ .kind = EVENT_REST, .subscriptions = 0 });
    holds(h, PROPERTY_NO_LEAK);
    emit(h, (event){ .kind = EVENT_REST, .subscriptions = 1 });
    only_breaks(h, PROPERTY_NO_LEAK);
    assert_string_equal(model_violation(h->m, PROPERTY_NO_LEAK)->text.p,
                        "At rest, at 0.000 s, 1 subscription of live processes is left.");
    history_free(h);
}

/* ---- LK031 ---- */

/* A asks for `asked` ms, is granted `lease`, and the key gets `ttl_ms`. */
static history *acquire_with(int64_t asked, int64_t lease, int64_t ttl_ms)
{
    history *h = history_new(SPEC_NONE);
    uint32_t n = sends(h, "A:1", "acquire", asked);
    runs(h, n);
    answers(h, n);
    granted(h, "A:1", n, lease);
    put(h, "A:1", 1, ttl_ms);
    view(h, n);
    step(h);
    return h;
}

static void held_key_has_the_ttl_that_was_asked_for(void **state)
{
    (void)state;
    static const struct { int64_t asked, lease, ttl_ms; bool breaks; } row[] = {
        { 30000, LEASE_NONE, 30000, false }, { 30000, LEASE_NONE, -1, true }, { 30000, LEASE_NONE, 30001, true },
        { 30000, LEASE_NONE, 29999, true }, { 1000, 1000, 1000, false }, { 1000, 1000, 1001, true },
        { 1000, 1000, 999, true },
        { LEASE_NONE, LEASE_NONE, 5000, false }, { LEASE_NONE, LEASE_NONE, -1, true }, { LEASE_NONE, 1000, 999, true },
        { LEASE_NONE, 1000, 5000, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = acquire_with(row[i].asked, row[i].lease, row[i].ttl_ms);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_LEASE_SET);
        history_free(h);
    }
}

static void re_entry_and_partial_release_do_not_shorten_what_was_promised(void **state)
{
    (void)state;
    static const struct { const char *op; int64_t count, ttl_ms; bool breaks; } row[] = {
        { "acquire", 2, 60000, false }, { "acquire", 2, 59000, false }, { "acquire", 2, 58999, true },
        { "release", 1, 60000, false }, { "release", 1, 1000, true }, { "release", 0, 0, false },
        { "renew", 2, 30000, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", 60000);
        takes(h, "A:1", 60000);
        at(h, 1000);
        uint32_t n = sends(h, "A:1", row[i].op, 60000);
        runs(h, n);
        put(h, "A:1", row[i].count, row[i].ttl_ms);
        view(h, n);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_LEASE_SET);
        history_free(h);
    }
}

/* R16: a reader with a short lease shortens every reader's key. */
static void short_reader_does_not_shorten_the_others(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    h->mode = "read";
    takes(h, "A:1", 60000);
    takes(h, "B:1", 1000);
    breaks(h, PROPERTY_LEASE_SET);
    history_free(h);
}

static void released_hold_promises_no_ttl(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    h->mode = "read";
    takes(h, "A:1", 60000);
    sends(h, "A:1", "release_read", LEASE_NONE);
    takes(h, "B:1", 1000);
    holds(h, PROPERTY_LEASE_SET);
    history_free(h);
}

static void late_answer_is_held_against_the_key_that_is_there(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    uint32_t n = sends(h, "A:1", "acquire", LEASE_NONE);
    runs(h, n);
    put(h, "A:1", 1, 500);
    view(h, n);
    step(h);
    holds(h, PROPERTY_LEASE_SET);
    at(h, 100);
    answers(h, n);
    granted(h, "A:1", n, 1000);
    step(h);
    breaks(h, PROPERTY_LEASE_SET);
    history_free(h);
}

static void what_a_fault_did_is_not_blamed_on_the_script(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    at(h, 1000);
    put(h, "A:1", 1, 10);              /* an older state, after a failover */
    view_by(h, "failover");
    step(h);
    put(h, "A:1", 1, -1);
    view_by(h, "failover");
    step(h);
    holds(h, PROPERTY_LEASE_SET);
    history_free(h);
}

static void permits_have_no_key_ttl(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    uint32_t n = sends(h, "A:1", "acquire", 1000);
    runs(h, n);
    h->mode = "permit";
    granted(h, "A:1", n, 1000);
    put_mode(h, "A:1", 1, "permit", -1);
    view(h, n);
    step(h);
    holds(h, PROPERTY_LEASE_SET);
    history_free(h);
}

/* ---- LK050 and LK051 ---- */

static void every_finding_of_the_script_host_breaks_script_health(void **state)
{
    (void)state;
    static const struct { const char *op, *says; } row[] = {
        { "error", "A script failed" }, { "undeclared_key", "did not declare" }, { "cross_slot", "cluster slots" },
        { "leaked_global", "global variable" }, { "budget", "budget" }, { "crash", "could not be run" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        at(h, 1234);
        emit(h, (event){ .kind = EVENT_FINDING, .who = S("A:1"), .op = str_from(row[i].op),
                         .text = S("attempt to compare nil.\n"), .path = S("acquire.lua"), .line = 7 });
        only_breaks(h, PROPERTY_SCRIPT_HEALTH);
        const violation *v = model_violation(h->m, PROPERTY_SCRIPT_HEALTH);
        assert_non_null(strstr(v->text.p, row[i].says));
        assert_non_null(strstr(v->text.p, "1.234 s"));
        assert_non_null(strstr(v->text.p, "acquire.lua:7"));
        bool of_a_cluster = str_eq(str_from(row[i].op), S("cross_slot")) ||
                            str_eq(str_from(row[i].op), S("undeclared_key"));
        assert_int_equal(strstr(v->why.p, "Cluster") != NULL, of_a_cluster);
        history_free(h);
    }
}

static void polling_in_zero_time_breaks_no_busy_wait(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    emit(h, (event){ .kind = EVENT_BUSY, .who = S("C:1"), .op = S("acquire"), .text = S("driver.lua"), .line = 3 });
    only_breaks(h, PROPERTY_NO_BUSY_WAIT);
    assert_int_equal(model_violation(h->m, PROPERTY_NO_BUSY_WAIT)->event_number, 1);
    history_free(h);
}

static void reports_from_outside_are_kept_and_the_first_one_stays(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    model_report(h->m, PROPERTY_ALWAYS, T0 + 5, S("the view is wrong."), S("count is 3."));
    model_report(h->m, PROPERTY_ALWAYS, T0 + 6, S("again."), S(""));
    model_report(h->m, PROPERTY_BOUNDED_WAIT, T0 + 7, S("B:1 may wait for ever."), S(""));
    const violation *v = model_violation(h->m, PROPERTY_ALWAYS);
    assert_int_equal(v->at_ms, T0 + 5);
    assert_string_equal(v->text.p, "the view is wrong.");
    assert_string_equal(v->why.p, "count is 3.");
    assert_non_null(model_violation(h->m, PROPERTY_BOUNDED_WAIT));
    assert_null(model_violation(h->m, PROPERTY_IDEMPOTENT));
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_may_be_left_at_rest),
        cmocka_unit_test(rest_without_any_lock_counts_subscriptions),
        cmocka_unit_test(held_key_has_the_ttl_that_was_asked_for),
        cmocka_unit_test(re_entry_and_partial_release_do_not_shorten_what_was_promised),
        cmocka_unit_test(short_reader_does_not_shorten_the_others),
        cmocka_unit_test(released_hold_promises_no_ttl),
        cmocka_unit_test(late_answer_is_held_against_the_key_that_is_there),
        cmocka_unit_test(what_a_fault_did_is_not_blamed_on_the_script),
        cmocka_unit_test(permits_have_no_key_ttl),
        cmocka_unit_test(every_finding_of_the_script_host_breaks_script_health),
        cmocka_unit_test(polling_in_zero_time_breaks_no_busy_wait),
        cmocka_unit_test(reports_from_outside_are_kept_and_the_first_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
