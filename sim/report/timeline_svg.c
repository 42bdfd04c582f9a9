/* timeline_svg.c - see timeline_svg.h. */
#include "report/timeline_svg.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "report/clean.h"
#include "report/sequence_layout.h"
#include "report/sequence_shapes.h"

enum {
    NAMES = 190,           /* where the chart begins */
    CHART = 760, NUMBERS = 150, WIDTH = NAMES + CHART + NUMBERS,
    AXIS = 34, HEAD = 10, NAME_COLUMNS = 25,
    LANE = 52, LANE_MARKS = 15, LANE_WAITS = 14, LANE_HOLDS = 16,      /* a lock of the overview, and within it */
    WHO = 30, HOLD = 16, WAIT = 8,                 /* a row of a window, and its bars */
    MARK_LINE = 16, MARK_LINES = 3,                /* names of marks above a window */
    TICKS_MAX = 7,
    BOLD = 8,              /* width of a character of a mark's name */
};

typedef struct {
    buf *out;
    arena *a;
    int64_t from_us, to_us, origin_us;
    int top, bottom;       /* of the rows */
} chart;

static double x_at(const chart *c, int64_t at_us)
{
    double all = (double)(c->to_us - c->from_us);
    return NAMES + (all > 0 ? (double)(at_us - c->from_us) / all * CHART : 0);
}

static void add_time(buf *out, int64_t us)
{
    const char *sign = us < 0 ? "-" : "";
    int64_t ms = us < 0 ? -us / 1000 : us / 1000;
    buf_printf(out, "%s%" PRId64 ".%03d s", sign, ms / 1000, (int)(ms % 1000));
}

void timeline_mark_name(found_kind kind, property p, buf *out)
{
    if (kind == FOUND_VIOLATION)
        buf_printf(out, "%s %s", property_describe(p)->code, property_describe(p)->name);
    else
        buf_addz(out, found_name(kind));
}

