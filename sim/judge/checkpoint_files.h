/* checkpoint_files.h - a run that another one can go on with (--checkpoint DIR, --resume DIR).
 *
 *     DIR/run                        whose run it is: this build, the options, the scenarios
 *     DIR/NAME.PRINT.result          a scenario that is done, as packed.h packs it
 *     DIR/NAME.PRINT.0.checkpoint    one that is not: its search, between two rows (search/checkpoint.h)
 *
 * Each says what it rests on: the files that were read for it, as looked.h knows them. */
#ifndef LOCKSIM_JUDGE_CHECKPOINT_FILES_H
#define LOCKSIM_JUDGE_CHECKPOINT_FILES_H

#include "judge/jobs.h"

/* The folder that the options name; NULL: nothing is kept. */
const char *checkpoint_folder(const options *o);
/* Before a run: makes DIR and says whose run it is, or (--resume) asks whether it is this one. false: ERR_USAGE or
 * ERR_IO, or of another run ERR_SCENARIO. */
bool checkpoint_run_begins(const options *o, const job_list *jobs, err *e);

/* What is kept of one scenario. */
typedef struct scenario_files scenario_files;
/* Reads what is there of it. `s` must outlive it; NULL where nothing is kept, or, with `e` filled, where what is there
 * does not belong to it (ERR_SCENARIO). */
scenario_files *scenario_files_open(const options *o, str path, const opened *s, progress *p, err *e);
/* Its result, if it was done. */
bool scenario_files_result(scenario_files *f, judged *out);
/* For search_options. */
const checkpoints *scenario_files_door(scenario_files *f);
/* After its search. A result that nothing cut short takes the place of its checkpoints. Returns what `out->status`
 * should be. */
int scenario_files_close(scenario_files *f, const judged *out);

#endif
