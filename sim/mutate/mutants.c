/* mutants.c - see mutants.h. */
#include "mutate/mutants.h"

#include <stdlib.h>
#include <string.h>

static const char *const classes[MUTANT_CLASSES] = { "survived", "killed", "equivalent", "undecided", "explained" };

const char *mutant_class_name(mutant_class c)
{
    return c < MUTANT_CLASSES ? classes[c] : "open";
}

bool mutant_class_parse(str name, mutant_class *c)
{
    for (size_t i = 0; i < MUTANT_CLASSES; i++)
        if (str_eq(name, str_from(classes[i]))) {
            *c = (mutant_class)i;
            return true;
        }
    return false;
}

static long number(str s)
{
    return strtol(s.p, NULL, 10);      /* the host's fields end in a NUL */
}

static uint32_t count_alike(const mutant *list, size_t count, const mutant *m)
{
    uint32_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += str_eq(list[i].operator_, m->operator_) && str_eq(list[i].from, m->from) && str_eq(list[i].to, m->to);
    return n;
}

bool mutants_list(source_host *h, arena *a, mutants_kind kind, str path, str text, mutant **list, size_t *count, err *e)
{
    static const char *const functions[] = { "all", "driver", "scenario" };
    enum { OPERATOR, LINE, COL, FROM, TO, FIRST, LAST, NEW, LINE_FROM, LINE_TO, FIELDS };
    str in[] = { path, text };
    source_rows rows;
    if (!source_host_run(h, a, "mutate", functions[kind], in, COUNT(in), &rows, e))
        return false;
    *count = rows.count;
    *list = ARENA_ARRAY(a, mutant, rows.count + 1);
    for (size_t i = 0; i < rows.count; i++) {
        const str *f = rows.row[i].field;
        mutant *m = &(*list)[i];
        *m = (mutant){ .number = (uint32_t)i + 1, .operator_ = f[OPERATOR], .from = f[FROM], .to = f[TO],
                       .new_text = f[NEW],
                       .line = (int)number(f[LINE]), .col = (int)number(f[COL]), .line_from = (int)number(f[LINE_FROM]),
                       .line_to = (int)number(f[LINE_TO]), .first = (size_t)number(f[FIRST]) - 1,
                       .end = (size_t)number(f[LAST]), .wanted = true, .class_ = MUTANT_OPEN };
        m->alike_before = count_alike(*list, i, m);
    }
    return true;
}

str mutant_text(arena *a, str text, const mutant *m)
{
    size_t n = m->first + m->new_text.n + text.n - m->end;
    char *p = arena_alloc(a, n + 1);
    memcpy(p, text.p, m->first);
    memcpy(p + m->first, m->new_text.p, m->new_text.n);
    memcpy(p + m->first + m->new_text.n, text.p + m->end, text.n - m->end);
    return (str){ .p = p, .n = n };
}

/* Lines [from, to) of the text, each behind the mark. */
static void add_lines(str text, size_t from, size_t to, char mark, buf *out)
{
    while (from < to) {
        size_t end = str_find(text, '\n', from);
        buf_byte(out, mark);
        buf_add(out, str_slice(text, from, end));
        buf_addz(out, end < text.n ? "\n" : "\n\\ No newline at end of file\n");
        from = end + 1;
    }
}

static size_t lines_of(str text, size_t from, size_t to)
{
    size_t n = 0;
    for (; from < to && from < text.n; from = str_find(text, '\n', from) + 1)
        n++;
    return n;
}

static size_t line_start(str text, size_t at)
{
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

/* Behind the end of the line that holds byte `at`. */
static size_t line_end(str text, size_t at)
{
    at = str_find(text, '\n', at);
    return at < text.n ? at + 1 : text.n;
}

void mutant_diff(str path, str text, const mutant *m, buf *out)
{
    enum { CONTEXT = 3 };
    arena *a = arena_new();
    str new_text = mutant_text(a, text, m);
    size_t from = line_start(text, m->first), to = line_end(text, m->end);
    size_t new_to = line_end(new_text, m->first + m->new_text.n), before = from, after = to;
    for (int i = 0; i < CONTEXT; i++) {
        before = before > 0 ? line_start(text, before - 1) : 0;
        after = after < text.n ? line_end(text, after) : after;
    }
    size_t around = lines_of(text, before, from) + lines_of(text, to, after), first = lines_of(text, 0, before) + 1;
    buf_printf(out, "--- %.*s\n+++ %.*s\n@@ -%zu,%zu +%zu,%zu @@\n", STR_ARG(path), STR_ARG(path), first,
               around + lines_of(text, from, to), first, around + lines_of(new_text, from, new_to));
    add_lines(text, before, from, ' ', out);
    add_lines(text, from, to, '-', out);
    add_lines(new_text, from, new_to, '+', out);
    add_lines(text, to, after, ' ', out);
    arena_free(a);
}
