/* libraries.c - the scripts of lock, queue and limiter libraries, run by a real redis-server and by sim/redis in random
 * states: no byte of a reply, and no key, value or time to live may differ, after any call.
 * Usage: libraries SOCKET CLOCK_FILE [CALLS [FILE...]]          server.sh gives the first two
 *
 * Each file (calls.h; those of tests/conformance/libraries if none is named) is a library: random walks of its calls by
 * EVALSHA, over its few keys, by three owners, while the clock moves to deadlines and past them, keys vanish, lose or
 * get a time to live or hold another type, and the cache of scripts is emptied. CALLS of each library, in walks of
 * WALK_STEPS from an empty server, every other one in RESP3. A script that has never answered anything but errors was
 * not tested, and that is a failure too. A difference is cut down to the fewest steps that show it. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "host/files.h"
#include "real.h"
#include "redis/redis.h"
#include "script/script.h"

#define START_MS INT64_C(1700000000000)
enum { WALK_STEPS = 60, CALLS_DEFAULT = 2000, SHOWN_MAX = 600 };

/* One thing that happens to both servers: the clock moves, then a command or a script call. */
typedef struct {
    int64_t advance_ms;
    const call_form *form;                         /* NULL: one of the disturbances */
    str argv[ARGV_MAX + 2];
    size_t argc;
} step;

typedef struct {
    real *server;
    real_conn *theirs;
    redis *sim;
    redis_conn *conn;
    int64_t now_ms;
    int resp;
    arena *scratch;
    buf their_reply, our_reply;
    uint64_t calls, keyspaces;
} pair;

static void begin(pair *t)
{
    t->now_ms = START_MS;
    real_set_clock(t->server, t->now_ms);
    real_reset(t->theirs);
    buf_clear(&t->their_reply);
    real_execute(t->theirs, (str[]){ S("hello"), t->resp == 3 ? S("3") : S("2") }, 2, &t->their_reply);
    redis_free(t->sim);
    t->sim = redis_new((redis_limits){ .dialect = real_dialect(t->server) });
    t->conn = redis_connect(t->sim, 1);
}

static bool same_reply(pair *t, const str *argv, size_t argc)
{
    buf_clear(&t->their_reply);
    buf_clear(&t->our_reply);
    arena_reset(t->scratch);
    real_execute(t->theirs, argv, argc, &t->their_reply);
    reply r = redis_execute(t->sim, t->conn, argv, argc, t->now_ms, t->scratch);
    reply_encode(&r, t->resp, &t->our_reply);
    return str_eq(buf_str(&t->their_reply), buf_str(&t->our_reply));
}

static bool same_keyspace(pair *t)
{
    t->keyspaces++;
    return same_reply(t, (str[]){ S("eval"), keyspace_script, S("0") }, 3);
}

/* A call goes by EVALSHA, and again by EVAL where that is answered by NOSCRIPT, as client libraries do. The reply
 * of the one that ran is the one to be looked at afterwards. */
static bool same_step(pair *t, const step *s)
{
    if (s->advance_ms > 0) {
        t->now_ms += s->advance_ms;
        real_set_clock(t->server, t->now_ms);
    }
    if (!same_reply(t, s->argv, s->argc))
        return false;
    if (!str_starts(buf_str(&t->our_reply), S("-NOSCRIPT")))
        return true;
    assert(s->form);
    str argv[ARGV_MAX + 2];
    memcpy(argv, s->argv, s->argc * sizeof *argv);
    argv[0] = S("eval");
    argv[1] = s->form->body;
    return same_reply(t, argv, s->argc);
}

/* ---- walks ---- */

typedef struct {
    rng *random;
    int64_t now_ms, chosen_ms;
    uint64_t seen;
} instants;

/* Each with the same chance, whatever their number. */
static void choose_instant(void *context, int64_t at_ms, bool deadline)
{
    instants *i = context;
    (void)deadline;
    if (at_ms >= i->now_ms && rng_below(i->random, ++i->seen) == 0)
        i->chosen_ms = at_ms;
}

