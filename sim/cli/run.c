/* run.c - `locksim run`: scenario files to verdicts. One scenario's failure never loses the results of the others. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/jobs.h"
#include "report/clean.h"

typedef struct {
    const options *o;
    report_style style;
    progress_board board;
    taken_names taken;
    job_list jobs;
    size_t published;
    int status;
    bool deaf;                     /* nobody reads stdout any more: no use in going on */
    pthread_mutex_t lock;          /* of `next` and `done` */
    pthread_cond_t finished;
    size_t side_by_side;           /* threads */
    size_t next;                   /* job that no thread has taken */
    bool stop;
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

static void publish(run *r, job *j)
{
    judged *result = &j->result;
    progress_clear(&r->board, ++r->published + 1);
    judge_save(r->o, &r->taken, result);
    r->status = status_worse(r->status, result->status);
    if (r->o->format != FORMAT_TEXT) {
        if (result->result.verdict == VERDICT_ERROR)
            cli_complain(&result->result.error);   /* the document comes at the end; a person should not have to wait */
        return;
    }
    if ((r->o->table || r->o->quiet) && result->result.verdict == VERDICT_PASS)
        return;
    buf b = { 0 };
    report_item item = item_of(result);
    report_text(&item, &r->style, &b);
    r->deaf = !cli_print(&b);
    buf_free(&b);
}

