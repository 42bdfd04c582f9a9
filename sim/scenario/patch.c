/* patch.c - see patch.h. */
#include "scenario/patch.h"

#include <string.h>

#include "base/buf.h"

typedef struct {
    str *at;
    size_t count;
} line_list;

static line_list split(arena *a, str text)
{
    line_list l = { .count = 0 };
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    l.at = ARENA_ARRAY(a, str, n);
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        l.at[l.count++] = str_slice(text, from, end);
        from = end + 1;
    }
    return l;
}

typedef struct {
    const patch *p;
    str path;
    line_list old, diff;
    size_t taken;          /* lines of the original that are written */
    buf text;
    patched *out;
    err *e;
} patching;

static int place(const patching *x, size_t diff_line)
{
    return x->p->line + (x->p->laid_out ? (int)diff_line : 0);
}

static bool wrong(patching *x, size_t diff_line, const char *what)
{
    return err_at(x->e, ERR_SCENARIO, x->p->file, place(x, diff_line), 0, "the patch of %.*s %s", STR_ARG(x->p->name),
                  what);
}

static bool is_header(str line)
{
    return str_starts(line, S("@@"));
}

/* Editors strip the blank of an unchanged line that is empty. */
static char sign_of(str line)
{
    return line.n == 0 ? ' ' : line.p[0];
}

static str rest_of(str line)
{
    return line.n == 0 ? line : str_slice(line, 1, line.n);
}

static void put(patching *x, str line, bool ours, int at)
{
    buf_add(&x->text, line);
    buf_byte(&x->text, '\n');
    x->out->origins[x->out->lines++] = (line_origin){ .ours = ours, .line = at };
}

static void copy_up_to(patching *x, size_t line)
{
    for (; x->taken < line; x->taken++)
        put(x, x->old.at[x->taken], false, (int)x->taken + 1);
}

/* Are the hunk's old lines, diff[from .. end), in the original from `at` on? */
static bool stands(const patching *x, size_t from, size_t end, size_t at)
{
    for (size_t i = from; i < end; i++) {
        if (sign_of(x->diff.at[i]) == '+' || sign_of(x->diff.at[i]) == '\\')
            continue;
        if (at >= x->old.count || !str_eq(x->old.at[at++], rest_of(x->diff.at[i])))
            return false;
    }
    return true;
}

/* Reports which line is missing, or that the lines are no longer adjacent. */
static bool say_moved(patching *x, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        bool found = sign_of(x->diff.at[i]) == '+' || sign_of(x->diff.at[i]) == '\\';
        for (size_t k = x->taken; k < x->old.count && !found; k++)
            found = str_eq(x->old.at[k], rest_of(x->diff.at[i]));
        if (!found) {
            err_at(x->e, ERR_SCENARIO, x->p->file, place(x, i), 0, "the patch of %.*s: the original has moved, %.*s "
                   "has no such line%s: \"%.*s\"",
                   STR_ARG(x->p->name), STR_ARG(x->path), x->taken ? " behind the hunk before" : "",
                   STR_ARG(rest_of(x->diff.at[i])));
            return err_hint(x->e, "write the patch against the file as it is now");
        }
    }
    err_at(x->e, ERR_SCENARIO, x->p->file, place(x, from), 0, "the patch of %.*s: the original has moved, in %.*s "
           "these lines are not beside each other",
           STR_ARG(x->p->name), STR_ARG(x->path));
    return err_hint(x->e, "write the patch against the file as it is now");
}

static bool find_place(patching *x, size_t from, size_t end, size_t *at)
{
    size_t found = 0;
    for (size_t k = x->taken; k < x->old.count; k++)
        if (stands(x, from, end, k)) {
            *at = found++ ? *at : k;
        }
    if (found == 1)
        return true;
    if (found == 0)
        return say_moved(x, from, end);
    err_at(x->e, ERR_SCENARIO, x->p->file, place(x, from), 0, "the patch of %.*s: these lines stand in %zu places of "
           "%.*s", STR_ARG(x->p->name), found,
           STR_ARG(x->path));
    return err_hint(x->e, "put more unchanged lines around the change");
}

static bool check_hunk(patching *x, size_t from, size_t end)
{
    size_t old = 0, changed = 0;
    for (size_t i = from; i < end; i++) {
        char sign = sign_of(x->diff.at[i]);
        if (sign != ' ' && sign != '-' && sign != '+' && sign != '\\')
            return wrong(x, i, "has a line that begins with none of blank, - and +");
        old += sign == ' ' || sign == '-';
        changed += sign == '-' || sign == '+';
    }
    if (changed == 0)
        return wrong(x, from, "has a hunk that changes nothing");
    return old > 0 || wrong(x, from, "has a hunk without an unchanged or removed line: it is unknown where it belongs");
}

static bool apply_hunk(patching *x, size_t from, size_t end)
{
    size_t at = 0;
    if (!check_hunk(x, from, end) || !find_place(x, from, end, &at))
        return false;
    copy_up_to(x, at);
    for (size_t i = from; i < end; i++) {
        char sign = sign_of(x->diff.at[i]);
        if (sign == '+')
            put(x, rest_of(x->diff.at[i]), true, place(x, i));
        else if (sign == ' ')
            copy_up_to(x, x->taken + 1);
        else
            x->taken += sign == '-';
    }
    return true;
}

static bool has_hunk(const patching *x)
{
    bool has = false;
    for (size_t i = 0; i < x->diff.count && !has; i++)
        has = is_header(x->diff.at[i]);
    return has;
}

/* "--- a/x.lua" and "+++ b/x.lua" may stand before the first hunk, as `diff -u` writes them. */
static size_t skip_names(const patching *x)
{
    size_t i = 0;
    while (i < x->diff.count && (str_starts(x->diff.at[i], S("--- ")) || str_starts(x->diff.at[i], S("+++ "))))
        i++;
    return i;
}

bool patch_apply(arena *a, const patch *p, str path, str original, patched *out, err *e)
{
    patching x = { .p = p, .path = path, .old = split(a, original), .diff = split(a, p->diff), .out = out, .e = e };
    *out = (patched){ .origins = ARENA_ARRAY(a, line_origin, x.old.count + x.diff.count + 1) };
    size_t i = skip_names(&x);
    bool ok = true;
    out->diffed = has_hunk(&x);
    if (!out->diffed) {
        for (i = 0; i < x.diff.count; i++)
            put(&x, x.diff.at[i], true, place(&x, i));
        x.taken = x.old.count;
    } else if (!is_header(x.diff.at[i])) {
        ok = wrong(&x, i, "is no unified diff: its first hunk begins with a line @@");
    }
    while (ok && i < x.diff.count) {
        size_t end = i + 1;
        while (end < x.diff.count && !is_header(x.diff.at[end]))
            end++;
        ok = apply_hunk(&x, i + 1, end);
        i = end;
    }
    if (ok) {
        copy_up_to(&x, x.old.count);
        out->text = arena_str(a, buf_str(&x.text));
    }
    buf_free(&x.text);
    return ok;
}
