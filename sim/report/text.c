/* text.c - results for people: the verdict first, then the story, the reason, what would prevent it, and how to see it
 * again. */
#include <inttypes.h>
#include <string.h>

#include "report/changed.h"
#include "report/clean.h"
#include "report/fold.h"
#include "report/profile.h"

enum { ROWS_MAX = 60, EFFECTS_MAX = 12, PLACES_MAX = 4 };

static const char *paint(const report_style *style, verdict v)
{
    if (!style->color)
        return "";
    return v == VERDICT_PASS ? "\033[32m" : v == VERDICT_FAIL || v == VERDICT_ERROR ? "\033[31;1m" : "\033[33;1m";
}

void report_add_verdict(buf *out, const report_style *style, verdict v)
{
    buf_printf(out, "%s%s%s  ", paint(style, v), verdict_name(v), style->color ? "\033[0m" : "");
}

static void add_path(buf *out, const report_style *style, str path)
{
    size_t from = out->n;
    clean_text(out, path);
    for (size_t have = clean_width(str_slice(buf_str(out), from, out->n)); have < style->path_width; have++)
        buf_byte(out, ' ');
}

bool report_is_failure(const property_result *r)
{
    return r->outcome == OUTCOME_VIOLATED && (r->expected != EXPECT_VIOLATED || r->other_cause);
}

/* Expected to be violated, and it holds: the other way to fail, without a story. */
static bool is_missed(const property_result *r)
{
    return r->outcome == OUTCOME_HOLDS && r->expected == EXPECT_VIOLATED;
}

static void add_story(buf *out, const story *s, const outcome *o, const report_style *style)
{
    report_add_story(out, s, &(story_frame){ .clients = o->clients, .client_count = o->client_count,
                                             .rows_max = style->verbose ? 0 : ROWS_MAX, .width = style->width });
}

static void plural(buf *out, uint64_t n, const char *one, const char *many)
{
    report_add_count(out, n);
    buf_printf(out, " %s", n == 1 ? one : many);
}

void report_add_replay(buf *out, const char *program, str file)
{
    clean_argument(out, str_from(program ? program : "locksim"));
    buf_addz(out, " replay ");
    clean_argument(out, file);
}

void report_add_search(buf *out, const outcome *o, const report_style *style)
{
    if (o->search.strategy.n == 0)
        return;
    clean_text(out, o->search.strategy);
    buf_addz(out, ": ");
    if (str_eq(o->search.strategy, S("schedule")))
        plural(out, o->search.transitions, "step", "steps");
    else if (o->search.states || str_eq(o->search.strategy, S("exhaustive")))
        plural(out, o->search.states, "state", "states");
    else
        plural(out, o->search.runs, "run", "runs");
    if (o->search.stand_for) {
        buf_addz(out, " that stand for ");
        report_add_count(out, o->search.stand_for);
    }
    if (str_starts(o->search.strategy, S("uniform")) || str_starts(o->search.strategy, S("pct")))
        buf_printf(out, ", seed %" PRIu64, o->search.seed);
    if (style->timing)
        buf_printf(out, ", %" PRId64 ".%03" PRId64 " s", o->search.elapsed_ms / 1000, o->search.elapsed_ms % 1000);
}

/* Why it ended so, most likely, and what to do about it. */
static void add_advice(buf *out, const outcome *o)
{
    const advice *x = &o->advice;
    buf b = { 0 };
    buf_add(&b, x->cause);
    if (x->where.n)
        buf_printf(&b, " (%.*s)", STR_ARG(x->where));
    fold_labelled(out, "cause", buf_str(&b));
    fold_labelled(out, "try", x->change);
    buf_free(&b);
}

/* The profile of the states, where it was wanted or a limit came first. */
static void add_profile(buf *out, const outcome *o, const report_style *style)
{
    buf b = { 0 };
    if (o->profile)
        report_add_profile(&b, o, style->verbose || style->profile);
    fold_labelled(out, "made", buf_str(&b));
    buf_free(&b);
}

