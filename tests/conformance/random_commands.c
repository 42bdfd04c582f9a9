/* random_commands.c - random commands with hostile arguments, run by a real redis-server and by sim/redis; no byte may differ.
 * Usage: random_commands SOCKET CLOCK_FILE [COUNT [SEED [FAMILIES]]]
 * server.sh gives the first two; FAMILIES are letters of command_forms.h, say "lz" for lists and sorted sets.
 *
 * Few keys, so that types clash; two connections, so that WATCH matters; the clock moves between commands, often exactly to a
 * deadline or one past it. Every DUMP_EVERY commands both keyspaces are told and compared, and the simulated one is frozen and thawed,
 * which must change nothing either. Odd episodes speak RESP3. A difference is cut down to the fewest commands that still show it, and
 * they are printed as redis-cli takes them. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "random_words.h"
#include "real.h"
#include "redis/redis.h"

enum { EPISODE_STEPS = 400, DUMP_EVERY = 50, REPLAYS_MAX = 3000, CONNS = 2 };
#define START_MS INT64_C(1700000000000)

/* Both servers in the same state, or so we hope. */
typedef struct {
    real *real;
    real_conn *real_conns[CONNS + 1];              /* the last one tells the keyspace, outside any transaction */
    redis *sim;
    redis_conn *sim_conns[CONNS + 1];
    int64_t now_ms;
    int resp;
    bool scanned;                                  /* since they were empty */
    arena *scratch;
    buf theirs, ours;                              /* the last two replies */
} twins;

/* ---- generating ---- */

static void one_deadline(void *context, int64_t at_ms, bool deadline)
{
    generator *g = context;
    if (deadline && at_ms >= g->now_ms && chance(&g->random, 40))
        g->s->advance_ms = at_ms - g->now_ms;
}

static int64_t small_or_large(rng *r)
{
    static const uint64_t most[] = { 1, 1, 3, 20, 20, 1000, 5000, 100000 };
    return (int64_t)rng_below(r, most[rng_below(r, COUNT(most))] + 1);
}

/* What the replies say about a connection. */
typedef struct {
    bool in_multi, watching;
} session;

static void observe(session *now, const step *s, str answer)
{
    bool ok = str_starts(answer, S("+OK"));
    if (ok && str_eq_nocase(s->argv[0], S("multi")))
        now->in_multi = true;
    if (ok && str_eq_nocase(s->argv[0], S("watch")))
        now->watching = true;
    if ((ok && str_eq_nocase(s->argv[0], S("discard"))) || (!str_starts(answer, S("-ERR")) && str_eq_nocase(s->argv[0], S("exec"))))
        *now = (session){ false, false };
}

static void generate(generator *g, twins *t, const session *sessions, step *s)
{
    *s = (step){ .conn = chance(&g->random, 15) };
    g->s = s;
    g->now_ms = t->now_ms;
    if (chance(&g->random, 12))
        s->advance_ms = small_or_large(&g->random);
    else if (chance(&g->random, 6)) {
        redis_each_instant(t->sim, t->now_ms, 0, one_deadline, g);
        s->advance_ms += s->advance_ms > 0 && s->advance_ms < 1000000 && chance(&g->random, 50);
        s->advance_ms = s->advance_ms < 1000000 ? s->advance_ms : 1;
    }
    random_command(g, s);
    if (sessions[s->conn].in_multi && s->leniency) /* its reply would come inside EXEC's, where no leniency reaches */
        *s = (step){ .conn = s->conn, .advance_ms = s->advance_ms, .argc = 1, .argv = { S("ping") } };
    else if (!s->leniency && !is_transactional(s) && chance(&g->random, PERCENT_SCRIPTED))
        wrap_in_script(g);
}

/* ---- comparing ---- */

