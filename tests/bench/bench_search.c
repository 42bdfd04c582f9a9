/* bench_search.c - how many steps a second the random search takes on the fair lock, and how much of that time the
 * scripts need by themselves: the same requests made again on a server without clients, world or model. The ratio does
 * not depend on the machine. Usage: bench_search [RUNS [SCENARIO...]]; run from the root. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "judge/names.h"
#include "client/load.h"
#include "script/script.h"
#include "search/search.h"

enum { REPEATS = 5 };

typedef struct {
    const str *argv;
    size_t argc;
    int64_t at_ms;
    reply_kind answer;
    bool new_run, subscribes;
} request_copy;

/* All requests of a search, and the scripts that they name. */
typedef struct {
    arena *memory;
    request_copy *list;
    size_t count, cap;
    str *bodies;
    size_t body_count, body_cap;
    bool new_run;
} recorded;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, REPEATS, sizeof *times, by_size);
    return times[REPEATS / 2];
}

static void on_run(void *context)
{
    ((recorded *)context)->new_run = true;
}

static void on_executed(void *context, const world_executed *x)
{
    recorded *r = context;
    str *argv = ARENA_ARRAY(r->memory, str, x->argc ? x->argc : 1);
    for (size_t i = 0; i < x->argc; i++)
        argv[i] = arena_str(r->memory, x->argv[i]);
    MEM_RESERVE(r->list, r->cap, r->count + 1);
    r->list[r->count++] = (request_copy){ .argv = argv, .argc = x->argc, .at_ms = x->at_ms, .new_run = r->new_run,
                                              .answer = x->answer->kind,
                                              .subscribes = x->argc && str_ends(x->argv[0], S("SUBSCRIBE")) };
    r->new_run = false;
    if (!x->script)
        return;
    for (size_t i = 0; i < r->body_count; i++)
        if (str_eq(r->bodies[i], x->script->body))
            return;
    MEM_RESERVE(r->bodies, r->body_cap, r->body_count + 1);
    r->bodies[r->body_count++] = arena_str(r->memory, x->script->body);
}

/* Seconds for one search; its outcome's counts in *out. */
static double search_s(const scenario *sc, const loader *l, uint64_t runs, recorded *r, outcome *out)
{
    arena *a = arena_new();
    search_options o = { .seed = 1, .runs = runs };
    if (r) {
        o.context = r;
        o.on_run = on_run;
        o.on_executed = on_executed;
    }
    *out = (outcome){ 0 };
    double from = now_s();
    search_run(a, sc, l, &o, out);
    double took = now_s() - from;
    err_clear(&out->error);
    arena_free(a);
    return took;
}

/* Seconds for the requests alone. The keyspace is emptied between runs, as in the search each run has a fresh one;
 * subscriptions have a connection of their own, as every client library gives them. */
static double alone_s(const recorded *r)
{
    redis *server = redis_new((redis_limits){ 0 });
    redis_conn *conn = redis_connect(server, 1), *subscriber = redis_connect(server, 2);
    size_t others = 0;
    arena *a = arena_new();
    str why, flush[] = { S("FLUSHALL") };
    for (size_t i = 0; i < r->body_count; i++)
        redis_load_script(server, r->bodies[i], a, &why);
    double from = now_s();
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].new_run)
            redis_execute(server, conn, flush, 1, r->list[i].at_ms, a);
        const request_copy *q = &r->list[i];
        reply answer = redis_execute(server, q->subscribes ? subscriber : conn, q->argv, q->argc, q->at_ms, a);
        others += answer.kind != q->answer;
        arena_reset(a);
    }
    double took = now_s() - from;
    if (others > 0)
        printf("    (%zu of them were answered otherwise than in the search)\n", others);
    arena_free(a);
    redis_free(server);
    return took;
}

static bool measure(const char *path, uint64_t runs)
{
    arena *a = arena_new();
    search_path where = { .shipped = S("scripts"), .beside = files_folder(str_from(path)) };
    loader l = search_path_loader(&where);
    scenario sc;
    scenario_source from;
    err e = { 0 };
    if (!names_read(a, str_from(path), &from, &e) || !scenario_load_case(a, &l, &from, &sc, &e)) {
        buf shown = { 0 };
        err_print(&e, &shown);
        fprintf(stderr, "%s", shown.p);
        return false;
    }
    sc.explore = EXPLORE_RANDOM;
    outcome out;
    double whole[REPEATS], alone[REPEATS];
    recorded r = { .memory = arena_new() };
    search_s(&sc, &l, runs, &r, &out);             /* warms up, too */
    for (int i = 0; i < REPEATS; i++) {
        whole[i] = search_s(&sc, &l, runs, NULL, &out);
        alone[i] = alone_s(&r);
    }
    double s = median(whole), t = median(alone);
    printf("  %s\n", path);
    printf("    %" PRIu64 " runs, %" PRIu64 " steps, %zu requests in %.3f s: %.0f steps/s, %.0f requests/s\n",
           out.search.runs,
           out.search.transitions, r.count, s, (double)out.search.transitions / s, (double)r.count / s);
    printf("    the requests alone: %.3f s, %.0f requests/s; ratio %.2f of the search's time\n", t, (double)r.count / t,
           t / s);
    arena_free(r.memory);
    mem_free(r.list);
    mem_free(r.bodies);
    arena_free(a);
    return true;
}

int main(int argc, char **argv)
{
    uint64_t runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 300;
    static const char *const usual[] = { "scenarios/seeds/redisson_fair.lua:contended_3",
                                         "scenarios/seeds/redisson_lock.lua:contended_3" };
    bool fine = true;
    for (int i = 2; i < argc; i++)
        fine &= measure(argv[i], runs);
    for (size_t i = 0; argc <= 2 && i < COUNT(usual); i++)
        fine &= measure(usual[i], runs);
    return fine ? 0 : 1;
}
