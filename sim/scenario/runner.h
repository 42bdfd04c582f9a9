/* runner.h - a scenario's file is Lua, and is run in order to be read. The Lua state for that, of the client's kind,
 * comes from above: client/load.h, through which scenarios are loaded. */
#ifndef LOCKSIM_SCENARIO_RUNNER_H
#define LOCKSIM_SCENARIO_RUNNER_H

#include <lauxlib.h>
#include <lua.h>

#include "scenario/scenario.h"
#include "scenario/source.h"

typedef struct {
    /* A fresh state with an empty stack; `memory` and `sources` outlive it. */
    void *(*open)(source_cache *sources, const loader *l, arena *memory);
    lua_State *(*lua)(void *state);
    /* Runs the file and leaves its result on the stack. *main is the file as a source, made if it is NULL. */
    bool (*run)(void *state, str path, str text, source **main, err *e);
    void (*close)(void *state);                    /* NULL is fine */
} file_runner;

/* Implements scenario_load_case and scenario_cases. */
bool scenario_read_case(const file_runner *by, arena *a, const loader *l, const scenario_source *from, scenario *out,
                        err *e);
bool scenario_read_cases(const file_runner *by, arena *a, const loader *l, const scenario_source *from,
                         const str **names, size_t *count, err *e);

#endif