/* Works on jobs until none is left, or until told to stop. */
static void *work(void *context)
{
    run *r = context;
    pthread_mutex_lock(&r->lock);
    while (r->next < r->jobs.count && !r->stop && !progress_interrupted()) {
        size_t i = r->next++;
        job *j = &r->jobs.at[i];
        pthread_mutex_unlock(&r->lock);
        progress p = { .side_by_side = r->side_by_side };
        if (j->unread)
            judge_error(j->path, j->unread, &j->result);
        else {
            progress_scenario(&p, &r->board, j->path, i + 1, r->jobs.count);
            judge_file(r->o, j->path, &p, &j->result);
        }
        pthread_mutex_lock(&r->lock);
        j->done = true;
        pthread_cond_broadcast(&r->finished);
    }
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* One scenario's search uses one core: several run side by side, their results come out in order, whatever the number. */
static void work_all(run *r)
{
    enum { JOBS_MAX = 64 };
    pthread_t threads[JOBS_MAX];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t wanted = r->o->jobs ? (size_t)r->o->jobs : cores > 0 ? (size_t)cores : 1, started = 0;
    if (wanted > r->jobs.count)
        wanted = r->jobs.count;
    if (wanted > JOBS_MAX)
        wanted = JOBS_MAX;
    r->side_by_side = wanted;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->finished, NULL);
    while (started < wanted && pthread_create(&threads[started], NULL, work, r) == 0)
        started++;
    if (started == 0)
        work(r);           /* no threads to be had: then all of it here */
    for (size_t i = 0; i < r->jobs.count && !r->deaf; i++) {
        pthread_mutex_lock(&r->lock);
        while (!r->jobs.at[i].done && !(progress_interrupted() && i >= r->next))
            pthread_cond_wait(&r->finished, &r->lock);
        bool done = r->jobs.at[i].done;
        pthread_mutex_unlock(&r->lock);
        if (!done)
            break;
        publish(r, &r->jobs.at[i]);
        if (r->o->fail_fast && r->status != STATUS_PASS)
            break;         /* what others have finished meanwhile is left out, so that the output does not depend on --jobs */
    }
    pthread_mutex_lock(&r->lock);
    r->stop = true;
    pthread_mutex_unlock(&r->lock);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
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
    if (o->faults)
        buf_printf(&b, " --faults %s", o->faults);
    if (o->exhaustive)
        buf_addz(&b, " --exhaustive");
    if (o->has_max_states)
        buf_printf(&b, " --max-states %" PRIu64, o->max_states);
    if (o->has_max_memory)
        buf_printf(&b, " --max-memory %" PRIu64, o->max_memory);
    if (o->has_max_steps)
        buf_printf(&b, " --max-steps %" PRIu64, o->max_steps);
    if (o->has_time_limit)
        buf_printf(&b, " --time-limit %" PRIu64, o->time_limit_s);
    if (o->no_fold)
        buf_addz(&b, " --no-fold");
    if (o->no_memo)
        buf_addz(&b, " --no-memo");
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

/* A row for each exhibit, and for what is nobody's twin. */
static void add_table(const run *r, buf *out)
{
    report_exhibit *rows = mem_zero((r->published + 1) * sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < r->published; i++) {
        const job *j = &r->jobs.at[i];
        if (j->is_twin && j->result.result.exhibit.bug.n == 0)
            continue;
        rows[count++] = (report_exhibit){ .result = &j->result.result,
                                          .twin = j->twin && j->twin <= r->published ? &r->jobs.at[j->twin - 1].result.result : NULL };
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
    for (size_t i = 0; i < r->published; i++) {
        const judged *j = &r->jobs.at[i].result;
        all_ms += j->result.search.elapsed_ms;
        for (size_t k = 0; k < SLOWEST && j; k++)
            if (!slowest[k] || slowest[k]->result.search.elapsed_ms < j->result.search.elapsed_ms) {
                const judged *slower = slowest[k];
                slowest[k] = j;
                j = slower;
            }
    }
    buf b = { 0 };
    buf_printf(&b, "%zu searches took %.1f s", r->published, (double)all_ms / 1000);
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
    switch (r->o->format) {
    case FORMAT_TEXT: report_text_summary(items, r->published, r->jobs.count - r->published, &r->style, out); return;
    case FORMAT_JSON: report_json(items, r->published, r->status, &r->style, out); return;
    case FORMAT_JUNIT: report_junit(items, r->published, &r->style, out); return;
    case FORMAT_TAP: report_tap(items, r->published, out); return;
    case FORMAT_SARIF: report_sarif(items, r->published, out); return;
    case FORMAT_GITHUB: report_github(items, r->published, out); return;
    default:
        if (!r->o->table)
            report_matrix(items, r->published, out);
    }
}

/* "scripts/fair/acquire.lua" is scripts.fair.acquire.lua.txt, below one folder. */
static str annotated_name(arena *a, str path)
{
    while (str_starts(path, S("/")) || str_starts(path, S("./")) || str_starts(path, S("../")))
        path = str_slice(path, str_find(path, '/', 0) + 1, path.n);
    str name = arena_printf(a, "%.*s.txt", STR_ARG(path));
    for (char *p = (char *)(uintptr_t)name.p; p < name.p + name.n; p++)
        if (*p == '/')
            *p = '.';
    return name;
}

/* What was reached of the scripts, as files; in the text it is told, too. */
static void write_coverage(run *r, const report_item *items, buf *out)
{
    arena *a = arena_new();
    const coverage_script *scripts;
    size_t n = report_coverage(items, r->published, a, &scripts);
    str folder = str_from(r->o->coverage), path;
    err e = { 0 };
    buf b = { 0 };
    report_lcov(scripts, n, &b);
    bool ok = files_write(a, folder, S("lcov.info"), buf_str(&b), &path, &e);
    for (size_t i = 0; i < n && ok; i++) {
        if (!report_has_file(&scripts[i]))
            continue;
        buf_clear(&b);
        report_annotated(&scripts[i], &b);
        ok = files_write(a, folder, annotated_name(a, scripts[i].name), buf_str(&b), &path, &e);
    }
    if (r->o->format == FORMAT_TEXT)
        report_coverage_text(scripts, n, out);
    if (!ok)
        r->status = status_worse(r->status, cli_complain(&e));
    err_clear(&e);
    buf_free(&b);
    arena_free(a);
}

static void print_end(run *r)
{
    buf b = { 0 };
    report_item *items = mem_zero((r->published + 1) * sizeof *items);
    for (size_t i = 0; i < r->published; i++)
        items[i] = item_of(&r->jobs.at[i].result);
    if (r->o->table) {
        add_table(r, &b);
        buf_addz(&b, r->o->format == FORMAT_TEXT ? "\n" : "");
    }
    if (r->o->coverage)
        write_coverage(r, items, &b);
    add_document(r, items, &b);
    if (!cli_print(&b))
        r->status = status_worse(r->status, STATUS_BUG);
    if (r->o->table)
        tell_times(r);
    mem_free(items);
    buf_free(&b);
}

int cli_run(const options *o)
{
    enum { PATH_COLUMNS_MAX = 60 };
    run r = { .o = o, .style = { .verbose = o->verbose, .timing = o->timing, .program = o->program,
                                 .color = o->format == FORMAT_TEXT && cli_wants_color(o->color) } };
    arena *a = arena_new();
    progress_begin(&r.board);
    r.jobs = jobs_collect(a, o);
    for (size_t i = 0; i < r.jobs.count; i++) {
        size_t columns = r.jobs.at[i].unread ? 0 : clean_width(clean_copy(a, r.jobs.at[i].path));
        if (columns > r.style.path_width && columns <= PATH_COLUMNS_MAX)
            r.style.path_width = columns;
    }
    if (o->format == FORMAT_TEXT)
        print_options(&r);
    work_all(&r);
    if (r.published < r.jobs.count && !(o->fail_fast && r.status != STATUS_PASS))
        r.status = status_worse(r.status, STATUS_INCONCLUSIVE);
    if (r.deaf)
        r.status = STATUS_BUG;
    else
        print_end(&r);
    for (size_t i = 0; i < r.jobs.count; i++)
        if (r.jobs.at[i].done)
            judged_free(&r.jobs.at[i].result);
    mem_free(r.taken.at);
    arena_free(a);
    return r.status;
}
