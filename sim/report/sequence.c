/* sequence.c - see sequence.h. Everything is laid out by counting characters of a fixed-width font, so that no font has
 * to be asked. */
#include "report/sequence.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "report/clean.h"
#include "report/report.h"
#include "report/sequence_layout.h"
#include "report/sequence_shapes.h"

size_t sequence_client(const str *clients, size_t count, str who)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        bool its = str_starts(who, clients[i]) && who.n > clients[i].n &&
                   (who.p[clients[i].n] == ':' || who.p[clients[i].n] == '#');
        if (its && (best == SIZE_MAX || clients[i].n > clients[best].n))
            best = i;
    }
    return best;
}

/* ---- behind everything ---- */

static void add_heads(const layout *l, buf *out)
{
    for (size_t c = 0; c < l->columns; c++) {
        bool server = c >= l->v->client_count;
        str name = server ? l->trace.servers > 1 ? arena_printf(l->a, "Redis %zu", c - l->v->client_count + 1)
                   : S("Redis")
                          : l->v->clients[c];
        int x = l->column[c], w = layout_width(name, 13) + 24;
        w = w < 56 ? 56 : w;
        buf_printf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"26\" rx=\"6\"/>",
                   server ? "server" : "head", x - w / 2, l->top - 34, w);
        shape_text(out, l->a, x, l->top - 16, "name mid", name, 24);
        buf_byte(out, '\n');
    }
}

static void add_lifelines(const layout *l, buf *out)
{
    for (size_t c = 0; c < l->columns; c++)
        buf_printf(out, "<path class=\"life\" d=\"M%d %dV%d\"/>", l->column[c], l->top - 8, l->bottom);
    buf_byte(out, '\n');
}

/* The shade of its client's colour; '8' where it has none. */
static char shade(const layout *l, const sequence_bar *b)
{
    size_t client = b->kind == BAR_HELD ? sequence_client(l->v->clients, l->v->client_count, b->who) : b->column;
    return (char)('0' + (client == SIZE_MAX ? SEQUENCE_COLOURS : client % SEQUENCE_COLOURS));
}

static void name_bar(const sequence_bar *b, buf *out)
{
    static const char *const words[] = { [BAR_WAITS] = " waits for ", [BAR_BELIEVES] = " believes to hold ",
                                         [BAR_HELD] = " holds " };
    clean_xml(out, b->who);
    if (b->kind == BAR_STALLED) {
        buf_addz(out, " is stalled");
        return;
    }
    if (b->kind == BAR_HELD)
        buf_addz(out, ", by the server's account,");
    buf_addz(out, words[b->kind]);
    clean_xml(out, b->lock);
    if (b->until_ms != INT64_MAX && b->kind != BAR_WAITS) {
        buf_addz(out, ", promised until ");
        report_add_instant(out, b->until_ms);
    }
}

static void add_bar(const layout *l, const sequence_bar *b, buf *out)
{
    bool server = b->kind == BAR_HELD;
    int x = l->column[server ? l->columns - 1 : b->column];    /* what servers hold together stands beside the last */
    int from = layout_y(l, b->from) + layout_grant(l, b->from),
               to = b->open ? l->bottom : layout_y(l, b->to) + layout_grant(l, b->to);
    if (to < from + 4)
        to = from + 4;
    if (b->kind == BAR_PAUSED || b->kind == BAR_DEAD) {
        buf_printf(out, "<path class=\"%s\" d=\"M%d %dV%d\"/>", b->kind == BAR_DEAD ? "dead" : "paused", x, from, to);
        return;
    }
    int lane = LAYOUT_LANE * (b->lane < LAYOUT_LANES_MAX ? (int)b->lane : LAYOUT_LANES_MAX - 1);
    if (b->kind == BAR_STALLED) {
        buf_printf(out, "<path class=\"paused\" d=\"M%d %dV%d\"><title>", x - 5 - lane - LAYOUT_BAR / 2, from, to);
        name_bar(b, out);
        buf_addz(out, "</title></path>");
        return;
    }
    x += server ? 5 + lane : -5 - LAYOUT_BAR - lane;           /* words stand to the right of a client, arrows end left
                                                                * of a server */
    buf_printf(out, "<rect class=\"%s c%c\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"><title>",
               b->kind == BAR_WAITS ? "waits" : server ? "held" : "holds", shade(l, b), x, from, LAYOUT_BAR, to - from);
    name_bar(b, out);
    buf_addz(out, "</title></rect>");
}

