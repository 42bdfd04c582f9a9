/* lint.c - findings of `locksim lint` as text for people and as GitHub's workflow commands. */
#include "report/lint.h"

#include <string.h>

#include "report/clean.h"

enum { SHOWN_MAX = 160 };

static str line_of(str text, int line)
{
    size_t from = 0;
    for (int n = 1; n < line && from < text.n; n++)
        from = str_find(text, '\n', from) + 1;
    if (from > text.n)
        return S("");
    str s = str_slice(text, from, str_find(text, '\n', from));
    while (s.n && s.p[s.n - 1] == '\r')
        s.n--;
    return s;
}

/* The bytes before the caret as blanks, one for each column that the quoted line takes. */
static void add_caret(buf *out, str line, const lint_finding *f)
{
    buf before = { 0 };
    clean_text(&before, str_slice(line, 0, (size_t)(f->col - 1)));
    size_t width = clean_width(buf_str(&before));
    buf_addz(out, "        | ");
    for (size_t i = 0; i < width; i++)
        buf_byte(out, ' ');
    for (int col = f->col; col <= f->end_col && (size_t)col <= line.n + 1; col++)
        buf_byte(out, '^');
    buf_byte(out, '\n');
    buf_free(&before);
}

static void add_quote(buf *out, const lint_finding *f)
{
    str line = line_of(f->text, f->line);
    if ((size_t)f->col > SHOWN_MAX || line.n == 0 || (size_t)f->col > line.n + 1)
        return;
    lint_finding shown = *f;
    line = str_slice(line, 0, line.n < SHOWN_MAX ? line.n : SHOWN_MAX);
    if ((size_t)shown.end_col > line.n)
        shown.end_col = (int)line.n;
    if (shown.end_col < shown.col)
        shown.end_col = shown.col;
    buf_printf(out, "  %5d | ", f->line);
    clean_text(out, line);
    buf_byte(out, '\n');
    add_caret(out, line, &shown);
}

static void add_count(buf *out, size_t n, const char *what)
{
    buf_printf(out, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

void lint_text(const lint_result *r, buf *out)
{
    size_t errors = 0;
    for (size_t i = 0; i < r->count; i++) {
        const lint_finding *f = &r->at[i];
        errors += f->error;
        clean_text(out, f->path);
        buf_printf(out, ":%d:%d: ", f->line, f->col);
        if (r->colour)
            buf_addz(out, f->error ? "\x1b[31m" : "\x1b[33m");
        buf_printf(out, "%s[%.*s]", f->error ? "error" : "warning", STR_ARG(f->code));
        if (r->colour)
            buf_addz(out, "\x1b[0m");
        buf_addz(out, ": ");
        clean_text(out, f->message);
        buf_byte(out, '\n');
        add_quote(out, f);
        if (f->hint.n) {
            buf_addz(out, "  hint: ");
            clean_text(out, f->hint);
            buf_byte(out, '\n');
        }
    }
    if (r->files + r->clients == 0)
        return;                                    /* nothing could be read: that was complained of */
    if (r->files)
        add_count(out, r->files, "script");
    if (r->files && r->clients)
        buf_addz(out, ", ");
    if (r->clients)
        add_count(out, r->clients, "driver");
    if (r->count == 0) {
        buf_addz(out, ": nothing found\n");
        return;
    }
    buf_addz(out, ": ");
    add_count(out, errors, "error");
    buf_addz(out, ", ");
    add_count(out, r->count - errors, "warning");
    buf_printf(out, "                      locksim explain %.*s says more\n", STR_ARG(r->at[0].code));
}

void lint_github(const lint_result *r, buf *out)
{
    for (size_t i = 0; i < r->count; i++) {
        const lint_finding *f = &r->at[i];
        buf_printf(out, "::%s file=", f->error ? "error" : "warning");
        clean_annotation(out, f->path, true);
        buf_printf(out, ",line=%d,col=%d,endColumn=%d,title=%.*s::", f->line, f->col, f->end_col, STR_ARG(f->code));
        clean_annotation(out, f->message, false);
        if (f->hint.n) {
            buf_addz(out, "%0Ahint: ");
            clean_annotation(out, f->hint, false);
        }
        buf_byte(out, '\n');
    }
}
