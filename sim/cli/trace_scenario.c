/* trace_scenario.c - see trace_scenario.h. The log is read a second time, so that the first reading need not keep what
 * is rarely wanted. */
#include "cli/trace_scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/trace_log.h"
#include "judge/judge.h"
#include "report/clean.h"
#include "trace/reader.h"

typedef struct {
    const scenario_wanted *w;
    arena *memory;
    passage *p;
    tracer *t;
    size_t from, to;       /* lines of the log; from 0: where the lock was last free before `since` */
    size_t since;
    str path;              /* of the scenario; never an option's name */
    str lock;              /* p NULL: the first that is met from `from` on */
    str story, driver;
    bool violated[PROPERTY_COUNT];
    bool enough, failed;
    err *e;
} taking;

/* ---- which passage ---- */

static const finding *first_of(const taking *k, found_kind kind)
{
    for (size_t i = 0; i < k->w->finding_count; i++) {
        const finding *f = &k->w->findings[i];
        bool within = k->from == 0 || (f->line >= k->from && f->line <= k->to);
        if (f->kind == kind && f->lock.n && within)
            return f;
    }
    return NULL;
}

static bool choose(taking *k, err *e)
{
    const options *o = k->w->o;
    k->from = (size_t)o->lines_from;
    k->to = (size_t)o->lines_to;
    const finding *f = first_of(k, FOUND_VIOLATION);
    if (!f)
        f = first_of(k, FOUND_OVERRUN);
    if (!f && !o->lines) {
        err_set(e, ERR_SCENARIO, "%s: the log shows nothing that a scenario could show", o->arguments[0]);
        return err_hint(e, "--lines FIRST-LAST makes one of any passage");
    }
    if (!f)
        return true;
    k->lock = f->lock;
    k->story = f->text;
    if (!k->from) {
        k->since = f->since ? f->since : f->line;
        k->to = f->line;
    }
    return true;
}

/* ---- the second reading ---- */

/* "my/table.lua" is required as "table". */
static str driver_name(str family)
{
    return str_ends(family, S(".lua")) ? str_slice(files_name(family), 0, files_name(family).n - 4) : family;
}

static void on_seen(void *context, const seen_request *r)
{
    taking *k = context;
    if (k->failed || r->line < k->from || (k->lock.p && !str_eq(r->lock, k->lock)))
        return;
    if (!k->lock.p)
        k->lock = arena_str(k->memory, r->lock);
    if (k->since && r->was_free && r->line <= k->since) {
        passage_restart(k->p);
        memset(k->violated, 0, sizeof k->violated);
    }
    k->driver = driver_name(family_name(r->family));
    k->failed = !passage_add(k->p, r, k->e);
}

static void on_found(void *context, const finding *f)
{
    taking *k = context;
    if (passage_count(k->p) == 0 || !str_eq(f->lock, k->lock))
        return;
    if (f->kind == FOUND_VIOLATION)
        k->violated[f->property] = true;
    else if (f->kind == FOUND_OVERRUN)
        k->violated[PROPERTY_STRICT_MUTUAL_EXCLUSION] = true;
}

static void on_record(void *context, const record *r)
{
    taking *k = context;
    if (k->enough || k->failed)
        return;
    if (r->line > k->to && !r->lua) {
        k->enough = true;
        return;
    }
    if (r->argc > 2 && str_eq_nocase(r->argv[0], S("script")) && str_eq_nocase(r->argv[1], S("load")))
        passage_know_script(k->p, S(""), r->argv[2]);
    else if (r->argc > 1 && str_eq_nocase(str_slice(r->argv[0], 0, 4), S("eval")) &&
             !str_starts(str_slice(r->argv[0], 4, r->argv[0].n), S("sha")) &&
             !str_starts(str_slice(r->argv[0], 4, r->argv[0].n), S("SHA")))
        passage_know_script(k->p, S(""), r->argv[1]);
    k->failed = !tracer_take(k->t, r, k->e);
}

static void on_bad(void *context, size_t line, str text, const char *why)
{
    (void)context, (void)line, (void)text, (void)why;
}

static void know_script(void *context, str body)
{
    tracer_know_script(context, body);
}

static bool read_again(taking *k, err *e)
{
    const scenario_wanted *w = k->w;
    bool cut;
    k->t = tracer_new(&(trace_options){ .families = w->families, .family_count = w->family_count,
                                        .guessed = w->guessed, .dialect = w->dialect,
                                        .context = k, .found = on_found, .seen = on_seen });
    reader *r = reader_new(&(reader_heard){ .context = k, .record = on_record, .bad = on_bad });
    passage_each_script(k->p, know_script, k->t);
    bool ok = trace_log_read(w->o->arguments[0], r, &k->enough, &cut, e) && !k->failed && tracer_end(k->t, e) &&
              !k->failed;
    reader_free(r);
    tracer_free(k->t);
    if (ok && passage_count(k->p) == 0)
        return err_set(e, ERR_SCENARIO, "%s: no request of these lines is about a lock", w->o->arguments[0]);
    return ok;
}

/* ---- the scenario ---- */

static bool write_file(taking *k, err *e)
{
    const options *o = k->w->o;
    buf b = { 0 };
    str path, log = files_name(str_from(o->arguments[0]));
    passage_about about = { .log = log, .driver = k->driver, .story = k->story,
                            .dialect = o->dialect ? str_from(o->dialect) : S(""),
                            .title = arena_printf(k->memory, "%.*s: \"%.*s\" up to line %zu", STR_ARG(log),
                                                  STR_ARG(k->lock), k->to) };
    memcpy(about.violated, k->violated, sizeof about.violated);
    passage_write(k->p, &about, &b);
    bool ok = files_write(k->memory, files_folder(k->path), files_name(k->path), buf_str(&b), &path, e);
    buf_free(&b);
    return ok;
}

