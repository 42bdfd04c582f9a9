/* jobs.h - what `locksim run` has to do: the scenario files that its arguments name, in order, and the twins of its exhibits. */
#ifndef LOCKSIM_CLI_JOBS_H
#define LOCKSIM_CLI_JOBS_H

#include "cli/judge.h"

/* A scenario file, or an argument that could not be read (`unread`). Worked on by any thread, published in order. */
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
} job_list;

/* With `--table` the exhibits' twins are found among them, and added at the end where they are not. */
job_list jobs_collect(arena *a, const options *o);

#endif
