/* dumps.c - values go from a real server to locksim and back, by DUMP and RESTORE: whatever one wrote the other
 * reads, and DEBUG DIGEST-VALUE tells the same of both. And what was damaged is refused, or read without harm. Usage:
 * dumps SOCKET CLOCK_FILE [COUNT [SEED]]      server.sh gives the first two */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "ours.h"
#include "real.h"
#include "redis/payload.h"
#include "serve/hub.h"

typedef struct {
    real_conn *theirs;
    hub *h;
    hub_client *ours;
    buf said;
    arena *a;
    rng g;
    dialect d;
    uint64_t passed, failed;
} comparison;

enum { WORDS_MAX = 700 };

typedef struct {
    str at[WORDS_MAX];
    size_t n;
} words;

static str ask(comparison *x, bool theirs, const str *argv, size_t argc)
{
    buf out = { 0 };
    if (theirs)
        real_execute(x->theirs, argv, argc, &out);
    else
        ours_ask(x->h, x->ours, argv, argc, &out);
    str kept = arena_str(x->a, buf_str(&out));
    buf_free(&out);
    return kept;
}

#define ASK(x, theirs, ...) \
    ask(x, theirs, (const str[]){ __VA_ARGS__ }, sizeof((const str[]){ __VA_ARGS__ }) / sizeof(str))

/* The text of a bulk string. */
static str bulk(str reply)
{
    size_t from = str_find(reply, '\n', 0) + 1;
    return reply.n && reply.p[0] == '$' && from + 2 <= reply.n ? str_slice(reply, from, reply.n - 2) : (str){ 0 };
}

/* ---- values ---- */

static str any_text(comparison *x)
{
    static const int64_t edges[] = { 0, 127, 128, 255, 4095, 4096, 32767, 32768, 65535, 8388607, 8388608, INT32_MAX,
                                     INT64_MAX, 63, 64, 8191, 8192 };
    buf b = { 0 };
    uint64_t kind = rng_below(&x->g, 8);
    if (kind < 3) {
        int64_t n = edges[rng_below(&x->g, COUNT(edges))] - (int64_t)rng_below(&x->g, 3);
        buf_printf(&b, "%" PRId64, rng_below(&x->g, 2) ? n : -n);
    } else {
        static const uint64_t sizes[] = { 2, 10, 30, 70, 5000, 20000 };
        uint64_t n = rng_below(&x->g, sizes[kind == 3 ? rng_below(&x->g, COUNT(sizes)) : rng_below(&x->g, 3)]);
        for (uint64_t i = 0; i < n; i++)
            buf_byte(&b, kind < 6 ? (char)('a' + (char)(i / 7 % 3)) : (char)rng_below(&x->g, 256));
    }
    str s = arena_str(x->a, buf_str(&b));
    buf_free(&b);
    return s;
}

static str any_score(comparison *x)
{
    static const char *const scores[] = { "0", "1", "-1", "0.1", "-inf", "inf", "1e300", "3.5", "123456789012", "17" };
    return str_from(scores[rng_below(&x->g, COUNT(scores))]);
}

static void add(words *w, str s) { w->at[w->n++] = s; }

/* A command that makes the key v; 700 words at most. */
static void make(comparison *x, words *w)
{
    static const char *const commands[] = { "set", "rpush", "sadd", "hset", "zadd" };
    static const uint64_t sizes[] = { 3, 20, 200, 300 };
    uint64_t kind = rng_below(&x->g, COUNT(commands)), n = 1 + rng_below(&x->g, sizes[rng_below(&x->g, COUNT(sizes))]);
    bool integers = rng_below(&x->g, 3) == 0;
    w->n = 0;
    add(w, str_from(commands[kind]));
    add(w, S("v"));
    for (uint64_t i = 0; i < (kind == 0 ? 1 : n); i++) {
        if (kind == 4)
            add(w, any_score(x));
        add(w, integers && kind == 2 ? arena_int(x->a, (int64_t)rng_below(&x->g, 1 << 20) - (1 << 19)) : any_text(x));
        if (kind == 3)
            add(w, any_text(x));
    }
}

/* Some fields of the hash get a deadline, on both sides. */
static void date(comparison *x, const words *w)
{
    static const dialect_since has_fields = { 704, 900 };
    if (!str_eq(w->at[0], S("hset")) || !dialect_has(x->d, has_fields) || rng_below(&x->g, 2))
        return;
    for (size_t i = 2; i < w->n; i += 2) {
        if (rng_below(&x->g, 3))
            continue;
        str ms = arena_int(x->a, 1000 + (int64_t)rng_below(&x->g, 1000000));
        for (int theirs = 0; theirs < 2; theirs++)
            ASK(x, theirs, S("hpexpire"), S("v"), ms, S("fields"), S("1"), w->at[i]);
    }
}

