/* test_report_formats.c - JSON, JUnit, TAP, SARIF, annotations: documents that parse whatever a scenario holds, with
 * the fields that were promised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <jansson.h>

#include "report/report.h"
#include "xml.h"

static const str hostile[] = {
    { "plain", 5 }, { "\"quote\" & <tag/> 'x' ]]>", 24 }, { "nul\0byte", 8 }, { "\xff\xfe\x80", 3 }, { "a\nb\tc\r", 6 },
    { "\033[31m", 5 }, { "\xed\xa0\x80", 3 }, { "\xef\xbf\xbe", 3 }, { "\xf0\x9f\x94\x92", 4 }, { "\\", 1 }, { "", 0 },
};

/* Every text of it is `s`. */
static outcome filled(str s, verdict v, counterexample *x, story_row *row)
{
    *row = (story_row){ .at_ms = INT64_C(1700000000000), .process = 0, .token = s, .did = s, .notes = s, .redis = s,
                        .effects = s, .location = s };
    *x = (counterexample){ .property = PROPERTY_FIFO, .text = s, .why = s, .blame = s, .schedule = s, .steps = 1,
                           .replayed = true, .story = { .rows = row, .count = 1 } };
    outcome o = { .path = s, .title = s, .verdict = v, .reason = s, .examples = x, .example_count = 1, .means = s,
                  .seen = s, .unseen = s, .run = { .rows = row, .count = 1 },
                  .search = { .strategy = s, .seed = INT64_MAX, .transitions = UINT64_MAX } };
    o.properties[PROPERTY_FIFO] = (property_result){ .outcome = OUTCOME_VIOLATED, .expected = EXPECT_HOLDS,
                                                     .example = x };
    o.properties[PROPERTY_NO_LEAK].outcome = OUTCOME_HOLDS;
    o.properties[PROPERTY_BOUNDED_WAIT] = (property_result){ .outcome = OUTCOME_UNDECIDED, .expected = EXPECT_HOLDS };
    return o;
}

static json_t *parsed(const report_item *items, size_t count, int status, const report_style *style)
{
    buf b = { 0 };
    report_json(items, count, status, style, &b);
    json_error_t why;
    json_t *j = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, &why);
    if (!j)
        fail_msg("line %d: %s", why.line, why.text);
    buf_free(&b);
    return j;
}

/* Every hostile text in every place, with every verdict; `files` too. */
static void each_hostile(void (*check)(const report_item *item))
{
    for (size_t i = 0; i < COUNT(hostile); i++)
        for (int v = VERDICT_PASS; v <= VERDICT_ERROR; v++) {
            counterexample x;
            story_row row;
            outcome o = filled(hostile[i], (verdict)v, &x, &row);
            if (v == VERDICT_ERROR)
                err_at(&o.error, ERR_SCENARIO, hostile[i], 1, 1, "%.*s", STR_ARG(hostile[i]));
            o.clients = (str[]){ hostile[i] };
            o.client_count = 1;
            o.exhibit = (scenario_exhibit){ .bug = hostile[i], .library = hostile[i], .what = hostile[i] };
            report_item item = { .result = &o, .files = &hostile[i] };
            check(&item);
            err_clear(&o.error);
        }
}

static void json_parses(const report_item *item)
{
    json_decref(parsed(item, 1, 1, &(report_style){ .timing = true }));
}

static void json_parses_whatever_the_texts_are(void **state)
{
    (void)state;
    each_hostile(json_parses);
}

