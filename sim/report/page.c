/* page.c - see page.h: the head, what came out of each scenario, and a section for each that has more to tell. */
#include "report/page.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "report/clean.h"
#include "report/page_parts.h"
#include "report/profile.h"
#include "report/sequence.h"

/* page.css and page.js, as the linker takes them in. */
extern const char _binary_page_css_start[], _binary_page_css_end[], _binary_page_js_start[], _binary_page_js_end[];

/* The linker sets both ends of the text; for C these are two objects. */
static str between(const char *start, const char *end)
{
    return (str){ start, (size_t)((uintptr_t)end - (uintptr_t)start) };
}

typedef struct {
    const page *p;
    buf *out;
    size_t stories, left_out;          /* told, and not told for want of room */
    buf packed;                        /* of a packed page: the players of its stories, each ended by a 0 */
    size_t packed_count;
    const coverage_script *coverage;   /* of all scenarios together */
    size_t coverage_count;
} writer;

static const char *const marks[] = { [VERDICT_PASS] = "\xe2\x9c\x93", [VERDICT_FAIL] = "\xe2\x9c\x97",
                                     [VERDICT_INCONCLUSIVE] = "?",
                                     [VERDICT_VACUOUS] = "\xe2\x88\x85", [VERDICT_ERROR] = "!" };
static const char *const kinds[] = { [VERDICT_PASS] = "pass", [VERDICT_FAIL] = "fail",
                                     [VERDICT_INCONCLUSIVE] = "unsure",
                                     [VERDICT_VACUOUS] = "unsure", [VERDICT_ERROR] = "fail" };

static void add_verdict(buf *out, verdict v)
{
    buf_printf(out, "<span class=\"verdict %s\"><span aria-hidden=\"true\">%s</span> %s</span>", kinds[v], marks[v],
               verdict_name(v));
}

/* ---- the table ---- */

static bool has_section(const outcome *o)
{
    return o->verdict != VERDICT_PASS || o->example_count > 0 || o->means.n > 0;
}

/* The properties for which it fails, then the rest. */
static void add_broken(const outcome *o, buf *said)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (report_is_failure(&o->properties[i]))
            buf_printf(said, "%s %s is violated, ", property_describe((property)i)->code,
                       property_describe((property)i)->name);
    report_add_properties(said, o);
}

static void add_row(const writer *w, size_t i)
{
    buf *out = w->out;
    const outcome *o = w->p->items[i].result;
    report_style plain = { 0 };
    buf said = { 0 };
    buf_addz(out, "<tr><td>");
    add_verdict(out, o->verdict);
    buf_printf(out, has_section(o) ? "</td><th scope=\"row\"><a href=\"#s%zu\">" : "</td><th scope=\"row\"><a>", i + 1);
    clean_xml(out, o->path);
    buf_addz(out, "</a>");
    if (o->title.n)
        page_tag(out, "span", "soft", o->title);
    buf_addz(out, "</th><td>");
    if (o->verdict != VERDICT_ERROR)
        add_broken(o, &said);
    else
        buf_add(&said, o->error.class_ == ERR_NONE ? o->reason : buf_str(&o->error.message));
    clean_xml(out, buf_str(&said));
    buf_clear(&said);
    report_add_search(&said, o, &plain);
    buf_addz(out, "</td><td>");
    clean_xml(out, buf_str(&said));
    buf_addz(out, "</td></tr>\n");
    buf_free(&said);
}

