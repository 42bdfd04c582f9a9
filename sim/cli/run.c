/* run.c - `locksim run`: scenario files to verdicts. One scenario's failure never loses the results of the others. */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/ranks.h"
#include "host/spill_files.h"
#include "judge/checkpoint_files.h"
#include "judge/batch.h"
#include "judge/stories.h"
#include "report/baseline.h"
#include "report/clean.h"

typedef struct {
    const options *o;
    report_style style;
    baseline saved;                /* options.baseline */
    batch batch;
    bool deaf;                     /* stdout has no reader any more */
} run;

/* Prints it, if this format prints results one by one. false: stdout has no reader any more. */
static bool publish(void *context, judged *result)
{
    run *r = context;
    if (r->o->format != FORMAT_TEXT) {
        if (result->result.verdict == VERDICT_ERROR)
            /* the document comes at the end; a person should not have to wait */
            print_complaint(&result->result.error);
        return true;
    }
    if ((r->o->table || r->o->quiet) && result->result.verdict == VERDICT_PASS)
        return true;
    buf b = { 0 };
    report_item item = judge_item(result);
    report_text(&item, &r->style, &b);
    r->deaf = !print_out(&b);
    buf_free(&b);
    return !r->deaf;
}

/* A row for each exhibit, and for each job that is no exhibit's twin. */
static void add_table(const run *r, buf *out)
{
    report_exhibit *rows = mem_zero((r->batch.published + 1) * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < r->batch.published; i++) {
        const job *j = &r->batch.jobs.at[i];
        if (j->is_twin && j->result.result.exhibit.bug.n == 0)
            continue;
        rows[count++] = (report_exhibit){ .result = &j->result.result,
                                          .twin = j->twin && j->twin <= r->batch.published
                                          ? &r->batch.jobs.at[j->twin - 1].result.result : NULL };
    }
    report_exhibits(rows, count, r->o->format == FORMAT_MARKDOWN ? REPORT_MARKDOWN : REPORT_ALIGNED, &r->style, out);
    mem_free(rows);
}

/* Wall times are not part of the table: they are not the same each time. */
static void tell_times(const run *r)
{
    enum { SLOWEST = 3 };
    const judged *slowest[SLOWEST] = { NULL };
    int64_t all_ms = 0;
    for (size_t i = 0; i < r->batch.published; i++) {
        const judged *j = &r->batch.jobs.at[i].result;
        all_ms += j->result.search.elapsed_ms;
        for (size_t k = 0; k < SLOWEST && j; k++)
            if (!slowest[k] || slowest[k]->result.search.elapsed_ms < j->result.search.elapsed_ms) {
                const judged *slower = slowest[k];
                slowest[k] = j;
                j = slower;
            }
    }
    buf b = { 0 };
    buf_printf(&b, "%zu searches took %.1f s", r->batch.published, (double)all_ms / 1000);
    for (size_t k = 0; k < SLOWEST && slowest[k]; k++) {
        buf_addz(&b, k ? ", " : "; the slowest: ");
        clean_text(&b, slowest[k]->result.path);
        buf_printf(&b, " %.1f s", (double)slowest[k]->result.search.elapsed_ms / 1000);
    }
    fprintf(stderr, "%.*s\n", (int)b.n, b.p);
    buf_free(&b);
}

/* What ends the text, or all of the other formats. */
static void add_document(const run *r, const report_item *items, buf *out)
{
    if (r->o->format == FORMAT_MARKDOWN && r->o->table)
        return;            /* the table is all of it */
    report_document_write(r->o->format, &(report_document){ .items = items, .count = r->batch.published,
                          .not_run = r->batch.jobs.count - r->batch.published, .exit_status = r->batch.status,
                          .style = &r->style }, out);
}

/* Writes the coverage of the scripts to files; the text shows it, too. */
static void write_coverage(run *r, const report_item *items, buf *out)
{
    arena *a = arena_new();
    const coverage_script *scripts;
    size_t n = report_coverage(items, r->batch.published, a, &scripts);
    str folder = str_from(r->o->coverage), path;
    err e = { 0 };
    buf b = { 0 };
    taken_names taken = { 0 };
    report_lcov(scripts, n, &b);
    bool ok = files_write(a, folder, S("lcov.info"), buf_str(&b), &path, &e);
    for (size_t i = 0; i < n && ok; i++) {
        if (!report_has_file(&scripts[i]))
            continue;
        buf_clear(&b);
        report_annotated(&scripts[i], &b);
        ok = files_write(a, folder, flat_name_new(a, &taken, scripts[i].name, ".txt"), buf_str(&b), &path, &e);
    }
    if (r->o->format == FORMAT_TEXT)
        report_coverage_text(scripts, n, out);
    if (!ok)
        r->batch.status = status_worse(r->batch.status, print_complaint(&e));
    err_clear(&e);
    taken_names_free(&taken);
    buf_free(&b);
    arena_free(a);
}

