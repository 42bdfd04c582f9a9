/* draw.h - lengths drawn from distributions, in microseconds. */
#ifndef LOCKSIM_SIMULATE_DRAW_H
#define LOCKSIM_SIMULATE_DRAW_H

#include "base/rng.h"
#include "scenario/workload.h"

/* No length is longer: some thirty years. */
#define DRAW_US_MAX INT64_C(1000000000000000)

/* >= 0; DRAW_NOTHING gives 0. Each draw takes one or two numbers of `r`, whatever comes of them, but a constant takes
 * none. */
int64_t draw_us(rng *r, const distribution *d);
int64_t draw_exponential_us(rng *r, double mean_ms);
/* The same as one gap of many: `carried_us` (0 before the first) carries the rounding error, so that the sum of the
 * gaps is the rounded sum of the unrounded ones. Rounded one by one, gaps of a microsecond on average would be too
 * short by a twentieth. */
int64_t draw_gap_us(rng *r, double mean_ms, double *carried_us);
/* True with this probability; 0 takes no number. */
bool draw_chance(rng *r, double probability);

#endif
