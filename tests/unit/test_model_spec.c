/* test_model_spec.c - LK040 matches_spec: the reference specifications, what drivers announce, and what is left
 * behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Property: each lock tells the truth, whatever the client and whatever the holder.
 * How: A holds `held` times; `who` runs `op`, the store does what the specification says, and every answer is tried. */
static void each_operation_has_one_true_answer(void **state)
{
    (void)state;
    static const struct { spec_kind spec; int64_t held; const char *who, *op; int64_t after_a,
                          after_b; told truth; } row[] = {
        { SPEC_MUTEX, 0, "B:1", "acquire", 0, 1, GRANTED },     { SPEC_MUTEX, 1, "B:1", "acquire", 1, 0, REFUSED },
        { SPEC_MUTEX, 1, "A:1", "acquire", 1, 0, REFUSED },     { SPEC_MUTEX, 1, "A:1", "release", 0, 0, RELEASED },
        { SPEC_MUTEX, 1, "B:1", "release", 1, 0, LOST },        { SPEC_MUTEX, 0, "A:1", "release", 0, 0, LOST },
        { SPEC_IDEMPOTENT, 1, "A:1", "acquire", 1, 0, GRANTED },{ SPEC_IDEMPOTENT, 1, "B:1", "acquire", 1, 0, REFUSED },
        { SPEC_IDEMPOTENT, 0, "A:1", "acquire", 1, 0, GRANTED },
        { SPEC_IDEMPOTENT, 1, "A:1", "release", 0, 0, RELEASED },
        { SPEC_IDEMPOTENT, 1, "B:1", "release", 1, 0, LOST },
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
static history *fair(bool held, const char *before, const char *who, const char *op, const char *holder,
                     const char *after)
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
        /* free: the head is served, or the first left when slots timed out from the head on */
        { false, "B:1 C:1", "B:1", "acquire", "B:1", "C:1", false },
        { false, "B:1 C:1", "C:1", "acquire", "C:1", "", false },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "", false },
        { false, "", "D:1", "acquire", "D:1", "", false },
        { false, "B:1 C:1", "C:1", "acquire", "C:1", "B:1", true },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "C:1", true },
        { false, "B:1 C:1", "D:1", "acquire", "D:1", "B:1 C:1", true },
        /* free, and refused: a waiter is ahead */
        { false, "B:1", "C:1", "acquire", "", "B:1 C:1", false },
        { false, "B:1 C:1", "C:1", "acquire", "", "B:1 C:1", false },
        { false, "B:1", "C:1", "try_once", "", "B:1", false },
        { false, "B:1", "B:1", "acquire", "", "B:1", true },
        { false, "", "C:1", "acquire", "", "C:1", true },
        { false, "B:1", "C:1", "acquire", "", "C:1", true },    /* R05: popped the live ones, and queued itself */
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

/* ---- the read-write lock ---- */

typedef struct { int64_t read, write; } sides;

static void put_sides(history *h, const char *who, sides s)
{
    put_mode(h, who, s.read, "read", 30000);
    put_mode(h, who, s.write, "write", 30000);
}

/* A and B hold `a` and `b`; `who` runs `op`, is told `t`, and the store holds `after_a` and `after_b`. */
static history *shared(sides a, sides b, const char *who, const char *op, told t, sides after_a, sides after_b)
{
    history *h = history_new(SPEC_READ_WRITE);
    put_sides(h, "A:1", a);
    put_sides(h, "B:1", b);
    view_by(h, "set up");
    step(h);
    put_sides(h, "A:1", after_a);
    put_sides(h, "B:1", after_b);
    told_at_once(h, who, op, t, 0, true);
    return h;
}

