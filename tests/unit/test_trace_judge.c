/* test_trace_judge.c - histories of locks in a server's log: the findings of each, and none in its corrected version.
 * Above all, nothing is reported that the log does not show. Lines are those of MONITOR, shortened: `SECONDS CLIENT
 * WORD...`, `lua` as a client is a script's. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/words.h"
#include "trace/reader.h"
#include "trace/tracer.h"

typedef struct {
    arena *a;
    loader l;
    family *f;
    tracer *t;
    size_t line;
    buf found;             /* "LK003 L 5<2" a line: code or kind, lock, line<since */
    err e;
} bench;

static bool read_script(void *context, str name, arena *a, str *path, str *text, err *e)
{
    (void)context;
    *path = arena_printf(a, "scripts/%.*s", STR_ARG(name));
    FILE *in = fopen(path->p, "rb");
    if (!in)
        return err_set(e, ERR_SCENARIO, "no file %s", path->p);
    buf b = { 0 };
    char room[4096];
    for (size_t n; (n = fread(room, 1, sizeof room, in)) > 0;)
        buf_add(&b, (str){ .p = room, .n = n });
    fclose(in);
    *text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return true;
}

static void on_found(void *context, const finding *f)
{
    bench *b = context;
    buf_printf(&b->found, "%s %.*s %zu<%zu\n", f->kind == FOUND_VIOLATION ? property_describe(f->property)->code
               : found_name(f->kind), STR_ARG(f->lock),
               f->line, f->since);
}

static bench *bench_new(const char *name, const char *table)
{
    bench *b = calloc(1, sizeof *b);
    b->a = arena_new();
    b->l = (loader){ .read = read_script };
    b->f = family_open(str_from(name), S("table.lua"), str_from(table), &b->l, &b->e);
    if (!b->f)
        fail_msg("%.*s", STR_ARG(buf_str(&b->e.message)));
    b->t = tracer_new(&(trace_options){ .families = &b->f, .family_count = 1, .context = b, .found = on_found });
    return b;
}

static void bench_free(bench *b)
{
    tracer_free(b->t);
    family_free(b->f);
    buf_free(&b->found);
    err_clear(&b->e);
    arena_free(b->a);
    free(b);
}

/* "@NAME" as a word is the hash of the script at scripts/NAME.lua. */
static str word_of(bench *b, str w)
{
    str path, text;
    char hex[41];
    if (!str_starts(w, S("@")))
        return w;
    assert_true(read_script(NULL, arena_printf(b->a, "%.*s.lua", STR_ARG(str_slice(w, 1, w.n))), b->a, &path, &text,
                            &b->e));
    redis_sha1(text, hex);
    return arena_str(b->a, str_from(hex));
}

static void one_line(bench *b, str text)
{
    str *words;
    size_t n;
    b->line++;
    assert_true(words_split(b->a, text, &words, NULL, &n) && n >= 3);
    record r = { .line = b->line, .at_us = INT64_C(1700000000000000) + (int64_t)(atof(arena_str(b->a, words[0]).p) *
                                                                                 1e6 + 0.5), .sent_us = RECORD_UNKNOWN,
                 .answered_us = RECORD_UNKNOWN, .client = words[1], .lua = str_eq(words[1], S("lua")) };
    if (str_starts(words[2], S("db")) && words[2].n == 3) {
        r.db = words[2].p[2] - '0';
        words++;
        n--;
    }
    str *argv = ARENA_ARRAY(b->a, str, n);
    for (size_t i = 2; i < n; i++)
        argv[i - 2] = word_of(b, words[i]);
    r.argv = argv;
    r.argc = n - 2;
    assert_true(tracer_take(b->t, &r, &b->e));
}

static void lines(bench *b, const char *log)
{
    for (str s = str_from(log); s.n;) {
        size_t end = str_find(s, '\n', 0);
        if (end > 0)
            one_line(b, str_slice(s, 0, end));
        s = str_slice(s, end + 1, s.n);
    }
}

static void expect_of(const char *family_name_, const char *table, const char *log, const char *found)
{
    bench *b = bench_new(family_name_, table);
    lines(b, log);
    assert_true(tracer_end(b->t, &b->e));
    assert_string_equal(b->found.p ? b->found.p : "", found);
    bench_free(b);
}

static void expect(const char *log, const char *found)
{
    expect_of("redis_py.lock", "", log, found);
}