static void add_bars(const layout *l, buf *out)
{
    for (size_t i = 0; i < l->trace.bar_count; i++)
        if (layout_shows(l, l->trace.bars[i].from, l->trace.bars[i].to))
            add_bar(l, &l->trace.bars[i], out);
    buf_byte(out, '\n');
}

/* ---- what is sent ---- */

/* What a request asks for, where it leaves in another row than it arrives in. */
static void name_arrow(const layout *l, const sequence_arrow *a, shape_point at, buf *out)
{
    const story *s = l->v->s;
    for (size_t i = 0; a->from > 0 && i < s->request_count; i++)
        if (s->requests[i].process == a->process && s->requests[i].number == a->request && s->requests[i].copy == 0) {
            shape_text(out, l->a, at.x + 10, at.y - 4, "note op", s->requests[i].op, 24);
            return;
        }
}

/* Level at its client, where words stand; what takes time is seen beside the server, in a lane of each client. */
static void add_arrow(const layout *l, const sequence_arrow *a, buf *out)
{
    bool up = a->kind == ARROW_REQUEST;            /* to the server */
    int client = l->column[a->process], server = l->column[l->v->client_count + a->server];
    size_t from = up ? layout_left_at(l, a) : a->from;
    bool level = from == a->to && a->end != ARROW_OPEN;
    int y0 = layout_y(l, from) + (level && up ? LAYOUT_REQUEST : a->kind == ARROW_ANSWER ? LAYOUT_ANSWER
                                  : LAYOUT_LEAVE);
    int y1 = a->end == ARROW_OPEN ? y0 + 30 : layout_y(l, a->to) + (up ? LAYOUT_REQUEST : level ? LAYOUT_ANSWER
                                                                    : LAYOUT_ARRIVE);
    y1 = y1 < y0 ? y0 : y1 > l->bottom ? l->bottom : y1;
    int lane = server - 18 - 8 * (int)(a->process % 6);
    bool whole = a->end == ARROW_ARRIVES || a->end == ARROW_UNHEARD;
    shape_point at[3] = { { up ? client : server, y0 }, { lane, up ? y0 : y1 }, { up ? server : client, y1 } };
    size_t count = 3;
    if (whole && y0 == y1) {
        at[1] = at[2];
        count = 2;
    } else if (!whole && up)
        at[2].x = lane;                            /* it never reaches the server */
    else if (!whole)
        count = 2;
    if (!whole && up && y0 == y1) {
        at[1].x = client + (server - client) / 2;
        count = 2;
    }
    static const char *const kinds[] = { "request", "answer", "message" };
    if (up && y0 != y1)
        name_arrow(l, a, at[0], out);
    shape_arrow(out, kinds[a->kind], at, count,
                a->end == ARROW_LOST ? SHAPE_CROSS : a->end == ARROW_OPEN ? SHAPE_FADES : a->end == ARROW_UNHEARD
                ? SHAPE_HOLLOW : SHAPE_HEAD);
}

/* Requests that no row sends are left out: those of the beginning, or of the last step. */
static void add_arrows(const layout *l, buf *out)
{
    for (size_t i = 0; i < l->trace.arrow_count; i++) {
        const sequence_arrow *a = &l->trace.arrows[i];
        bool fresh = a->end == ARROW_OPEN && a->kind == ARROW_REQUEST && (a->from == 0 || a->from == a->to);
        bool begins = a->end != ARROW_OPEN || layout_shows(l, a->from, a->from);
        if (a->process < l->v->client_count && !fresh && begins && layout_shows(l, a->from, a->to))
            add_arrow(l, a, out);
    }
    buf_byte(out, '\n');
}

