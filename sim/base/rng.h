/* rng.h - the seeded generator: every random choice of a run is drawn from one of these, in integers.
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47 (2021): xoshiro256**,
 * its state filled by splitmix64 (Steele, Lea and Flood, OOPSLA 2014) as its authors advise. */
#ifndef LOCKSIM_BASE_RNG_H
#define LOCKSIM_BASE_RNG_H

#include <stdint.h>

typedef struct {
    uint64_t s[4];
} rng;

/* One stream per concern: streams of one seed are independent, so that a new fault does not move old choices. */
rng rng_new(uint64_t seed, uint64_t stream);
uint64_t rng_next(rng *r);
/* Uniform in [0, n), without modulo bias; n >= 1. */
uint64_t rng_below(rng *r, uint64_t n);

#endif
