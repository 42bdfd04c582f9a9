/* scripts.c - Lua scripts run by a real redis-server and by sim/redis: no byte of a reply, and no key, may differ.
 * Usage: scripts SOCKET CLOCK_FILE          server.sh gives both
 *
 * The table of script_cases.h, by EVAL, EVALSHA, EVALSHA_RO and SCRIPT LOAD; then the hostile ones of script_hostile.h,
 * by EVAL; then the libraries of function_cases.h, by FUNCTION LOAD, FCALL and FCALL_RO. Random
 * scripts are differential.c's. Each starts from the same small keyspace. math.random is not reset between them: both
 * sides draw alike from a fresh server on. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "function_cases.h"
#include "real.h"
#include "redis/redis.h"
#include "script/script.h"
#include "script_cases.h"
#include "script_hostile.h"

#define START_MS INT64_C(1700000000000)
enum { SHOWN_MAX = 400, DIFFERENCES_MAX = 40 };

typedef struct {
    real_conn *theirs;
    redis *sim;
    redis_conn *conn;
    arena *a;
    buf their_reply, our_reply;
    uint64_t passed, failed;
} pair;

static void execute_both(pair *t, const str *argv, size_t argc)
{
    buf_clear(&t->their_reply);
    buf_clear(&t->our_reply);
    arena_reset(t->a);
    real_execute(t->theirs, argv, argc, &t->their_reply);
    reply r = redis_execute(t->sim, t->conn, argv, argc, START_MS, t->a);
    reply_encode(&r, 2, &t->our_reply);
}

/* Runs one command on both sides and says how they differ. */
static bool same(pair *t, const char *what, const str *argv, size_t argc)
{
    execute_both(t, argv, argc);
    if (str_eq(buf_str(&t->their_reply), buf_str(&t->our_reply))) {
        t->passed++;
        return true;
    }
    t->failed++;
    buf b = { 0 };
    buf_printf(&b, "%s differs\n  ", what);
    paste_command(argv, argc, &b);
    buf_addz(&b, "\n  real: ");
    show_bytes(buf_str(&t->their_reply), SHOWN_MAX, &b);
    buf_addz(&b, "\n  ours: ");
    show_bytes(buf_str(&t->our_reply), SHOWN_MAX, &b);
    printf("%.*s\n", STR_ARG(buf_str(&b)));
    buf_free(&b);
    return false;
}

static void fresh_keyspace(pair *t)
{
    static const str commands[][6] = {
        { { "flushall", 8 } },
        { { "set", 3 }, { "s", 1 }, { "text", 4 } },
        { { "hset", 4 }, { "h", 1 }, { "f", 1 }, { "1", 1 }, { "g", 1 }, { "two", 3 } },
        { { "rpush", 5 }, { "q", 1 }, { "a", 1 }, { "b", 1 }, { "c", 1 } },
        { { "zadd", 4 }, { "z", 1 }, { "1.5", 3 }, { "a", 1 }, { "2", 1 }, { "b", 1 } },
    };
    for (size_t i = 0; i < COUNT(commands); i++) {
        size_t argc = 0;
        while (argc < 6 && commands[i][argc].p)
            argc++;
        same(t, "setting up", commands[i], argc);
    }
}

static void same_keyspace(pair *t, str body)
{
    str argv[] = { S("eval"), keyspace_script, S("0"), S("15") };
    if (!same(t, "the keyspace after a script", argv, COUNT(argv)))
        printf("  the script: %.*s\n", STR_ARG(body));
}

/* Valkey's Lua has another hash for strings, so that names come in another order there; locksim's is Lua's own. */
static bool leaves_names_in_order(const pair *t, str body)
{
    static const char names[] = "in pairs(t) do r[#r+1]=";
    return redis_dialect(t->sim).lineage == LINEAGE_VALKEY && memmem(body.p, body.n, names, sizeof names - 1);
}

static void run_case(pair *t, str body, bool every_way)
{
    if (leaves_names_in_order(t, body))
        return;
    char sha[41];
    redis_sha1(body, sha);
    str argv[] = { S("eval"), body, S("2"), S("k"), S("l"), S("a"), S("5"), S("") };
    fresh_keyspace(t);
    same(t, "EVAL", argv, COUNT(argv));
    same_keyspace(t, body);
    if (!every_way)
        return;
    fresh_keyspace(t);
    str exists[] = { S("script"), S("exists"), { sha, 40 } };
    same(t, "SCRIPT EXISTS", exists, COUNT(exists));
    str load[] = { S("script"), S("load"), body };
    same(t, "SCRIPT LOAD", load, COUNT(load));
    argv[0] = S("evalsha_ro");
    argv[1] = (str){ sha, 40 };
    same(t, "EVALSHA_RO", argv, COUNT(argv));
    same_keyspace(t, body);
    argv[0] = S("EVALSHA");
    same(t, "EVALSHA", argv, COUNT(argv));
    same_keyspace(t, body);
}

