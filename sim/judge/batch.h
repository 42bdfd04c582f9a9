/* batch.h - scenarios searched side by side, and their results published one after the other, in the order of the
 * jobs. */
#ifndef LOCKSIM_JUDGE_BATCH_H
#define LOCKSIM_JUDGE_BATCH_H

#include "judge/jobs.h"

/* What becomes of a result, in the order of the jobs and by one thread: false ends the batch early. Its counterexamples
 * are saved. */
typedef bool (*batch_publish)(void *context, judged *result);

typedef struct {
    progress_board board;
    taken_names taken;
    job_list jobs;
    size_t published;              /* the first so many jobs are */
    int status;                    /* the worst of these; INCONCLUSIVE at least, where Ctrl-C left some out */
} batch;

/* Searches p->jobs on as many threads as `o` asks for, or on all ranks, and saves counterexamples: on rank 0, which
 * alone publishes. After an interrupt of a job of ranks `p` must stay until the process ends (crew.h). */
void batch_run(batch *p, const options *o, batch_publish publish, void *context);
/* The published results as the report takes them; batch_close frees them. */
report_item *batch_items(const batch *p, arena *a);
void batch_close(batch *p);

#endif