/* ---- the words ---- */

static void add_title(const layout *l, size_t i, buf *out)
{
    const story_row *r = &l->v->s->rows[i];
    buf_printf(out, "<title>%zu  ", i + 1);
    report_add_instant(out, r->at_ms);
    buf_addz(out, "  ");
    clean_xml(out, r->token);
    const str more[] = { r->did, r->notes, r->redis, r->location };
    for (size_t k = 0; k < COUNT(more); k++)
        if (more[k].n) {
            buf_byte(out, '\n');
            clean_xml(out, str_slice(more[k], 0, 600));
        }
    buf_addz(out, "</title>");
}

static void add_words(const layout *l, const layout_row *row, const layout_cell *cell, int x, int y, const char *kind,
                      buf *out)
{
    for (size_t k = 0; k < cell->count; k++) {
        bool parks = row->parks && cell == &row->said && k + 1 == cell->count;
        const char *class_ = (k == 0 && row->fault && cell == &row->said) || parks ? "word fault"
                             : k < cell->strong ? kind : "word note";
        shape_text(out, l->a, x, y + LAYOUT_BASELINE + (int)k * LAYOUT_LINE + (k > 0 ? row->gap : 0), class_,
                   cell->lines[k], 200);
    }
}

/* A bar at the row's edge, and the word: colour is not all that tells it. */
static void add_guilt(const layout_row *row, buf *out)
{
    buf_printf(out, "<path class=\"guilt\" d=\"M2 %dv%d\"/><text class=\"guilt\" x=\"%d\" y=\"%d\">%s</text>",
               row->y + 1, row->height - 2, LAYOUT_TIME, row->y + LAYOUT_BASELINE + (row->tells_time ? LAYOUT_LINE : 0),
               row->blamed ? "blamed" : "decides");
}

static void add_row(const layout *l, size_t i, buf *out)
{
    const layout_row *row = &l->rows[i];
    const story_row *r = &l->v->s->rows[i];
    bool last = l->v->broke && i + 1 == l->v->s->count;
    int x = r->process < l->v->client_count ? l->column[r->process] : l->redis_x;
    buf_printf(out, "<g class=\"row%s%s%s\" data-step=\"%zu\" data-x=\"%d\">", last ? " broke" : "",
               row->blamed ? " blamed" : "", row->decides ? " decides" : "", i + 1, x);
    buf_printf(out, "<rect class=\"band\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>", row->y, l->width,
               row->height);
    add_title(l, i, out);
    buf_printf(out, "<text class=\"number\" x=\"%d\" y=\"%d\">%zu</text>", LAYOUT_NUMBER, row->y + LAYOUT_BASELINE,
               i + 1);
    if (row->tells_time) {
        buf_printf(out, "<text class=\"time\" x=\"%d\" y=\"%d\">", LAYOUT_TIME, row->y + LAYOUT_BASELINE);
        report_add_instant(out, r->at_ms);
        buf_addz(out, "</text>");
    }
    if (row->blamed || row->decides)
        add_guilt(row, out);
    if (row->passes)
        buf_printf(out, "<path class=\"passes\" d=\"M%d %dH%d\"/>", LAYOUT_LEFT, row->y + LAYOUT_BASELINE - 4,
                   l->redis_x - 8);
    buf_addz(out, "</g>\n");
}