/* The elements of an aggregate reply (not too many of them); false if `s` is no such thing. */
static bool elements(str s, str *at, size_t max, size_t *n)
{
    if (s.n == 0 || !strchr("*~%", s.p[0]))
        return false;
    long long count = strtoll(s.p + 1, NULL, 10) * (s.p[0] == '%' ? 2 : 1);
    if (count < 0 || (size_t)count > max)
        return false;
    size_t from = str_find(s, '\n', 0) + 1;
    *n = (size_t)count;
    for (size_t i = 0; i < *n; i++) {
        size_t bytes = resp_length(str_slice(s, from, s.n));
        at[i] = str_slice(s, from, from + bytes);
        from += bytes;
    }
    return true;
}

enum { ELEMENTS_MAX = 4096 };

static int by_bytes(const void *x, const void *y) { return str_cmp(*(const str *)x, *(const str *)y); }

/* The same elements, taken `by` one or two at a time, in any order. */
static bool same_elements(str x, str y, size_t by)
{
    static str ex[ELEMENTS_MAX], ey[ELEMENTS_MAX];
    size_t nx, ny;
    if (!elements(x, ex, ELEMENTS_MAX, &nx) || !elements(y, ey, ELEMENTS_MAX, &ny) || nx != ny || nx % by || x.p[0] != y.p[0])
        return false;
    for (size_t i = 0; by == 2 && i < nx; i += 2) {  /* an element and its neighbour are adjacent bytes */
        ex[i / 2] = (str){ ex[i].p, ex[i].n + ex[i + 1].n };
        ey[i / 2] = (str){ ey[i].p, ey[i].n + ey[i + 1].n };
    }
    qsort(ex, nx / by, sizeof ex[0], by_bytes);
    qsort(ey, ny / by, sizeof ey[0], by_bytes);
    for (size_t i = 0; i < nx / by; i++)
        if (!str_eq(ex[i], ey[i]))
            return false;
    return true;
}

/* Replies of one shape: the same type, the same number of elements, texts anything. */
static bool same_shape(str x, str y)
{
    static str ex[ELEMENTS_MAX], ey[ELEMENTS_MAX];
    size_t nx, ny;
    if (x.n < 3 || y.n < 3 || x.p[0] != y.p[0])
        return false;
    if (x.p[0] == '$')
        return (x.p[1] == '-') == (y.p[1] == '-');
    return elements(x, ex, ELEMENTS_MAX, &nx) && elements(y, ey, ELEMENTS_MAX, &ny) && nx == ny;
}

static bool same_scan(const step *s, str x, str y)
{
    str ex[2], ey[2];
    size_t nx, ny;
    if (!elements(x, ex, 2, &nx) || !elements(y, ey, 2, &ny) || nx != 2 || ny != 2)
        return false;
    size_t cursor_at = str_eq_nocase(s->argv[0], S("scan")) ? 1 : 2;
    str cursor = cursor_at < s->argc ? s->argv[cursor_at] : S("");
    bool whole = str_eq(ex[0], S("$1\r\n0\r\n"));
    for (size_t i = 0; i < cursor.n; i++)          /* begun at another cursor, Redis goes on in the middle of a hash table */
        whole = whole && cursor.p[i] == '0';
    return !whole || same_elements(ex[1], ey[1], 1);
}

static bool real_encoding_is(twins *t, int conn, str key, str encoding)
{
    buf answer = { 0 };
    real_execute(t->real_conns[conn], (str[]){ S("object"), S("encoding"), key }, 3, &answer);
    buf expected = { 0 };
    buf_printf(&expected, "$%zu\r\n%.*s\r\n", encoding.n, STR_ARG(encoding));
    bool same = str_eq(buf_str(&answer), buf_str(&expected));
    buf_free(&answer);
    buf_free(&expected);
    return same;
}

static void ours(twins *t, int conn, const str *argv, size_t argc, int resp, buf *out)
{
    reply r = redis_execute(t->sim, t->sim_conns[conn], argv, argc, t->now_ms, t->scratch);
    reply_encode(&r, resp, out);
}

