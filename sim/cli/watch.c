/* watch.c - `locksim watch`: runs scenarios, then again those that a saved file affects, and says what has changed. All of it but the
 * searches happens in one thread, as events of a loop: a file changed, a result is ready, Ctrl-C. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/mem.h"
#include "cli/watch_files.h"
#include "cli/watch_set.h"
#include "redis/redis.h"
#include "report/changed.h"
#include "report/clean.h"

/* From the first of some saves to the last result that they ask for. */
typedef struct {
    bool open;
    uint64_t begin_ms;
    arena *memory;
    file_list saved;
    size_t run, changed;           /* scenarios that a save asked for */
    size_t same, tried;            /* of these, those for which trials were enough, and how many */
    struct told { str text; size_t more; } *errors;            /* each is told once */
    size_t error_count, error_cap;
} pass;

typedef struct {
    const options *o;
    report_style style;
    uv_loop_t loop;
    uv_async_t ready;
    uv_signal_t signals[2];
    watch_files *files;
    watch_set *set;
    arena *memory;
    bool first;                    /* the first pass is not over */
    bool deaf;                     /* nobody reads stdout any more */
    bool over;
    file_list broken;              /* saved files that do not parse */
    taken_names taken;             /* by counterexamples of this pass */
    pass pass;
} watch;

static void print(watch *w, buf *b)
{
    if (!w->deaf && !cli_print(b))
        w->deaf = w->over = true;
    buf_clear(b);
}

/* ---- passes ---- */

static void pass_begin(watch *w)
{
    if (w->pass.open)
        return;
    w->pass = (pass){ .open = true, .begin_ms = uv_hrtime() / 1000000, .memory = arena_new() };
}

static void pass_clear(watch *w)
{
    arena_free(w->pass.memory);
    mem_free(w->pass.errors);
    w->pass = (pass){ 0 };
    w->taken.count = 0;
}

/* Every scenario that needs what is missing has the same error, called from another place. */
static void add_error(watch *w, const outcome *o, buf *out)
{
    pass *p = &w->pass;
    buf text = { 0 };
    report_error(o, &text);
    str first = str_slice(buf_str(&text), 2, str_find(buf_str(&text), '\n', 0));
    size_t i = 0;
    while (i < p->error_count && !str_eq(p->errors[i].text, first))
        i++;
    if (i < p->error_count) {
        p->errors[i].more++;
    } else {
        MEM_RESERVE(p->errors, p->error_cap, p->error_count + 1);
        p->errors[p->error_count++] = (struct told){ .text = arena_str(p->memory, first) };
        report_add_verdict(out, &w->style, o->verdict);
        clean_text(out, o->path);
        buf_byte(out, '\n');
        buf_add(out, buf_str(&text));
    }
    buf_free(&text);
}

static void add_more_errors(const watch *w, buf *out)
{
    for (size_t i = 0; i < w->pass.error_count; i++) {
        const struct told *e = &w->pass.errors[i];
        if (e->more == 0)
            continue;
        report_add_verdict(out, &w->style, VERDICT_ERROR);
        buf_printf(out, "%zu more %s the same error: %.*s\n", e->more, e->more == 1 ? "scenario has" : "scenarios have",
                   STR_ARG(e->text));
    }
}

static void add_time(const watch *w, buf *out)
{
    uint64_t took_ms = uv_hrtime() / 1000000 - w->pass.begin_ms;
    if (w->style.timing)
        buf_printf(out, "   %llu.%02llu s", (unsigned long long)(took_ms / 1000), (unsigned long long)(took_ms % 1000 / 10));
    buf_byte(out, '\n');
}

static void add_counts(watch *w, buf *out)
{
    static const char *const words[] = { "passed", "failed", "inconclusive", "vacuous", "in error" };
    size_t of[COUNT(words)] = { 0 };
    for (size_t i = 0; i < watch_set_count(w->set); i++)
        of[watch_set_get(w->set, i)->now.last.verdict] += watch_set_get(w->set, i)->now.last.known;
    buf_printf(out, "%zu %s", watch_set_count(w->set), watch_set_count(w->set) == 1 ? "scenario" : "scenarios");
    for (size_t v = 0, n = 0; v < COUNT(words); v++)
        if (of[v])
            buf_printf(out, "%s%zu %s", n++ ? ", " : ": ", of[v], words[v]);
}

