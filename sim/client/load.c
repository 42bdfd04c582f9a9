/* load.c - runs scenario files in a Lua state of a client. */
#include "client/load.h"

#include "client/process_internal.h"
#include "scenario/runner.h"

static void *open(source_cache *sources, const loader *l, arena *memory) { return state_new(sources, l, memory); }
static lua_State *lua(void *p) { return ((process *)p)->L; }
static bool run(void *p, str path, str text, source **main, err *e)
{
    return process_load_main(p, path, text, main, e);
}
static void close(void *p) { state_free(p); }

static const file_runner client_lua = { .open = open, .lua = lua, .run = run, .close = close };

bool scenario_load_case(arena *a, const loader *l, const scenario_source *from, scenario *out, err *e)
{
    return scenario_read_case(&client_lua, a, l, from, out, e);
}

bool scenario_load(arena *a, const loader *l, str path, str text, scenario *out, err *e)
{
    return scenario_load_case(a, l, &(scenario_source){ .file = path, .text = text, .case_ = S("") }, out, e);
}

bool scenario_cases(arena *a, const loader *l, str path, str text, const str **names, size_t *count, err *e)
{
    return scenario_read_cases(&client_lua, a, l, &(scenario_source){ .file = path, .text = text }, names, count, e);
}