/* Both sides popped members at random: ours gets its own back and loses theirs. Had the set emptied, both had popped all of it. */
static void same_pops(twins *t, const step *s, str theirs, str popped)
{
    static str mine[ELEMENTS_MAX];
    str gone[2][ELEMENTS_MAX];
    str both[2] = { popped, theirs };
    for (int side = 0; side < 2; side++) {
        size_t n = 1;
        if (both[side].p[0] == '$')
            mine[0] = both[side];
        else
            elements(both[side], mine, ELEMENTS_MAX, &n);
        gone[side][0] = side == 0 ? S("sadd") : S("srem");
        gone[side][1] = s->argv[1];
        for (size_t i = 0; i < n; i++) {
            size_t text = str_find(mine[i], '\n', 0) + 1;
            gone[side][2 + i] = str_slice(mine[i], text, mine[i].n - 2);
        }
        buf unused = { 0 };
        ours(t, s->conn, gone[side], 2 + n, 2, &unused);
        buf_free(&unused);
    }
}

/* Both counts without expired keys: a full scan deletes the real server's, KEYS shows the live ones of ours. */
static bool same_size_when_reaped(twins *t, const step *s)
{
    static str live[ELEMENTS_MAX];
    buf theirs = { 0 }, our_keys = { 0 }, our_count = { 0 };
    size_t n = 0;
    real_execute(t->real_conns[s->conn], (str[]){ S("scan"), S("0"), S("count"), S("100000") }, 4, &theirs);
    buf_clear(&theirs);
    real_execute(t->real_conns[s->conn], s->argv, s->argc, &theirs);
    ours(t, s->conn, (str[]){ S("keys"), S("*") }, 2, 2, &our_keys);
    if (elements(buf_str(&our_keys), live, ELEMENTS_MAX, &n))
        buf_printf(&our_count, ":%zu\r\n", n);
    bool same = str_eq(buf_str(&theirs), buf_str(&our_count));
    buf_free(&theirs);
    buf_free(&our_keys);
    buf_free(&our_count);
    return same;
}

static bool forgiven(twins *t, const step *s)
{
    str x = buf_str(&t->theirs), y = buf_str(&t->ours);
    if (s->leniency == 0 || x.n == 0 || y.n == 0)
        return false;
    switch (s->leniency) {
    case ANY_ORDER:
        return s->argc > 1 && same_elements(x, y, 1) && real_encoding_is(t, s->conn, s->argv[1], S("hashtable"));
    case ANY_ORDER_PAIRS:
        return s->argc > 1 && same_elements(x, y, 2) && real_encoding_is(t, s->conn, s->argv[1], S("hashtable"));
    case COMBINES:
        return same_elements(x, y, 1);
    case SCANS:
        return same_scan(s, x, y);
    case RANDOM:
        return same_shape(x, y);
    case REAPED:
        return t->scanned && same_size_when_reaped(t, s);
    case RANDOM_POP:
        if (!same_shape(x, y))
            return false;
        same_pops(t, s, x, y);
        return true;
    default:
        return false;
    }
}

/* ---- running ---- */

static void close_twins(twins *t)
{
    for (int i = 0; i <= CONNS; i++)
        real_disconnect(t->real_conns[i]);
    redis_free(t->sim);
}

/* Both servers empty, the clock at the start. */
static void open_twins(twins *t, int resp)
{
    t->resp = resp;
    t->scanned = false;
    t->now_ms = START_MS;
    real_set_clock(t->real, t->now_ms);
    t->sim = redis_new((redis_limits){ 0 });
    for (int i = 0; i <= CONNS; i++) {
        t->real_conns[i] = real_connect(t->real);
        t->sim_conns[i] = redis_connect(t->sim, (uint32_t)i + 1);
        buf answer = { 0 };
        if (resp == 3 && i < CONNS)
            real_execute(t->real_conns[i], (str[]){ S("hello"), S("3") }, 2, &answer);
        buf_free(&answer);
    }
    real_reset(t->real_conns[CONNS]);
}

