/* differential.c - the same generated steps on a real redis-server and on sim/redis: after each of them every reply,
 * and the whole keyspace with its deadlines, must be the same bytes.
 * Usage: differential SOCKET CLOCK_FILE [OPERATIONS [SEED [MODULE...]]]        server.sh gives the first two
 *        differential modules                                                   lists them
 *
 * OPERATIONS are steps of each module, a quarter of them of large collections. A seed is good for 200,000 of them; more
 * go on with the next seed. Few keys, so that types clash; the clock moves between steps, often exactly to a deadline
 * or one past it; odd episodes speak RESP3. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "normal.h"
#include "shrink.h"

enum { EPISODE_STEPS = 400, TELL_EVERY = 50, TELL_LARGE_EVERY = 200, THAW_EVERY = 100, OPERATIONS_OF_A_SEED = 200000,
       DIFFERENCES_MAX = 5 };

typedef struct {
    pair *t;
    const module *m;
    uint64_t seed, episode, compared, differences;
    size_t steps_run;                  /* of this episode */
    generator g;
    step steps[EPISODE_STEPS];
} session;

static void one_deadline(void *context, int64_t at_ms, bool deadline)
{
    generator *g = context;
    if (deadline && at_ms >= g->now_ms && at_ms - g->now_ms < 1000000 && chance(&g->random, 40))
        g->s->advance_ms = at_ms - g->now_ms;
}

static int64_t small_or_large(rng *r)
{
    static const uint64_t most[] = { 1, 1, 3, 20, 20, 1000, 5000, 100000 };
    return (int64_t)rng_below(r, most[rng_below(r, COUNT(most))] + 1);
}

static void generate(session *x, step *s)
{
    generator *g = &x->g;
    *s = (step){ .conn = chance(&g->random, x->m->percent_other) ? (int)rng_below(&g->random, CONNS_MAX) : 0 };
    g->s = s;
    g->now_ms = pair_now_ms(x->t);
    if (chance(&g->random, 12))
        s->advance_ms = small_or_large(&g->random);
    else if (chance(&g->random, 6)) {
        redis_each_instant(pair_ours(x->t), g->now_ms, 0, one_deadline, g);
        s->advance_ms += s->advance_ms > 0 && chance(&g->random, 50);
    }
    module_command(x->m, g, x->t, s);
}

static void show_step(const step *s, const step *before, buf *out)
{
    if (s->advance_ms > 0)
        buf_printf(out, "  debug sleep %" PRId64 ".%03d\n", s->advance_ms / 1000, (int)(s->advance_ms % 1000));
    if (before ? s->conn != before->conn : s->conn > 0)
        buf_printf(out, "  (connection %d)\n", s->conn + 1);
    buf_addz(out, "  ");
    paste_command(s->argv, s->argc, out);
    buf_addz(out, s->thaw ? "\n  (our keyspace is frozen and thawed)\n" : "\n");
}

static void show(const session *x, size_t n, int resp)
{
    const difference *d = pair_difference(x->t);
    buf b = { 0 };
    if (resp == 3)
        buf_addz(&b, "  hello 3\n");
    for (size_t i = 0; i < n; i++)
        show_step(&x->steps[i], i > 0 ? &x->steps[i - 1] : NULL, &b);
    if (d->after.n > 0)
        buf_printf(&b, "  %.*s\n", STR_ARG(d->after));
    buf_addz(&b, "  # redis:   ");
    show_bytes(d->theirs, 2000, &b);
    buf_addz(&b, "\n  # locksim: ");
    show_bytes(d->ours, 2000, &b);
    printf("%s\n", b.p);
    buf_free(&b);
}

static void report(session *x, size_t n, int resp)
{
    printf("%s: seed %" PRIu64 ", episode %" PRIu64 " (RESP%d), step %zu differs; the least that shows it:\n",
           x->m->name, x->seed, x->episode, resp, n);
    static step whole[EPISODE_STEPS];
    memcpy(whole, x->steps, sizeof whole);
    size_t left = shrink_steps(x->t, resp, x->steps, n, x->g.a);
    if (left == 0) {
        memcpy(x->steps, whole, sizeof whole);
        printf("  (it does not show again when the steps are repeated; all of them:)\n");
    }
    show(x, left ? left : n, resp);
    fflush(stdout);
}

