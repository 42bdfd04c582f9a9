/* excerpt.c - see excerpt.h. */
#include "simulate/excerpt.h"

#include <stdlib.h>

#include "base/mem.h"

enum { STREAM_SAMPLE = 0x5a4d };

excerpt *excerpt_new(uint64_t seed)
{
    excerpt *x = mem_zero(sizeof *x);
    x->random = rng_new(seed, STREAM_SAMPLE);
    return x;
}

void excerpt_free(excerpt *x)
{
    mem_free(x);
}

void excerpt_add_wait(excerpt *x, int64_t granted_us, int64_t wait_us, uint32_t client)
{
    uint64_t seen = x->waits_seen++, place = seen < EXCERPT_WAITS_MAX ? seen : rng_below(&x->random, seen + 1);
    if (place < EXCERPT_WAITS_MAX)
        x->waits[place] = (excerpt_wait){ .granted_us = granted_us, .wait_us = wait_us, .client = client };
}

size_t excerpt_waits(const excerpt *x)
{
    return x->waits_seen < EXCERPT_WAITS_MAX ? (size_t)x->waits_seen : EXCERPT_WAITS_MAX;
}

/* -1: all rows are taken by others. */
static int row_of(excerpt *x, uint32_t client, uint32_t task)
{
    for (size_t i = 0; i < x->row_count; i++)
        if (x->rows[i].client == client && x->rows[i].task == task)
            return (int)i;
    if (x->row_count == EXCERPT_ROWS_MAX)
        return -1;
    x->rows[x->row_count].client = client;
    x->rows[x->row_count].task = task;
    return (int)x->row_count++;
}

int excerpt_begin_interval(excerpt *x, int64_t from_us, uint32_t client, uint32_t task, bool holds)
{
    if (x->interval_count == EXCERPT_INTERVALS_MAX)
        return -1;
    int row = row_of(x, client, task);
    if (row < 0)
        return -1;
    x->intervals[x->interval_count] =
        (excerpt_interval){ .from_us = from_us, .to_us = INT64_MAX, .client = client, .row = (uint32_t)row,
                            .holds = holds };
    return (int)x->interval_count++;
}

void excerpt_end_interval(excerpt *x, int number, int64_t to_us)
{
    if (number >= 0)
        x->intervals[number].to_us = to_us;
}

size_t excerpt_faults(const excerpt *x)
{
    return x->faults_seen < EXCERPT_FAULTS_MAX ? (size_t)x->faults_seen : EXCERPT_FAULTS_MAX;
}

void excerpt_begin_fault(excerpt *x, int64_t from_us, uint32_t client, bool crash)
{
    if (x->faults_seen < EXCERPT_FAULTS_MAX)
        x->faults[x->faults_seen] = (excerpt_fault){ .from_us = from_us, .to_us = INT64_MAX, .client = client,
                                                     .crash = crash };
    x->faults_seen++;
}

void excerpt_end_fault(excerpt *x, int64_t to_us, uint32_t client, bool crash)
{
    for (size_t i = excerpt_faults(x); i > 0; i--) {
        excerpt_fault *f = &x->faults[i - 1];
        if (f->client == client && f->crash == crash && f->to_us == INT64_MAX) {
            f->to_us = to_us;
            return;
        }
    }
}

static int by_grant(const void *a, const void *b)
{
    const excerpt_wait *x = a, *y = b;
    if (x->granted_us != y->granted_us)
        return x->granted_us < y->granted_us ? -1 : 1;
    if (x->client != y->client)
        return x->client < y->client ? -1 : 1;
    return (x->wait_us > y->wait_us) - (x->wait_us < y->wait_us);
}

void excerpt_sort(excerpt *x)
{
    qsort(x->waits, excerpt_waits(x), sizeof *x->waits, by_grant);
}
