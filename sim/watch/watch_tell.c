/* watch_tell.c - what `locksim watch` prints: results that are not what they were, and a line for each save. See
 * watch_internal.h. */
#include <string.h>

#include "base/mem.h"
#include "report/clean.h"
#include "watch/watch_internal.h"

void watch_print(watch *w, buf *b)
{
    if (!w->deaf && !print_out(b))
        w->deaf = w->over = true;
    buf_clear(b);
}

/* ---- passes ---- */

void watch_pass_begin(watch *w)
{
    if (w->pass.open)
        return;
    w->pass = (pass){ .open = true, .begin_ms = uv_hrtime() / 1000000, .memory = arena_new() };
}

void watch_pass_clear(watch *w)
{
    arena_free(w->pass.memory);
    mem_free(w->pass.errors);
    w->pass = (pass){ 0 };
    w->taken.count = 0;
}

void watch_note_saved(watch *w, str path)
{
    watch_pass_begin(w);
    for (size_t i = 0; i < w->pass.saved.count; i++)
        if (str_eq(w->pass.saved.paths[i], path))
            return;
    files_add(w->pass.memory, &w->pass.saved, arena_str(w->pass.memory, path));
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
        buf_printf(out, "   %llu.%02llu s", (unsigned long long)(took_ms / 1000),
                   (unsigned long long)(took_ms % 1000 / 10));
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

void watch_stop(watch *w)
{
    w->over = true;
    uv_stop(&w->loop);
}

void watch_end_passes(watch *w)
{
    size_t urgent, busy = watch_set_busy(w->set, &urgent);
    buf b = { 0 };
    if (w->pass.saved.count && urgent == 0) {
        end_save(w, &b);
        watch_pass_clear(w);
    }
    if (w->first && busy == 0) {
        watch_pass_begin(w);
        end_first(w, &b);
        watch_pass_clear(w);
        if (w->o->once)
            watch_stop(w);
    }
    watch_print(w, &b);
    buf_free(&b);
    if (w->over)
        watch_stop(w);
}

/* ---- results ---- */

static bool watch_folders(watch *w, const looked *l)
{
    err e = { 0 };
    for (size_t i = 0; i < l->count; i++)
        if (!watch_files_add(w->files, files_folder(l->at[i].path), &e) || !watch_links_of(w, l->at[i].path, &e)) {
            print_complaint(&e);
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
    watch_print(w, &b);
    buf_free(&b);
}

/* Nothing was searched: a result that is known holds. */
void watch_take_same(watch *w, watched *x)
{
    w->pass.same++;
    w->pass.tried += x->tried;
    report_before before = before_of(x);
    bool as_before = x->same != &x->now;
    if (as_before)
        watched_take_back(x);
    watch_folders(w, &x->now.looked);  /* one that was gone may be back */
    if (!as_before)
        return;
    outcome o = { .path = x->path, .verdict = x->now.last.verdict };
    for (int p = 0; p < PROPERTY_COUNT; p++)
        o.properties[p].outcome = x->now.last.properties[p];
    if (!report_has_changed(&before, &o))
        return;
    buf b = { 0 };
    w->pass.changed += x->urgent;
    report_changed(&before, &(report_item){ .result = &o }, &w->style, &b);
    watch_print(w, &b);
    buf_free(&b);
}

void watch_take_result(watch *w, watched *x, judged *now)
{
    const outcome *o = &now->result;
    tell(w, x, now);
    known_result k = { .last = { .known = true, .verdict = o->verdict, .status = now->status }, .looked = now->looked,
                       .trials = now->trials,
                       .work = 1 + o->search.transitions + o->search.executions + o->search.client_runs +
                               o->search.client_repeats };
    for (int p = 0; p < PROPERTY_COUNT; p++)
        k.last.properties[p] = o->properties[p].outcome;
    now->looked = (looked){ 0 };
    now->trials = NULL;
    watched_know(x, k);
    watch_folders(w, &x->now.looked);
    judged_free(now);
}
