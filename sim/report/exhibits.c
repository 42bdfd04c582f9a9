/* exhibits.c - a museum on one page: a row for each scenario that shows a known bug, with the shortest story in numbers
 * and its twin's verdict. */
#include <inttypes.h>
#include <string.h>

#include "report/clean.h"
#include "report/report.h"
#include "scenario/cases.h"

enum { NOTHING = PROPERTY_COUNT };

enum { EXHIBIT, BUG, LIBRARY, WHAT, FAULTS, BREAKS, STEPS, SWITCHES, STATES, TWIN, TIME, COLUMNS };

static const struct { const char *head; bool number; } columns[COLUMNS] = {
    [EXHIBIT] = { "exhibit", false }, [BUG] = { "bug", false }, [LIBRARY] = { "library", false },
    [WHAT] = { "what is wrong", false },
    [FAULTS] = { "faults", false }, [BREAKS] = { "breaks", false }, [STEPS] = { "steps", true },
    [SWITCHES] = { "switches", true },
    [STATES] = { "states", true }, [TWIN] = { "twin", false }, [TIME] = { "time", true },
};

static bool broken(const outcome *o, int p)
{
    return o->properties[p].outcome == OUTCOME_VIOLATED;
}

/* The main property of an exhibit: one that breaks and that the twin keeps. A weakness that both have is not the
 * bug. */
static int headline(const report_exhibit *x)
{
    int first = NOTHING;
    for (int p = PROPERTY_COUNT - 1; p >= 0; p--)
        if (broken(x->result, p) && (!x->twin || x->twin->properties[p].outcome == OUTCOME_HOLDS))
            first = p;
    for (int p = 0; p < PROPERTY_COUNT && first == NOTHING; p++)
        if (broken(x->result, p))
            first = p;
    return first;
}

/* "LK010 no_lost_wakeup, LK013": the main property by name, the others by code. */
static void add_broken(const report_exhibit *x, int first, buf *out)
{
    const outcome *o = x->result;
    if (first == NOTHING) {
        buf_addz(out, o->verdict == VERDICT_PASS || o->verdict == VERDICT_FAIL ? "nothing" : verdict_name(o->verdict));
        return;
    }
    buf_printf(out, "%s %s", property_describe((property)first)->code, property_describe((property)first)->name);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (p != first && broken(o, p))
            buf_printf(out, ", %s", property_describe((property)p)->code);
}

/* The story's faults, from its schedule: "crash, 2 pause", or "none". */
static void add_faults(str schedule, buf *out)
{
    size_t needed[FAULT_KINDS] = { 0 };
    for (size_t i = 0; i < schedule.n; i++) {
        if (schedule.p[i] != '!' || (i > 0 && schedule.p[i - 1] != ' '))
            continue;
        fault_kind kind;
        if (fault_parse(str_slice(schedule, i + 1, str_find(schedule, ' ', i)), &kind))
            needed[kind]++;
    }
    bool any = false;
    for (int k = 0; k < FAULT_KINDS; k++) {
        if (needed[k] == 0)
            continue;
        buf_addz(out, any ? ", " : "");
        if (needed[k] > 1)
            buf_printf(out, "%zu ", needed[k]);
        buf_addz(out, fault_name((fault_kind)k));
        any = true;
    }
    if (!any)
        buf_addz(out, "none");
}

static const char *twin_verdict(const report_exhibit *x, int first)
{
    if (!x->twin)
        return x->result->exhibit.twin.n ? "not run" : "-";
    if (x->twin->verdict != VERDICT_PASS && x->twin->verdict != VERDICT_FAIL)
        return verdict_name(x->twin->verdict);
    bool kept = first == NOTHING || x->twin->properties[first].outcome == OUTCOME_HOLDS;
    return x->twin->verdict == VERDICT_PASS && kept ? "holds" : "FAILS";
}

static void add_text(buf *out, str text)
{
    if (text.n)
        clean_text(out, text);
    else
        buf_byte(out, '-');
}

