/* comparison_story.c - a story of two versions as a table: steps downwards, what each version did beside each other. */
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "report/clean.h"
#include "report/comparison.h"

enum { FIRST_COLUMN = 19, STEP_COLUMNS = 18, GAP = 2, SIDE_COLUMNS = 58, SIDE_COLUMNS_LEAST = 20 };

typedef struct { str lines[256]; size_t count; } column;

/* Adds the text's lines, at most as wide as the column. */
static void add_lines(arena *a, column *c, str text, size_t columns, const char *lead)
{
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        str line = clean_copy(a, str_slice(text, from, end));
        from = end + 1;
        while (line.n > 0 && c->count < COUNT(c->lines)) {
            str piece = clean_line(&line, columns - strlen(lead));
            c->lines[c->count++] = arena_printf(a, "%s%.*s", lead, STR_ARG(piece));
        }
    }
}

static bool same_column(const column *x, const column *y)
{
    bool same = x->count == y->count;
    for (size_t i = 0; same && i < x->count; i++)
        same = str_eq(x->lines[i], y->lines[i]);
    return same;
}

static void pad(buf *out, size_t from, size_t columns)
{
    for (size_t have = clean_width(str_slice(buf_str(out), from, out->n)); have < columns; have++)
        buf_byte(out, ' ');
}

/* So many columns for what each version did: those that a terminal of this width leaves. */
static size_t side_columns(size_t width)
{
    size_t other = FIRST_COLUMN + STEP_COLUMNS + 2 * GAP, room = width > other ? (width - other) / 2 : 0;
    if (width == 0 || room > SIDE_COLUMNS)
        return SIDE_COLUMNS;
    return room < SIDE_COLUMNS_LEAST ? SIDE_COLUMNS_LEAST : room;
}

/* What one version did in a step, in that many columns; a step without a request belongs to both. */
static column side_of(arena *a, const story_row *r, bool second, size_t columns)
{
    column c = { .count = 0 };
    bool asked = r->second_did.n > 0;
    add_lines(a, &c, second && asked ? r->second_did : r->did, columns, "");
    if (!second)
        add_lines(a, &c, r->notes, columns, "  ");
    add_lines(a, &c, second ? r->second_redis : r->redis, columns, "");
    return c;
}

static void add_row(buf *out, size_t number, const story_row *r, bool last, size_t side)
{
    arena *a = arena_new();
    column step = { .count = 0 }, sides[2] = { side_of(a, r, false, side), side_of(a, r, true, side) };
    column told = sides[0];                        /* what the client concluded appears once */
    add_lines(a, &step, r->token, STEP_COLUMNS, "");
    column plain = { .count = 0 };
    add_lines(a, &plain, r->did, side, "");
    add_lines(a, &plain, r->redis, side, "");
    if (!last && same_column(&plain, &sides[1])) {
        sides[1].count = 1;
        sides[1].lines[0] = S("=");
    }
    buf instant = { 0 };
    report_add_instant(&instant, r->at_ms);
    size_t height = step.count > told.count ? step.count : told.count;
    height = sides[1].count > height ? sides[1].count : height;
    for (size_t i = 0; i < height || i == 0; i++) {
        size_t from = out->n;
        if (i == 0)
            buf_printf(out, "  %3zu  %9.*s   ", number, STR_ARG(buf_str(&instant)));
        size_t at = FIRST_COLUMN;
        const column *const columns[] = { &step, &told, &sides[1] };
        const size_t width[] = { STEP_COLUMNS, side, side };
        for (size_t k = 0; k < COUNT(columns); k++) {
            pad(out, from, at);
            if (i < columns[k]->count)
                buf_add(out, columns[k]->lines[i]);
            at += width[k] + GAP;
        }
        while (out->n > from && out->p[out->n - 1] == ' ')
            out->n--;
        buf_byte(out, '\n');
    }
    buf_free(&instant);
    arena_free(a);
}

void report_compare_story(const story *s, const report_style *style, buf *out)
{
    enum { ROWS_MAX = 40 };
    size_t max = style->verbose ? s->count : ROWS_MAX, side = side_columns(style->width);
    size_t from = out->n;
    buf_addz(out, "    #   time");
    pad(out, from, FIRST_COLUMN);
    buf_addz(out, "step");
    pad(out, from, FIRST_COLUMN + STEP_COLUMNS + GAP);
    buf_addz(out, "old");
    pad(out, from, FIRST_COLUMN + STEP_COLUMNS + side + 2 * GAP);
    buf_addz(out, "new\n");
    for (size_t i = 0; i < s->count; i++) {
        if (s->count > max && i >= max / 4 && i < s->count - (max - max / 4)) {
            if (i == max / 4)
                buf_printf(out, "       ... %zu steps are left out here; --verbose shows them ...\n", s->count - max);
            continue;
        }
        add_row(out, i + 1, &s->rows[i], i + 1 == s->count, side);
    }
}

/* The commands that both versions ran in the last step, where they differ. */
void report_compare_commands(const story *s, buf *out)
{
    if (s->count == 0)
        return;
    const story_row *last = &s->rows[s->count - 1];
    const struct { const char *label; str text; } sides[] = { { "  old    ", last->effects },
                                                              { "  new    ", last->second_effects } };
    for (size_t i = 0; i < COUNT(sides); i++) {
        const char *label = sides[i].label;
        for (size_t from = 0; from < sides[i].text.n;) {
            size_t end = str_find(sides[i].text, '\n', from);
            buf_addz(out, label);
            clean_text(out, str_slice(sides[i].text, from, end));
            buf_byte(out, '\n');
            label = "         ";
            from = end + 1;
        }
    }
}
