/* jobs.h - the work of `locksim run`: the scenario files that its arguments name, in order, and the twins of its
 * exhibits. */
#ifndef LOCKSIM_JUDGE_JOBS_H
#define LOCKSIM_JUDGE_JOBS_H

#include "judge/judge.h"

/* A scenario file, or an argument that could not be read (`unread`). Run by any thread, published in order. */
typedef struct {
    str path;
    err *unread;
    size_t twin;                   /* number of the job that runs this exhibit's twin, from 1; 0: none */
    bool is_twin;                  /* of some exhibit */
    judged result;
    bool done;
} job;

typedef struct {
    job *at;
    size_t count;
    size_t left_out;               /* by --in-diff and --shard */
} job_list;

/* Of the scenarios that the arguments name, those that --in-diff and --shard leave. With `--table`, the exhibits' twins
 * are found among them, or added at the end. */
/* false: --shard has a syntax error, or --in-diff knows no such revision; `e` says so. */
bool jobs_collect(arena *a, const options *o, job_list *out, err *e);

#endif
