/* shrink.c - leaving out and shortening for as long as what remains still differs; see shrink.h. */
#define _GNU_SOURCE
#include "shrink.h"

#include <string.h>

enum { REPLAYS_MAX = 4000, STEPS_MAX = 1024 };

typedef struct {
    pair *t;
    int resp;
    step *steps;
    size_t n;
    arena *a;
    int replays;
    bool limits;                       /* what is looked for is a limit of ours, or an address */
} shrinker;

/* A shortened number can ask for more memory than a script of ours may have, and a shortened script can tell an
 * address: those are other differences. */
static bool is_limit(const pair *t)
{
    const difference *d = pair_difference(t);
    return strstr(d->ours.p, "ERR locksim") || strstr(d->theirs.p, ": 0x");
}

static bool differs(shrinker *k)
{
    k->replays++;
    pair_begin(k->t, k->resp);
    for (size_t i = 0; i < k->n; i++)
        pair_step(k->t, &k->steps[i], i);
    bool same = pair_settle(k->t) && (k->n == 0 || pair_same_keyspace(k->t, k->n - 1));
    return !same && (k->limits || !is_limit(k->t));
}

static bool may_try(const shrinker *k) { return k->replays < REPLAYS_MAX; }

/* Leaves out ever smaller runs of steps (Zeller and Hildebrandt 2002, simplified). The clock moves for all of them. */
static void fewer_steps(shrinker *k)
{
    static step was[STEPS_MAX];
    for (size_t run = k->n / 2 ? k->n / 2 : 1; run > 0; run /= 2)
        for (size_t from = 0; from < k->n && may_try(k);) {
            size_t before = k->n, to = from + run < k->n ? from + run : k->n;
            memcpy(was, k->steps, before * sizeof *was);
            int64_t moved_ms = 0;
            for (size_t i = from; i < to; i++)
                moved_ms += k->steps[i].advance_ms;
            memmove(k->steps + from, k->steps + to, (before - to) * sizeof *was);
            k->n -= to - from;
            if (from < k->n)
                k->steps[from].advance_ms += moved_ms;
            if (k->n > 0 && differs(k))
                continue;
            k->n = before;
            memcpy(k->steps, was, before * sizeof *was);
            from = to;
        }
}

static void fewer_moves(shrinker *k)
{
    for (size_t i = 0; i < k->n; i++)
        for (int64_t was = k->steps[i].advance_ms, less = 0; was > 0 && may_try(k); less = was - 1) {
            k->steps[i].advance_ms = less;
            if (differs(k))
                break;
            k->steps[i].advance_ms = was;
            if (less == was - 1)
                break;
        }
}

static void fewer_words(shrinker *k, step *s)
{
    for (size_t at = s->argc; at-- > 1 && may_try(k);) {
        step was = *s;
        memmove(s->argv + at, s->argv + at + 1, (s->argc - at - 1) * sizeof *s->argv);
        s->argc--;
        if (!differs(k))
            *s = was;
    }
}

/* Past the line "--", if there is one. */
static size_t fixed_bytes(str word)
{
    const char *end = word.n > 3 ? memmem(word.p, word.n, "--\n", 3) : NULL;
    return end ? (size_t)(end - word.p) + 3 : 0;
}

/* A shortened script must not raise what crashes the real server: see lua_grammar.c. */
static bool is_harmless(str word)
{
    static const char *const safe[] = { "E(", "T(", "{err=T(" };
    for (size_t at = fixed_bytes(word); at < word.n; at++) {
        str rest = str_slice(word, at, word.n);
        bool ok = !str_starts(rest, S("error("));
        for (size_t i = 0; i < COUNT(safe); i++)
            ok = ok || str_starts(str_slice(rest, 6, rest.n), str_from(safe[i]));
        if (!ok)
            return false;
    }
    return true;
}

/* Without ever smaller pieces of its bytes. */
static void shorter_word(shrinker *k, str *word)
{
    size_t fixed = fixed_bytes(*word);
    for (size_t run = word->n; run > 0; run /= 2)
        for (size_t from = fixed; from < word->n && may_try(k);) {
            str was = *word;
            size_t to = from + run < was.n ? from + run : was.n;
            char *less = arena_alloc(k->a, was.n + 1);
            memcpy(less, was.p, from);
            memcpy(less + from, was.p + to, was.n - to);
            *word = (str){ less, was.n - (to - from) };
            if (is_harmless(*word) && differs(k))
                continue;
            *word = was;
            from = to;
        }
}

size_t shrink_steps(pair *t, int resp, step *steps, size_t n, arena *a)
{
    shrinker k = { .t = t, .resp = resp, .steps = steps, .n = n, .a = a, .limits = is_limit(t) };
    if (n > STEPS_MAX || !differs(&k))
        return 0;
    fewer_steps(&k);
    for (size_t i = 0; i < k.n; i++)
        fewer_words(&k, &steps[i]);
    for (size_t i = 0; i < k.n; i++)
        for (size_t w = 1; w < steps[i].argc; w++)
            shorter_word(&k, &steps[i].argv[w]);
    fewer_steps(&k);
    fewer_moves(&k);
    return differs(&k) ? k.n : 0;
}
