/* test_report_page.c - the HTML page: tags nest whatever a scenario holds, every verdict is told, and what there is no
 * room for is counted. */
#include "xml.h"

#include <string.h>

#include "base/buf.h"
#include "report/page.h"

static const str hostile[] = {
    { "plain", 5 }, { "</p></body><script>alert(1)</script>", 37 }, { "\" onload=\"x' & ]]> -->", 22 },
    { "nul\0byte", 8 }, { "\xff\xfe\x80", 3 },
    { "a\nb\tc\r", 6 }, { "\033[31m", 5 }, { "\xe2\x80\xae\xe2\x80\x8f", 6 }, { "", 0 },
};

enum { EXAMPLES = 3 };

/* A result of which every text is `s`, with a failure, an expected story, and one that takes the same steps as the
 * first. */
typedef struct {
    outcome o;
    counterexample examples[EXAMPLES];
    story_row rows[2];
    story_key keys[2];
    story_mark mark;
    str clients[2], files[EXAMPLES];
} sample;

static void fill(sample *x, str s, verdict v)
{
    static const property broken[EXAMPLES] = { PROPERTY_OWNER_ONLY, PROPERTY_NO_LEAK, PROPERTY_FIFO };
    *x = (sample){ .clients = { s, s }, .files = { s, s, s } };
    for (size_t i = 0; i < 2; i++) {
        x->rows[i] = (story_row){ .at_ms = INT64_C(1700000000000), .process = i ? NOBODY : 0, .token = s, .did = s,
                                  .notes = s, .redis = s, .effects = s, .location = s };
        x->keys[i] = (story_key){ .step = i + 1, .name = s, .value = s, .deadline_ms = INT64_C(1700000000500),
                                  .gone = i == 1, .expired = i == 1 };
    }
    x->mark = (story_mark){ .kind = MARK_GRANTED, .step = 1, .who = s, .lock = s, .until_ms = INT64_MAX };
    story told = { .rows = x->rows, .count = 2, .keys = x->keys, .key_count = 2, .marks = &x->mark, .mark_count = 1 };
    x->o = (outcome){ .path = s, .title = s, .verdict = v, .reason = s, .examples = x->examples,
                      .example_count = EXAMPLES, .clients = x->clients, .client_count = 2,
                      .means = s, .seen = s, .unseen = s, .search = { .strategy = s } };
    for (size_t i = 0; i < EXAMPLES; i++) {
        x->examples[i] = (counterexample){ .property = broken[i], .text = s, .why = s, .blame = s,
                                           .schedule = i == 1 ? S("other") : s, .steps = 2, .story = told };
        x->o.properties[broken[i]] = (property_result){ .outcome = OUTCOME_VIOLATED,
                                                        .expected = i == 1 ? EXPECT_VIOLATED : EXPECT_HOLDS,
                                                        .example = &x->examples[i] };
    }
    if (v == VERDICT_ERROR)
        err_at(&x->o.error, ERR_SCENARIO, s, 1, 1, "%.*s", STR_ARG(s));
}

static size_t occurrences(str s, const char *what)
{
    size_t n = 0, length = strlen(what);
    for (size_t i = 0; i + length <= s.n; i++)
        n += s.p[i] == what[0] && memcmp(s.p + i, what, length) == 0;
    return n;
}

static size_t place(str s, const char *what)
{
    size_t i = 0;
    while (i + strlen(what) <= s.n && memcmp(s.p + i, what, strlen(what)) != 0)
        i++;
    return i;
}

/* What stands between the page's own style and its own script. */
static void assert_body_nests(str html)
{
    buf b = { 0 };
    buf_addz(&b, "<div>");
    buf_add(&b, str_slice(html, place(html, "<header>"), place(html, "<script nonce")));
    buf_addz(&b, "</div>");
    assert_well_formed(buf_str(&b));
    buf_free(&b);
}

static void tags_nest_whatever_a_scenario_holds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hostile); i++)
        for (int v = VERDICT_PASS; v <= VERDICT_ERROR; v++) {
            sample x;
            fill(&x, hostile[i], (verdict)v);
            report_item items[] = { { .result = &x.o, .files = x.files }, { .result = &x.o } };
            err failed = { 0 };
            err_at(&failed, ERR_DRIVER, hostile[i], 1, 1, "%.*s", STR_ARG(hostile[i]));
            simulated s = { .path = hostile[i], .title = hostile[i], .workload = hostile[i], .name = hostile[i],
                            .ending = SIMULATED_FAILED, .error = &failed };
            page p = { .items = items, .count = 1 + (size_t)(v == VERDICT_FAIL), .not_run = 2, .options = hostile[i],
                       .program = hostile[i].p, .simulations = &s, .simulation_count = 1, .plots_note = hostile[i] };
            buf b = { 0 };
            profile made = { .states = 3, .sampled = 3 };
            x.o.advice = (advice){ .cause = hostile[i], .where = hostile[i], .change = hostile[i] };
            x.o.profile = &made;
            p.packed = v == VERDICT_PASS;
            p.plain_name = hostile[i];
            page_html(&p, &b);
            assert_int_equal(occurrences(buf_str(&b), "<template id=\"packed-stories\">"), p.packed);
            assert_int_equal(occurrences(buf_str(&b), "class=\"player\"") > 0, !p.packed);
            assert_true(occurrences(buf_str(&b), "<dt>made</dt>") > 0);
            assert_body_nests(buf_str(&b));
            assert_int_equal(occurrences(buf_str(&b), "<script"), 1);
            assert_int_equal(occurrences(buf_str(&b), "</script"), 1);
            assert_true(occurrences(buf_str(&b), verdict_name((verdict)v)) > 0);
            buf_free(&b);
            err_clear(&x.o.error);
            err_clear(&failed);
        }
}

