/* report.c - `locksim report`: the scenarios that `locksim run` would run, and all that came out of them as one HTML
 * page. */
#include "cli/cli.h"

#include <string.h>

#include "cli/report_plots.h"
#include "judge/batch.h"
#include "report/clean.h"

/* The page has all results; errors of reading are printed at once. */
static bool publish(void *context, judged *result)
{
    (void)context;
    if (result->result.verdict == VERDICT_ERROR)
        print_complaint(&result->result.error);
    return true;
}

static int write_file(const options *o, const char *name, const buf *html, const char *what, buf *said)
{
    str path;
    err e = { 0 };
    arena *a = arena_new();
    int status = STATUS_PASS;
    if (files_write(a, str_from(o->out_dir), str_from(name), buf_str(html), &path, &e)) {
        buf_addz(said, "wrote  ");
        clean_text(said, path);
        buf_printf(said, "   %s\n", what);
    } else
        status = print_complaint(&e);
    err_clear(&e);
    arena_free(a);
    return status;
}

/* A large page is packed; the unpacked page is written beside it, for browsers without scripts. */
static int write_page(const options *o, page *p)
{
    static const char plain[] = "report.plain.html";
    buf html = { 0 }, small = { 0 }, said = { 0 };
    int status;
    report_style style = { .verbose = true };
    page_html(p, &html);
    report_text_summary(p->items, p->count, p->not_run, &style, &said);
    bool large = html.n > PAGE_PLAIN_BYTES_MAX;
    p->packed = large;
    p->plain_name = str_from(plain);
    if (large)
        page_html(p, &small);
    status = write_file(o, "report.html", large ? &small : &html, "all of it, for a browser", &said);
    if (large && status == STATUS_PASS)
        status = write_file(o, plain, &html, "the same, for a browser without scripts", &said);
    if (!print_out(&said))
        status = status_worse(status, STATUS_IO);
    buf_free(&html);
    buf_free(&small);
    buf_free(&said);
    return status;
}

int report_main(const options *o)
{
    arena *a = arena_new();
    batch searches = { 0 };
    buf told = { 0 };
    options with = *o;
    if (!with.out_dir)
        with.out_dir = FILES_OUT;                   /* said, so that the expected stories are saved, too */
    options_tell(o, &told);
    err none = { 0 };
    jobs_collect(a, &with, &searches.jobs, &none);     /* neither --shard nor --in-diff: it cannot fail */
    batch_run(&searches, &with, publish, NULL);
    report_plots drawn;
    report_plots_make(&drawn, a, &with, &searches.jobs);
    page p = { .items = batch_items(&searches, a), .count = searches.published,
               .not_run = searches.jobs.count - searches.published,
               .options = told.n ? str_slice(buf_str(&told), 1, told.n) : S(""), .program = o->program,
               .simulations = drawn.told, .simulation_count = drawn.count, .plots = drawn.plots,
               .plot_count = drawn.plot_count, .plots_note = drawn.note,
               .profile = o->profile };
    int status = status_worse(status_worse(searches.status, drawn.status), write_page(&with, &p));
    report_plots_free(&drawn);
    batch_close(&searches);
    buf_free(&told);
    arena_free(a);
    return status;
}
