/* locks.h - the scenarios of a run told apart by their locks (the folders they lie in), and what breaks each lock by
 * which faults. */
#ifndef LOCKSIM_REPORT_LOCKS_H
#define LOCKSIM_REPORT_LOCKS_H

#include "report/mix.h"
#include "report/report.h"

typedef struct {
    const outcome *result;
    fault_mix faults;
} situation;

/* The scenarios of one lock: few faults first, then by their paths. */
typedef struct {
    str name;
    const situation *at;
    size_t count;
} lock_row;

/* One row per lock, in the order of their names; everything lives in `a` or is borrowed from the results. */
lock_row *locks_collect(arena *a, const report_item *items, size_t count, size_t *rows);

bool situation_breaks(const situation *s, int p);
/* In how many of its scenarios that came out. */
size_t lock_count(const lock_row *r, int p, property_outcome o);
/* It breaks in each of its scenarios, of which there are several: no fault has to do with it. */
bool lock_always_breaks(const lock_row *r, int p);
/* Some scenario with fewer of the same faults breaks it already. */
bool lock_breaks_with_less(const lock_row *r, const fault_mix *m, int p);
/* Is r->at[i] the first scenario with its faults, if only those count that break p (p < 0: all)? */
bool lock_first_of_its_faults(const lock_row *r, size_t i, int p);

#endif