static void add_row_words(const layout *l, size_t i, buf *out)
{
    const layout_row *row = &l->rows[i];
    const story_row *r = &l->v->s->rows[i];
    bool client = r->process < l->v->client_count;
    int x = client ? l->column[r->process] : LAYOUT_LEFT;
    if (client && row->fault)
        shape_bolt(out, x, row->y + LAYOUT_BASELINE - 4);
    else if (client && !row->talks)
        buf_printf(out, "<circle class=\"dot\" cx=\"%d\" cy=\"%d\" r=\"3\"/>", x, row->y + LAYOUT_BASELINE - 4);
    else if (!client && row->fault)
        shape_bolt(out, l->column[l->v->client_count], row->y + LAYOUT_BASELINE - 4);
    if (client)
        add_words(l, row, &row->said, x + 10, row->y, "word", out);
    else
        add_words(l, row, &row->said, l->redis_x, row->y, "word", out);
    int below = client ? 0 : (int)row->said.count * LAYOUT_LINE;
    for (size_t k = 0; k < row->redis.count; k++)
        shape_text(out, l->a, l->redis_x, row->y + below + LAYOUT_BASELINE + (int)k * LAYOUT_LINE, "word key",
                   row->redis.lines[k], 200);
    below += (int)row->redis.count * LAYOUT_LINE;
    for (size_t k = 0; k < row->lost.count; k++)
        shape_text(out, l->a, l->redis_x, row->y + below + LAYOUT_BASELINE + (int)k * LAYOUT_LINE, "word fault",
                   row->lost.lines[k], 200);
    buf_byte(out, '\n');
}

static void add_gap(const layout *l, buf *out)
{
    buf_printf(out, "<g><rect class=\"gap\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/><text class=\"note mid\" "
               "x=\"%d\" y=\"%d\">", l->gap_y, l->width,
               LAYOUT_GAP, l->width / 2, l->gap_y + LAYOUT_GAP / 2 + 4);
    report_add_count(out, l->left_out);
    buf_addz(out, " steps are left out here</text></g>\n");
}

/* ---- the whole ---- */

static void add_summary(const layout *l, buf *out)
{
    str rest = clean_copy(l->a, l->v->summary);
    for (int y = l->bottom + 20; rest.n; y += LAYOUT_LINE)
        shape_text(out, l->a, LAYOUT_LEFT, y, "verdict",
                   clean_line(&rest, (size_t)(l->width - LAYOUT_LEFT - 16) / LAYOUT_CHAR), 1000);
}

void sequence_svg(const sequence_view *v, buf *out)
{
    layout l;
    layout_make(v, &l);
    const char *id = v->id ? v->id : "picture";
    buf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"seq\" role=\"img\" aria-labelledby=\"%s-name "
               "%s-about\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\">\n<title id=\"%s-name\">", id, id, l.width, l.height, l.width, l.height, id);
    clean_xml(out, v->name);
    buf_printf(out, "</title>\n<desc id=\"%s-about\">", id);
    clean_xml(out, v->summary);
    buf_printf(out, " %zu steps.</desc>\n", v->s->count);
    if (!v->id) {
        buf_addz(out, "<style>\n");
        sequence_style(out);
        buf_addz(out, "</style>\n");
        buf_printf(out, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", l.width, l.height);
        shape_text(out, l.a, 16, 26, "title", v->name, (size_t)(l.width - 32) / LAYOUT_CHAR);
    }
    for (size_t i = 0; i < v->s->count; i++)
        if (l.rows[i].height)
            add_row(&l, i, out);
    add_lifelines(&l, out);
    add_heads(&l, out);
    add_bars(&l, out);
    add_arrows(&l, out);
    for (size_t i = 0; i < v->s->count; i++)
        if (l.rows[i].height)
            add_row_words(&l, i, out);
    if (l.left_out)
        add_gap(&l, out);
    if (!v->id) {
        add_summary(&l, out);
        buf_printf(out, "<g transform=\"translate(%d %d)\">", 16, l.height - LAYOUT_LEGEND);
        shape_legend(out);
        buf_addz(out, "</g>\n");
    }
    buf_addz(out, "</svg>\n");
    layout_free(&l);
}
