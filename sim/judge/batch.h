/* batch.h - runs scenarios in parallel and publishes their results in the order of the jobs. */
#ifndef LOCKSIM_JUDGE_BATCH_H
#define LOCKSIM_JUDGE_BATCH_H

#include "judge/jobs.h"

/* Receives the results in the order of the jobs, on one thread: false ends the batch early. Counterexamples are already
 * saved. */
typedef bool (*batch_publish)(void *context, judged *result);

typedef struct {
    progress_board board;
    taken_names taken;
    job_list jobs;
    size_t published;              /* number of published jobs, the first ones */
    int status;                    /* the worst of these; at least INCONCLUSIVE if Ctrl-C left some out */
} batch;

/* Searches p->jobs on as many threads as `o` asks for, or on all ranks, and saves counterexamples on rank 0, the only
 * one that publishes. After an interrupt of a job of ranks `p` must stay until the process ends (crew.h). */
void batch_run(batch *p, const options *o, batch_publish publish, void *context);
/* The published results in the report's form; batch_close frees them. */
report_item *batch_items(const batch *p, arena *a);
void batch_close(batch *p);

#endif
