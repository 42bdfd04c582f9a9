/* test_report_text.c - what people read: hand-made results against the exact bytes, and texts that try to break the
 * layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "report/clean.h"
#include "report/report.h"

#define EPOCH_MS INT64_C(1700000000000)

static story_row pause_rows[] = {
    { .at_ms = EPOCH_MS, .process = 0, .token = { "A.acquire", 9 }, .did = { "acquire -> (nil)", 16 },
      .notes = { "granted", 7 },
      .redis = { "order:42 {A:1 = 1}  ttl 30000", 29 },
      .effects = { "redisson/lock/acquire.lua:9  HINCRBY order:42 A:1 1 -> (integer) 1", 66 } },
    { .at_ms = EPOCH_MS, .process = 0, .token = { "!pause A", 8 }, .did = { "!pause", 6 } },
    { .at_ms = EPOCH_MS + 30001, .process = NOBODY, .token = { "+30001", 6 }, .redis = { "order:42 expired", 16 } },
    { .at_ms = EPOCH_MS + 30001, .process = 1, .token = { "B:watchdog.renew", 16 }, .did = { "renew -> (nil)", 14 },
      .redis = { "order:42 {B:1 = 1}  ttl 30000", 29 } },
};

static str clients[] = { { "A", 1 }, { "B", 1 } };

static counterexample pause_example(void)
{
    return (counterexample){
        .property = PROPERTY_STRICT_MUTUAL_EXCLUSION, .steps = 4, .switches = 1, .replayed = true,
        .text = S("A and B both believe they hold \"order:42\" from 30.001 s."),
        .why = S("A's lease ended in step 3."), .blame = S("without the pause the same schedule passes."),
        .schedule = S("A.acquire !pause A +30001 B:watchdog.renew"),
        .story = { .rows = pause_rows, .count = 4 },
    };
}

static outcome plain_outcome(verdict v, counterexample *x)
{
    outcome o = {
        .path = S("my/transfer.lua"), .title = S("pause longer than the lease"), .verdict = v, .clients = clients,
        .client_count = 2,
        .search = { .strategy = S("uniform"), .seed = 7, .runs = 1000, .transitions = 12345, .executions = 2345 },
        .means = S("2 clients, faults pause<=1\n1,000 runs: a sample, not a proof"), .seen = S("expiry wait"),
        .unseen = S("crash"),
    };
    o.properties[PROPERTY_MUTUAL_EXCLUSION].outcome = OUTCOME_HOLDS;
    o.properties[PROPERTY_NO_LEAK].outcome = OUTCOME_HOLDS;
    if (x) {
        o.examples = x;
        o.example_count = 1;
        o.properties[x->property] = (property_result){ .outcome = OUTCOME_VIOLATED, .example = x };
    }
    return o;
}

static void expect_text(const report_item *item, const report_style *style, const char *wanted)
{
    buf b = { 0 };
    report_text(item, style, &b);
    assert_string_equal(b.p, wanted);
    buf_free(&b);
}

static void a_failure_shows_verdict_story_reason_and_replay(void **state)
{
    (void)state;
    counterexample x = pause_example();
    outcome o = plain_outcome(VERDICT_FAIL, &x);
    str files[] = { S(".locksim/out/my.transfer.LK002.lua") };
    report_item item = { .result = &o, .files = files };
    expect_text(&item, &(report_style){ 0 },
        "FAIL  my/transfer.lua   strict_mutual_exclusion  LK002\n"
        "  A and B both believe they hold \"order:42\" from 30.001 s.        shortest found: 4 steps, 1 switch\n"
        "\n"
        "   #   time       A                 B                         Redis\n"
        "   1   0.000 s    acquire -> (nil)                            order:42 {A:1 = 1}  ttl 30000\n"
        "                    granted\n"
        "   2   0.000 s    !pause\n"
        "   3  30.001 s                                                order:42 expired\n"
        "   4  30.001 s                      :watchdog renew -> (nil)  order:42 {B:1 = 1}  ttl 30000\n"
        "\n"
        "  ran       1  redisson/lock/acquire.lua:9  HINCRBY order:42 A:1 1 -> (integer) 1\n"
        "  why    A's lease ended in step 3.\n"
        "  blame  without the pause the same schedule passes.\n"
        "  means  2 clients, faults pause<=1\n"
        "         1,000 runs: a sample, not a proof\n"
        "\n"
        "  replay locksim replay .locksim/out/my.transfer.LK002.lua\n"
        "  wrote  .locksim/out/my.transfer.LK002.lua   the schedule, a step a line\n"
        "\n");
}

static void a_pass_is_one_line_and_names_what_broke_as_expected(void **state)
{
    (void)state;
    counterexample x = pause_example();
    outcome o = plain_outcome(VERDICT_PASS, &x);
    o.properties[PROPERTY_STRICT_MUTUAL_EXCLUSION].expected = EXPECT_VIOLATED;
    report_item item = { .result = &o };
    expect_text(&item, &(report_style){ .path_width = 20 },
        "PASS  my/transfer.lua      2 properties hold, strict_mutual_exclusion is violated, as expected (4 steps)   "
        "uniform: 1,000 runs, seed 7\n");
}

static void expect_reached(const coverage_script *s, size_t places_max, const char *wanted)
{
    buf b = { 0 };
    report_add_reached(&b, s, places_max);
    assert_string_equal(b.p, wanted);
    buf_free(&b);
}

/* Property: quiet where all was reached; else each place in the order of the text, what an unreached line decides left
 * out, and what is too much counted. */
