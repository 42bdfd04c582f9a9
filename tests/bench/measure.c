/* measure.c - see measure.h. */
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "host/files.h"
#include "client/load.h"
#include "search/search.h"

double cpu_s(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int64_t elapsed_ms(void *context)
{
    return (int64_t)((cpu_s(RUSAGE_SELF) - *(double *)context) * 1000);
}

static double real_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

typedef struct { bool symmetry, open; cores *idle; } manner;

static count search(str name, str text, int64_t limit_ms, manner m)
{
    arena *a = arena_new();
    search_path where = { .shipped = S("scripts"), .beside = S("scenarios") };
    loader l = search_path_loader(&where);
    scenario sc;
    err e = { 0 };
    if (!scenario_load(a, &l, name, text, &sc, &e)) {
        buf shown = { 0 };
        err_print(&e, &shown);
        fprintf(stderr, "%.*s", (int)shown.n, shown.p);
        exit(1);
    }
    double from = cpu_s(RUSAGE_SELF);
    search_options o = { .seed = 1, .context = &from, .elapsed_ms = elapsed_ms, .time_limit_ms = limit_ms,
                         .symmetry = m.symmetry, .open_starts = m.open, .cores = m.idle };
    outcome out = { 0 };
    search_run(a, &sc, &l, &o, &out);
    count n = { .states = out.search.states, .steps = out.search.transitions, .idle = out.search.same,
                .stand_for = out.search.stand_for ? out.search.stand_for : out.search.states,
                .complete = out.search.complete, .seconds = cpu_s(RUSAGE_SELF) - from, .bytes = out.search.bytes,
                .lua = out.search.executions + out.search.client_runs + out.search.client_repeats,
                .repeats = out.search.client_repeats };
    err_clear(&out.error);
    arena_free(a);
    return n;
}

count search_text(str name, str text, int64_t limit_ms)
{
    return search(name, text, limit_ms, (manner){ 0 });
}

count search_folded(str name, str text, int64_t limit_ms, bool open)
{
    return search(name, text, limit_ms, (manner){ .symmetry = true, .open = open });
}

count search_text_by(str name, str text, int64_t limit_ms, size_t threads)
{
    cores *idle = cores_new(threads - 1);
    double from = real_s();
    count n = search(name, text, limit_ms * (int64_t)threads, (manner){ .idle = idle });
    n.seconds = real_s() - from;
    cores_free(idle);
    return n;
}

bool compare_cores(str name, str text, int64_t limit_ms)
{
    enum { TURNS = 3 };
    count best[2] = { 0 };
    bool same = true;
    for (int i = 0; i < TURNS; i++)
        for (size_t c = 0; c < 2; c++) {
            count n = search_text_by(name, text, limit_ms, c + 1);
            if (i == 0 || n.seconds < best[c].seconds)
                best[c] = n;
            same &= n.states == best[0].states && n.steps == best[0].steps && n.lua == best[0].lua;
        }
    printf("  one core %.2f s, two cores %.2f s of real time: two are %.2f times one%s\n", best[0].seconds,
           best[1].seconds, best[0].seconds / best[1].seconds,
           same ? "" : "; they do NOT come to the same");
    return same;
}
