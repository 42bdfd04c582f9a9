/* draw.h - lengths drawn from distributions, in microseconds. */
#ifndef LOCKSIM_SIMULATE_DRAW_H
#define LOCKSIM_SIMULATE_DRAW_H

#include "base/rng.h"
#include "client/workload.h"

/* No length is longer: some thirty years. */
#define DRAW_US_MAX INT64_C(1000000000000000)

/* >= 0; DRAW_NOTHING gives 0. Each draw takes one or two numbers of `r`, whatever comes of them, but a constant takes none. */
int64_t draw_us(rng *r, const distribution *d);
int64_t draw_exponential_us(rng *r, double mean_ms);
/* True with this probability; 0 takes no number. */
bool draw_chance(rng *r, double probability);

#endif