/* A verdict that got worse fails the run, even one that is only inconclusive or vacuous. */
static report_baseline compare(arena *a, run *r, const report_item *items)
{
    size_t n = r->batch.published;
    report_baseline b = { .saved = &r->saved,
                          .changes = baseline_compare(a, &r->saved, items, n,
                                                      n < r->batch.jobs.count || r->batch.jobs.left_out > 0) };
    if (b.changes.of[CHANGE_WORSE])
        r->batch.status = status_worse(r->batch.status, STATUS_VIOLATED);
    return b;
}

/* Reports written files beside the result, of which they are no part. */
static void write_stories(run *r, arena *a)
{
    const judged **results = ARENA_ARRAY(a, const judged *, r->batch.published + 1);
    for (size_t i = 0; i < r->batch.published; i++)
        results[i] = &r->batch.jobs.at[i].result;
    buf told = { 0 };
    err e = { 0 };
    if (!stories_write(results, r->batch.published, &told, &e))
        r->batch.status = status_worse(r->batch.status, print_complaint(&e));
    fprintf(stderr, "%.*s", (int)told.n, told.n ? told.p : "");
    err_clear(&e);
    buf_free(&told);
}

static void print_end(run *r)
{
    report_baseline against;
    buf b = { 0 };
    arena *a = arena_new();
    report_item *items = batch_items(&r->batch, a);
    if (r->o->table) {
        add_table(r, &b);
        buf_addz(&b, r->o->format == FORMAT_TEXT ? "\n" : "");
    }
    if (r->o->coverage)
        write_coverage(r, items, &b);
    if (r->o->baseline) {
        against = compare(a, r, items);
        r->style.baseline = &against;
        if (r->o->format == FORMAT_TEXT)
            report_baseline_text(&against, &r->style, &b);
    }
    add_document(r, items, &b);
    r->style.baseline = NULL;
    if (!print_out(&b))
        r->batch.status = status_worse(r->batch.status, STATUS_IO);
    if (r->o->table)
        tell_times(r);
    if (r->o->write_expect)
        write_stories(r, a);
    arena_free(a);
    buf_free(&b);
}

/* The saved run; if it has measures, this run has them, too. */
static bool read_baseline(arena *a, run *r, options *with, err *e)
{
    static const size_t BYTES_MAX = (size_t)1 << 30;
    str path = str_from(with->baseline), text;
    arena *scratch = arena_new();
    bool ok = files_read_long(scratch, path, BYTES_MAX, &text, e) && baseline_read(a, path, text, &r->saved, e);
    arena_free(scratch);
    with->measure = with->measure || (ok && r->saved.measured);
    return ok;
}

/* All of it, once it is known what to compare with. */
static int run_all(run *r, arena *a)
{
    enum { PATH_COLUMNS_MAX = 60 };
    job_list *jobs = &r->batch.jobs;
    err e = { 0 };
    if (!jobs_collect(a, r->o, jobs, &e)) {
        int status = print_complaint(&e);
        err_clear(&e);
        return status;
    }
    if ((r->o->spill && !spill_files_try(str_from(r->o->spill), &e)) || !checkpoint_run_begins(r->o, jobs, &e)) {
        int status = print_complaint(&e);
        err_clear(&e);
        return status;
    }
    r->style.left_out = jobs->left_out;
    size_t most = r->style.width && r->style.width < 2 * PATH_COLUMNS_MAX ? r->style.width * 2 / 5 : PATH_COLUMNS_MAX;
    for (size_t i = 0; i < jobs->count; i++) {
        size_t columns = jobs->at[i].unread ? 0 : clean_width(clean_copy(a, jobs->at[i].path));
        if (columns > r->style.path_width && columns <= most)
            r->style.path_width = columns;
    }
    if (r->o->format == FORMAT_TEXT && ranks_own() == 0)
        print_options(r->o);
    batch_run(&r->batch, r->o, publish, r);
    if (!r->deaf && ranks_own() == 0)
        print_end(r);
    if (checkpoint_folder(r->o) && progress_interrupted() && ranks_own() == 0)
        fprintf(stderr, "what was found so far is kept: `--resume %s` instead of --checkpoint goes on\n",
                checkpoint_folder(r->o));
    int status = r->deaf ? STATUS_IO : ranks_own() > 0 ? STATUS_PASS : r->batch.status;
    if (ranks_joined() && progress_interrupted())
        ranks_close(true, status);     /* some search may still be at work */
    batch_close(&r->batch);
    return status;
}

int run_main(const options *o)
{
    options with = *o;
    run r = { .o = &with, .style = { .verbose = o->verbose, .timing = o->timing, .meetings = o->meetings,
                                     .profile = o->profile,
                                     .program = o->program, .width = print_width(STDOUT_FILENO),
                                     .color = o->format == FORMAT_TEXT && print_wants_color(o->color) } };
    arena *a = arena_new();
    err e = { 0 };
    int status = !o->baseline || read_baseline(a, &r, &with, &e) ? run_all(&r, a) : print_complaint(&e);
    err_clear(&e);
    arena_free(a);
    return status;
}