/* The meaning of the result, and the coverage of each script. */
static void add_means(buf *out, const outcome *o, const report_style *style)
{
    buf b = { 0 };
    buf_add(&b, o->means);
    if (style->timing && o->work.n)
        buf_printf(&b, "%s%.*s", b.n > 0 && b.p[b.n - 1] != '\n' ? "\n" : "", STR_ARG(o->work));
    for (size_t i = 0; i < o->script_count; i++) {
        if (b.n > 0)
            buf_byte(&b, '\n');
        report_add_reached(&b, &o->scripts[i], style->verbose ? SIZE_MAX : PLACES_MAX);
    }
    fold_labelled(out, "means", buf_str(&b));
    buf_free(&b);
}

/* An earlier example with the same steps; NULL if there is none. */
static const counterexample *told_before(const outcome *o, const counterexample *x)
{
    for (const counterexample *y = o->examples; y && y < x && (size_t)(x - o->examples) < o->example_count; y++)
        if (str_eq(x->schedule, y->schedule) && report_is_failure(&o->properties[x->property]) ==
            report_is_failure(&o->properties[y->property]))
            return y;
    return NULL;
}

static bool has_picture(const report_item *item, const counterexample *x)
{
    return item->pictures && x >= item->result->examples && item->pictures[x - item->result->examples];
}

static void add_written(buf *out, str file, bool picture)
{
    buf_addz(out, "  wrote  ");
    clean_text(out, file);
    buf_addz(out, "   the schedule, a step a line");
    if (picture) {
        buf_addz(out, "   ");
        clean_text(out, str_slice(file, 0, file.n - 4));
        buf_addz(out, ".svg   the same as a picture");
    }
    buf_byte(out, '\n');
}

static void add_signature(buf *out, const char *label, const signature *s)
{
    buf b = { 0 };
    if (s)
        signature_print(s, &b);
    fold_labelled(out, label, buf_str(&b));
    buf_free(&b);
}

/* Where a counterexample is saved; "" if it is not. */
static str file_of(const report_item *item, const counterexample *x)
{
    size_t i = (size_t)(x - item->result->examples);
    return item->files && x >= item->result->examples && i < item->result->example_count ? item->files[i] : S("");
}

/* `means`: the meaning of the scenario's result appears once, under the first of its stories. */
static void add_example(buf *out, const report_item *item, const counterexample *x, bool means,
                        const report_style *style)
{
    const outcome *o = item->result;
    str file = file_of(item, x);
    const counterexample *same = told_before(o, x);
    buf_addz(out, "  ");
    clean_text(out, x->text);
    buf_addz(out, o->search.complete && o->search.runs > 1 ? "        shortest: " : o->search.runs > 1
             ? "        shortest found: " : "        ");
    plural(out, x->steps, "step", "steps");
    buf_addz(out, ", ");
    plural(out, x->switches, "switch", "switches");
    buf_byte(out, '\n');
    if (same) {
        buf_printf(out, "  The same steps as under %s.\n", property_describe(same->property)->code);
        fold_labelled(out, "why", x->why);
    } else {
        buf_byte(out, '\n');
        add_story(out, &x->story, o, style);
        buf_byte(out, '\n');
        report_add_effects(out, &x->story, style->verbose ? 0 : EFFECTS_MAX);
        if (style->verbose)
            report_add_requests(out, &x->story);
        fold_labelled(out, "why", x->why);
        fold_labelled(out, "blame", x->blame);
        if (means)
            add_means(out, o, style);
    }
    if (!x->replayed)
        fold_labelled(out, "note",
                     S("replayed, this schedule did not break the property again: that is a mistake of locksim's"));
    if (file.n) {
        buf_addz(out, "\n  replay ");
        report_add_replay(out, style->program, file);
        buf_byte(out, '\n');
        add_written(out, file, has_picture(item, x));
    }
    buf_byte(out, '\n');
}

