/* internal.h - shared by the files of the library: calls that return whatever happens, and errors. */
#ifndef LOCKSIM_LIB_INTERNAL_H
#define LOCKSIM_LIB_INTERNAL_H

#include "base/err.h"
#include "judge/judge.h"
#include "lib/locksim.h"

/* Calls work(context). false: memory ran out or an assertion failed on the way, `error` says so, and whatever `work`
 * was about is in disorder. */
bool guarded(void (*work)(void *context), void *context, locksim_error **error);

/* An error as its user gets it, of one that was filled; false, so that `return error_give(...)` reads well. Within
 * `guarded`. */
bool error_give(locksim_error **error, const err *e);
/* The same for an argument without a meaning. */
bool error_usage(locksim_error **error, const char *what);
/* An object met the end of its memory, or a mistake of ours, before. */
bool error_broken(locksim_error **error);
/* The same outside of `guarded`: any allocation may fail. */
void error_plain(locksim_error **error, locksim_code code, const char *text);

/* A scenario, held by its user and by each of its results. */
struct locksim_scenario {
    opened world;
    options o;
    arena *memory;
    const char *name, *title;
    size_t holders;
    bool broken, held;             /* held: by its user still */
};
void scenario_drop(locksim_scenario *s);

#endif