static void end_save(watch *w, buf *out)
{
    pass *p = &w->pass;
    add_more_errors(w, out);
    buf_addz(out, "saved ");
    for (size_t i = 0; i < p->saved.count; i++) {
        buf_addz(out, i ? ", " : "");
        clean_text(out, p->saved.paths[i]);
    }
    buf_printf(out, ": %zu %s, ", p->run, p->run == 1 ? "scenario" : "scenarios");
    buf_printf(out, p->changed ? "%zu changed" : "nothing changed", p->changed);
    if (p->same) {
        buf_printf(out, " (%zu known", p->same);
        if (p->tried) {
            buf_addz(out, " by ");
            report_add_count(out, p->tried);
            buf_addz(out, p->tried == 1 ? " call" : " calls");
        }
        buf_byte(out, ')');
    }
    buf_addz(out, p->changed ? "; now " : "; ");
    add_counts(w, out);
    add_time(w, out);
}

static void end_first(watch *w, buf *out)
{
    add_more_errors(w, out);
    add_counts(w, out);
    add_time(w, out);
    buf_printf(out, "watching them and what they load, in %zu %s; Ctrl-C ends\n", watch_files_count(w->files),
               watch_files_count(w->files) == 1 ? "folder" : "folders");
    w->first = false;
}

static void stop(watch *w)
{
    w->over = true;
    uv_stop(&w->loop);
}

static void end_passes(watch *w)
{
    size_t urgent, busy = watch_set_busy(w->set, &urgent);
    buf b = { 0 };
    if (w->pass.saved.count && urgent == 0) {
        end_save(w, &b);
        pass_clear(w);
    }
    if (w->first && busy == 0) {
        pass_begin(w);
        end_first(w, &b);
        pass_clear(w);
        if (w->o->once)
            stop(w);
    }
    print(w, &b);
    buf_free(&b);
    if (w->over)
        stop(w);
}

/* ---- results ---- */

static bool watch_folders(watch *w, const looked *l)
{
    err e = { 0 };
    for (size_t i = 0; i < l->count; i++)
        if (!watch_files_add(w->files, files_folder(l->at[i].path), &e)) {
            cli_complain(&e);
            err_clear(&e);
            return false;
        }
    return true;
}

/* Names that are taken outlive the result they belong to. */
static void save(watch *w, judged *now)
{
    size_t before = w->taken.count;
    judge_save(w->o, &w->taken, now);
    for (size_t i = before; i < w->taken.count; i++)
        w->taken.at[i] = arena_str(w->pass.memory, w->taken.at[i]);
}

static report_before before_of(const watched *x)
{
    report_before b = { .known = x->now.last.known, .verdict = x->now.last.verdict };
    memcpy(b.properties, x->now.last.properties, sizeof b.properties);
    return b;
}

static void tell(watch *w, const watched *x, judged *now)
{
    report_before before = before_of(x);
    buf b = { 0 };
    if (report_has_changed(&before, &now->result)) {
        w->pass.changed += x->urgent;
        if (now->result.verdict == VERDICT_FAIL)
            save(w, now);
        report_item item = { .result = &now->result, .files = now->files };
        if (now->result.error.class_ != ERR_NONE)
            add_error(w, &now->result, &b);
        else if (w->style.verbose)
            report_text(&item, &w->style, &b);
        else
            report_changed(&before, &item, &w->style, &b);
    }
    print(w, &b);
    buf_free(&b);
}

