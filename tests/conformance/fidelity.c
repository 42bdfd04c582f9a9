/* fidelity.c - what is known of Redis 7.0, statement by statement: small stories that a real redis-server and sim/redis
 * must tell alike, and, where the statement says so and the server is a Redis 7.0, exactly so. The statements are in
 * fidelity_cases.h.
 * Usage: fidelity SOCKET CLOCK_FILE        server.sh gives both
 *
 * A story is steps parted by " | ": a command, words in '...' taken whole with \r, \n, \0; "+100" lets 100 ms pass; "2>
 * " before a command sends it over the second connection; " => reply" after it is what both must answer, as RESP with
 * blanks for line ends. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fidelity_cases.h"
#include "normal.h"
#include "pair.h"

enum { STORY_STEPS = 64 };

typedef struct {
    arena *a;
    pair *t;
    int resp;
    bool as_stated;                    /* the server is the Redis 7.0 that the statements are about */
    uint64_t passed, failed;
} teller;

static str unescaped(arena *a, str word)
{
    char *out = arena_alloc(a, word.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        if (c == '\\' && i + 1 < word.n && strchr("rn0", word.p[i + 1])) {
            i++;
            c = word.p[i] == 'r' ? '\r' : word.p[i] == 'n' ? '\n' : '\0';
        }
        out[n++] = c;
    }
    return (str){ out, n };
}

static void split(arena *a, str line, step *s)
{
    for (size_t at = 0; at < line.n && s->argc < WORDS_MAX;) {
        if (line.p[at] == ' ') {
            at++;
            continue;
        }
        bool quoted = line.p[at] == '\'';
        size_t end = str_find(line, quoted ? '\'' : ' ', at + quoted);
        s->argv[s->argc++] = unescaped(a, str_slice(line, at + quoted, end));
        at = end + quoted;
    }
}

/* As RESP, line ends as blanks, none at the end. */
static str shown(arena *a, str reply)
{
    buf b = { 0 };
    for (size_t i = 0; i < reply.n; i++) {
        bool end = reply.p[i] == '\r' && i + 1 < reply.n && reply.p[i + 1] == '\n';
        if (!end || i + 2 < reply.n)
            buf_byte(&b, end ? ' ' : reply.p[i]);
        i += end;
    }
    str text = arena_str(a, buf_str(&b));
    buf_free(&b);
    return text;
}

static void complain(teller *x, const story *s, size_t at, const char *what, str theirs, str ours)
{
    buf b = { 0 };
    buf_printf(&b, "%s (RESP%d): step %zu of: %s\n  %s\n  redis:   ", s->about, x->resp, at + 1, s->steps, what);
    show_bytes(theirs, 1000, &b);
    buf_addz(&b, "\n  locksim: ");
    show_bytes(ours, 1000, &b);
    printf("%s\n", b.p);
    buf_free(&b);
}

/* True if the step's answer is the same, and what it should be. */
static bool tell_step(teller *x, const story *s, str text, size_t at, step *place)
{
    size_t arrow = 0;
    while (arrow + 4 <= text.n && !str_eq(str_slice(text, arrow, arrow + 4), S(" => ")))
        arrow++;
    bool expects = arrow + 4 <= text.n;
    *place = (step){ .conn = 0 };
    str line = expects ? str_slice(text, 0, arrow) : text;
    if (line.n > 3 && line.p[1] == '>') {
        place->conn = line.p[0] - '1';
        line = str_slice(line, 3, line.n);
    }
    split(x->a, line, place);
    pair_step(x->t, place, at);
    if (!pair_settle(x->t)) {
        const difference *d = pair_difference(x->t);
        complain(x, s, at, d->after.n ? d->after.p : "the answers differ", d->theirs, d->ours);
        return false;
    }
    str answer = shown(x->a, pair_answer(x->t));
    str wanted = expects ? str_slice(text, arrow + 4, text.n) : answer;
    if (!str_eq(answer, wanted) && x->resp == 2 && x->as_stated) {
        complain(x, s, at, "both say something else than the statement", answer, wanted);
        return false;
    }
    return true;
}

static void tell(teller *x, const story *s)
{
    static step places[STORY_STEPS];
    str all = str_from(s->steps);
    bool same = true;
    arena_reset(x->a);
    pair_begin(x->t, x->resp);
    for (size_t from = 0, at = 0; from < all.n && same && at < STORY_STEPS; at++) {
        size_t end = from;
        while (end < all.n && !str_starts(str_slice(all, end, all.n), S(" | ")))
            end++;
        str text = str_slice(all, from, end);
        if (text.p[0] == '+')
            pair_advance(x->t, strtoll(text.p + 1, NULL, 10));
        else
            same = tell_step(x, s, text, at, &places[at]);
        from = end + 3;
    }
    if (same && !pair_same_keyspace(x->t, 0)) {
        complain(x, s, 0, "the keyspaces differ", pair_difference(x->t)->theirs, pair_difference(x->t)->ours);
        same = false;
    }
    if (same)
        x->passed++;
    else
        x->failed++;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: fidelity SOCKET CLOCK_FILE\n");
        return 64;
    }
    real *server = real_open(argv[1], argv[2]);
    teller x = { .a = arena_new(), .t = pair_new(server) };
    x.as_stated = dialect_equal(real_dialect(server), dialect_or_default((dialect){ 0 }));
    for (x.resp = 2; x.resp <= 3; x.resp++)
        for (size_t i = 0; i < COUNT(stories); i++)
            if (x.resp == 2 || !stories[i].resp2_only)
                tell(&x, &stories[i]);
    printf("fidelity: %zu statements\n", COUNT(stories));
    arena_free(x.a);
    pair_free(x.t);
    real_close(server);
    return real_verdict(x.passed, x.failed);
}
