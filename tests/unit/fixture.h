/* fixture.h - scenarios and scripts as texts in memory, for tests that run worlds and searches. */
#ifndef LOCKSIM_TESTS_FIXTURE_H
#define LOCKSIM_TESTS_FIXTURE_H

/* cmocka wants these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "client/load.h"
#include "search/search.h"

typedef struct {
    const char *name, *text;
} fixture_file;

/* Ends with a row of NULLs. */
static const fixture_file *fixture_files;

static inline bool fixture_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    (void)context;
    for (const fixture_file *f = fixture_files; f && f->name; f++)
        if (str_eq(name, str_from(f->name))) {
            *path = arena_str(a, name);
            *text = str_from(f->text);
            return true;
        }
    return err_set(e, ERR_SCENARIO, "no file '%.*s'", STR_ARG(name));
}

static const loader fixture_loader = { .read = fixture_read };

/* A plain reentrant lock: nothing but acquire and release. `acquire` spins in zero time; `try` asks once. */
#define FIXTURE_LOCK \
    "local acquire = script.text [[ if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) " \
    "== 1 then " \
    " redis.call('hincrby', KEYS[1], ARGV[2], 1) redis.call('pexpire', KEYS[1], ARGV[1]) return nil end " \
    " return redis.call('pttl', KEYS[1]) ]]\n" \
    "local release = script.text [[ if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return nil end " \
    " local c = redis.call('hincrby', KEYS[1], ARGV[1], -1) if c > 0 then return 0 end " \
    " redis.call('del', KEYS[1]) redis.call('publish', ARGV[2], '0') return 1 ]]\n" \
    "local driver = { spec = 'reentrant', runtime = 'threads' }\n" \
    "function driver.view(redis, name)\n" \
    "  local holders, all = {}, redis.call('HGETALL', name)\n" \
    "  for i = 1, #all, 2 do holders[all[i]] = tonumber(all[i + 1]) end\n" \
    "  return { holders = holders, ttl_ms = redis.call('PTTL', name), queue = {}, keys = #all > 0 and { name } or {} " \
    "}\n" \
    "end\n" \
    "local function try(me, name, lease, hold)\n" \
    "  me:observe(name, driver)\n" \
    "  me:wants(name)\n" \
    "  local ttl, problem = me:eval(acquire, { name }, { lease, me.id }, { op = 'acquire', lock = name, lease = " \
    "lease })\n" \
    "  if problem then me:gave_up(name) return nil, 0 end\n" \
    "  if ttl == nil then me:granted(name, { lease = lease, count = hold or 1 }) return true end\n" \
    "  me:refused(name)\n" \
    "  return false, ttl\n" \
    "end\n" \
    "local function unlock(me, name)\n" \
    "  local left, problem = me:eval(release, { name }, { me.id, 'ch' }, { op = 'release', lock = name })\n" \
    "  if problem then return end\n" \
    "  if left == nil then me:lost(name) else me:released(name, { count = 1 - left }) end\n" \
    "end\n"

/* Parses a scenario whose text is `lua`; everything lives in `a`. Fails the test if it does not load. */
static inline scenario *fixture_scenario(arena *a, const char *lua)
{
    scenario *sc = ARENA_NEW(a, scenario);
    err e = { 0 };
    if (!scenario_load(a, &fixture_loader, S("test.lua"), str_from(lua), sc, &e)) {
        buf b = { 0 };
        err_print(&e, &b);
        fputs(b.p, stderr);
        buf_free(&b);
        err_clear(&e);
        fail_msg("the scenario does not load");
    }
    return sc;
}

/* Runs it to a verdict. */
static inline outcome *fixture_run(arena *a, const char *lua, search_options o)
{
    outcome *out = ARENA_NEW(a, outcome);
    search_run(a, fixture_scenario(a, lua), &fixture_loader, &o, out);
    if (out->verdict == VERDICT_ERROR) {
        buf b = { 0 };
        err_print(&out->error, &b);
        fputs(b.p, stderr);
        buf_free(&b);
    }
    for (size_t i = 0; i < out->example_count; i++) {          /* shown only when a test fails: cmocka tells which */
        const counterexample *c = &out->examples[i];
        print_message("  %s: %.*s %.*s [%.*s]%s\n", property_describe(c->property)->name, STR_ARG(c->text),
                      STR_ARG(c->why), STR_ARG(c->schedule), c->replayed ? "" : " NOT REPLAYED");
    }
    return out;
}

#endif
