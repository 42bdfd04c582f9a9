/* histogram.c - see histogram.h. */
#include "simulate/histogram.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

/* Classes of value v: those below 2^(bits+1) are v itself; each doubling above has 2^bits more. */
static size_t class_of(unsigned bits, int64_t value)
{
    uint64_t v = (uint64_t)value;
    unsigned top = v ? 63u - (unsigned)__builtin_clzll(v) : 0, shift = top > bits ? top - bits : 0;
    return ((size_t)shift << bits) + (size_t)(v >> shift);
}

static histogram_class class_at(unsigned bits, size_t number)
{
    size_t half = (size_t)1 << bits;
    unsigned shift = number < 2 * half ? 0 : (unsigned)(number / half - 1);
    int64_t low = (int64_t)((uint64_t)(number - shift * half) << shift);
    return (histogram_class){ .low = low, .high = low + (int64_t)(((uint64_t)1 << shift) - 1) };
}

void histogram_free(histogram *h)
{
    mem_free(h->at);
    *h = (histogram){ .bits = h->bits };
}

/* Widens the counters to the classes from .. to, and by half as much again, so that a slowly rising value stays
 * cheap. */
static void cover(histogram *h, size_t from, size_t to)
{
    if (h->length && from >= h->first && to < h->first + h->length)
        return;
    size_t first = from, end = to + 1;
    if (h->length) {
        size_t old_end = h->first + h->length, spare = h->length / 2;
        first = from < h->first ? (from > spare ? from - spare : 0) : h->first;
        end = end > old_end ? end + spare : old_end;
    }
    uint64_t *wider = mem_zero((end - first) * sizeof *wider);
    if (h->length)
        memcpy(wider + (h->first - first), h->at, h->length * sizeof *wider);
    mem_free(h->at);
    h->at = wider;
    h->first = first;
    h->length = end - first;
}

void histogram_add(histogram *h, int64_t value)
{
    assert(h->bits > 0 && h->bits < 20);
    value = value < 0 ? 0 : value;
    size_t c = class_of(h->bits, value);
    cover(h, c, c);
    h->at[c - h->first]++;
    h->min = h->count == 0 || value < h->min ? value : h->min;
    h->max = h->count == 0 || value > h->max ? value : h->max;
    h->sum += value;
    h->count++;
}

void histogram_merge(histogram *into, const histogram *from)
{
    assert(into->bits == from->bits);
    if (from->count == 0)
        return;
    cover(into, from->first, from->first + from->length - 1);
    for (size_t i = 0; i < from->length; i++)
        into->at[from->first + i - into->first] += from->at[i];
    into->min = into->count == 0 || from->min < into->min ? from->min : into->min;
    into->max = into->count == 0 || from->max > into->max ? from->max : into->max;
    into->sum += from->sum;
    into->count += from->count;
}

double histogram_mean(const histogram *h)
{
    assert(h->count > 0);
    return (double)h->sum / (double)h->count;
}

int64_t histogram_quantile(const histogram *h, unsigned share)
{
    enum { ALL = 10000 };
    assert(h->count > 0 && share <= ALL);
    uint64_t whole = h->count / ALL, rest = h->count % ALL;        /* the rank, rounded up, without an overflow */
    uint64_t rank = whole * share + (rest * share + ALL - 1) / ALL, below = 0;
    rank = rank ? rank : 1;
    size_t at = 0;
    histogram_class c;
    while (histogram_next(h, &at, &c)) {
        below += c.count;
        if (below >= rank)
            break;
    }
    assert(below >= rank);                         /* the classes add up to `count` */
    int64_t middle = c.low + (c.high - c.low) / 2;
    return middle < h->min ? h->min : middle > h->max ? h->max : middle;
}

double histogram_error(unsigned bits)
{
    return 1.0 / (double)(UINT64_C(2) << bits);
}

bool histogram_next(const histogram *h, size_t *at, histogram_class *out)
{
    while (*at < h->length && h->at[*at] == 0)
        ++*at;
    if (*at >= h->length)
        return false;
    *out = class_at(h->bits, h->first + *at);
    out->count = h->at[(*at)++];
    return true;
}
