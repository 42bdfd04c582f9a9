/* comparison.c - see comparison.h: the verdict first, then the shortest story in two columns, then each scenario,
 * then what was lost and won. */
#include "report/comparison.h"

#include <inttypes.h>
#include <string.h>

#include "report/clean.h"
#include "report/fold.h"

compare_verdict report_compare_worse(compare_verdict a, compare_verdict b)
{
    static const compare_verdict order[] = { COMPARE_ERROR, COMPARE_DIFFERENT, COMPARE_KEYS_DIFFER, COMPARE_UNDECIDED };
    for (size_t i = 0; i < COUNT(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return COMPARE_EQUIVALENT;
}

const counterexample *report_compare_example(const report_compared *c)
{
    const property_result *p = c->result->found.properties;
    if (p[PROPERTY_EQUIVALENT].outcome == OUTCOME_VIOLATED)
        return p[PROPERTY_EQUIVALENT].example;
    return p[PROPERTY_SAME_KEYS].outcome == OUTCOME_VIOLATED ? p[PROPERTY_SAME_KEYS].example : NULL;
}

static void pad(buf *out, size_t from, size_t columns)
{
    for (size_t have = clean_width(str_slice(buf_str(out), from, out->n)); have < columns; have++)
        buf_byte(out, ' ');
}

static void add_told(buf *out, const report_compared *c, str again, const report_style *style)
{
    const counterexample *x = report_compare_example(c);
    if (!x)
        return;
    const property_info *info = property_describe(x->property);
    buf_addz(out, "  ");
    clean_text(out, x->text);
    buf_printf(out, "        %s  %s, %zu step%s, %zu switch%s\n  in ", info->name, info->code, x->steps,
               x->steps == 1 ? "" : "s", x->switches, x->switches == 1 ? "" : "es");
    clean_text(out, c->result->found.path);
    buf_addz(out, "\n\n");
    report_compare_story(&x->story, style, out);
    buf_byte(out, '\n');
    report_compare_commands(&x->story, out);
    fold_labelled(out, "why", x->why);
    fold_labelled(out, "blame", x->blame);
    if (c->driver_count == 0) {                    /* else two schedules would have to be followed */
        buf_addz(out, "  replay ");
        buf_add(out, again);
        buf_addz(out, " --schedule ");
        clean_argument(out, x->schedule);
        buf_byte(out, '\n');
    }
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
    const counterexample *x = report_compare_example(c);
    if (c->result->verdict == COMPARE_ERROR)
        buf_addz(out, "see below");
    else if (x)
        buf_printf(out, "%s after %zu step%s, ", property_describe(x->property)->code, x->steps,
                   x->steps == 1 ? "" : "s");
    if (c->result->verdict != COMPARE_ERROR && o->search.states == 0)
        buf_printf(out, "its one schedule, %zu steps", o->run.count);
    else if (c->result->verdict != COMPARE_ERROR) {
        report_add_count(out, o->search.states);
        buf_printf(out, " state%s", o->search.states == 1 ? "" : "s");
    }
    if (c->result->verdict == COMPARE_KEYS_DIFFER)
        buf_addz(out, o->search.complete ? "; no client can tell in it" : "; whether a client can tell is open");
    if (c->result->verdict == COMPARE_UNDECIDED || (c->result->verdict == COMPARE_KEYS_DIFFER && !o->search.complete)) {
        buf_addz(out, ": ");
        clean_text(out, o->reason);
    }
    if (c->result->same_scripts && c->result->verdict != COMPARE_ERROR)
        buf_addz(out, c->untouched ? "; none of the scripts that it loads lies in either version"
                 : "; it runs no script that differs");
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
        buf_printf(out, "  %-5s %s  %-24s %s -> %s  in ", change_of(was, is), property_describe((property)i)->code,
                   property_describe((property)i)->name, property_outcome_name(was), property_outcome_name(is));
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

/* ---- what it costs ---- */

static bool moved(const report_measure *was, const report_measure *is)
{
    if (!was || !is || !was->known || !is->known)
        return was && is && was->known != is->known;
    return was->wait_mean_ms != is->wait_mean_ms || was->wait_p99_ms != is->wait_p99_ms ||
           was->commands != is->commands ||
           was->requests != is->requests;
}

static void add_number(buf *out, double x)
{
    buf_printf(out, x >= 1000 ? "%.0f" : "%.3g", x);
}

static void add_move(buf *out, const char *what, const char *unit, double was, double is)
{
    buf_printf(out, "%s ", what);
    add_number(out, was);
    if (was != is) {
        buf_addz(out, " -> ");
        add_number(out, is);
    }
    buf_addz(out, unit);
}

static void add_cost(buf *out, const report_compared *c)
{
    const report_measure *was = c->costs[0], *is = c->costs[1];
    buf_addz(out, "  ");
    if (was->known && is->known) {
        add_move(out, "wait", " ms", was->wait_mean_ms, is->wait_mean_ms);
        add_move(out, ", p99", " ms", was->wait_p99_ms, is->wait_p99_ms);
        add_move(out, "; commands", "", was->commands, is->commands);
        add_move(out, ", requests", " an acquisition", was->requests, is->requests);
    } else
        buf_printf(out, "no client acquires with the %s version%s", was->known ? "new" : "old",
                   was->known && c->driver_count == 0 ? ", by client code that is made for the old one's answers" : "");
    buf_addz(out, "  in ");
    clean_text(out, c->result->found.path);
    buf_byte(out, '\n');
}

static void add_costs(buf *out, const report_comparison *c, const report_style *style)
{
    enum { COSTS_MAX = 5 };
    size_t count = 0, measured = 0;
    uint64_t seeds = 0;
    for (size_t i = 0; i < c->count; i++) {
        const report_compared *x = &c->items[i];
        measured += x->costs[0] && x->costs[1];
        seeds = x->costs[0] && x->costs[0]->seeds > seeds ? x->costs[0]->seeds : seeds;
        count += moved(x->costs[0], x->costs[1]);
    }
    if (measured == 0)
        return;
    buf_printf(out, "\nwhat an acquisition costs, simulated with %" PRIu64 " seeds\n", seeds);
    if (count == 0)
        buf_printf(out, "  the same in %s: waits, commands and requests\n",
                   measured == 1 ? "this scenario" : "all of these scenarios");
    size_t told = 0;
    for (size_t i = 0; i < c->count; i++)
        if (moved(c->items[i].costs[0], c->items[i].costs[1]) && (told < COSTS_MAX || style->verbose)) {
            add_cost(out, &c->items[i]);
            told++;
        }
    if (told < count)
        buf_printf(out, "  ... and otherwise in %zu more; --verbose shows them\n", count - told);
}

/* ---- all of it ---- */

static void add_summary(buf *out, const report_comparison *c)
{
    size_t of[COMPARE_ERROR + 1] = { 0 };
    for (size_t i = 0; i < c->count; i++)
        of[c->items[i].result->verdict]++;
    static const struct { compare_verdict v; const char *word; } words[] = {
        { COMPARE_EQUIVALENT, "equivalent" }, { COMPARE_DIFFERENT, "different" },
        { COMPARE_KEYS_DIFFER, "with different keys only" },
        { COMPARE_UNDECIDED, "undecided" }, { COMPARE_ERROR, "with errors" } };
    if (c->count == 0)
        return;
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
    fold_labelled(out, "left", c->relation);
    for (size_t i = 0; i < c->count && (style->verbose || c->count == 1); i++)
        if (c->items[i].result->verdict != COMPARE_ERROR)
            fold_labelled(out, "means", c->items[i].result->found.means);
    bool drivers = false;
    buf b = { 0 };
    for (size_t i = 0; i < c->count && !drivers; i++) {
        drivers = c->items[i].driver_count > 0;
        for (size_t k = 0; k < c->items[i].driver_count; k++) {
            buf_addz(&b, k ? ", " : "client code differs, and each version ran with its own: ");
            buf_add(&b, c->items[i].drivers[k]);
        }
    }
    fold_labelled(out, "note", buf_str(&b));
    buf_clear(&b);
    if (c->passed_over)
        buf_printf(&b, "%zu more scenario%s what differs and never run%s it", c->passed_over,
                   c->passed_over == 1 ? " loads" : "s load", c->passed_over == 1 ? "s" : "");
    fold_labelled(out, "note", buf_str(&b));
    buf_free(&b);
    if (c->nothing_ran)
        fold_labelled(out, "note", S("no scenario has run a script that differs: nothing is said of them"));
    if (c->verdict == COMPARE_EQUIVALENT && c->count == 0)
        buf_printf(out, "  none of %zu scenarios runs a script that differs: there was nothing to compare\n",
                   c->looked);
    else if (c->verdict == COMPARE_EQUIVALENT)
        fold_labelled(out, "shown", S("for these scenarios' clients, programs and faults; other programs, longer runs "
                                      "and more clients are not"));
}

void report_compare_text(const report_comparison *c, const report_style *style, buf *out)
{
    static const char *const colors[] = { "\033[32m", "\033[31m", "\033[31m", "\033[33m", "\033[31m" };
    size_t from = out->n;
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
        add_told(out, &c->items[c->told], c->again, style);
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
    add_costs(out, c, style);
    add_means(out, c, style);
    add_summary(out, c);
    fold_lines(out, from, style->width);
}