static void what_was_never_reached_is_named_and_bounded(void **state)
{
    (void)state;
    coverage_line lines[] = { { 1, 5 }, { 2, 0 }, { 4, 0 }, { 7, 5 }, { 8, 0 }, { 9, 2 } };
    coverage_branch branches[] = { { 1, 3, "then", 0 }, { 1, 3, "else", 5 }, { 2, 1, "then", 0 }, { 2, 1, "else", 0 },
                                   { 5, 2, "loop", 0 }, { 9, 9, "or, left true", 0 } };
    coverage_script s = { .sha1 = S("c0ffee"), .lines = lines, .line_count = 6, .branches = branches,
                          .branch_count = 6 };
    expect_reached(&s, SIZE_MAX, "c0ffee  3 of 6 lines, 1 of 6 branches; never: 1:3 then, lines 2-4, 5:2 loop, line 8, "
                   "9:9 or, left true");
    s.name = S("a\033.lua");
    expect_reached(&s, 2, "a\\x1b.lua  3 of 6 lines, 1 of 6 branches; never: 1:3 then, lines 2-4, and 3 more");
    s.branch_count = 0;
    expect_reached(&s, 2, "a\\x1b.lua  3 of 6 lines; never: lines 2-4, line 8");
    s = (coverage_script){ .name = S("a"), .lines = &lines[3], .line_count = 1, .branches = &branches[1],
                           .branch_count = 1 };
    expect_reached(&s, 4, "a  its one line and all 1 branches");
    s = (coverage_script){ .name = S("a"), .lines = lines, .line_count = 0 };
    expect_reached(&s, 4, "a  never ran");
    coverage_line both[] = { { 1, 5 }, { 2, 1 } };
    s = (coverage_script){ .name = S("a"), .lines = both, .line_count = 2 };
    expect_reached(&s, 4, "a  all 2 lines");
}

/* Property: it stands under what the result means, in few places; in all of them with --verbose. */
static void what_was_reached_is_part_of_what_a_result_means(void **state)
{
    (void)state;
    coverage_line lines[] = { { 1, 5 }, { 2, 0 }, { 3, 5 }, { 4, 0 }, { 5, 5 }, { 6, 0 }, { 7, 5 }, { 8, 0 }, { 9, 5 },
                              { 10, 0 } };
    coverage_script s = { .name = S("acquire.lua"), .lines = lines, .line_count = COUNT(lines) };
    outcome o = plain_outcome(VERDICT_INCONCLUSIVE, NULL);
    o.scripts = &s;
    o.script_count = 1;
    report_item item = { .result = &o };
    buf b = { 0 };
    report_text(&item, &(report_style){ 0 }, &b);
    assert_non_null(strstr(b.p, "  means  2 clients, faults pause<=1\n         1,000 runs: a sample, not a proof\n"
                                "         acquire.lua  5 of 10 lines; never: line 2, line 4, line 6, line 8, and 1 "
                                "more\n"));
    buf_clear(&b);
    report_text(&item, &(report_style){ .verbose = true }, &b);
    assert_non_null(strstr(b.p, "line 8, line 10\n"));
    buf_free(&b);
}

static void a_scheduled_pass_counts_steps_and_tells_no_seed(void **state)
{
    (void)state;
    outcome o = plain_outcome(VERDICT_PASS, NULL);
    o.search.strategy = S("schedule");
    o.search.transitions = 1;
    report_item item = { .result = &o };
    expect_text(&item, &(report_style){ 0 }, "PASS  my/transfer.lua 2 properties hold   schedule: 1 step\n");
}

static void time_is_told_only_when_asked_for(void **state)
{
    (void)state;
    outcome o = plain_outcome(VERDICT_PASS, NULL);
    o.search.elapsed_ms = 1234;
    report_item item = { .result = &o };
    expect_text(&item, &(report_style){ 0 }, "PASS  my/transfer.lua 2 properties hold   uniform: 1,000 runs, seed 7\n");
    expect_text(&item, &(report_style){ .timing = true },
                "PASS  my/transfer.lua 2 properties hold   uniform: 1,000 runs, seed 7, 1.234 s\n");
}

