/* junit.c - results for build servers: JUnit XML that stays well-formed whatever titles and replies hold.
 * Shape: the common subset of what Jenkins and GitLab read (testsuites, testsuite, testcase, failure, error). */
#include <inttypes.h>

#include "report/clean.h"
#include "report/report.h"

typedef struct {
    buf cases;
    size_t tests, failures, errors;
} suite;

static void open_case(suite *s, str path, const char *name)
{
    s->tests++;
    buf_addz(&s->cases, "    <testcase classname=\"");
    clean_xml(&s->cases, path);
    buf_printf(&s->cases, "\" name=\"%s\"", name);
}

static void add_body(suite *s, const char *element, const char *type, str message, const buf *body)
{
    buf_printf(&s->cases, ">\n      <%s type=\"%s\" message=\"", element, type);
    clean_xml(&s->cases, message);
    buf_addz(&s->cases, "\">");
    clean_xml(&s->cases, buf_str(body));
    buf_printf(&s->cases, "</%s>\n    </testcase>\n", element);
}

static void add_property(suite *s, const report_item *item, size_t i)
{
    const outcome *o = item->result;
    const property_result *r = &o->properties[i];
    const property_info *info = property_describe((property)i);
    if (r->outcome == OUTCOME_NOT_JUDGED)
        return;
    open_case(s, o->path, info->name);
    buf body = { 0 };
    if (report_is_failure(r)) {
        s->failures++;
        const counterexample *x = r->example;
        if (x) {
            buf_byte(&body, '\n');
            report_add_story(&body, &x->story, o->clients, o->client_count, 0);
            if (x->why.n)
                buf_printf(&body, "why: %.*s\n", STR_ARG(x->why));
            if (x->blame.n)
                buf_printf(&body, "blame: %.*s\n", STR_ARG(x->blame));
            if (item->files && item->files[x - o->examples].n)
                buf_printf(&body, "replay: locksim replay %.*s\n", STR_ARG(item->files[x - o->examples]));
        }
        add_body(s, "failure", info->code, x ? x->text : S("violated"), &body);
    } else if (r->outcome == OUTCOME_HOLDS && r->expected == EXPECT_VIOLATED && o->verdict == VERDICT_FAIL) {
        s->failures++;
        add_body(s, "failure", info->code, S("expected to be violated, and it holds"), &body);
    } else if ((r->outcome == OUTCOME_UNDECIDED && r->expected != EXPECT_UNSAID) ||
               (r->outcome == OUTCOME_HOLDS && r->expected == EXPECT_VIOLATED)) {
        s->errors++;                               /* unknown is not a pass */
        add_body(s, "error", "INCONCLUSIVE", r->outcome == OUTCOME_HOLDS ? S("expected to be violated; this sample did not find it")
                                                                         : S("undecided: a limit came first"), &body);
    } else {
        buf_addz(&s->cases, "/>\n");
    }
    buf_free(&body);
}

/* What is no property's: an error, or a result that says too little. */
static void add_verdict(suite *s, const outcome *o)
{
    open_case(s, o->path, "verdict");
    buf body = { 0 };
    if (o->verdict == VERDICT_ERROR) {
        s->errors++;
        err_print(&o->error, &body);
        add_body(s, "error", "ERROR", o->error.message.n ? buf_str(&o->error.message) : o->reason, &body);
    } else if (o->verdict == VERDICT_INCONCLUSIVE) {
        s->errors++;
        add_body(s, "error", "INCONCLUSIVE", o->reason, &body);
    } else if (o->verdict == VERDICT_VACUOUS) {
        s->failures++;
        add_body(s, "failure", "VACUOUS", o->reason, &body);
    } else {
        buf_addz(&s->cases, "/>\n");
    }
    buf_free(&body);
}

/* What the search did, for who looks after trends. */
static void add_properties(buf *out, const outcome *o)
{
    const struct { const char *name; uint64_t value; } counts[] = {
        { "states", o->search.states }, { "transitions", o->search.transitions }, { "longest", o->search.longest },
        { "states_not_gone_on_from", o->search.waiting }, { "executions", o->search.executions }, { "memory_bytes", o->search.bytes },
    };
    buf b = { 0 };
    if (o->title.n) {
        buf_addz(&b, "<property name=\"title\" value=\"");
        clean_xml(&b, o->title);
        buf_addz(&b, "\"/>");
    }
    if (o->search.states) {
        for (size_t i = 0; i < COUNT(counts); i++)
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
        add_verdict(&s, o);
        for (size_t p = 0; p < PROPERTY_COUNT; p++)
            add_property(&s, &items[i], p);
        buf_addz(&suites, "  <testsuite name=\"");
        clean_xml(&suites, o->path);
        buf_printf(&suites, "\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", s.tests, s.failures, s.errors);
        if (style->timing)
            buf_printf(&suites, " time=\"%" PRId64 ".%03" PRId64 "\"", o->search.elapsed_ms / 1000, o->search.elapsed_ms % 1000);
        buf_addz(&suites, ">\n");
        add_properties(&suites, o);
        buf_add(&suites, buf_str(&s.cases));
        buf_addz(&suites, "  </testsuite>\n");
        tests += s.tests;
        failures += s.failures;
        errors += s.errors;
        buf_free(&s.cases);
    }
    buf_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"locksim\" tests=\"%zu\" failures=\"%zu\" "
                    "errors=\"%zu\">\n", tests, failures, errors);
    buf_add(out, buf_str(&suites));
    buf_addz(out, "</testsuites>\n");
    buf_free(&suites);
}
