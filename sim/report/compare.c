/* compare.c - see compare.h: the verdict first, then the shortest story in two columns, then each scenario, then what was lost and won. */
#include "report/compare.h"

#include <inttypes.h>
#include <string.h>

#include "report/clean.h"

compare_verdict report_compare_worse(compare_verdict a, compare_verdict b)
{
    static const compare_verdict order[] = { COMPARE_ERROR, COMPARE_DIFFERENT, COMPARE_KEYS_DIFFER, COMPARE_UNDECIDED };
    for (size_t i = 0; i < COUNT(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return COMPARE_EQUIVALENT;
}

static const counterexample *story_of(const report_compared *c)
{
    const property_result *p = c->result->found.properties;
    if (p[PROPERTY_EQUIVALENT].outcome == OUTCOME_VIOLATED)
        return p[PROPERTY_EQUIVALENT].example;
    return p[PROPERTY_SAME_KEYS].outcome == OUTCOME_VIOLATED ? p[PROPERTY_SAME_KEYS].example : NULL;
}

/* ---- the story ---- */

enum { STEP_COLUMNS = 18, SIDE_COLUMNS = 58 };

typedef struct { str lines[64]; size_t count; } column;

/* The text's lines, each as wide as the column at most. */
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

/* What one version did in a step; a step that asked no server is everybody's. */
static column side_of(arena *a, const story_row *r, bool second)
{
    column c = { .count = 0 };
    bool asked = r->second_did.n > 0;
    add_lines(a, &c, second && asked ? r->second_did : r->did, SIDE_COLUMNS, "");
    if (!second)
        add_lines(a, &c, r->notes, SIDE_COLUMNS, "  ");
    add_lines(a, &c, second ? r->second_redis : r->redis, SIDE_COLUMNS, "");
    return c;
}

static void add_row(buf *out, size_t number, const story_row *r, bool last)
{
    arena *a = arena_new();
    column step = { .count = 0 }, sides[2] = { side_of(a, r, false), side_of(a, r, true) };
    column told = sides[0];                        /* what the client concluded is said once */
    add_lines(a, &step, r->token, STEP_COLUMNS, "");
    column plain = { .count = 0 };
    add_lines(a, &plain, r->did, SIDE_COLUMNS, "");
    add_lines(a, &plain, r->redis, SIDE_COLUMNS, "");
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
        size_t at = 19;
        const column *const columns[] = { &step, &told, &sides[1] };
        const size_t width[] = { STEP_COLUMNS, SIDE_COLUMNS, SIDE_COLUMNS };
        for (size_t k = 0; k < COUNT(columns); k++) {
            pad(out, from, at);
            if (i < columns[k]->count)
                buf_add(out, columns[k]->lines[i]);
            at += width[k] + 2;
        }
        while (out->n > from && out->p[out->n - 1] == ' ')
            out->n--;
        buf_byte(out, '\n');
    }
    buf_free(&instant);
    arena_free(a);
}

static void add_story(buf *out, const story *s, const report_style *style)
{
    enum { ROWS_MAX = 40 };
    size_t max = style->verbose ? s->count : ROWS_MAX;
    size_t from = out->n;
    buf_addz(out, "    #   time");
    pad(out, from, 19);
    buf_addz(out, "step");
    pad(out, from, 19 + STEP_COLUMNS + 2);
    buf_addz(out, "old");
    pad(out, from, 19 + STEP_COLUMNS + SIDE_COLUMNS + 4);
    buf_addz(out, "new\n");
    for (size_t i = 0; i < s->count; i++) {
        if (s->count > max && i >= max / 4 && i < s->count - (max - max / 4)) {
            if (i == max / 4)
                buf_printf(out, "       ... %zu steps are left out here; --verbose shows them ...\n", s->count - max);
            continue;
        }
        add_row(out, i + 1, &s->rows[i], i + 1 == s->count);
    }
}

/* The commands that both versions ran in the last step, which tells them apart. */
static void add_commands(buf *out, const story *s)
{
    if (s->count == 0)
        return;
    const story_row *last = &s->rows[s->count - 1];
    const struct { const char *label; str text; } sides[] = { { "  old    ", last->effects }, { "  new    ", last->second_effects } };
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

static void add_labelled(buf *out, const char *label, str text)
{
    for (size_t from = 0; from < text.n;) {
        size_t end = str_find(text, '\n', from);
        buf_printf(out, "  %-6s ", label);
        clean_text(out, str_slice(text, from, end));
        buf_byte(out, '\n');
        label = "";
        from = end + 1;
    }
}

static void add_told(buf *out, const report_compared *c, const report_style *style)
{
    const counterexample *x = story_of(c);
    if (!x)
        return;
    const property_info *info = property_describe(x->property);
    buf_addz(out, "  ");
    clean_text(out, x->text);
    buf_printf(out, "        %s  %s, %zu step%s, %zu switch%s\n  in ", info->name, info->code, x->steps, x->steps == 1 ? "" : "s", x->switches,
               x->switches == 1 ? "" : "es");
    clean_text(out, c->result->found.path);
    buf_addz(out, "\n\n");
    add_story(out, &x->story, style);
    buf_byte(out, '\n');
    add_commands(out, &x->story);
    add_labelled(out, "why", x->why);
    add_labelled(out, "blame", x->blame);
    add_labelled(out, "path", x->schedule);
    buf_byte(out, '\n');
}

/* ---- each scenario ---- */

static void add_names(buf *out, const char *label, const str *names, size_t count)
{
    if (count == 0)
        return;
    buf_printf(out, "         %s", label);
    for (size_t i = 0; i < count; i++) {
        buf_addz(out, i ? ", " : " ");
        clean_text(out, names[i]);
    }
    buf_byte(out, '\n');
}

static void add_item(buf *out, const report_compared *c, size_t width, const report_style *style)
{
    const outcome *o = &c->result->found;
    size_t from = out->n;
    buf_printf(out, "  %-11s  ", compare_verdict_name(c->result->verdict));
    clean_text(out, o->path);
    pad(out, from, 15 + width + 2);
    const counterexample *x = story_of(c);
    if (c->result->verdict == COMPARE_ERROR)
        buf_addz(out, "see below");
    else if (x)
        buf_printf(out, "%s after %zu step%s, ", property_describe(x->property)->code, x->steps, x->steps == 1 ? "" : "s");
    if (c->result->verdict != COMPARE_ERROR) {
        report_add_count(out, o->search.states);
        buf_printf(out, " state%s", o->search.states == 1 ? "" : "s");
    }
    if (c->result->verdict == COMPARE_KEYS_DIFFER)
        buf_addz(out, o->search.complete ? "; no client can tell" : "; whether a client can tell is open");
    if (c->result->verdict == COMPARE_UNDECIDED || (c->result->verdict == COMPARE_KEYS_DIFFER && !o->search.complete)) {
        buf_addz(out, ": ");
        clean_text(out, o->reason);
    }
    if (c->result->same_scripts && c->result->verdict != COMPARE_ERROR)
        buf_addz(out, "; it runs no script that differs");
    buf_byte(out, '\n');
    if (style->verbose)
        add_names(out, "scripts that differ:", c->scripts, c->script_count);
}

static void add_error(buf *out, const outcome *o)
{
    buf b = { 0 };
    err_print(&o->error, &b);
    clean_lines(out, buf_str(&b));
    buf_free(&b);
}

/* ---- lost and won ---- */

static const char *change_of(property_outcome was, property_outcome is)
{
    if (was == OUTCOME_HOLDS && is == OUTCOME_VIOLATED)
        return "lost";
    return was == OUTCOME_VIOLATED && is == OUTCOME_HOLDS ? "won" : "";
}

static bool add_changes(buf *out, const report_compared *c)
{
    bool any = false;
    for (size_t i = 0; c->runs[0] && c->runs[1] && i < PROPERTY_COUNT; i++) {
        property_outcome was = c->runs[0]->properties[i].outcome, is = c->runs[1]->properties[i].outcome;
        if (was == is)
            continue;
        buf_printf(out, "  %-5s %s  %-24s %s -> %s  in ", change_of(was, is), property_describe((property)i)->code, property_describe((property)i)->name,
                   property_outcome_name(was), property_outcome_name(is));
        clean_text(out, c->result->found.path);
        buf_byte(out, '\n');
        any = true;
    }
    for (int i = 0; c->runs[0] && c->runs[1] && i < 2; i++)
        if (c->runs[i]->verdict == VERDICT_ERROR && c->runs[!i]->verdict != VERDICT_ERROR) {
            buf_printf(out, "  with the %s version alone this scenario ends in an error:\n", i ? "new" : "old");
            add_error(out, c->runs[i]);
            any = true;
        }
    return any;
}

static void add_all_changes(buf *out, const report_comparison *c)
{
    bool any = false, ran = false;
    for (size_t i = 0; i < c->count; i++)
        ran |= c->items[i].runs[0] && c->items[i].runs[1];
    if (!ran)
        return;
    buf_addz(out, "\nproperties, each version by itself in the scenarios that tell them apart\n");
    for (size_t i = 0; i < c->count; i++)
        any |= add_changes(out, &c->items[i]);
    if (!any)
        buf_addz(out, "  none is lost or won\n");
}

/* ---- all of it ---- */

static void add_summary(buf *out, const report_comparison *c)
{
    size_t of[COMPARE_ERROR + 1] = { 0 };
    for (size_t i = 0; i < c->count; i++)
        of[c->items[i].result->verdict]++;
    static const struct { compare_verdict v; const char *word; } words[] = {
        { COMPARE_EQUIVALENT, "equivalent" }, { COMPARE_DIFFERENT, "different" }, { COMPARE_KEYS_DIFFER, "with different keys only" },
        { COMPARE_UNDECIDED, "undecided" }, { COMPARE_ERROR, "with errors" } };
    buf_printf(out, "\n%zu scenario%s: ", c->count, c->count == 1 ? "" : "s");
    bool any = false;
    for (size_t i = 0; i < COUNT(words); i++)
        if (of[words[i].v]) {
            buf_printf(out, "%s%zu %s", any ? ", " : "", of[words[i].v], words[i].word);
            any = true;
        }
    buf_byte(out, '\n');
}

static void add_means(buf *out, const report_comparison *c, const report_style *style)
{
    add_labelled(out, "left", c->relation);
    for (size_t i = 0; i < c->count && (style->verbose || c->count == 1); i++)
        add_labelled(out, "means", c->items[i].result->found.means);
    bool drivers = false;
    for (size_t i = 0; i < c->count && !drivers; i++) {
        drivers = c->items[i].driver_count > 0;
        if (drivers) {
            buf_addz(out, "  note   client code differs, too, and both versions of the scripts ran under the old one:");
            for (size_t k = 0; k < c->items[i].driver_count; k++) {
                buf_addz(out, k ? ", " : " ");
                clean_text(out, c->items[i].drivers[k]);
            }
            buf_byte(out, '\n');
        }
    }
    if (c->verdict == COMPARE_EQUIVALENT)
        buf_addz(out, "  shown  for these scenarios' clients, programs and faults; other programs, longer runs and more clients are not\n");
}

void report_compare_text(const report_comparison *c, const report_style *style, buf *out)
{
    static const char *const colors[] = { "\033[32m", "\033[31m", "\033[31m", "\033[33m", "\033[31m" };
    if (style->color)
        buf_addz(out, colors[c->verdict]);
    buf_addz(out, compare_verdict_name(c->verdict));
    if (style->color)
        buf_addz(out, "\033[0m");
    buf_addz(out, "  ");
    clean_text(out, c->old);
    buf_addz(out, " -> ");
    clean_text(out, c->new);
    buf_byte(out, '\n');
    if (c->told < c->count)
        add_told(out, &c->items[c->told], style);
    size_t width = 0;
    for (size_t i = 0; i < c->count; i++) {
        size_t w = clean_width(c->items[i].result->found.path);
        width = w > width ? w : width;
    }
    for (size_t i = 0; i < c->count; i++)
        add_item(out, &c->items[i], width, style);
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].result->verdict == COMPARE_ERROR)
            add_error(out, &c->items[i].result->found);
    add_all_changes(out, c);
    add_means(out, c, style);
    add_summary(out, c);
}