/* The two last replies are in t->theirs and t->ours. */
static bool same_step(twins *t, const step *s)
{
    arena_reset(t->scratch);
    buf_clear(&t->theirs);
    buf_clear(&t->ours);
    if (s->advance_ms > 0) {
        t->now_ms += s->advance_ms;
        real_set_clock(t->real, t->now_ms);
    }
    t->scanned = t->scanned || s->leniency == SCANS;
    real_execute(t->real_conns[s->conn], s->argv, s->argc, &t->theirs);
    ours(t, s->conn, s->argv, s->argc, t->resp, &t->ours);
    return str_eq(buf_str(&t->theirs), buf_str(&t->ours)) || forgiven(t, s);
}

/* Do we hold keys past their deadline that nothing has looked at? DBSIZE counts them, and a frozen keyspace has none. */
static bool holds_expired(twins *t)
{
    str count[] = { S("eval"), S("local n = 0 for db = 0, 15 do redis.call('SELECT', db) n = n + redis.call('DBSIZE') - "
                                 "#redis.call('KEYS', '*') end return n"), S("0") };
    buf answer = { 0 };
    ours(t, CONNS, count, COUNT(count), 2, &answer);
    bool expired = !str_eq(buf_str(&answer), S(":0\r\n"));
    buf_free(&answer);
    return expired;
}

/* Tells both keyspaces; then freezes ours and thaws it, after which it must be the same and go on the same. */
static bool same_keyspace(twins *t, bool thaw)
{
    str tell[] = { S("eval"), keyspace_script, S("0"), S("2") };
    arena_reset(t->scratch);
    buf_clear(&t->theirs);
    buf_clear(&t->ours);
    real_execute(t->real_conns[CONNS], tell, COUNT(tell), &t->theirs);
    ours(t, CONNS, tell, COUNT(tell), 2, &t->ours);
    bool told_same = str_eq(buf_str(&t->theirs), buf_str(&t->ours));
    if (!thaw || !told_same || holds_expired(t))
        return told_same;
    buf before = { 0 }, after = { 0 };
    redis_freeze(t->sim, t->now_ms, &before);
    redis_thaw(t->sim, t->now_ms, buf_str(&before));
    redis_freeze(t->sim, t->now_ms, &after);
    bool same = str_eq(buf_str(&before), buf_str(&after));
    if (!same)
        buf_addz(&t->ours, " (freezing, thawing and freezing again gave other bytes)");
    buf_free(&before);
    buf_free(&after);
    return same;
}

/* Runs the kept steps from empty servers; true if some reply differs, or the keyspaces at the end. The clock moves for all steps;
 * with `thaw`, our keyspace is frozen and thawed where it was. */
static bool differs(twins *t, const step *steps, const bool *keep, size_t n, bool thaw)
{
    bool same = true;
    open_twins(t, t->resp);
    for (size_t i = 0; i < n && same; i++) {
        if (keep[i])
            same = same_step(t, &steps[i]);
        else if (steps[i].advance_ms > 0)
            t->now_ms += steps[i].advance_ms, real_set_clock(t->real, t->now_ms);
        if (same && thaw && steps[i].thawed)
            same = same_keyspace(t, true);
    }
    same = same && same_keyspace(t, false);
    close_twins(t);
    return !same;
}

/* Leaves out ever smaller runs of steps for as long as what remains still differs (Zeller and Hildebrandt 2002, simplified). */
static void shrink(twins *t, const step *steps, bool *keep, size_t n, bool thaw)
{
    int replays = 0;
    for (size_t run = n / 2 ? n / 2 : 1; run > 0 && replays < REPLAYS_MAX; run /= 2)
        for (size_t from = 0; from < n && replays < REPLAYS_MAX; from += run) {
            bool was[EPISODE_STEPS], any = false;
            memcpy(was, keep, sizeof was);
            for (size_t i = from; i < n && i < from + run; i++) {
                any |= keep[i];
                keep[i] = false;
            }
            if (any && (replays++, !differs(t, steps, keep, n, thaw)))
                memcpy(keep, was, sizeof was);
        }
}

