/* workload_csv.c - recorded demands: a file of client, asked_ms, held_ms. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/mem.h"
#include "scenario/workload_read.h"

enum { FIELDS = 3, NAME_MAX_BYTES = 64, ROWS_MAX = 10000000 };
/* If the first row's value is at least this, it counts from 1970, as in logs, and not from the beginning of a run. */
#define SECONDS_LEAST 1e9                          /* as seconds 2001 to 2128; as ms, two weeks and more */
#define SECONDS_MOST 5e9
#define EPOCH_MS_LEAST 1e11
#define EPOCH_MS_MOST 1e13

typedef struct {
    arena *a;
    str path, text;
    int line;
    intern *names;
    recorded_demand *rows;
    size_t count, cap;
    bool epoch;            /* asked_ms are wall-clock times */
    err *e;
} csv;

static bool wrong(csv *c, int col, const char *what, str field)
{
    err_at(c->e, ERR_SCENARIO, c->path, c->line, col, "%s: \"%.*s\"", what, (int)(field.n < 80 ? field.n : 80),
           field.p);
    err_quote(c->e, c->text);
    return err_hint(c->e, "a row is client,asked_ms,held_ms, as in worker-3,1250.5,40; asked_ms counts from the "
                    "beginning, or from 1970");
}

static str trimmed(str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = str_slice(s, 1, s.n);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    if (s.n >= 2 && s.p[0] == '"' && s.p[s.n - 1] == '"')
        s = str_slice(s, 1, s.n - 1);
    return s;
}

/* A number of milliseconds in plain notation. */
static bool number(str s, double least, double most, double *out)
{
    char text[40], *end;
    if (s.n == 0 || s.n >= sizeof text)
        return false;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("0123456789.eE+", s.p[i]) || s.p[i] == 0)
            return false;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    *out = strtod(text, &end);
    return *end == 0 && *out >= least && *out <= most;
}

/* All rows count from the same origin as the first. */
static bool instant(csv *c, str s, double *out)
{
    if (c->count == 0)
        c->epoch = number(s, EPOCH_MS_LEAST, EPOCH_MS_MOST, out);
    return c->epoch ? number(s, EPOCH_MS_LEAST, EPOCH_MS_MOST, out) : number(s, 0, EPOCH_MS_LEAST, out);
}

static bool good_name(str s)
{
    bool ok = s.n > 0 && s.n <= NAME_MAX_BYTES;
    for (size_t i = 0; ok && i < s.n; i++)
        ok = (unsigned char)s.p[i] > ' ' && s.p[i] != 127 && s.p[i] != ':' && s.p[i] != '#' && s.p[i] != '"';
    return ok;
}

static bool add_row(csv *c, const str field[FIELDS], const int col[FIELDS])
{
    recorded_demand d = { .held_ms = -1 };
    if (!good_name(field[0]))
        return wrong(c, col[0], "a client's name has 1 to 64 printable characters without blanks, quotes, ':' and '#'",
                     field[0]);
    if (c->count == 0 && number(field[1], SECONDS_LEAST, SECONDS_MOST, &d.asked_ms))
        return wrong(c, col[1], "asked_ms seems to be in seconds since 1970: write milliseconds, or count from the "
                     "first demand", field[1]);
    if (!instant(c, field[1], &d.asked_ms))
        return wrong(c, col[1], c->epoch ? "asked_ms is no number of milliseconds since 1970, as the first row's is" :
                                           "asked_ms is no number of milliseconds since the beginning", field[1]);
    if (field[2].n && !number(field[2], 0, (double)READ_MS_MAX, &d.held_ms))
        return wrong(c, col[2], "held_ms is no number of milliseconds", field[2]);
    d.client = intern_add(c->names, field[0], NULL);
    if (intern_count(c->names) > WORKLOAD_CLIENTS_MAX)
        return wrong(c, col[0], "this is one client more than the 10,000 that a workload may have", field[0]);
    if (c->count == ROWS_MAX)
        return wrong(c, 1, "this is one row more than the 10,000,000 that a file may have", field[0]);
    MEM_RESERVE(c->rows, c->cap, c->count + 1);
    c->rows[c->count++] = d;
    return true;
}

static bool is_header(const str field[FIELDS])
{
    return str_eq(field[0], S("client")) && str_eq(field[1], S("asked_ms"));
}

static bool read_line(csv *c, str line)
{
    str all = trimmed(line);
    if (all.n == 0 || all.p[0] == '#')
        return true;
    str field[FIELDS] = { { .p = "" }, { .p = "" }, { .p = "" } };
    int col[FIELDS] = { 1, 1, 1 };
    size_t n = 0;
    for (size_t from = 0; from <= line.n; n++) {
        size_t to = str_find(line, ',', from);
        if (n < FIELDS) {
            field[n] = trimmed(str_slice(line, from, to));
            col[n] = (int)from + 1;
        }
        from = to + 1;
    }
    if (n < 2 || n > FIELDS)
        return wrong(c, 1, n < 2 ? "the row has only one field" : "the row has more than three fields", all);
    if (c->count == 0 && is_header(field))
        return true;
    return add_row(c, field, col);
}

static int by_time(const void *x, const void *y)
{
    const recorded_demand *a = x, *b = y;
    if (a->asked_ms != b->asked_ms)
        return a->asked_ms < b->asked_ms ? -1 : 1;
    return (a->client > b->client) - (a->client < b->client);
}

static void keep(csv *c, workload *w)
{
    assert(c->count > 0);
    qsort(c->rows, c->count, sizeof *c->rows, by_time);
    recorded_demand *demands = ARENA_ARRAY(c->a, recorded_demand, c->count);
    double from_ms = c->epoch ? floor(c->rows[0].asked_ms) : 0;
    for (size_t i = 0; i < c->count; i++) {
        demands[i] = c->rows[i];
        demands[i].asked_ms -= from_ms;
    }
    w->demands = demands;
    w->demand_count = c->count;
    w->clients = (uint32_t)intern_count(c->names);
    str *names = ARENA_ARRAY(c->a, str, w->clients);
    for (uint32_t i = 0; i < w->clients; i++)
        names[i] = arena_str(c->a, intern_get(c->names, i));
    w->client_names = names;
}

bool workload_read_csv(arena *a, str path, str text, workload *w, err *e)
{
    csv c = { .a = a, .path = path, .text = text, .names = intern_new(), .e = e };
    bool ok = true;
    size_t from = str_starts(text, S("\xef\xbb\xbf")) ? 3 : 0;
    while (ok && from < text.n) {
        size_t to = str_find(text, '\n', from);
        str line = str_slice(text, from, to);
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        c.line++;
        ok = read_line(&c, line);
        from = to + 1;
    }
    if (ok && c.count == 0) {
        ok = err_at(e, ERR_SCENARIO, path, 0, 0, "the file has no row");
        err_hint(e, "a row is client,asked_ms,held_ms, as in worker-3,1250.5,40");
    }
    if (ok)
        keep(&c, w);
    mem_free(c.rows);
    intern_free(c.names);
    return ok;
}