/* To an instant that the keyspace knows, to the millisecond after it, or by some time. */
static int64_t draw_advance(pair *t, rng *r)
{
    instants i = { .random = r, .now_ms = t->now_ms, .chosen_ms = t->now_ms };
    switch (rng_below(r, 10)) {
    case 0:
        return (int64_t)rng_below(r, 3000);
    case 1:
        return (int64_t)rng_below(r, 50);
    case 2:
    case 3:
        redis_each_instant(t->sim, t->now_ms, 100000, choose_instant, &i);
        return i.chosen_ms - t->now_ms > 100000 ? 0 : i.chosen_ms - t->now_ms + (int64_t)rng_below(r, 2);
    default:
        return 0;
    }
}

/* What befalls keys from elsewhere. */
static void draw_disturbance(arena *a, rng *r, const library_calls *l, step *s)
{
    static const char *const forms[][6] = {
        { "del", "KEY" }, { "del", "KEY" }, { "pexpire", "KEY", "TTL" }, { "pexpire", "KEY", "TTL" },
        { "persist", "KEY" }, { "script", "flush" },
        { "set", "KEY", "a:1", "px", "1000" }, { "set", "KEY", "7" }, { "hset", "KEY", "a:1", "1" },
        { "rpush", "KEY", "a:1", "b:1" },
        { "sadd", "KEY", "a:1" }, { "zadd", "KEY", "5", "a:1" },
    };
    size_t which = rng_below(r, COUNT(forms));
    s->form = NULL;
    for (s->argc = 0; s->argc < 6 && forms[which][s->argc]; s->argc++) {
        str word = str_from(forms[which][s->argc]);
        s->argv[s->argc] = str_eq(word, S("KEY")) ? calls_draw_key(a, r, l) : str_eq(word, S("TTL")) ? calls_draw_ttl(r)
                           : word;
    }
}

static void draw_step(pair *t, arena *a, rng *r, const library_calls *l, step *s)
{
    s->advance_ms = draw_advance(t, r);
    if (rng_below(r, 100) < 12) {
        draw_disturbance(a, r, l, s);
        return;
    }
    s->form = &l->calls[rng_below(r, l->calls_n)];
    size_t before = s->form->body.n > 0 ? 2 : 0;
    s->argc = before + calls_draw(a, r, s->form, t->now_ms + s->advance_ms, s->argv + before);
    if (before == 0)
        return;
    char sha[41];
    redis_sha1(s->form->body, sha);
    s->argv[0] = S("evalsha");
    s->argv[1] = arena_str(a, (str){ sha, 40 });
}

/* ---- differences ---- */

/* Runs the kept steps from empty servers; true if they differ somewhere. The clock moves for all of them. */
static bool differs(pair *t, const step *steps, const bool *keep, size_t n)
{
    bool same = true;
    begin(t);
    for (size_t i = 0; i < n && same; i++)
        if (keep[i])
            same = same_step(t, &steps[i]) && same_keyspace(t);
        else
            t->now_ms += steps[i].advance_ms, real_set_clock(t->server, t->now_ms);
    return !same;
}

