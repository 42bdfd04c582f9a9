/* mutate_save.h - the folder that `locksim mutate -o DIR` keeps: index.tsv says what became of each mutant, so that a
 * second run goes on where the first one stopped; beside it a .diff and a .log of each. And the file of explained
 * survivors. */
#ifndef LOCKSIM_MUTATE_MUTATE_SAVE_H
#define LOCKSIM_MUTATE_MUTATE_SAVE_H

#include "mutate/mutate_internal.h"

/* Takes from DIR/index.tsv the results with the same inputs; without the file, or without -o, none. */
bool mutate_resume(mutation *m, size_t *known, err *e);
/* Writes the folder's files as far as mutants are judged. */
bool mutate_save(const mutation *m, err *e);

/* --explained FILE: survivors with a reason. A line each, its fields separated by tabs: script, operator, from, to,
 * which of several with the same text (from 1), reason. Empty lines and those that begin with # are skipped. Marks them
 * MUTANT_EXPLAINED. A line that explains no survivor, of a script that was judged as a whole, is stale: it is added to
 * *stale. */
bool mutate_explain(mutation *m, buf *stale, err *e);

/* Of the wanted mutants those stay wanted that the index.tsv of an earlier run, with other scenarios or limits perhaps,
 * has as survived or undecided. false: it cannot be read, or is none. */
bool mutate_only_left(mutation *m, const char *index, err *e);

#endif
