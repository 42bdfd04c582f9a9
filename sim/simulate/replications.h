/* replications.h - several runs of one workload that differ only in their seed, and their joint result. The order of
 * adding does not matter. */
#ifndef LOCKSIM_SIMULATE_REPLICATIONS_H
#define LOCKSIM_SIMULATE_REPLICATIONS_H

#include "base/buf.h"
#include "simulate/confidence.h"
#include "simulate/measure.h"

typedef struct {
    size_t wanted, done;
    /* of each of `wanted`; unknown until it is done */
    struct { bool known[METRIC_COUNT]; double value[METRIC_COUNT]; } *runs;
    histogram all[MEASURED_KINDS]; /* of all runs together */
    measure *first;                /* run 0, with its detail; NULL: it is not done */
} replications;

replications *replications_new(size_t wanted);
void replications_free(replications *r);           /* NULL is fine */
/* Takes over a run that has ended. Each number once. */
void replications_add(replications *r, size_t number, measure *m);
/* The same for a run, other than the first, that was measured elsewhere: all that replications keep of it, as bytes. */
void replications_tell(const measure *m, buf *out);
void replications_hear(replications *r, size_t number, str bytes);
/* false: no run knows the number. One run alone has no half width: out->count is 1. */
bool replications_interval(const replications *r, metric k, interval *out);
/* b less a, run by run: over the runs in which both know the number. false: there is none. */
bool replications_difference(const replications *a, const replications *b, metric k, interval *out);

#endif
