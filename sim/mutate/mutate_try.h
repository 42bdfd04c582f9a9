/* mutate_try.h - one scenario and one mutant: does the result change, and can any client tell? */
#ifndef LOCKSIM_MUTATE_MUTATE_TRY_H
#define LOCKSIM_MUTATE_MUTATE_TRY_H

#include "mutate/mutate_internal.h"

/* Runs a scenario to its verdict, and no further; path.n == 0: with the scripts as they are, else the one at `path`
 * reads `text`. Everything of *out lives in `a`, but for out->error. */
void mutate_run(const mutation *m, arena *a, str scene, str path, str text, uint64_t states_max, outcome *out);
/* The same with the original; also the client code that it ran, in `a` (one row a file). */
void mutate_run_original(const mutation *m, arena *a, str scene, uint64_t states_max, outcome *out,
                         reached_driver **drivers, size_t *count);
/* The differences from the expected result, for people: never empty. */
str mutate_differs(arena *a, const outcome *out);
/* Runs both versions side by side. TRY_EQUAL: no client can tell, and the keyspaces never differ, in every state of the
 * scenario. */
typedef enum { TRY_EQUAL, TRY_DIFFERS, TRY_UNDECIDED } try_result;
/* `drivers`: the file is client code. *tell, in `a`: what differs, for people. */
try_result mutate_compare(const mutation *m, arena *a, str scene, bool drivers, str path, str text, uint64_t states_max,
                          str *tell);

#endif