/* 1, 2 or 5 times a power of ten, so that there are not too many. */
static int64_t tick_of(int64_t length_us)
{
    int64_t step = 1000;
    for (int i = 0; length_us / step >= TICKS_MAX; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static void open_svg(const chart *c, const char *id, int height)
{
    buf_printf(c->out, "<svg class=\"seq\" role=\"img\" aria-labelledby=\"%s-title\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n", id, WIDTH, height, WIDTH, height);
}

static void add_axis(const chart *c)
{
    int64_t step = tick_of(c->to_us - c->from_us), first = c->from_us - c->origin_us;
    for (int64_t at = (first + step - 1) / step * step; at <= c->to_us - c->origin_us; at += step) {
        double x = x_at(c, at + c->origin_us);
        buf_printf(c->out, "<path class=\"tick\" d=\"M%.1f %dV%d\"/><text class=\"time mid\" x=\"%.1f\" y=\"%d\">", x,
                   c->top, c->bottom + 5, x, c->bottom + 20);
        if (step >= 1000000)
            buf_printf(c->out, "%" PRId64 " s", at / 1000000);
        else
            add_time(c->out, at);
        buf_addz(c->out, "</text>\n");
    }
}

static str name_of_lock(arena *a, str lock, int db)
{
    return db ? arena_printf(a, "%.*s (database %d)", STR_ARG(lock), db) : lock;
}

/* ---- the overview ---- */

/* Of the last bin only a part lies within the log. */
static int64_t bin_length(const timeline_told *t, size_t i)
{
    int64_t from_us = t->begin_us + (int64_t)i * t->bin_us;
    return t->end_us - from_us < t->bin_us ? t->end_us - from_us : t->bin_us;
}

static double level(const timeline_told *t, const timeline_row *r, size_t i, bool holds)
{
    int64_t length_us = bin_length(t, i);
    return length_us > 0 ? (double)(holds ? r->bins[i].held_us : r->bins[i].waited_us) / (double)length_us : 0;
}

static double highest(const timeline_told *t, const timeline_row *r, bool holds)
{
    double most = 0;
    for (size_t i = 0; i < t->bin_count; i++)
        most = level(t, r, i, holds) > most ? level(t, r, i, holds) : most;
    return most;
}

/* Steps on a ground line; the highest is `height`. Bins of one height are one step, and those of none are left out. */
static void add_steps(const chart *c, const timeline_told *t, const timeline_row *r, bool holds, double most, int y)
{
    int height = holds ? LANE_HOLDS : LANE_WAITS;
    for (size_t i = 0, next; i < t->bin_count; i = next) {
        int h = (int)(level(t, r, i, holds) / most * height + 0.5);
        if (h == 0 && level(t, r, i, holds) > 0)
            h = 1;                     /* too little to be seen is not nothing */
        for (next = i + 1; next < t->bin_count; next++)
            if ((int)(level(t, r, next, holds) / most * height + 0.5) != h)
                break;
        int64_t to_us = t->begin_us + (int64_t)next * t->bin_us;
        double from = x_at(c, t->begin_us + (int64_t)i * t->bin_us);
        double to = x_at(c, to_us < t->end_us ? to_us : t->end_us);
        if (h > 0)
            buf_printf(c->out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                       holds ? "level c0" : "level c1", from, y - h, to > from ? to - from : 1.0, h);
    }
    buf_byte(c->out, '\n');
}

static void add_marks(const chart *c, const timeline_told *t, const timeline_row *r, int y)
{
    double free_from = 0;
    for (size_t i = 0; i < t->bin_count; i++) {
        const timeline_bin *b = &r->bins[i];
        if (!b->found)
            continue;
        double x = x_at(c, t->begin_us + (int64_t)i * t->bin_us);
        str text = b->found > 1 ? arena_printf(c->a, "%zu +%u", b->first_line, b->found - 1)
                                : arena_printf(c->a, "%zu", b->first_line);
        double width = (double)text.n * BOLD + 16;
        buf_printf(c->out, "<g><title>%u %s, from line %zu</title><path class=\"flag\" d=\"M%.1f %dl-4 -7h8z\"/>",
                   b->found, b->found == 1 ? "finding" : "findings", b->first_line, x, y);
        if (x >= free_from && x + width < WIDTH) {
            buf_printf(c->out, "<text class=\"verdict\" x=\"%.1f\" y=\"%d\">%.*s</text>", x + 7, y - 1, STR_ARG(text));
            free_from = x + width;
        }
        buf_addz(c->out, "</g>\n");
    }
}

static void add_lane(const chart *c, const timeline_told *t, const timeline_row *r, int y)
{
    double waits = highest(t, r, false), holds = highest(t, r, true), length = (double)(t->end_us - t->begin_us);
    int wait_ground = y + LANE_MARKS + LANE_WAITS, hold_ground = wait_ground + 2 + LANE_HOLDS;
    buf_printf(c->out, "<path class=\"tick\" d=\"M%d %dH%d\"/>", NAMES, hold_ground, NAMES + CHART);
    shape_text(c->out, c->a, 8, wait_ground + 8, "name", r == t->all ? S("all locks")
               : name_of_lock(c->a, r->lock, r->db), NAME_COLUMNS);
    if (waits > 0)
        add_steps(c, t, r, false, waits, wait_ground);
    add_steps(c, t, r, true, holds > 1 ? holds : 1, hold_ground);
    add_marks(c, t, r, y + LANE_MARKS - 3);
    buf_printf(c->out, "<text class=\"note\" x=\"%d\" y=\"%d\">%.3g waited</text><text class=\"note\" x=\"%d\" "
               "y=\"%d\">%.3g held</text>\n", NAMES + CHART + 10, wait_ground,
               length > 0 ? (double)r->waited_us / length : 0.0, NAMES + CHART + 10, hold_ground,
               length > 0 ? (double)r->held_us / length : 0.0);
}

void timeline_overview_svg(const timeline_told *t, int64_t origin_us, const char *id, buf *out)
{
    size_t rows = t->row_count < TIMELINE_ROWS_MAX ? t->row_count : TIMELINE_ROWS_MAX;
    chart c = { .out = out, .a = arena_new(), .from_us = t->begin_us, .to_us = t->end_us, .origin_us = origin_us,
                .top = HEAD };
    c.bottom = HEAD + (int)(rows + 1) * LANE;
    open_svg(&c, id, c.bottom + AXIS);
    buf_printf(out, "<title id=\"%s-title\">When locks were held and waited for, all of the log: %zu %s of %zu, "
               "%" PRIu64 " %s</title>\n", id, rows, rows == 1 ? "lock" : "locks", t->row_count, t->all->found,
               t->all->found == 1 ? "finding" : "findings");
    add_axis(&c);
    add_lane(&c, t, t->all, HEAD);
    for (size_t i = 0; i < rows; i++)
        add_lane(&c, t, t->rows[i], HEAD + (int)(i + 1) * LANE);
    buf_addz(out, "</svg>\n");
    arena_free(c.a);
}

/* ---- a window ---- */

static str who_of(const timeline_span *s)
{
    return (str){ .p = s->who, .n = s->who_n };
}

/* The owners that use the lock in the window, in the order of their first beginning. */
static size_t list_who(const timeline_window *w, arena *a, const timeline_span ***list)
{
    const timeline_span **first = ARENA_ARRAY(a, const timeline_span *, w->span_count + 1);
    size_t n = 0;
    for (size_t i = 0; i < w->span_count; i++) {
        size_t k = 0;
        while (k < n && !str_eq(who_of(first[k]), who_of(&w->spans[i])))
            k++;
        if (k == n)
            first[n++] = &w->spans[i];
        else if (w->spans[i].from_us < first[k]->from_us)
            first[k] = &w->spans[i];
    }
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k > 0 && first[k]->from_us < first[k - 1]->from_us; k--) {
            const timeline_span *s = first[k];
            first[k] = first[k - 1];
            first[k - 1] = s;
        }
    *list = first;
    return n;
}

/* In words, as a tooltip. */
static void add_span_title(const chart *c, const timeline_span *s)
{
    buf_addz(c->out, "<title>");
    clean_xml(c->out, clean_copy(c->a, who_of(s)));
    buf_addz(c->out, s->holds ? " holds from " : " waits from ");
    add_time(c->out, s->from_us - c->origin_us);
    buf_printf(c->out, " (line %zu)", s->from_line);
    if (s->end != SPAN_OPEN) {
        buf_addz(c->out, " to ");
        add_time(c->out, s->to_us - c->origin_us);
        if (s->to_line)
            buf_printf(c->out, " (line %zu)", s->to_line);
    }
    buf_addz(c->out, "</title>");
}

static void add_span(const chart *c, const timeline_span *s, size_t colour, int y)
{
    enum { LEAST = 2, INSIDE = 12 };
    double from = x_at(c, s->from_us > c->from_us ? s->from_us : c->from_us), to = x_at(c, s->to_us);
    int height = s->holds ? HOLD : WAIT;
    if (s->to_us < c->from_us)
        return;
    buf_addz(c->out, "<g>");
    add_span_title(c, s);
    buf_printf(c->out, "<rect class=\"%s c%zu\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
               s->holds ? "held" : "waits", colour, from, y - height / 2, to - from > LEAST ? to - from : LEAST,
               height);
    if (s->holds && s->end == SPAN_LOST)
        buf_printf(c->out, "<path class=\"cross\" d=\"M%.1f %dl8 8m0 -8l-8 8\"/>", to - 4, y - 4);
    str text = s->to_line == 0 ? arena_printf(c->a, "%zu", s->from_line)
                                   : arena_printf(c->a, "%zu\xe2\x80\x93%zu", s->from_line, s->to_line);
    if (s->holds && to - from > (double)(text.n * LAYOUT_CHAR + INSIDE))
        shape_text(c->out, c->a, (int)from + 5, y + 4, "word", text, NAME_COLUMNS);
    buf_addz(c->out, "</g>\n");
}

static void add_window_marks(const chart *c, const timeline_window *w)
{
    double last[MARK_LINES] = { 0 };
    for (size_t i = 0; i < w->mark_count && i < TIMELINE_MARKS; i++) {
        const timeline_mark *m = &w->marks[i];
        buf b = { 0 };
        timeline_mark_name(m->kind, m->property, &b);
        buf_printf(&b, ", line %zu", m->line);
        double x = x_at(c, m->at_us), width = (double)b.n * BOLD + 10;
        double left = x + 5 + width < WIDTH ? x + 5 : WIDTH - width;
        size_t line = 0;
        while (line + 1 < MARK_LINES && last[line] > left)
            line++;
        buf_printf(c->out, "<g><title>%.*s</title><path class=\"cut\" d=\"M%.1f %dV%d\"/>", STR_ARG(buf_str(&b)), x,
                   HEAD + (int)line * MARK_LINE, c->bottom);
        if (last[line] <= left) {
            buf_printf(c->out, "<text class=\"verdict\" x=\"%.1f\" y=\"%d\">%.*s</text>", left,
                       HEAD + (int)line * MARK_LINE + 10, STR_ARG(buf_str(&b)));
            last[line] = left + width;
        }
        buf_addz(c->out, "</g>\n");
        buf_free(&b);
    }
}

void timeline_window_svg(const timeline_window *w, int64_t origin_us, const char *id, buf *out)
{
    chart c = { .out = out, .a = arena_new(), .from_us = w->from_us, .to_us = w->to_us, .origin_us = origin_us,
                .top = HEAD + MARK_LINES * MARK_LINE };
    const timeline_span **who;
    size_t all = list_who(w, c.a, &who), rows = all < TIMELINE_WHO_MAX ? all : TIMELINE_WHO_MAX;
    c.bottom = c.top + (int)rows * WHO;
    open_svg(&c, id, c.bottom + AXIS + (all > rows ? MARK_LINE : 0));
    buf_printf(out, "<title id=\"%s-title\">Who held ", id);
    clean_xml(out, clean_copy(c.a, name_of_lock(c.a, w->lock, w->db)));
    buf_addz(out, " and who waited for it, from ");
    add_time(out, w->from_us - origin_us);
    buf_addz(out, " to ");
    add_time(out, w->to_us - origin_us);
    buf_addz(out, "</title>\n");
    add_axis(&c);
    for (size_t r = 0; r < rows; r++) {
        int y = c.top + (int)r * WHO + WHO / 2;
        shape_text(out, c.a, 8, y + 4, "name", who_of(who[r]), NAME_COLUMNS);
        for (size_t i = 0; i < w->span_count; i++)
            if (str_eq(who_of(&w->spans[i]), who_of(who[r])))
                add_span(&c, &w->spans[i], r % SEQUENCE_COLOURS, y);
    }
    if (all > rows)
        buf_printf(out, "<text class=\"note\" x=\"8\" y=\"%d\">%zu more are in the table below</text>\n",
                   c.bottom + AXIS + MARK_LINE / 2, all - rows);
    add_window_marks(&c, w);
    buf_addz(out, "</svg>\n");
    arena_free(c.a);
}

void timeline_legend(buf *out)
{
    static const struct { const char *shape, *text; } items[] = {
        { "<rect class=\"held c0\" x=\"2\" y=\"-12\" width=\"22\" height=\"14\"/>",
          "holds, by the server's account; the numbers are the lines of the grant and of the end" },
        { "<rect class=\"waits c0\" x=\"2\" y=\"-9\" width=\"22\" height=\"8\"/>", "was refused, and waits" },
        { "<path class=\"cross\" d=\"M9 -9l8 8m0 -8l-8 8\"/>",
          "ends without its release: the lease ended, or another ended it" },
        { "<path class=\"cut\" d=\"M13 -14v18\"/>", "a finding, with its line" },
    };
    buf_addz(out, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < COUNT(items); i++)
        buf_printf(out, "<li><svg class=\"seq\" aria-hidden=\"true\" width=\"26\" height=\"20\" "
                   "viewBox=\"0 -14 26 20\">%s</svg> %s</li>\n", items[i].shape, items[i].text);
    buf_addz(out, "</ul>\n");
}