void report_add_properties(buf *out, const outcome *o)
{
    size_t hold = 0, undecided = 0;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        hold += o->properties[i].outcome == OUTCOME_HOLDS;
        undecided += o->properties[i].outcome == OUTCOME_UNDECIDED;
    }
    buf_printf(out, "%zu %s", hold, hold == 1 ? "property holds" : "properties hold");
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_result *r = &o->properties[i];
        if (r->outcome != OUTCOME_VIOLATED || r->expected != EXPECT_VIOLATED)
            continue;
        buf_printf(out, ", %s is violated, as expected", property_describe((property)i)->name);
        if (r->example)
            buf_printf(out, " (%zu %s)", r->example->steps, r->example->steps == 1 ? "step" : "steps");
    }
    if (undecided)
        buf_printf(out, ", %zu undecided", undecided);
}

/* What never met: one line, or with --meetings all of it. */
static void add_meetings(buf *out, const outcome *o, const report_style *style)
{
    buf b = { 0 };
    if (o->unmet_count)
        buf_printf(&b, "%zu of %zu: %.*s at %.*s%s", o->unmet_count, o->meeting_count, STR_ARG(o->meetings[0].op),
                   STR_ARG(o->meetings[0].place), o->unmet_count > 1 ? ", ..." : "");
    if (o->unmet_count && !style->meetings)
        buf_addz(&b, " (--meetings lists them)");
    if (o->meetings_full)
        buf_printf(&b, "%sthere is more than can be told apart", b.n ? "; " : "");
    fold_labelled(out, "unmet", buf_str(&b));
    buf_free(&b);
    for (size_t i = 0; style->meetings && i < o->meeting_count; i++) {
        const meeting *x = &o->meetings[i];
        buf_printf(out, "  %-6s ", x->met ? "met" : "never");
        clean_text(out, x->op);
        buf_addz(out, " at ");
        clean_text(out, x->place);
        buf_addz(out, "   ");
        clean_text(out, x->path);
        buf_printf(out, ":%d\n", x->line);
    }
}

/* What --verbose adds under a result without a counterexample of its own. */
static void add_details(buf *out, const report_item *item, const report_style *style)
{
    const outcome *o = item->result;
    if (!style->verbose)
        return;
    fold_labelled(out, "title", o->title);
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_result *r = &o->properties[i];
        const property_info *info = property_describe((property)i);
        if (r->outcome == OUTCOME_NOT_JUDGED)
            continue;
        buf_printf(out, "  %-6s %-24s %s%s\n", info->code, info->name, property_outcome_name(r->outcome),
                   r->expected == EXPECT_UNSAID ? ""
                   : (r->expected == EXPECT_VIOLATED) == (r->outcome == OUTCOME_VIOLATED)
                   ? ", as expected" : ", not as expected");
        fold_labelled(out, "", r->reason);
        add_signature(out, "", r->signature);
    }
    fold_labelled(out, "saw", o->seen);
    fold_labelled(out, "never", o->unseen);
    add_means(out, o, style);
    for (size_t i = 0; i < o->example_count; i++) {
        const counterexample *x = &o->examples[i];
        const property_info *info = property_describe(x->property);
        if (report_is_failure(&o->properties[x->property]))
            continue;
        buf_printf(out, "\n  expected: %s  %s\n", info->name, info->code);
        add_example(out, item, x, false, style);
    }
}

/* What --measure found. */
static void add_measure(buf *out, const report_item *item)
{
    const report_measure *m = item->measure;
    buf b = { 0 };
    if (!m || item->result->verdict == VERDICT_ERROR)
        return;
    if (m->known) {
        buf_printf(&b, "an acquisition waits %.6g ms (99 of 100 at most %.6g ms) and takes %.6g requests, %.6g "
                   "commands; simulated, ",
                   m->wait_mean_ms, m->wait_p99_ms, m->requests, m->commands);
        plural(&b, m->seeds, "seed", "seeds");
    } else if (m->why.n) {
        buf_addz(&b, "it cannot be simulated: ");
        buf_add(&b, m->why);
    } else {
        buf_addz(&b, "simulated: no client ever acquired");
    }
    fold_labelled(out, "costs", buf_str(&b));
    buf_free(&b);
}

