/* normal.h - all that the real server and locksim may differ in: what Redis leaves open. Looked at only where bytes
 * differ. */
#ifndef LOCKSIM_TESTS_NORMAL_H
#define LOCKSIM_TESTS_NORMAL_H

#include "step.h"

/* True if what differs is what `kind` leaves open. TABLE_ORDER and TABLE_ORDER_PAIRS suppose that the caller sees to it
 * that the real server keeps the value in a hash table. `theirs` and `ours` are whole replies. */
bool normal_same(normal kind, const step *s, str theirs, str ours);
/* The elements of an aggregate reply, or the reply itself; false if they are more than `max`. */
bool normal_elements(str reply, str *at, size_t max, size_t *n);
/* Its name and why it is left open. */
const char *normal_name(normal kind);
const char *normal_reason(normal kind);
/* Tries each of the list on what it must forgive and on what it must not; says what is wrong, and returns how many
 * were. */
size_t normal_check(size_t *tried);

#endif
