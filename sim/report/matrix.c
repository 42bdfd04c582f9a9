/* matrix.c - the results of many scenarios by lock, on one page, as Markdown: locks by properties, and where scenarios
 * have faults, locks by faults. Pure: results to text. */
#include <string.h>

#include "report/clean.h"
#include "report/locks.h"
#include "scenario/cases.h"

str report_stem(str path)
{
    str part = case_part(path);
    bool exhibit = str_eq(part, S("exhibit"));
    if (part.n && !exhibit && !str_eq(part, S("twin")))
        return part;
    path = exhibit ? case_file(path) : path;
    size_t begin = path.n;
    while (begin > 0 && path.p[begin - 1] != '/')
        begin--;
    str name = str_slice(path, begin, path.n);
    return str_ends(name, S(".lua")) ? str_slice(name, 0, name.n - 4) : name;
}

/* Text between the bars of a table. */
static void add_text(buf *out, str text)
{
    buf clean = { 0 };
    clean_text(&clean, text);
    for (size_t i = 0; i < clean.n; i++)
        if (clean.p[i] == '|')
            buf_addz(out, "\\|");
        else
            buf_byte(out, clean.p[i]);
    buf_free(&clean);
}

/* What breaks the property: the smallest faults, then the scenarios without faults. */
static void add_judgement(const lock_row *r, int p, buf *out)
{
    if (lock_count(r, p, OUTCOME_VIOLATED) == 0) {
        buf_addz(out, lock_count(r, p, OUTCOME_UNDECIDED) ? "undecided" : lock_count(r, p, OUTCOME_HOLDS) ? "holds"
                 : "-");
        return;
    }
    if (lock_always_breaks(r, p)) {
        buf_addz(out, "always");
        return;
    }
    const char *between = "";
    for (size_t i = 0; i < r->count; i++) {
        const situation *s = &r->at[i];
        if (!situation_breaks(s, p) || mix_is_empty(&s->faults) || lock_breaks_with_less(r, &s->faults, p) ||
            !lock_first_of_its_faults(r, i, p))
            continue;
        buf_addz(out, between);
        mix_add(out, &s->faults);
        between = " ";
    }
    for (size_t i = 0; i < r->count; i++)
        if (situation_breaks(&r->at[i], p) && mix_is_empty(&r->at[i].faults)) {
            buf_addz(out, between);
            add_text(out, report_stem(r->at[i].result->path));
            between = " ";
        }
}

static const char *digits_of(int p)
{
    const char *code = property_describe((property)p)->code;
    return str_starts(str_from(code), S("LK")) ? code + 2 : code;
}

/* "002 013": what some scenario with exactly these faults breaks, without what it breaks in any case. Was there
 * anything? */
static bool add_broken(const lock_row *r, const fault_mix *m, bool beyond_less, const char *before, buf *out)
{
    bool any = false;
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        bool broken = false;
        for (size_t i = 0; i < r->count && !broken; i++)
            broken = mix_cmp(&r->at[i].faults, m) == 0 && situation_breaks(&r->at[i], p);
        if (!broken || lock_always_breaks(r, p) || (beyond_less && lock_breaks_with_less(r, m, p)))
            continue;
        buf_addz(out, any ? " " : before);
        buf_addz(out, digits_of(p));
        any = true;
    }
    return any;
}

static void add_always(const lock_row *r, buf *out)
{
    bool any = false;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (lock_always_breaks(r, p)) {
            buf_addz(out, any ? " " : "");
            buf_addz(out, digits_of(p));
            any = true;
        }
    buf_addz(out, any ? "" : "-");
}

/* What breaks where only this kind of fault happens; FAULT_KINDS: none at all. */
static void add_under(const lock_row *r, fault_kind k, buf *out)
{
    size_t from = out->n;
    bool searched = false, undecided = false;
    for (size_t i = 0; i < r->count; i++) {
        const situation *s = &r->at[i];
        fault_kind single = FAULT_KINDS;
        if (k == FAULT_KINDS ? !mix_is_empty(&s->faults) : !mix_is_single(&s->faults, &single) || single != k)
            continue;
        searched = true;
        for (int p = 0; p < PROPERTY_COUNT; p++)
            undecided |= s->result->properties[p].outcome == OUTCOME_UNDECIDED;
        if (lock_first_of_its_faults(r, i, -1))
            add_broken(r, &s->faults, out->n > from, out->n > from ? " " : "", out);
    }
    if (out->n == from)
        buf_addz(out, undecided ? "undecided" : searched ? "holds" : "-");
}

