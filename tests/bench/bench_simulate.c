/* bench_simulate.c - how fast a simulation is. Usage: bench_simulate [ratios|table|memory]; from the root of the
 * repository.
 *
 * Ratios: script calls a second of a whole simulation (drivers, clients, network, what is told of it) beside bare Lua
 * 5.1 that runs the same calls: the same texts with the same KEYS and ARGV in the same order, as the simulation made
 * them; its redis.call looks at nothing and returns what the real one returned at that place. Medians of ROUNDS rounds,
 * in turn within one run, in processor time. The script host alone has about half of bare Lua's speed (bench_script). A
 * plain program that asks stands beside Redisson's client, whose Lua (futures, callbacks, a watchdog, an entry for
 * messages) runs some thousand instructions a script call: most of a simulation's time is the client's.
 * Table: acquisitions a second of processor time, by the number of clients and how much they want. Clients that think
 * cost nothing. Where all wait, each unlock of the plain lock wakes every one of them to ask again, and each grant of
 * the fair lock moves every deadline in its queue: both grow with the number of waiters. What is counted begins
 * with the third acquisition: by then each client has asked. Memory: what a client takes, and 10,000 of them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/intern.h"
#include "base/mem.h"
#include "host/files.h"
#include "client/load.h"
#include "redis/redis.h"
#include "simulate/simulate.h"
#include "tests/bench/measure.h"

enum { ROUNDS = 5, CALLS = 20000, WORDS_MAX = 40 };

/* ---- simulations ---- */

typedef struct {
    arena *a;
    search_path where;
    loader l;
    scenario sc;
    double begun_s, ended_s, limit_s;              /* processor time */
    uint64_t scripts, grants;                      /* since BEGINS */
    bool counting;
} run;

static void on_occurrence(void *context, const occurrence *o)
{
    run *r = context;
    if (o->kind == OCCURS_BEGINS) {
        r->counting = true;
        r->begun_s = cpu_s(RUSAGE_SELF);
    }
    if (o->kind == OCCURS_ENDS)
        r->ended_s = cpu_s(RUSAGE_SELF);
    r->scripts += r->counting && o->kind == OCCURS_REQUEST && o->script;
    r->grants += r->counting && o->kind == OCCURS_GRANTED;
}

static bool go_on(void *context, int64_t at_us, uint64_t acquisitions)
{
    const run *r = context;
    (void)at_us, (void)acquisitions;
    return r->limit_s == 0 || !r->counting || cpu_s(RUSAGE_SELF) - r->begun_s < r->limit_s;
}

static void stop(const err *e)
{
    buf shown = { 0 };
    err_print(e, &shown);
    fprintf(stderr, "%.*s", (int)shown.n, shown.p);
    exit(1);
}

static void load(run *r, const char *text)
{
    *r = (run){ .a = arena_new(), .where = { .shipped = S("scripts"), .beside = S("scenarios") } };
    r->l = search_path_loader(&r->where);
    err e = { 0 };
    if (!scenario_load(r->a, &r->l, S("bench.lua"), arena_str(r->a, str_from(text)), &r->sc, &e))
        stop(&e);
}

static void simulate(run *r, simulate_options o)
{
    simulate_result result;
    err e = { 0 };
    o.seed = 1;
    o.context = r;
    o.on_occurrence = on_occurrence;
    o.go_on = go_on;
    r->scripts = r->grants = 0;
    r->counting = false;
    if (!simulate_run(&r->sc, &r->l, &o, &result, &e))
        stop(&e);
    simulate_result_free(&result);
}

static void unload(run *r)
{
    arena_free(r->a);
}

/* ---- the same calls in bare Lua ---- */

typedef struct {
    str script;
    str *argv;             /* of the EVALSHA */
    size_t argc, keys, first_reply;
} call;

typedef struct {
    run r;                 /* first: the callbacks' context */
    arena *a;
    call *calls;
    size_t count, warm;    /* warm: recorded while the simulation was not counting */
    reply *replies;
    size_t reply_count, reply_cap, reply_from;
} record;

static void on_call(void *context, const reply *answer)
{
    record *c = context;
    if (c->count == CALLS || !c->r.counting)
        return;
    MEM_RESERVE(c->replies, c->reply_cap, c->reply_count + 1);
    c->replies[c->reply_count++] = reply_copy(c->a, answer);
}

static void on_executed(void *context, uint32_t server, const str *argv, size_t argc, str script)
{
    record *c = context;
    (void)server;
    if (script.n == 0 || c->count == CALLS || !c->r.counting)
        return;
    call *x = &c->calls[c->count++];
    *x = (call){ .script = script, .argv = ARENA_ARRAY(c->a, str, argc), .argc = argc, .first_reply = c->reply_from };
    for (size_t i = 0; i < argc; i++)
        x->argv[i] = arena_str(c->a, argv[i]);
    x->keys = (size_t)atoi(x->argv[2].p);
    c->reply_from = c->reply_count;
}