static void show_difference(pair *t, str path, const step *steps, size_t n)
{
    bool keep[WALK_STEPS];
    memset(keep, true, sizeof keep);
    for (size_t i = 0; i + 1 < n; i++) {
        keep[i] = false;
        keep[i] = !differs(t, steps, keep, n);
    }
    bool again = differs(t, steps, keep, n);
    printf("libraries: %.*s: locksim and the real server differ, in RESP%d%s\n", STR_ARG(path), t->resp,
           again ? "" : ", but not when it is done again");
    buf b = { 0 };
    int64_t advance_ms = 0;
    for (size_t i = 0; i < n; i++) {
        advance_ms += steps[i].advance_ms;
        if (!keep[i])
            continue;
        if (advance_ms > 0)
            buf_printf(&b, "  # the clock moves by %" PRId64 " ms\n", advance_ms);
        advance_ms = 0;
        if (steps[i].form && steps[i].form->body.n > 0)
            buf_printf(&b, "  # %.*s\n", STR_ARG(steps[i].form->name));
        buf_addz(&b, "  ");
        paste_command(steps[i].argv, steps[i].argc, &b);
        buf_byte(&b, '\n');
    }
    buf_addz(&b, "  real: ");
    show_bytes(buf_str(&t->their_reply), SHOWN_MAX, &b);
    buf_addz(&b, "\n  ours: ");
    show_bytes(buf_str(&t->our_reply), SHOWN_MAX, &b);
    printf("%.*s\n", STR_ARG(buf_str(&b)));
    buf_free(&b);
}

/* ---- one library ---- */

static bool walk(pair *t, str path, const library_calls *l, rng *r, bool *answered)
{
    static step steps[WALK_STEPS];
    arena *a = arena_new();
    bool same = true;
    t->resp = t->resp == 3 ? 2 : 3;
    begin(t);
    for (size_t n = 0; n < WALK_STEPS && same; n++) {
        draw_step(t, a, r, l, &steps[n]);
        same = same_step(t, &steps[n]);
        t->calls += steps[n].form != NULL;
        if (same && steps[n].form && !str_starts(buf_str(&t->our_reply), S("-")))
            answered[steps[n].form - l->calls] = true;
        same = same && same_keyspace(t);
        if (!same)
            show_difference(t, path, steps, n + 1);
    }
    arena_free(a);
    return same;
}

/* Adds a pass for each call that was made and answered alike. */
static void run_library(pair *t, str path, uint64_t calls, uint64_t *passed, uint64_t *failed)
{
    arena *a = arena_new();
    err e = { 0 };
    library_calls l;
    if (!calls_read(a, path, &l, &e)) {
        buf text = { 0 };
        err_print(&e, &text);
        printf("%s", text.p);
        buf_free(&text);
        err_clear(&e);
        arena_free(a);
        ++*failed;
        return;
    }
    rng r = rng_new(1, 0);
    bool answered[CALLS_MAX] = { false }, same = true;
    for (uint64_t end = t->calls + calls; t->calls < end && same;)
        same = walk(t, path, &l, &r, answered);
    for (size_t i = 0; i < l.calls_n && same; i++) {
        *passed += answered[i];
        *failed += !answered[i];
        if (!answered[i])
            printf("libraries: %.*s: %.*s never answered anything but errors\n", STR_ARG(path),
                   STR_ARG(l.calls[i].name));
    }
    *failed += !same;
    arena_free(a);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: libraries SOCKET CLOCK_FILE [CALLS [FILE...]]\n");
        return 64;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    static const char *const shipped[] = {
        "tests/conformance/libraries/queue.calls", "tests/conformance/libraries/reservoir.calls",
        "tests/conformance/libraries/digest.calls", "tests/conformance/libraries/limiters.calls",
    };
    uint64_t calls = argc > 3 ? strtoull(argv[3], NULL, 10) : CALLS_DEFAULT, passed = 0, failed = 0;
    pair t = { .server = real_open(argv[1], argv[2]), .scratch = arena_new() };
    t.theirs = real_connect(t.server);
    size_t files = argc > 4 ? (size_t)argc - 4 : COUNT(shipped);
    for (size_t i = 0; i < files; i++)
        run_library(&t, str_from(argc > 4 ? argv[4 + i] : shipped[i]), calls, &passed, &failed);
    printf("libraries: %zu libraries, %" PRIu64 " calls, %" PRIu64 " keyspaces compared\n", files, t.calls,
           t.keyspaces);
    redis_free(t.sim);
    arena_free(t.scratch);
    buf_free(&t.their_reply);
    buf_free(&t.our_reply);
    real_disconnect(t.theirs);
    real_close(t.server);
    return real_verdict(passed, failed);
}
