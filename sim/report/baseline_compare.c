/* baseline_compare.c - the differences between a saved run and this one, in words. See baseline.h. */
#include "report/baseline.h"
#include "report/clean.h"

enum { MOVES_MAX = 2 * PROPERTY_COUNT + 16 };

/* ---- this run, in the same shape ---- */

static baseline_row row_of(arena *a, const report_item *item)
{
    const outcome *o = item->result;
    buf name = { 0 };
    clean_lines(&name, o->path);                   /* as report_json wrote it */
    baseline_row r = { .scenario = arena_str(a, buf_str(&name)), .verdict = o->verdict, .states = o->search.states,
                       .transitions = o->search.transitions, .runs = o->search.runs };
    buf_free(&name);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        r.properties[p] = o->properties[p].outcome;
    for (size_t i = 0; i < o->example_count; i++)
        r.story_steps[o->examples[i].property] = o->examples[i].story.count;
    r.asked = item->measure != NULL;
    if (item->measure)
        r.measure = *item->measure;
    return r;
}

/* ---- one scenario ---- */

typedef struct {
    arena *a;
    baseline_change *c;
} comparing;

static void add_move(comparing *with, str what, str before, str after, str by)
{
    if (str_eq(before, after))
        return;
    with->c->moves[with->c->move_count++] = (baseline_move){ .what = what, .before = before, .after = after, .by = by };
}

static void compare_words(comparing *with, str what, const char *before, const char *after)
{
    add_move(with, what, str_from(before), str_from(after), S(""));
}

static str count_text(arena *a, uint64_t n)
{
    buf b = { 0 };
    report_add_count(&b, n);
    str s = arena_str(a, buf_str(&b));
    buf_free(&b);
    return s;
}

static void compare_counts(comparing *with, str what, uint64_t before, uint64_t after)
{
    str distance = count_text(with->a, before < after ? after - before : before - after);
    add_move(with, what, count_text(with->a, before), count_text(with->a, after),
             arena_printf(with->a, "%c%.*s", before < after ? '+' : '-', STR_ARG(distance)));
}

/* With as many digits as report_json writes: more would differ from what was read back. */
static void compare_numbers(comparing *with, str what, double before, double after)
{
    str by = before > 0 ? arena_printf(with->a, "%+.1f %%", (after - before) / before * 100) : S("");
    add_move(with, what, arena_printf(with->a, "%.6g", before), arena_printf(with->a, "%.6g", after), by);
}

static void compare_measures(comparing *with, const report_measure *before, const report_measure *after)
{
    if (!before->known || !after->known) {
        compare_words(with, S("measure"), before->known ? "acquisitions" : "none",
                      after->known ? "acquisitions" : "none");
        return;
    }
    compare_numbers(with, S("wait_mean_ms"), before->wait_mean_ms, after->wait_mean_ms);
    compare_numbers(with, S("wait_p99_ms"), before->wait_p99_ms, after->wait_p99_ms);
    compare_numbers(with, S("commands_per_acquisition"), before->commands, after->commands);
    compare_numbers(with, S("requests_per_acquisition"), before->requests, after->requests);
}

/* The order of badness: an error is worse than a failure, and INCONCLUSIVE is worse than VACUOUS. */
static int badness(verdict v)
{
    static const int of[] = { [VERDICT_PASS] = 0, [VERDICT_VACUOUS] = 1, [VERDICT_INCONCLUSIVE] = 2, [VERDICT_FAIL] = 3,
                              [VERDICT_ERROR] = 4 };
    return of[v];
}

static void compare_rows(comparing *with, const baseline_row *before, const baseline_row *after)
{
    baseline_change *c = with->c;
    c->moves = ARENA_ARRAY(with->a, baseline_move, MOVES_MAX);
    compare_words(with, S("verdict"), verdict_name(before->verdict), verdict_name(after->verdict));
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const property_info *info = property_describe((property)p);
        compare_words(with, arena_printf(with->a, "%s %s", info->code, info->name),
                      property_outcome_name(before->properties[p]), property_outcome_name(after->properties[p]));
    }
    compare_counts(with, S("states"), before->states, after->states);
    compare_counts(with, S("transitions"), before->transitions, after->transitions);
    compare_counts(with, S("runs"), before->runs, after->runs);
    for (int p = 0; p < PROPERTY_COUNT; p++)
        if (before->story_steps[p] && after->story_steps[p])
            compare_counts(with, arena_printf(with->a, "%s story_steps", property_describe((property)p)->code),
                           before->story_steps[p], after->story_steps[p]);
    if (before->asked && after->asked)
        compare_measures(with, &before->measure, &after->measure);
    int d = badness(after->verdict) - badness(before->verdict);
    c->kind = d > 0 ? CHANGE_WORSE : d < 0 ? CHANGE_BETTER : c->move_count ? CHANGE_MOVED : CHANGE_NONE;
    c->scenario = after->scenario;
    c->before = before->verdict;
    c->after = after->verdict;
}

