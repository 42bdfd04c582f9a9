/* load.h - loads scenario files: runs them in a Lua state like the client's, and reads the result (scenario/). */
#ifndef LOCKSIM_CLIENT_LOAD_H
#define LOCKSIM_CLIENT_LOAD_H

#include "scenario/scenario.h"

/* Loads and checks a scenario; everything lives in `a`. */
bool scenario_load_case(arena *a, const loader *l, const scenario_source *from, scenario *out, err *e);
/* The same for a file that is one scenario. */
bool scenario_load(arena *a, const loader *l, str path, str text, scenario *out, err *e);
/* The names of the file's cases, in byte order; 0 of them: the file is one scenario. Runs the file's Lua once. false:
 * it cannot be loaded, or what it says of its cases is wrong; `e` has the place. */
bool scenario_cases(arena *a, const loader *l, str path, str text, const str **names, size_t *count, err *e);

#endif