/* Begins long before, so that nobody can hold from before the log. */
#define BEGIN "0 10.0.0.1:1 PING x\n"
#define RELEASE "EVALSHA @redis_py/lock/release 1"

/* Property: locks that are used as they should be bring no finding: grants, refusals, releases, leases that run out
 * unused. */
static void clean_histories(void **state)
{
    (void)state;
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 SET L b NX PX 1000\n100.2 10.0.0.1:9 " RELEASE
           " L a\n100.2 lua GET L\n"
           "100.2 lua DEL L\n100.3 10.0.0.2:1 SET L b EX 1 NX\n103 10.0.0.3:1 SET L c NX PX 1000\n103.1 10.0.0.3:1 "
           RELEASE " L c\n103.1 lua GET L\n"
           "103.1 lua DEL L\n", "");
    /* No lua lines at all: the log was filtered. */
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.2 10.0.0.1:9 " RELEASE " L a\n100.3 10.0.0.2:1 SET L b PX "
           "1000 NX\n", "");
    /* Two databases: two locks of one name. */
    expect(BEGIN "100 10.0.0.1:1 db0 SET L a NX PX 1000\n100.1 10.0.0.2:1 db1 SET L b NX PX 1000\n", "");
    /* Other keys, and words that happen to be a lock's name. */
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 GET L\n100.2 10.0.0.2:1 DEL M\n100.3 10.0.0.2:1 "
           "LPUSH q L\n", "");
}

/* Property: a client that takes away another's hold is named, at its line; one that takes away its own is not. */
static void taken_away(void **state)
{
    (void)state;
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 DEL L\n", "LK003 L 3<2\n");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 DEL L\n100.2 10.0.0.3:1 SET L c NX PX 1000\n",
           "LK003 L 3<2\nLK001 L 4<2\n");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.1:7 DEL L\n100.2 10.0.0.3:1 SET L c NX PX 1000\n",
           "");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 FLUSHALL\n", "LK003 L 3<2\n");
    /* Who lost its hold and asks again has one hold, not two: its release ends what it was promised before, too. */
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 DEL L\n100.2 10.0.0.1:1 SET L a NX PX 1000\n"
           "100.3 10.0.0.1:1 DEL L\n100.4 10.0.0.3:1 SET L c NX PX 1000\n", "LK003 L 3<2\n");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:1 PEXPIRE L 10\n", "LK003 L 3<2\nLK031 L 3<2\n");
    /* Its grant's own lease is over, but it was renewed. */
    expect_of("redisson.lock", "", BEGIN "100 10.0.0.1:1 EVALSHA @redisson/lock/acquire 1 L 3000 a\n102 10.0.0.1:1 "
              "EVALSHA @redisson/lock/renew 1 L 3000 a\n"
              "104 10.0.0.2:1 DEL L\n", "LK003 L 4<2\n");
    /* A table that releases by DEL alone: on the server's own machine ports do not tell applications apart. */
    static const char table[] = "return { acquire = { 'SET', '$lock', '$owner', 'NX', 'PX', '$lease_ms' }, release = { "
                                "'DEL', '$lock' }, granted = 'OK', lease_ms = 9 }";
    expect_of("t", table, BEGIN "100 127.0.0.1:1 SET L a NX PX 1000\n100.1 127.0.0.1:7 DEL L\n100.2 127.0.0.1:3 SET L "
              "c NX PX 1000\n", "");
    expect_of("t", table, BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.2:7 DEL L\n", "LK003 L 3<2\n");
}

/* Property: of a lock that was held when the log began, nobody is accused before it is surely free. */
static void held_before_the_log(void **state)
{
    (void)state;
    /* x holds; a is refused, though ours would grant; x releases and is believed. */
    expect("0 10.0.0.1:1 SET L a NX PX 30000\n1 10.0.0.9:1 " RELEASE " L x\n1 lua GET L\n1 lua DEL L\n1.1 10.0.0.1:1 "
           "SET L a NX PX 30000\n"
           "1.2 10.0.0.1:1 " RELEASE " L a\n1.2 lua GET L\n1.2 lua DEL L\n", "");
    /* The same without the commands of scripts: the lease has to pass first. */
    expect("0 10.0.0.1:1 SET L a NX PX 30000\n1 10.0.0.9:1 DEL L\n1.1 10.0.0.2:1 SET L b NX PX 30000\n", "");
    /* And after that they are judged. */
    expect("0 10.0.0.1:1 SET L a NX PX 30000\n1 10.0.0.9:1 DEL L\n1.1 10.0.0.2:1 SET L b NX PX 30000\n1.2 10.0.0.9:1 "
           "DEL L\n", "LK003 L 4<3\n");
    expect_of("redisson.lock", "", "0 10.0.0.1:1 EVALSHA @redisson/lock/acquire 1 L 30000 a\n0 lua exists L\n0 lua "
              "hexists L a\n0 lua pttl L\n"
              "9 10.0.0.1:1 EVALSHA @redisson/lock/acquire 1 L 30000 a\n9 lua exists L\n9 lua hexists L a\n9 lua pttl "
              "L\n", "");
}

