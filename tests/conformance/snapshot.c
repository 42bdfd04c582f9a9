/* snapshot.c - see snapshot.h. */
#include "snapshot.h"

#include <stdio.h>
#include <stdlib.h>

static const char take_lua[] =
    "local out = {}\n"
    "for db = 0, 15 do\n"
    "  redis.call('SELECT', db)\n"
    "  for _, key in ipairs(redis.call('KEYS', '*')) do\n"
    "    local at, value = redis.call('PEXPIRETIME', key), redis.call('DUMP', key)\n"
    "    if value then\n"
    "      for _, text in ipairs({ tostring(db), key, at < 0 and '0' or string.format('%d', at), value }) do out[#out "
        "+ 1] = text end\n"
    "    end\n"
    "  end\n"
    "end\n"
    "return out\n";

static const char restore_lua[] =
    "redis.call('FLUSHALL')\n"
    "for i = 1, #ARGV, 4 do\n"
    "  redis.call('SELECT', ARGV[i])\n"
    "  redis.call('RESTORE', ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], 'ABSTTL')\n"
    "end\n"
    "return 'restored'\n";

static void stop(const char *what, str answer)
{
    buf shown = { 0 };
    show_bytes(answer, 200, &shown);
    fprintf(stderr, "snapshot: %s: %.*s\n", what, STR_ARG(buf_str(&shown)));
    exit(1);
}

/* The number after *at, which is left behind its line. */
static size_t header(str s, char kind, size_t *at)
{
    if (*at >= s.n || s.p[*at] != kind)
        stop("not a list of strings", s);
    size_t n = strtoull(s.p + *at + 1, NULL, 10);
    *at = str_find(s, '\n', *at) + 1;
    return n;
}

snapshot snapshot_take(arena *a, real_conn *c)
{
    buf answer = { 0 };
    real_execute(c, (str[]){ S("EVAL"), { take_lua, sizeof take_lua - 1 }, S("0") }, 3, &answer);
    str s = arena_str(a, buf_str(&answer));
    buf_free(&answer);
    size_t at = 0, count = header(s, '*', &at);
    str *words = ARENA_ARRAY(a, str, count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t n = header(s, '$', &at);
        words[i] = str_slice(s, at, at + n);
        at += n + 2;
    }
    return (snapshot){ .real = words, .count = count };
}

void snapshot_restore(const snapshot *s, real *r, real_conn *c, int64_t now_ms)
{
    enum { LONG_AGO_MS = 1 };
    arena *a = arena_new();
    str *argv = ARENA_ARRAY(a, str, s->count + 3);
    argv[0] = S("EVAL");
    argv[1] = (str){ restore_lua, sizeof restore_lua - 1 };
    argv[2] = S("0");
    for (size_t i = 0; i < s->count; i++)
        argv[i + 3] = s->real[i];
    buf answer = { 0 };
    real_set_clock(r, LONG_AGO_MS);    /* RESTORE takes a key for gone in the very millisecond of its deadline */
    real_execute(c, argv, s->count + 3, &answer);
    real_set_clock(r, now_ms);
    if (!str_eq(buf_str(&answer), S("$8\r\nrestored\r\n")))
        stop("RESTORE", buf_str(&answer));
    buf_free(&answer);
    arena_free(a);
}
