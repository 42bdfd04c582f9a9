/* test_model_rules.c - LK003 owner_only, LK004 reentrancy and LK005 fencing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

/* ---- LK003 ---- */

/* `who` runs `op`, and the store of A:1 (count 2, 30000 ms) is left with `count` and `ttl_ms` (0: as it was). */
static history *meddle(const char *who, const char *op, int64_t count, int64_t ttl_ms)
{
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    takes(h, "A:1", 30000);
    at(h, 10);
    uint32_t n = sends(h, who, op, 30000);
    runs(h, n);
    if (count == 0)
        vacate(h);
    else
        put(h, "A:1", count, ttl_ms ? ttl_ms : 30000 - 10);
    view(h, n);
    step(h);
    return h;
}

static void nobody_but_the_owner_touches_a_hold(void **state)
{
    (void)state;
    static const struct { const char *who, *op; int64_t count, ttl_ms; bool breaks; } row[] = {
        { "B:1", "release", 0, 0, true }, { "B:1", "release", 1, 0, true }, { "B:1", "release", 2, 40000, true },
        { "B:1", "release", 2, 5, true }, { "B:1", "release", 2, 0, false }, { "A:1", "release", 0, 0, false },
        { "A:1", "release", 1, 500, false }, { "B:1", "renew", 2, 40000, true }, { "B:1", "renew", 2, 5, true },
        { "B:1", "renew", 0, 0, true }, { "A:1", "renew", 2, 40000, false }, { "A:2", "renew", 2, 40000, false },
        { "A:2", "release", 1, 0, true }, { "B:1", "abandon", 0, 0, true }, { "B:1", "force_release", 0, 0, false },
        { "B:1", "acquire", 2, 5, true }, { "B:1", "acquire", 2, 40000, false }, { "B:1", "acquire", 0, 0, true },
        { "B:1", "unlink", 0, 0, true }, { "B:1", "unlink", 2, -1, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = meddle(row[i].who, row[i].op, row[i].count, row[i].ttl_ms);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_OWNER_ONLY);
        history_free(h);
    }
}

/* G2: A's lease ended, B holds, A deletes the key. The expiry itself is nobody's doing. */
static void late_release_that_frees_the_next_holders_lock_is_found(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    at(h, 1001);
    expires(h);
    takes(h, "B:1", 1000);
    at(h, 1500);
    happens(h, EVENT_RESUMED, "A:1");
    step(h);
    holds(h, PROPERTY_OWNER_ONLY);
    uint32_t n = sends(h, "A:1", "release", LEASE_NONE);
    runs(h, n);
    vacate(h);
    view(h, n);
    step(h);
    breaks(h, PROPERTY_OWNER_ONLY);
    history_free(h);
}

static void owner_may_take_over_a_lease_that_is_over(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    at(h, 1001);                       /* no event told of the expiry */
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    runs(h, n);
    vacate(h);
    put(h, "B:1", 1, 1000);
    view(h, n);
    step(h);
    holds(h, PROPERTY_OWNER_ONLY);
    history_free(h);
}

static void reader_may_reduce_a_shared_ttl_but_not_another_readers_hold(void **state)
{
    (void)state;
    for (int takes_away = 0; takes_away < 2; takes_away++) {
        history *h = history_new(SPEC_NONE);
        h->mode = "read";
        takes(h, "A:1", 30000);
        takes(h, "B:1", 60000);
        uint32_t n = sends(h, "B:1", "release_read", LEASE_NONE);
        runs(h, n);
        put_mode(h, "B:1", 0, "read", 30000);
        if (takes_away)
            vacate(h);
        view(h, n);
        step(h);
        (takes_away ? breaks : holds)(h, PROPERTY_OWNER_ONLY);
        history_free(h);
    }
}

static void faults_are_nobodys_meddling(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    vacate(h);
    view_by(h, "evict");
    step(h);
    holds(h, PROPERTY_OWNER_ONLY);
    history_free(h);
}

/* ---- LK004 ---- */