/* Property: where the log's server did something else than ours, that is told once, and nobody is accused of what
 * follows from it. */
static void differences(void **state)
{
    (void)state;
    /* The key was evicted: b's script finds nothing where ours finds a. */
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 9000\n100.1 10.0.0.1:1 " RELEASE " L a\n100.1 lua GET L\n100.2 "
           "10.0.0.2:1 SET L b NX PX 9000\n"
           "100.3 10.0.0.2:1 " RELEASE " L b\n100.3 lua GET L\n100.3 lua DEL L\n", "difference L 3<3\n");
    expect_of("redisson.lock", "", BEGIN "100 10.0.0.1:1 EVALSHA @redisson/lock/acquire 1 L 30000 a\n100 lua exists "
              "L\n100 lua hincrby L a 1\n"
              "100 lua pexpire L 30000\n101 10.0.0.2:1 EVALSHA @redisson/lock/acquire 1 L 30000 b\n101 lua exists "
              "L\n101 lua hincrby L b 1\n"
              "101 lua pexpire L 30000\n102 10.0.0.2:1 EVALSHA @redisson/lock/acquire 1 L 30000 b\n102 lua exists "
              "L\n102 lua hexists L b\n102 lua hincrby L b 1\n"
              "102 lua pexpire L 30000\n", "difference L 8<6\n");
    /* A script that nobody knows is what its commands are. */
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 9000\n100.1 10.0.0.1:1 EVALSHA 0123456789012345678901234567890123456789 "
           "1 L a\n100.1 lua GET L\n100.1 lua DEL L\n"
           "100.2 10.0.0.2:1 SET L b NX PX 9000\n", "unknown_script  3<0\n");
}

/* Property: a lease that ended during a hold is told when its owner comes back, and not when it does not. */
static void leases_that_end(void **state)
{
    (void)state;
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n101.5 10.0.0.2:1 SET L b NX PX 1000\n101.6 10.0.0.1:1 " RELEASE
           " L a\n101.6 lua GET L\n",
           "overrun L 4<2\n");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n101.6 10.0.0.1:1 " RELEASE " L a\n101.6 lua GET L\n",
           "overrun L 3<2\n");
    expect(BEGIN "100 10.0.0.1:1 SET L a NX PX 1000\n101.6 10.0.0.1:1 SET L a NX PX 1000\n", "");
    /* A lock without an end. */
    expect(BEGIN "1 10.0.0.1:1 DEL L\n100 10.0.0.1:1 SET L a NX PX 1000\n100.1 10.0.0.1:1 PERSIST L\n",
           "LK031 L 4<3\n");
}

/* Property: Redisson renews several locks by one script; a hold that nothing but renewals keeps is an orphan after ten
 * leases. */
static void orphans(void **state)
{
    (void)state;
    for (int n = 8; n <= 12; n += 4) {
        bench *b = bench_new("redisson.lock", "");
        lines(b, BEGIN "100 10.0.0.1:1 EVALSHA @redisson/lock/acquire 1 L 3000 a\n100 10.0.0.1:1 EVALSHA "
              "@redisson/lock/acquire 1 M 3000 b\n");
        for (int i = 1; i < n * 3; i++) {
            char text[200];
            snprintf(text, sizeof text, "%d 10.0.0.1:1 EVALSHA @redisson/lock/renew 2 L M 3000 a b\n", 100 + i);
            lines(b, text);
        }
        assert_true(tracer_end(b->t, &b->e));
        assert_string_equal(b->found.p ? b->found.p : "", n < 10 ? "" : "orphan L 33<2\norphan M 33<3\n");
        assert_int_equal(tracer_count(b->t).renewals, 2 * (n * 3 - 1));
        bench_free(b);
    }
}