void report_error(const outcome *o, buf *out)
{
    buf b = { 0 };
    err_print(&o->error, &b);
    for (size_t from = 0; from < b.n; ) {
        size_t end = str_find(buf_str(&b), '\n', from);
        buf_addz(out, "  ");
        clean_lines(out, str_slice(buf_str(&b), from, end));
        buf_byte(out, '\n');
        from = end + 1;
    }
    buf_free(&b);
}

static void add_failures(buf *out, const report_item *item, const report_style *style)
{
    const outcome *o = item->result;
    bool meant = false;
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_result *r = &o->properties[i];
        const property_info *info = property_describe((property)i);
        if (!report_is_failure(r) && !is_missed(r))
            continue;
        report_add_verdict(out, style, VERDICT_FAIL);
        clean_text(out, o->path);
        buf_printf(out, "   %s  %s\n", info->name, info->code);
        if (is_missed(r)) {
            buf_printf(out, "  The scenario expects %s to be violated, and it holds.        ", info->name);
            report_add_search(out, o, style);
            buf_byte(out, '\n');
            fold_labelled(out, "reason", r->reason);
            if (!meant)
                add_means(out, o, style);
            meant = true;
            buf_byte(out, '\n');
            continue;
        }
        if (r->other_cause) {
            buf_addz(out, "  It was expected to be violated, but not so (--write-expect takes this for what is "
                     "expected):\n");
            add_signature(out, "is", r->signature);
            add_signature(out, "was", r->expected_signature);
        }
        if (r->example) {
            add_example(out, item, r->example, !meant, style);
            meant = true;
        } else {
            buf_addz(out, "  violated; the search kept no story of it\n\n");
        }
    }
}

/* All of it on a line. */
static void add_summary(buf *out, const outcome *o, const report_style *style)
{
    report_add_verdict(out, style, o->verdict);
    add_path(out, style, o->path);
    buf_addz(out, " ");
    report_add_properties(out, o);
    buf_addz(out, "   ");
    report_add_search(out, o, style);
    buf_byte(out, '\n');
}

static void add_result(const report_item *item, const report_style *style, buf *out)
{
    const outcome *o = item->result;
    switch (o->verdict) {
    case VERDICT_FAIL: {
        size_t before = out->n;
        add_failures(out, item, style);
        if (out->n == before) {                    /* failed for a reason of its own */
            report_add_verdict(out, style, o->verdict);
            clean_text(out, o->path);
            buf_byte(out, '\n');
            fold_labelled(out, "reason", o->reason);
        }
        add_profile(out, o, style);
        if (style->meetings)
            add_meetings(out, o, style);
        add_details(out, item, style);
        return;
    }
    case VERDICT_PASS:
        add_summary(out, o, style);
        fold_labelled(out, "note", o->note);
        add_profile(out, o, style);
        add_meetings(out, o, style);
        add_details(out, item, style);
        return;
    case VERDICT_INCONCLUSIVE:
    case VERDICT_VACUOUS:
        add_summary(out, o, style);
        add_advice(out, o);
        fold_labelled(out, "reason", o->reason);
        add_profile(out, o, style);
        add_meetings(out, o, style);
        if (style->verbose)
            add_details(out, item, style);
        else
            add_means(out, o, style);
        buf_byte(out, '\n');
        return;
    case VERDICT_ERROR:
        report_add_verdict(out, style, o->verdict);
        clean_text(out, o->path);
        buf_byte(out, '\n');
        report_error(o, out);
        if (o->error.class_ == ERR_NONE)
            fold_labelled(out, "reason", o->reason);
        if (o->run.count) {
            buf_byte(out, '\n');
            add_story(out, &o->run, o, style);
            if (style->verbose)
                report_add_requests(out, &o->run);
        }
        buf_byte(out, '\n');
        return;
    }
}

