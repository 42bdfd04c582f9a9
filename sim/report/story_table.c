/* story_table.c - a story as a table: one column per client, one for Redis, time downwards; only what changed at each
 * step. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "report/clean.h"
#include "report/report.h"

enum {
    CLIENT_COLUMNS_MIN = 8,
    CLIENTS_COLUMNS_MAX = 92, CLIENT_COLUMNS_MOST = 44, CLIENT_COLUMNS_LEAST = 24,    /* the widest: see column_most */
    REDIS_COLUMNS_MAX = 72,
    EDGE = 3,              /* blanks before the number */
    GAP = 2,               /* blanks between columns */
};

void report_add_instant(buf *out, int64_t at_ms)
{
    int64_t ms = at_ms - INT64_C(1700000000000);
    const char *sign = ms < 0 ? "-" : "";
    uint64_t length = ms < 0 ? (uint64_t)-ms : (uint64_t)ms;
    buf_printf(out, "%s%" PRIu64 ".%03" PRIu64 " s", sign, length / 1000, length % 1000);
}

void report_add_count(buf *out, uint64_t n)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (int i = 0; i < count; i++) {
        if (i && (count - i) % 3 == 0)
            buf_byte(out, ',');
        buf_byte(out, digits[i]);
    }
}

/* A cell: lines of clean text, none wider than its column once fitted. */
typedef struct {
    str *lines;
    size_t count;
} cell;

static void add_line(arena *a, cell *c, str line)
{
    if ((c->count & (c->count - 1)) == 0) {        /* full: it has room for a power of two */
        str *longer = ARENA_ARRAY(a, str, c->count ? 2 * c->count : 1);
        if (c->count)
            memcpy(longer, c->lines, c->count * sizeof *longer);
        c->lines = longer;
    }
    c->lines[c->count++] = line;
}

static void add_lines(arena *a, cell *c, str text, const char *lead)
{
    for (size_t from = 0; from < text.n; ) {
        size_t end = str_find(text, '\n', from);
        if (end > from) {
            str line = clean_copy(a, str_slice(text, from, end));
            add_line(a, c, *lead ? arena_printf(a, "%s%.*s", lead, STR_ARG(line)) : line);
        }
        from = end + 1;
    }
}

/* Breaks lines wider than `columns`, at a blank where there is one. Continuations are indented by two. */
static cell fitted(arena *a, const cell *c, size_t columns)
{
    cell out = { 0 };
    for (size_t i = 0; i < c->count; i++) {
        str rest = c->lines[i];
        bool first = true;
        for (size_t room = columns; clean_width(rest) > room; room = columns - 2) {
            str part = clean_line(&rest, room);
            add_line(a, &out, first ? part : arena_printf(a, "  %.*s", STR_ARG(part)));
            first = false;
        }
        add_line(a, &out, first ? rest : arena_printf(a, "  %.*s", STR_ARG(rest)));
    }
    return out;
}

str report_task_of(const story_row *r, str client)
{
    str t = r->token;
    if (t.n && t.p[0] == '!')
        t = str_slice(t, str_find(t, ' ', 0) + 1, t.n);
    if (!str_starts(t, client) || t.n <= client.n || t.p[client.n] != ':')
        return S("");
    size_t end = client.n;
    while (end < t.n && !strchr(".<=@ ", t.p[end]))
        end++;
    return str_slice(t, client.n, end);
}

/* Cells 0 .. clients-1, then Redis. */
static void fill(arena *a, const story_row *r, const str *clients, size_t n, cell *cells)
{
    if (r->process < n) {
        str task = report_task_of(r, clients[r->process]);
        cell *c = &cells[r->process];
        str did = r->did.n ? r->did : r->token;
        add_lines(a, c, task.n ? arena_printf(a, "%.*s %.*s", STR_ARG(task), STR_ARG(did)) : did, "");
        add_lines(a, c, r->notes, "  ");
    } else {
        if ((r->token.n && r->token.p[0] != '+') || r->redis.n == 0)
            add_lines(a, &cells[n], r->did.n ? r->did : r->token, "");
        add_lines(a, &cells[n], r->notes, "  ");
    }
    add_lines(a, &cells[n], r->redis, "");
}

static void pad(buf *out, size_t from, size_t columns)
{
    for (size_t have = clean_width(str_slice(buf_str(out), from, out->n)); have < columns; have++)
        buf_byte(out, ' ');
}

static void end_line(buf *out)
{
    while (out->n && out->p[out->n - 1] == ' ')
        out->n--;
    buf_byte(out, '\n');
}