static void an_expected_violation_that_holds_fails_without_a_story(void **state)
{
    (void)state;
    outcome o = plain_outcome(VERDICT_FAIL, NULL);
    o.means = S("");
    o.properties[PROPERTY_NO_LEAK].expected = EXPECT_VIOLATED;
    report_item item = { .result = &o };
    expect_text(&item, &(report_style){ 0 },
        "FAIL  my/transfer.lua   no_leak  LK030\n"
        "  The scenario expects no_leak to be violated, and it holds.        uniform: 1,000 runs, seed 7\n"
        "\n");
}

static void a_limit_and_a_vacuous_pass_are_verdicts_of_their_own(void **state)
{
    (void)state;
    static const struct { verdict v; const char *word; } rows[] = { { VERDICT_INCONCLUSIVE, "INCONCLUSIVE" },
                                                                    { VERDICT_VACUOUS, "VACUOUS" } };
    for (size_t i = 0; i < COUNT(rows); i++) {
        outcome o = plain_outcome(rows[i].v, NULL);
        o.reason = S("something is missing");
        report_item item = { .result = &o };
        buf b = { 0 };
        report_text(&item, &(report_style){ 0 }, &b);
        assert_memory_equal(b.p, rows[i].word, strlen(rows[i].word));
        assert_non_null(strstr(b.p, "  reason something is missing\n"));
        assert_non_null(strstr(b.p, "a sample, not a proof"));
        buf_free(&b);
    }
}

static void an_error_shows_where_and_the_hint(void **state)
{
    (void)state;
    outcome o = { .path = S("my/bad.lua"), .verdict = VERDICT_ERROR };
    err_at(&o.error, ERR_SCENARIO, S("my/bad.lua"), 2, 3, "there is no field 'clents'");
    err_quote(&o.error, S("return {\n  clents = 1\n}"));
    err_hint(&o.error, "did you mean 'clients'?");
    report_item item = { .result = &o };
    expect_text(&item, &(report_style){ 0 },
        "ERROR  my/bad.lua\n"
        "  my/bad.lua:2:3: error[scenario]: there is no field 'clents'\n"
        "        2 |   clents = 1\n"
        "          |   ^\n"
        "    hint: did you mean 'clients'?\n"
        "\n");
    err_clear(&o.error);
}

/* Property: no byte from outside can move the cursor, colour the screen or forge a line of the report. */
static void hostile_texts_stay_on_their_line(void **state)
{
    (void)state;
    static const str hostile[] = {
        { "\033[2J\033[31mPASS", 13 }, { "a\nPASS  forged.lua 1 property holds", 35 }, { "nul\0byte", 8 },
        { "\xff\xfe\x80", 3 },
        { "\xc2\x9b" "31m", 5 }, { "\xe2\x80\xae" "gnp.exe", 10 }, { "\xed\xa0\x80", 3 }, { "\xc0\xaf", 2 },
        { "\r\b\x7f", 3 },
    };
    for (size_t i = 0; i < COUNT(hostile); i++) {
        counterexample x = pause_example();
        story_row row = { .at_ms = EPOCH_MS, .process = 0, .token = hostile[i], .did = hostile[i], .redis = S("x"),
                          .notes = S("") };
        str names[] = { hostile[i] };
        x.text = x.why = x.blame = hostile[i];
        x.story = (story){ .rows = &row, .count = 1 };
        outcome o = plain_outcome(VERDICT_FAIL, &x);
        o.path = o.title = o.means = hostile[i];
        o.clients = names;
        o.client_count = 1;
        str files[] = { hostile[i] };
        report_item item = { .result = &o, .files = files };
        buf b = { 0 };
        report_text(&item, &(report_style){ .verbose = true }, &b);
        for (size_t k = 0; k < b.n; k++)
            assert_true(b.p[k] == '\n' || ((unsigned char)b.p[k] >= 0x20 && b.p[k] != 0x7f));
        assert_null(strstr(b.p, "\xc2\x9b"));
        assert_null(strstr(b.p, "\xe2\x80\xae"));
        assert_null(strstr(b.p, "\nPASS"));
        buf_free(&b);
    }
}

