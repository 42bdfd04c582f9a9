/* windows.h - what changes over virtual time, in memory that does not grow with it: at most WINDOWS_MAX windows of one
 * width. When they are full, each two become one and the width doubles. */
#ifndef LOCKSIM_SIMULATE_WINDOWS_H
#define LOCKSIM_SIMULATE_WINDOWS_H

#include "simulate/histogram.h"

enum { WINDOWS_MAX = 128, WINDOW_FIRST_US = 1000 };

typedef struct {
    histogram waits;       /* of grants learned in it, microseconds */
    int64_t queue_us;      /* waiters times microseconds */
    uint32_t queue_max;
} window;

typedef struct {
    int64_t begin_us, width_us;
    size_t used, clients;
    window at[WINDOWS_MAX];
    uint32_t *grants;      /* [window * clients + client] */
    bool *asked;           /* [client] */
    size_t askers;
} windows;

windows *windows_new(int64_t begin_us, size_t clients);
void windows_free(windows *w);                     /* NULL is fine */
void windows_asker(windows *w, uint32_t client);   /* this client wants the lock at all */
void windows_grant(windows *w, int64_t at_us, uint32_t client, int64_t wait_us);
/* So many waited from one instant to the other. Spans are told in the order of time. */
void windows_queue(windows *w, int64_t from_us, int64_t to_us, uint32_t waiting);
/* Jain's index of the grants within `count` windows from `first` on, over all askers, and how many of them were granted
 * there. false: none was. */
bool windows_jain(const windows *w, size_t first, size_t count, double *index, size_t *served);
/* How many windows have to be taken together so that each such group has 10 grants for each asker on average; fewer
 * where the run is too short for four groups. At least 1. */
size_t windows_jain_group(const windows *w);

/* (sum x)^2 / (n sum x^2) of numbers that are not negative, of which at least one is above 0: from 1/n, one has all, to
 * 1, all have the same. Source: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for
 * resource allocation in shared computer systems", DEC-TR-301 (1984). */
typedef struct {
    double sum, squares;
    size_t count;
} jain_sum;
void jain_add(jain_sum *j, double x);
bool jain_index(const jain_sum *j, double *index); /* false: it is not defined, there is nothing or all are 0 */

#endif