static void show(twins *t, const step *steps, const bool *keep, size_t n)
{
    buf line = { 0 };
    int64_t advance_ms = 0;
    for (size_t i = 0; i < n; i++) {
        advance_ms += steps[i].advance_ms;
        if (!keep[i])
            continue;
        if (advance_ms > 0)
            buf_printf(&line, "  # the clock moves by %" PRId64 " ms\n", advance_ms);
        buf_printf(&line, "  %d> ", steps[i].conn);
        paste_command(steps[i].argv, steps[i].argc, &line);
        buf_byte(&line, '\n');
        advance_ms = 0;
    }
    buf_addz(&line, "  redis:   ");
    show_bytes(buf_str(&t->theirs), 2000, &line);
    buf_addz(&line, "\n  locksim: ");
    show_bytes(buf_str(&t->ours), 2000, &line);
    printf("%s\n", line.p);
    buf_free(&line);
}

/* True if nothing differed. */
static bool episode(twins *t, const char *families, uint64_t seed, uint64_t number, size_t length, uint64_t *compared)
{
    static step steps[EPISODE_STEPS];
    session sessions[CONNS] = { { false, false } };
    generator g = { .random = rng_new(seed, number), .a = arena_new(), .families = families };
    size_t n = 0;
    bool same = true;
    open_twins(t, number % 2 ? 3 : 2);
    while (n < length && same) {
        generate(&g, t, sessions, &steps[n]);
        same = same_step(t, &steps[n]);
        observe(&sessions[steps[n].conn], &steps[n], buf_str(&t->theirs));
        n++;
        (*compared)++;
        if (same && (n % DUMP_EVERY == 0 || n == length)) {
            steps[n - 1].thawed = n % (2 * DUMP_EVERY) == 0 && !sessions[0].in_multi && !sessions[1].in_multi && !sessions[0].watching
                                  && !sessions[1].watching;
            same = same_keyspace(t, steps[n - 1].thawed);
        }
    }
    close_twins(t);
    if (!same) {
        bool keep[EPISODE_STEPS];
        memset(keep, true, sizeof keep);
        printf("random_commands: seed %" PRIu64 ", episode %" PRIu64 " (RESP%d): difference at step %zu:\n", seed, number, t->resp, n);
        show(t, steps + n - 1, keep, 1);
        bool thaw = !differs(t, steps, keep, n, false);
        if (!thaw || differs(t, steps, keep, n, true)) {
            shrink(t, steps, keep, n, thaw);
            differs(t, steps, keep, n, thaw);
            printf("the fewest commands that show a difference%s:\n", thaw ? ", with our keyspace frozen and thawed in between" : "");
            show(t, steps, keep, n);
        } else {
            printf("it does not show again when the commands are repeated\n");
        }
        fflush(stdout);
    }
    arena_free(g.a);
    return same;
}

int main(int argc, char **argv)
{
    const char *families = argc > 5 ? argv[5] : "shlSzg";
    if (argc < 3 || argc > 6 || !strpbrk(families, "shlSzg")) {
        fprintf(stderr, "usage: random_commands SOCKET CLOCK_FILE [COUNT [SEED [FAMILIES]]]\n");
        return 64;
    }
    uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 40000, seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    uint64_t compared = 0, passed = 0, failed = 0;
    twins t = { .real = real_open(argv[1], argv[2]), .scratch = arena_new() };
    for (uint64_t number = 0; compared < count && failed < 5; number++) {
        size_t left = count - compared < EPISODE_STEPS ? (size_t)(count - compared) : EPISODE_STEPS;
        if (episode(&t, families, seed, number, left, &compared))
            passed++;
        else
            failed++;
    }
    printf("random_commands: %" PRIu64 " commands of %zu forms compared, seed %" PRIu64 "\n", compared, COUNT(command_forms), seed);
    buf_free(&t.theirs);
    buf_free(&t.ours);
    arena_free(t.scratch);
    real_close(t.real);
    return real_verdict(passed, failed);
}
