/* job.h - the runs of a campaign, over the ranks of a job. Run 0 is made by every rank: it tells how long a run is. Of
 * the others run N belongs to rank N modulo the number of ranks. Rank 0 takes all results in the order of the runs, so
 * the campaign's result is that of one process. */
#ifndef LOCKSIM_DRIVE_JOB_H
#define LOCKSIM_DRIVE_JOB_H

#include "drive/workers.h"

/* By ranks other than 0: makes the rank's runs, and sends what came of each to rank 0, until there are no more or rank
 * 0 cancels. `length`: steps of run 0. */
void job_serve(const campaign *c, run *r, size_t length);

/* ---- rank 0 ---- */

typedef struct job job;
job *job_begin(arena *a, const campaign *c);
bool job_is_own(const job *j, uint64_t number);    /* the caller makes this run */
/* Waits for the result of another rank's run, and gives it as workers_take does. The runs of a rank are asked for in
 * their order. false: the rank, or the time, is over. */
bool job_take(job *j, uint64_t number, arena *a, run_result *out, picks *taken);
/* Cancels the others' runs, and waits until every rank has ended its last one. NULL is fine. */
void job_end(job *j);

#endif