static void add_table(const writer *w)
{
    size_t shown = w->p->count < PAGE_SCENARIOS_MAX ? w->p->count : PAGE_SCENARIOS_MAX;
    buf_addz(w->out, "<section aria-labelledby=\"scenarios\">\n<h2 id=\"scenarios\">Scenarios</h2>\n<table "
             "class=\"scenarios\">\n<thead><tr>"
                     "<th scope=\"col\">verdict</th><th scope=\"col\">scenario</th><th "
                     "scope=\"col\">properties</th><th scope=\"col\">searched</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < shown; i++)
        add_row(w, i);
    buf_addz(w->out, "</tbody>\n</table>\n");
    if (shown < w->p->count)
        buf_printf(w->out, "<p class=\"soft\">%zu more scenarios are left out of this table.</p>\n",
                   w->p->count - shown);
    buf_addz(w->out, "</section>\n");
}

/* ---- a scenario ---- */

static void add_property_rows(const outcome *o, buf *out)
{
    buf_addz(out, "<table class=\"properties\"><thead><tr><th scope=\"col\">code</th><th "
             "scope=\"col\">property</th><th scope=\"col\">outcome</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < PROPERTY_COUNT; i++) {
        const property_result *r = &o->properties[i];
        const property_info *info = property_describe((property)i);
        if (r->outcome == OUTCOME_NOT_JUDGED)
            continue;
        bool expected = (r->expected == EXPECT_VIOLATED) == (r->outcome == OUTCOME_VIOLATED);
        buf_printf(out, "<tr><td><a href=\"#%s\"><code>%s</code></a></td><th scope=\"row\">%s</th>"
                   "<td class=\"%s\">%s%s",
                   info->code, info->code, info->name, report_is_failure(r) ? "bad" : "",
                   property_outcome_name(r->outcome),
                   r->expected == EXPECT_UNSAID ? "" : expected ? ", as expected" : ", not as expected");
        if (r->reason.n) {
            buf_addz(out, ": ");
            clean_xml(out, r->reason);
        }
        buf_addz(out, "</td></tr>\n");
    }
    buf_addz(out, "</tbody></table>\n");
}

static void add_meaning(const outcome *o, buf *out)
{
    buf_addz(out, "<details><summary>What this result means</summary>\n");
    add_property_rows(o, out);
    page_lines(out, "p", o->means);
    for (size_t i = 0; i < o->script_count; i++) {
        buf reached = { 0 };
        report_add_reached(&reached, &o->scripts[i], 4);
        page_tag(out, "p", "", buf_str(&reached));
        buf_free(&reached);
    }
    if (o->seen.n) {
        buf_addz(out, "<p>It saw: ");
        clean_xml(out, o->seen);
        buf_addz(out, "</p>\n");
    }
    if (o->unseen.n) {
        buf_addz(out, "<p>It never saw: ");
        clean_xml(out, o->unseen);
        buf_addz(out, "</p>\n");
    }
    buf_addz(out, "</details>\n");
}

static const counterexample *told_before(const outcome *o, const counterexample *x)
{
    for (const counterexample *y = o->examples; y < x; y++)
        if (str_eq(x->schedule, y->schedule) && report_is_failure(&o->properties[x->property]) ==
            report_is_failure(&o->properties[y->property]))
            return y;
    return NULL;
}

/* In its place, or packed with those of other stories: page.js shows it here on demand. */
static void add_player(writer *w, const outcome *o, const counterexample *x, str id)
{
    if (!w->p->packed) {
        page_player(o, x, id, w->out);
        return;
    }
    page_player(o, x, id, &w->packed);
    buf_byte(&w->packed, '\0');
    buf_printf(w->out, "<div class=\"packed\" data-story=\"%zu\"><noscript><p>The diagram and the steps: <a href=\"",
               w->packed_count++);
    clean_xml(w->out, w->p->plain_name);
    buf_printf(w->out, "#%.*s\">", STR_ARG(id));
    clean_xml(w->out, w->p->plain_name);
    buf_addz(w->out, "</a>, the same page for browsers without scripts.</p></noscript></div>\n");
}

static void add_example(writer *w, size_t i, const counterexample *x)
{
    const report_item *item = &w->p->items[i];
    const outcome *o = item->result;
    const property_info *info = property_describe(x->property);
    bool failure = report_is_failure(&o->properties[x->property]);
    const counterexample *same = told_before(o, x);
    arena *a = arena_new();
    str id = arena_printf(a, "s%zu-%s", i + 1, info->code);
    buf_printf(w->out, failure ? "<article class=\"story\" id=\"%.*s\">\n<h3><code>%s</code> %s is violated</h3>\n"
                               : "<details class=\"story\" id=\"%.*s\"><summary><h3><code>%s</code> %s is violated, as "
                               "expected</h3></summary>\n",
               STR_ARG(id), info->code, info->name);
    if (same) {
        page_tag(w->out, "p", "sentence", x->text);
        buf_printf(w->out, "<p>The same steps as under <a href=\"#s%zu-%s\">%s</a>.</p>\n", i + 1,
                   property_describe(same->property)->code, property_describe(same->property)->code);
        page_lines(w->out, "p", x->why);
    } else if (w->stories >= PAGE_STORIES_MAX || w->out->n > PAGE_BYTES_MAX) {
        w->left_out++;
        page_tag(w->out, "p", "sentence", x->text);
        buf_addz(w->out, "<p class=\"soft\">This page has no room for its steps; <code>locksim run</code> on this "
                 "scenario alone tells them.</p>\n");
    } else {
        w->stories++;
        page_story(w->p, item, x, w->out);
        add_player(w, o, x, id);
    }
    buf_addz(w->out, failure ? "</article>\n" : "</details>\n");
    arena_free(a);
}

static void add_examples(writer *w, size_t i, bool failures)
{
    const outcome *o = w->p->items[i].result;
    for (size_t k = 0; k < o->example_count; k++)
        if (report_is_failure(&o->properties[o->examples[k].property]) == failures)
            add_example(w, i, &o->examples[k]);
}

static void add_missed(const outcome *o, buf *out)
{
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (o->properties[i].outcome == OUTCOME_HOLDS && o->properties[i].expected == EXPECT_VIOLATED)
            buf_printf(out, "<p class=\"sentence\">The scenario expects %s to be violated, and it holds.</p>\n",
                       property_describe((property)i)->name);
}

/* The likeliest reason and what to do about it; and the profile of its states. */
static void add_advice(const writer *w, const outcome *o, buf *out)
{
    const advice *x = &o->advice;
    buf made = { 0 };
    if (o->profile)
        report_add_profile(&made, o, w->p->profile);
    if (x->cause.n == 0 && x->change.n == 0 && made.n == 0)
        return;
    buf_addz(out, "<dl class=\"facts\">\n");
    if (x->cause.n) {
        buf_addz(out, "<dt>cause</dt><dd>");
        clean_xml(out, x->cause);
        if (x->where.n) {
            buf_addz(out, " (");
            page_tag(out, "code", "", x->where);
            buf_addz(out, ")");
        }
        buf_addz(out, "</dd>\n");
    }
    if (x->change.n) {
        buf_addz(out, "<dt>try</dt>");
        page_tag(out, "dd", "", x->change);
    }
    if (made.n) {
        buf_addz(out, "<dt>made</dt>");
        page_tag(out, "dd", "lines", buf_str(&made));
    }
    buf_addz(out, "</dl>\n");
    buf_free(&made);
}

static void add_error(const outcome *o, buf *out)
{
    buf b = { 0 };
    err_print(&o->error, &b);
    page_tag(out, "pre", "", buf_str(&b));
    buf_free(&b);
}

static void add_scenario(writer *w, size_t i)
{
    buf *out = w->out;
    const outcome *o = w->p->items[i].result;
    buf_printf(out, "<section class=\"scenario\" id=\"s%zu\" aria-labelledby=\"s%zu-name\">\n<h2 id=\"s%zu-name\">",
               i + 1, i + 1, i + 1);
    add_verdict(out, o->verdict);
    buf_byte(out, ' ');
    clean_xml(out, o->path);
    buf_addz(out, "</h2>\n");
    if (o->title.n)
        page_tag(out, "p", "soft", o->title);
    if (o->verdict == VERDICT_ERROR && o->error.class_ != ERR_NONE)
        add_error(o, out);
    else if (o->reason.n && o->verdict != VERDICT_PASS)
        page_tag(out, "p", "sentence", o->reason);
    add_advice(w, o, out);
    add_missed(o, out);
    add_examples(w, i, true);
    add_examples(w, i, false);
    if (o->verdict != VERDICT_ERROR)
        add_meaning(o, out);
    buf_addz(out, "</section>\n");
}

/* ---- the page ---- */

static void add_counts(const writer *w)
{
    static const struct { verdict v; const char *word; } words[] = {
        { VERDICT_FAIL, "failed" }, { VERDICT_ERROR, "in error" }, { VERDICT_INCONCLUSIVE, "inconclusive" },
        { VERDICT_VACUOUS, "vacuous" },
        { VERDICT_PASS, "passed" },
    };
    buf_addz(w->out, "<ul class=\"counts\">\n");
    for (size_t k = 0; k < COUNT(words); k++) {
        size_t n = 0;
        for (size_t i = 0; i < w->p->count; i++)
            n += w->p->items[i].result->verdict == words[k].v;
        if (n)
            buf_printf(w->out, "<li class=\"%s\"><b>%zu</b> %s</li>\n", kinds[words[k].v], n, words[k].word);
    }
    if (w->p->not_run)
        buf_printf(w->out, "<li class=\"unsure\"><b>%zu</b> not run</li>\n", w->p->not_run);
    buf_addz(w->out, "</ul>\n");
}

static bool has_stories(const page *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].result->example_count > 0)
            return true;
    return false;
}

