/* report_plots.c - see report_plots.h. A plot that cannot be drawn is no failure of the report: the page says which,
 * and why. */
#include "cli/report_plots.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/plot_draw.h"
#include "cli/plot_stage.h"

/* Plots are drawn for that many simulations; the numbers cover all of them. */
enum { SIMULATIONS_DRAWN_MAX = 16 };

typedef struct {
    report_plots *r;
    const options *o;
    arena *a;
    bool refused;                  /* the data could not be written, and that was said */
} maker;

static bool has_workload(const options *o, str path)
{
    arena *scratch = arena_new();
    search_path where = search_path_new(scratch, o);
    scenario sc;
    err e = { 0 };
    bool has = judge_load(scratch, &where, path, (overrides){ 0 }, &sc, &e) && sc.workload_count > 0;
    err_clear(&e);
    arena_free(scratch);
    return has;
}

/* ---- drawing ---- */

static void keep_plot(maker *m, size_t simulation, str workload, const plot_kind *kind, str svg)
{
    report_plots *r = m->r;
    if (r->plot_count == r->plot_cap) {
        page_plot *more = ARENA_ARRAY(m->a, page_plot, r->plot_cap = 2 * r->plot_cap + 16);
        if (r->plot_count)
            memcpy(more, r->plots, r->plot_count * sizeof *more);
        r->plots = more;
    }
    r->plots[r->plot_count++] = (page_plot){ .simulation = simulation, .workload = workload,
                                             .caption = str_from(kind->what), .svg = arena_str(m->a, svg) };
}

/* Is it worth a picture of all runs together? Curves that can be told apart are. */
static bool compares(const plot_kind *kind, size_t count)
{
    static const char *const curves[] = { "cdf", "overtakes", "jain" };
    bool curve = false;
    for (size_t i = 0; i < COUNT(curves); i++)
        curve |= strcmp(kind->name, curves[i]) == 0;
    return kind->many || (curve && count <= PLOT_RUNS_MAX);
}

/* Of one simulation, or (PAGE_COMPARED) of several. */
static bool draw_kinds(maker *m, const plot_run *runs, size_t count, size_t simulation, str templates, err *e)
{
    str stage, what = simulation == PAGE_COMPARED ? runs[0].workload : m->r->told[simulation].name;
    bool ok = plot_stage_open(m->a, runs, count, &stage, e);
    for (size_t i = 0; i < plot_kinds() && ok; i++) {
        const plot_kind *kind = plot_kind_at(i);
        if (simulation == PAGE_COMPARED ? !compares(kind, count) : kind->many)
            continue;
        buf picture = { 0 };
        ok = plot_draw(m->a, templates, kind, stage, count, false,
                       arena_printf(m->a, "%s: %.*s", kind->what, STR_ARG(what)), &picture, e);
        if (ok)
            keep_plot(m, simulation, runs[0].workload, kind, buf_str(&picture));
        buf_free(&picture);
    }
    plot_stage_close(stage);
    return ok;
}

/* Those that share a workload, together. */
static bool draw_compared(maker *m, const plot_run *runs, size_t count, str templates, err *e)
{
    plot_run *some = ARENA_ARRAY(m->a, plot_run, count + 1);
    bool *drawn = ARENA_ARRAY(m->a, bool, count + 1), ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        size_t n = 0;
        for (size_t k = i; k < count; k++)
            if (!drawn[k] && str_eq(runs[k].workload, runs[i].workload)) {
                drawn[k] = true;
                some[n++] = runs[k];
            }
        ok = n < 2 || draw_kinds(m, some, n, PAGE_COMPARED, templates, e);
    }
    return ok;
}

static bool draw(maker *m, err *e)
{
    report_plots *r = m->r;
    plot_run *runs = ARENA_ARRAY(m->a, plot_run, r->count + 1);
    size_t drawn = 0;
    str templates;
    if (!plot_templates(m->a, &templates, e))
        return false;
    for (size_t i = 0; i < r->count && drawn < SIMULATIONS_DRAWN_MAX; i++) {
        if (r->told[i].folder.n == 0)
            continue;
        if (!plot_run_read(m->a, r->told[i].folder, &runs[drawn], e))
            return false;
        runs[drawn].workload = r->told[i].workload;
        if (!draw_kinds(m, &runs[drawn++], 1, i, templates, e))
            return false;
    }
    if (drawn == SIMULATIONS_DRAWN_MAX && drawn < r->count)
        r->note = arena_printf(m->a, "The plots are those of the first %zu simulations; `locksim plot` draws those of "
                               "the others.", drawn);
    return draw_compared(m, runs, drawn, templates, e);
}

/* ---- simulating ---- */

static bool publish(void *context, replicated *one)
{
    maker *m = context;
    report_plots *r = m->r;
    simulated *t = &one->told;
    err e = { 0 };
    r->status = status_worse(r->status, replicate_status(t));
    if (t->ending == SIMULATED_FAILED)
        print_complaint(t->error);
    else if (t->runs->done > 0 && !m->refused && !replicate_write(m->a, m->o, t, &e)) {
        m->refused = true;
        r->status = status_worse(r->status, print_complaint(&e));
    }
    err_clear(&e);
    r->told[r->count++] = *t;
    return true;
}

/* Said on the page, where the plots would stand. */
static void note_error(maker *m, const err *e)
{
    m->r->note = arena_printf(m->a, "There are no plots, or not all: %.*s. %.*s", STR_ARG(buf_str(&e->message)),
                              STR_ARG(buf_str(&e->hint)));
    if (e->class_ == ERR_BUG)
        m->r->status = status_worse(m->r->status, print_complaint(e));
}

void report_plots_make(report_plots *r, arena *a, const options *o, const job_list *jobs)
{
    maker m = { .r = r, .o = o, .a = a };
    options with = *o;
    with.arguments = ARENA_ARRAY(a, const char *, jobs->count + 1);
    with.argument_count = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (!jobs->at[i].unread && has_workload(o, jobs->at[i].path))
            with.arguments[with.argument_count++] = arena_str(a, jobs->at[i].path).p;
    *r = (report_plots){ 0 };
    if (with.argument_count == 0)
        return;
    r->list = replicate_collect(a, &with);
    r->told = ARENA_ARRAY(a, simulated, r->list.count + 1);
    replicate_run(&r->list, a, &with, publish, &m);
    report_plots_draw(r, a, o);
}

void report_plots_draw(report_plots *r, arena *a, const options *o)
{
    maker m = { .r = r, .o = o, .a = a };
    err e = { 0 };
    if (!draw(&m, &e))
        note_error(&m, &e);
    err_clear(&e);
}

void report_plots_free(report_plots *r)
{
    replicate_free(&r->list);
}
