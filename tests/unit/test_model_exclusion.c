/* test_model_exclusion.c - LK001 mutual_exclusion and LK002 strict_mutual_exclusion: promises and beliefs that meet,
 * and only they. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

/* Property: a lease is promised through its last millisecond, and no longer.
 * How: a second owner is granted one before, at, and one after it. */
static void lease_is_promised_through_its_last_millisecond(void **state)
{
    (void)state;
    static const struct { int64_t at_ms; bool breaks; } row[] = { { 0, true }, { 999, true }, { 1000, true },
                                                                  { 1001, false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", 1000);
        at(h, row[i].at_ms);
        vacate(h);
        takes(h, "B:1", 1000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);           /* A never released */
        history_free(h);
    }
}

static void promise_counts_from_execution_not_from_the_answer(void **state)
{
    (void)state;
    for (int64_t granted_ms = 1000; granted_ms <= 1001; granted_ms++) {
        history *h = history_new(SPEC_NONE);
        wants(h, "A:1");
        uint32_t a = sends(h, "A:1", "acquire", 1000);
        runs(h, a);
        put(h, "A:1", 1, 1000);
        view(h, a);
        step(h);
        at(h, 900);
        answers(h, a);
        granted(h, "A:1", a, 1000);
        step(h);
        at(h, granted_ms);
        vacate(h);
        takes(h, "B:1", 1000);
        (granted_ms == 1000 ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Property: a grant whose lease is over before it begins is promised at no instant, and meets none; a lease of 0 ms is
 * promised for its first. It is believed in all the same.
 * How: such a grant after one that is still promised, and such a one told before the answer to an earlier request. */
static void a_lease_that_is_over_is_no_promise(void **state)
{
    (void)state;
    static const struct { int64_t lease_ms; bool breaks; } row[] = { { -5, false }, { -2, false }, { 0, true },
                                                                     { 1, true } };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int answered_late = 0; answered_late < 2; answered_late++) {
            history *h = history_new(SPEC_NONE);
            wants(h, "A:1");
            uint32_t a = sends(h, "A:1", "acquire", 1000);
            runs(h, a);
            for (int turn = 0; turn < 2; turn++)
                if (turn == answered_late) {
                    answers(h, a);
                    granted(h, "A:1", a, 1000);
                    step(h);
                } else {
                    uint32_t b = sends(h, "B:1", "acquire", 1000);
                    runs(h, b);
                    answers(h, b);
                    granted(h, "B:1", b, row[i].lease_ms);
                    step(h);
                }
            (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
            breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
            history_free(h);
        }
}

/* Property: what is told late, of a pop that another's push answered, is promised from then on: neither longer, nor to
 * the harm of a grant that came after its end. */
static void promise_of_a_wait_counts_from_what_ended_it(void **state)
{
    (void)state;
    static const struct { int64_t other_ms; bool other_first, breaks; } row[] = {
        { 200, false, true }, { 201, false, false }, { 150, true, true }, { 200, true, true }, { 201, true, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        wants(h, "A:1");
        uint32_t a = sends(h, "A:1", "acquire", 100);
        step(h);
        if (row[i].other_first) {
            at(h, row[i].other_ms);
            takes(h, "B:1", 1000);
        }
        int64_t told_ms = row[i].other_first ? 250 : 180;
        at(h, told_ms);
        runs_ago(h, a, told_ms - 100);
        answers(h, a);
        granted(h, "A:1", a, 100);
        step(h);
        if (!row[i].other_first) {
            at(h, row[i].other_ms);
            takes(h, "B:1", 1000);
        }
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Property: a release that is sent again ends one hold, not two: an owner of two that gives back one still holds. */
static void a_release_that_is_sent_again_ends_no_further_hold(void **state)
{
    (void)state;
    for (int again = 0; again < 2; again++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        takes(h, "A:1", LEASE_NONE);
        at(h, 5);
        sends(h, "A:1", "release", LEASE_NONE);
        step(h);
        emit(h, (event){ .kind = EVENT_SENT, .who = S("A:1"), .op = S("release"), .request = ++h->number,
                         .lease_ms = LEASE_NONE, .count = again });
        step(h);
        vacate(h);
        takes(h, "B:1", 1000);
        (again ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        (again ? breaks : holds)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void release_ends_the_promise_when_it_is_sent(void **state)
{
    (void)state;
    for (int sent = 0; sent < 2; sent++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        at(h, 5);
        if (sent)
            sends(h, "A:1", "release", LEASE_NONE);
        step(h);
        vacate(h);
        takes(h, "B:1", 1000);
        if (sent) {
            holds(h, PROPERTY_MUTUAL_EXCLUSION);
            holds(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        } else {
            breaks(h, PROPERTY_MUTUAL_EXCLUSION);
            breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        }
        history_free(h);
    }
}

static void nested_grants_need_as_many_releases(void **state)
{
    (void)state;
    for (int releases = 0; releases <= 3; releases++) {
        history *h = history_new(SPEC_REENTRANT);
        for (int i = 0; i < 3; i++)
            takes(h, "A:1", LEASE_NONE);
        for (int i = 0; i < releases; i++)
            drops(h, "A:1");
        if (releases == 3)
            holds(h, PROPERTY_MUTUAL_EXCLUSION);
        vacate(h);
        view_by(h, "evict");
        step(h);
        takes(h, "B:1", 1000);
        (releases < 3 ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        (releases < 3 ? breaks : holds)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* R13, H05: what the outer grant promised outlives a shorter inner one. */
static void inner_lease_does_not_shorten_the_outer_promise(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", LEASE_NONE);
    at(h, 1000);
    takes(h, "A:1", 5000);
    breaks(h, PROPERTY_LEASE_SET);
    at(h, 6001);
    expires(h);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    takes(h, "B:1", 5000);
    breaks(h, PROPERTY_MUTUAL_EXCLUSION);
    history_free(h);
}

static void inner_promise_ends_with_its_own_release(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    at(h, 500);
    takes(h, "A:1", 10000);
    drops(h, "A:1");
    at(h, 1001);
    vacate(h);
    takes(h, "B:1", 1000);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    history_free(h);
}

static void renewal_prolongs_a_lease(void **state)
{
    (void)state;
    for (int64_t at_ms = 1800; at_ms <= 1801; at_ms++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", 1000);
        at(h, 800);
        renews(h, "A:1", 1000);
        at(h, at_ms);
        vacate(h);
        takes(h, "B:1", 1000);
        (at_ms == 1800 ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void late_renewal_of_a_lost_lock_prolongs_nothing(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    at(h, 1001);
    expires(h);
    renews(h, "A:1", 1000);            /* finds nothing: the view does not change */
    takes(h, "B:1", 1000);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    history_free(h);
}

/* The holder's own process excuses: crashed, paused past the TTL, or kept from renewing. Anything else does not. */
static void only_the_holders_own_process_excuses_a_key_that_ran_out(void **state)
{
    (void)state;
    enum { NOTHING, CRASH, PAUSE, PAUSE_AND_RESUME, LOST_RENEWAL, LATE_RENEWAL, LOST_ANSWER, LOST_ACQUIRE, PAUSE_OF_B,
           CASES };
    for (int c = 0; c < CASES; c++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        at(h, 10000);
        uint32_t n;
        switch (c) {
        case CRASH: happens(h, EVENT_CRASHED, "A:1"); break;
        case PAUSE: happens(h, EVENT_PAUSED, "A:1"); break;
        case PAUSE_AND_RESUME: happens(h, EVENT_PAUSED, "A:1"); at(h, 30000); happens(h, EVENT_RESUMED, "A:1"); break;
        case LOST_RENEWAL: n = sends(h, "A:1", "renew", 30000); fault(h, "lose_request", "A:1", n); break;
        case LATE_RENEWAL: n = sends(h, "A:1", "renew", 30000); fault(h, "late_request", "A:1", n); break;
        case LOST_ANSWER: n = sends(h, "A:1", "renew", 30000); runs(h, n); fault(h, "lose_reply", "A:1", n); break;
        case LOST_ACQUIRE: n = sends(h, "A:1", "acquire", 30000); fault(h, "lose_request", "A:1", n); break;
        case PAUSE_OF_B: happens(h, EVENT_PAUSED, "B:1"); happens(h, EVENT_RESUMED, "B:1"); break;
        default: break;
        }
        step(h);
        at(h, 30001);
        expires(h);
        takes(h, "B:1", LEASE_NONE);
        bool excused = c != NOTHING && c != LOST_ACQUIRE && c != PAUSE_OF_B;
        (excused ? holds : breaks)(h, PROPERTY_MUTUAL_EXCLUSION);
        (c == CRASH ? holds : breaks)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* A has the lock since 0 with a TTL of 30 s. Renewals are sent at `sent`, lost, and given up 3 s later; then nothing
 * comes any more. */
static bool is_excused(const int64_t *sent, size_t count, const char *fault_name, int64_t renew_ms)
{
    history *h = history_new(SPEC_NONE);
    h->renew_ms = renew_ms;
    takes(h, "A:1", LEASE_NONE);
    for (size_t i = 0; i < count; i++) {
        at(h, sent[i]);
        uint32_t n = sends(h, "A:1", "renew", 30000);
        fault(h, fault_name, "A:1", n);
        step(h);
        at(h, sent[i] + 3000);
        times_out(h, n);
        step(h);
    }
    at(h, 30001);
    expires(h);
    takes(h, "B:1", LEASE_NONE);
    bool broken = model_violation(h->m, PROPERTY_MUTUAL_EXCLUSION) != NULL;
    history_free(h);
    return !broken;
}

/* Property: lost renewals excuse when, at the last time-out, less than renew_ms and one time-out were left; a third of
 * the TTL unless said. */
static void lost_renewals_excuse_if_too_little_was_left_after_the_last(void **state)
{
    (void)state;
    static const struct { int64_t sent[3]; size_t count; int64_t renew_ms; bool excused; } row[] = {
        { { 10000 }, 1, 0, false }, { { 14000 }, 1, 0, false }, { { 14001 }, 1, 0, true },
        { { 14001 }, 1, 9999, false },
        { { 10000, 13000 }, 2, 0, false }, { { 10000, 20000 }, 2, 0, true }, { { 10000, 20000 }, 2, 2000, false },
        { { 5000, 8000, 11000 }, 3, 0, false }, { { 10000, 13000, 16000 }, 3, 0, true },
        { { 10000, 13000, 24000 }, 3, 1, true },
    };
    static const char *const name[] = { "lose_request", "lose_reply", "late_request" };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(name); k++)
            assert_int_equal(is_excused(row[i].sent, row[i].count, name[k], row[i].renew_ms), row[i].excused);
}

/* Property: the same of a pause, whose end is the resume. */
static void pause_excuses_if_too_little_was_left_after_it(void **state)
{
    (void)state;
    static const struct { int64_t resumed_ms; bool excused; } row[] = { { 9000, false }, { 17000, false },
                                                                        { 17001, true }, { 30000, true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        at(h, 5000);
        happens(h, EVENT_PAUSED, "A:1");
        step(h);
        at(h, row[i].resumed_ms);
        happens(h, EVENT_RESUMED, "A:1");
        step(h);
        at(h, 30001);
        expires(h);
        takes(h, "B:1", LEASE_NONE);
        (row[i].excused ? holds : breaks)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Property: of two disturbances that overlap the last end counts. */
static void disturbance_lasts_until_its_last_part_ends(void **state)
{
    (void)state;
    for (int paused_longer = 0; paused_longer < 2; paused_longer++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        at(h, 10000);
        uint32_t n = sends(h, "A:1", "renew", 30000);
        fault(h, "lose_request", "A:1", n);
        happens(h, EVENT_PAUSED, "A:1");
        step(h);
        at(h, paused_longer ? 13000 : 11000);
        if (paused_longer)
            times_out(h, n);
        else
            happens(h, EVENT_RESUMED, "A:1");
        step(h);
        at(h, paused_longer ? 20000 : 13000);
        if (paused_longer)
            happens(h, EVENT_RESUMED, "A:1");
        else
            times_out(h, n);
        step(h);
        at(h, 30001);
        expires(h);
        takes(h, "B:1", LEASE_NONE);
        (paused_longer ? holds : breaks)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void pause_that_a_renewal_survived_is_no_excuse(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", LEASE_NONE);
    at(h, 5000);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    at(h, 9000);
    happens(h, EVENT_RESUMED, "A:1");
    step(h);
    at(h, 10000);
    renews(h, "A:1", 30000);
    at(h, 40001);
    expires(h);
    takes(h, "B:1", LEASE_NONE);
    breaks(h, PROPERTY_MUTUAL_EXCLUSION);
    history_free(h);
}

/* A fault of the store breaks a promise that was given, whatever client is paused. */
static void faults_of_the_store_are_no_excuse(void **state)
{
    (void)state;
    static const char *const name[] = { "wipe", "evict", "failover" };
    for (size_t i = 0; i < COUNT(name); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        happens(h, EVENT_PAUSED, "A:1");
        step(h);
        vacate(h);
        view_by(h, name[i]);
        step(h);
        takes(h, "B:1", LEASE_NONE);
        breaks(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Property: an idempotent mutex is asked again, and one release gives it back: no promise is left over. A reentrant
 * lock has one left. */
static void idempotent_mutex_is_given_back_at_once(void **state)
{
    (void)state;
    static const spec_kind spec[] = { SPEC_IDEMPOTENT, SPEC_REENTRANT };
    for (size_t i = 0; i < COUNT(spec); i++) {
        history *h = history_new(spec[i]);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "A:1", "acquire", 30000);
        runs(h, n);
        answers(h, n);
        granted(h, "A:1", n, 30000);
        step(h);
        drops(h, "A:1");
        vacate(h);
        view_by(h, "evict");
        step(h);
        takes(h, "B:1", 30000);
        (i == 0 ? holds : breaks)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Property: an operator, which the scenario names, takes a lock away by consent; when its request is executed, not when
 * it is sent. */
static void operator_takes_a_lock_away_by_consent(void **state)
{
    (void)state;
    enum { STRANGER, OPERATOR, NOT_EXECUTED, ANSWER_UNDER_WAY, CASES };
    for (int c = 0; c < CASES; c++) {
        model_config config = model_config_default();
        config.operators = c == STRANGER ? 0 : UINT64_C(1) << 1;       /* B */
        history *h = history_with(&config, SPEC_NONE);
        uint32_t a = 0;
        if (c == ANSWER_UNDER_WAY) {
            a = sends(h, "A:1", "acquire", 30000);
            runs(h, a);
            put(h, "A:1", 1, 30000);
            view(h, a);
            step(h);
        } else {
            takes(h, "A:1", LEASE_NONE);
        }
        uint32_t n = sends(h, "B:1", "force_release", LEASE_NONE);
        step(h);
        if (c != NOT_EXECUTED)
            runs(h, n);
        vacate(h);
        if (c == NOT_EXECUTED)
            view_by(h, "evict");
        else
            view(h, n);
        step(h);
        if (a) {
            answers(h, a);
            granted(h, "A:1", a, LEASE_NONE);
            step(h);
        }
        takes(h, "C:1", LEASE_NONE);
        (c == OPERATOR || c == ANSWER_UNDER_WAY ? holds : breaks)(h, PROPERTY_MUTUAL_EXCLUSION);
        holds(h, PROPERTY_OWNER_ONLY);
        history_free(h);
    }
}

static void force_release_ends_the_promises_of_its_own_process_only(void **state)
{
    (void)state;
    static const struct { const char *by; bool breaks; } row[] = { { "A:1", false }, { "A:2", false },
                                                                   { "B:1", true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", LEASE_NONE);
        uint32_t n = sends(h, row[i].by, "force_release", LEASE_NONE);
        runs(h, n);
        vacate(h);
        view(h, n);
        step(h);
        takes(h, "C:1", LEASE_NONE);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        holds(h, PROPERTY_OWNER_ONLY);
        history_free(h);
    }
}

static void owner_who_was_told_that_it_lost_the_lock_is_promised_nothing(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", LEASE_NONE);
    vacate(h);
    view_by(h, "evict");
    uint32_t n = sends(h, "A:1", "renew", 30000);
    step(h);
    runs_saying(h, n, "0");
    answers(h, n);
    lost(h, "A:1", n);
    step(h);
    takes(h, "B:1", LEASE_NONE);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    holds(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    history_free(h);
}

/* A's answer is late. What it was promised meets B's grant, or it had run out before. */
static void late_answer_is_compared_with_what_went_on_meanwhile(void **state)
{
    (void)state;
    static const struct { int64_t b_at_ms; bool b_released, breaks; } row[] = {
        { 500, false, true }, { 1000, false, true }, { 1001, false, false }, { 500, true, true }, { 1001, true, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        wants(h, "A:1");
        uint32_t a = sends(h, "A:1", "acquire", 1000);
        step(h);
        runs(h, a);
        put(h, "A:1", 1, 1000);
        view(h, a);
        step(h);
        at(h, row[i].b_at_ms);
        vacate(h);
        view_by(h, row[i].b_at_ms > 1000 ? "expiry" : "evict");
        step(h);
        takes(h, "B:1", 200);
        if (row[i].b_released)
            drops(h, "B:1");
        at(h, 2000);
        step(h);
        holds(h, PROPERTY_MUTUAL_EXCLUSION);
        answers(h, a);
        granted(h, "A:1", a, 1000);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* Nobody who was not told yet can renew: a watchdog lock whose first answer came after its TTL is excused. */
static void grant_without_lease_that_ran_out_before_its_answer_is_excused(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    wants(h, "A:1");
    uint32_t a = sends(h, "A:1", "acquire", 30000);
    step(h);
    runs(h, a);
    put(h, "A:1", 1, 30000);
    view(h, a);
    step(h);
    happens(h, EVENT_PAUSED, "A:1");
    step(h);
    at(h, 30001);
    expires(h);
    takes(h, "B:1", LEASE_NONE);
    happens(h, EVENT_RESUMED, "A:1");
    answers(h, a);
    granted(h, "A:1", a, LEASE_NONE);
    step(h);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    history_free(h);
}

static void request_that_nobody_waits_for_promises_nothing(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    wants(h, "A:1");
    uint32_t a = sends(h, "A:1", "acquire", 30000);
    step(h);
    at(h, 3000);
    times_out(h, a);
    gave_up(h, "A:1");
    step(h);
    runs(h, a);
    put(h, "A:1", 1, 30000);
    view(h, a);
    step(h);
    vacate(h);
    view_by(h, "evict");
    step(h);
    takes(h, "B:1", 1000);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    holds(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    history_free(h);
}

static void readers_and_permits_do_not_conflict_and_writers_do(void **state)
{
    (void)state;
    static const struct { const char *a, *b; bool breaks; } row[] = {
        { "read", "read", false }, { "read", "write", true }, { "write", "read", true }, { "write", "write", true },
        { "permit", "permit", false }, { "", "", true }, { "read", "", true }, { "permit", "", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        h->mode = row[i].a;
        takes(h, "A:1", 1000);
        h->mode = row[i].b;
        takes(h, "B:1", 1000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

/* A writer that also reads gives the write lock back first, or the read lock: what is left decides. */
static void release_says_which_of_two_modes_it_means(void **state)
{
    (void)state;
    static const struct { const char *op; bool breaks; } row[] = { { "release_write", false },
                                                                   { "release_read", true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        h->mode = "write";
        takes(h, "A:1", 1000);
        h->mode = "read";
        uint32_t n = sends(h, "A:1", "acquire_read", 1000);
        runs(h, n);
        granted(h, "A:1", n, 1000);
        step(h);
        n = sends(h, "A:1", row[i].op, 1000);
        runs(h, n);
        step(h);
        n = sends(h, "B:1", "acquire_read", 1000);
        runs(h, n);
        granted(h, "B:1", n, 1000);
        step(h);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void two_locks_are_two_affairs(void **state)
{
    (void)state;
    history *h = history_new(SPEC_MUTEX);
    takes(h, "A:1", LEASE_NONE);
    about(h, "M");
    takes(h, "B:1", LEASE_NONE);
    holds(h, PROPERTY_MUTUAL_EXCLUSION);
    holds(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    drops(h, "B:1");
    about(h, "L");
    vacate(h);
    takes(h, "B:1", LEASE_NONE);
    breaks(h, PROPERTY_MUTUAL_EXCLUSION);
    history_free(h);
}

static void two_threads_of_one_process_are_two_owners(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    vacate(h);
    takes(h, "A:2", 1000);
    breaks(h, PROPERTY_MUTUAL_EXCLUSION);
    breaks(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
    history_free(h);
}

/* A program that returned believes nothing; what a lease promised goes on, what only a release would end does not. */
static void end_of_a_program_ends_its_beliefs_but_not_its_leases(void **state)
{
    (void)state;
    static const struct { int64_t lease_ms; bool breaks; } row[] = { { 1000, true }, { LEASE_NONE, false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_NONE);
        takes(h, "A:1", row[i].lease_ms);
        happens(h, EVENT_ENDED, "A:1");
        step(h);
        at(h, 500);
        vacate(h);
        takes(h, "B:1", 1000);
        holds(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void first_violation_is_kept_with_its_event_and_instant(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    at(h, 250);
    vacate(h);
    takes(h, "B:1", 1000);
    violation first = *model_violation(h->m, PROPERTY_MUTUAL_EXCLUSION);
    at(h, 300);
    takes(h, "C:1", 1000);
    const violation *now = model_violation(h->m, PROPERTY_MUTUAL_EXCLUSION);
    assert_int_equal(now->at_ms, T0 + 250);
    assert_int_equal(now->event_number, first.event_number);
    assert_string_equal(now->text.p, "B:1 was granted \"L\" at 0.250 s, while the grant to A:1 of 0.000 s was promised "
                        "until 1.000 s.");
    history_free(h);
}

/* The acquire that takes the hold away shows only at the end of its own step. */
static void reason_names_the_request_of_the_same_step(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    uint32_t n = sends(h, "B:1", "acquire", 1000);
    runs(h, n);
    granted(h, "B:1", n, 1000);
    vacate(h);
    put(h, "B:1", 1, 1000);
    view(h, n);
    step(h);
    assert_string_equal(model_violation(h->m, PROPERTY_MUTUAL_EXCLUSION)->why.p,
                        "A:1's hold was taken away at 0.000 s by acquire of B:1.");
    assert_string_equal(model_violation(h->m, PROPERTY_STRICT_MUTUAL_EXCLUSION)->why.p,
                        "A:1's hold was taken away at 0.000 s by acquire of B:1.");
    history_free(h);
}

/* A client that deletes its own key without calling it a release keeps its promise by the model's account: the reason
 * says what is missing. */
static void reason_tells_of_an_unnamed_release(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 1000);
    uint32_t n = sends(h, "A:1", "del", 0);
    runs(h, n);
    vacate(h);
    view(h, n);
    step(h);
    takes(h, "B:1", 1000);
    assert_string_equal(model_violation(h->m, PROPERTY_MUTUAL_EXCLUSION)->why.p,
                        "A:1's own del ended its hold at 0.000 s. If that is how it unlocks, the request should say "
                        "so: { op = \"release\", lock = ... }.");
    history_free(h);
}

static void what_is_not_judged_never_breaks(void **state)
{
    (void)state;
    model_config c = { 0 };
    history *h = history_with(&c, SPEC_MUTEX);
    takes(h, "A:1", 1000);
    takes(h, "B:1", 1000);
    drops(h, "C:1");
    stuck(h);
    rest(h, 3);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        holds(h, (property)i);
    history_free(h);
}

/* Of a lock that is made of others: it is released before those are, and not by a request of its own. */
static void release_ahead_ends_the_belief(void **state)
{
    (void)state;
    for (int bits = 0; bits < 4; bits++) {
        bool ahead = bits & 1, nested = bits & 2;
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", LEASE_NONE);
        if (nested)
            takes(h, "A:1", LEASE_NONE);
        emit(h, (event){ .kind = EVENT_RELEASED, .who = S("A:1"), .request = ahead ? 0 : 1, .count = nested });
        step(h);
        vacate(h);
        takes(h, "B:1", LEASE_NONE);
        (ahead && !nested ? holds : breaks)(h, PROPERTY_STRICT_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lease_is_promised_through_its_last_millisecond),
        cmocka_unit_test(promise_counts_from_execution_not_from_the_answer),
        cmocka_unit_test(a_lease_that_is_over_is_no_promise),
        cmocka_unit_test(promise_of_a_wait_counts_from_what_ended_it),
        cmocka_unit_test(a_release_that_is_sent_again_ends_no_further_hold),
        cmocka_unit_test(release_ends_the_promise_when_it_is_sent),
        cmocka_unit_test(nested_grants_need_as_many_releases),
        cmocka_unit_test(inner_lease_does_not_shorten_the_outer_promise),
        cmocka_unit_test(inner_promise_ends_with_its_own_release),
        cmocka_unit_test(renewal_prolongs_a_lease),
        cmocka_unit_test(late_renewal_of_a_lost_lock_prolongs_nothing),
        cmocka_unit_test(only_the_holders_own_process_excuses_a_key_that_ran_out),
        cmocka_unit_test(lost_renewals_excuse_if_too_little_was_left_after_the_last),
        cmocka_unit_test(pause_excuses_if_too_little_was_left_after_it),
        cmocka_unit_test(disturbance_lasts_until_its_last_part_ends),
        cmocka_unit_test(pause_that_a_renewal_survived_is_no_excuse),
        cmocka_unit_test(faults_of_the_store_are_no_excuse),
        cmocka_unit_test(idempotent_mutex_is_given_back_at_once),
        cmocka_unit_test(operator_takes_a_lock_away_by_consent),
        cmocka_unit_test(force_release_ends_the_promises_of_its_own_process_only),
        cmocka_unit_test(owner_who_was_told_that_it_lost_the_lock_is_promised_nothing),
        cmocka_unit_test(late_answer_is_compared_with_what_went_on_meanwhile),
        cmocka_unit_test(grant_without_lease_that_ran_out_before_its_answer_is_excused),
        cmocka_unit_test(request_that_nobody_waits_for_promises_nothing),
        cmocka_unit_test(readers_and_permits_do_not_conflict_and_writers_do),
        cmocka_unit_test(release_says_which_of_two_modes_it_means),
        cmocka_unit_test(two_locks_are_two_affairs),
        cmocka_unit_test(two_threads_of_one_process_are_two_owners),
        cmocka_unit_test(end_of_a_program_ends_its_beliefs_but_not_its_leases),
        cmocka_unit_test(first_violation_is_kept_with_its_event_and_instant),
        cmocka_unit_test(reason_names_the_request_of_the_same_step),
        cmocka_unit_test(reason_tells_of_an_unnamed_release),
        cmocka_unit_test(what_is_not_judged_never_breaks),
        cmocka_unit_test(release_ahead_ends_the_belief),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