/* "R03", and of a file with several exhibits "G4.confirmed" */
static void add_name(buf *out, str path)
{
    str part = case_part(path);
    add_text(out, report_stem(case_file(path)));
    if (part.n && !str_eq(part, S("exhibit"))) {
        buf_byte(out, '.');
        add_text(out, part);
    }
}

static void add_story_of(const report_exhibit *x, int first, int column, buf *out)
{
    const counterexample *story = first == NOTHING ? NULL : x->result->properties[first].example;
    if (!story)
        buf_byte(out, '-');
    else if (column == FAULTS)
        add_faults(story->schedule, out);
    else
        buf_printf(out, "%zu", column == STEPS ? story->steps : story->switches);
}

static void add_cell(const report_exhibit *x, int column, buf *out)
{
    const outcome *o = x->result;
    const scenario_exhibit *e = &o->exhibit;
    int first = headline(x);
    switch (column) {
    case EXHIBIT: add_name(out, o->path); break;
    case BUG: add_text(out, e->bug); break;
    case LIBRARY:
        add_text(out, e->library);
        if (e->versions.n) {
            buf_byte(out, ' ');
            clean_text(out, e->versions);
        }
        break;
    case WHAT: add_text(out, e->what.n ? e->what : o->title); break;
    case FAULTS: case STEPS: case SWITCHES: add_story_of(x, first, column, out); break;
    case BREAKS: add_broken(x, first, out); break;
    case STATES: report_add_count(out, o->search.states); break;
    case TWIN: buf_addz(out, twin_verdict(x, first)); break;
    default:
        buf_printf(out, "%" PRId64 ".%03" PRId64 " s", o->search.elapsed_ms / 1000, o->search.elapsed_ms % 1000);
        break;
    }
}

static void add_markdown(str *cells, size_t rows, size_t shown, buf *out)
{
    for (size_t r = 0; r < rows; r++) {
        buf_byte(out, '|');
        for (size_t c = 0; c < shown; c++) {
            buf_byte(out, ' ');
            for (size_t i = 0; i < cells[r * COLUMNS + c].n; i++) {
                char byte = cells[r * COLUMNS + c].p[i];
                buf_addz(out, byte == '|' ? "\\" : "");
                buf_byte(out, byte);
            }
            buf_addz(out, " |");
        }
        buf_byte(out, '\n');
        for (size_t c = 0; r == 0 && c < shown; c++)
            buf_addz(out, columns[c].number ? c ? "--:|" : "|--:|" : c ? "---|" : "|---|");
        if (r == 0)
            buf_byte(out, '\n');
    }
}

static void add_aligned(str *cells, size_t rows, size_t shown, buf *out)
{
    size_t width[COLUMNS] = { 0 };
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < shown; c++) {
            size_t w = clean_width(cells[r * COLUMNS + c]);
            width[c] = w > width[c] ? w : width[c];
        }
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < shown; c++) {
            str cell = cells[r * COLUMNS + c];
            size_t blanks = width[c] - clean_width(cell);
            for (size_t i = 0; columns[c].number && i < blanks; i++)
                buf_byte(out, ' ');
            buf_add(out, cell);
            for (size_t i = 0; !columns[c].number && c + 1 < shown && i < blanks; i++)
                buf_byte(out, ' ');
            buf_addz(out, c + 1 < shown ? "  " : "\n");
        }
    }
}

void report_exhibits(const report_exhibit *rows, size_t count, report_layout layout, const report_style *style,
                     buf *out)
{
    arena *a = arena_new();
    str *cells = ARENA_ARRAY(a, str, (count + 1) * COLUMNS);
    buf b = { 0 };
    for (size_t r = 0; r <= count; r++)
        for (int c = 0; c < COLUMNS; c++) {
            buf_clear(&b);
            if (r == 0)
                buf_addz(&b, columns[c].head);
            else
                add_cell(&rows[r - 1], c, &b);
            cells[r * COLUMNS + (size_t)c] = arena_str(a, buf_str(&b));
        }
    (layout == REPORT_MARKDOWN ? add_markdown : add_aligned)(cells, count + 1, style->timing ? COLUMNS : TIME, out);
    buf_free(&b);
    arena_free(a);
}
