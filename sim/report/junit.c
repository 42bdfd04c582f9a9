/* junit.c - results for build servers: JUnit XML that stays well-formed whatever titles and replies hold.
 * Shape: the common subset of what Jenkins and GitLab read (testsuites, testsuite, testcase, failure, error). */
#include <inttypes.h>

#include "report/cases.h"
#include "report/clean.h"

typedef struct {
    buf cases;
    size_t tests, failures, errors;
} suite;

static void add_case(suite *s, const report_item *item, const report_case *c)
{
    s->tests++;
    buf_addz(&s->cases, "    <testcase classname=\"");
    clean_xml(&s->cases, item->result->path);
    buf_printf(&s->cases, "\" name=\"%s\"", c->name);
    if (c->result == CASE_PASSED) {
        buf_addz(&s->cases, "/>\n");
        return;
    }
    const char *element = c->result == CASE_FAILED ? "failure" : "error";
    *(c->result == CASE_FAILED ? &s->failures : &s->errors) += 1;
    buf_printf(&s->cases, ">\n      <%s type=\"%s\" message=\"", element, c->type);
    clean_xml(&s->cases, c->message);
    buf_addz(&s->cases, "\">");
    buf body = { 0 };
    report_case_body(item, c, &body);
    report_case_advice(item, c, &body);
    clean_xml(&s->cases, buf_str(&body));
    buf_free(&body);
    buf_printf(&s->cases, "</%s>\n    </testcase>\n", element);
}

/* The search's figures, for charts of trends. */
static void add_properties(buf *out, const outcome *o, const report_style *style)
{
    const struct { const char *name; uint64_t value; } counts[] = {
        { "states", o->search.states },
        { "states_stand_for", o->search.stand_for ? o->search.stand_for : o->search.states },
        { "transitions", o->search.transitions }, { "longest", o->search.longest },
        { "states_not_gone_on_from", o->search.waiting }, { "executions", o->search.executions },
        { "memory_bytes", o->search.bytes },           /* the last: only with --timing */
    };
    buf b = { 0 };
    if (o->title.n) {
        buf_addz(&b, "<property name=\"title\" value=\"");
        clean_xml(&b, o->title);
        buf_addz(&b, "\"/>");
    }
    if (o->search.states) {
        for (size_t i = 0; i < COUNT(counts) - !style->timing; i++)
            buf_printf(&b, "<property name=\"%s\" value=\"%" PRIu64 "\"/>", counts[i].name, counts[i].value);
        buf_printf(&b, "<property name=\"chance_of_a_missed_state\" value=\"%.1e\"/>", o->search.odds);
    }
    if (b.n)
        buf_printf(out, "    <properties>%.*s</properties>\n", STR_ARG(buf_str(&b)));
    buf_free(&b);
}

void report_junit(const report_item *items, size_t count, const report_style *style, buf *out)
{
    buf suites = { 0 };
    size_t tests = 0, failures = 0, errors = 0;
    for (size_t i = 0; i < count; i++) {
        const outcome *o = items[i].result;
        suite s = { 0 };
        report_case cases[REPORT_CASES_MAX];
        size_t n = report_cases(&items[i], cases);
        for (size_t k = 0; k < n; k++)
            add_case(&s, &items[i], &cases[k]);
        buf_addz(&suites, "  <testsuite name=\"");
        clean_xml(&suites, o->path);
        buf_printf(&suites, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", s.tests, s.failures, s.errors);
        if (style->timing)
            buf_printf(&suites, " time=\"%" PRId64 ".%03" PRId64 "\"", o->search.elapsed_ms / 1000,
                       o->search.elapsed_ms % 1000);
        buf_addz(&suites, ">\n");
        add_properties(&suites, o, style);
        buf_add(&suites, buf_str(&s.cases));
        buf_addz(&suites, "  </testsuite>\n");
        tests += s.tests;
        failures += s.failures;
        errors += s.errors;
        buf_free(&s.cases);
    }
    buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"locksim\" tests=\"%zu\" "
               "failures=\"%zu\" "
                    "errors=\"%zu\">\n", tests, failures, errors);
    buf_add(out, buf_str(&suites));
    buf_addz(out, "</testsuites>\n");
    buf_free(&suites);
}