/* ---- all of them ---- */

/* The first row of that name that was not compared yet; b->count: none. */
static size_t find_row(const baseline *b, const bool *used, str scenario)
{
    size_t i = 0;
    while (i < b->count && (used[i] || !str_eq(b->rows[i].scenario, scenario)))
        i++;
    return i;
}

/* Equal changes stay in order. */
static void sort_by_kind(arena *a, baseline_changes *c)
{
    baseline_change *sorted = ARENA_ARRAY(a, baseline_change, c->count + 1);
    size_t n = 0;
    for (int kind = 0; kind < CHANGE_KINDS; kind++)
        for (size_t i = 0; i < c->count; i++)
            if (c->items[i].kind == (baseline_kind)kind) {
                c->of[kind]++;
                if (kind != CHANGE_NONE)
                    sorted[n++] = c->items[i];
            }
    c->items = sorted;
    c->count = n;
}

baseline_changes baseline_compare(arena *a, const baseline *b, const report_item *items, size_t count, bool partial)
{
    baseline_changes out = { .items = ARENA_ARRAY(a, baseline_change, count + b->count + 1) };
    bool *used = ARENA_ARRAY(a, bool, b->count + 1);
    for (size_t i = 0; i < count; i++) {
        baseline_row after = row_of(a, &items[i]);
        size_t k = find_row(b, used, after.scenario);
        baseline_change *c = &out.items[out.count++];
        if (k == b->count) {
            *c = (baseline_change){ .kind = CHANGE_NEW, .scenario = after.scenario, .after = after.verdict };
            continue;
        }
        used[k] = true;
        compare_rows(&(comparing){ .a = a, .c = c }, &b->rows[k], &after);
    }
    for (size_t k = 0; k < b->count && !partial; k++)
        if (!used[k])
            out.items[out.count++] = (baseline_change){ .kind = CHANGE_GONE, .scenario = b->rows[k].scenario,
                                                        .before = b->rows[k].verdict };
    sort_by_kind(a, &out);
    return out;
}

/* ---- for people ---- */

const char *baseline_kind_name(baseline_kind k)
{
    static const char *const names[CHANGE_KINDS] = { "worse", "better", "moved", "new", "gone", "as_before" };
    return names[k];
}

static void add_change(const baseline_change *c, const report_style *style, buf *out)
{
    bool red = c->kind == CHANGE_WORSE && style->color;
    buf_printf(out, "%s%-6s%s  ", red ? "\033[31;1m" : "", baseline_kind_name(c->kind), red ? "\033[0m" : "");
    clean_text(out, c->scenario);
    if (c->kind == CHANGE_NEW)
        buf_printf(out, "   %s", verdict_name(c->after));
    else if (c->kind == CHANGE_GONE)
        buf_printf(out, "   was %s", verdict_name(c->before));
    buf_byte(out, '\n');
    for (size_t i = 0; i < c->move_count; i++) {
        const baseline_move *m = &c->moves[i];
        buf_printf(out, "  %-32.*s %.*s -> %.*s", STR_ARG(m->what), STR_ARG(m->before), STR_ARG(m->after));
        buf_printf(out, m->by.n ? " (%.*s)\n" : "\n", STR_ARG(m->by));
    }
}

void report_baseline_text(const report_baseline *b, const report_style *style, buf *out)
{
    const baseline_changes *c = &b->changes;
    for (size_t i = 0; i < c->count; i++)
        add_change(&c->items[i], style, out);
    buf_addz(out, c->count ? "\nagainst " : "against ");
    clean_text(out, b->saved->path);
    buf_addz(out, ": ");
    const char *between = "";
    for (int k = 0; k < CHANGE_KINDS; k++) {
        if (c->of[k] == 0)
            continue;
        buf_printf(out, "%s%zu %s", between, c->of[k],
                   k == CHANGE_NONE ? "as before" : baseline_kind_name((baseline_kind)k));
        between = ", ";
    }
    buf_addz(out, *between ? "\n" : "nothing was run\n");
    bool none_known = b->saved->count && c->of[CHANGE_NEW] && c->of[CHANGE_NEW] + c->of[CHANGE_GONE] == c->count &&
                      c->of[CHANGE_NONE] == 0;
    if (none_known)
        buf_addz(out, "  None of these scenarios is in the saved run: was it made in another folder?\n");
}
