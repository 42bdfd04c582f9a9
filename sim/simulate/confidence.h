/* confidence.h - a mean over independent replications and how far from the truth it may be. */
#ifndef LOCKSIM_SIMULATE_CONFIDENCE_H
#define LOCKSIM_SIMULATE_CONFIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The two-sided 95 % point of Student's t: 12.706 with 1 degree of freedom, 1.960 with many. degrees >= 1.
 * Source: Student (W. S. Gosset), "The probable error of a mean", Biometrika 6 (1908); computed from the finite sums
 * for whole degrees of freedom in Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4. */
double student_95(size_t degrees);

typedef struct {
    size_t count;          /* values it is made of */
    double mean;           /* count >= 1 */
    double half;           /* with 95 % confidence the true mean is within mean - half .. mean + half; count >= 2 */
} interval;
/* Of values that are independent of each other: count - 1 degrees of freedom, the sample's own deviation (divisor count
 * - 1). */
interval interval_of(const double *values, size_t count);

#endif