static void json_has_the_documented_fields(void **state)
{
    (void)state;
    counterexample x;
    story_row row;
    outcome o = filled(S("text"), VERDICT_FAIL, &x, &row);
    o.clients = (str[]){ S("A") };
    o.client_count = 1;
    o.search.elapsed_ms = 1500;
    str file = S(".locksim/out/x.lua");
    report_item item = { .result = &o, .files = &file };
    json_t *j = parsed(&item, 1, 1, &(report_style){ 0 });
    const char *scenario, *verdict_text, *strategy, *property_text, *schedule, *file_text, *client, *broken;
    json_int_t version, status, transitions;
    assert_int_equal(0, json_unpack(j, "{s:I, s:I, s:[{s:s, s:s, s:{s:s, s:I}, s:[{s:s},{},{}], s:[{s:s, s:s, s:s, "
                                    "s:[{s:s}]}]}]}",
        "locksim", &version, "exit_status", &status, "results", "scenario", &scenario, "verdict", &verdict_text,
        "search", "strategy", &strategy, "transitions", &transitions, "properties", "name", &property_text,
        "counterexamples", "property", &broken, "schedule", &schedule, "file", &file_text, "steps", "client", &client));
    assert_int_equal(version, 1);
    assert_int_equal(status, 1);
    assert_string_equal(verdict_text, "FAIL");
    assert_string_equal(property_text, "bounded_wait");
    assert_string_equal(file_text, ".locksim/out/x.lua");
    assert_string_equal(client, "A");
    assert_string_equal(broken, "fifo");
    assert_true(transitions == INT64_MAX);         /* what JSON integers cannot hold is cut, not wrapped */
    json_t *search = json_object_get(json_array_get(json_object_get(j, "results"), 0), "search");
    assert_null(json_object_get(search, "seconds"));
    json_decref(j);
    j = parsed(&item, 1, 1, &(report_style){ .timing = true });
    search = json_object_get(json_array_get(json_object_get(j, "results"), 0), "search");
    assert_true(json_real_value(json_object_get(search, "seconds")) == 1.5);
    json_decref(j);
}

static void json_names_the_bug_of_an_exhibit(void **state)
{
    (void)state;
    counterexample x;
    story_row row;
    outcome o = filled(S("text"), VERDICT_PASS, &x, &row);
    report_item item = { .result = &o };
    json_t *j = parsed(&item, 1, 0, &(report_style){ 0 });
    assert_int_equal(0, json_unpack(j, "{s:[{s:n}]}", "results", "exhibit"));
    json_decref(j);
    o.exhibit = (scenario_exhibit){ .bug = S("#2278"), .what = S("sleeps"), .twin = S("t.lua") };
    j = parsed(&item, 1, 0, &(report_style){ 0 });
    const char *bug, *what, *twin;
    assert_int_equal(0, json_unpack(j, "{s:[{s:{s:s, s:n, s:n, s:s, s:s !}}]}", "results", "exhibit", "bug", &bug,
                                    "library", "versions",
                                    "what", &what, "twin", &twin));
    assert_string_equal(bug, "#2278");
    assert_string_equal(what, "sleeps");
    assert_string_equal(twin, "t.lua");
    json_decref(j);
}

static void json_tells_what_was_never_reached(void **state)
{
    (void)state;
    counterexample x;
    story_row row;
    outcome o = filled(S("text"), VERDICT_PASS, &x, &row);
    coverage_line lines[] = { { 1, 5 }, { 2, 0 } };
    coverage_branch branches[] = { { 1, 3, "then", 0 }, { 1, 3, "else", 5 } };
    coverage_script s = { .name = S("\"a\".lua"), .sha1 = S("c0ffee"), .lines = lines, .line_count = 2,
                          .branches = branches, .branch_count = 2 };
    o.scripts = &s;
    o.script_count = 1;
    report_item item = { .result = &o };
    json_t *j = parsed(&item, 1, 0, &(report_style){ 0 });
    const char *name, *what, *what_else;
    int total, reached, branch_total, branch_reached, line, branch_line, column;
    assert_int_equal(0, json_unpack(j, "{s:[{s:[{s:s, s:i, s:i, s:i, s:i, s:[{s:i, s:n, s:s}, {s:i, s:i, s:s} !]}]}]}",
                                    "results", "scripts",
        "script", &name, "lines", &total, "lines_reached", &reached, "branches", &branch_total, "branches_reached",
        &branch_reached,
        "never_reached", "line", &line, "column", "what", &what, "line", &branch_line, "column", &column, "what",
        &what_else));
    assert_string_equal(name, "\"a\".lua");
    assert_int_equal(total * 1000 + reached * 100 + branch_total * 10 + branch_reached, 2121);
    assert_string_equal(what, "line");
    assert_int_equal(line, 2);
    assert_string_equal(what_else, "then");
    assert_int_equal(branch_line * 10 + column, 13);
    json_decref(j);
}