static const struct { sides a, b; const char *who, *op; told t; sides after_a, after_b; } read_write[] = {
    /* free: either side */
    { { 0, 0 }, { 0, 0 }, "A:1", "acquire_read", GRANTED, { 1, 0 }, { 0, 0 } },
    { { 0, 0 }, { 0, 0 }, "A:1", "acquire_write", GRANTED, { 0, 1 }, { 0, 0 } },
    { { 0, 0 }, { 0, 0 }, "A:1", "acquire", GRANTED, { 0, 1 }, { 0, 0 } },
    /* readers share */
    { { 1, 0 }, { 0, 0 }, "A:1", "acquire_read", GRANTED, { 2, 0 }, { 0, 0 } },
    { { 1, 0 }, { 0, 0 }, "B:1", "acquire_read", GRANTED, { 1, 0 }, { 1, 0 } },
    { { 2, 0 }, { 1, 0 }, "B:1", "acquire_read", GRANTED, { 2, 0 }, { 2, 0 } },
    /* no reader becomes a writer, alone or not */
    { { 1, 0 }, { 0, 0 }, "A:1", "acquire_write", REFUSED, { 1, 0 }, { 0, 0 } },
    { { 1, 0 }, { 0, 0 }, "B:1", "acquire_write", REFUSED, { 1, 0 }, { 0, 0 } },
    { { 1, 0 }, { 1, 0 }, "B:1", "acquire_write", REFUSED, { 1, 0 }, { 1, 0 } },
    /* a writer re-enters on both sides, and lets nobody in */
    { { 0, 1 }, { 0, 0 }, "A:1", "acquire_write", GRANTED, { 0, 2 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "A:1", "acquire_read", GRANTED, { 1, 1 }, { 0, 0 } },
    { { 1, 1 }, { 0, 0 }, "A:1", "acquire_write", GRANTED, { 1, 2 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "B:1", "acquire_read", REFUSED, { 0, 1 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "B:1", "acquire_write", REFUSED, { 0, 1 }, { 0, 0 } },
    { { 1, 1 }, { 0, 0 }, "B:1", "acquire_read", REFUSED, { 1, 1 }, { 0, 0 } },
    /* each side is given back by itself */
    { { 1, 0 }, { 1, 0 }, "A:1", "release_read", RELEASED, { 0, 0 }, { 1, 0 } },
    { { 1, 1 }, { 0, 0 }, "A:1", "release_read", RELEASED, { 0, 1 }, { 0, 0 } },
    { { 1, 1 }, { 0, 0 }, "A:1", "release_write", RELEASED, { 1, 0 }, { 0, 0 } },
    { { 1, 0 }, { 0, 0 }, "A:1", "release_write", LOST, { 1, 0 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "A:1", "release_read", LOST, { 0, 1 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "B:1", "release_write", LOST, { 0, 1 }, { 0, 0 } },
    { { 0, 0 }, { 0, 0 }, "A:1", "release_read", LOST, { 0, 0 }, { 0, 0 } },
    { { 0, 1 }, { 0, 0 }, "B:1", "force_release_write", RELEASED, { 0, 0 }, { 0, 0 } },
    { { 2, 0 }, { 1, 0 }, "B:1", "force_release_read", RELEASED, { 0, 0 }, { 0, 0 } },
};

static void each_side_of_a_read_write_lock_has_one_true_answer(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(read_write); i++)
        for (told t = GRANTED; t <= LOST; t++) {
            told truth = read_write[i].t;
            if ((truth <= REFUSED) != (t <= REFUSED))
                continue;
            history *h = shared(read_write[i].a, read_write[i].b, read_write[i].who, read_write[i].op, t,
                                read_write[i].after_a, read_write[i].after_b);
            const violation *v = model_violation(h->m, PROPERTY_MATCHES_SPEC);
            if ((t != truth) != (v != NULL))
                fail_msg("row %zu told %d: %.*s", i, (int)t, v ? (int)v->text.n : 0, v ? v->text.p : "");
            history_free(h);
        }
}

/* Property: there is one right state afterwards.
 * How: each of the four counts is made one too many, and one too few. */
static void what_a_read_write_lock_leaves_is_bound_on_both_sides(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(read_write); i++)
        for (int wrong = 0; wrong < 8; wrong++) {
            sides after[2] = { read_write[i].after_a, read_write[i].after_b };
            int64_t *count = wrong & 1 ? &after[wrong >> 2].read : &after[wrong >> 2].write;
            *count += wrong & 2 ? 1 : -1;
            bool lapsed = *count == 0 && (wrong & 1) && strcmp(read_write[i].who, wrong >> 2 ? "B:1" : "A:1") != 0 &&
                          strstr(read_write[i].op, "release") == read_write[i].op;
            if (*count < 0 || lapsed)
                continue;
            history *h = shared(read_write[i].a, read_write[i].b, read_write[i].who, read_write[i].op, read_write[i].t,
                                after[0], after[1]);
            if (!model_violation(h->m, PROPERTY_MATCHES_SPEC))
                fail_msg("row %zu with count %d wrong holds", i, wrong);
            history_free(h);
        }
}

/* R19: a dead reader's hold goes with the release of another. R17: so does that of a live one, and that is another's to
 * judge. */
static void reader_who_outstayed_his_lease_may_be_dropped(void **state)
{
    (void)state;
    static const struct { const char *op; int64_t at_ms; property broken; } row[] = {
        { "release_read", 1001, PROPERTY_COUNT }, { "release_read", 1000, PROPERTY_OWNER_ONLY },
        { "acquire_read", 1001, PROPERTY_MATCHES_SPEC }, { "renew_read", 1001, PROPERTY_MATCHES_SPEC },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_READ_WRITE);
        h->mode = "read";
        static const char *const reader[] = { "A:1", "B:1" };
        for (size_t k = 0; k < COUNT(reader); k++) {
            uint32_t n = sends(h, reader[k], "acquire_read", k ? 30000 : 1000);
            runs(h, n);
            answers(h, n);
            granted_count(h, reader[k], n, k ? 30000 : 1000, 1);
            put_mode(h, reader[k], 1, "read", 30000);
            view(h, n);
            step(h);
        }
        at(h, row[i].at_ms);
        uint32_t n = sends(h, "B:1", row[i].op, 30000);
        runs(h, n);
        put_mode(h, "A:1", 0, "read", 30000);
        put_mode(h, "B:1", i < 2 ? 0 : i == 2 ? 2 : 1, "read", 30000);
        view(h, n);
        step(h);
        if (row[i].broken == PROPERTY_COUNT) {
            holds(h, PROPERTY_MATCHES_SPEC);
            holds(h, PROPERTY_OWNER_ONLY);
        } else {
            breaks(h, row[i].broken);
        }
        history_free(h);
    }
}

/* A hold that changes sides is none: the sums are right, the sides are not. */
static void hold_may_not_change_sides(void **state)
{
    (void)state;
    history *h = shared((sides){ 1, 1 }, (sides){ 0, 0 }, "A:1", "release_read", RELEASED, (sides){ 1, 0 },
                        (sides){ 0, 0 });
    breaks(h, PROPERTY_MATCHES_SPEC);
    holds(h, PROPERTY_REENTRANCY);
    history_free(h);
}

/* R11: the writer that wants to read too waits for itself. A reader that wants to write does so by design. */
static void writer_is_not_refused_as_a_reader(void **state)
{
    (void)state;
    static const struct { sides a; const char *op; bool breaks; } row[] = {
        { { 0, 1 }, "acquire_read", true }, { { 1, 0 }, "acquire_read", true }, { { 0, 1 }, "acquire_write", true },
        { { 1, 0 }, "acquire_write", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = shared(row[i].a, (sides){ 0, 0 }, "A:1", row[i].op, REFUSED, row[i].a, (sides){ 0, 0 });
        (row[i].breaks ? breaks : holds)(h, PROPERTY_REENTRANCY);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

/* A waiter waits for what it said when it began: a reader that is refused is still not overtaken by a
 * reader. */
static void refusal_does_not_change_what_is_waited_for(void **state)
{
    (void)state;
    static const struct { const char *waits, *granted; bool breaks; } row[] = {
        { "read", "read", false }, { "read", "write", true }, { "write", "read", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        model_config c = model_config_default();
        c.judged[PROPERTY_FIFO] = true;
        history *h = history_with(&c, SPEC_NONE);
        h->mode = row[i].waits;
        wants(h, "B:1");
        uint32_t n = sends(h, "B:1", "acquire", 30000);
        runs(h, n);
        answers(h, n);
        h->mode = "";
        refused(h, "B:1", n);
        step(h);
        h->mode = row[i].granted;
        takes(h, "C:1", 30000);
        (row[i].breaks ? breaks : holds)(h, PROPERTY_FIFO);
        history_free(h);
    }
}

/* H18: a release found nothing, its answer was lost, and it is told "released" when it is sent again. */
static void release_that_found_nothing_finds_nothing_when_sent_again(void **state)
{
    (void)state;
    for (int held = 0; held < 2; held++)
        for (int executed = 0; executed < 2; executed++) {
            history *h = history_new(SPEC_REENTRANT);
            if (held)
                takes(h, "A:1", LEASE_NONE);
            uint32_t n = sends(h, "A:1", "release", LEASE_NONE);
            step(h);
            if (executed) {
                runs(h, n);
                vacate(h);
                view(h, n);
                step(h);
            }
            times_out(h, n);
            step(h);
            vacate(h);
            told_at_once(h, "A:1", "release", RELEASED, 0, held && !executed);
            (executed && !held ? breaks : holds)(h, PROPERTY_MATCHES_SPEC);
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

/* Property: a client's own count, too high, is not held against it once it was not told whether a release counted; nor
 * is what an acquire answers while an earlier one is open.
 * How: A releases, perhaps without an answer, and is granted the free lock with a count of two. */
static void count_is_not_compared_after_an_answer_that_never_came(void **state)
{
    (void)state;
    static const char *const op[] = { "release", "acquire", "renew" };
    for (size_t i = 0; i < COUNT(op); i++)
        for (int lost_answer = 0; lost_answer < 2; lost_answer++) {
            history *h = history_new(SPEC_REENTRANT);
            takes(h, "A:1", 30000);
            uint32_t n = sends(h, "A:1", op[i], 30000);
            if (lost_answer)
                times_out(h, n);
            step(h);
            drops(h, "A:1");
            put(h, "A:1", 1, 30000);
            told_at_once(h, "A:1", "acquire", GRANTED, 2, true);
            (lost_answer && i < 2 ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
            history_free(h);
        }
}

/* Property: a request that was only queued is judged by nothing; the EXEC that stands for it is held to what it was
 * about, though it named no lock when it was sent.
 * How: the hold is there, or not; or nothing ran. */
static void a_queued_request_counts_when_it_is_run(void **state)
{
    static const struct { const char *answer; bool holds, says, right; } row[] = {
        { "[OK]", true, true, true }, { "[OK]", false, true, false }, { "[OK]", false, false, false },
        { "error: nothing ran", false, false, true },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        history *h = history_new(SPEC_MUTEX);
        uint32_t queued = sends(h, "A:1", "acquire", 100);
        emit(h, (event){ .kind = EVENT_EXECUTED, .who = S("A:1"), .op = S("acquire"), .request = queued,
                         .lease_ms = 100, .text = S("QUEUED"), .count = EXECUTED_QUEUED });
        answers(h, queued);
        step(h);
        about(h, "");
        uint32_t exec = sends(h, "A:1", "exec", LEASE_NONE);
        about(h, "L");
        emit(h, (event){ .kind = EVENT_EXECUTED, .who = S("A:1"), .op = S("acquire"), .request = exec, .lease_ms = 100,
                         .text = str_from(row[i].answer) });
        answers(h, exec);
        if (row[i].says)
            granted(h, "A:1", exec, 100);
        if (row[i].holds) {
            put(h, "A:1", 1, 100);
            view(h, exec);
        }
        step(h);
        (row[i].right ? holds : breaks)(h, PROPERTY_MATCHES_SPEC);
        history_free(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_one_true_answer),
        cmocka_unit_test(a_queued_request_counts_when_it_is_run),
        cmocka_unit_test(count_is_not_compared_after_an_answer_that_never_came),
        cmocka_unit_test(renewal_may_not_say_lost_to_the_holder),
        cmocka_unit_test(lie_that_comes_in_a_later_step_is_found_too),
        cmocka_unit_test(counts_that_are_announced_are_compared),
        cmocka_unit_test(release_of_a_vanished_lock_is_no_success),
        cmocka_unit_test(grant_that_no_request_gave_is_a_lie),
        cmocka_unit_test(own_words_for_requests_are_believed_when_the_view_agrees),
        cmocka_unit_test(request_must_not_touch_what_others_hold),
        cmocka_unit_test(fair_lock_serves_its_queue_in_order),
        cmocka_unit_test(each_side_of_a_read_write_lock_has_one_true_answer),
        cmocka_unit_test(what_a_read_write_lock_leaves_is_bound_on_both_sides),
        cmocka_unit_test(reader_who_outstayed_his_lease_may_be_dropped),
        cmocka_unit_test(hold_may_not_change_sides),
        cmocka_unit_test(writer_is_not_refused_as_a_reader),
        cmocka_unit_test(refusal_does_not_change_what_is_waited_for),
        cmocka_unit_test(release_that_found_nothing_finds_nothing_when_sent_again),
        cmocka_unit_test(unknown_words_and_unnamed_locks_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