/* Each mix of several kinds, and what it breaks that its parts do not: "cr+pa, pa+lm: 010". */
static void add_mixes(const lock_row *r, buf *out)
{
    size_t from = out->n;
    for (size_t i = 0; i < r->count; i++) {
        const fault_mix *m = &r->at[i].faults;
        fault_kind single;
        if (mix_is_empty(m) || mix_is_single(m, &single) || !lock_first_of_its_faults(r, i, -1))
            continue;
        buf_addz(out, out->n > from ? ", " : "");
        mix_add(out, m);
        add_broken(r, m, true, ": ", out);
    }
    buf_addz(out, out->n == from ? "-" : "");
}

typedef struct {
    const lock_row *rows;
    size_t count;
    bool judged[PROPERTY_COUNT];
    bool fault[FAULT_KINDS];       /* allowed somewhere */
    bool any_fault, faultless, mixed;
} page;

static void add_line(size_t cells, buf *out)
{
    buf_addz(out, "\n|");
    for (size_t i = 0; i < cells; i++)
        buf_addz(out, "---|");
    buf_byte(out, '\n');
}

static void add_by_property(const page *g, buf *out)
{
    size_t cells = 1;
    buf_addz(out, "| lock |");
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (g->judged[p]) {
            buf_printf(out, " %s |", property_describe((property)p)->code);
            cells++;
        }
    add_line(cells, out);
    for (size_t i = 0; i < g->count; i++) {
        buf_addz(out, "| ");
        add_text(out, g->rows[i].name);
        buf_addz(out, " |");
        for (int p = 0; p < PROPERTY_COUNT; p++)
            if (g->judged[p]) {
                buf_byte(out, ' ');
                add_judgement(&g->rows[i], p, out);
                buf_addz(out, " |");
            }
        buf_byte(out, '\n');
    }
}

static void add_by_fault(const page *g, buf *out)
{
    size_t cells = 2 + g->faultless + g->mixed;
    buf_addz(out, g->faultless ? "| lock | always | no fault |" : "| lock | always |");
    for (int k = 0; k < FAULT_KINDS; k++)
        if (g->fault[k]) {
            buf_printf(out, " %s |", fault_code((fault_kind)k));
            cells++;
        }
    buf_addz(out, g->mixed ? " besides, by several |" : "");
    add_line(cells, out);
    for (size_t i = 0; i < g->count; i++) {
        const lock_row *r = &g->rows[i];
        buf_addz(out, "| ");
        add_text(out, r->name);
        buf_addz(out, " | ");
        add_always(r, out);
        for (int k = -1; k < FAULT_KINDS; k++)
            if (k < 0 ? g->faultless : g->fault[k]) {
                buf_addz(out, " | ");
                add_under(r, k < 0 ? FAULT_KINDS : (fault_kind)k, out);
            }
        if (g->mixed) {
            buf_addz(out, " | ");
            add_mixes(r, out);
        }
        buf_addz(out, " |\n");
    }
}

static void add_legend(const page *g, buf *out)
{
    const char *between = "";
    buf_addz(out, "holds: in each scenario of the lock that judges it; always: breaks in each scenario; -: not judged, "
             "or no such scenario. "
                  "A long name is of a scenario without faults.\n");
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (g->judged[p]) {
            buf_printf(out, "%s%s `%s`", between, property_describe((property)p)->code,
                       property_describe((property)p)->name);
            between = ", ";
        }
    buf_addz(out, between[0] ? ".\n" : "");
    between = "";
    for (int k = 0; k < FAULT_KINDS; k++)
        if (g->fault[k]) {
            buf_printf(out, "%s%s %s", between, fault_code((fault_kind)k), fault_name((fault_kind)k));
            between = ", ";
        }
    buf_addz(out, between[0] ? ".\n" : "");
}

static void look_over(page *g, const lock_row *r)
{
    for (size_t i = 0; i < r->count; i++) {
        fault_kind single;
        const fault_mix *m = &r->at[i].faults;
        for (int p = 0; p < PROPERTY_COUNT; p++)
            g->judged[p] |= r->at[i].result->properties[p].outcome != OUTCOME_NOT_JUDGED;
        for (int k = 0; k < FAULT_KINDS; k++)
            g->fault[k] |= m->of[k] > 0;
        g->any_fault |= !mix_is_empty(m);
        g->faultless |= mix_is_empty(m);
        g->mixed |= !mix_is_empty(m) && !mix_is_single(m, &single);
    }
}

void report_matrix(const report_item *items, size_t count, buf *out)
{
    arena *a = arena_new();
    page g = { 0 };
    g.rows = locks_collect(a, items, count, &g.count);
    for (size_t i = 0; i < g.count; i++)
        look_over(&g, &g.rows[i]);
    add_by_property(&g, out);
    buf_byte(out, '\n');
    if (g.any_fault) {
        add_by_fault(&g, out);
        buf_byte(out, '\n');
    }
    add_legend(&g, out);
    arena_free(a);
}
