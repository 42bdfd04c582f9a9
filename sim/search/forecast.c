/* forecast.c - see forecast.h. */
#include "search/forecast.h"

#include <math.h>
#include <string.h>

static const double growth_max = 1.25;
enum { LEVELS_MIN = 6, LEVELS_AHEAD_MAX = 100000, FACTOR_MAX = 50 };

void forecast_add(forecast *f, uint64_t size)
{
    if (f->count == FORECAST_LEVELS)
        memmove(f->sizes, f->sizes + 1, --f->count * sizeof *f->sizes);
    f->sizes[f->count++] = size;
}

double forecast_growth(const forecast *f)
{
    enum { OVER = 4 };
    size_t n = f->count > OVER ? OVER : f->count > 0 ? f->count - 1 : 0;
    if (n == 0 || f->sizes[f->count - 1] == 0 || f->sizes[f->count - 1 - n] == 0)
        return 0;
    return pow((double)f->sizes[f->count - 1] / (double)f->sizes[f->count - 1 - n], 1.0 / (double)n);
}

/* log(size) = a + b x + c x x, x counted from the middle of the levels. */
typedef struct { double a, b, c; } parabola;

static parabola fit(const forecast *f)
{
    double n = (double)f->count, middle = (n - 1) / 2, s2 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
    for (size_t i = 0; i < f->count; i++) {
        double x = (double)i - middle, y = log((double)f->sizes[i]);
        s2 += x * x;
        s4 += x * x * x * x;
        y0 += y;
        y1 += x * y;
        y2 += x * x * y;
    }
    double c = (n * y2 - s2 * y0) / (n * s4 - s2 * s2);
    return (parabola){ .a = (y0 - c * s2) / n, .b = y1 / s2, .c = c };
}

uint64_t forecast_beyond(const forecast *f)
{
    double seen = 0, beyond = 0, size = 1;
    if (f->count < LEVELS_MIN || forecast_growth(f) > growth_max)
        return 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->sizes[i] == 0)
            return 0;
        seen += (double)f->sizes[i];
    }
    parabola p = fit(f);
    double last = (double)f->count - 1 - ((double)f->count - 1) / 2;
    if (p.c > -1e-4)
        return 0;
    for (int i = 1; i < LEVELS_AHEAD_MAX && size >= 1 && beyond < FACTOR_MAX * seen; i++) {
        double x = last + i;
        size = exp(p.a + p.b * x + p.c * x * x);
        beyond += size;
    }
    return beyond < FACTOR_MAX * seen ? (uint64_t)beyond : 0;
}
