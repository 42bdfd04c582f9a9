/* replicate.h - the runs of `locksim simulate`: every seed of every workload of every file, in parallel, with the
 * results in order. */
#ifndef LOCKSIM_JUDGE_REPLICATE_H
#define LOCKSIM_JUDGE_REPLICATE_H

#include "host/files.h"
#include "host/progress.h"
#include "report/simulation.h"

/* One workload of one file. `told` is filled in when it is published. */
typedef struct {
    simulated told;
    size_t which;                  /* of the scenario's workloads, or SIMULATE_ONCE */
    size_t seeds;
    replications *runs;
    measure *cut;                  /* of seed 0, if that was stopped */
    err failed;                    /* of the lowest seed that failed */
    size_t failed_seed;
    size_t error_seed;             /* of told.first_error */
    size_t finished;               /* runs that have ended, in any way */
    int64_t begun_ms;              /* real clock, of the progress board; of the time limit */
    bool begun, late;
} replicated;

typedef struct {
    replicated *at;
    size_t count;
} replicate_list;

/* The workloads that the arguments of `o` name, in order; a file that cannot be loaded, or lacks the named workload, is
 * a failed one. Everything lives in `a` until replicate_free. */
replicate_list replicate_collect(arena *a, const options *o);
/* Runs all of them on as many threads as `o` asks for; calls publish(context, r) in the order of the list, on one
 * thread; false ends it early. */
void replicate_run(const replicate_list *list, arena *a, const options *o,
                   bool (*publish)(void *context, replicated *r), void *context);
/* The exit status for a result. */
int replicate_status(const simulated *t);
/* Writes the data files of a result into a folder below o->out_dir (or .locksim/out); t->folder is set after all are
 * written. */
bool replicate_write(arena *a, const options *o, simulated *t, err *e);
void replicate_free(replicate_list *list);

#endif
