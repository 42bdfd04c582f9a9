/* replications.c - see replications.h. */
#include "simulate/replications.h"

#include <assert.h>
#include <string.h>

#include "base/codec.h"
#include "base/mem.h"

replications *replications_new(size_t wanted)
{
    replications *r = mem_zero(sizeof *r);
    r->wanted = wanted;
    r->runs = mem_zero(wanted * sizeof *r->runs + 1);
    for (int k = 0; k < MEASURED_KINDS; k++)
        r->all[k].bits = HISTOGRAM_FINE;
    return r;
}

void replications_free(replications *r)
{
    if (!r)
        return;
    for (int k = 0; k < MEASURED_KINDS; k++)
        histogram_free(&r->all[k]);
    measure_free(r->first);
    mem_free(r->runs);
    mem_free(r);
}

void replications_add(replications *r, size_t number, measure *m)
{
    assert(number < r->wanted && r->done < r->wanted);
    for (int k = 0; k < METRIC_COUNT; k++)
        r->runs[number].known[k] = measure_metric(m, (metric)k, &r->runs[number].value[k]);
    for (int k = 0; k < MEASURED_KINDS; k++)
        histogram_merge(&r->all[k], measure_histogram(m, (measured_kind)k));
    r->done++;
    if (number == 0)
        r->first = m;
    else
        measure_free(m);
}

static void put_histogram(const histogram *h, buf *out)
{
    put_varint(out, h->count);
    put_svarint(out, h->sum);
    put_svarint(out, h->min);
    put_svarint(out, h->max);
    put_varint(out, h->first);
    put_varint(out, h->length);
    for (size_t i = 0; i < h->length; i++)
        put_varint(out, h->at[i]);
}

static void merge_taken(histogram *into, str *from)
{
    histogram h = { .bits = into->bits, .count = take_varint(from) };
    h.sum = take_svarint(from);
    h.min = take_svarint(from);
    h.max = take_svarint(from);
    h.first = (size_t)take_varint(from);
    h.length = (size_t)take_varint(from);
    h.at = mem_alloc(h.length * sizeof *h.at + 1);
    for (size_t i = 0; i < h.length; i++)
        h.at[i] = take_varint(from);
    histogram_merge(into, &h);
    histogram_free(&h);
}

void replications_tell(const measure *m, buf *out)
{
    for (int k = 0; k < METRIC_COUNT; k++) {
        double value = 0;
        uint64_t bits;
        buf_byte(out, (char)measure_metric(m, (metric)k, &value));
        memcpy(&bits, &value, sizeof bits);
        buf_u64(out, bits);
    }
    for (int k = 0; k < MEASURED_KINDS; k++)
        put_histogram(measure_histogram(m, (measured_kind)k), out);
}

void replications_hear(replications *r, size_t number, str bytes)
{
    assert(number > 0 && number < r->wanted && r->done < r->wanted);
    for (int k = 0; k < METRIC_COUNT; k++) {
        r->runs[number].known[k] = take_byte(&bytes);
        uint64_t bits = take_u64(&bytes);
        memcpy(&r->runs[number].value[k], &bits, sizeof bits);
    }
    for (int k = 0; k < MEASURED_KINDS; k++)
        merge_taken(&r->all[k], &bytes);
    r->done++;
}

bool replications_interval(const replications *r, metric k, interval *out)
{
    double *values = mem_alloc(r->wanted * sizeof *values + 1);
    size_t count = 0;
    for (size_t i = 0; i < r->wanted; i++)
        if (r->runs[i].known[k])
            values[count++] = r->runs[i].value[k];
    *out = interval_of(values, count);
    mem_free(values);
    return count > 0;
}

bool replications_difference(const replications *a, const replications *b, metric k, interval *out)
{
    size_t wanted = a->wanted < b->wanted ? a->wanted : b->wanted, count = 0;
    double *values = mem_alloc(wanted * sizeof *values + 1);
    for (size_t i = 0; i < wanted; i++)
        if (a->runs[i].known[k] && b->runs[i].known[k])
            values[count++] = b->runs[i].value[k] - a->runs[i].value[k];
    *out = interval_of(values, count);
    mem_free(values);
    return count > 0;
}