void page_begin(const char *title, buf *out)
{
    buf_printf(out,
               "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
               "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
               "'unsafe-inline'; script-src 'nonce-locksim'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
               "name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n<style>\n", title);
    buf_add(out, between(_binary_page_css_start, _binary_page_css_end));
    sequence_style(out);
    buf_printf(out, "</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n", title);
}

void page_end(buf *out)
{
    buf_addz(out, "</main>\n<footer><p>Written by <code>locksim</code>. <code>locksim explain CODE</code> says "
             "what a property means.</p></footer>\n"
                  "<script nonce=\"locksim\">\n");
    buf_add(out, between(_binary_page_js_start, _binary_page_js_end));
    buf_addz(out, "</script>\n</body>\n</html>\n");
}

static void add_head(const writer *w)
{
    page_begin("locksim report", w->out);
    add_counts(w);
    if (w->p->options.n) {
        buf_addz(w->out, "<p class=\"soft\">Options: <code>");
        clean_xml(w->out, w->p->options);
        buf_addz(w->out, "</code></p>\n");
    }
    buf_addz(w->out, "<nav aria-label=\"Parts of this page\">");
    buf_addz(w->out, w->p->count ? "<a href=\"#scenarios\">Scenarios</a>" : "");
    buf_addz(w->out, has_stories(w->p) ? " <a href=\"#legend\">Stories</a>" : "");
    buf_addz(w->out, w->p->simulation_count ? " <a href=\"#waiting\">How fair the waiting is</a>" : "");
    buf_addz(w->out, w->coverage_count ? " <a href=\"#scripts\">Scripts</a>" : "");
    buf_addz(w->out, "</nav>\n</header>\n<main>\n");
}