static void json_of_nothing_is_a_document(void **state)
{
    (void)state;
    json_t *j = parsed(NULL, 0, 65, &(report_style){ 0 });
    assert_int_equal(json_array_size(json_object_get(j, "results")), 0);
    assert_int_equal(json_integer_value(json_object_get(j, "exit_status")), 65);
    json_decref(j);
}

static void sarif_parses(const report_item *item)
{
    buf b = { 0 };
    report_sarif(item, 1, &b);
    json_t *j = json_loadb(b.p, b.n, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(j);
    json_t *run = json_array_get(json_object_get(j, "runs"), 0), *results = json_object_get(run, "results"), *result;
    json_t *rules = json_object_get(json_object_get(json_object_get(run, "tool"), "driver"), "rules"), *rule;
    size_t i, k;
    assert_true(json_array_size(results) >= 2);    /* what is violated, and what is undecided */
    json_array_foreach(results, i, result) {
        const char *id, *text, *uri;
        int line, known = 0;
        assert_int_equal(0, json_unpack(result, "{s:s, s:{s:s}, s:[{s:{s:{s:s}, s:{s:i}}}]}", "ruleId", &id, "message",
                                        "text", &text,
            "locations", "physicalLocation", "artifactLocation", "uri", &uri, "region", "startLine", &line));
        json_array_foreach(rules, k, rule)
            known += strcmp(json_string_value(json_object_get(rule, "id")), id) == 0;
        assert_int_equal(known, 1);
        assert_true(line >= 1 && text[0]);
        assert_true(strcspn(uri, " \"<>\\^`{|}") == strlen(uri));
    }
    json_decref(j);
    buf_free(&b);
}

static void tap_counts(const report_item *item)
{
    buf b = { 0 };
    report_tap(item, 1, &b);
    size_t plan = 0, tests = 0;
    bool block = false;
    for (size_t from = 0; from < b.n;) {
        size_t end = str_find(buf_str(&b), '\n', from);
        str line = str_slice(buf_str(&b), from, end);
        from = end + 1;
        if (str_eq(line, S("  ---")) || str_eq(line, S("  ..."))) {
            block = !block;
        } else if (block) {
            assert_true(str_starts(line, S("  ")));
        } else if (str_starts(line, S("1.."))) {
            plan = (size_t)atoi(line.p + 3);
        } else if (!str_eq(line, S("TAP version 13"))) {
            assert_true(str_starts(line, S("ok ")) || str_starts(line, S("not ok ")));
            tests++;
        }
    }
    assert_false(block);
    assert_true(plan == tests && tests == 4);
    buf_free(&b);
}

static void github_is_lines(const report_item *item)
{
    buf b = { 0 };
    report_github(item, 1, &b);
    assert_true(b.n > 0 && b.p[b.n - 1] == '\n');
    for (size_t from = 0; from < b.n;) {
        size_t end = str_find(buf_str(&b), '\n', from);
        str line = str_slice(buf_str(&b), from, end);
        from = end + 1;
        assert_true(str_starts(line, S("::error file=")) || str_starts(line, S("::warning file=")));
        size_t properties = str_find(line, ',', 0);
        assert_true(str_starts(str_slice(line, properties, line.n), S(",line=1,title=")));
    }
    buf_free(&b);
}

static void formats_of_build_servers_hold_whatever_the_texts_are(void **state)
{
    (void)state;
    each_hostile(sarif_parses);
    each_hostile(tap_counts);
    each_hostile(github_is_lines);
}

/* Property: a failure is put where its story ends: at the script's last command, or where the client stood, or at the
 * scenario. */
static void a_failure_is_placed_where_its_story_ends(void **state)
{
    (void)state;
    static const struct { const char *effects, *location, *want; } cases[] = {
        { "a b.lua:3  GET x -> (nil)\nlib/acquire.lua:12  SET x 1 -> OK", "client.lua:7", "lib/acquire.lua,line=12," },
        { "script:1  GET x -> (nil)", "client.lua:7", "client.lua,line=7," },
        { "", "C%3A/x.lua:5", "C%253A/x.lua,line=5," },
        { "", "x:y.lua:5", "x%3Ay.lua,line=5," },
        { "no place", "nowhere", "s.lua,line=1," },
        { "x.lua:99999999999999999999  GET", "x.lua:0", "s.lua,line=1," },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        counterexample x;
        story_row row;
        outcome o = filled(S("s.lua"), VERDICT_FAIL, &x, &row);
        row.effects = str_from(cases[i].effects);
        row.location = str_from(cases[i].location);
        report_item item = { .result = &o };
        buf b = { 0 };
        report_github(&item, 1, &b);
        buf_byte(&b, '\0');
        if (!strstr(b.p, cases[i].want))
            fail_msg("%s is not in %s", cases[i].want, b.p);
        buf_free(&b);
    }
}

static void junit_is_well_formed_whatever_the_texts_are(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++)
        for (int v = VERDICT_PASS; v <= VERDICT_ERROR; v++) {
            counterexample x;
            story_row row;
            outcome o = filled(hostile[i], (verdict)v, &x, &row);
            o.clients = (str[]){ hostile[i] };
            o.client_count = 1;
            if (v == VERDICT_ERROR)
                err_at(&o.error, ERR_DRIVER, hostile[i], 1, 1, "%.*s", STR_ARG(hostile[i]));
            report_item item = { .result = &o, .files = &hostile[i] };
            buf b = { 0 };
            report_junit(&item, 1, &(report_style){ .timing = true }, &b);
            assert_true(str_starts(buf_str(&b), S("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")));
            assert_well_formed(str_slice(buf_str(&b), str_find(buf_str(&b), '\n', 0) + 1, b.n));
            buf_free(&b);
            err_clear(&o.error);
        }
}