/* Property: memory follows what is held or wanted, not the log: locks that are over are forgotten. */
static void locks_are_forgotten(void **state)
{
    (void)state;
    bench *b = bench_new("redis_py.lock", "");
    lines(b, BEGIN);
    for (int i = 0; i < 3000; i++) {
        char text[200];
        snprintf(text, sizeof text, "%d.%03d 10.0.0.1:1 SET L%d a%d NX PX 1000\n%d.%03d 10.0.0.%d:1 SET L%d b%d NX PX "
                 "1000\n", 100 + i, 100, i, i,
                 100 + i, 200, i % 200, i, i);
        lines(b, text);
    }
    assert_in_range(tracer_count(b->t).known, 1, 900);
    assert_int_equal(tracer_count(b->t).grants, 3000);
    bench_free(b);
}

/* Property: a lock that is free, and on which no client may count, has no model; one that is held has. */
static void free_locks_have_no_model(void **state)
{
    (void)state;
    bench *b = bench_new("redis_py.lock", "");
    lines(b, BEGIN);
    for (int i = 0; i < 100; i++) {
        char text[200];
        snprintf(text, sizeof text, "%d.1 10.0.0.1:1 SET L%d a NX PX 1000\n%d.2 10.0.0.1:1 " RELEASE " L%d a\n%d.2 lua "
                 "GET L%d\n%d.2 lua DEL L%d\n",
                 100 + i, i % 10, 100 + i, i % 10, 100 + i, i % 10, 100 + i, i % 10);
        lines(b, text);
        assert_in_range(tracer_count(b->t).modelled, 0, 1);     /* a request is judged when the next one is read */
    }
    lines(b, "300 10.0.0.1:1 SET L1 a NX PX 1000\n300 10.0.0.1:1 SET L2 a NX PX 1000\n300.1 10.0.0.1:1 GET x\n");
    assert_int_equal(tracer_count(b->t).modelled, 2);
    assert_int_equal(tracer_count(b->t).grants, 102);
    bench_free(b);
}

/* Property: no order of requests, scripts and stray commands breaks anything; the same log gives the same findings. */
static void any_history(void **state)
{
    (void)state;
    static const char *const what[] = {
        "SET %s %s NX PX 1000", "SET %s %s NX PX 1", "EVALSHA @redis_py/lock/release 1 %s %s", "DEL %s %s",
        "PEXPIRE %s 500 %s", "EVALSHA @redisson/lock/acquire 1 %s 1000 %s", "EVALSHA @redisson/lock/renew 1 %s 1000 %s",
        "HSET %s %s 1", "FLUSHALL", "RENAME %s %s", "EVALSHA @redisson/lock/acquire 9 %s %s", "BLPOP %s %s 1",
        "GET %s", "PERSIST %s", "EVALSHA x y %s", "MULTI %s", "EXEC %s", "SELECT 3 %s",
        "EVAL \"return redis.call('set', KEYS[1], ARGV[1])\" 1 %s %s",
    };
    static const char *const names[] = { "L", "M", "a", "b", "" };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        buf first = { 0 };
        for (int twice = 0; twice < 2; twice++) {
            rng r = rng_new(seed, 1);
            bench *b = bench_new(seed % 2 ? "redis_py.lock" : "redisson.lock", "");
            int64_t ms = 0;
            for (int i = 0; i < 300; i++) {
                char text[300], words[200];
                ms += (int64_t)rng_below(&r, 400) - 20;
                const char *form = what[rng_below(&r, COUNT(what))], *x = names[rng_below(&r, 5)],
                                   *y = names[rng_below(&r, 5)];
                bool lua = rng_below(&r, 4) == 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                snprintf(words, sizeof words, form, *x ? x : "\"\"", *y ? y : "\"\"");
#pragma GCC diagnostic pop
                snprintf(text, sizeof text, "%f %s db%d %s\n", (double)(100000 + ms) / 1000, lua ? "lua" : "10.0.0.1:1",
                         (int)rng_below(&r, 10) == 0, words);
                lines(b, text);
            }
            assert_true(tracer_end(b->t, &b->e));
            if (twice)
                assert_string_equal(b->found.p ? b->found.p : "", first.p ? first.p : "");
            else
                buf_add(&first, buf_str(&b->found));
            bench_free(b);
        }
        buf_free(&first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clean_histories), cmocka_unit_test(taken_away), cmocka_unit_test(held_before_the_log),
        cmocka_unit_test(differences),
        cmocka_unit_test(leases_that_end), cmocka_unit_test(orphans), cmocka_unit_test(locks_are_forgotten),
        cmocka_unit_test(free_locks_have_no_model),
        cmocka_unit_test(any_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