static void owner_re_enters_at_once(void **state)
{
    (void)state;
    static const struct { spec_kind spec; const char *who; bool breaks; } row[] = {
        { SPEC_REENTRANT, "A:1", true }, { SPEC_FAIR, "A:1", true }, { SPEC_MUTEX, "A:1", false },
        { SPEC_NONE, "A:1", false },
        { SPEC_REENTRANT, "A:2", false }, { SPEC_REENTRANT, "B:1", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(row[i].spec);
        takes(h, "A:1", 30000);
        if (row[i].spec == SPEC_FAIR && row[i].who[0] != 'A')
            queue(h, row[i].who);
        asks(h, row[i].who);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
}

static void holder_whose_lease_is_over_may_be_refused(void **state)
{
    (void)state;
    history *h = history_new(SPEC_REENTRANT);
    takes(h, "A:1", 1000);
    at(h, 1001);
    expires(h);
    uint32_t b = takes(h, "B:1", 1000);
    (void)b;
    asks(h, "A:1");
    holds(h, PROPERTY_REENTRANCY);
    holds(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

/* Counts that the store may be left with after the n-th acquire and after each release: one is right. */
static void hold_count_follows_acquires_and_releases(void **state)
{
    (void)state;
    for (int64_t count = 0; count <= 4; count++)
        for (int release = 0; release < 2; release++) {
            history *h = history_new(SPEC_REENTRANT);
            takes(h, "A:1", 30000);
            takes(h, "A:1", 30000);
            uint32_t n = sends(h, "A:1", release ? "release" : "acquire", 30000);
            runs(h, n);
            put(h, "A:1", count, 30000);
            view(h, n);
            step(h);
            (count == (release ? 1 : 3) ? holds : breaks)(h, PROPERTY_REENTRANCY);
            (count == (release ? 1 : 3) ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
            history_free(h);
        }
}

static void lock_is_free_exactly_when_the_last_hold_goes(void **state)
{
    (void)state;
    for (int64_t left = 0; left < 2; left++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "A:1", "release", 30000);
        runs(h, n);
        if (left == 0)
            put(h, "A:1", 0, 30000);
        view(h, n);
        step(h);
        (left == 0 ? holds : breaks)(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
}

/* A request that ran without changing the view is judged as well: no view comes. */
static void release_that_does_nothing_is_found_without_a_view(void **state)
{
    (void)state;
    history *h = history_new(SPEC_REENTRANT);
    takes(h, "A:1", 30000);
    uint32_t n = sends(h, "A:1", "release", 30000);
    runs(h, n);
    step(h);
    breaks(h, PROPERTY_REENTRANCY);
    history_free(h);
}

static void expiry_and_faults_between_are_taken_as_they_are(void **state)
{
    (void)state;
    static const char *const cause[] = { "expiry", "evict", "failover" };
    for (size_t i = 0; i < COUNT(cause); i++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        takes(h, "A:1", 30000);
        at(h, 30001);
        vacate(h);
        view_by(h, cause[i]);
        step(h);
        takes(h, "A:1", 30000);        /* count 1 */
        drops(h, "A:1");
        holds(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
}

/* The network repeats a request, or a client sends it again after a time-out: it may count twice, or once (a latch). */
static void repeated_request_may_count_once_or_twice(void **state)
{
    (void)state;
    static const struct { bool resent; int64_t count; bool breaks; } row[] = {
        { false, 3, false }, { false, 2, false }, { false, 1, true }, { true, 3, false }, { true, 2, false },
        { true, 1, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "A:1", "acquire", 30000);
        if (!row[i].resent)
            fault(h, "duplicate", "A:1", n);
        step(h);
        runs(h, n);
        put(h, "A:1", 2, 30000);
        view(h, n);
        step(h);
        if (row[i].resent) {
            times_out(h, n);
            n = sends(h, "A:1", "acquire", 30000);
            step(h);
        } else {
            answers(h, n);
            granted(h, "A:1", n, 30000);
            step(h);
        }
        runs(h, n);
        put(h, "A:1", row[i].count, 30000);
        view(h, n);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MATCHES_SPEC);
        holds(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
}

/* Of a doubled request the copy that changed something decides; where none did, the one that is answered: here the
 * first is refused while another holds, and the second is granted when that one has gone. */
static void answer_is_that_of_the_request_and_not_of_its_copy(void **state)
{
    (void)state;
    for (int copy_first = 0; copy_first <= 1; copy_first++)
        for (int told = 0; told <= 1; told++) {
            history *h = history_new(SPEC_REENTRANT);
            takes(h, "A:1", 30000);
            wants(h, "B:1");
            uint32_t n = sends(h, "B:1", "acquire", 30000);
            fault(h, "duplicate", "B:1", n);
            step(h);
            (copy_first ? runs_as_copy : runs)(h, n);
            step(h);
            drops(h, "A:1");
            (copy_first ? runs : runs_as_copy)(h, n);
            put(h, "B:1", 1, 30000);
            view(h, n);
            step(h);
            answers(h, n);
            if (told)
                granted(h, "B:1", n, 30000);
            else
                refused(h, "B:1", n);
            step(h);
            (copy_first == told ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
            if (copy_first || !told)
                holds(h, PROPERTY_MUTUAL_EXCLUSION);
            history_free(h);
        }
}

/* An answer that nobody waits for comes between that of an acquire and the words of its task: the grant counts from the
 * acquire still. */
static void answer_between_does_not_hide_the_grant(void **state)
{
    (void)state;
    history *h = history_new(SPEC_REENTRANT);
    wants(h, "A:1");
    uint32_t clean = sends(h, "A:1", "clear_latch", -1);
    step(h);
    uint32_t n = sends(h, "A:1", "acquire", 10000);
    step(h);
    runs(h, n);
    put(h, "A:1", 1, 10000);
    view(h, n);
    answers(h, n);
    step(h);
    runs(h, clean);
    answers(h, clean);
    step(h);
    at(h, 1);
    granted(h, "A:1", n, 10000);
    step(h);
    holds(h, PROPERTY_LEASE_SET);      /* promised until 10.000 s, not a millisecond longer */
    holds(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

/* A copy that got the lock is the grant, though its owner's own request came later and was refused: as one request they
 * granted it. */
static void copy_that_was_granted_is_the_grant(void **state)
{
    (void)state;
    history *h = history_new(SPEC_MUTEX);
    wants(h, "A:1");
    uint32_t n = sends(h, "A:1", "acquire", 30000);
    fault(h, "duplicate", "A:1", n);
    step(h);
    runs_as_copy(h, n);
    put(h, "A:1", 1, 30000);
    view(h, n);
    step(h);
    runs(h, n);
    step(h);
    answers(h, n);
    refused(h, "A:1", n);
    step(h);
    only_breaks(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

static void late_request_counts_when_it_is_executed(void **state)
{
    (void)state;
    for (int64_t count = 1; count <= 2; count++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "A:1", "acquire", 30000);
        fault(h, "late_request", "A:1", n);
        step(h);
        at(h, 3000);
        times_out(h, n);
        gave_up(h, "A:1");
        step(h);
        runs(h, n);
        put(h, "A:1", count, 30000);
        view(h, n);
        step(h);
        (count == 2 ? holds : breaks)(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
}

static void script_that_failed_is_not_held_to_counts(void **state)
{
    (void)state;
    history *h = history_new(SPEC_REENTRANT);
    takes(h, "A:1", 30000);
    uint32_t n = sends(h, "A:1", "release", 30000);
    runs_saying(h, n, "error: NOSCRIPT No matching script. Please use EVAL.");
    step(h);
    holds(h, PROPERTY_REENTRANCY);
    holds(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

/* ---- LK005 ---- */

static uint32_t takes_with(history *h, const char *who, int64_t token)
{
    h->token = token;
    uint32_t n = takes(h, who, 30000);
    h->token = 0;
    return n;
}

static void tokens_strictly_increase_from_holder_to_holder(void **state)
{
    (void)state;
    static const struct { const char *next; int64_t token; bool breaks; } row[] = {
        { "B:1", 8, false }, { "B:1", 7, true }, { "B:1", 6, true }, { "B:1", 0, true },
        { "A:1", 7, false }, { "A:1", 8, false }, { "A:1", 6, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes_with(h, "A:1", 7);
        drops(h, "A:1");
        takes_with(h, row[i].next, row[i].token);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FENCING);
        history_free(h);
    }
}

/* A's request ran before B's, and its answer comes after B's. */
static void tokens_are_compared_in_the_order_of_execution(void **state)
{
    (void)state;
    static const struct { int64_t a; bool breaks; } row[] = { { 7, false }, { 8, true }, { 9, true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        uint32_t n = sends(h, "A:1", "acquire", 1000);
        runs(h, n);
        step(h);
        at(h, 1001);
        takes_with(h, "B:1", 8);
        answers(h, n);
        h->token = row[i].a;
        granted(h, "A:1", n, 1000);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FENCING);
        history_free(h);
    }
}

/* G3: A is paused beyond its lease, B works, A wakes up and writes. */
static void resource_accepts_nothing_stale(void **state)
{
    (void)state;
    static const struct { int64_t a, b; bool with, breaks; } row[] = {
        { 1, 2, true, false }, { 1, 2, false, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes_with(h, "A:1", row[i].a);
        happens(h, EVENT_PAUSED, "A:1");
        at(h, 30001);
        expires(h);
        takes_with(h, "B:1", row[i].b);
        uses(h, "B:1", row[i].with ? row[i].b : 0);
        happens(h, EVENT_RESUMED, "A:1");
        holds(h, PROPERTY_FENCING);
        uses(h, "A:1", row[i].with ? row[i].a : 0);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FENCING);
        history_free(h);
    }
}

static void resource_may_be_used_in_turns_without_tokens(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    static const char *const turn[] = { "A:1", "B:1", "A:1", "A:1", "C:1" };
    for (size_t i = 0; i < COUNT(turn); i++) {
        takes(h, turn[i], 1000);
        uses(h, turn[i], 0);
        uses(h, turn[i], 0);
        drops(h, turn[i]);
    }
    holds(h, PROPERTY_FENCING);
    uses(h, "B:1", 0);                 /* its turn is long over */
    breaks(h, PROPERTY_FENCING);
    history_free(h);
}

/* Property: a callback may still say what an acquire or a release was answered when the task that sent it has ended,
 * and is held to it. Of any other request such a task says nothing any more: a grant that names it is promised from
 * then on. */
static void what_is_said_after_a_task_has_ended(void **state)
{
    (void)state;
    static const struct { const char *op; bool lies; } row[] = { { "release", true }, { "force_release", true },
                                                                 { "acquire", true }, { "set", false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_MUTEX);
        put(h, "B:1", 1, 30000);
        view_by(h, "failover");
        step(h);
        uint32_t n = sends(h, "A:1", row[i].op, 1000);
        runs(h, n);
        if (i == 1) {
            vacate(h);
            view(h, n);
        }
        answers(h, n);
        step(h);
        happens(h, EVENT_ENDED, "A:1");
        step(h);
        holds(h, PROPERTY_MATCHES_SPEC);
        if (i == 0)
            released(h, "A:1", n, 0);
        else if (i == 1)
            lost(h, "A:1", n);
        else
            granted(h, "A:1", n, 1000);
        if (row[i].lies)
            breaks(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
    history *h = history_new(SPEC_NONE);
    uint32_t n = sends(h, "A:1", "set", 1000);
    runs(h, n);
    answers(h, n);
    happens(h, EVENT_ENDED, "A:1");
    step(h);
    at(h, 500);
    takes(h, "B:1", 50);
    at(h, 600);
    granted(h, "A:1", n, 1000);
    step(h);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_said_after_a_task_has_ended),
        cmocka_unit_test(nobody_but_the_owner_touches_a_hold),
        cmocka_unit_test(late_release_that_frees_the_next_holders_lock_is_found),
        cmocka_unit_test(owner_may_take_over_a_lease_that_is_over),
        cmocka_unit_test(reader_may_reduce_a_shared_ttl_but_not_another_readers_hold),
        cmocka_unit_test(faults_are_nobodys_meddling),
        cmocka_unit_test(owner_re_enters_at_once),
        cmocka_unit_test(holder_whose_lease_is_over_may_be_refused),
        cmocka_unit_test(hold_count_follows_acquires_and_releases),
        cmocka_unit_test(lock_is_free_exactly_when_the_last_hold_goes),
        cmocka_unit_test(release_that_does_nothing_is_found_without_a_view),
        cmocka_unit_test(expiry_and_faults_between_are_taken_as_they_are),
        cmocka_unit_test(repeated_request_may_count_once_or_twice),
        cmocka_unit_test(answer_is_that_of_the_request_and_not_of_its_copy),
        cmocka_unit_test(answer_between_does_not_hide_the_grant),
        cmocka_unit_test(copy_that_was_granted_is_the_grant),
        cmocka_unit_test(late_request_counts_when_it_is_executed),
        cmocka_unit_test(script_that_failed_is_not_held_to_counts),
        cmocka_unit_test(tokens_strictly_increase_from_holder_to_holder),
        cmocka_unit_test(tokens_are_compared_in_the_order_of_execution),
        cmocka_unit_test(resource_accepts_nothing_stale),
        cmocka_unit_test(resource_may_be_used_in_turns_without_tokens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
