/* github.c - what did not pass as GitHub's workflow commands: a line each, which its runner shows at the line of the
 * file. Source: GitHub's documentation, "Workflow commands for GitHub Actions". */
#include "report/cases.h"
#include "report/clean.h"

void report_github(const report_item *items, size_t count, buf *out)
{
    for (size_t i = 0; i < count; i++) {
        report_case cases[REPORT_CASES_MAX];
        size_t n = report_cases(&items[i], cases);
        for (size_t k = 0; k < n; k++) {
            const report_case *c = &cases[k];
            if (c->result == CASE_PASSED)
                continue;
            report_place place = report_case_place(&items[i], c);
            buf text = { 0 }, path = { 0 };
            buf_printf(&text, "%.*s", STR_ARG(c->message));
            if (c->example && c->example->why.n)
                buf_printf(&text, "\nwhy: %.*s", STR_ARG(c->example->why));
            report_case_advice(&items[i], c, &text);
            buf_printf(&text, "\nscenario: %.*s", STR_ARG(items[i].result->path));
            if (c->file.n) {
                buf_addz(&text, "\nreplay: ");
                report_add_replay(&text, NULL, c->file);
            }
            buf_printf(out, "::%s file=", c->result == CASE_FAILED ? "error" : "warning");
            report_add_plain_path(&path, place.path);
            clean_annotation(out, buf_str(&path), true);
            buf_printf(out, ",line=%d,title=%s %s::", place.line, c->type, c->name);
            clean_annotation(out, buf_str(&text), false);
            buf_byte(out, '\n');
            buf_free(&text);
            buf_free(&path);
        }
    }
}
