/* bench_trace.c - how fast `locksim trace` goes through a log: lines a second of processor time, for a plain lock (SET
 * NX PX and a script that releases) and for Redisson's reentrant lock, where every request is a script. Beside the
 * latter: the same runs of the same scripts by bare Lua 5.1, whose redis.call is a C function that answers what a free
 * lock answers; the ratio is of runs a second.
 * Usage: bench_trace [LINES [LOCKSIM]]      400000 lines by default */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "measure.h"
#include "redis/redis.h"

enum { ROUNDS = 3, SCRIPT_BYTES_MAX = 1 << 16, LOCKS = 50, CLIENTS = 20, STEP_US = 500 };

static char path[] = "/tmp/locksim-bench-trace.XXXXXX";

__attribute__((noreturn))
static void fail(const char *what)
{
    perror(what);
    unlink(path);
    exit(1);
}

static const char *script(const char *name, char sha[41])
{
    static char room[4][SCRIPT_BYTES_MAX];
    static int next;
    char *text = room[next++ % 4], file[256];
    snprintf(file, sizeof file, "scripts/%s.lua", name);
    FILE *in = fopen(file, "rb");
    if (!in)
        fail(file);
    size_t n = fread(text, 1, SCRIPT_BYTES_MAX - 1, in);
    fclose(in);
    text[n] = '\0';
    redis_sha1((str){ .p = text, .n = n }, sha);
    return text;
}

typedef struct {
    FILE *out;
    long long at_us;
    size_t lines;
} log_file;

static void head(log_file *f, const char *client)
{
    f->at_us += STEP_US;
    f->lines++;
    fprintf(f->out, "%lld.%06lld [0 %s] ", f->at_us / 1000000, f->at_us % 1000000, client);
}

static void lua_line(log_file *f, const char *words)
{
    head(f, "lua");
    fprintf(f->out, "%s\n", words);
}

/* SET, then the script and its two commands. */
static void plain_round(log_file *f, size_t i, const char *release)
{
    char client[40], line[200];
    snprintf(client, sizeof client, "10.0.0.%zu:40000", i % CLIENTS + 1);
    head(f, client);
    fprintf(f->out, "\"SET\" \"order:%zu\" \"%032zx\" \"PX\" \"30000\" \"NX\"\n", i % LOCKS, i);
    head(f, client);
    fprintf(f->out, "\"EVALSHA\" \"%s\" \"1\" \"order:%zu\" \"%032zx\"\n", release, i % LOCKS, i);
    snprintf(line, sizeof line, "\"GET\" \"order:%zu\"", i % LOCKS);
    lua_line(f, line);
    snprintf(line, sizeof line, "\"DEL\" \"order:%zu\"", i % LOCKS);
    lua_line(f, line);
}

static void redisson_round(log_file *f, size_t i, const char *acquire, const char *release)
{
    char client[40], owner[60], line[300];
    size_t k = i % LOCKS;
    snprintf(client, sizeof client, "10.0.0.%zu:40000", i % CLIENTS + 1);
    snprintf(owner, sizeof owner, "8743c9c0-0795-4907-87fd-6c719a6b4586:%zu", i % CLIENTS);
    head(f, client);
    fprintf(f->out, "\"EVALSHA\" \"%s\" \"1\" \"order:%zu\" \"30000\" \"%s\"\n", acquire, k, owner);
    snprintf(line, sizeof line, "\"exists\" \"order:%zu\"", k), lua_line(f, line);
    snprintf(line, sizeof line, "\"hincrby\" \"order:%zu\" \"%s\" \"1\"", k, owner), lua_line(f, line);
    snprintf(line, sizeof line, "\"pexpire\" \"order:%zu\" \"30000\"", k), lua_line(f, line);
    head(f, client);
    fprintf(f->out, "\"EVALSHA\" \"%s\" \"3\" \"order:%zu\" \"c:{order:%zu}\" \"l:{order:%zu}:%zu\" \"0\" \"30000\" "
            "\"%s\" \"PUBLISH\" \"20000\"\n", release, k, k, k,
            i, owner);
    snprintf(line, sizeof line, "\"get\" \"l:{order:%zu}:%zu\"", k, i), lua_line(f, line);
    snprintf(line, sizeof line, "\"hexists\" \"order:%zu\" \"%s\"", k, owner), lua_line(f, line);
    snprintf(line, sizeof line, "\"hincrby\" \"order:%zu\" \"%s\" \"-1\"", k, owner), lua_line(f, line);
    snprintf(line, sizeof line, "\"del\" \"order:%zu\"", k), lua_line(f, line);
    snprintf(line, sizeof line, "\"PUBLISH\" \"c:{order:%zu}\" \"0\"", k), lua_line(f, line);
    snprintf(line, sizeof line, "\"set\" \"l:{order:%zu}:%zu\" \"1\" \"px\" \"20000\"", k, i), lua_line(f, line);
}

