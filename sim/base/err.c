/* err.c - see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static void vprint(buf *b, const char *format, va_list args)
{
    char text[4096];                               /* longer messages are cut: they quote hostile input */
    vsnprintf(text, sizeof text, format, args);
    buf_addz(b, text);
}

void err_clear(err *e)
{
    buf_free(&e->path);
    buf_free(&e->message);
    buf_free(&e->hint);
    buf_free(&e->source_line);
    *e = (err){ 0 };
}

void err_copy(err *to, const err *from)
{
    if (!to || to->class_)
        return;
    to->class_ = from->class_;
    to->line = from->line;
    to->col = from->col;
    buf_add(&to->path, buf_str(&from->path));
    buf_add(&to->message, buf_str(&from->message));
    buf_add(&to->hint, buf_str(&from->hint));
    buf_add(&to->source_line, buf_str(&from->source_line));
}

bool err_set(err *e, err_class class_, const char *format, ...)
{
    if (!e || e->class_ != ERR_NONE)
        return false;
    e->class_ = class_;
    va_list args;
    va_start(args, format);
    vprint(&e->message, format, args);
    va_end(args);
    return false;
}

bool err_at(err *e, err_class class_, str path, int line, int col, const char *format, ...)
{
    if (!e || e->class_ != ERR_NONE)
        return false;
    e->class_ = class_;
    e->line = line;
    e->col = col;
    buf_add(&e->path, path);
    va_list args;
    va_start(args, format);
    vprint(&e->message, format, args);
    va_end(args);
    return false;
}

bool err_hint(err *e, const char *format, ...)
{
    if (!e || e->hint.n)
        return false;
    va_list args;
    va_start(args, format);
    vprint(&e->hint, format, args);
    va_end(args);
    return false;
}

void err_quote(err *e, str file_text)
{
    if (!e || e->line <= 0 || e->source_line.n)
        return;
    size_t from = 0;
    for (int line = 1; line < e->line; line++) {
        from = str_find(file_text, '\n', from) + 1;
        if (from > file_text.n)
            return;
    }
    enum { SHOWN_MAX = 160 };
    str line = str_slice(file_text, from, str_find(file_text, '\n', from));
    line = str_slice(line, 0, SHOWN_MAX);
    for (size_t i = 0; i < line.n; i++) {          /* a terminal must survive a file of random bytes */
        char c = line.p[i];
        buf_byte(&e->source_line, ((unsigned char)c < ' ' && c != '\t') || c == 127 ? '?' : c);
    }
}

static const char *class_word(err_class class_)
{
    switch (class_) {
    case ERR_DRIVER: return "driver";
    case ERR_USAGE: return "usage";
    case ERR_SCENARIO: return "scenario";
    case ERR_BUG: return "bug";
    case ERR_IO: return "io";
    case ERR_NONE: break;
    }
    return "none";
}

void err_print(const err *e, buf *out)
{
    if (e->path.n) {
        buf_add(out, buf_str(&e->path));
        if (e->line > 0)
            buf_printf(out, ":%d", e->line);
        if (e->line > 0 && e->col > 0)
            buf_printf(out, ":%d", e->col);
        buf_addz(out, ": ");
    }
    buf_printf(out, "error[%s]: ", class_word(e->class_));
    buf_add(out, buf_str(&e->message));
    buf_byte(out, '\n');
    if (e->source_line.n) {
        buf_printf(out, "  %5d | ", e->line);
        buf_add(out, buf_str(&e->source_line));
        buf_byte(out, '\n');
        if (e->col > 0 && (size_t)e->col <= e->source_line.n + 1) {
            buf_addz(out, "        | ");
            for (int i = 1; i < e->col; i++)
                buf_byte(out, e->source_line.p[i - 1] == '\t' ? '\t' : ' ');
            buf_addz(out, "^\n");
        }
    }
    if (e->hint.n) {
        buf_addz(out, "  hint: ");
        buf_add(out, buf_str(&e->hint));
        buf_byte(out, '\n');
    }
}

/* The one name that begins with the word: "simulate" of "sim"; "": there is none, or several. */
static str only_longer(str word, const str *known, size_t n)
{
    str found = { .p = "", .n = 0 };
    size_t count = 0;
    for (size_t i = 0; i < n && word.n > 1; i++)
        if (str_starts(known[i], word)) {
            found = known[i];
            count++;
        }
    return count == 1 ? found : (str){ .p = "", .n = 0 };
}

str err_nearest(str word, const str *known, size_t n)
{
    str best = { .p = "", .n = 0 };
    size_t best_distance = word.n / 2 + 1;         /* half of it may be wrong, not more */
    if (best_distance > 4)
        best_distance = 4;
    for (size_t i = 0; i < n; i++) {
        size_t distance = str_distance(word, known[i]);
        if (distance < best_distance) {
            best_distance = distance;
            best = known[i];
        }
    }
    return best.n ? best : only_longer(word, known, n);
}
