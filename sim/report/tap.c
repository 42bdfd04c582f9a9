/* tap.c - results for test harnesses: the Test Anything Protocol, version 13, a test for each verdict and each judged
 * property, and for what did not pass a block of YAML with the story. Source: testanything.org, "TAP 13
 * specification". */
#include "report/cases.h"
#include "report/clean.h"
#include "report/json_text.h"

/* A description ends where a directive begins. */
static void add_description(buf *out, str path, const char *name)
{
    buf clean = { 0 };
    clean_text(&clean, path);
    for (size_t i = 0; i < clean.n; i++) {
        if (clean.p[i] == '#')
            buf_byte(out, '\\');
        buf_byte(out, clean.p[i]);
    }
    buf_printf(out, " %s", name);
    buf_free(&clean);
}

/* JSON's strings are YAML's. */
static void add_field(buf *out, const char *name, str text)
{
    if (text.n == 0)
        return;
    buf_printf(out, "  %s: ", name);
    json_text_add(out, text);
    buf_byte(out, '\n');
}

static void add_story(buf *out, const report_item *item, const report_case *c)
{
    buf body = { 0 };
    report_case_body(item, c, &body);
    bool first = true;
    for (size_t from = 0; from < body.n;) {
        size_t end = str_find(buf_str(&body), '\n', from);
        str line = str_slice(buf_str(&body), from, end);
        from = end + 1;
        if (line.n == 0)
            continue;
        if (first)
            buf_addz(out, "  story: |2\n");            /* told how deep: a table's first line may begin with blanks */
        first = false;
        buf_addz(out, "    ");
        clean_text(out, line);
        buf_byte(out, '\n');
    }
    buf_free(&body);
}

static void add_case(buf *out, size_t number, const report_item *item, const report_case *c)
{
    buf_printf(out, "%s %zu - ", c->result == CASE_PASSED ? "ok" : "not ok", number);
    add_description(out, item->result->path, c->name);
    buf_byte(out, '\n');
    if (c->result == CASE_PASSED)
        return;
    report_place place = report_case_place(item, c);
    buf_addz(out, "  ---\n");
    buf message = { 0 };
    buf_add(&message, c->message);
    report_case_advice(item, c, &message);
    add_field(out, "message", buf_str(&message));
    buf_free(&message);
    buf_printf(out, "  severity: %s\n  code: %s\n", c->result == CASE_FAILED ? "fail" : "unknown", c->type);
    add_field(out, "file", place.path);
    buf_printf(out, "  line: %d\n", place.line);
    add_story(out, item, c);
    buf_addz(out, "  ...\n");
}

void report_tap(const report_item *items, size_t count, buf *out)
{
    report_case cases[REPORT_CASES_MAX];
    size_t all = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        all += report_cases(&items[i], cases);
    buf_printf(out, "TAP version 13\n1..%zu\n", all);
    for (size_t i = 0; i < count; i++) {
        size_t n = report_cases(&items[i], cases);
        for (size_t k = 0; k < n; k++)
            add_case(out, ++number, &items[i], &cases[k]);
    }
}