/* Property: the steps to blame, the one that decides and the one that breaks say so. */
static void steps_tell_what_they_did(void **state)
{
    (void)state;
    sample x;
    size_t blamed[] = { 1 };
    fill(&x, S("s"), VERDICT_FAIL);
    x.examples[0].blamed = blamed;
    x.examples[0].blamed_count = 1;
    x.examples[0].decides = 2;
    report_item item = { .result = &x.o, .files = x.files };
    page p = { .items = &item, .count = 1 };
    buf b = { 0 };
    page_html(&p, &b);
    assert_int_equal(occurrences(buf_str(&b), "class=\"guilt blamed\""), 1);
    assert_int_equal(occurrences(buf_str(&b), "class=\"guilt decides\""), 1);
    assert_true(occurrences(buf_str(&b), "here it is broken") >= 1);
    buf_free(&b);
}

/* Property: stories beyond the page's room are counted, and their sentences stand there.
 * How: more failures than it tells. */
static void what_there_is_no_room_for_is_counted(void **state)
{
    (void)state;
    enum { SCENARIOS = PAGE_STORIES_MAX / 2 + 5 };
    sample x;
    fill(&x, S("<sentence>"), VERDICT_FAIL);
    static report_item items[SCENARIOS];
    for (size_t i = 0; i < SCENARIOS; i++)
        items[i] = (report_item){ .result = &x.o };
    page p = { .items = items, .count = SCENARIOS };
    buf b = { 0 };
    page_html(&p, &b);
    str html = buf_str(&b);
    assert_int_equal(occurrences(html, "<div class=\"player\">"), PAGE_STORIES_MAX);
    assert_int_equal(occurrences(html, "This page has no room for its steps"), 10);
    assert_int_equal(occurrences(html, "of 10 more it has the sentence only"), 1);
    /* and the reason */
    assert_int_equal(occurrences(html, "<p class=\"sentence\">&lt;sentence&gt;</p>"), SCENARIOS * (EXAMPLES + 1));
    assert_int_equal(occurrences(html, "The same steps as under"), SCENARIOS);
    buf_free(&b);
}

/* Property: the keys beside a step are those that are there after it: changed ones marked, one that went told once,
 * further ones counted. */
static void each_step_has_the_keys_after_it(void **state)
{
    (void)state;
    enum { KEYS = PAGE_KEYS_MAX + 3 };
    static story_key keys[KEYS + 2];
    static char names[KEYS][8];
    for (size_t i = 0; i < KEYS; i++) {
        names[i][0] = 'k';
        names[i][1] = (char)('a' + i / 10);
        names[i][2] = (char)('0' + i % 10);
        keys[i] = (story_key){ .step = 1, .name = { names[i], 3 }, .value = S("v"), .deadline_ms = INT64_MAX };
    }
    keys[KEYS] = (story_key){ .step = 2, .name = keys[KEYS - 1].name, .value = S("new"),
                              .deadline_ms = INT64_C(1700000000700) };
    keys[KEYS + 1] = (story_key){ .step = 3, .name = keys[KEYS - 1].name, .deadline_ms = INT64_C(1700000000700),
                                  .gone = true, .expired = true };
    sample x;
    fill(&x, S("t"), VERDICT_FAIL);
    story_row rows[4];
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = (story_row){ .at_ms = INT64_C(1700000000200) + (i > 1 ? 501 : 0), .token = S("A") };
    x.examples[0].story = (story){ .rows = rows, .count = 4, .keys = keys, .key_count = KEYS + 2 };
    x.o.example_count = 1;
    report_item item = { .result = &x.o };
    page p = { .items = &item, .count = 1 };
    buf b = { 0 };
    page_html(&p, &b);
    str html = buf_str(&b), step[4];
    size_t at[5];
    for (size_t i = 0; i < 4; i++)
        at[i] = place(html, (const char *const[]){ "Keys after step 1<", "Keys after step 2<", "Keys after step 3<",
                                                   "Keys after step 4<" }[i]);
    at[4] = html.n;
    for (size_t i = 0; i < 4; i++)
        step[i] = str_slice(html, at[i], at[i + 1]);
    assert_int_equal(occurrences(step[0], ">changed<"), PAGE_KEYS_MAX);
    assert_int_equal(occurrences(step[0], "and 3 more keys"), 1);
    assert_int_equal(occurrences(step[1], "<tr class=\"new\">"), 1);
    assert_int_equal(occurrences(step[1], "<td>new</td><td class=\"count\">500 ms</td>"), 1);
    assert_int_equal(occurrences(step[2], "<em>expired</em>"), 1);
    assert_int_equal(occurrences(step[3], "<em>expired</em>"), 0);
    assert_int_equal(occurrences(step[3], "and 2 more keys"), 1);
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_nest_whatever_a_scenario_holds),
        cmocka_unit_test(steps_tell_what_they_did),
        cmocka_unit_test(what_there_is_no_room_for_is_counted),
        cmocka_unit_test(each_step_has_the_keys_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