/* Nothing was searched: a result that is known holds. */
static void take_same(watch *w, watched *x)
{
    w->pass.same++;
    w->pass.tried += x->tried;
    if (x->same == &x->now)
        return;
    report_before before = before_of(x);
    watched_take_back(x);
    outcome o = { .path = x->path, .verdict = x->now.last.verdict };
    for (int p = 0; p < PROPERTY_COUNT; p++)
        o.properties[p].outcome = x->now.last.properties[p];
    if (!report_has_changed(&before, &o))
        return;
    buf b = { 0 };
    w->pass.changed += x->urgent;
    report_changed(&before, &(report_item){ .result = &o }, &w->style, &b);
    print(w, &b);
    buf_free(&b);
}

static void take_result(watch *w, watched *x, judged *now)
{
    const outcome *o = &now->result;
    tell(w, x, now);
    known_result k = { .last = { .known = true, .verdict = o->verdict, .status = now->status }, .looked = now->looked, .trials = now->trials,
                       .work = 1 + o->search.transitions + o->search.executions + o->search.client_runs };
    for (int p = 0; p < PROPERTY_COUNT; p++)
        k.last.properties[p] = o->properties[p].outcome;
    now->looked = (looked){ 0 };
    now->trials = NULL;
    watched_know(x, k);
    watch_folders(w, &x->now.looked);
    judged_free(now);
}

static void on_ready(uv_async_t *handle)
{
    watch *w = handle->data;
    judged now;
    for (watched *x; !w->over && (x = watch_set_take(w->set, &now)) != NULL;) {
        pass_begin(w);
        w->pass.run += x->urgent;
        if (x->same)
            take_same(w, x);
        else
            take_result(w, x, &now);
        x->urgent = false;
    }
    end_passes(w);
}

/* Called by the threads. */
static void notify(void *context)
{
    watch *w = context;
    uv_async_send(&w->ready);
}

/* ---- what there is to run ---- */

/* Every folder below `folder`, for new scenarios may come there. */
static bool watch_below(watch *w, str folder, err *e)
{
    file_list below = { 0 };
    arena *a = arena_new();
    bool ok = files_folders(a, folder, &below, e);
    for (size_t i = 0; i < below.count && ok; i++)
        ok = watch_files_add(w->files, below.paths[i], e);
    arena_free(a);
    return ok;
}

static void note_saved(watch *w, str path)
{
    pass_begin(w);
    for (size_t i = 0; i < w->pass.saved.count; i++)
        if (str_eq(w->pass.saved.paths[i], path))
            return;
    files_add(w->pass.memory, &w->pass.saved, arena_str(w->pass.memory, path));
}

/* Adds what is new, and tells of what is gone, below the folders that were named. */
static void look_for_scenarios(watch *w, bool urgent)
{
    arena *a = arena_new();
    file_list files = { 0 };
    for (size_t i = 0; i < w->o->argument_count; i++) {
        err e = { 0 };
        if (!files_expand(a, str_from(w->o->arguments[i]), files_is_scenario, &files, &e) && !files_is_folder(w->o->arguments[i]))
            files_add(a, &files, str_from(w->o->arguments[i]));            /* its result will be the error */
        err_clear(&e);
        if (files_is_folder(w->o->arguments[i]))
            watch_below(w, str_from(w->o->arguments[i]), &e);
        err_clear(&e);
    }
    buf b = { 0 };
    for (size_t i = watch_set_count(w->set); i-- > 0;) {
        watched *x = watch_set_get(w->set, i);
        size_t k = 0;
        while (k < files.count && !str_eq(files.paths[k], x->path))
            k++;
        if (k < files.count)
            continue;
        watch_set_settle(w->set, x);
        buf_addz(&b, "GONE  ");
        clean_text(&b, x->path);
        buf_byte(&b, '\n');
        watch_set_remove(w->set, x);
    }
    print(w, &b);
    buf_free(&b);
    for (size_t i = 0; i < files.count; i++) {
        if (watch_set_find(w->set, files.paths[i]))
            continue;
        watch_set_ask(w->set, watch_set_add(w->set, files.paths[i]), urgent);
        if (urgent)
            note_saved(w, files.paths[i]);
    }
    arena_free(a);
}

