/* sequence_layout.c - see sequence_layout.h. */
#include "report/sequence_layout.h"

#include <string.h>

#include "report/clean.h"
#include "report/report.h"

enum { REDIS_COLUMNS = 40, CELL_LINES_MAX = 7, HEAD = 44, TITLE = 40 };

int layout_width(str s, size_t columns_max)
{
    size_t w = clean_width(s);
    return (int)(w > columns_max ? columns_max : w) * (LAYOUT_CHAR + 1);
}

int layout_y(const layout *l, size_t step)
{
    if (step == 0)
        return l->top - LAYOUT_LEAVE;
    return l->rows[step - 1].height ? l->rows[step - 1].y : l->gap_y;
}

int layout_grant(const layout *l, size_t step)
{
    return step > 0 && l->rows[step - 1].talks ? LAYOUT_REQUEST : LAYOUT_BASELINE - 4;
}

bool layout_shows(const layout *l, size_t from, size_t to)
{
    if (l->left_out == 0)
        return true;
    bool begins = from > 0 && l->rows[from - 1].height == 0, ends = to > 0 && l->rows[to - 1].height == 0;
    return !begins || !ends;
}

size_t layout_left_at(const layout *l, const sequence_arrow *a)
{
    const story_row *rows = l->v->s->rows;
    if (a->end != ARROW_ARRIVES || a->to == 0)
        return a->from;
    if (a->from == 0 && rows[a->to - 1].at_ms == rows[0].at_ms)
        return a->to;      /* it was not sent by a step then */
    int64_t left_ms = a->from ? rows[a->from - 1].at_ms : rows[0].at_ms;
    if (rows[a->to - 1].at_ms != left_ms)
        return a->from;
    for (size_t i = a->from; i + 1 < a->to; i++)
        if (rows[i].process != a->process)
            return a->from;
    return a->to;
}

/* ---- words ---- */

static void add_line(arena *a, layout_cell *c, str line, size_t columns)
{
    if (c->count == CELL_LINES_MAX) {
        c->lines[c->count - 1] = S("\xe2\x80\xa6 and more");
        return;
    }
    if (!c->lines)
        c->lines = ARENA_ARRAY(a, str, CELL_LINES_MAX);
    str cut = clean_width(line) > columns ? arena_printf(a, "%.*s\xe2\x80\xa6", STR_ARG(clean_cut(line, columns - 1)))
              : line;
    c->lines[c->count++] = cut;
}

static void add_lines(arena *a, layout_cell *c, str text, size_t columns, bool wrap)
{
    for (size_t from = 0; from < text.n; ) {
        size_t end = str_find(text, '\n', from);
        str line = clean_copy(a, str_slice(text, from, end));
        while (wrap && clean_width(line) > columns && c->count < CELL_LINES_MAX)
            add_line(a, c, clean_line(&line, columns), columns);
        if (line.n)
            add_line(a, c, line, columns);
        from = end + 1;
    }
}

/* The part of a token that names the task, as in the text's table. */
static str said(arena *a, const sequence_view *v, const story_row *r)
{
    str task = r->process < v->client_count ? report_task_of(r, v->clients[r->process]) : S("");
    str did = r->did.n ? r->did : r->token;
    return task.n ? arena_printf(a, "%.*s %.*s", STR_ARG(task), STR_ARG(did)) : did;
}

static bool names(const story_key *k, str who)
{
    for (size_t i = 0; i + who.n <= k->value.n; i++)
        if (str_starts(str_slice(k->value, i, k->value.n), who))
            return true;
    return false;
}

/* For a client that waits for ever: from here on this key does not name it any more. */
static void add_lost(layout *l, layout_row *row, size_t key)
{
    const story_key *now = &l->v->s->keys[key], *before = NULL;
    for (size_t i = 0; i < key; i++)
        if (l->v->s->keys[i].server == now->server && str_eq(l->v->s->keys[i].name, now->name))
            before = &l->v->s->keys[i];
    for (size_t i = 0; before && i < l->parked_count; i++)
        if (now->step >= l->parked[i]->from && names(before, l->parked[i]->who) && !names(now, l->parked[i]->who))
            add_lines(l->a, &row->lost, arena_printf(l->a, "%.*s is no longer in %.*s", STR_ARG(l->parked[i]->who),
                                                     STR_ARG(now->name)), REDIS_COLUMNS, true);
}

static void fill_row(layout *l, size_t i)
{
    const story_row *r = &l->v->s->rows[i];
    layout_row *row = &l->rows[i];
    bool client = r->process < l->v->client_count;
    int room = client ? l->column[l->v->client_count] - 30 - l->column[r->process] : 6 * REDIS_COLUMNS;
    size_t columns = room / LAYOUT_CHAR < 12 ? 12 : (size_t)(room / LAYOUT_CHAR);
    row->fault = r->token.n > 0 && r->token.p[0] == '!' && !str_starts(r->token, S("!resume")) &&
                 !str_starts(r->token, S("!expire"));
    row->at_server = !client;
    row->passes = !client && !row->fault;
    row->tells_time = i == 0 || l->v->s->rows[i - 1].at_ms != r->at_ms || (l->left_out && l->rows[i - 1].height == 0);
    if (!row->passes || r->token.p[0] != '+')      /* how much time passed, the times tell */
        add_lines(l->a, &row->said, said(l->a, l->v, r), columns, false);
    row->said.strong = row->said.count;
    add_lines(l->a, &row->said, r->notes, columns, true);
    if (row->parks)
        add_line(l->a, &row->said, S("waits from here on, for ever"), columns + 16);
    add_lines(l->a, &row->redis, r->redis, REDIS_COLUMNS, true);
    for (size_t k = 0; l->parked_count && k < l->v->s->key_count; k++)
        if (l->v->s->keys[k].step == i + 1)
            add_lost(l, row, k);
}

