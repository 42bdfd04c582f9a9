/* clients.c - the drivers against traces of the real client: every request with its time, keys, arguments and reply,
 * every message, and what each caller was told.
 * Usage: clients [--show N] [--meant FILE] [--scripts DIR] [--first] [--files] TRACE...       (tests/recordings/run.sh;
 * from the root) DIR: its files come before the shipped ones. --first: to the first trace that differs and no further.
 * --files: tells which files each trace loads, TRACE <tab> FILE, and compares nothing.
 *
 * A trace (clients/README.md) becomes a scenario, and is run with the fates that it names. The order within one
 * millisecond is free: a trace is met when some order of the steps that are due then gives it; ORDERS of them are
 * tried, and the one that comes nearest is told. FILE says which differences are meant, a line each:
 * `TRACE-or-* <tab> row that is left out on both sides, as an extended regular expression <tab> why`. What cannot be
 * expressed is told by name, and counts as failed. */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_json.h"
#include "trace.h"

enum { ORDERS = 40, MEANT_MAX = 256 };

typedef struct {
    str trace;             /* its name, or "*" */
    regex_t row;
    uint64_t used;
    int line;
} meant;

typedef struct {
    meant meant[MEANT_MAX];
    size_t meant_count, show;
    const char *scripts;
    bool first, files;
    uint64_t same, differ, rows, unexpressed;
} bench;

static void usage(const char *what)
{
    fprintf(stderr, "clients: %s\n", what);
    exit(64);
}

static void read_meant(arena *a, bench *b, const char *path)
{
    FILE *f = fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    if (!f)
        usage("cannot read what is meant");
    for (int n = 1; getline(&line, &cap, f) > 0; n++) {
        char *row = strchr(line, '\t'), *why = row ? strchr(row + 1, '\t') : NULL;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (!why || strlen(why) < 10 || b->meant_count == MEANT_MAX)
            usage("what is meant: TRACE, row and reason, with tabs between");
        *row = *why = '\0';
        meant *m = &b->meant[b->meant_count++];
        m->trace = arena_str(a, str_from(line));
        m->line = n;
        if (regcomp(&m->row, row + 1, REG_EXTENDED | REG_NOSUB) != 0)
            usage("what is meant: no regular expression");
    }
    free(line);
    fclose(f);
}

static bool is_meant(bench *b, const char *trace, const row *r)
{
    for (size_t i = 0; i < b->meant_count; i++) {
        meant *m = &b->meant[i];
        if ((str_eq(m->trace, S("*")) || str_eq(m->trace, str_from(trace))) &&
            regexec(&m->row, r->text.p, 0, NULL, 0) == 0) {
            m->used++;
            return true;
        }
    }
    return false;
}

static void leave_out_meant(bench *b, const char *trace, rows *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (!is_meant(b, trace, &r->items[i]))
            r->items[kept++] = r->items[i];
    r->count = kept;
}

static int order(const row *x, const row *y)
{
    if (x->at_ms != y->at_ms)
        return x->at_ms < y->at_ms ? -1 : 1;
    return strcmp(x->text.p, y->text.p);
}

/* How many rows only one of them has; tells the first `show`. Both are sorted. */
static size_t compare(const rows *wanted, const rows *got, size_t show)
{
    size_t i = 0, k = 0, differ = 0;
    while (i < wanted->count || k < got->count) {
        int by = i == wanted->count ? 1 : k == got->count ? -1 : order(&wanted->items[i], &got->items[k]);
        if (by == 0) {
            i++;
            k++;
            continue;
        }
        const row *r = by < 0 ? &wanted->items[i++] : &got->items[k++];
        if (differ++ < show)
            printf("    %s %8" PRId64 "  %s\n", by < 0 ? "real" : "here", r->at_ms, r->text.p);
    }
    return differ;
}

static rows one_order(bench *b, arena *a, const trace *t, const char *name, uint64_t seed, str *why)
{
    rows got = { 0 };
    trace_run(a, t, seed, &got, why);
    leave_out_meant(b, name, &got);
    rows_sort(&got);
    return got;
}

/* The order that comes nearest, and how far it is. */
static size_t nearest(bench *b, const trace *t, const char *name, const rows *wanted, uint64_t *seed, str *why,
                      arena *kept)
{
    size_t least = SIZE_MAX;
    for (uint64_t s = 0; s < ORDERS && least > 0; s++) {
        arena *a = arena_new();
        str problem;
        rows got = one_order(b, a, t, name, s, &problem);
        size_t differ = problem.n ? SIZE_MAX - 1 : compare(wanted, &got, 0);
        if (differ < least) {
            least = differ;
            *seed = s;
            *why = arena_str(kept, problem);
        }
        rows_free(&got);
        arena_free(a);
    }
    return least;
}

static void meet(bench *b, arena *a, const trace *t, const char *name)
{
    rows wanted = { 0 };
    trace_rows(a, t, &wanted);
    leave_out_meant(b, name, &wanted);
    rows_sort(&wanted);
    uint64_t seed = 0;
    str why = S("");
    size_t differ = nearest(b, t, name, &wanted, &seed, &why, a);
    b->rows += wanted.count;
    if (differ == 0) {
        b->same++;
    } else {
        b->differ++;
        printf("%s differs\n", name);
        rows got = one_order(b, a, t, name, seed, &why);
        compare(&wanted, &got, b->show);
        if (why.n)
            printf("    %s\n", why.p);
        rows_free(&got);
    }
    rows_free(&wanted);
}

static void run_trace(bench *b, const char *path)
{
    arena *a = arena_new();
    json_error_t e;
    json_t *file = json_load_file(path, JSON_ALLOW_NUL, &e);
    if (!file) {
        fprintf(stderr, "%s:%d: %s\n", path, e.line, e.text);
        exit(65);
    }
    const char *base = strrchr(path, '/');
    str name = arena_str(a, str_from(base ? base + 1 : path));
    name = arena_str(a, str_slice(name, 0, str_ends(name, S(".json")) ? name.n - 5 : name.n));
    trace *t = ARENA_NEW(a, trace);
    str why;
    bool expressed = trace_read(a, path, file, t, &why);
    t->scripts = b->scripts;
    t->tells_files = b->files;
    if (expressed && b->files) {
        rows ignored = { 0 };
        trace_run(a, t, 0, &ignored, &why);
        rows_free(&ignored);
    } else if (expressed) {
        meet(b, a, t, name.p);
    } else {
        printf("%s is not expressed: %.*s\n", name.p, STR_ARG(why));
        b->unexpressed++;
    }
    json_decref(file);
    arena_free(a);
}

int main(int argc, char **argv)
{
    static bench b = { .show = 12 };
    arena *a = arena_new();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--show") == 0 && i + 1 < argc)
            b.show = (size_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--meant") == 0 && i + 1 < argc)
            read_meant(a, &b, argv[++i]);
        else if (strcmp(argv[i], "--scripts") == 0 && i + 1 < argc)
            b.scripts = argv[++i];
        else if (strcmp(argv[i], "--first") == 0)
            b.first = true;
        else if (strcmp(argv[i], "--files") == 0)
            b.files = true;
        else if (!b.first || b.differ == 0)
            run_trace(&b, argv[i]);
    }
    if (b.files)
        return 0;
    printf("clients: %" PRIu64 " traces with %" PRIu64 " rows, %" PRIu64 " differ; %" PRIu64 " not expressed\n",
           b.same + b.differ, b.rows, b.differ, b.unexpressed);
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", b.same, b.differ + b.unexpressed);
    arena_free(a);
    return b.differ + b.unexpressed > 0 || b.same == 0;
}