/* ---- what was saved ---- */

static bool is_below_arguments(const watch *w, str path)
{
    for (size_t i = 0; i < w->o->argument_count; i++)
        if (str_starts(path, str_from(w->o->arguments[i])))
            return true;
    return false;
}

/* Could a scenario have come there, or gone? Those that are known, and files that they load, are only run again. */
static bool concerns_folders(watch *w, str path)
{
    if (!is_below_arguments(w, path))
        return false;
    file_print print = file_print_now(path);
    if (print == file_print_folder(true) || print == file_print_folder(false))
        return true;
    bool known = watch_set_find(w->set, path) != NULL;
    for (size_t i = 0; i < watch_set_count(w->set) && !known; i++)
        known = looked_touches(&watch_set_get(w->set, i)->now.looked, path);
    return !known && str_ends(path, S(".lua"));
}

static void set_broken(watch *w, str path, bool broken)
{
    size_t i = 0;
    while (i < w->broken.count && !str_eq(w->broken.paths[i], path))
        i++;
    if (broken && i == w->broken.count)
        files_add(w->memory, &w->broken, arena_str(w->memory, path));
    else if (!broken && i < w->broken.count)
        w->broken.paths[i] = w->broken.paths[--w->broken.count];
}

/* Is it Lua as far as it goes? A file that is saved half-way would break every scenario that reads it, all in the same way: it is told once,
 * and the results of before stay. What is no Lua file, or not there, is left to the scenarios. */
static bool parses(watch *w, str path)
{
    arena *a = arena_new();
    redis *r = redis_new((redis_limits){ 0 });
    err e = { 0 };
    str text, why;
    bool ok = !str_ends(path, S(".lua")) || !files_read(a, path, &text, &e) || redis_load_script(r, text, a, &why);
    err_clear(&e);
    if (!ok) {
        buf b = { 0 };
        size_t at = str_find(why, ':', str_find(why, ':', 0) + 1) + 1, end = str_find(why, ':', at);       /* "...: user_script:7: text" */
        int line = atoi(arena_str(a, str_slice(why, at, end)).p);
        err_at(&e, ERR_SCENARIO, path, line, 0, "%.*s", STR_ARG(str_slice(why, end + 2, why.n)));
        err_quote(&e, text);
        err_hint(&e, "nothing is run again before it is saved once more");
        report_add_verdict(&b, &w->style, VERDICT_ERROR);
        clean_text(&b, path);
        buf_byte(&b, '\n');
        report_error(&(outcome){ .error = e }, &b);
        print(w, &b);
        buf_free(&b);
        err_clear(&e);
    }
    set_broken(w, path, !ok);
    redis_free(r);
    arena_free(a);
    return ok;
}

static bool is_affected(watch *w, str path)
{
    for (size_t i = 0; i < watch_set_count(w->set); i++)
        if (looked_differs(&watch_set_get(w->set, i)->now.looked, path) || str_eq(watch_set_get(w->set, i)->path, path))
            return true;
    for (size_t i = 0; i < w->broken.count; i++)
        if (str_eq(w->broken.paths[i], path))
            return true;
    return false;
}

/* Runs what it may change; is there anything? */
static bool ask_for(watch *w, str path)
{
    bool any = false;
    for (size_t i = 0; i < watch_set_count(w->set); i++) {
        watched *x = watch_set_get(w->set, i);
        bool differs = x->now.looked.count ? looked_differs(&x->now.looked, path) : x->state != WATCHED_IDLE;
        if (differs)
            watch_set_ask(w->set, x, x->now.looked.count > 0);
        any = any || (differs && x->now.looked.count > 0);
    }
    return any;
}

static void on_changed(void *context, const str *paths, size_t count)
{
    watch *w = context;
    bool look = false;
    for (size_t i = 0; i < count; i++)
        look = look || concerns_folders(w, paths[i]);
    if (look)
        look_for_scenarios(w, !w->first);
    for (size_t i = 0; i < count; i++)
        if (is_affected(w, paths[i]) && parses(w, paths[i]) && ask_for(w, paths[i]))
            note_saved(w, paths[i]);
    end_passes(w);
}

