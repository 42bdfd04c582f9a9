/* shrink.h - the smallest history that still shows a difference. */
#ifndef LOCKSIM_TESTS_SHRINK_H
#define LOCKSIM_TESTS_SHRINK_H

#include "base/arena.h"
#include "pair.h"

/* Shrinks steps[0..n) in place: fewest steps, then fewer and shorter words, then fewer moves of the clock; returns how
 * many are left. 0 if they do not show a difference when they are repeated. Afterwards pair_difference is that of what
 * is left. New words live in `a`. The same steps give the same result. */
size_t shrink_steps(pair *t, int resp, step *steps, size_t n, arena *a);

#endif