/* The server crashed, perhaps: the last steps that it was sent. */
static void show_last_steps(void *context)
{
    const session *x = context;
    enum { SHOWN = 200 };
    buf b = { 0 };
    for (size_t i = x->steps_run > SHOWN ? x->steps_run - SHOWN : 0; i < x->steps_run; i++)
        show_step(&x->steps[i], i > 0 ? &x->steps[i - 1] : NULL, &b);
    printf("%s: seed %" PRIu64 ", episode %" PRIu64 ": the server is gone after one of these steps:\n%s", x->m->name,
           x->seed, x->episode, b.n ? b.p : "");
    fflush(stdout);
}

/* One history from empty servers. */
static void run_episode(session *x, size_t length)
{
    int resp = x->episode % 2 && !x->m->resp2_only ? 3 : 2;
    size_t n = 0;
    bool same = true;
    x->g.random = rng_new(x->seed, x->episode);
    x->g.commands = x->g.scripts_sent = 0;
    arena_reset(x->g.a);
    pair_begin(x->t, resp);
    while (n < length && same) {
        step *s = &x->steps[n];
        generate(x, s);
        s->thaw = (n + 1) % THAW_EVERY == 0;
        x->steps_run = n + 1;
        pair_step(x->t, s, n);
        n++;
        if (n % (x->m->look_every ? TELL_LARGE_EVERY : TELL_EVERY) == 0 || n == length)
            same = pair_same_keyspace(x->t, n - 1);
        x->compared++;
    }
    if (same)
        return;
    x->differences++;
    report(x, pair_difference(x->t)->step + 1, resp);
}

static bool run_module(session *x, const module *m, uint64_t operations, uint64_t seed)
{
    buf left_out = { 0 };
    memset(x->g.left_out, 0, sizeof x->g.left_out);
    words_choose_forms(&x->g, x->t, m->families, &left_out);
    x->m = m;
    if (m->look_every)                             /* each of its steps costs as much as many others */
        operations = (operations + 3) / 4;
    pair_look_every(x->t, m->look_every);
    pair_tell_events(x->t, m->events);
    x->g.percent_scripted = m->percent_scripted;
    x->compared = x->differences = 0;
    uint64_t before = pair_compared(x->t);
    for (uint64_t round = 0; x->compared < operations && x->differences < DIFFERENCES_MAX; round++) {
        x->seed = seed + round;
        uint64_t end = (round + 1) * OPERATIONS_OF_A_SEED < operations ? (round + 1) * OPERATIONS_OF_A_SEED
                       : operations;
        for (x->episode = 0; x->compared < end && x->differences < DIFFERENCES_MAX; x->episode++)
            run_episode(x, end - x->compared < EPISODE_STEPS ? (size_t)(end - x->compared) : EPISODE_STEPS);
    }
    printf("differential: %s: %" PRIu64 " operations from seed %" PRIu64 " on, %" PRIu64 " replies and looks, %" PRIu64
           " differences%s%s\n",
           m->name, x->compared, seed, pair_compared(x->t) - before, x->differences,
           left_out.n ? "; not in locksim:" : "", left_out.n ? left_out.p : "");
    fflush(stdout);
    buf_free(&left_out);
    return x->differences == 0;
}

static int list_modules(void)
{
    for (size_t i = 0; i < module_count; i++)
        printf("%s\n", modules[i].name);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "modules") == 0)
        return list_modules();
    if (argc < 3) {
        fprintf(stderr, "usage: differential modules\n       differential SOCKET CLOCK_FILE [OPERATIONS [SEED "
                "[MODULE...]]]\n");
        return 64;
    }
    uint64_t operations = argc > 3 ? strtoull(argv[3], NULL, 10) : 20000,
                          seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
    size_t tried;
    uint64_t failed = normal_check(&tried), passed = tried - failed;
    real *server = real_open(argv[1], argv[2]);
    static session x;
    x.t = pair_new(server);
    x.g.a = arena_new();
    real_when_lost(show_last_steps, &x);
    for (int i = 5; i < argc; i++)
        if (!module_find(str_from(argv[i]))) {
            fprintf(stderr, "differential: there is no module '%s'\n", argv[i]);
            return 64;
        }
    for (size_t i = 0; i < module_count; i++) {
        bool wanted = argc <= 5;
        for (int a = 5; a < argc; a++)
            wanted |= module_find(str_from(argv[a])) == &modules[i];
        if (!wanted)
            continue;
        if (run_module(&x, &modules[i], operations, seed))
            passed++;
        else
            failed++;
    }
    arena_free(x.g.a);
    pair_free(x.t);
    real_close(server);
    return real_verdict(passed, failed);
}
