/* test_model_grouped.c - the specification of one lock over several values: all at once or none, by a holder of any
 * of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "history.h"
#include "model/spec.h"

typedef enum { GRANTED, REFUSED, RELEASED, LOST, NOTHING } told;
typedef struct { int64_t count; bool part; } share;

static void put_share(history *h, const char *who, share s)
{
    put_mode(h, who, 0, "", 30000);
    put_mode(h, who, 0, "part", 30000);
    if (s.count)
        put_mode(h, who, s.count, s.part ? "part" : "", 30000);
}

/* A and B have `a` and `b`; A runs `op`, is told `t`, and they have `after_a` and `after_b`. */
static history *asked(share a, share b, const char *op, told t, share after_a, share after_b)
{
    history *h = history_new(SPEC_GROUPED);
    put_share(h, "A:1", a);
    put_share(h, "B:1", b);
    view_by(h, "set up");
    step(h);
    put_share(h, "A:1", after_a);
    put_share(h, "B:1", after_b);
    uint32_t n = sends(h, "A:1", op, 30000);
    runs(h, n);
    answers(h, n);
    switch (t) {
    case GRANTED: granted(h, "A:1", n, 30000); break;
    case REFUSED: refused(h, "A:1", n); break;
    case RELEASED: released(h, "A:1", n, 0); break;
    case LOST: lost(h, "A:1", n); break;
    case NOTHING: break;
    }
    view(h, n);
    step(h);
    return h;
}

#define NONE { 0, false }
#define ALL(n) { n, false }
#define PART(n) { n, true }

static const struct { share a, b; const char *op; told t; share after_a, after_b; } right[] = {
    { NONE, NONE, "acquire", GRANTED, ALL(1), NONE },
    { ALL(1), NONE, "acquire", GRANTED, ALL(2), NONE },
    { PART(2), NONE, "acquire", GRANTED, ALL(3), NONE },    /* the rest of what the owner's other lock has some of */
    { NONE, ALL(1), "acquire", REFUSED, NONE, ALL(1) },
    { NONE, PART(1), "acquire", REFUSED, NONE, PART(1) },          /* one value of another's is enough */
    { PART(1), PART(1), "acquire", REFUSED, PART(1), PART(1) },
    { ALL(1), NONE, "release", RELEASED, NONE, NONE },
    { ALL(2), NONE, "release", RELEASED, ALL(1), NONE },
    { ALL(2), NONE, "release", RELEASED, PART(1), NONE },          /* what another lock of the owner's shares stays */
    { NONE, NONE, "release", LOST, NONE, NONE },
    { NONE, ALL(1), "release", LOST, NONE, ALL(1) },
    { PART(1), PART(1), "release", LOST, NONE, PART(1) },          /* what is still the owner's may go ... */
    { PART(1), PART(1), "release", LOST, PART(1), PART(1) },       /* ... or stay */
    { ALL(1), NONE, "renew", NOTHING, ALL(1), NONE },
    { NONE, NONE, "renew", NOTHING, ALL(1), NONE },                /* run out, and nobody's since */
    { NONE, ALL(1), "renew", LOST, NONE, ALL(1) },
    { NONE, ALL(1), "force_release", RELEASED, NONE, NONE },
};

static const struct { share a, b; const char *op; told t; share after_a, after_b; } wrong[] = {
    { NONE, NONE, "acquire", GRANTED, PART(1), NONE },             /* not all of them */
    { NONE, NONE, "acquire", REFUSED, NONE, NONE },
    { NONE, NONE, "acquire", GRANTED, ALL(2), NONE },
    { NONE, PART(1), "acquire", GRANTED, ALL(1), NONE },           /* another's value is taken */
    { NONE, PART(1), "acquire", GRANTED, PART(1), PART(1) },       /* those that were free, and said to be all */
    { NONE, PART(1), "acquire", REFUSED, PART(1), PART(1) },       /* refused, and some are taken */
    { ALL(1), NONE, "release", LOST, NONE, NONE },
    { ALL(1), NONE, "release", RELEASED, ALL(1), NONE },
    { ALL(2), NONE, "release", RELEASED, NONE, NONE },
    { PART(1), PART(1), "release", RELEASED, NONE, PART(1) },
    { PART(1), PART(1), "release", LOST, NONE, NONE },             /* another's goes, too */
    { PART(2), PART(1), "release", LOST, NONE, PART(1) },
    { ALL(1), NONE, "renew", LOST, ALL(1), NONE },
    { NONE, ALL(1), "renew", NOTHING, ALL(1), NONE },
    { NONE, ALL(1), "force_release", RELEASED, NONE, PART(1) },
};

static void all_values_are_taken_at_once_or_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(right); i++) {
        history *h = asked(right[i].a, right[i].b, right[i].op, right[i].t, right[i].after_a, right[i].after_b);
        holds(h, PROPERTY_MATCHES_SPEC);
        holds(h, PROPERTY_REENTRANCY);
        history_free(h);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        history *h = asked(wrong[i].a, wrong[i].b, wrong[i].op, wrong[i].t, wrong[i].after_a, wrong[i].after_b);
        if (!model_violation(h->m, PROPERTY_MATCHES_SPEC))
            fail_msg("row %zu of the wrong ones is not found", i);
        history_free(h);
    }
}

/* A value is free in the millisecond in which its time is over, where a key would still live. */
static void value_is_free_when_its_time_is_over(void **state)
{
    (void)state;
    for (int64_t at_ms = 29999; at_ms <= 30000; at_ms++) {
        history *h = history_new(SPEC_GROUPED);
        takes(h, "A:1", 30000);
        at(h, at_ms);
        vacate(h);
        view_by(h, "expiry");
        step(h);
        takes(h, "B:1", 30000);
        (at_ms < 30000 ? breaks : holds)(h, PROPERTY_MUTUAL_EXCLUSION);
        history_free(h);
    }
}

static void locks_overlap_by_group_and_value(void **state)
{
    static const struct { const char *a, *b; bool overlap; } row[] = {
        { "g:x y", "g:y", true }, { "g:x,y", "g:y", true }, { "g:x y", "g:z y x", true }, { "g:x y", "g:z", false },
        { "g:xy", "g:x", false },
        { "g:x y", "h:y", false }, { "{g}:x", "{g}:x", true }, { "{g}:a:1 b:2", "{g}:b:2", true },
        { "{g}:a:1", "{g}:b:1", false },
        { "p:{g}:x y", "p:{g}:y", true }, { "p:{g}:x", "q:{g}:x", false }, { "g", "g", false }, { "g:", "g:", false },
        { "x y", "y", false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT(row); i++) {
        str a = str_from(row[i].a), b = str_from(row[i].b);
        if (spec_share_values(a, b) != row[i].overlap || spec_share_values(b, a) != row[i].overlap)
            fail_msg("%s and %s", row[i].a, row[i].b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_values_are_taken_at_once_or_none),
        cmocka_unit_test(value_is_free_when_its_time_is_over),
        cmocka_unit_test(locks_overlap_by_group_and_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