static const reply *next_reply;

static int bare_call(lua_State *L)
{
    const reply *r = next_reply++;
    switch (r->kind) {
    case REPLY_INTEGER: lua_pushnumber(L, (lua_Number)r->integer); return 1;
    case REPLY_BULK: lua_pushlstring(L, r->text.p, r->text.n); return 1;
    case REPLY_DOUBLE: lua_pushfstring(L, "%f", r->number); return 1;
    case REPLY_STATUS: lua_pushvalue(L, lua_upvalueindex(1)); return 1;
    case REPLY_ARRAY:
        lua_createtable(L, (int)r->count, 0);
        for (size_t i = 0; i < r->count; i++) {
            lua_pushlstring(L, r->items[i].text.p ? r->items[i].text.p : "", r->items[i].text.n);
            lua_rawseti(L, -2, (int)i + 1);
        }
        return 1;
    default: lua_pushboolean(L, false); return 1;
    }
}

static void set_array(lua_State *L, const char *name, const str *items, size_t n)
{
    lua_createtable(L, (int)n, 0);
    for (size_t i = 0; i < n; i++) {
        lua_pushlstring(L, items[i].p, items[i].n);
        lua_rawseti(L, -2, (int)i + 1);
    }
    lua_setglobal(L, name);
}

/* Calls a second. */
static double run_bare(const record *c)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_newtable(L);
    lua_newtable(L);
    lua_pushliteral(L, "OK");
    lua_setfield(L, -2, "ok");
    lua_pushcclosure(L, bare_call, 1);
    lua_setfield(L, -2, "call");
    lua_setglobal(L, "redis");
    intern *known = intern_new();
    int function[64];
    double from = 0;
    for (int pass = 0; pass < 2; pass++) {         /* the first compiles */
        from = cpu_s(RUSAGE_SELF);
        for (size_t i = 0; i < c->count; i++) {
            const call *x = &c->calls[i];
            bool fresh;
            uint32_t which = intern_add(known, x->argv[1], &fresh);
            assert(which < COUNT(function));
            if (fresh) {
                int status = luaL_loadbuffer(L, x->script.p, x->script.n, "@user_script");
                assert(status == 0);
                function[which] = luaL_ref(L, LUA_REGISTRYINDEX);
            }
            set_array(L, "KEYS", x->argv + 3, x->keys);
            set_array(L, "ARGV", x->argv + 3 + x->keys, x->argc - 3 - x->keys);
            next_reply = c->replies + x->first_reply;
            lua_rawgeti(L, LUA_REGISTRYINDEX, function[which]);
            int status = lua_pcall(L, 0, 1, 0);
            assert(status == 0);
            lua_pop(L, 1);
        }
    }
    double rate = (double)c->count / (cpu_s(RUSAGE_SELF) - from);
    intern_free(known);
    lua_close(L);
    return rate;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *rates)
{
    qsort(rates, ROUNDS, sizeof *rates, by_size);
    return rates[ROUNDS / 2];
}

static void ratio(const char *name, const char *text)
{
    record c = { .a = arena_new() };
    load(&c.r, text);
    c.calls = ARENA_ARRAY(c.a, call, CALLS);
    simulate(&c.r, (simulate_options){ .on_executed = on_executed, .on_call = on_call });
    double whole[ROUNDS], bare[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        simulate(&c.r, (simulate_options){ 0 });
        whole[i] = (double)c.r.scripts / (c.r.ended_s - c.r.begun_s);
        bare[i] = run_bare(&c);
    }
    double per = (double)c.r.scripts / (double)c.r.grants, w = median(whole), b = median(bare);
    printf("bench simulate %s %.0f bare %.0f ratio %.3f (%.1f script calls an acquisition: %.0f acquisitions/s)\n",
           name, w, b, w / b, per, w / per);
    fflush(stdout);
    mem_free(c.replies);
    arena_free(c.a);
    unload(&c.r);
}

static const char *workload_text(const char *driver, const char *workload)
{
    static char text[4096];
    snprintf(text, sizeof text, "local driver = require '%s'\n"
             "return { clients = { 'A' }, program = function(me)\n"
             "  local lock = driver.lock(me, 'L')\n  if lock:acquire() then me:work() lock:release() end\nend,\n"
             "workload = { %s, hold_ms = { exponential = 10 }, latency_ms = { uniform = { 0.1, 0.3 } } } }", driver,
             workload);
    return text;
}

