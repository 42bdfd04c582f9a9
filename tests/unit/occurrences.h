/* occurrences.h - occurrences written by hand, for tests of what is measured. Instants in microseconds. */
#ifndef LOCKSIM_TESTS_OCCURRENCES_H
#define LOCKSIM_TESTS_OCCURRENCES_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/str.h"
#include "simulate/measure.h"

static inline void tell(measure *m, occurrence_kind kind, int64_t at_us, int64_t executed_us, uint32_t client)
{
    occurrence o = { .kind = kind, .at_us = at_us, .executed_us = executed_us, .client = client,
                     .count = kind == OCCURS_GRANTED };
    measure_occurrence(m, &o);
}

static inline void begins(measure *m, int64_t at_us) { tell(m, OCCURS_BEGINS, at_us, at_us, OCCURS_NOBODY); }
static inline void ends(measure *m, int64_t at_us) { tell(m, OCCURS_ENDS, at_us, at_us, OCCURS_NOBODY); }
static inline void asks(measure *m, uint32_t client, int64_t at_us) { tell(m, OCCURS_ASKED, at_us, at_us, client); }
static inline void is_granted(measure *m, uint32_t client, int64_t executed_us, int64_t at_us)
{
    tell(m, OCCURS_GRANTED, at_us, executed_us, client);
}
static inline void releases(measure *m, uint32_t client, int64_t executed_us, int64_t at_us)
{
    tell(m, OCCURS_RELEASED, at_us, executed_us, client);
}

static inline double metric_of(const measure *m, metric k)
{
    double value = 0;
    if (!measure_metric(m, k, &value))
        fail_msg("%s is not defined", metric_describe(k)->name);
    return value;
}

static inline bool is_known(const measure *m, metric k)
{
    double value;
    return measure_metric(m, k, &value);
}

static inline void assert_near(double value, double expected, double error)
{
    if (!(fabs(value - expected) <= error))
        fail_msg("%.9g is not within %.3g of %.9g", value, error, expected);
}

#endif