static void differ(comparison *x, const char *what, const words *w, str theirs, str ours)
{
    buf shown = { 0 };
    paste_command(w->at, w->n < 12 ? w->n : 12, &shown);
    buf_printf(&shown, "\n  %s\n  real     ", what);
    show_bytes(theirs, 400, &shown);
    buf_addz(&shown, "\n  locksim  ");
    show_bytes(ours, 400, &shown);
    printf("FAIL dumps: %s\n", buf_str(&shown).p);
    buf_free(&shown);
    x->failed++;
}

static void same(comparison *x, const char *what, const words *w, str theirs, str ours)
{
    if (str_eq(theirs, ours))
        x->passed++;
    else
        differ(x, what, w, theirs, ours);
}

/* Some bytes of the payload change, and its sum is made right again. Only locksim is asked: real servers trust a sum.
 */
static void damage(comparison *x, str payload)
{
    buf b = { 0 };
    if (payload.n <= PAYLOAD_FOOTER_BYTES)
        return;
    buf_add(&b, str_slice(payload, 0, payload.n - PAYLOAD_FOOTER_BYTES));
    for (uint64_t n = 1 + rng_below(&x->g, 3); n > 0; n--)
        b.p[rng_below(&x->g, rng_below(&x->g, 2) ? b.n : b.n < 12 ? b.n : 12)] = (char)rng_below(&x->g, 256);
    b.n -= rng_below(&x->g, 4) ? 0 : rng_below(&x->g, b.n);
    payload_end(x->d, &b);
    str said = ASK(x, false, S("restore"), S("damaged"), S("0"), buf_str(&b), S("replace"));
    if (said.n && said.p[0] == '+')
        ASK(x, false, S("debug"), S("digest-value"), S("damaged"));
    x->passed += str_eq(ASK(x, false, S("ping")), S("+PONG\r\n"));
    buf_free(&b);
}

static void compare(comparison *x)
{
    words w;
    make(x, &w);
    str made = ask(x, true, w.at, w.n);
    same(x, "made", &w, made, ask(x, false, w.at, w.n));
    date(x, &w);
    str want = ASK(x, true, S("debug"), S("digest-value"), S("v"));
    str from_them = bulk(ASK(x, true, S("dump"), S("v"))), from_us = bulk(ASK(x, false, S("dump"), S("v")));
    str read = ASK(x, false, S("restore"), S("w"), S("0"), from_them, S("replace"));
    same(x, "locksim reads the real one's", &w, S("+OK\r\n"), read);
    same(x, "and holds the same", &w, want, ASK(x, false, S("debug"), S("digest-value"), S("w")));
    read = ASK(x, true, S("restore"), S("w"), S("0"), from_us, S("replace"));
    same(x, "the real one reads locksim's", &w, S("+OK\r\n"), read);
    same(x, "and holds the same", &w, ASK(x, true, S("debug"), S("digest-value"), S("w")),
         ASK(x, false, S("debug"), S("digest-value"), S("v")));
    read = ASK(x, false, S("restore"), S("w"), S("0"), from_us, S("replace"));
    same(x, "locksim reads its own", &w, want, ASK(x, false, S("debug"), S("digest-value"), S("w")));
    same(x, "kept alike", &w, ASK(x, true, S("object"), S("encoding"), S("w")),
         ASK(x, false, S("object"), S("encoding"), S("w")));
    damage(x, from_them);
    for (int theirs = 0; theirs < 2; theirs++)
        ASK(x, theirs, S("flushall"));
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5) {
        fprintf(stderr, "usage: dumps SOCKET CLOCK_FILE [COUNT [SEED]]\n");
        return 64;
    }
    uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) / 20 : 2000, done = 0;
    real *server = real_open(argv[1], argv[2]);
    comparison x = { .theirs = real_connect(server), .d = real_dialect(server), .a = arena_new() };
    x.g = rng_new(argc > 4 ? strtoull(argv[4], NULL, 10) : 1, 0);
    x.h = hub_new(&(hub_host){ .start_ms = INT64_C(1700000000000), .dialect = x.d });
    x.ours = hub_open(x.h, &x.said, S(""), S(""));
    for (; done < count && x.failed < 5; done++) {
        compare(&x);
        arena_reset(x.a);
    }
    printf("dumps: %" PRIu64 " values went both ways\n", done);
    hub_free(x.h);
    arena_free(x.a);
    real_disconnect(x.theirs);
    real_close(server);
    return real_verdict(x.passed, x.failed);
}