static void clean_text_keeps_good_characters_and_spells_out_the_others(void **state)
{
    (void)state;
    static const struct { str in; const char *out; } rows[] = {
        { { "plain", 5 }, "plain" }, { { "\xe9\x94\x81", 3 }, "\xe9\x94\x81" },
        { { "\xf0\x9f\x94\x92", 4 }, "\xf0\x9f\x94\x92" },
        { { "a\tb\n", 4 }, "a\\tb\\n" }, { { "\xf4\x90\x80\x80", 4 }, "\\xf4\\x90\\x80\\x80" },
        { { "\xe9\x94", 2 }, "\\xe9\\x94" },
        { { "\x00", 1 }, "\\x00" }, { { "", 0 }, "" }, { { "\xef\xbf\xbf", 3 }, "\\xef\\xbf\\xbf" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf b = { 0 };
        buf_addz(&b, "");
        clean_text(&b, rows[i].in);
        assert_string_equal(b.p, rows[i].out);
        buf_free(&b);
    }
}

/* Property: no line of a story is wider than its columns, however long a word is. */
static void long_cells_are_broken_and_nothing_is_lost(void **state)
{
    (void)state;
    enum { BYTES = 1000 };
    char text[BYTES];
    memset(text, 'x', BYTES);
    story_row row = { .at_ms = EPOCH_MS, .process = 0, .did = { text, BYTES }, .redis = { text, BYTES } };
    story s = { .rows = &row, .count = 1 };
    buf b = { 0 };
    report_add_story(&b, &s, &(story_frame){ .clients = clients, .client_count = 1, .rows_max = 0 });
    size_t seen = 0;
    for (size_t from = 0; from < b.n; ) {
        size_t end = str_find(buf_str(&b), '\n', from);
        assert_true(end - from < 140);
        for (size_t k = from; k < end; k++)
            seen += b.p[k] == 'x';
        from = end + 1;
    }
    assert_int_equal(seen, 2 * BYTES);
    buf_free(&b);
}

static void a_long_story_leaves_its_middle_out_and_says_so(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    static story_row rows[ROWS];
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (story_row){ .at_ms = EPOCH_MS + (int64_t)i, .process = 0, .did = S("poll") };
    story s = { .rows = rows, .count = ROWS };
    buf b = { 0 };
    report_add_story(&b, &s, &(story_frame){ .clients = clients, .client_count = 2, .rows_max = 60 });
    assert_non_null(strstr(b.p, "... 440 steps are left out here"));
    assert_non_null(strstr(b.p, " 500 "));
    assert_null(strstr(b.p, " 200 "));
    buf_clear(&b);
    s.count = 61;
    report_add_story(&b, &s, &(story_frame){ .clients = clients, .client_count = 2, .rows_max = 60 });
    assert_null(strstr(b.p, "left out"));
    buf_clear(&b);
    s.count = 62;
    report_add_story(&b, &s, &(story_frame){ .clients = clients, .client_count = 2, .rows_max = 60 });
    assert_non_null(strstr(b.p, "... 2 steps are left out here"));
    buf_clear(&b);
    s.count = ROWS;
    report_add_story(&b, &s, &(story_frame){ .clients = clients, .client_count = 2, .rows_max = 0 });
    assert_non_null(strstr(b.p, " 200 "));
    buf_free(&b);
}

static void a_summary_counts_each_verdict(void **state)
{
    (void)state;
    outcome pass = plain_outcome(VERDICT_PASS, NULL), fail = plain_outcome(VERDICT_FAIL, NULL),
                   bad = { .verdict = VERDICT_ERROR };
    report_item items[] = { { .result = &pass }, { .result = &fail }, { .result = &pass }, { .result = &bad } };
    buf b = { 0 };
    report_text_summary(items, 4, 1, &(report_style){ 0 }, &b);
    assert_string_equal(b.p, "5 scenarios: 2 passed, 1 failed, 1 in error, 1 not run"
                             "          (`locksim explain CODE` says what a property means)\n");
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_shows_verdict_story_reason_and_replay),
        cmocka_unit_test(a_pass_is_one_line_and_names_what_broke_as_expected),
        cmocka_unit_test(what_was_never_reached_is_named_and_bounded),
        cmocka_unit_test(what_was_reached_is_part_of_what_a_result_means),
        cmocka_unit_test(a_scheduled_pass_counts_steps_and_tells_no_seed),
        cmocka_unit_test(time_is_told_only_when_asked_for),
        cmocka_unit_test(an_expected_violation_that_holds_fails_without_a_story),
        cmocka_unit_test(a_limit_and_a_vacuous_pass_are_verdicts_of_their_own),
        cmocka_unit_test(an_error_shows_where_and_the_hint),
        cmocka_unit_test(hostile_texts_stay_on_their_line),
        cmocka_unit_test(clean_text_keeps_good_characters_and_spells_out_the_others),
        cmocka_unit_test(long_cells_are_broken_and_nothing_is_lost),
        cmocka_unit_test(a_long_story_leaves_its_middle_out_and_says_so),
        cmocka_unit_test(a_summary_counts_each_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
