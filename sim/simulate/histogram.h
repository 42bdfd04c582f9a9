/* histogram.h - how often each length occurred: whole numbers from 0 up, in classes of a stated relative width, in
 * memory that does not grow with how many there are. The layout is HdrHistogram's (Gil Tene, hdrhistogram.org): each
 * doubling of the value is cut into 2^bits classes of equal width. Below 2^(bits + 1) each number has a class of its
 * own, so small ones are exact. */
#ifndef LOCKSIM_SIMULATE_HISTOGRAM_H
#define LOCKSIM_SIMULATE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* HISTOGRAM_FINE for a single histogram, HISTOGRAM_COARSE for one per client or window. */
enum { HISTOGRAM_FINE = 10, HISTOGRAM_COARSE = 6 };

/* Zero-initialise but for `bits`. Mean, least and most are exact. */
typedef struct {
    unsigned bits;
    uint64_t count;
    int64_t sum, min, max;
    size_t first, length;  /* classes first .. first + length - 1 have a counter */
    uint64_t *at;
} histogram;

void histogram_free(histogram *h);                 /* empty afterwards, as it was at first */
void histogram_add(histogram *h, int64_t value);   /* below 0 is taken for 0 */
void histogram_merge(histogram *into, const histogram *from);              /* of the same bits */
double histogram_mean(const histogram *h);         /* count >= 1 */
/* The value that at least `share` of 10,000 do not exceed (nearest rank): 5000 is the median, 9990 is p99.9. It is the
 * middle of its class, so it is wrong by histogram_error at most; never outside of min and max. count >= 1. */
int64_t histogram_quantile(const histogram *h, unsigned share);
/* The greatest relative error of a quantile: 1 / 2^(bits + 1). */
double histogram_error(unsigned bits);

typedef struct {
    int64_t low, high;     /* low <= value <= high */
    uint64_t count;
} histogram_class;
/* The next class that is not empty, in rising order: start with *at = 0; false: there are no more. */
bool histogram_next(const histogram *h, size_t *at, histogram_class *out);

#endif
