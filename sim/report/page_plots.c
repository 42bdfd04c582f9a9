/* page_plots.c - the plots of simulations on the page, as images within it. */
#include "report/clean.h"
#include "report/page_parts.h"

static void add_base64(buf *out, str s)
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

static void add_plot(const page_plot *p, buf *out)
{
    buf_addz(out, "<figure class=\"plot\"><img alt=\"");
    clean_xml(out, p->caption);
    buf_addz(out, ": ");
    clean_xml(out, p->scenario);
    buf_addz(out, "\" src=\"data:image/svg+xml;base64,");
    add_base64(out, p->svg);
    buf_addz(out, "\">");
    page_tag(out, "figcaption", "", p->caption);
    buf_addz(out, "</figure>\n");
}

void page_plots(const page *p, buf *out)
{
    if (p->plot_count == 0 && p->plots_note.n == 0)
        return;
    buf_addz(out, "<section aria-labelledby=\"plots\"><h2 id=\"plots\">How fair the waiting is</h2>\n");
    if (p->plots_note.n)
        page_tag(out, "p", "sentence", p->plots_note);
    for (size_t i = 0; i < p->plot_count; i++) {
        bool first = i == 0 || !str_eq(p->plots[i - 1].scenario, p->plots[i].scenario);
        if (first) {
            buf_addz(out, i ? "</div>\n" : "");
            page_tag(out, "h3", "", p->plots[i].scenario);
            buf_addz(out, "\n<div class=\"plots\">\n");
        }
        add_plot(&p->plots[i], out);
    }
    buf_addz(out, p->plot_count ? "</div>\n</section>\n" : "</section>\n");
}
