/* forecast.h - how a breadth-first search grows from level to level, and where that ends. */
#ifndef LOCKSIM_SEARCH_FORECAST_H
#define LOCKSIM_SEARCH_FORECAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sizes of the last levels, oldest first. Zero-initialise. */
enum { FORECAST_LEVELS = 12 };
typedef struct {
    uint64_t sizes[FORECAST_LEVELS];
    size_t count;
} forecast;

void forecast_add(forecast *f, uint64_t size);
/* The ratio of the last level's size to the one before, averaged over some levels: 1.2 is growth by a fifth. 0: unknown
 * yet. */
double forecast_growth(const forecast *f);
/* An estimate of the states beyond the last level: a parabola through the logarithms of the sizes (least squares), as
 * most graphs rise, peak and fall. 0: no estimate. That is so while the logarithms do not bend, while each level is
 * larger than the one before by a quarter (a rise fits many peaks), or where the end would be far beyond what was
 * seen. */
uint64_t forecast_beyond(const forecast *f);

#endif
