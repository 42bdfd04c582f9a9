/* clients.c - the drivers against traces of the real client: every request with its time, keys, arguments and reply,
 * every message, and what each caller was told.
 * Usage: clients [--show N] [--meant FILE] [--scripts DIR] [--first] [--files] TRACE...       (tests/recordings/run.sh;
 * from the root) DIR: its files come before the shipped ones. --first: to the first trace that differs and no further.
 * --files: tells which files each trace loads, TRACE <tab> FILE, and compares nothing.
 *
 * A trace (clients/README.md) becomes a scenario, and is run with the fates that it names. The order of different
 * threads within one millisecond is free: a trace is met when some order of the steps that are due then gives it;
 * ORDERS of them are tried, and the one that comes nearest is told. What one thread sends, calls and is told stands in
 * its own order; so does what its client subscribes to, where no other thread of the client does anything in that
 * millisecond. FILE says which differences are meant, a line each:
 * `TRACE-or-* <tab> row that is left out on both sides, as an extended regular expression <tab> why`. What cannot be
 * expressed is told by name, and counts as failed. */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_json.h"
#include "trace.h"

enum { ORDERS = 40, MEANT_MAX = 256, OWN_MAX = 64 };

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

/* ---- a thread's own order ---- */

/* A millisecond of a log, as places of its first row and the one behind its last. */
typedef struct {
    const rows *of;
    size_t from, to;
} instant;

/* Rows of one thread at an instant. */
typedef struct {
    const row *rows[OWN_MAX];
    size_t count;
} own;

static instant instant_at(const rows *r, int64_t at_ms)
{
    instant x = { r, 0, 0 };
    while (x.from < r->count && r->items[x.from].at_ms < at_ms)
        x.from++;
    for (x.to = x.from; x.to < r->count && r->items[x.to].at_ms == at_ms;)
        x.to++;
    return x;
}

/* The only thread of this client that does anything then; 0: there are several. */
static uint32_t only_thread(const instant *x, str client)
{
    uint32_t found = 0;
    for (size_t i = x->from; i < x->to; i++) {
        const row *r = &x->of->items[i];
        if (!str_eq(r->client, client) || r->thread == 0 || r->thread == found)
            continue;
        if (found)
            return 0;
        found = r->thread;
    }
    return found;
}

static bool among(const row *r, const row *const *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(rows[i]->text, r->text))
            return true;
    return false;
}

/* What the thread sends and subscribes to (channels), or sends, calls and is told: of that what is in `as`, if there is
 * one. */
static own own_rows(const instant *x, str client, uint32_t thread, bool channels, const own *as)
{
    own out = { .count = 0 };
    for (size_t i = x->from; i < x->to && out.count < OWN_MAX; i++) {
        const row *r = &x->of->items[i];
        bool its = r->thread == thread || (channels && r->thread == 0 && r->kind == ROW_CHANNEL);
        bool kind = r->kind == ROW_REQUEST || r->kind == (channels ? ROW_CHANNEL : ROW_CALL);
        if (its && kind && str_eq(r->client, client) && (!as || among(r, as->rows, as->count)))
            out.rows[out.count++] = r;
    }
    return out;
}

/* Is `part` what is left of `whole` when some rows are taken out? */
static bool is_part_of(const own *part, const own *whole)
{
    size_t k = 0;
    for (size_t i = 0; i < whole->count && k < part->count; i++)
        k += str_eq(whole->rows[i]->text, part->rows[k]->text);
    return k == part->count;
}

/* What differs, as a row: where the two part. Empty: nothing. */
static row own_order(arena *a, const instant *wanted, const instant *got, const row *of, bool channels)
{
    if (channels && only_thread(wanted, of->client) != of->thread)
        return (row){ .text = S("") };
    own all = own_rows(wanted, of->client, of->thread, channels, NULL);
    own here = own_rows(got, of->client, of->thread, channels, &all);
    own real = own_rows(wanted, of->client, of->thread, channels, &here);
    if (real.count <= here.count ? is_part_of(&real, &here) : is_part_of(&here, &real))
        return (row){ .text = S("") };
    size_t i = 0;
    while (str_eq(real.rows[i]->text, here.rows[i]->text))
        i++;
    return (row){ .at_ms = of->at_ms, .kind = ROW_OTHER,
                  .text = arena_printf(a, "own order of thread %" PRIu32 ": %.*s | before it: %.*s", of->thread,
                                       STR_ARG(real.rows[i]->text), STR_ARG(here.rows[i]->text)) };
}

/* A trace's name, and its rows as they came and sorted. */
typedef struct {
    const char *name;
    rows log, sorted;
} recorded;

/* How many threads have another order of their own in some millisecond; tells the first `show`. */
static size_t compare_own(bench *b, arena *a, const recorded *wanted, const rows *got, size_t show)
{
    size_t differ = 0;
    for (size_t i = 0; i < wanted->log.count; i++) {
        const row *r = &wanted->log.items[i];
        instant real = instant_at(&wanted->log, r->at_ms), here = instant_at(got, r->at_ms);
        bool first = r->thread > 0;
        for (size_t k = real.from; k < i; k++)
            first &= wanted->log.items[k].thread != r->thread;
        for (int channels = 0; channels < 2 && first; channels++) {
            row x = own_order(a, &real, &here, r, channels == 1);
            if (x.text.n && !is_meant(b, wanted->name, &x) && differ++ < show)
                printf("    %8" PRId64 "  %s\n", x.at_ms, x.text.p);
        }
    }
    return differ;
}

static rows one_order(bench *b, arena *a, const trace *t, const char *name, uint64_t seed, str *why)
{
    rows got = { 0 };
    trace_run(a, t, seed, &got, why);
    leave_out_meant(b, name, &got);
    return got;
}

/* How far a run is from the trace; tells what differs, `show` rows of each kind. Sorts the run's rows. */
static size_t distance(bench *b, arena *a, const recorded *wanted, rows *got, size_t show)
{
    size_t own = compare_own(b, a, wanted, got, show);
    rows_sort(got);
    return own + compare(&wanted->sorted, got, show);
}

/* The order that comes nearest, and how far it is. */
static size_t nearest(bench *b, const trace *t, const recorded *wanted, uint64_t *seed, str *why, arena *kept)
{
    size_t least = SIZE_MAX;
    for (uint64_t s = 0; s < ORDERS && least > 0; s++) {
        arena *a = arena_new();
        str problem;
        rows got = one_order(b, a, t, wanted->name, s, &problem);
        size_t differ = problem.n ? SIZE_MAX - 1 : distance(b, a, wanted, &got, 0);
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

static recorded recorded_rows(bench *b, arena *a, const trace *t, const char *name)
{
    recorded r = { .name = name };
    trace_rows(a, t, &r.log);
    leave_out_meant(b, name, &r.log);
    for (size_t i = 0; i < r.log.count; i++)
        rows_add(&r.sorted, r.log.items[i]);
    rows_sort(&r.sorted);
    return r;
}

static void meet(bench *b, arena *a, const trace *t, const char *name)
{
    recorded wanted = recorded_rows(b, a, t, name);
    uint64_t seed = 0;
    str why = S("");
    size_t differ = nearest(b, t, &wanted, &seed, &why, a);
    b->rows += wanted.log.count;
    if (differ == 0) {
        b->same++;
    } else {
        b->differ++;
        printf("%s differs\n", name);
        rows got = one_order(b, a, t, name, seed, &why);
        distance(b, a, &wanted, &got, b->show);
        if (why.n)
            printf("    %s\n", why.p);
        rows_free(&got);
    }
    rows_free(&wanted.log);
    rows_free(&wanted.sorted);
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
