/* mutate_collect.h - what `locksim mutate` has to do: the scripts with their mutants, and the scenarios that load
 * them. */
#ifndef LOCKSIM_MUTATE_MUTATE_COLLECT_H
#define LOCKSIM_MUTATE_MUTATE_COLLECT_H

#include "mutate/mutate_internal.h"

/* Fills m->targets and m->scenes from the options; both live in m->a. Scripts named as files must be loaded by some
 * scenario; below a folder, files that none loads as a script are passed over, and counted. false: `e`. */
bool mutate_collect(mutation *m, uses *u, size_t *passed_over, err *e);
/* Marks what --shard and --in-diff leave out as not wanted. */
bool mutate_choose(mutation *m, err *e);

#endif
