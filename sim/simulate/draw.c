/* draw.c - see draw.h. */
#include "simulate/draw.h"

#include <math.h>

/* In [0, 1), of 53 bits. */
static double unit(rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

/* By the polar coordinates of a pair. Source: Box and Muller, "A Note on the Generation of Random Normal Deviates",
 * 1958. */
static double normal(rng *r)
{
    double radius = sqrt(-2 * log(1 - unit(r))), angle = 2 * acos(-1) * unit(r);
    return radius * cos(angle);
}

static int64_t rounded(double us)
{
    us = floor(us + 0.5);
    return us >= (double)DRAW_US_MAX ? DRAW_US_MAX : us > 0 ? (int64_t)us : 0;
}

static int64_t to_us(double ms)
{
    return rounded(ms * 1000);
}

static double exponential(rng *r, double mean_ms)
{
    return -mean_ms * log(1 - unit(r));
}

int64_t draw_exponential_us(rng *r, double mean_ms)
{
    return to_us(exponential(r, mean_ms));
}

int64_t draw_gap_us(rng *r, double mean_ms, double *carried_us)
{
    double exact_us = exponential(r, mean_ms) * 1000 + *carried_us;
    int64_t gap_us = rounded(exact_us);
    *carried_us = gap_us < DRAW_US_MAX ? exact_us - (double)gap_us : 0;
    return gap_us;
}

int64_t draw_us(rng *r, const distribution *d)
{
    switch (d->kind) {
    case DRAW_NOTHING: return 0;
    case DRAW_CONSTANT: return to_us(d->a);
    case DRAW_UNIFORM: return to_us(d->a + (d->b - d->a) * unit(r));
    case DRAW_EXPONENTIAL: return draw_exponential_us(r, d->a);
    case DRAW_LOG_NORMAL: return to_us(d->a * exp(d->b * normal(r)));
    case DRAW_LIST: return to_us(d->list[rng_below(r, d->count)]);
    }
    return 0;
}

bool draw_chance(rng *r, double probability)
{
    return probability > 0 && unit(r) < probability;
}
