/* plot_stage.c - see plot_stage.h. A picture of 800 points width needs no more rows than that, and SVG keeps every
 * one. */
#define _XOPEN_SOURCE 700          /* nftw */
#include "cli/plot_stage.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/files.h"
#include "report/clean.h"

enum { META, SUMMARY, CLIENTS, WAITS, WAIT_TIME, WAIT_SAMPLES, OVERTAKES, JAIN, GANTT, QUEUE, HANDOFF, FAULTS, TABLES };

static const plot_shape shapes[TABLES] = {
    [META] = { "meta.tsv", { "$key", "$value", NULL } },
    [SUMMARY] = { "summary.tsv", { "$metric", "?value", "?lo", "?hi", NULL } },
    [CLIENTS] = { "clients.tsv", { "$client", "grants", "timeouts", "?wait_p50_ms", "?wait_p90_ms", "?wait_p99_ms",
                                   "?wait_max_ms", "?q_min", "?q1",
                                   "?median", "?q3", "?q_max", NULL } },
    [WAITS] = { "waits.tsv", { "wait_ms", "cdf", "ccdf", NULL } },
    [WAIT_TIME] = { "wait_time.tsv", { "from_ms", "to_ms", "?p50_ms", "?p99_ms", NULL } },
    [WAIT_SAMPLES] = { "wait_samples.tsv", { "granted_ms", "wait_ms", NULL } },
    [OVERTAKES] = { "overtakes.tsv", { "overtakes", "share", NULL } },
    [JAIN] = { "jain.tsv", { "from_ms", "to_ms", "?jain", NULL } },
    [GANTT] = { "gantt.tsv", { "$client", "row", "from_ms", "?to_ms", "$what", NULL } },
    [QUEUE] = { "queue.tsv", { "from_ms", "to_ms", "?mean", "?max", NULL } },
    [HANDOFF] = { "handoff.tsv", { "handoff_ms", "cdf", "ccdf", "count", NULL } },
    [FAULTS] = { "faults.tsv", { "from_ms", "?to_ms", "$what", "$client", NULL } },
};

enum { SAMPLES_MAX = 1200, BOXES_MAX = 60, RANKS = 200, TEXT_COLUMNS_MAX = 120 };

bool plot_is_run(arena *a, str folder)
{
    struct stat st;
    return stat(files_join(a, folder, S("meta.tsv")).p, &st) == 0;
}

static str meta_value(const plot_table *meta, str key)
{
    for (size_t i = 0; i < meta->rows; i++)
        if (str_eq(plot_cell(meta, i, 0), key))
            return plot_cell(meta, i, 1);
    return S("");
}

bool plot_run_read(arena *a, str folder, plot_run *out, err *e)
{
    *out = (plot_run){ .folder = folder, .tables = ARENA_ARRAY(a, plot_table, TABLES) };
    for (size_t i = 0; i < TABLES; i++)
        if (!plot_table_read(a, folder, &shapes[i], &out->tables[i], e)) {
            if (!plot_is_run(a, folder))
                err_hint(e, "`locksim simulate FILE` writes such a folder");
            return false;
        }
    str path = meta_value(&out->tables[META], S("scenario"));
    while (str_find(path, '/', 0) < path.n)
        path = str_slice(path, str_find(path, '/', 0) + 1, path.n);
    out->scenario = str_ends(path, S(".lua")) ? str_slice(path, 0, path.n - 4) : path;
    out->workload = meta_value(&out->tables[META], S("workload"));
    out->label = meta_value(&out->tables[META], S("label"));
    if (out->scenario.n == 0) {
        err_at(e, ERR_SCENARIO, files_join(a, folder, S("meta.tsv")), 0, 0, "there is no row 'scenario'");
        return err_hint(e, "`locksim simulate FILE` writes such a folder");
    }
    return true;
}

/* gnuplot takes " for the beginning of a quoted field, # for a comment, and % in the label of a tic for a format. */
static void add_text(buf *out, str s)
{
    buf b = { 0 };
    clean_text(&b, s);
    str shown = clean_cut(buf_str(&b), TEXT_COLUMNS_MAX);
    for (size_t i = 0; i < shown.n; i++) {
        char c = shown.p[i];
        if (c == '"')
            buf_addz(out, "″");
        else if (c == '#' && i == 0)
            buf_addz(out, "＃");
        else if (c == '\\')
            buf_addz(out, "＼");
        else if (c == '%')
            buf_addz(out, "％");
        else
            buf_byte(out, c);
    }
    if (shown.n == 0)
        buf_byte(out, ' ');                        /* an empty field at a line's end would be none */
    buf_free(&b);
}

static void add_row(buf *out, const plot_table *t, size_t row)
{
    for (size_t c = 0; c < t->columns; c++) {
        if (c)
            buf_byte(out, '\t');
        if (t->shape->columns[c][0] == '$')
            add_text(out, plot_cell(t, row, c));
        else
            buf_add(out, plot_cell(t, row, c));
    }
    buf_byte(out, '\n');
}

static void add_all(buf *out, const plot_table *t)
{
    for (size_t i = 0; i < t->rows; i++)
        add_row(out, t, i);
}

