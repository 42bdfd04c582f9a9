/* lint.c - `locksim lint`: findings about scripts and drivers without running them. The rules are Lua, in
 * sim/source/lint*.lua. */
#include "lint/lint.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "host/print.h"
#include "judge/judge.h"
#include "redis/redis.h"
#include "report/fold.h"
#include "report/lint.h"
#include "source/host.h"

typedef struct {
    const options *o;
    arena *a;
    source_host *host;
    str commands, keys, args;
    lint_finding *at;
    size_t count, cap, files, clients;
    bool ignored[LINT_CODES];
} linting;

/* An unknown code is an error. */
static bool read_ignored(linting *l, err *e)
{
    for (size_t i = 0; i < l->o->ignored_count; i++)
        for (str rest = str_from(l->o->ignored[i]); rest.n > 0;) {
            size_t end = str_find(rest, ',', 0);
            str word = str_slice(rest, 0, end);
            const lint_code *c = lint_code_find(word);
            if (!c) {
                err_set(e, ERR_USAGE, "--ignore: there is no finding '%.*s'", STR_ARG(word));
                return err_hint(e, "`locksim lint --help` lists the codes");
            }
            l->ignored[c - lint_codes] = true;
            rest = str_slice(rest, end < rest.n ? end + 1 : end, rest.n);
        }
    return true;
}

static bool is_left_out(const linting *l, str code, bool error)
{
    const lint_code *c = lint_code_find(code);
    return (c && l->ignored[c - lint_codes]) || (l->o->least_severity == LINT_ERROR && !error);
}

static void add_row(linting *l, str path, str text, const source_row *row)
{
    const str *f = row->field;
    if (is_left_out(l, f[3], str_eq(f[4], S("error"))))
        return;
    MEM_RESERVE(l->at, l->cap, l->count + 1);
    l->at[l->count++] = (lint_finding){
        .path = path, .text = text, .line = atoi(f[0].p), .col = atoi(f[1].p), .end_col = atoi(f[2].p), .code = f[3],
        .error = str_eq(f[4], S("error")), .message = f[5], .hint = f[6],
    };
}

/* Drivers and scenarios are no scripts; they may hold some. */
static bool is_script(linting *l, str path, str text, bool *is, err *e)
{
    source_rows rows;
    str in[] = { path, text };
    if (!source_host_run(l->host, l->a, "lint", "is_script", in, COUNT(in), &rows, e))
        return false;
    *is = str_eq(rows.row[0].field[0], S("true"));
    return true;
}

/* `text`: the file's, for quotations; `script`: the text to check, with the same positions. */
static bool lint_script(linting *l, str path, str text, str script, err *e)
{
    source_rows rows;
    str in[] = { path, script, l->commands, l->keys, l->args };
    if (!source_host_run(l->host, l->a, "lint", "check", in, COUNT(in), &rows, e))
        return false;
    l->files++;
    for (size_t i = 0; i < rows.count; i++)
        add_row(l, path, text, &rows.row[i]);
    return true;
}

static bool lint_file(linting *l, str path, bool by_name, err *e)
{
    str text;
    bool is;
    if (!files_read(l->a, path, &text, e) || !is_script(l, path, text, &is, e))
        return false;
    if (is)
        return lint_script(l, path, text, text, e);
    source_rows texts, clients;
    str in[] = { path, text };
    if (!source_host_run(l->host, l->a, "lint", "clients", in, COUNT(in), &clients, e))
        return false;
    bool client = str_eq(clients.row[0].field[0], S("true"));
    l->clients += client;
    for (size_t i = 1; i < clients.count; i++)
        add_row(l, path, text, &clients.row[i]);
    if (!source_host_run(l->host, l->a, "lint", "texts", in, COUNT(in), &texts, e))
        return false;
    for (size_t i = 0; i < texts.count; i++)
        if (!lint_script(l, path, text, texts.row[i].field[0], e))
            return false;
    return texts.count > 0 || client || !by_name || lint_script(l, path, text, text, e);
}

/* The position of a finding in the patched text, in the scenario or in the original. */
static void tell_origin(lint_finding *f, const patched_file *p)
{
    if (f->line < 1 || (size_t)f->line > p->changed.lines)
        return;
    const line_origin *o = &p->changed.origins[f->line - 1];
    int shift = o->ours && p->changed.diffed;
    f->line = o->line;
    f->col += shift;
    f->end_col += shift;
    f->path = o->ours ? p->file : p->path;
    f->text = o->ours ? p->text : p->original;
}