/* ---- the command ---- */

static void on_signal(uv_signal_t *s, int number)
{
    (void)number;
    stop(s->data);
}

static void open_loop(watch *w)
{
    static const int numbers[COUNT(w->signals)] = { SIGINT, SIGTERM };
    uv_loop_init(&w->loop);
    uv_async_init(&w->loop, &w->ready, on_ready);
    w->ready.data = w;
    w->files = watch_files_new(&w->loop, on_changed, w);
    for (size_t i = 0; i < COUNT(w->signals); i++) {
        uv_signal_init(&w->loop, &w->signals[i]);
        w->signals[i].data = w;
        uv_signal_start(&w->signals[i], on_signal, numbers[i]);
    }
}

static void close_loop(watch *w)
{
    /* One Ctrl-C may come as two signals. Without its handles the second one would end the program before its status is told. */
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    watch_files_free(w->files);
    uv_close((uv_handle_t *)&w->ready, NULL);
    for (size_t i = 0; i < COUNT(w->signals); i++)
        uv_close((uv_handle_t *)&w->signals[i], NULL);
    uv_run(&w->loop, UV_RUN_DEFAULT);
    uv_loop_close(&w->loop);
}

static bool watch_arguments(watch *w, err *e)
{
    for (size_t i = 0; i < w->o->argument_count; i++) {
        str path = str_from(w->o->arguments[i]);
        if (file_print_now(path) == 0) {
            err_at(e, ERR_SCENARIO, path, 0, 0, "cannot open: no such file or folder, or not to be read");
            return err_hint(e, "what is watched must be there at the start; it may go and come back later");
        }
        bool ok = files_is_folder(w->o->arguments[i]) ? watch_below(w, path, e) : watch_files_add(w->files, files_folder(path), e);
        if (!ok)
            return false;
    }
    return true;
}

/* As that of a run over all of them; what has no result yet is inconclusive. */
static int status_of(watch *w)
{
    int status = w->deaf ? STATUS_BUG : w->broken.count ? STATUS_SCENARIO : STATUS_PASS;
    for (size_t i = 0; i < watch_set_count(w->set); i++) {
        const last_result *r = &watch_set_get(w->set, i)->now.last;
        status = status_worse(status, r->known ? r->status : STATUS_INCONCLUSIVE);
    }
    return status;
}

static int watch_all(watch *w)
{
    err e = { 0 };
    int status = STATUS_PASS;
    w->set = watch_set_new(w->o, notify, w);
    open_loop(w);                  /* its signals are heard instead of the ones that searches by themselves listen to */
    if (!w->set)
        err_set(&e, ERR_USAGE, "the system gives no thread to search in");
    else if (watch_arguments(w, &e)) {
        pass_begin(w);
        look_for_scenarios(w, false);
        end_passes(w);
        if (!w->over)
            uv_run(&w->loop, UV_RUN_DEFAULT);
        status = status_of(w);
    }
    if (e.class_ != ERR_NONE)
        status = cli_complain(&e);
    err_clear(&e);
    if (w->set)
        watch_set_free(w->set);
    close_loop(w);
    pass_clear(w);
    mem_free(w->taken.at);
    return status;
}

int cli_watch(const options *o)
{
    static const char *here[] = { "." }, *scenarios[] = { "scenarios" };
    options with = *o;
    with.watching = true;
    if (o->argument_count == 0) {
        with.arguments = files_is_folder(scenarios[0]) ? scenarios : here;
        with.argument_count = 1;
    }
    watch w = { .o = &with, .first = true, .memory = arena_new(),
                .style = { .verbose = o->verbose, .timing = o->timing || isatty(STDOUT_FILENO), .program = o->program,
                           .color = cli_wants_color(o->color) } };
    int status = watch_all(&w);
    arena_free(w.memory);
    return status;
}