/* Every k-th row. */
static void add_some(buf *out, const plot_table *t, size_t most)
{
    size_t step = (t->rows + most - 1) / most;
    for (size_t i = 0; i < t->rows; i += step)
        add_row(out, t, i);
}

/* Rows of a distribution that lie farther from the one before than the eye sees, on a linear scale of shares or a log
 * one. */
static void add_curve(buf *out, const plot_table *t)
{
    double kept_cdf = -1, kept_ccdf = 2, cdf, ccdf;
    for (size_t i = 0; i < t->rows; i++) {
        if (!plot_number(t, i, 1, &cdf) || !plot_number(t, i, 2, &ccdf))
            continue;
        bool seen = fabs(cdf - kept_cdf) >= 0.004 || ccdf <= kept_ccdf * 0.96 || i == 0 || i + 1 >= t->rows;
        if (!seen)
            continue;
        add_row(out, t, i);
        kept_cdf = cdf;
        kept_ccdf = ccdf;
    }
}

static int by_value(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* For many clients the picture shows each column's distribution: that many of its values, in rising order. A row is
 * then no single client. */
static void add_ranks(buf *out, arena *a, const plot_table *t)
{
    double *sorted = ARENA_ARRAY(a, double, t->rows * t->columns);
    size_t *known = ARENA_ARRAY(a, size_t, t->columns);
    for (size_t c = 1; c < t->columns; c++) {
        double *column = sorted + c * t->rows;
        for (size_t i = 0; i < t->rows; i++)
            known[c] += plot_number(t, i, c, &column[known[c]]);
        qsort(column, known[c], sizeof *column, by_value);
    }
    for (size_t rank = 0; rank < RANKS; rank++) {
        buf_printf(out, "%zu", rank + 1);
        for (size_t c = 1; c < t->columns; c++) {
            if (known[c])
                buf_printf(out, "\t%.10g", sorted[c * t->rows + rank * (known[c] - 1) / (RANKS - 1)]);
            else
                buf_addz(out, "\t-");
        }
        buf_byte(out, '\n');
    }
}

static double sum(const plot_table *t, const char *name)
{
    double all = 0, one;
    size_t column = plot_column(t->shape, name);
    for (size_t i = 0; i < t->rows; i++)
        all += plot_number(t, i, column, &one) ? one : 0;
    return all;
}

/* Templates can count grants and hand-offs themselves, but not those of rows that were left out. */
static void add_meta(buf *out, const plot_run *run)
{
    const plot_table *meta = &run->tables[META], *clients = &run->tables[CLIENTS];
    for (size_t i = 0; i < meta->rows; i++) {
        str key = plot_cell(meta, i, 0);
        if (!str_eq(key, S("label")) && !str_eq(key, S("grants")) && !str_eq(key, S("handoffs")) &&
            !str_eq(key, S("clients")))
            add_row(out, meta, i);
    }
    buf_addz(out, "label\t");
    add_text(out, run->label.n ? run->label : run->scenario);
    buf_printf(out, "\ngrants\t%.0f\nhandoffs\t%.0f\nclients\t%zu\n", sum(clients, "grants"),
               sum(&run->tables[HANDOFF], "count"), clients->rows);
}

static void add_table(buf *out, arena *a, const plot_run *run, size_t runs, size_t which)
{
    const plot_table *t = &run->tables[which];
    for (size_t c = 0; c < t->columns; c++) {
        const char *name = t->shape->columns[c];
        buf_printf(out, "%s%s", c ? "\t" : "", name[0] == '$' || name[0] == '?' ? name + 1 : name);
    }
    buf_byte(out, '\n');
    if (which == META)
        add_meta(out, run);
    else if (which == WAITS || which == HANDOFF)
        add_curve(out, t);
    else if (which == WAIT_SAMPLES)
        add_some(out, t, SAMPLES_MAX / runs + 100);
    else if (which == CLIENTS && t->rows > BOXES_MAX)
        add_ranks(out, a, t);
    else
        add_all(out, t);
}

bool plot_run_stage(arena *a, const plot_run *run, size_t runs, str to, err *e)
{
    bool ok = true;
    for (size_t i = 0; i < TABLES && ok; i++) {
        buf text = { 0 };
        str path;
        add_table(&text, a, run, runs, i);
        ok = files_write(a, to, str_from(shapes[i].file), buf_str(&text), &path, e);
        buf_free(&text);
    }
    return ok;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

bool plot_stage_open(arena *a, const plot_run *runs, size_t count, str *stage, err *e)
{
    const char *temporary = getenv("TMPDIR");
    str pattern = files_join(a, str_from(temporary && *temporary ? temporary : "/tmp"), S("locksim-plot-XXXXXX"));
    char *folder = ARENA_ARRAY(a, char, pattern.n + 1);
    memcpy(folder, pattern.p, pattern.n);
    *stage = S("");
    if (!mkdtemp(folder))
        return err_at(e, ERR_USAGE, pattern, 0, 0, "cannot make a temporary folder: %s", strerror(errno));
    *stage = str_from(folder);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = plot_run_stage(a, &runs[i], count, arena_printf(a, "%s/%zu", folder, i + 1), e);
    return ok;
}

void plot_stage_close(str stage)
{
    if (stage.n)
        nftw(stage.p, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}