static void add_head(arena *a, buf *out, const str *clients, size_t n, const size_t *width, size_t left)
{
    size_t from = out->n;
    for (int i = 0; i < EDGE; i++)
        buf_byte(out, ' ');
    buf_addz(out, "#   time");
    pad(out, from, left);
    size_t at = left;
    for (size_t c = 0; c <= n; c++) {
        buf_add(out, c < n ? clean_copy(a, clients[c]) : S("Redis"));
        at += width[c] + GAP;
        pad(out, from, at);
    }
    end_line(out);
}

static void add_row(arena *a, buf *out, size_t number, size_t digits, const story_row *r, const str *clients, size_t n,
                    const size_t *width, size_t left)
{
    cell *cells = ARENA_ARRAY(a, cell, n + 1);
    fill(a, r, clients, n, cells);
    size_t height = 1;
    for (size_t c = 0; c <= n; c++) {
        cells[c] = fitted(a, &cells[c], width[c]);
        height = cells[c].count > height ? cells[c].count : height;
    }
    for (size_t k = 0; k < height; k++) {
        size_t from = out->n, at = left;
        if (k == 0) {
            buf instant = { 0 };
            report_add_instant(&instant, r->at_ms);
            buf_printf(out, "%*s%*zu  %*s", EDGE - 1, "", (int)digits, number,
                       (int)(left - (EDGE - 1) - digits - GAP - 2 * GAP), instant.p);
            buf_free(&instant);
        }
        pad(out, from, left);
        for (size_t c = 0; c <= n; c++) {
            if (k < cells[c].count)
                buf_add(out, cells[c].lines[k]);
            at += width[c] + GAP;
            pad(out, from, at);
        }
        end_line(out);
    }
}

typedef struct {
    const str *clients;
    size_t n, left, who, room;     /* columns before, of a name, and of the text */
} list_frame;

/* With fewer clients each has more room. */
static size_t column_most(size_t clients)
{
    size_t share = CLIENTS_COLUMNS_MAX / (clients ? clients : 1);
    return share > CLIENT_COLUMNS_MOST ? CLIENT_COLUMNS_MOST : share < CLIENT_COLUMNS_LEAST ? CLIENT_COLUMNS_LEAST
           : share;
}

/* Which rows are shown: all, or the beginning and more of the end, where it fails. */
static bool told(size_t i, size_t count, size_t rows_max)
{
    return rows_max == 0 || count <= rows_max || i < rows_max / 4 || i >= count - (rows_max - rows_max / 4);
}

/* Takes from the widest columns until the row fits. false: then they would be too narrow to read. */
static bool narrowed(size_t *width, size_t n, size_t most, size_t left)
{
    size_t needed = left;
    for (size_t c = 0; c <= n; c++)
        needed += width[c] + (c ? GAP : 0);
    for (; needed > most; needed--) {
        size_t widest = 0;
        for (size_t c = 1; c <= n; c++)
            widest = width[c] >= width[widest] ? c : widest;
        if (width[widest] <= CLIENT_COLUMNS_LEAST)
            return false;
        width[widest]--;
    }
    return true;
}

/* The same story where its columns do not fit: the client, what it did and what it knows then, and below it Redis. */
static void add_list_row(arena *a, buf *out, size_t number, size_t digits, const story_row *r, const list_frame *l)
{
    cell *cells = ARENA_ARRAY(a, cell, l->n + 1);
    fill(a, r, l->clients, l->n, cells);
    bool begun = false, passes = r->redis.n == 0;  /* time, which belongs to no client */
    for (size_t c = 0; c <= l->n; c++) {
        cell text = fitted(a, &cells[c], l->room);
        for (size_t k = 0; k < text.count; k++) {
            size_t from = out->n;
            if (!begun) {
                buf instant = { 0 };
                report_add_instant(&instant, r->at_ms);
                buf_printf(out, "%*s%*zu  %*s", EDGE - 1, "", (int)digits, number,
                           (int)(l->left - (EDGE - 1) - digits - GAP - 2 * GAP), instant.p);
                buf_free(&instant);
                begun = true;
            }
            pad(out, from, l->left);
            if (k == 0)
                buf_add(out, c < l->n ? clean_copy(a, l->clients[c]) : passes ? S("") : S("Redis"));
            pad(out, from, l->left + l->who + GAP);
            buf_add(out, text.lines[k]);
            end_line(out);
        }
    }
}

static void add_list_head(buf *out, const list_frame *l)
{
    size_t from = out->n;
    buf_printf(out, "%*s#   time", EDGE, "");
    pad(out, from, l->left);
    buf_addz(out, "who");
    pad(out, from, l->left + l->who + GAP);
    buf_addz(out, "what\n");
}

