/* bench_script.c - what a script costs in the full host, beside bare Lua 5.1 running the same text and beside a real
 * redis-server. Usage: bench_script [ROOT]; ROOT is the folder that holds scripts/, "." by default.
 *
 * Full: EVALSHA through redis_execute: arguments looked at, KEYS and ARGV set, every command run on the keyspace, the
 * reply built. Bare: stock Lua with its own libraries, allocator and collector, the text compiled once; KEYS and ARGV
 * set for each run, as any host must; redis.call is a C function that looks at nothing and returns what the real one
 * returned at that place, so that both take the same path. The second figure in brackets is bare Lua with KEYS and ARGV
 * left as they are. Real: EVALSHA sent to a redis-server over a unix socket, one connection, PIPELINE calls at a time:
 * what locksim has to be five times as fast as. Without redis-tools that column is left out.
 * Each line: medians of ROUNDS rounds, all in turn within one run, in calls per second of processor time, so that the
 * ratios depend neither on the machine nor on who else uses it. Of the real server that is its own processor's time,
 * without its client's: what one connection could get from it at best. What this connection did get, by the clock on
 * the wall, stands in brackets. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "real_server.h"
#include "redis/redis.h"
#include "script/script.h"

enum { ROUNDS = 9, PIPELINE = 64, ROUND_MS = 60, REPLIES_MAX = 64, WORDS_MAX = 12, STEPS_MAX = 2 };
#define NOW_MS INT64_C(1700000000000)

/* One script call of a workload, and what its commands answer. */
typedef struct {
    const char *body;
    const char *words[WORDS_MAX];          /* numkeys, keys, arguments */
    char sha[41];
    str argv[WORDS_MAX + 2];
    size_t argc, keys_n;
    reply replies[REPLIES_MAX];
    size_t replies_n;
    int function;                          /* of the bare state */
} bench_step;

typedef struct {
    const char *name;
    const char *setup[4][WORDS_MAX];
    bench_step steps[STEPS_MAX];
} workload;

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- The full host
 * -------------------------------------------------------------------------------------------------- */

static arena *recording;
static bench_step *recorded;

static void record(void *context, str sha1, int line, const str *argv, size_t argc, const reply *r)
{
    (void)context, (void)sha1, (void)line, (void)argv, (void)argc;
    assert(recorded->replies_n < REPLIES_MAX);
    recorded->replies[recorded->replies_n++] = reply_copy(recording, r);
}

static void execute(redis *server, redis_conn *conn, const str *argv, size_t argc, arena *out)
{
    arena_reset(out);
    reply r = redis_execute(server, conn, argv, argc, NOW_MS, out);
    if (r.kind == REPLY_ERROR) {
        fprintf(stderr, "bench_script: %.*s\n", STR_ARG(r.text));
        exit(1);
    }
}

static size_t words_of(const char *const *words, str *argv)
{
    size_t n = 0;
    for (; n < WORDS_MAX && words[n]; n++)
        argv[n] = str_from(words[n]);
    return n;
}

static void prepare(workload *w, redis *server, redis_conn *conn, arena *out)
{
    str argv[WORDS_MAX];
    for (size_t i = 0; i < COUNT(w->setup) && w->setup[i][0]; i++)
        execute(server, conn, argv, words_of(w->setup[i], argv), out);
    redis_observer o = { .effect = record };
    for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++) {
        redis_sha1(str_from(s->body), s->sha);
        s->argv[0] = S("evalsha");
        s->argv[1] = (str){ s->sha, 40 };
        s->argc = words_of(s->words, s->argv + 2) + 2;
        s->keys_n = (size_t)atoi(s->words[0]);
        str why;
        if (!redis_load_script(server, str_from(s->body), out, &why)) {
            fprintf(stderr, "bench_script: %.*s\n", STR_ARG(why));
            exit(1);
        }
    }
    /* once around, so that the state is the lasting one */
    for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++)
        execute(server, conn, s->argv, s->argc, out);
    redis_observe(server, &o);
    for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++) {
        recorded = s;
        execute(server, conn, s->argv, s->argc, out);
    }
    redis_observe(server, NULL);
}

/* Calls per second. */
static double run_full(workload *w, redis *server, redis_conn *conn, arena *out)
{
    double begin = now_s(CLOCK_THREAD_CPUTIME_ID), end;
    uint64_t calls = 0;
    do {
        for (int i = 0; i < 500; i++)
            for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++, calls++) {
                arena_reset(out);
                redis_execute(server, conn, s->argv, s->argc, NOW_MS, out);
            }
        end = now_s(CLOCK_THREAD_CPUTIME_ID);
    } while (end - begin < ROUND_MS / 1e3);
    return (double)calls / (end - begin);
}