/* `locksim run FILE`, with the folders in which its table and scripts lie. */
static bool run_options(taking *k, options *out, err *e)
{
    const options *o = k->w->o;
    size_t n = 0;
    char **argv = ARENA_ARRAY(k->memory, char *, 2 * (o->script_count + o->lock_count) + 2);
    argv[n++] = (char *)(uintptr_t)k->path.p;
    for (size_t i = 0; i < o->script_count + o->lock_count; i++) {
        str folder = i < o->script_count ? str_from(o->scripts[i])
                     : files_folder(str_from(o->locks[i - o->script_count]));
        if (i >= o->script_count && !str_ends(str_from(o->locks[i - o->script_count]), S(".lua")))
            continue;
        argv[n++] = (char *)(uintptr_t)"--scripts";
        argv[n++] = (char *)(uintptr_t)(folder.n ? arena_printf(k->memory, "%.*s", STR_ARG(folder)).p : ".");
    }
    return options_parse(k->memory, COMMAND_RUN, (int)n, argv, out, e);
}

/* From then on the file expects what the run shows. *agrees: it already did. */
static bool run_file(taking *k, const options *run, bool *agrees, err *e)
{
    str path = k->path;
    judged j = { 0 };
    progress_board board;
    progress p = { .side_by_side = 1 };
    progress_begin(&board);
    progress_scenario(&p, &board, path, 1, 1);
    judge_file(run, path, &p, &j);
    progress_clear(&board, 1);
    *agrees = true;
    bool ok = j.result.verdict != VERDICT_ERROR;
    if (!ok)
        err_copy(e, &j.result.error);
    for (property i = 0; i < PROPERTY_COUNT && ok; i++) {
        bool violated = j.result.properties[i].outcome == OUTCOME_VIOLATED;
        *agrees &= violated == k->violated[i];
        k->violated[i] = violated;
    }
    judged_free(&j);
    return ok;
}

static void tell(const taking *k, const options *run)
{
    const options *o = k->w->o;
    buf b = { 0 };
    size_t n = 0;
    buf_addz(&b, "  scenario    ");
    clean_text(&b, k->path);
    buf_printf(&b, "   %zu requests about \"", passage_count(k->p));
    clean_text(&b, k->lock);
    buf_addz(&b, "\"; it was run, and shows ");
    for (property p = 0; p < PROPERTY_COUNT; p++)
        if (k->violated[p])
            buf_printf(&b, "%s%s %s", n++ ? ", " : "", property_describe(p)->code, property_describe(p)->name);
    buf_printf(&b, "%s\n  next        ", n ? "" : "no violation");
    clean_argument(&b, str_from(o->program ? o->program : "locksim"));
    buf_addz(&b, " run ");
    clean_argument(&b, k->path);
    for (size_t i = 0; i < run->script_count; i++) {
        buf_addz(&b, " --scripts ");
        clean_argument(&b, str_from(run->scripts[i]));
    }
    buf_byte(&b, '\n');
    print_out(&b);
    buf_free(&b);
}

static bool any(const bool *violated)
{
    for (property p = 0; p < PROPERTY_COUNT; p++)
        if (violated[p])
            return true;
    return false;
}

/* An existing file may be the log itself, or a scenario that the user has changed. */
static bool choose_path(taking *k, err *e)
{
    str given = str_from(k->w->o->to_scenario);
    struct stat there;
    k->path = arena_printf(k->memory, "%s%.*s", str_starts(given, S("-")) ? "./" : "", STR_ARG(given));
    if (lstat(k->path.p, &there) != 0 || !S_ISREG(there.st_mode))
        return true;                   /* of what is no file files_write complains */
    err_at(e, ERR_USAGE, k->path, 0, 0, "this file is there already");
    return err_hint(e, "--to-scenario takes the name of a new file");
}

bool trace_scenario(arena *a, const scenario_wanted *w, err *e)
{
    enum { ROUNDS_MAX = 3 };
    taking k = { .w = w, .memory = a, .p = w->scripts, .e = e };
    bool agrees = false, found[PROPERTY_COUNT];
    options run;
    if (strcmp(w->o->arguments[0], "-") == 0)
        return err_set(e, ERR_USAGE, "--to-scenario reads the log twice: it takes a file, not standard input");
    if (!choose_path(&k, e) || !choose(&k, e) || !read_again(&k, e) || !run_options(&k, &run, e))
        return false;
    memcpy(found, k.violated, sizeof found);
    for (size_t i = 0; i < ROUNDS_MAX && !agrees; i++)
        if (!write_file(&k, e) || !run_file(&k, &run, &agrees, e))
            return false;
    for (property p = 0; p < PROPERTY_COUNT; p++)
        if (found[p] && !k.violated[p] && p != PROPERTY_STRICT_MUTUAL_EXCLUSION) {
            err_set(e, ERR_SCENARIO, "%s was written, but does not show %s, which the log shows", w->o->to_scenario,
                    property_describe(p)->code);
            return err_hint(e, "choose a longer passage with --lines: it may have begun before");
        }
    if (!w->o->lines && !any(k.violated))
        return err_set(e, ERR_SCENARIO, "%s was written, but nothing is violated in it", w->o->to_scenario);
    if (w->o->format == FORMAT_TEXT)
        tell(&k, &run);
    return true;
}
