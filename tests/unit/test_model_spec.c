/* test_model_spec.c - LK040 matches_spec: the reference specifications, what drivers announce, and what is left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"

typedef enum { GRANTED, REFUSED, RELEASED, LOST } told;

/* One step: `who` runs `op` and is told so; the store was set by the caller beforehand through `h` if `changed`. */
static void told_at_once(history *h, const char *who, const char *op, told t, int64_t count, bool changed)
{
    uint32_t n = sends(h, who, op, 30000);
    runs(h, n);
    answers(h, n);
    switch (t) {
    case GRANTED: granted_count(h, who, n, 30000, count); break;
    case REFUSED: refused(h, who, n); break;
    case RELEASED: released(h, who, n, count); break;
    case LOST: lost(h, who, n); break;
    }
    if (changed)
        view(h, n);
    step(h);
}

/* Property: each lock tells the truth, whoever asks and whoever holds.
 * How: A holds `held` times; `who` runs `op`, the store does what the specification says, and every answer is tried. */
static void each_operation_has_one_true_answer(void **state)
{
    (void)state;
    static const struct { spec_kind spec; int64_t held; const char *who, *op; int64_t after_a, after_b; told truth; } row[] = {
        { SPEC_MUTEX, 0, "B:1", "acquire", 0, 1, GRANTED },     { SPEC_MUTEX, 1, "B:1", "acquire", 1, 0, REFUSED },
        { SPEC_MUTEX, 1, "A:1", "acquire", 1, 0, REFUSED },     { SPEC_MUTEX, 1, "A:1", "release", 0, 0, RELEASED },
        { SPEC_MUTEX, 1, "B:1", "release", 1, 0, LOST },        { SPEC_MUTEX, 0, "A:1", "release", 0, 0, LOST },
        { SPEC_REENTRANT, 0, "B:1", "acquire", 0, 1, GRANTED }, { SPEC_REENTRANT, 1, "B:1", "acquire", 1, 0, REFUSED },
        { SPEC_REENTRANT, 1, "A:1", "acquire", 2, 0, GRANTED }, { SPEC_REENTRANT, 2, "A:1", "release", 1, 0, RELEASED },
        { SPEC_REENTRANT, 1, "A:1", "release", 0, 0, RELEASED },{ SPEC_REENTRANT, 1, "B:1", "release", 1, 0, LOST },
        { SPEC_REENTRANT, 1, "A:2", "release", 1, 0, LOST },    { SPEC_REENTRANT, 0, "B:1", "unlock", 0, 0, LOST },
        { SPEC_FAIR, 0, "B:1", "try_once", 0, 1, GRANTED },     { SPEC_FAIR, 1, "A:1", "acquire", 2, 0, GRANTED },
        { SPEC_FAIR, 1, "B:1", "try_once", 1, 0, REFUSED },     { SPEC_FAIR, 0, "A:1", "release", 0, 0, LOST },
        { SPEC_REENTRANT, 2, "B:1", "force_release", 0, 0, RELEASED },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (told t = GRANTED; t <= LOST; t++) {
            bool fits = (row[i].truth <= REFUSED) == (t <= REFUSED);
            if (!fits)
                continue;              /* an acquire is not released */
            history *h = history_new(row[i].spec);
            for (int64_t k = 0; k < row[i].held; k++)
                takes(h, "A:1", 30000);
            bool changed = row[i].after_a != row[i].held || row[i].after_b;
            put(h, "A:1", row[i].after_a, 30000);
            if (row[i].after_b)
                put(h, "B:1", row[i].after_b, 30000);
            told_at_once(h, row[i].who, row[i].op, t, 0, changed);
            (t == row[i].truth ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
            history_free(h);
        }
}

static void renewal_may_not_say_lost_to_the_holder(void **state)
{
    (void)state;
    static const struct { const char *who; bool breaks; } row[] = { { "A:1", true }, { "B:1", false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_MUTEX);
        takes(h, "A:1", 30000);
        told_at_once(h, row[i].who, "renew", LOST, 0, false);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

static void lie_that_comes_in_a_later_step_is_found_too(void **state)
{
    (void)state;
    for (int truth = 0; truth < 2; truth++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "B:1", "acquire", 30000);
        step(h);
        runs(h, n);
        step(h);
        at(h, 50);
        drops(h, "A:1");               /* free by now; what counts is when it ran */
        answers(h, n);
        if (truth)
            refused(h, "B:1", n);
        else
            granted(h, "B:1", n, 30000);
        step(h);
        (truth ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

static void counts_that_are_announced_are_compared(void **state)
{
    (void)state;
    for (int64_t said = 0; said <= 3; said++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        put(h, "A:1", 2, 30000);
        told_at_once(h, "A:1", "acquire", GRANTED, said, true);
        (said == 0 || said == 2 ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);       /* 0: not said */
        history_free(h);
        h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        put(h, "A:1", 0, 30000);
        told_at_once(h, "A:1", "release", RELEASED, said, true);
        (said == 0 ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

/* R30: a lock that has vanished is "released" with success. */
static void release_of_a_vanished_lock_is_no_success(void **state)
{
    (void)state;
    history *h = history_new(SPEC_FAIR);
    takes(h, "A:1", 1000);
    at(h, 1001);
    expires(h);
    told_at_once(h, "A:1", "release", RELEASED, 0, false);
    only_breaks(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

/* R27: an interrupted wait returns as if it had acquired. */
static void grant_that_no_request_gave_is_a_lie(void **state)
{
    (void)state;
    for (int subscribed = 0; subscribed < 2; subscribed++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", LEASE_NONE);
        uint32_t n = asks(h, "B:1");
        if (subscribed) {
            n = sends(h, "B:1", "subscribe", LEASE_NONE);
            runs(h, n);
            answers(h, n);
            step(h);
        }
        at(h, 100);
        happens(h, EVENT_INTERRUPTED, "B:1");
        granted(h, "B:1", subscribed ? n : 0, LEASE_NONE);
        step(h);
        if (!subscribed)
            breaks(h, PROPERTY_MATCHES_SPEC);
        breaks(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void own_words_for_requests_are_believed_when_the_view_agrees(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++) {
        history *h = history_new(SPEC_MUTEX);
        uint32_t n = sends(h, "A:1", "set", LEASE_NONE);
        runs(h, n);
        granted(h, "A:1", n, 30000);
        if (held)
            put(h, "A:1", 1, 30000);
        view(h, n);
        step(h);
        (held ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

static void request_must_not_touch_what_others_hold(void **state)
{
    (void)state;
    static const char *const op[] = { "acquire", "release", "renew", "abandon" };
    for (size_t i = 0; i < COUNT(op); i++) {
        history *h = history_new(SPEC_REENTRANT);
        takes(h, "A:1", 30000);
        uint32_t n = sends(h, "B:1", op[i], 30000);
        runs(h, n);
        put(h, "A:1", 2, 30000);
        view(h, n);
        step(h);
        breaks(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

/* ---- the fair lock ---- */

/* A holds if `held`; the queue is `before`; `who` runs `op`, and store and queue become `holder` and `after`. */
static history *fair(bool held, const char *before, const char *who, const char *op, const char *holder, const char *after)
{
    history *h = history_new(SPEC_FAIR);
    if (held)
        takes(h, "A:1", 30000);
    queue(h, before);
    view_by(h, "set up");
    step(h);
    uint32_t n = sends(h, who, op, 30000);
    runs(h, n);
    vacate(h);
    if (*holder)
        put(h, holder, 1, 30000);
    queue(h, after);
    view(h, n);
    step(h);
    return h;
}

static void fair_lock_serves_its_queue_in_order(void **state)
{
    (void)state;
    static const struct { bool held; const char *before, *who, *op, *holder, *after; bool breaks; } row[] = {
        /* free: the head is served, or whoever is left when slots timed out from the head on */
        { false, "B:1 C:1", "B:1", "acquire", "B:1", "C:1", false },
        { false, "B:1 C:1", "C:1", "acquire", "C:1", "", false },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "", false },
        { false, "", "D:1", "acquire", "D:1", "", false },
        { false, "B:1 C:1", "C:1", "acquire", "C:1", "B:1", true },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "C:1", true },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "B:1 C:1", true },
        /* free, and refused: somebody is ahead */
        { false, "B:1", "C:1", "acquire", "", "B:1 C:1", false },
        { false, "B:1 C:1", "C:1", "acquire", "", "B:1 C:1", false },
        { false, "B:1", "C:1", "try_once", "", "B:1", false },
        { false, "B:1", "B:1", "acquire", "", "B:1", true },
        { false, "", "C:1", "acquire", "", "C:1", true },
        { false, "B:1", "C:1", "acquire", "", "C:1", true },            /* R05: popped the live ones, and queued itself */
        { false, "", "C:1", "try_once", "", "", true },
        /* held: refused, at the tail */
        { true, "", "B:1", "acquire", "A:1", "B:1", false },
        { true, "B:1", "C:1", "acquire", "A:1", "B:1 C:1", false },
        { true, "B:1 C:1", "D:1", "acquire", "A:1", "C:1 D:1", false }, /* B's slot timed out */
        { true, "B:1", "C:1", "acquire", "A:1", "C:1 B:1", true },
        { true, "B:1 C:1", "C:1", "acquire", "A:1", "C:1 B:1", true },
        { true, "B:1 C:1", "B:1", "acquire", "A:1", "C:1 B:1", false }, /* its own slot timed out: it enters again */
        { true, "B:1 C:1", "B:1", "acquire", "A:1", "B:1 C:1", false },
        { true, "B:1 C:1", "D:1", "acquire", "A:1", "B:1 D:1", true },  /* from the middle */
        { true, "B:1", "B:1", "acquire", "A:1", "B:1 B:1", true },
        { true, "B:1", "C:1", "try_once", "A:1", "B:1 D:1", true },
        /* release, abandon, renew */
        { true, "B:1 C:1", "A:1", "release", "", "B:1 C:1", false },
        { true, "B:1 C:1", "A:1", "release", "", "C:1", false },
        { true, "B:1 C:1", "A:1", "release", "", "B:1", true },
        { true, "B:1 C:1 D:1", "C:1", "abandon", "A:1", "B:1 D:1", false },
        { true, "B:1 C:1 D:1", "C:1", "abandon", "A:1", "B:1 C:1", true },
        { true, "B:1 C:1", "C:1", "abandon", "A:1", "B:1 C:1", true },
        { true, "B:1 C:1", "D:1", "abandon", "A:1", "B:1 C:1", false },
        { true, "B:1 C:1", "A:1", "renew", "A:1", "C:1 B:1", true },
        { true, "B:1 C:1", "D:1", "force_release", "", "B:1 C:1", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = fair(row[i].held, row[i].before, row[i].who, row[i].op, row[i].holder, row[i].after);
        const violation *v = model_violation(h->m, PROPERTY_MATCHES_SPEC);
        if (row[i].breaks != (v != NULL))
            fail_msg("row %zu: %.*s", i, v ? (int)v->text.n : 0, v ? v->text.p : "");
        if (v)
            breaks(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

static void unknown_words_and_unnamed_locks_are_not_judged(void **state)
{
    (void)state;
    history *h = history_new(SPEC_NONE);
    takes(h, "A:1", 30000);
    told_at_once(h, "B:1", "acquire", GRANTED, 7, false);
    holds(h, PROPERTY_MATCHES_SPEC);
    holds(h, PROPERTY_REENTRANCY);
    history_free(h);
    h = history_new(SPEC_MUTEX);
    takes(h, "A:1", 30000);
    uint32_t n = sends(h, "A:1", "expire", LEASE_NONE);
    runs(h, n);
    vacate(h);
    view(h, n);
    step(h);
    holds(h, PROPERTY_MATCHES_SPEC);
    history_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_one_true_answer),
        cmocka_unit_test(renewal_may_not_say_lost_to_the_holder),
        cmocka_unit_test(lie_that_comes_in_a_later_step_is_found_too),
        cmocka_unit_test(counts_that_are_announced_are_compared),
        cmocka_unit_test(release_of_a_vanished_lock_is_no_success),
        cmocka_unit_test(grant_that_no_request_gave_is_a_lie),
        cmocka_unit_test(own_words_for_requests_are_believed_when_the_view_agrees),
        cmocka_unit_test(request_must_not_touch_what_others_hold),
        cmocka_unit_test(fair_lock_serves_its_queue_in_order),
        cmocka_unit_test(unknown_words_and_unnamed_locks_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
