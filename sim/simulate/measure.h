/* measure.h - measures one run from the engine's occurrences (occurrence.h), in memory that does not grow with the
 * run's length. metric.h has the definitions. */
#ifndef LOCKSIM_SIMULATE_MEASURE_H
#define LOCKSIM_SIMULATE_MEASURE_H

#include "simulate/excerpt.h"
#include "simulate/metric.h"
#include "simulate/windows.h"

typedef struct measure measure;

/* `clients`: occurrences name clients below it. `seed`: of the random sample of waits. `detail`: also keep data of each
 * client, each window of time and single intervals; without it measure_windows and measure_excerpt are NULL. The caller
 * frees it. */
measure *measure_new(uint32_t clients, uint64_t seed, bool detail);
void measure_free(measure *m);                     /* NULL is fine */
/* For simulate_options.on_occurrence; the context is a measure. */
void measure_occurrence(void *context, const occurrence *o);
/* The run is over, if OCCURS_ENDS has not said so: the remaining waits are unfinished. The functions below may be
 * called from now on. */
void measure_end(measure *m, int64_t end_us);

/* false: it is not defined, since nothing of the kind happened. */
bool measure_metric(const measure *m, metric k, double *value);

typedef enum { MEASURED_WAITS, MEASURED_HOLDS, MEASURED_HANDOFFS, MEASURED_OVERTAKES, MEASURED_KINDS } measured_kind;
/* All of a run's; microseconds, of overtakes their number. HISTOGRAM_FINE. */
const histogram *measure_histogram(const measure *m, measured_kind k);

typedef struct {
    bool asked;            /* at all; waits before the end of the warm-up count as asked */
    uint64_t grants, timeouts;
    histogram waits;       /* HISTOGRAM_COARSE; with detail only */
    int64_t wait_us;       /* the sum of all waits */
    uint64_t waits_known;  /* how many: a grant without an announced demand has none */
    int64_t hold_us;       /* the sum of all holds that ended */
    uint64_t holds;
    uint64_t overtaken;    /* the sum over its acquisitions */
    uint32_t overtaken_longest;
} client_account;
const client_account *measure_client(const measure *m, uint32_t client);
uint32_t measure_clients(const measure *m);

typedef struct {
    uint64_t grants, timeouts;
    histogram waits, handoffs;     /* HISTOGRAM_COARSE; with detail only */
    int64_t busy_us, idle_us, hold_us;
    uint64_t holds;
    int64_t queue_us;      /* waiters times microseconds */
} lock_totals;
size_t measure_locks(const measure *m);
const lock_totals *measure_lock(const measure *m, size_t lock);

int64_t measure_begin_us(const measure *m);        /* the warm-up ended here */
int64_t measure_end_us(const measure *m);
const windows *measure_windows(const measure *m);
const excerpt *measure_excerpt(const measure *m);

#endif