static void junit_counts_failures_and_errors(void **state)
{
    (void)state;
    counterexample x;
    story_row row;
    outcome o = filled(S("t"), VERDICT_FAIL, &x, &row);
    report_item item = { .result = &o };
    buf b = { 0 };
    report_junit(&item, 1, &(report_style){ 0 }, &b);
    /* verdict, bounded_wait (undecided though named: an error), fifo (violated), no_leak */
    assert_non_null(strstr(b.p, "<testsuites name=\"locksim\" tests=\"4\" failures=\"1\" errors=\"1\">"));
    assert_non_null(strstr(b.p, "<failure type=\"LK020\""));
    assert_null(strstr(b.p, "time="));
    buf_free(&b);
}

static void the_same_result_gives_the_same_bytes(void **state)
{
    (void)state;
    counterexample x;
    story_row row;
    outcome o = filled(S("t"), VERDICT_FAIL, &x, &row);
    report_item item = { .result = &o };
    for (int format = 0; format < 3; format++) {
        buf one = { 0 }, two = { 0 };
        for (int k = 0; k < 2; k++) {
            buf *b = k ? &two : &one;
            if (format == 0)
                report_json(&item, 1, 1, &(report_style){ 0 }, b);
            else if (format == 1)
                report_junit(&item, 1, &(report_style){ 0 }, b);
            else
                report_text(&item, &(report_style){ .verbose = true }, b);
        }
        assert_true(one.n > 0);
        assert_true(str_eq(buf_str(&one), buf_str(&two)));
        buf_free(&one);
        buf_free(&two);
    }
}

/* Property: a table is a line for each row and its columns stand under each other, whatever the texts are. */
static void a_table_of_exhibits_stays_a_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++) {
        counterexample x[2];
        story_row row;
        outcome o[2] = { filled(hostile[i], VERDICT_PASS, &x[0], &row), filled(S("plain"), VERDICT_PASS, &x[1], &row) };
        o[0].exhibit = (scenario_exhibit){ .bug = hostile[i], .library = hostile[i], .versions = hostile[i],
                                           .what = hostile[i] };
        report_exhibit rows[] = { { .result = &o[0], .twin = &o[1] }, { .result = &o[1] } };
        for (int layout = REPORT_ALIGNED; layout <= REPORT_MARKDOWN; layout++) {
            buf b = { 0 };
            report_exhibits(rows, COUNT(rows), (report_layout)layout, &(report_style){ .timing = true }, &b);
            size_t lines = 0;
            for (size_t k = 0; k < b.n; k++)
                lines += b.p[k] == '\n';
            assert_int_equal(lines, 3 + (layout == REPORT_MARKDOWN));
            buf_free(&b);
        }
    }
}

