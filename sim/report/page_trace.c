/* page_trace.c - see page_trace.h. */
#include "report/page_trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "report/clean.h"
#include "report/page_parts.h"
#include "report/timeline_svg.h"

static void add_head(const trace_page *p, buf *out)
{
    const traced_log *t = p->log;
    const char *verdict = traced_verdict(t);
    const char *kind = strcmp(verdict, "PASS") == 0 ? "pass"
                       : strcmp(verdict, "FAIL") == 0 || strcmp(verdict, "ERROR") == 0 ? "fail" : "unsure";
    page_begin("locksim trace", out);
    buf_printf(out, "<p class=\"sentence\"><span class=\"verdict %s\">%s</span> ", kind, verdict);
    clean_xml(out, clean_copy(p->a, t->path));
    buf_addz(out, "</p>\n");
    if (p->numbers.options.n) {
        buf_addz(out, "<p class=\"soft\">Options: <code>");
        clean_xml(out, p->numbers.options);
        buf_addz(out, "</code></p>\n");
    }
    buf_addz(out, "<nav aria-label=\"Parts of this page\"><a href=\"#findings\">Findings</a> "
                  "<a href=\"#timeline\">Timeline</a>");
    buf_addz(out, p->numbers.simulation_count ? " <a href=\"#waiting\">How fair the waiting is</a>" : "");
    buf_addz(out, " <a href=\"#means\">What this result means</a></nav>\n</header>\n<main>\n");
}

static void add_time(int64_t us, buf *out)
{
    int64_t ms = us / 1000;
    buf_printf(out, "%" PRId64 ".%03d s", ms / 1000, (int)(ms % 1000));
}

/* ---- findings ---- */

static void add_finding(const traced_log *t, const finding *f, buf *out)
{
    bool broken = f->kind == FOUND_VIOLATION || f->kind == FOUND_STRANGE;
    buf_printf(out, "<tr><th scope=\"row\" class=\"%s\">", broken ? "bad" : "");
    timeline_mark_name(f->kind, f->property, out);
    buf_addz(out, "</th><td>");
    clean_xml(out, f->lock.n ? f->lock : S("-"));
    buf_addz(out, "</td><td class=\"count\">");
    add_time(f->at_us - t->counts.begin_us, out);
    buf_printf(out, "</td><td class=\"count\">%zu", f->line);
    if (f->since && f->since != f->line)
        buf_printf(out, ", since %zu", f->since);
    buf_addz(out, "</td><td>");
    clean_xml(out, f->text);
    if (f->why.n) {
        buf_addz(out, " <span class=\"soft\">");
        clean_xml(out, f->why);
        buf_addz(out, "</span>");
    }
    buf_addz(out, "</td></tr>\n");
}