/* The family itself: arguments that are wrong, names of any case, flushing. */
static void run_family(pair *t)
{
    static const char *const lines[][8] = {
        { "eval" }, { "eval", "return 1" }, { "eval", "return 1", "x" }, { "eval", "return 1", "1" },
        { "eval", "return 1", "-1" },
        { "eval", "return 1", "1.5" }, { "eval", "return 1", "99999999999999999999" }, { "eval", "return +", "x" },
        { "eval", "return +", "0" },
        { "evalsha", "x", "0" }, { "evalsha", "x", "y" }, { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db",
                                                            "y" },
        { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0" }, { "eval", "return 1", "0" },
        { "evalsha", "E0E1F9fabfc9d4800c877a703b823ac0578ff8db", "0" },
        { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8d", "0" },
        { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "2", "a" }, { "evalsha" }, { "evalsha", "x" },
        { "eval_ro", "return 1", "0" },
        { "eval_ro", "return redis.call('set','a','b')", "0" }, { "eval_ro", "return redis.pcall('publish','a','b')",
                                                                  "0" },
        { "eval_ro", "#!lua\nreturn 1", "0" }, { "eval_ro", "#!lua flags=no-writes\nreturn 1", "0" },
        { "eval_ro", "return redis.call('get','a')", "0" },
        { "script" }, { "script", "nosuch" }, { "script", "load" }, { "script", "load", "a", "b" },
        { "script", "load", "return 2" },
        { "script", "load", "return +" }, { "script", "exists" },
        { "script", "exists", "x", "7f923f79fe76194c868d7e1d0820de36700eb649" },
        { "script", "exists", "7F923f79fe76194c868d7e1d0820de36700eb649" }, { "script", "flush", "x" },
        { "script", "flush", "sync", "x" },
        { "script", "exists", "7f923f79fe76194c868d7e1d0820de36700eb649" }, { "script", "flush", "async" },
        { "script", "exists", "7f923f79fe76194c868d7e1d0820de36700eb649" }, { "script", "flush" },
        { "script", "FLUSH", "SYNC" },
        { "script", "kill" }, { "script", "kill", "x" }, { "SCRIPT", "LOAD", "" },
        { "evalsha", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "0" },
        { "eval", "redis.call('set','a','1') return redis.call('incr','a')", "0" }, { "multi" },
        { "eval", "return redis.call('incr','a')", "0" },
        { "eval", "return redis.call('lpush','a','b')", "0" }, { "eval", "return +", "0" }, { "evalsha", "x", "0" },
        { "exec" },
        { "multi" }, { "script", "load", "return 3" }, { "script", "nosuch" }, { "exec" }, { "multi" },
        { "eval", "return 1" }, { "exec" },
        { "eval", "cjson.encode_number_precision(3) return 1", "0" }, { "eval", "return cjson.encode(1/3)", "0" },
        { "script", "flush" },
        { "eval", "return cjson.encode(1/3)", "0" }, { "select", "2" },
        { "eval", "redis.call('select','5') redis.call('set','x','y') return 1", "0" },
        { "dbsize" }, { "select", "5" }, { "dbsize" }, { "select", "0" },
        { "eval", "return {KEYS[1],KEYS[2],ARGV[1]}", "2", "a", "b", "c" },
        { "eval", "return #KEYS+#ARGV", "0" }, { "eval", "return ARGV[1]", "0", "x" },
        { "eval", "return KEYS[1]", "0", "x" },
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        str argv[8];
        size_t argc = 0;
        while (argc < 8 && lines[i][argc]) {
            argv[argc] = str_from(lines[i][argc]);
            argc++;
        }
        same(t, "a command of the family", argv, argc);
    }
}

/* A library under the name lib, which no other has at that moment. */
static void run_library(pair *t, str body)
{
    str load[] = { S("function"), S("load"), body }, list[] = { S("function"), S("list"), S("withcode") };
    str call_it[] = { S("fcall"), S("f"), S("2"), S("k"), S("l"), S("a"), S("5"), S("") },
                    remove[] = { S("function"), S("delete"), S("lib") };
    fresh_keyspace(t);
    same(t, "FUNCTION LOAD", load, COUNT(load));
    same(t, "FUNCTION LIST", list, COUNT(list));
    for (int i = 0; i < 2; i++) {
        same(t, "FCALL", call_it, COUNT(call_it));
        same_keyspace(t, body);
    }
    call_it[0] = S("FCALL_RO");
    same(t, "FCALL_RO", call_it, COUNT(call_it));
    same_keyspace(t, body);
    same(t, "FUNCTION DELETE", remove, COUNT(remove));
}

static void run_functions(pair *t)
{
    for (size_t i = 0; i < COUNT(function_lines); i++) {
        str argv[8];
        size_t argc = 0;
        for (; argc < 8 && function_lines[i][argc]; argc++)
            argv[argc] = str_from(function_lines[i][argc]);
        same(t, "a command about functions", argv, argc);
    }
    for (size_t i = 0; i < COUNT(function_libraries) && t->failed < DIFFERENCES_MAX; i++)
        run_library(t, str_from(function_libraries[i]));
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: scripts SOCKET CLOCK_FILE\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    real *server = real_open(argv[1], argv[2]);
    real_set_clock(server, START_MS);
    pair t = { .theirs = real_connect(server), .sim = redis_new((redis_limits){ .dialect = real_dialect(server) }),
                .a = arena_new() };
    t.conn = redis_connect(t.sim, 1);

    run_family(&t);
    for (size_t i = 0; i < COUNT(script_cases) && t.failed < DIFFERENCES_MAX; i++)
        run_case(&t, str_from(script_cases[i]), true);
    for (size_t i = 0; i < COUNT(script_hostile) && t.failed < DIFFERENCES_MAX; i++)
        run_case(&t, str_from(script_hostile[i]), false);
    run_functions(&t);

    redis_free(t.sim);
    arena_free(t.a);
    buf_free(&t.their_reply);
    buf_free(&t.our_reply);
    real_disconnect(t.theirs);
    real_close(server);
    return real_verdict(t.passed, t.failed);
}