/* --- Bare Lua
 * ------------------------------------------------------------------------------------------------------- */

static const reply *bare_next;

static int bare_call(lua_State *L)
{
    const reply *r = bare_next++;
    switch (r->kind) {
    case REPLY_INTEGER:
        lua_pushnumber(L, (lua_Number)r->integer);
        return 1;
    case REPLY_BULK:
        lua_pushlstring(L, r->text.p, r->text.n);
        return 1;
    case REPLY_DOUBLE:
        lua_pushliteral(L, "1700000400000");
        return 1;
    case REPLY_STATUS:
        lua_pushvalue(L, lua_upvalueindex(1));
        return 1;
    default:
        lua_pushboolean(L, false);
        return 1;
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

static void set_arrays(lua_State *L, const bench_step *s)
{
    set_array(L, "KEYS", s->argv + 3, s->keys_n);
    set_array(L, "ARGV", s->argv + 3 + s->keys_n, s->argc - 3 - s->keys_n);
}

static lua_State *bare_open(workload *w)
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
    for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++) {
        int status = luaL_loadbuffer(L, s->body, strlen(s->body), "@user_script");
        assert(status == 0);
        s->function = luaL_ref(L, LUA_REGISTRYINDEX);
    }
    return L;
}

static double run_bare(workload *w, lua_State *L, bool set_each)
{
    double begin = now_s(CLOCK_THREAD_CPUTIME_ID), end;
    uint64_t calls = 0;
    bool many = w->steps[1].body != NULL;
    if (!set_each && !many)
        set_arrays(L, &w->steps[0]);
    do {
        for (int i = 0; i < 500; i++)
            for (bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++, calls++) {
                if (set_each || many)
                    set_arrays(L, s);
                bare_next = s->replies;
                lua_rawgeti(L, LUA_REGISTRYINDEX, s->function);
                int status = lua_pcall(L, 0, 1, 0);
                assert(status == 0 && (size_t)(bare_next - s->replies) == s->replies_n);
                lua_pop(L, 1);
            }
        end = now_s(CLOCK_THREAD_CPUTIME_ID);
    } while (end - begin < ROUND_MS / 1e3);
    return (double)calls / (end - begin);
}

/* --- The real server
 * ------------------------------------------------------------------------------------------------ */

static void real_send(int fd, const str *argv, size_t argc)
{
    buf command = { 0 };
    pipeline_add(&command, argv, argc);
    pipeline_run(fd, &command, 1);
    buf_free(&command);
}

/* The pipeline that run_real sends, after the server was brought to the same state as ours. */
static size_t real_prepare(const workload *w, int fd, buf *pipeline)
{
    str argv[WORDS_MAX + 2];
    real_send(fd, (str[]){ S("flushall") }, 1);
    for (size_t i = 0; i < COUNT(w->setup) && w->setup[i][0]; i++)
        real_send(fd, argv, words_of(w->setup[i], argv));
    for (const bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++) {
        argv[0] = S("eval");                       /* which puts it in the cache, too */
        argv[1] = str_from(s->body);
        real_send(fd, argv, words_of(s->words, argv + 2) + 2);
    }
    size_t calls = 0;
    while (calls < PIPELINE)
        for (const bench_step *s = w->steps; s < w->steps + STEPS_MAX && s->body; s++, calls++)
            pipeline_add(pipeline, s->argv, s->argc);
    return calls;
}

typedef struct {
    double by_processor, by_wall;                  /* calls per second */
} real_rate;

static real_rate run_real(const real_server *real, int fd, const buf *pipeline, size_t calls_each)
{
    double begin = now_s(CLOCK_MONOTONIC), cpu_begin = real_server_cpu_s(real), cpu_s;
    uint64_t calls = 0;
    do {
        pipeline_run(fd, pipeline, calls_each);
        calls += calls_each;
        cpu_s = real_server_cpu_s(real) - cpu_begin;
    } while (cpu_s < ROUND_MS / 1e3);
    return (real_rate){ (double)calls / cpu_s, (double)calls / (now_s(CLOCK_MONOTONIC) - begin) };
}

/* --- Workloads
 * ------------------------------------------------------------------------------------------------------ */