/* Processor time of one trace; its status must be 0: a slow error would look like a fast trace. */
static double trace_once(const char *program, const char *family)
{
    fflush(stdout);
    double before = cpu_s(RUSAGE_CHILDREN);
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stdout))
            _exit(1);
        execl(program, program, "trace", path, "--lock", family, (char *)NULL);
        _exit(127);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail("bench_trace: the trace failed");
    return cpu_s(RUSAGE_CHILDREN) - before;
}

static double best_of(const char *program, const char *family)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double s = trace_once(program, family);
        best = s < best ? s : best;
    }
    return best;
}

/* What a free lock, and its holder's release, answer. */
static int bare_call(lua_State *L)
{
    const char *name = lua_tostring(L, 1);
    if (strcmp(name, "get") == 0)
        lua_pushboolean(L, 0);
    else
        lua_pushinteger(L, strcmp(name, "exists") == 0 || strcmp(name, "hincrby") == 0 ? 0 : 1);
    return 1;
}

static void set_list(lua_State *L, const char *name, const char *const *words, int n)
{
    lua_createtable(L, n, 0);
    for (int i = 0; i < n; i++) {
        lua_pushstring(L, words[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_setglobal(L, name);
}

static double bare_runs(size_t rounds, const char *acquire, const char *release)
{
    static const char *const keys[] = { "order:1", "c:{order:1}", "l:{order:1}:1" };
    static const char *const taken[] = { "30000", "8743c9c0-0795-4907-87fd-6c719a6b4586:1" };
    static const char *const given[] = { "0", "30000", "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "PUBLISH", "20000" };
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, bare_call);
    lua_setfield(L, -2, "call");
    lua_setglobal(L, "redis");
    if (luaL_loadstring(L, acquire) || luaL_loadstring(L, release))
        fail("bench_trace: a script does not compile");
    double before = cpu_s(RUSAGE_SELF);
    for (size_t i = 0; i < rounds; i++) {
        set_list(L, "KEYS", keys, 1);
        set_list(L, "ARGV", taken, 2);
        lua_pushvalue(L, 1);
        lua_call(L, 0, 1);
        set_list(L, "KEYS", keys, 3);
        set_list(L, "ARGV", given, 5);
        lua_pushvalue(L, 2);
        lua_call(L, 0, 1);
        lua_settop(L, 2);
    }
    double s = cpu_s(RUSAGE_SELF) - before;
    lua_close(L);
    return s;
}

static log_file begin(void)
{
    log_file f = { .out = fopen(path, "w"), .at_us = 1700000000000000 };
    if (!f.out)
        fail(path);
    head(&f, "10.0.0.1:40000");
    fprintf(f.out, "\"PING\"\n");
    f.at_us += 60 * 1000000LL;         /* longer than a lease: nobody holds from before the log */
    return f;
}

int main(int argc, char **argv)
{
    size_t wanted = argc > 1 ? (size_t)atoll(argv[1]) : 400000, rounds = 0;
    const char *program = argc > 2 ? argv[2] : "build/locksim";
    char release[41], acquire[41], unlock[41];
    script("basic/set_nx/release", release);
    const char *acquire_text = script("redisson/lock/acquire", acquire),
                               *unlock_text = script("redisson/lock/release", unlock);
    int fd = mkstemp(path);
    if (fd < 0)
        fail(path);
    close(fd);
    log_file f = begin();
    for (size_t i = 0; f.lines < wanted; i++)
        plain_round(&f, i, release);
    fclose(f.out);
    double s = best_of(program, "redis_py.lock");
    printf("  plain lock       %9.0f lines/s   (wanted: 200000)\n", (double)f.lines / s);
    f = begin();
    for (; f.lines < wanted; rounds++)
        redisson_round(&f, rounds, acquire, unlock);
    /* cppcheck-suppress useClosedFile ; begin() opened another */
    fclose(f.out);
    s = best_of(program, "redisson.lock");
    double bare = bare_runs(rounds, acquire_text, unlock_text);
    printf("  redisson.lock    %9.0f lines/s, %8.0f scripts/s; bare Lua %9.0f scripts/s; ratio %.2f   (wanted: 0.5)\n",
           (double)f.lines / s, 2 * (double)rounds / s, 2 * (double)rounds / bare, bare / s);
    unlink(path);
    return 0;
}
