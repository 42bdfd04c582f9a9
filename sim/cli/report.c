/* report.c - `locksim report`: the scenarios that `locksim run` would run, and all that came out of them as one HTML
 * page. */
#include "cli/cli.h"

#include <string.h>

#include "cli/report_plots.h"
#include "judge/pool.h"
#include "report/clean.h"

/* The page tells the rest; what cannot be read is said at once. */
static bool publish(void *context, judged *result)
{
    (void)context;
    if (result->result.verdict == VERDICT_ERROR)
        print_complaint(&result->result.error);
    return true;
}

static int write_page(const options *o, const page *p, arena *a)
{
    str path;
    err e = { 0 };
    buf html = { 0 }, said = { 0 };
    int status = STATUS_PASS;
    report_style style = { .verbose = true };
    page_html(p, &html);
    report_text_summary(p->items, p->count, p->not_run, &style, &said);
    if (files_write(a, str_from(o->out_dir), S("report.html"), buf_str(&html), &path, &e)) {
        buf_addz(&said, "wrote  ");
        clean_text(&said, path);
        buf_addz(&said, "   all of it, for a browser\n");
    } else
        status = print_complaint(&e);
    if (!print_out(&said))
        status = status_worse(status, STATUS_IO);
    err_clear(&e);
    buf_free(&html);
    buf_free(&said);
    return status;
}

int cli_report(const options *o)
{
    arena *a = arena_new();
    pool searches = { 0 };
    buf told = { 0 };
    options with = *o;
    if (!with.out_dir)
        with.out_dir = FILES_OUT;                   /* said, so that the expected stories are saved, too */
    options_tell(o, &told);
    err none = { 0 };
    jobs_collect(a, &with, &searches.jobs, &none);     /* neither --shard nor --in-diff: it cannot fail */
    pool_run(&searches, &with, publish, NULL);
    report_plots drawn;
    report_plots_make(&drawn, a, &with, &searches.jobs);
    page p = { .items = pool_items(&searches, a), .count = searches.published,
               .not_run = searches.jobs.count - searches.published,
               .options = told.n ? str_slice(buf_str(&told), 1, told.n) : S(""), .program = o->program,
               .simulations = drawn.told, .simulation_count = drawn.count, .plots = drawn.plots,
               .plot_count = drawn.plot_count, .plots_note = drawn.note };
    int status = status_worse(status_worse(searches.status, drawn.status), write_page(&with, &p, a));
    report_plots_free(&drawn);
    pool_close(&searches);
    buf_free(&told);
    arena_free(a);
    return status;
}
