/* measure.c - see measure.h. */
#include "tests/bench/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

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

count search_text(str name, str text, int64_t limit_ms)
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
    search_options o = { .seed = 1, .context = &from, .elapsed_ms = elapsed_ms, .time_limit_ms = limit_ms };
    outcome out = { 0 };
    search_run(a, &sc, &l, &o, &out);
    count n = { .states = out.search.states, .steps = out.search.transitions, .idle = out.search.same,
                .complete = out.search.complete, .seconds = cpu_s(RUSAGE_SELF) - from, .bytes = out.search.bytes,
                .lua = out.search.executions + out.search.client_runs };
    err_clear(&out.error);
    arena_free(a);
    return n;
}
