/* replicate_collect.c - collects the workloads to simulate, and names them. */
#include <string.h>

#include "base/mem.h"
#include "judge/judge.h"
#include "judge/names.h"
#include "judge/replicate.h"
#include "report/clean.h"
#include "simulate/simulate.h"

enum { SEEDS_DEFAULT = 10 };

/* Below a folder, files without a workload are skipped; a file that is named is simulated in any case. */
static bool has_workload(str text)
{
    for (size_t at = str_find(text, 'w', 0); at < text.n; at = str_find(text, 'w', at + 1))
        if (str_starts(str_slice(text, at, text.n), S("workload")))
            return files_is_scenario(text);
    return false;
}

static void add_plain(buf *b, str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                     c == '-' || (c == '.' && b->n > 0);
        buf_byte(b, plain ? c : '_');
    }
}

/* "fair.saturated"; the second of that name is fair.saturated.2. */
static str unique_name(arena *a, const replicate_list *list, str path, str workload)
{
    enum { NAME_MAX_BYTES = 100 };
    buf b = { 0 };
    add_plain(&b, files_name(case_stem(a, path)));
    if (workload.n) {
        buf_byte(&b, '.');
        add_plain(&b, workload);
    }
    str stem = arena_str(a, str_slice(buf_str(&b), 0, NAME_MAX_BYTES)), name = stem;
    buf_free(&b);
    for (unsigned number = 2; ; number++) {
        size_t i = 0;
        while (i < list->count && !str_eq(list->at[i].told.name, name))
            i++;
        if (i == list->count)
            return name;
        name = arena_printf(a, "%.*s.%u", STR_ARG(stem), number);
    }
}

static replicated *add(replicate_list *list, size_t *cap)
{
    MEM_RESERVE(list->at, *cap, list->count + 1);
    list->at[list->count] = (replicated){ .seeds = 0 };
    return &list->at[list->count];
}

static void add_failed(replicate_list *list, size_t *cap, str path, str workload, err *e)
{
    replicated *r = add(list, cap);
    r->told = (simulated){ .path = path, .title = S(""), .workload = workload, .ending = SIMULATED_FAILED };
    r->failed = *e;
    *e = (err){ 0 };
    list->count++;
}

static void add_workload(arena *a, const options *o, replicate_list *list, size_t *cap, const scenario *sc,
                         size_t which)
{
    replicated *r = add(list, cap);
    const workload *w = which == SIMULATE_ONCE ? NULL : &sc->workloads[which];
    simulated *t = &r->told;
    r->which = which;
    r->seeds = o->has_seeds ? (size_t)o->seeds : w && w->seeds ? w->seeds : SEEDS_DEFAULT;
    r->runs = replications_new(r->seeds);
    t->path = arena_str(a, sc->path);
    t->title = arena_str(a, sc->title);
    t->workload = w ? arena_str(a, w->name) : S("");
    t->name = unique_name(a, list, t->path, t->workload);
    t->once = w == NULL;
    t->seed = o->has_seed ? o->seed : 1;
    t->runs = r->runs;
    t->client_count = simulate_clients(sc, which);
    str *names = ARENA_ARRAY(a, str, t->client_count + 1);
    buf b = { 0 };
    for (uint32_t c = 0; c < t->client_count; c++)
        names[c] = arena_str(a, simulate_client_name(sc, which, c, &b));
    buf_free(&b);
    t->clients = names;
    t->wanted_count = w ? w->lock_count : 0;
    str *wanted = ARENA_ARRAY(a, str, t->wanted_count + 1);
    for (size_t i = 0; i < t->wanted_count; i++)
        wanted[i] = arena_str(a, w->locks[i]);
    t->wanted = wanted;
    list->count++;
}

static bool unknown_workload(arena *a, const scenario *sc, const char *wanted, err *e)
{
    str *known = ARENA_ARRAY(a, str, sc->workload_count + 1);
    buf b = { 0 };
    size_t n = 0;
    for (size_t i = 0; i < sc->workload_count; i++) {
        if (sc->workloads[i].name.n == 0)
            continue;
        known[n++] = sc->workloads[i].name;
        buf_printf(&b, "%s%.*s", b.n ? ", " : "", STR_ARG(sc->workloads[i].name));
    }
    err_at(e, ERR_USAGE, sc->path, 0, 0, "has no workload named '%s'", wanted);
    str near = err_nearest(str_from(wanted), known, n);
    if (near.n)
        err_hint(e, "did you mean --workload %.*s?", STR_ARG(near));
    else
        err_hint(e, n ? "it has %.*s" : "its workloads have no names: leave out --workload%.*s", STR_ARG(buf_str(&b)));
    buf_free(&b);
    return false;
}

static void add_file(arena *a, const options *o, replicate_list *list, size_t *cap, str path)
{
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    scenario *sc = ARENA_NEW(scratch, scenario);
    err e = { 0 };
    size_t before = list->count;
    if (judge_load(scratch, &where, path, (overrides){ .dialect = options_overrides(o).dialect }, sc, &e)) {
        if (sc->workload_count == 0 && !o->workload)
            add_workload(a, o, list, cap, sc, SIMULATE_ONCE);
        for (size_t i = 0; i < sc->workload_count; i++)
            if (!o->workload || str_eq(sc->workloads[i].name, str_from(o->workload)))
                add_workload(a, o, list, cap, sc, i);
        if (list->count == before)
            unknown_workload(scratch, sc, o->workload, &e);
    }
    if (list->count == before)
        add_failed(list, cap, arena_str(a, path), S(""), &e);
    err_clear(&e);
    arena_free(scratch);
}

replicate_list replicate_collect(arena *a, const options *o)
{
    replicate_list list = { 0 };
    size_t cap = 0;
    for (size_t i = 0; i < o->argument_count; i++) {
        str argument = str_from(o->arguments[i]);
        file_list files = { 0 };
        err e = { 0 };
        if (!names_expand(a, o, argument, has_workload, &files, &e)) {
            if (files_is_folder(o->arguments[i]) && files.count == 0 && files.passed_over > 0) {
                err_clear(&e);
                err_at(&e, ERR_SCENARIO, argument, 0, 0, "no scenario below it has a `workload`");
                err_hint(&e, "name a scenario file: without a workload each of its clients runs its program once");
            }
            add_failed(&list, &cap, argument, S(""), &e);
        }
        for (size_t k = 0; k < files.count; k++)
            add_file(a, o, &list, &cap, files.paths[k]);
        err_clear(&e);
    }
    return list;
}

void replicate_free(replicate_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        replications_free(list->at[i].runs);
        measure_free(list->at[i].cut);
        err_clear(&list->at[i].failed);
    }
    mem_free(list->at);
    *list = (replicate_list){ 0 };
}
