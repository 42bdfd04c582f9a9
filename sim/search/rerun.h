/* rerun.h - the states of vector.h, found without any table: every step is really taken in a whole live world that was
 * run again from the start, and the world that came of it is taken apart. Slow, and the reference for the tables: both
 * give the same rows, but for the numbers in them, so the same number of states and transitions and the same
 * findings. */
#ifndef LOCKSIM_SEARCH_RERUN_H
#define LOCKSIM_SEARCH_RERUN_H

#include "search/vector.h"

typedef struct rerun rerun;
/* It fills the row fields that tell states apart. NULL and the hunt's error if the scenario cannot begin. `p` must be
 * live. */
rerun *rerun_new(hunt *h, parts *p);
void rerun_free(rerun *v);
/* As vectors_begin, vectors_expand, vectors_settle and vectors_seen. A row must have come from here. */
const uint32_t *rerun_begin(const rerun *v, uint32_t *broken);
bool rerun_expand(rerun *v, const uint32_t *row, const happening **list, const uint32_t **rows, size_t *count);
uint32_t rerun_settle(rerun *v, const uint32_t *row);
/* As vectors_spinning, vectors_own_step and vectors_cut. */
uint32_t rerun_spinning(rerun *v, const uint32_t *row, uint32_t process);
uint32_t rerun_own_step(rerun *v, const uint32_t *row, uint32_t process, uint32_t task);
bool rerun_cut(const rerun *v, const uint32_t *row);
const uint32_t *rerun_budgets(const rerun *v, const uint32_t *row);    /* of faults, what is left of them */
uint64_t rerun_seen(const rerun *v);
uint64_t rerun_requests(const rerun *v);             /* really executed, all runs together */

#endif
