/* confidence.c - see confidence.h. */
#include "simulate/confidence.h"

#include <assert.h>
#include <math.h>

/* P(|T| < t) with this many degrees of freedom. */
static double within(double t, size_t degrees)
{
    static const double half_pi = 1.57079632679489661923;
    double angle = atan(t / sqrt((double)degrees)), c = cos(angle), sum = 0, term = degrees % 2 ? c : 1;
    for (size_t k = degrees % 2 ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= c * c * (double)(k - 1) / (double)k;
    }
    return degrees % 2 ? (angle + sin(angle) * sum) / half_pi : sin(angle) * sum;
}

double student_95(size_t degrees)
{
    enum { ROUNDS = 60, MANY = 100000 };
    assert(degrees >= 1);
    if (degrees > MANY)
        degrees = MANY;            /* no difference in the first five digits */
    double low = 0, high = 16;
    for (int i = 0; i < ROUNDS; i++) {
        double middle = (low + high) / 2;
        if (within(middle, degrees) < 0.95)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

interval interval_of(const double *values, size_t count)
{
    interval out = { .count = count };
    if (count == 0)
        return out;
    double sum = 0, squares = 0;
    bool agree = true;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        agree = agree && values[i] == values[0];
    }
    /* equal values: the mean of a rounded sum would differ slightly */
    out.mean = agree ? values[0] : sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - out.mean) * (values[i] - out.mean);
    if (count >= 2)
        out.half = student_95(count - 1) * sqrt(squares / (double)(count - 1) / (double)count);
    return out;
}
