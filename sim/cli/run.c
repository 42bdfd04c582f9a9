/* run.c - `locksim run`: scenario files to verdicts. One scenario's failure never loses the results of the others. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/judge.h"
#include "report/clean.h"

typedef struct {
    const options *o;
    report_style style;
    progress progress;
    taken_names taken;
    judged *results;
    size_t count, cap;
    int status;
    bool deaf;                     /* nobody reads stdout any more: no use in going on */
} run;

bool cli_wants_color(int choice)
{
    const char *no_color = getenv("NO_COLOR");
    if (choice == COLOR_AUTO)
        return isatty(STDOUT_FILENO) && !(no_color && *no_color);
    return choice == COLOR_ALWAYS;
}

static report_item item_of(const judged *j)
{
    return (report_item){ .result = &j->result, .files = j->files };
}

static void publish(run *r)
{
    judged *j = &r->results[r->count - 1];
    r->status = status_worse(r->status, j->status);
    progress_clear(&r->progress);
    if (r->o->format != FORMAT_TEXT) {
        if (j->result.verdict == VERDICT_ERROR)
            cli_complain(&j->result.error);        /* the document comes at the end; a person should not have to wait */
        return;
    }
    buf b = { 0 };
    report_item item = item_of(j);
    report_text(&item, &r->style, &b);
    r->deaf = !cli_print(&b);
    buf_free(&b);
}

static judged *next_result(run *r)
{
    MEM_RESERVE(r->results, r->cap, r->count + 1);
    return &r->results[r->count++];
}

/* The seed and whatever was asked for beyond the files, so that the output alone says how to get it again. */
static void print_options(const run *r)
{
    const options *o = r->o;
    buf b = { 0 };
    static const char *const strategies[] = { "uniform", "pct" };
    if (o->has_seed)
        buf_printf(&b, " --seed %" PRIu64, o->seed);
    if (o->strategy != CHOICE_UNSAID)
        buf_printf(&b, " --strategy %s", strategies[o->strategy]);
    if (o->has_runs)
        buf_printf(&b, " --runs %" PRIu64, o->runs);
    if (o->has_max_steps)
        buf_printf(&b, " --max-steps %" PRIu64, o->max_steps);
    if (o->has_time_limit)
        buf_printf(&b, " --time-limit %" PRIu64, o->time_limit_s);
    if (o->no_fold)
        buf_addz(&b, " --no-fold");
    for (size_t i = 0; i < o->script_count; i++) {
        buf_addz(&b, " --scripts ");
        clean_text(&b, str_from(o->scripts[i]));
    }
    if (o->schedule) {
        buf_addz(&b, " --schedule \"");
        clean_text(&b, str_from(o->schedule));
        buf_byte(&b, '"');
    }
    if (b.n) {
        buf line = { 0 };
        buf_addz(&line, "options");
        buf_add(&line, buf_str(&b));
        buf_byte(&line, '\n');
        cli_print(&line);
        buf_free(&line);
    }
    buf_free(&b);
}

static void print_end(run *r, size_t not_run)
{
    buf b = { 0 };
    report_item *items = mem_zero((r->count + 1) * sizeof *items);
    for (size_t i = 0; i < r->count; i++)
        items[i] = item_of(&r->results[i]);
    if (r->o->format == FORMAT_TEXT)
        report_text_summary(items, r->count, not_run, &r->style, &b);
    else if (r->o->format == FORMAT_JSON)
        report_json(items, r->count, r->status, &r->style, &b);
    else
        report_junit(items, r->count, &r->style, &b);
    if (!cli_print(&b))
        r->status = status_worse(r->status, STATUS_BUG);
    mem_free(items);
    buf_free(&b);
}

int cli_run(const options *o)
{
    enum { PATH_COLUMNS_MAX = 60 };
    run r = { .o = o, .style = { .verbose = o->verbose, .timing = o->timing,
                                 .color = o->format == FORMAT_TEXT && cli_wants_color(o->color) } };
    arena *a = arena_new();
    file_list files = { 0 };
    progress_begin(&r.progress);
    err *unread = ARENA_ARRAY(a, err, o->argument_count);
    size_t *end = ARENA_ARRAY(a, size_t, o->argument_count);   /* files[.. end[i]) come from the first i + 1 arguments */
    for (size_t i = 0; i < o->argument_count; i++) {
        files_expand(a, str_from(o->arguments[i]), files_is_scenario, &files, &unread[i]);
        end[i] = files.count;
    }
    for (size_t i = 0; i < files.count; i++) {
        size_t columns = clean_width(clean_copy(a, files.paths[i]));
        if (columns > r.style.path_width && columns <= PATH_COLUMNS_MAX)
            r.style.path_width = columns;
    }
    if (o->format == FORMAT_TEXT)
        print_options(&r);
    size_t k = 0;
    for (size_t i = 0; i < o->argument_count; i++) {
        for (; k < end[i] && !progress_interrupted() && !r.deaf; k++) {
            progress_scenario(&r.progress, files.paths[k], k + 1, files.count);
            judge_file(o, files.paths[k], &r.progress, &r.taken, next_result(&r));
            publish(&r);
        }
        if (unread[i].class_ != ERR_NONE && !r.deaf) {
            judge_error(str_from(o->arguments[i]), &unread[i], next_result(&r));
            publish(&r);
        }
    }
    size_t not_run = files.count - k;
    if (not_run)
        r.status = status_worse(r.status, STATUS_INCONCLUSIVE);
    if (r.deaf)
        r.status = STATUS_BUG;
    else
        print_end(&r, not_run);
    for (size_t i = 0; i < r.count; i++)
        judged_free(&r.results[i]);
    mem_free(r.results);
    mem_free(r.taken.at);
    arena_free(a);
    return r.status;
}
