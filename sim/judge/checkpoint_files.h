/* checkpoint_files.h - a run that can be resumed (--checkpoint DIR, --resume DIR).
 *
 *     DIR/run                        the run's identity: this build, the options, the scenarios
 *     DIR/NAME.PRINT.result          a finished scenario, as packed.h packs it
 *     DIR/NAME.PRINT.0.checkpoint    an unfinished one: its search, between two rows (search/checkpoint.h)
 *
 * Each names what it depends on: build and options, and the files that were read for it, as looked.h knows them. So
 * what another run left in DIR is as good as not there. */
#ifndef LOCKSIM_JUDGE_CHECKPOINT_FILES_H
#define LOCKSIM_JUDGE_CHECKPOINT_FILES_H

#include "judge/jobs.h"

/* The folder in the options; NULL: nothing is kept. */
const char *checkpoint_folder(const options *o);
/* Before a run: makes DIR and writes the run's identity, or (--resume) compares it. false: ERR_USAGE or ERR_IO, or, for
 * another run, ERR_SCENARIO. */
bool checkpoint_run_begins(const options *o, const job_list *jobs, err *e);

/* The files of one scenario. */
typedef struct scenario_files scenario_files;
/* Reads the scenario's files. `s` must outlive it. NULL: nothing is kept; or, with `e` filled, the files belong to
 * something else (ERR_SCENARIO). */
scenario_files *scenario_files_open(const options *o, str path, const opened *s, progress *p, err *e);
/* Its result, if it was finished. */
bool scenario_files_result(scenario_files *f, judged *out);
/* For search_options. */
const checkpoints *scenario_files_door(scenario_files *f);
/* After its search. A result that was not cut short replaces its checkpoints. Returns the new value of
 * `out->status`. */
int scenario_files_close(scenario_files *f, const judged *out);

#endif
