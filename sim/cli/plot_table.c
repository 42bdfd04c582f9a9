/* plot_table.c - see plot_table.h. Errors in a file are reported here, by line, so that gnuplot never meets them. */
#include "cli/plot_table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/files.h"

static bool is_text(const char *column)
{
    return column[0] == '$';
}

static const char *bare(const char *column)
{
    return column[0] == '$' || column[0] == '?' ? column + 1 : column;
}

size_t plot_column(const plot_shape *shape, const char *name)
{
    size_t i = 0;
    while (shape->columns[i] && strcmp(bare(shape->columns[i]), name) != 0)
        i++;
    assert(shape->columns[i]);
    return i;
}

str plot_cell(const plot_table *t, size_t row, size_t column)
{
    assert(row < t->rows && column < t->columns);
    return t->cells[row * t->columns + column];
}

/* Digits, a sign, a point, an exponent: no blanks, no hexadecimal, no nan. */
static bool parse_number(str s, double *value)
{
    char copy[64], *end;
    if (s.n == 0 || s.n >= sizeof copy)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789+-.eE", s.p[i]) || s.p[i] == '\0')
            return false;
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    *value = strtod(copy, &end);
    return *end == '\0' && isfinite(*value) && fabs(*value) < 1e15;
}

bool plot_number(const plot_table *t, size_t row, size_t column, double *value)
{
    return parse_number(plot_cell(t, row, column), value);
}

typedef struct {
    str path, text;
    size_t at;
    int line;
    str *fields;
    size_t count, room;
    err *e;
} reader;

static bool wrong(const reader *r, int col, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool wrong(const reader *r, int col, const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    err_at(r->e, ERR_SCENARIO, r->path, r->line, col, "%s", message);
    return err_hint(r->e, "write it again with `locksim simulate`; its format is in locksim(1), MEASUREMENTS");
}

/* The fields of the next line that is no comment; false: there is none. */
static bool next_line(reader *r)
{
    while (r->at < r->text.n) {
        size_t end = str_find(r->text, '\n', r->at);
        str line = str_slice(r->text, r->at, end);
        r->at = end + 1;
        r->line++;
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (line.n == 0 || line.p[0] == '#')
            continue;
        r->count = 0;
        for (size_t from = 0; from <= line.n && r->count < r->room; r->count++) {
            size_t tab = str_find(line, '\t', from);
            r->fields[r->count] = str_slice(line, from, tab);
            from = tab + 1;
        }
        return true;
    }
    return false;
}

/* Where in the file each column of the shape stands. */
static bool read_names(reader *r, const plot_shape *shape, size_t *where)
{
    if (!next_line(r)) {
        r->line = r->line ? r->line : 1;
        return wrong(r, 0, "the line with the names of the columns is missing");
    }
    for (size_t i = 0; shape->columns[i]; i++) {
        size_t k = 0;
        while (k < r->count && !str_eq(r->fields[k], str_from(bare(shape->columns[i]))))
            k++;
        if (k == r->count)
            return wrong(r, 0, "there is no column '%s'", bare(shape->columns[i]));
        where[i] = k;
    }
    return true;
}

static bool read_row(reader *r, const plot_shape *shape, const size_t *where, size_t names, str *row)
{
    double value;
    if (r->count != names)
        return wrong(r, 0, "%zu fields, where the line of names has %zu", r->count, names);
    for (size_t i = 0; shape->columns[i]; i++) {
        const char *column = shape->columns[i];
        row[i] = r->fields[where[i]];
        bool unknown = column[0] == '?' && str_eq(row[i], S("-"));
        if (!is_text(column) && !unknown && !parse_number(row[i], &value))
            return wrong(r, (int)(row[i].p - r->fields[0].p) + 1, "%s is no number: '%.*s'", bare(column),
                         (int)(row[i].n < 40 ? row[i].n : 40), row[i].p);
    }
    return true;
}

bool plot_table_read(arena *a, str folder, const plot_shape *shape, plot_table *out, err *e)
{
    enum { FIELDS_MAX = 256 };
    reader r = { .path = files_join(a, folder, str_from(shape->file)), .fields = ARENA_ARRAY(a, str, FIELDS_MAX),
                 .room = FIELDS_MAX, .e = e };
    size_t where[PLOT_COLUMNS_MAX] = { 0 }, columns = 0, room = 1;
    *out = (plot_table){ .shape = shape };
    if (!files_read(a, r.path, &r.text, e))
        return false;
    while (shape->columns[columns])
        columns++;
    for (size_t i = 0; i < r.text.n; i++)
        room += r.text.p[i] == '\n';
    out->columns = columns;
    out->cells = ARENA_ARRAY(a, str, room * columns);
    if (!read_names(&r, shape, where))
        return false;
    size_t names = r.count;
    while (next_line(&r)) {
        if (!read_row(&r, shape, where, names, out->cells + out->rows * columns))
            return false;
        out->rows++;
    }
    return true;
}
