/* page_simulations.c - what simulations measured, on the page: a table of all numbers, runs side by side, and the plots
 * as images within it. */
#include <string.h>

#include "report/clean.h"
#include "report/page_parts.h"

enum { COLUMNS_MAX = 6 };  /* runs in one table */

void page_base64(str s, buf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < s.n; i += 3) {
        uint32_t v = 0;
        for (size_t k = 0; k < 3; k++)
            v = v << 8 | (i + k < s.n ? (unsigned char)s.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            buf_byte(out, i + k <= s.n ? digits[v >> (18 - 6 * k) & 63] : '=');
    }
}

static void add_plot(const page_plot *p, str name, buf *out)
{
    buf_addz(out, "<figure class=\"plot\"><img loading=\"lazy\" alt=\"");
    clean_xml(out, p->caption);
    buf_addz(out, ": ");
    clean_xml(out, name);
    buf_addz(out, "\" src=\"data:image/svg+xml;base64,");
    page_base64(p->svg, out);
    buf_addz(out, "\">");
    page_tag(out, "figcaption", "", p->caption);
    buf_addz(out, "</figure>\n");
}

/* Those of one simulation, or of all of one workload together. */
static void add_plots_of(const page *p, size_t which, str workload, str name, buf *out)
{
    bool any = false;
    for (size_t i = 0; i < p->plot_count; i++) {
        const page_plot *one = &p->plots[i];
        if (one->simulation != which || (which == PAGE_COMPARED && !str_eq(one->workload, workload)))
            continue;
        buf_addz(out, any ? "" : "<div class=\"plots\">\n");
        any = true;
        add_plot(one, name, out);
    }
    buf_addz(out, any ? "</div>\n" : "");
}

/* ---- numbers ---- */

static bool has_numbers(const simulated *s)
{
    return s->ending != SIMULATED_FAILED && s->runs->done > 0;
}

static bool is_known(const simulated *s, metric m, interval *value)
{
    return replications_interval(s->runs, m, value) && (metric_describe(m)->kind != METRIC_COUNTS || value->mean != 0);
}

static void add_metric(const page *p, const size_t *runs, size_t count, metric m, buf *out)
{
    const metric_info *info = metric_describe(m);
    interval value;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= is_known(&p->simulations[runs[i]], m, &value);
    if (!any)
        return;
    buf_addz(out, "<tr><th scope=\"row\" title=\"");
    clean_xml(out, str_from(info->definition));
    buf_printf(out, "\">%s%s%s</th>", info->label, *info->unit ? ", " : "", info->unit);
    for (size_t i = 0; i < count; i++) {
        buf_addz(out, "<td class=\"count\">");
        if (replications_interval(p->simulations[runs[i]].runs, m, &value))
            report_simulation_interval(&value, out);
        else
            buf_addz(out, "-");
        buf_addz(out, "</td>");
    }
    buf_addz(out, "</tr>\n");
}

static void add_numbers(const page *p, const size_t *runs, size_t count, buf *out)
{
    buf_addz(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"What was measured\"><table "
             "class=\"measured\"><caption>");
    buf_addz(out, p->of_log ? "Of the whole log" : "The mean over all seeds \xc2\xb1 its 95 % interval");
    buf_addz(out, "; <code>locksim simulate --help</code> defines each.</caption>\n<thead><tr><th "
                  "scope=\"col\">measured</th>");
    for (size_t i = 0; i < count; i++) {
        const simulated *s = &p->simulations[runs[i]];
        buf_printf(out, "<th scope=\"col\" class=\"count\">");
        clean_xml(out, s->name);
        if (!p->of_log)
            buf_printf(out, "<span class=\"soft\">%s, %zu %s</span>", simulated_verdict(s), s->runs->done,
                       s->runs->done == 1 ? "seed" : "seeds");
        buf_addz(out, "</th>");
    }
    buf_addz(out, "</tr></thead>\n<tbody>\n");
    for (int m = 0; m < METRIC_COUNT; m++)
        add_metric(p, runs, count, (metric)m, out);
    buf_addz(out, "</tbody></table></div>\n");
}

static void add_simulation(const page *p, size_t i, buf *out)
{
    enum { OPEN_MAX = 2 };
    const simulated *s = &p->simulations[i];
    buf_addz(out, p->simulation_count > OPEN_MAX ? "<details class=\"story\"><summary><h4>"
             : "<details class=\"story\" open=\"\"><summary><h4>");
    clean_xml(out, s->name.n ? s->name : s->path);                 /* what could not be read has no name */
    buf_addz(out, "</h4></summary>\n<p class=\"soft\">");
    clean_xml(out, s->path);
    buf_addz(out, s->title.n ? ": " : "");
    clean_xml(out, s->title);
    buf_addz(out, "</p>\n");
    if (s->ending == SIMULATED_FAILED) {
        buf b = { 0 };
        err_print(s->error, &b);
        page_tag(out, "pre", "", buf_str(&b));
        buf_free(&b);
    } else if (!has_numbers(s))
        page_tag(out, "p", "sentence", S("It was interrupted before a seed had come to its end."));
    add_plots_of(p, i, s->workload, s->name, out);
    buf_addz(out, "</details>\n");
}

/* All simulations of one workload: side by side, then one by one. */
static void add_workload(const page *p, str workload, buf *out)
{
    size_t runs[COLUMNS_MAX], count = 0;
    buf_addz(out, p->of_log ? "<h3>The log" : "<h3>Workload");
    if (workload.n) {
        buf_addz(out, " <code>");
        clean_xml(out, workload);
        buf_addz(out, "</code>");
    }
    buf_addz(out, "</h3>\n");
    add_plots_of(p, PAGE_COMPARED, workload, workload, out);
    for (size_t i = 0; i < p->simulation_count; i++) {
        if (has_numbers(&p->simulations[i]) && str_eq(p->simulations[i].workload, workload))
            runs[count++] = i;
        if (count == COLUMNS_MAX || (count && i + 1 == p->simulation_count)) {
            add_numbers(p, runs, count, out);
            count = 0;
        }
    }
    for (size_t i = 0; i < p->simulation_count; i++)
        if (str_eq(p->simulations[i].workload, workload))
            add_simulation(p, i, out);
}

void page_simulations(const page *p, buf *out)
{
    if (p->simulation_count == 0)
        return;
    buf_addz(out, "<section aria-labelledby=\"waiting\"><h2 id=\"waiting\">How fair the waiting is</h2>\n");
    if (p->plots_note.n)
        page_tag(out, "p", "sentence", p->plots_note);
    for (size_t i = 0; i < p->simulation_count; i++) {
        size_t first = 0;
        while (!str_eq(p->simulations[first].workload, p->simulations[i].workload))
            first++;
        if (first == i)
            add_workload(p, p->simulations[i].workload, out);
    }
    buf_addz(out, "</section>\n");
}