/* The same scripts without a driver around them: a program that asks every 5 ms. */
static const char plain[] =
    "local acquire, release = script 'redisson/lock/acquire.lua', script 'redisson/lock/release.lua'\n"
    "return { clients = { 'A' }, program = function(me)\n"
    "  me:wants('L')\n"
    "  while me:eval(acquire, { 'L' }, { 30000, me.id }) do me:refused('L') me:sleep(5) end\n"
    "  me:granted('L') me:work()\n"
    "  me:eval(release, { 'L', 'ch', me:unique('latch') }, { 0, 30000, me.id, 'PUBLISH', 20000 }) me:released('L')\n"
    "end,\n"
    "workload = { clients = 100, arrivals = { think_ms = { exponential = 1150 } }, warm_up = 200, acquisitions = 2000, "
        "hold_ms = { exponential = 10 },\n"
    "latency_ms = { uniform = { 0.1, 0.3 } } } }";

/* Think times such that some three wait on average; of the fair lock all but one do, and think as good as never. */
static void ratios(void)
{
    ratio("reentrant, 100 clients, 3 waiting",
          workload_text("redisson.lock", "clients = 100, arrivals = { think_ms = { exponential = 1200 } }, "
                        "warm_up = 200, acquisitions = 2000"));
    ratio("reentrant scripts, plain program", plain);
    ratio("fair, 10 waiters", workload_text("redisson.fair", "clients = 11, arrivals = { think_ms = 0 }, warm_up = "
                                            "100, acquisitions = 1000"));
    ratio("fair, 100 waiters", workload_text("redisson.fair", "clients = 101, arrivals = { think_ms = 0 }, warm_up = "
                                             "200, acquisitions = 1000"));
}

static void table(void)
{
    static const char *const drivers[] = { "redisson.lock", "redisson.fair" };
    static const struct { const char *name, *arrivals; } loads[] = {
        { "20 %", "arrivals = { poisson_per_s = 20 }" }, { "80 %", "arrivals = { poisson_per_s = 75 }" },
        { "all clients wait", "arrivals = { think_ms = 0 }" },
    };
    printf("acquisitions/s of processor time, hold 10 ms; load 20 %%, 80 %%, all clients wait\n");
    for (size_t d = 0; d < COUNT(drivers); d++)
        for (int clients = 10; clients <= 10000; clients *= 10) {
            printf("bench simulate-table %s clients %d", drivers[d], clients);
            for (size_t i = 0; i < COUNT(loads); i++) {
                char workload[200];
                snprintf(workload, sizeof workload, "clients = %d, %s, warm_up = 2, acquisitions = 10000", clients,
                         loads[i].arrivals);
                run r;
                load(&r, workload_text(drivers[d], workload));
                r.limit_s = 1;
                simulate(&r, (simulate_options){ 0 });
                printf(" %.4g", (double)r.grants / (r.ended_s - r.begun_s));
                fflush(stdout);
                unload(&r);
            }
            printf("\n");
        }
}

static size_t resident(void)
{
    FILE *f = fopen("/proc/self/statm", "r");
    size_t pages = 0, all = 0;
    if (!f || fscanf(f, "%zu %zu", &all, &pages) != 2)
        exit(1);
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t resident_most;

static bool look(void *context, int64_t at_us, uint64_t acquisitions)
{
    size_t now = resident();
    resident_most = now > resident_most ? now : resident_most;
    return go_on(context, at_us, acquisitions);
}

static void memory(void)
{
    static const char *const drivers[] = { "simple.string", "redisson.lock", "redisson.fair" };
    for (size_t d = 0; d < COUNT(drivers); d++) {
        run r;
        load(&r, workload_text(drivers[d], "clients = 10000, arrivals = { think_ms = { exponential = 2000000 } }, "
                               "acquisitions = 20000"));
        r.limit_s = 5;
        resident_most = 0;
        simulate_result result;
        err e = { 0 };
        double from_s = cpu_s(RUSAGE_SELF);
        simulate_options o = { .seed = 1, .context = &r, .on_occurrence = on_occurrence, .go_on = look };
        if (!simulate_run(&r.sc, &r.l, &o, &result, &e))
            stop(&e);
        printf("bench simulate-memory %s 10000 clients %.0f MiB, %.1f KiB each, made in %.1f s; %" PRIu64
               " acquisitions\n", drivers[d],
               (double)resident_most / 1048576, (double)resident_most / 10000 / 1024, r.begun_s - from_s,
               result.acquisitions);
        fflush(stdout);
        simulate_result_free(&result);
        unload(&r);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!*what || strcmp(what, "ratios") == 0)
        ratios();
    if (!*what || strcmp(what, "table") == 0)
        table();
    if (!*what || strcmp(what, "memory") == 0)
        memory();
    return 0;
}
