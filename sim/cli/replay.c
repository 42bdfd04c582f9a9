/* replay.c - `locksim replay`: a saved counterexample again, every step told; where it no longer fits, it says at which
 * step. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/drive.h"
#include "cli/replay_to.h"
#include "judge/judge.h"
#include "report/clean.h"

/* Where line `n` (1-based) of the schedule stands in the file: the line of its string. 0 if it is not found. */
static int line_of_step(str text, size_t n)
{
    size_t at = 0, seen = 0;
    int line = 0;
    bool inside = false;
    while (at < text.n) {
        size_t end = str_find(text, '\n', at), from = at;
        line++;
        while (from < end && (text.p[from] == ' ' || text.p[from] == '\t'))
            from++;
        str trimmed = str_slice(text, from, end);
        if (!inside)
            inside = str_starts(trimmed, S("schedule"));
        else if (trimmed.n && trimmed.p[0] == '"' && ++seen == n)
            return line;
        at = end + 1;
    }
    return 0;
}

/* The schedule without the step at `n` (0-based). Steps stand on lines of their own. */
static str without_step(arena *a, str schedule, size_t n, str *left_out)
{
    buf b = { 0 };
    size_t i = 0;
    for (size_t from = 0; from < schedule.n; i++) {
        size_t end = str_find(schedule, '\n', from);
        if (i == n)
            *left_out = str_slice(schedule, from, end);
        else {
            if (b.n)
                buf_byte(&b, '\n');
            buf_add(&b, str_slice(schedule, from, end));
        }
        from = end + 1;
    }
    str out = arena_str(a, buf_str(&b));
    buf_free(&b);
    return out;
}

/* For a way that broke nothing when it was saved: the property that it breaks now; PROPERTY_COUNT: still none. */
static property first_broken(const outcome *result)
{
    size_t p = 0;
    while (p < PROPERTY_COUNT && result->properties[p].outcome != OUTCOME_VIOLATED)
        p++;
    return (property)p;
}

static int status_of(const outcome *result, property p)
{
    if (result->verdict == VERDICT_ERROR)
        return judge_status(result);
    if (p == PROPERTY_COUNT)
        return STATUS_PASS;
    property_outcome now = result->properties[p].outcome;
    return now == OUTCOME_VIOLATED ? STATUS_VIOLATED : now == OUTCOME_HOLDS ? STATUS_PASS : STATUS_INCONCLUSIVE;
}

int replay_report(const options *o, const outcome *result, str file, property p)
{
    report_style style = { .verbose = o->verbose, .width = print_width(STDOUT_FILENO),
                           .color = o->format == FORMAT_TEXT && print_wants_color(o->color) };
    report_item item = { .result = result };
    p = p == PROPERTY_COUNT ? first_broken(result) : p;
    int status = status_of(result, p);
    buf b = { 0 };
    if (o->format == FORMAT_TEXT)
        report_text_replay(&item, file, p, &style, &b);
    else if (o->format == FORMAT_JSON)
        report_json(&item, 1, status, &style, &b);
    else
        report_junit(&item, 1, &style, &b);
    if (!print_out(&b))
        status = status_worse(status, STATUS_IO);
    buf_free(&b);
    return status;
}

/* Names the step in the file, together with the search's message. */
static void locate(outcome *result, str file, str text, size_t at)
{
    err located = { 0 };
    err_at(&located, result->error.class_, file, line_of_step(text, at + 1), 0, "step %zu no longer fits: %.*s", at + 1,
           STR_ARG(buf_str(&result->error.message)));
    err_quote(&located, text);
    err_hint(&located, "%.*s%s--carry-on leaves such steps out and goes on", STR_ARG(buf_str(&result->error.hint)),
             result->error.hint.n ? "; " : "");
    err_clear(&result->error);
    result->error = located;
}

static int replay(arena *a, const options *o, str file, err *e)
{
    str text;
    saved s;
    scenario sc;
    if (!files_read(a, file, &text, e) || !saved_parse(a, file, text, &s, e))
        return print_complaint(e);
    if (s.client_count && o->to) {
        err_at(e, ERR_USAGE, file, 0, 0, "this is a story of real programs: --to plays what drivers of a scenario "
               "send");
        return print_complaint(e);
    }
    if (s.client_count)
        return drive_replay(o, file, &s);
    options with = *o;                             /* --scripts given now come before those of the run */
    with.scripts = ARENA_ARRAY(a, const char *, o->script_count + s.script_count + 1);
    for (size_t i = 0; i < o->script_count; i++)
        with.scripts[i] = o->scripts[i];
    with.script_count = o->script_count;
    for (size_t i = 0; i < s.script_count; i++)
        with.scripts[with.script_count++] = files_tidy(a, files_join(a, files_folder(file), s.scripts[i])).p;
    search_path where = search_path_new(a, &with);
    if (!judge_load(a, &where, names_tidy(a, files_join(a, files_folder(file), s.scenario)), s.by, &sc, e))
        return print_complaint(e);
    loader l = search_path_loader(&where);
    search_options so = { .seed = s.seed, .max_steps = o->has_max_steps ? o->max_steps : s.max_steps,
                          .claim = s.property < PROPERTY_COUNT ? &s.property : NULL };
    outcome result = { 0 };
    size_t left_out = 0;
    for (;;) {
        search_replay(a, &sc, &l, &so, s.schedule, &result);
        size_t at = result.items;
        bool fits = result.verdict != VERDICT_ERROR || result.error.class_ != ERR_SCENARIO || at + left_out >= s.steps;
        if (fits)
            break;
        if (!o->carry_on) {
            locate(&result, file, text, at);
            break;
        }
        str gone = { 0 };
        s.schedule = without_step(a, s.schedule, at, &gone);
        fprintf(stderr, "left out, it no longer fits: %.*s\n", STR_ARG(clean_copy(a, gone)));
        left_out++;
        err_clear(&result.error);
    }
    bool told = result.verdict != VERDICT_ERROR;
    int status = o->to && told ? replay_to(o, file, &result.run) : replay_report(o, &result, file, s.property);
    err_clear(&result.error);
    return status;
}

/* Options for a server make no sense without one: an error. */
static int needs_server(const options *o)
{
    err e = { 0 };
    err_set(&e, ERR_USAGE, "--%s says how a story is played to a server", o->fast ? "fast" : "among-data");
    err_hint(&e, "name it by --to HOST:PORT");
    int status = print_complaint(&e);
    err_clear(&e);
    return status;
}

int replay_main(const options *o)
{
    if (!o->to && (o->fast || o->among_data))
        return needs_server(o);
    arena *a = arena_new();
    err e = { 0 };
    progress_board board;
    progress p;
    str file = str_from(o->arguments[0]);
    progress_begin(&board);
    progress_scenario(&p, &board, file, 1, 1);
    int status = replay(a, o, file, &e);
    err_clear(&e);
    arena_free(a);
    return status;
}
