/* mix.h - which faults a scenario allows, as a bag that can be compared, and their short names for the cells of a
 * table. */
#ifndef LOCKSIM_REPORT_MIX_H
#define LOCKSIM_REPORT_MIX_H

#include "base/buf.h"
#include "scenario/scenario.h"

/* How often each kind may happen. Amounts and targets do not count. */
typedef struct {
    uint32_t of[FAULT_KINDS];
} fault_mix;

fault_mix mix_of(const fault_budget *budgets);     /* FAULT_KINDS of them */
bool mix_is_empty(const fault_mix *m);
/* One kind, once or more often: then *k says which. */
bool mix_is_single(const fault_mix *m, fault_kind *k);
/* Less than all of `m`: no kind more often, some kind less often. */
bool mix_within(const fault_mix *less, const fault_mix *m);
/* Fewer faults first, then in the order of the kinds; 0: the same. */
int mix_cmp(const fault_mix *a, const fault_mix *b);
/* "cr+pa", "cr+cr"; nothing for an empty one. */
void mix_add(buf *out, const fault_mix *m);

#endif
