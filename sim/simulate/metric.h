/* metric.h - all measured numbers of a run: names, units and definitions, in the order of output. */
#ifndef LOCKSIM_SIMULATE_METRIC_H
#define LOCKSIM_SIMULATE_METRIC_H

#include "base/buf.h"

typedef enum {
    METRIC_ACQUISITIONS, METRIC_THROUGHPUT,
    METRIC_WAIT_MEAN, METRIC_WAIT_P50, METRIC_WAIT_P90, METRIC_WAIT_P99, METRIC_WAIT_P999, METRIC_WAIT_MAX,
    METRIC_WAIT_BEST_CLIENT, METRIC_WAIT_WORST_CLIENT,
    METRIC_HOLD_MEAN, METRIC_HOLD_P99, METRIC_BUSY,
    METRIC_TIMEOUTS, METRIC_TIMEOUT_WAIT, METRIC_UNFINISHED, METRIC_UNFINISHED_LONGEST, METRIC_UNSERVED,
    METRIC_OVERTAKEN_MEAN, METRIC_OVERTAKEN_P99, METRIC_OVERTAKEN_MAX, METRIC_OVERTAKEN_LONGEST,
    METRIC_JAIN_GRANTS, METRIC_JAIN_WAITS, METRIC_JAIN_SHORT, METRIC_SHARE_LEAST, METRIC_SHARE_MOST,
    METRIC_QUEUE_MEAN, METRIC_QUEUE_MAX,
    METRIC_HANDOFF_MEAN, METRIC_HANDOFF_P50, METRIC_HANDOFF_P99, METRIC_HANDOFF_MAX, METRIC_IDLE,
    METRIC_REQUESTS, METRIC_COMMANDS, METRIC_SCRIPTS, METRIC_MESSAGES, METRIC_IDLE_POLLS,
    METRIC_LOST, METRIC_UNRELEASED, METRIC_CRASHED_HOLDING, METRIC_CRASHED_WAITING,
    METRIC_CRASHES, METRIC_PAUSES, METRIC_LOST_ON_THE_WAY,
    METRIC_COUNT
} metric;

typedef enum { METRIC_LENGTHS, METRIC_RATIOS, METRIC_COUNTS } metric_kind;

typedef struct {
    const char *name;      /* "wait_p99": for files and programs */
    const char *unit;      /* "ms", "1/s", "", ... */
    const char *label;     /* "wait p99": for tables */
    metric_kind kind;      /* of COUNTS, nothing that ever happened is 0; of the others it is not defined */
    const char *definition;        /* sentences, on one line */
} metric_info;

const metric_info *metric_describe(metric k);
/* Adds all definitions, folded to 100 columns and indented by two, with the facts that they share and their sources. */
void metric_add_definitions(buf *out);
/* A value as text: 12,000, 1.02, 0.0034: three significant digits or more, never an exponent. */
void metric_add_value(buf *out, double value);
void metric_add_rounded(buf *out, double value, int decimals);     /* 1,234.50 */

#endif