void report_text(const report_item *item, const report_style *style, buf *out)
{
    size_t from = out->n;
    add_result(item, style, out);
    add_measure(out, item);
    fold_lines(out, from, style->width);
}

void report_text_summary(const report_item *items, size_t count, size_t not_run, const report_style *style, buf *out)
{
    static const struct { verdict v; const char *word; } words[] = {
        { VERDICT_PASS, "passed" }, { VERDICT_FAIL, "failed" }, { VERDICT_INCONCLUSIVE, "inconclusive" },
        { VERDICT_VACUOUS, "vacuous" }, { VERDICT_ERROR, "in error" },
    };
    size_t from = out->n;
    plural(out, count + not_run, "scenario", "scenarios");
    const char *between = ": ";
    for (size_t w = 0; w < COUNT(words); w++) {
        size_t n = 0;
        for (size_t i = 0; i < count; i++)
            n += items[i].result->verdict == words[w].v;
        if (n == 0)
            continue;
        buf_printf(out, "%s%zu %s", between, n, words[w].word);
        between = ", ";
    }
    if (not_run)
        buf_printf(out, "%s%zu not run", between, not_run);
    if (style->left_out)
        buf_printf(out, "; %zu left out", style->left_out);
    bool failed = false;
    for (size_t i = 0; i < count; i++)
        failed = failed || items[i].result->verdict == VERDICT_FAIL;
    if (failed)
        buf_addz(out, "          (`locksim explain CODE` says what a property means)");
    else if (!style->verbose && count)
        buf_addz(out, "          (--verbose says what each pass means, and tells the expected stories)");
    buf_byte(out, '\n');
    fold_lines(out, from, style->width);
}

void report_text_replay(const report_item *item, str file, property p, const report_style *style, buf *out)
{
    const outcome *o = item->result;
    const property_info *info = p < PROPERTY_COUNT ? property_describe(p) : NULL;
    const property_result *r = info ? &o->properties[p] : &(property_result){ .outcome = OUTCOME_HOLDS };
    if (o->verdict == VERDICT_ERROR) {
        report_text(item, style, out);
        return;
    }
    bool again = r->outcome == OUTCOME_VIOLATED;
    size_t from = out->n;
    report_add_verdict(out, style, again ? VERDICT_FAIL : VERDICT_PASS);
    clean_text(out, o->path);
    if (info)
        buf_printf(out, "   %s  %s", info->name, info->code);
    buf_byte(out, '\n');
    if (again && r->example) {
        buf_addz(out, "  ");
        clean_text(out, r->example->text);
        buf_addz(out, "\n");
    } else if (!info) {
        buf_addz(out, "  The whole schedule fits, and breaks nothing.\n");
    } else if (!again) {
        buf_printf(out, "  The whole schedule fits, and %s is not violated any more.\n", info->name);
    }
    buf_byte(out, '\n');
    report_add_story(out, &o->run, &(story_frame){ .clients = o->clients, .client_count = o->client_count,
                                                  .width = style->width });
    buf_byte(out, '\n');
    report_add_effects(out, &o->run, style->verbose ? 0 : EFFECTS_MAX);
    if (style->verbose)
        report_add_requests(out, &o->run);
    if (again && r->example)
        fold_labelled(out, "why", r->example->why);
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (i != (size_t)p && o->properties[i].outcome == OUTCOME_VIOLATED)
            buf_printf(out, "  also   %s  %s is violated\n", property_describe((property)i)->name,
                       property_describe((property)i)->code);
    fold_labelled(out, "from", file);
    fold_lines(out, from, style->width);
}
