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
/* The last level to the one before, over some levels: 1.2 grows by a fifth each. 0: nobody knows yet. */
double forecast_growth(const forecast *f);
/* States beyond the last level: a parabola through the logarithms of the sizes (least squares), which most graphs
 * follow, with a rise, a peak and a fall. 0: no estimate can be made, as long as the levels do not bend, each is larger
 * than the one before by a quarter (a rise looks like many peaks), or the end would be far beyond what was seen. */
uint64_t forecast_beyond(const forecast *f);

#endif