static void add_findings(const traced_log *t, buf *out)
{
    uint64_t all = 0;
    for (size_t k = 0; k < FOUND_KINDS; k++)
        all += t->found[k];
    buf_addz(out, "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n");
    if (t->finding_count == 0)
        buf_addz(out, "<p>Nothing was found.</p>\n");
    else {
        buf_addz(out, "<table class=\"properties findings\"><thead><tr><th scope=\"col\">what</th><th "
                      "scope=\"col\">lock</th><th scope=\"col\" class=\"count\">time</th><th scope=\"col\" "
                      "class=\"count\">line</th><th scope=\"col\">finding</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < t->finding_count; i++)
            add_finding(t, &t->findings[i], out);
        buf_addz(out, "</tbody></table>\n");
    }
    if (all > t->finding_count)
        buf_printf(out, "<p class=\"soft\">%" PRIu64 " more, of kinds that are told above; <code>--verbose</code> "
                   "tells more of each.</p>\n", all - t->finding_count);
    buf_addz(out, "</section>\n");
}

/* ---- the timeline ---- */

static void add_overview(const trace_page *p, buf *out)
{
    const timeline_told *t = p->timeline;
    size_t rows = t->row_count < TIMELINE_ROWS_MAX ? t->row_count : TIMELINE_ROWS_MAX;
    buf_addz(out, "<h3>All of the log</h3>\n<p>Blue is how many held a lock, orange above it how many waited; on the "
                  "right the mean of both. A red mark is a finding, with its line, and how many more follow close to "
                  "it.</p>\n<div class=\"diagram\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline of the "
                  "log\">\n");
    timeline_overview_svg(t, p->log->counts.begin_us, "overview", out);
    buf_printf(out, "</div>\n<p class=\"soft\">%zu bins of ", t->bin_count);
    add_time(t->bin_us, out);
    buf_printf(out, ". %zu of %zu locks have a row: those with findings, then those that were waited for longest.",
               rows, t->row_count);
    if (t->forgotten)
        buf_printf(out, " %" PRIu64 " more without findings, and with less waiting, were forgotten in favour of "
                   "others; only the first row has them.", t->forgotten);
    if (t->left_out)
        buf_printf(out, " More than %d were held or wanted at one time: %" PRIu64 " requests of those are not in this "
                   "picture.", TIMELINE_LANES_MAX, t->left_out);
    buf_addz(out, " Where it is not known who held, nothing is drawn.</p>\n");
}

static void add_span_row(const trace_page *p, const timeline_span *s, buf *out)
{
    static const char *const ends[2][SPAN_GAVE_UP + 1] = {
        { [SPAN_OPEN] = "goes on", [SPAN_GRANTED] = "granted", [SPAN_GAVE_UP] = "not heard of again" },
        { [SPAN_OPEN] = "goes on", [SPAN_RELEASED] = "released", [SPAN_LOST] = "ended without its release" },
    };
    int64_t begin_us = p->log->counts.begin_us;
    buf_addz(out, "<tr><th scope=\"row\">");
    clean_xml(out, clean_copy(p->a, (str){ s->who, s->who_n }));
    buf_addz(out, "</th><td>");
    if (s->client < p->client_count)
        clean_xml(out, clean_copy(p->a, p->clients[s->client]));
    buf_printf(out, "</td><td>%s</td><td class=\"count\">", s->holds ? "holds" : "waits");
    add_time(s->from_us - begin_us, out);
    buf_printf(out, "</td><td class=\"count\">%zu</td><td class=\"count\">", s->from_line);
    if (s->end != SPAN_OPEN)
        add_time(s->to_us - begin_us, out);
    buf_addz(out, "</td><td class=\"count\">");
    if (s->end != SPAN_OPEN && s->to_line)
        buf_printf(out, "%zu", s->to_line);
    buf_printf(out, "</td><td>%s</td></tr>\n", ends[s->holds][s->end]);
}

static void add_window(const trace_page *p, size_t i, buf *out)
{
    const timeline_window *w = &p->timeline->windows[i];
    arena *a = p->a;
    buf_printf(out, "<article class=\"story\" id=\"w%zu\">\n<h3>", i + 1);
    timeline_mark_name(w->marks[0].kind, w->marks[0].property, out);
    buf_addz(out, " \xe2\x80\x9c");
    clean_xml(out, clean_copy(a, w->lock));
    buf_printf(out, "\xe2\x80\x9d, line %zu", w->marks[0].line);
    if (w->mark_count > 1)
        buf_printf(out, ", and %zu more", w->mark_count - 1);
    buf_addz(out, "</h3>\n<div class=\"diagram\" tabindex=\"0\" role=\"region\" aria-label=\"Timeline around line ");
    buf_printf(out, "%zu\">\n", w->marks[0].line);
    timeline_window_svg(w, p->log->counts.begin_us, arena_printf(a, "w%zu", i + 1).p, out);
    buf_printf(out, "</div>\n<details><summary>%zu holds and waits, with their lines</summary>\n<div class=\"wide\" "
               "tabindex=\"0\" role=\"region\" aria-label=\"Holds and waits around line %zu\"><table "
               "class=\"measured\"><thead><tr><th scope=\"col\">who</th><th scope=\"col\">client</th><th "
               "scope=\"col\">what</th><th scope=\"col\" class=\"count\">from</th><th scope=\"col\" class=\"count\">"
               "line</th><th scope=\"col\" class=\"count\">to</th><th scope=\"col\" class=\"count\">line</th><th "
               "scope=\"col\">end</th></tr></thead><tbody>\n", w->span_count, w->marks[0].line);
    for (size_t k = 0; k < w->span_count; k++)
        add_span_row(p, &w->spans[k], out);
    buf_addz(out, "</tbody></table></div></details>\n</article>\n");
}

static void add_timeline(const trace_page *p, buf *out)
{
    const timeline_told *t = p->timeline;
    buf_addz(out, "<section aria-labelledby=\"timeline\"><h2 id=\"timeline\">Timeline</h2>\n");
    if (t->row_count == 0)
        buf_addz(out, "<p>No client held a lock, or waited for one.</p>\n");
    else
        add_overview(p, out);
    if (t->window_count) {
        buf_printf(out, "<h3>Around findings</h3>\n<p>Of each finding the last %d holds and waits of its lock before "
                   "it (more, where it began earlier), and the next %d; of each kind the first %d, with others that "
                   "came soon after.", TIMELINE_BEFORE, TIMELINE_AFTER, TIMELINE_WINDOWS_EACH);
        if (t->windows_left_out)
            buf_printf(out, " %" PRIu64 " findings are in none of these pictures.", t->windows_left_out);
        buf_addz(out, "</p>\n");
        timeline_legend(out);
    }
    for (size_t i = 0; i < t->window_count; i++)
        add_window(p, i, out);
    buf_addz(out, "</section>\n");
}

void page_trace_html(const trace_page *p, buf *out)
{
    buf means = { 0 };
    add_head(p, out);
    add_findings(p->log, out);
    add_timeline(p, out);
    page_simulations(&p->numbers, out);
    report_trace_account(p->log, &means);
    buf_addz(out, "<section aria-labelledby=\"means\"><h2 id=\"means\">What this result means</h2>\n");
    page_tag(out, "pre", "", buf_str(&means));
    buf_addz(out, "</section>\n");
    page_end(out);
    buf_free(&means);
}