static void add_legend(const writer *w)
{
    if (!has_stories(w->p))
        return;
    buf_addz(w->out, "<section aria-labelledby=\"legend\"><h2 id=\"legend\">How to read the diagrams</h2>\n");
    sequence_legend(w->out);
    buf_addz(w->out, "</section>\n");
}

static void add_coverage(const writer *w)
{
    if (w->coverage_count == 0)
        return;
    buf_addz(w->out, "<section aria-labelledby=\"scripts\"><h2 id=\"scripts\">Scripts</h2>\n"
                     "<p>What all scenarios together reached of each script.</p>\n<table "
                     "class=\"scripts\"><thead><tr><th scope=\"col\">script</th><th scope=\"col\" "
                     "class=\"count\">lines</th><th scope=\"col\" class=\"count\">branches</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < w->coverage_count; i++) {
        report_reach r = report_reach_of(&w->coverage[i]);
        buf_addz(w->out, "<tr><th scope=\"row\">");
        clean_xml(w->out, w->coverage[i].name);
        buf_printf(w->out, "</th><td class=\"count\">%zu of %zu</td><td class=\"count\">%zu of %zu</td></tr>\n",
                   r.lines_reached, r.lines, r.branches_reached, r.branches);
    }
    buf_addz(w->out, "</tbody></table></section>\n");
}

/* What each property that was judged promises, once for all scenarios. */
static void add_promises(const writer *w)
{
    bool judged[PROPERTY_COUNT] = { false }, any = false;
    for (size_t k = 0; k < w->p->count; k++)
        for (size_t i = 0; i < PROPERTY_COUNT; i++)
            judged[i] |= w->p->items[k].result->properties[i].outcome != OUTCOME_NOT_JUDGED;
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        any |= judged[i];
    if (!any)
        return;
    buf_addz(w->out, "<section aria-labelledby=\"promises\"><h2 id=\"promises\">What the properties promise</h2>\n"
                     "<table class=\"properties\"><thead><tr><th scope=\"col\">code</th><th scope=\"col\">property</th>"
                     "<th scope=\"col\">it holds when</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < PROPERTY_COUNT; i++)
        if (judged[i]) {
            const property_info *info = property_describe((property)i);
            buf_printf(w->out, "<tr id=\"%s\"><td><code>%s</code></td><th scope=\"row\">%s</th><td>%s</td></tr>\n",
                       info->code, info->code, info->name, info->promise);
        }
    buf_addz(w->out, "</tbody></table></section>\n");
}

/* zlib's format, as text: a browser's DecompressionStream reads it. */
static void add_packed(const writer *w)
{
    if (w->packed_count == 0)
        return;
    uLongf size = compressBound((uLong)w->packed.n);
    char *small = NULL;
    size_t room = 0;
    MEM_RESERVE(small, room, size);
    int done = compress2((Bytef *)small, &size, (const Bytef *)w->packed.p, (uLong)w->packed.n, Z_BEST_COMPRESSION);
    assert(done == Z_OK);
    buf_addz(w->out, "<template id=\"packed-stories\">");
    page_base64((str){ small, size }, w->out);
    buf_addz(w->out, "</template>\n");
    mem_free(small);
}

void page_html(const page *p, buf *out)
{
    arena *a = arena_new();
    writer w = { .p = p, .out = out };
    w.coverage_count = report_coverage(p->items, p->count, a, &w.coverage);
    add_head(&w);
    if (p->count)
        add_table(&w);
    add_legend(&w);
    for (int passed = 0; passed < 2; passed++)     /* failures first: there must be room for them */
        for (size_t i = 0; i < p->count && i < PAGE_SCENARIOS_MAX; i++) {
            const outcome *o = p->items[i].result;
            if ((o->verdict == VERDICT_PASS) == passed && has_section(o))
                add_scenario(&w, i);
        }
    if (w.left_out)
        buf_printf(out, "<p class=\"soft\">This page tells %zu stories; of %zu more it has the sentence only.</p>\n",
                   w.stories, w.left_out);
    page_simulations(p, out);
    add_coverage(&w);
    add_promises(&w);
    add_packed(&w);
    page_end(out);
    buf_free(&w.packed);
    arena_free(a);
}
