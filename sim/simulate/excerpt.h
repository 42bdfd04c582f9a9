/* excerpt.h - a bounded number of single facts of a run, for pictures: a random sample of all waits, the first
 * intervals in which tasks waited and held, and the faults. */
#ifndef LOCKSIM_SIMULATE_EXCERPT_H
#define LOCKSIM_SIMULATE_EXCERPT_H

#include <stddef.h>

#include "base/rng.h"
#include "simulate/occurrence.h"

enum {
    EXCERPT_WAITS_MAX = 2000,      /* small enough for a picture of some hundred kilobytes */
    EXCERPT_INTERVALS_MAX = 400, EXCERPT_ROWS_MAX = 40,
    EXCERPT_FAULTS_MAX = 1000,
};

typedef struct {
    int64_t granted_us, wait_us;
    uint32_t client;
} excerpt_wait;

typedef struct {
    int64_t from_us, to_us;        /* to_us INT64_MAX: it had not ended when the run did */
    uint32_t client, row;
    bool holds;                    /* else it waits */
} excerpt_interval;

typedef struct {
    int64_t from_us, to_us;        /* as above */
    uint32_t client;
    bool crash;                    /* else a pause */
} excerpt_fault;

typedef struct {
    rng random;
    uint64_t waits_seen, faults_seen;
    excerpt_wait waits[EXCERPT_WAITS_MAX];
    excerpt_interval intervals[EXCERPT_INTERVALS_MAX];
    excerpt_fault faults[EXCERPT_FAULTS_MAX];
    struct { uint32_t client, task; } rows[EXCERPT_ROWS_MAX];
    size_t interval_count, row_count;
} excerpt;

excerpt *excerpt_new(uint64_t seed);
void excerpt_free(excerpt *x);
/* Each of all the waits told so far is kept with the same chance. Source: Vitter, "Random sampling with a reservoir",
 * ACM TOMS 11 (1985), algorithm R. */
void excerpt_add_wait(excerpt *x, int64_t granted_us, int64_t wait_us, uint32_t client);
size_t excerpt_waits(const excerpt *x);            /* how many are kept */
/* An interval of a task begins; returns its number for excerpt_end_interval, or -1 if there is no room or the task has
 * no row. */
int excerpt_begin_interval(excerpt *x, int64_t from_us, uint32_t client, uint32_t task, bool holds);
void excerpt_end_interval(excerpt *x, int number, int64_t to_us);          /* -1 is ignored */
void excerpt_begin_fault(excerpt *x, int64_t from_us, uint32_t client, bool crash);
void excerpt_end_fault(excerpt *x, int64_t to_us, uint32_t client, bool crash);
size_t excerpt_faults(const excerpt *x);
/* Sorts the waits by the instant of the grant, for output. */
void excerpt_sort(excerpt *x);

#endif