/* Document 000's acquire script, as it stands there. */
static const char acquire[] =
    "if (redis.call('exists', KEYS[1]) == 0) then \n"
    "    redis.call('hincrby', KEYS[1], ARGV[2], 1); \n"
    "    redis.call('pexpire', KEYS[1], ARGV[1]); \n"
    "    return nil; \n"
    "end; \n"
    "if (redis.call('hexists', KEYS[1], ARGV[2]) == 1) then \n"
    "    redis.call('hincrby', KEYS[1], ARGV[2], 1); \n"
    "    redis.call('pexpire', KEYS[1], ARGV[1]); \n"
    "    return nil; \n"
    "end; \n"
    "return redis.call('pttl', KEYS[1]);\n";

static const char release[] =
    "if (redis.call('hexists', KEYS[1], ARGV[2]) == 0) then return nil; end;\n"
    "local counter = redis.call('hincrby', KEYS[1], ARGV[2], -1);\n"
    "if (counter > 0) then redis.call('pexpire', KEYS[1], ARGV[1]); return 0; end;\n"
    "redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], 0); return 1;\n";

static char *read_file(const char *root, const char *path)
{
    buf full = { 0 }, text = { 0 };
    buf_printf(&full, "%s/%s", root, path);
    FILE *f = fopen(full.p, "rb");
    if (!f) {
        fprintf(stderr, "bench_script: %s is not there: run it from the root of the repository\n", full.p);
        exit(1);
    }
    for (int c; (c = fgetc(f)) != EOF;)
        buf_byte(&text, (char)c);
    fclose(f);
    buf_free(&full);
    return text.p;
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

static void measure(workload *w, const real_server *theirs, int fd)      /* NULL and -1: there is none */
{
    redis *server = redis_new((redis_limits){ 0 });
    redis_conn *conn = redis_connect(server, 1);
    arena *out = arena_new();
    recording = arena_new();
    prepare(w, server, conn, out);
    lua_State *L = bare_open(w);
    buf pipeline = { 0 };
    size_t calls_each = fd >= 0 ? real_prepare(w, fd, &pipeline) : 0;
    double full[ROUNDS], bare[ROUNDS], naked[ROUNDS], real[ROUNDS], wall[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        full[i] = run_full(w, server, conn, out);
        bare[i] = run_bare(w, L, true);
        naked[i] = run_bare(w, L, false);
        if (fd >= 0) {
            real_rate rate = run_real(theirs, fd, &pipeline, calls_each);
            real[i] = rate.by_processor;
            wall[i] = rate.by_wall;
        }
    }
    double f = median(full), b = median(bare), n = median(naked);
    printf("bench script %s %.0f bare %.0f ratio %.2f", w->name, f, b, f / b);
    if (!w->steps[1].body)
        printf(" (KEYS and ARGV set once: %.0f ratio %.2f)", n, f / n);
    if (fd >= 0) {
        double r = median(real);
        printf(" real %.0f times %.1f (one connection got %.0f)", r, f / r, median(wall));
    }
    printf("\n");
    buf_free(&pipeline);
    lua_close(L);
    arena_free(recording);
    arena_free(out);
    redis_free(server);
}

int main(int argc, char **argv)
{
    char *fair = read_file(argc > 1 ? argv[1] : ".", "scripts/redisson/fair/acquire.lua");
    workload held = {
        .name = "held", .setup = { { "hset", "lock", "A:1", "1" }, { "pexpire", "lock", "30000" } },
        .steps = { { .body = acquire, .words = { "1", "lock", "30000", "B:1" } } },
    };
    workload cycle = {
        .name = "acquire-release",
        .steps = { { .body = acquire, .words = { "1", "lock", "30000", "A:1" } },
                   { .body = release, .words = { "2", "lock", "channel", "30000", "A:1" } } },
    };
    workload queued = {
        .name = "fair-queued",
        .setup = { { "hset", "lock", "A:1", "1" }, { "pexpire", "lock", "30000" }, { "rpush", "queue", "B:1", "C:1" },
                   { "zadd", "deadlines", "1700000330000", "B:1", "1700000630000", "C:1" } },
        .steps = { { .body = fair, .words = { "3", "lock", "queue", "deadlines", "30000", "C:1", "300000",
                                              "1700000000000" } } },
    };
    real_server *real = real_server_start();
    int fd = real ? unix_connect(real_server_path(real)) : -1;
    measure(&held, real, fd);
    measure(&cycle, real, fd);
    measure(&queued, real, fd);
    real_server_stop(real);
    free(fair);
    return 0;
}