/* The scripts that the scenario has patched. */
static bool lint_patched(linting *l, str name, err *e)
{
    patched_file *files;
    size_t count;
    if (!judge_patched(l->a, l->o, name, &files, &count, e))
        return false;
    for (size_t i = 0; i < count; i++) {
        bool is;
        size_t before = l->count;
        str text = files[i].changed.text;
        if (!is_script(l, files[i].name, text, &is, e) || (is && !lint_script(l, files[i].name, text, text, e)))
            return false;
        for (size_t k = before; k < l->count; k++)
            tell_origin(&l->at[k], &files[i]);
    }
    return true;
}

/* FILE:CASE or FILE:PATTERN */
static int lint_cases(linting *l, str argument)
{
    err e = { 0 };
    int status = STATUS_PASS;
    file_list names = { 0 };
    size_t before = l->files;
    if (!names_expand(l->a, l->o, argument, NULL, &names, &e))
        status = print_complaint(&e);
    for (size_t i = 0; i < names.count; i++) {
        err_clear(&e);
        if (!lint_patched(l, names.paths[i], &e))
            status = status_worse(status, print_complaint(&e));
    }
    err_clear(&e);
    if (status == STATUS_PASS && l->files == before) {
        err_at(&e, ERR_SCENARIO, argument, 0, 0, "patches no script");
        err_hint(&e, "of a scenario the scripts are looked at that it has patched; name other scripts by their files");
        status = print_complaint(&e);
        err_clear(&e);
    }
    return status;
}

/* One argument; an unreadable file is reported, and the rest is checked. */
static int lint_argument(linting *l, str argument)
{
    err e = { 0 };
    int status = STATUS_PASS;
    file_list files = { 0 };
    if (names_split(argument).case_.n)
        return lint_cases(l, argument);
    bool by_name = !files_is_folder(arena_str(l->a, argument).p);
    size_t before = l->files + l->clients;
    if (!files_expand_all(l->a, argument, &files, &e))
        status = print_complaint(&e);
    for (size_t i = 0; i < files.count; i++) {
        err_clear(&e);
        if (!lint_file(l, files.paths[i], by_name, &e))
            status = status_worse(status, print_complaint(&e));
    }
    err_clear(&e);
    if (status == STATUS_PASS && l->files + l->clients == before) {
        err_at(&e, ERR_SCENARIO, argument, 0, 0, "no script or driver lies below this folder");
        err_hint(&e, "a .lua file counts if it uses KEYS, ARGV or redis as globals; name a file to have it looked at "
                 "in any case");
        status = print_complaint(&e);
        err_clear(&e);
    }
    return status;
}

static int status_of(const linting *l)
{
    int status = STATUS_PASS;
    for (size_t i = 0; i < l->count; i++)
        status = status_worse(status, str_eq(l->at[i].code, S("LS001")) ? STATUS_SCENARIO : STATUS_VIOLATED);
    return status;
}

static bool print(const linting *l)
{
    static void (*const write[])(const lint_result *, buf *) = {
        [LINT_TEXT] = lint_text, [LINT_JSON] = lint_json, [LINT_SARIF] = lint_sarif, [LINT_GITHUB] = lint_github,
    };
    lint_result r = { .at = l->at, .count = l->count, .files = l->files, .clients = l->clients,
                      .colour = print_wants_color(l->o->color) };
    buf out = { 0 };
    write[l->o->format](&r, &out);
    if (l->o->format == LINT_TEXT)
        fold_lines(&out, 0, print_width(STDOUT_FILENO));
    bool ok = print_out(&out);
    buf_free(&out);
    return ok;
}

int lint_main(const options *o)
{
    err e = { 0 };
    arena *a = arena_new();
    linting l = { .o = o, .a = a, .host = source_host_new(&e), .keys = S(""), .args = S("") };
    buf commands = { 0 };
    int status = STATUS_PASS;
    if (!l.host || !read_ignored(&l, &e)) {
        status = print_complaint(&e);
    } else {
        redis_tell_commands(&commands);
        l.commands = buf_str(&commands);
        if (o->has_lint_keys)
            l.keys = arena_printf(a, "%llu", (unsigned long long)o->lint_keys);
        if (o->has_lint_args)
            l.args = arena_printf(a, "%llu", (unsigned long long)o->lint_args);
        for (size_t i = 0; i < o->argument_count; i++)
            status = status_worse(status, lint_argument(&l, str_from(o->arguments[i])));
        status = status_worse(status, status_of(&l));
        if (!print(&l))
            status = STATUS_IO;
    }
    source_host_free(l.host);
    mem_free(l.at);
    buf_free(&commands);
    err_clear(&e);
    arena_free(a);
    return status;
}