/* Property: the headline is what the twin keeps; what both break is not the bug, and no twin holds that breaks all of
 * it. */
static void the_headline_is_what_the_twin_keeps(void **state)
{
    (void)state;
    counterexample x = { .property = PROPERTY_FIFO,
                         .schedule = S("A !pause A B +1 !resume A !pause B !crash A<!pause +2"), .steps = 7,
                         .switches = 4 };
    outcome o = { .path = S("m/R03.lua"), .exhibit = { .bug = S("#3"), .twin = S("t.lua") } }, twin = o;
    o.properties[PROPERTY_STRICT_MUTUAL_EXCLUSION] = (property_result){ .outcome = OUTCOME_VIOLATED, .example = &x };
    o.properties[PROPERTY_FIFO] = o.properties[PROPERTY_STRICT_MUTUAL_EXCLUSION];
    twin.properties[PROPERTY_STRICT_MUTUAL_EXCLUSION].outcome = OUTCOME_VIOLATED;
    twin.properties[PROPERTY_FIFO].outcome = OUTCOME_HOLDS;
    static const struct { property_outcome fifo; verdict twin; bool run; const char *line; } rows[] = {
        { OUTCOME_HOLDS, VERDICT_PASS, true, "| R03 | #3 | - | - | crash, 2 pause | LK020 fifo, LK002 | 7 | 4 | 0 | "
          "holds |\n" },
        { OUTCOME_HOLDS, VERDICT_FAIL, true, "| R03 | #3 | - | - | crash, 2 pause | LK020 fifo, LK002 | 7 | 4 | 0 | "
          "FAILS |\n" },
        { OUTCOME_VIOLATED, VERDICT_PASS, true,
          "| R03 | #3 | - | - | crash, 2 pause | LK002 strict_mutual_exclusion, LK020 | 7 | 4 | 0 | FAILS |\n" },
        { OUTCOME_UNDECIDED, VERDICT_INCONCLUSIVE, true,
          "| R03 | #3 | - | - | crash, 2 pause | LK002 strict_mutual_exclusion, LK020 | 7 | 4 | 0 | INCONCLUSIVE |\n" },
        { OUTCOME_HOLDS, VERDICT_PASS, false,
          "| R03 | #3 | - | - | crash, 2 pause | LK002 strict_mutual_exclusion, LK020 | 7 | 4 | 0 | not run |\n" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf b = { 0 };
        twin.properties[PROPERTY_FIFO].outcome = rows[i].fifo;
        twin.verdict = rows[i].twin;
        report_exhibit row = { .result = &o, .twin = rows[i].run ? &twin : NULL };
        report_exhibits(&row, 1, REPORT_MARKDOWN, &(report_style){ 0 }, &b);
        size_t n = strlen(rows[i].line);
        assert_true(b.n > n);
        assert_string_equal(b.p + b.n - n, rows[i].line);
        buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_parses_whatever_the_texts_are),
        cmocka_unit_test(json_has_the_documented_fields),
        cmocka_unit_test(json_names_the_bug_of_an_exhibit),
        cmocka_unit_test(json_tells_what_was_never_reached),
        cmocka_unit_test(json_of_nothing_is_a_document),
        cmocka_unit_test(junit_is_well_formed_whatever_the_texts_are),
        cmocka_unit_test(junit_counts_failures_and_errors),
        cmocka_unit_test(a_table_of_exhibits_stays_a_table),
        cmocka_unit_test(the_headline_is_what_the_twin_keeps),
        cmocka_unit_test(the_same_result_gives_the_same_bytes),
        cmocka_unit_test(formats_of_build_servers_hold_whatever_the_texts_are),
        cmocka_unit_test(a_failure_is_placed_where_its_story_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
