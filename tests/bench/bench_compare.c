/* bench_compare.c - how long it takes to say that nobody can tell two forms of the reentrant acquire apart, with four
 * clients who each hold it twice; beside it one search of the same scenario with every property judged, as `run` does
 * it. The ratio does not depend on the machine. The issue asks for less than 5 s. Run from the root. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "host/files.h"
#include "client/load.h"
#include "measure.h"
#include "search/versions.h"

static const char scenario_path[] = "scenarios/compare/four_clients.lua",
                                    shorter_path[] = "scenarios/compare/acquire/shorter.lua";

enum { REPEATS = 3 };

/* The shipped files, with the shorter form in the place of the acquire. */
typedef struct {
    loader shipped;
    str shorter;
} second_version;

static bool read_second(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const second_version *v = context;
    if (!str_eq(name, S("redisson/lock/acquire.lua")))
        return v->shipped.read(v->shipped.context, name, a, path, text, e);
    *path = str_from(shorter_path);
    *text = v->shorter;
    return true;
}

static void stop(const err *e)
{
    buf b = { 0 };
    err_print(e, &b);
    fputs(b.p ? b.p : "bench_compare: it did not come to an end\n", stderr);
    buf_free(&b);
    exit(1);
}

static str read_file(arena *a, const char *path)
{
    str text;
    err e = { 0 };
    if (!files_read(a, str_from(path), &text, &e))
        stop(&e);
    return text;
}

/* Processor time of one comparison. */
static double compare_s(uint64_t *states)
{
    arena *a = arena_new();
    search_path where = { .shipped = S("scripts"), .beside = S(""), .overlay = S("") };
    second_version v = { .shipped = search_path_loader(&where), .shorter = read_file(a, shorter_path) };
    loader second = { .context = &v, .read = read_second };
    double begin_s = cpu_s(RUSAGE_SELF);
    scenario sc;
    err e = { 0 };
    if (!scenario_load(a, &v.shipped, str_from(scenario_path), read_file(a, scenario_path), &sc, &e))
        stop(&e);
    compare_outcome out;
    compare_search(a, &sc, &v.shipped, &second, &(search_options){ 0 }, &(lockstep_relation){ .keys = true }, &out);
    double took_s = cpu_s(RUSAGE_SELF) - begin_s;
    if (out.verdict != COMPARE_EQUIVALENT || out.same_scripts)
        stop(&out.found.error);
    *states = out.found.search.states;
    err_clear(&out.found.error);
    arena_free(a);
    return took_s;
}

int main(void)
{
    arena *a = arena_new();
    double best_s = 0, alone_s = 0;
    uint64_t states = 0;
    count alone = { 0 };
    for (int i = 0; i < REPEATS; i++) {
        double took_s = compare_s(&states);
        best_s = i == 0 || took_s < best_s ? took_s : best_s;
        alone = search_text(str_from(scenario_path), read_file(a, scenario_path), 0);
        alone_s = i == 0 || alone.seconds < alone_s ? alone.seconds : alone_s;
    }
    printf("two versions side by side   %8" PRIu64 " states  %6.2f s\n", states, best_s);
    printf("one version, all properties %8" PRIu64 " states  %6.2f s\n", alone.states, alone_s);
    printf("ratio %.2f\n", best_s / alone_s);
    arena_free(a);
    return 0;
}