/* ---- rows ---- */

static void find_talkers(layout *l)
{
    for (size_t i = 0; i < l->trace.arrow_count; i++) {
        const sequence_arrow *a = &l->trace.arrows[i];
        size_t left = a->kind == ARROW_REQUEST ? layout_left_at(l, a) : 0;
        const size_t ends[] = { a->to, left, a->from };
        for (size_t k = 0; k < COUNT(ends); k++)
            if (ends[k] > 0 && (a->kind == ARROW_REQUEST ? k < 2 : k != 1) &&
                l->v->s->rows[ends[k] - 1].process != NOBODY && (k != 0 || a->end != ARROW_OPEN))
                l->rows[ends[k] - 1].talks = true;
    }
}

/* The waiters at the end of a story of waiting for ever: nothing comes for them after their last step. */
static void find_parked(layout *l)
{
    const story *s = l->v->s;
    for (size_t i = 0; i < l->trace.bar_count && l->v->for_ever; i++) {
        const sequence_bar *b = &l->trace.bars[i];
        size_t row = s->count;
        if (b->kind != BAR_WAITS || !b->open)
            continue;
        while (row > b->from && s->rows[row - 1].process != b->column)
            row--;
        if (row > 0)
            l->rows[row - 1].parks = true;
        if (l->parked_count < LAYOUT_PARKED_MAX)
            l->parked[l->parked_count++] = b;
    }
}

static void find_guilty(layout *l)
{
    const sequence_view *v = l->v;
    for (size_t i = 0; i < v->blamed_count; i++)
        if (v->blamed[i] > 0 && v->blamed[i] <= v->s->count)
            l->rows[v->blamed[i] - 1].blamed = true;
    if (v->decides > 0 && v->decides <= v->s->count)
        l->rows[v->decides - 1].decides = true;
}

static void measure_row(layout_row *row)
{
    row->gap = row->talks && row->said.count > 1 ? LAYOUT_TALK : 0;
    int said = (int)row->said.count * LAYOUT_LINE + (row->talks ? LAYOUT_TALK : 0);
    int keys = (int)(row->redis.count + row->lost.count + (row->at_server ? row->said.count : 0)) * LAYOUT_LINE;
    row->height = (said > keys ? said : keys) + LAYOUT_PAD;
    int lines = (row->blamed || row->decides) && row->tells_time ? 2 : 1;      /* what it is stands below the time */
    if (row->height < lines * LAYOUT_LINE + LAYOUT_PAD)
        row->height = lines * LAYOUT_LINE + LAYOUT_PAD;
}

static void place_columns(layout *l)
{
    size_t n = l->v->client_count;
    int step = n <= 2 ? 190 : n == 3 ? 165 : 130, last = n <= 3 ? 250 : 220, x = LAYOUT_LEFT + 40;
    l->columns = n + l->trace.servers;
    l->column = ARENA_ARRAY(l->a, int, l->columns + 1);
    for (size_t c = 0; c < n; c++) {
        l->column[c] = x;
        x += c + 1 < n ? step : last;
    }
    for (size_t s = 0; s < l->trace.servers; s++) {
        l->column[n + s] = x;
        x += s + 1 < l->trace.servers ? 90 : 0;
    }
    uint32_t lanes = 1;
    for (size_t i = 0; i < l->trace.bar_count; i++)
        if (l->trace.bars[i].kind == BAR_HELD && l->trace.bars[i].lane >= lanes)
            lanes = l->trace.bars[i].lane + 1;
    l->redis_x = x + 12 + LAYOUT_LANE * (int)(lanes < LAYOUT_LANES_MAX ? lanes : LAYOUT_LANES_MAX);
    l->width = l->redis_x + REDIS_COLUMNS * LAYOUT_CHAR + 28;
}

static bool shown(size_t i, size_t count, size_t rows_max)
{
    return rows_max == 0 || count <= rows_max + 1 || i < rows_max / 4 || i >= count - (rows_max - rows_max / 4);
}

void layout_make(const sequence_view *v, layout *l)
{
    *l = (layout){ .v = v, .a = arena_new() };
    sequence_trace_make(v->s, &l->trace);
    size_t count = v->s->count;
    l->rows = ARENA_ARRAY(l->a, layout_row, count + 1);
    l->top = HEAD + (v->id ? 0 : TITLE);
    place_columns(l);
    find_talkers(l);
    find_parked(l);
    find_guilty(l);
    for (size_t i = 0; i < count; i++)
        l->left_out += !shown(i, count, v->rows_max);
    int y = l->top;
    for (size_t i = 0; i < count; i++) {
        layout_row *row = &l->rows[i];
        row->y = y;
        if (!shown(i, count, v->rows_max)) {
            if (l->gap_y == 0) {
                l->gap_y = y;
                y += LAYOUT_GAP;
            }
            continue;
        }
        fill_row(l, i);
        measure_row(row);
        y += row->height;
    }
    l->bottom = y + 4;
    size_t columns = (size_t)(l->width - LAYOUT_LEFT - 16) / LAYOUT_CHAR;
    int lines = (int)(clean_width(v->summary) / (columns * 3 / 4)) + 1;
    l->height = l->bottom + (v->id ? 8 : 20 + lines * LAYOUT_LINE + LAYOUT_LEGEND);
}

void layout_free(layout *l)
{
    sequence_trace_free(&l->trace);
    arena_free(l->a);
}
