/* reached.c - the coverage of a script, in a line: how much of it was reached, and the places that were not. */
#include <inttypes.h>

#include "report/clean.h"
#include "report/report.h"

static size_t reached_lines(const coverage_script *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->line_count; i++)
        n += s->lines[i].count > 0;
    return n;
}

static size_t reached_branches(const coverage_script *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->branch_count; i++)
        n += s->branches[i].count > 0;
    return n;
}

report_reach report_reach_of(const coverage_script *s)
{
    return (report_reach){ .lines = s->line_count, .lines_reached = reached_lines(s), .branches = s->branch_count,
                           .branches_reached = reached_branches(s) };
}

static bool line_reached(const coverage_script *s, int line)
{
    for (size_t i = 0; i < s->line_count; i++)
        if (s->lines[i].line == line)
            return s->lines[i].count > 0;
    return true;                                   /* a keyword without code of its own */
}

/* The last line of the gap of unreached lines that begins at the i-th. */
static size_t last_of_gap(const coverage_script *s, size_t i)
{
    while (i + 1 < s->line_count && s->lines[i + 1].count == 0)
        i++;
    return i;
}

typedef struct {
    buf *out;
    size_t left, more;                             /* places that may still be named, and those left out */
    bool any;
} places;

static bool next_place(places *p)
{
    if (p->left == 0) {
        p->more++;
        return false;
    }
    p->left--;
    buf_addz(p->out, p->any ? ", " : "; never: ");
    p->any = true;
    return true;
}

static void add_gap(places *p, int first, int last)
{
    if (!next_place(p))
        return;
    if (first == last)
        buf_printf(p->out, "line %d", first);
    else
        buf_printf(p->out, "lines %d-%d", first, last);
}

/* In the order of the text. Decisions on lines that were never reached are left out. */
static void add_places(const coverage_script *s, places *p)
{
    size_t b = 0;
    for (size_t i = 0; i <= s->line_count; i++) {
        int line = i < s->line_count ? s->lines[i].line : INT32_MAX;
        for (; b < s->branch_count && s->branches[b].line < line; b++)
            if (s->branches[b].count == 0 && line_reached(s, s->branches[b].line) && next_place(p))
                buf_printf(p->out, "%d:%d %s", s->branches[b].line, s->branches[b].col, s->branches[b].what);
        if (i < s->line_count && s->lines[i].count == 0) {
            size_t last = last_of_gap(s, i);
            add_gap(p, line, s->lines[last].line);
            i = last;
        }
    }
}

void report_add_reached(buf *out, const coverage_script *s, size_t places_max)
{
    report_reach r = report_reach_of(s);
    clean_text(out, s->name.n ? s->name : s->sha1);
    if (r.lines_reached == 0) {
        buf_addz(out, "  never ran");
        return;
    }
    if (r.lines_reached == r.lines && r.branches_reached == r.branches) {
        buf_printf(out, r.lines == 1 ? "  its one line" : "  all %zu lines", r.lines);
        if (r.branches > 0)
            buf_printf(out, " and all %zu branches", r.branches);
        return;
    }
    buf_printf(out, "  %zu of %zu lines", r.lines_reached, r.lines);
    if (r.branches > 0)
        buf_printf(out, ", %zu of %zu branches", r.branches_reached, r.branches);
    places p = { .out = out, .left = places_max };
    add_places(s, &p);
    if (p.more > 0)
        buf_printf(out, ", and %zu more", p.more);
}
