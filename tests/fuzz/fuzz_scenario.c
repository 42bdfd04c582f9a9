/* fuzz_scenario.c - any text as a scenario file: it loads, or is refused with a place and a reason; what loads is
 * walked a few steps, every step of which is found again by its name.
 * Input: the file's text. How long it is decides which step is taken. */
#include "fuzz.h"

#include "client/load.h"
#include "world/world.h"

enum { WALK_STEPS = 12 };

/* One file is there, so that `require` and `script` find something. */
static bool read_file(void *context, str name, arena *a, str *path, str *text, err *e)
{
    (void)context;
    *path = arena_str(a, name);
    if (str_eq(name, S("lib.lua")))
        *text = S("local lib = {} function lib.twice(n) return 2 * n end return lib");
    else if (str_eq(name, S("get.lua")))
        *text = S("return redis.call('get', KEYS[1])");
    else
        return err_set(e, ERR_SCENARIO, "no file \"%.*s\" here", STR_ARG(name));
    return true;
}

static const loader files = { .read = read_file };

static void check_error(const err *e, bool driver_too)
{
    FUZZ_CHECK(e->class_ == ERR_SCENARIO || (driver_too && e->class_ == ERR_DRIVER), "an error of class %d: %.*s",
               (int)e->class_, STR_ARG(buf_str(&e->message)));
    FUZZ_CHECK(e->message.n > 0 && e->line >= 1, "an error without a place or a reason: %d %.*s", e->line,
               STR_ARG(buf_str(&e->message)));
    buf shown = { 0 };
    err_print(e, &shown);
    FUZZ_CHECK(shown.n > 0 && shown.p[shown.n - 1] == '\n', "an error is shown as %.*s", STR_ARG(buf_str(&shown)));
    buf_free(&shown);
}

/* No two enabled steps have one name, and each is found by its own. */
static void check_names(world *w, const step *steps, size_t count)
{
    buf name = { 0 };
    for (size_t i = 0; i < count; i++) {
        buf_clear(&name);
        world_name_step(w, &steps[i], &name);
        str token = buf_str(&name), argument = { 0 };
        size_t blank = str_find(token, ' ', 0);
        if (token.n > 0 && token.p[0] == '!') {
            argument = str_slice(token, blank + 1, token.n);
            token = str_slice(token, 0, blank);
        }
        step found;
        err e = { 0 };
        bool ok = world_find(w, token, argument, &found, &e);
        FUZZ_CHECK(ok, "the step %.*s is not found: %.*s", STR_ARG(buf_str(&name)), STR_ARG(buf_str(&e.message)));
        FUZZ_CHECK(found.kind == steps[i].kind && found.process == steps[i].process && found.task == steps[i].task &&
                   found.request == steps[i].request &&
                       found.copy == steps[i].copy && found.amount == steps[i].amount &&
                       found.fault == steps[i].fault && found.server == steps[i].server,
                   "%.*s is found to be another step", STR_ARG(buf_str(&name)));
    }
    buf_free(&name);
}

static void walk(const scenario *sc, uint64_t way)
{
    err e = { 0 };
    world *w = world_new(sc, &files, &(world_options){ .limits = { .script_steps = 20000 }, .record = true }, &e);
    bool ok = w != NULL;
    for (int i = 0; ok && i < WALK_STEPS && !world_over(w); i++) {
        const step *steps;
        size_t count = world_enabled(w, &steps);
        if (count == 0) {
            ok = world_settle(w, &e);
            break;
        }
        check_names(w, steps, count);
        ok = world_take(w, &steps[way % count], &e);
        way = way / count + 1;
    }
    if (!ok)
        check_error(&e, true);
    err_clear(&e);
    world_free(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena *a = arena_new();
    scenario sc;
    err e = { 0 };
    str text = arena_str(a, (str){ (const char *)data, size });
    if (!scenario_load(a, &files, S("fuzz.lua"), text, &sc, &e))
        check_error(&e, false);
    else
        walk(&sc, size);
    err_clear(&e);
    arena_free(a);
    return 0;
}