/* Columns of the widest name of a client, or "Redis". */
static size_t names_width(arena *a, const str *clients, size_t n)
{
    size_t most = 5;
    for (size_t c = 0; c < n; c++) {
        size_t w = clean_width(clean_copy(a, clients[c]));
        most = w > most ? w : most;
    }
    return most;
}

void report_add_story(buf *out, const story *s, const story_frame *f)
{
    const str *clients = f->clients;
    size_t n = f->client_count, rows_max = f->rows_max;
    arena *a = arena_new(), *passing = arena_new();
    if (s->count == rows_max + 1)
        rows_max = 0;                              /* to say that one step is left out takes the line that the step
                                                    * takes */
    size_t *width = ARENA_ARRAY(a, size_t, n + 1), instant_columns = 0;
    for (size_t c = 0; c < n; c++)
        width[c] = clean_width(clean_copy(a, clients[c])) > CLIENT_COLUMNS_MIN ? clean_width(clean_copy(a, clients[c]))
                   : CLIENT_COLUMNS_MIN;
    width[n] = CLIENT_COLUMNS_MIN;
    for (size_t i = 0; i < s->count; i++) {
        if (!told(i, s->count, rows_max))
            continue;
        cell *cells = ARENA_ARRAY(passing, cell, n + 1);
        fill(passing, &s->rows[i], clients, n, cells);
        for (size_t c = 0; c <= n; c++)
            for (size_t k = 0; k < cells[c].count; k++) {
                size_t most = c < n ? column_most(n) : REDIS_COLUMNS_MAX, w = clean_width(cells[c].lines[k]);
                w = w > most ? most : w;
                width[c] = w > width[c] ? w : width[c];
            }
        buf instant = { 0 };
        report_add_instant(&instant, s->rows[i].at_ms);
        instant_columns = instant.n > instant_columns ? instant.n : instant_columns;
        buf_free(&instant);
        arena_reset(passing);
    }
    size_t digits = 2;
    for (size_t most = 100; most <= s->count; most *= 10)
        digits++;
    size_t left = EDGE - 1 + digits + GAP + (instant_columns < 8 ? 8 : instant_columns) + 2 * GAP;
    size_t needed = left;
    for (size_t c = 0; c <= n; c++)
        needed += width[c] + (c ? GAP : 0);
    bool as_list = f->width && needed > f->width && !narrowed(width, n, f->width, left);
    list_frame l = { .clients = clients, .n = n, .left = left, .who = names_width(a, clients, n) };
    size_t before = left + l.who + GAP;
    l.room = f->width > before + CLIENT_COLUMNS_LEAST ? f->width - before : CLIENT_COLUMNS_LEAST;
    if (as_list)
        add_list_head(out, &l);
    else
        add_head(a, out, clients, n, width, left);
    bool gap = false;
    for (size_t i = 0; i < s->count; i++) {
        if (told(i, s->count, rows_max)) {
            if (as_list)
                add_list_row(passing, out, i + 1, digits, &s->rows[i], &l);
            else
                add_row(passing, out, i + 1, digits, &s->rows[i], clients, n, width, left);
            arena_reset(passing);
        } else if (!gap) {
            gap = true;
            buf_printf(out, "%*s... ", EDGE, "");
            report_add_count(out, s->count - rows_max);
            buf_addz(out, " steps are left out here; --verbose shows them ...\n");
        }
    }
    arena_free(passing);
    arena_free(a);
}

/* Lines of all effects together. */
static size_t count_effects(const story *s)
{
    size_t lines = 0;
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->rows[i].effects.n; k++)
            lines += s->rows[i].effects.p[k] == '\n' || k + 1 == s->rows[i].effects.n;
    return lines;
}

void report_add_effects(buf *out, const story *s, size_t lines_max)
{
    size_t lines = 0, all = count_effects(s), from_line = lines_max && all > lines_max ? all - lines_max : 0;
    const char *label = "  ran    ";
    if (from_line) {                               /* the end is where it goes wrong */
        buf_printf(out, "%s... %zu earlier commands (--verbose shows them)\n", label, from_line);
        label = "         ";
    }
    for (size_t i = 0; i < s->count; i++) {
        str text = s->rows[i].effects;
        for (size_t from = 0; from < text.n; lines++) {
            size_t end = str_find(text, '\n', from);
            if (lines >= from_line) {
                buf_printf(out, "%s%4zu  ", label, i + 1);
                clean_text(out, str_slice(text, from, end));
                buf_byte(out, '\n');
                label = "         ";
            }
            from = end + 1;
        }
    }
}
