/* test_client_cases.c - one file holds many scenarios: which they are, what each is made of, and what is wrong said
 * where it is written. */
#include "client_rig.h"

#include "client/load.h"
#include "scenario/cases.h"

#define HEAD "return { clients = { 'A', 'B', 'C' }, title = 'mine', program = function(me) end,\n"

/* Loads a case; false: r->e says why. */
static bool load_case(rig *r, const char *text, const char *name)
{
    *r = (rig){ .a = arena_new(), .now_ms = RIG_T0 };
    r->loader = (loader){ .context = r, .read = rig_read };
    r->out.memory = r->a;
    scenario_source from = { .file = S("s.lua"), .text = str_from(text), .case_ = str_from(name) };
    return scenario_load_case(r->a, &r->loader, &from, &r->scenario, &r->e);
}

static void must_load(rig *r, const char *text, const char *name)
{
    if (!load_case(r, text, name))
        fail_msg("%s", rig_error(r));
}

/* The names of the file's cases with blanks between, or the error. Lives in the rig. */
static const char *names_of(rig *r, const char *text)
{
    const str *names;
    size_t count;
    buf b = { 0 };
    *r = (rig){ .a = arena_new(), .now_ms = RIG_T0 };
    r->loader = (loader){ .context = r, .read = rig_read };
    if (!scenario_cases(r->a, &r->loader, S("s.lua"), str_from(text), &names, &count, &r->e))
        return rig_error(r);
    for (size_t i = 0; i < count; i++)
        buf_printf(&b, "%s%.*s", i ? " " : "", STR_ARG(names[i]));
    const char *all = arena_str(r->a, buf_str(&b)).p;
    buf_free(&b);
    return all;
}

static void names_and_patterns_are_what_they_say(void **state)
{
    (void)state;
    static const struct { const char *text; bool name, pattern; } row[] = {
        { "a", true, true }, { "crash.three", true, true }, { "_9.a_", true, true }, { "*", false, true },
        { "crash.*", false, true },
        { "", false, false }, { "9a", false, false }, { ".a", false, false }, { "A", false, false },
        { "a-b", false, false }, { "a b", false, false },
        { "a:b", false, false }, { "a/b", false, false }, { "a\n", false, false }, { "\xc3\xa4", false, false },
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", true, true },
        { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false, false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        assert_int_equal(case_name_check(str_from(row[i].text)), row[i].name);
        assert_int_equal(case_pattern_check(str_from(row[i].text)), row[i].pattern);
    }
    assert_true(case_matches(S("*"), S("")));
    assert_true(case_matches(S("crash.*"), S("crash.three")));
    assert_true(case_matches(S("*.three"), S("crash.three")));
    assert_true(case_matches(S("*_and_*"), S("crash_and_pause.two")));
    assert_true(case_matches(S("a*b*c"), S("aXbXbXc")));
    assert_false(case_matches(S("crash.*"), S("crash")));
    assert_false(case_matches(S("*.three"), S("crash.threex")));
    assert_false(case_matches(S("crash"), S("crash.two")));
}

/* Property: a colon begins a case only behind .lua, and only the last one, and only before a name or a pattern. */
static void a_name_has_a_file_and_a_case(void **state)
{
    (void)state;
    static const struct { const char *name, *file, *part, *stem; } row[] = {
        { "x/r.lua:crash.two", "x/r.lua", "crash.two", "x/r.crash.two" },
        { "r.lua", "r.lua", "", "r" },
        { "r.lua:", "r.lua:", "", "r.lua:" },
        { "r.lua:A", "r.lua:A", "", "r.lua:A" },
        { "r.lua:a:b", "r.lua:a:b", "", "r.lua:a:b" },
        { "a.lua:b.lua:c", "a.lua:b.lua", "c", "a.lua:b.c" },
        { "C:x.lua", "C:x.lua", "", "C:x" },
        { "C:x.lua:crash.*", "C:x.lua", "crash.*", "C:x.crash.*" },
        { "a.lua:b/c", "a.lua:b/c", "", "a.lua:b/c" },
        { "r.txt:a", "r.txt:a", "", "r.txt:a" },
        { ":a", ":a", "", ":a" },
        { "", "", "", "" },
    };
    arena *a = arena_new();
    for (size_t i = 0; i < COUNT(row); i++) {
        str name = str_from(row[i].name);
        assert_string_equal(arena_str(a, case_file(name)).p, row[i].file);
        assert_string_equal(arena_str(a, case_part(name)).p, row[i].part);
        assert_string_equal(arena_str(a, case_stem(a, name)).p, row[i].stem);
    }
    arena_free(a);
}

static void the_matrix_has_every_kind_and_number(void **state)
{
    (void)state;
    arena *a = arena_new();
    const str *names;
    size_t titled = 0;
    for (int k = 0; k < FAULT_KINDS; k++)
        titled += fault_title((fault_kind)k) != NULL;
    assert_true(titled >= 15);
    assert_int_equal(matrix_names(a, 1, &names), 0);
    assert_int_equal(matrix_names(a, 2, &names), titled + 3);
    assert_int_equal(matrix_names(a, 4, &names), 3 * titled + 3);
    for (size_t i = 0; i < 3 * titled + 3; i++) {
        matrix_row row;
        assert_true(case_name_check(names[i]));
        assert_true(matrix_parse(names[i], &row));
        assert_true(row.clients >= 2 && row.clients <= 4);
    }
    matrix_row row;
    assert_true(matrix_parse(S("crash_and_pause.three"), &row));
    assert_string_equal(matrix_title(a, &row).p, "a crash and a pause, three clients");
    static const char *const none[] = { "crash", "crash.", "crash.one", "crash.2", ".two", "crsh.two", "crash_and_.two",
                                        "_and_crash.two",
                                        "crash_and_crash.two", "crash.two.two", "" };
    for (size_t i = 0; i < COUNT(none); i++)
        assert_false(matrix_parse(str_from(none[i]), &row));
    arena_free(a);
}

static void a_file_without_cases_is_one_scenario(void **state)
{
    (void)state;
    rig r;
    assert_string_equal(names_of(&r, HEAD "}"), "");
    rig_free(&r);
    must_load(&r, HEAD "}", "");
    assert_string_equal(r.scenario.path.p, "s.lua");
    rig_free(&r);
    assert_false(load_case(&r, HEAD "}", "crash.two"));
    assert_non_null(strstr(rig_error(&r), "it has no case 'crash.two'"));
    rig_free(&r);
}

static const char layered[] =
    HEAD
    "  replicas = 0, timeout_ms = 7, must_see = { 'wait' },\n"
    "  expect = { prompt = { 'holds', idle_ms = 30001 }, fifo = 'holds', strict_mutual_exclusion = 'holds' },\n"
    "  faults = { 'all', clock_jump = { 2, ms = -5 } },\n"
    "  cases = {\n"
    "    ['*'] = { end_ms = 1000 },\n"
    "    ['crash.*'] = { expect = { prompt = { 'violated', why = 'nobody renews' }, no_leak = 'violated' }, timeout_ms "
        "= 8 },\n"
    "    ['crash.three'] = { expect = { no_leak = false, fifo = false }, timeout_ms = 9 },\n"
    "    ['lose_message.*'] = false,\n"
    "    ['restart.three'] = false,\n"
    "    ['wipe.two'] = { must_see = { 'grant', 'wipe' } },\n"
    "    ['lag_and_failover.two'] = {},\n"
    "    odd = { clients = { 'Z' }, faults = { pause = 2 }, title = 'odd' },\n"
    "  },\n"
    "}";

/* Property: of `expect` the tables add up, of other fields the last one counts; the most exact name is the last. */
static void the_tables_of_a_case_lie_upon_each_other(void **state)
{
    (void)state;
    rig r;
    must_load(&r, layered, "crash.two");
    const scenario *s = &r.scenario;
    assert_string_equal(s->path.p, "s.lua:crash.two");
    assert_string_equal(s->file.p, "s.lua");
    assert_string_equal(s->title.p, "mine: a crash, two clients");
    assert_int_equal(s->client_count, 2);
    assert_int_equal(s->timeout_ms, 8);
    assert_int_equal(s->end_ms, 1000);
    assert_int_equal(s->faults[FAULT_CRASH].budget, 1);
    assert_int_equal(s->faults[FAULT_CLOCK_JUMP].budget, 0);
    assert_int_equal(s->expect[PROPERTY_PROMPT], EXPECT_VIOLATED);
    assert_int_equal(s->model.parameter[PROPERTY_PROMPT], 30001);
    assert_string_equal(s->why[PROPERTY_PROMPT].p, "nobody renews");
    assert_int_equal(s->expect[PROPERTY_NO_LEAK], EXPECT_VIOLATED);
    assert_int_equal(s->expect[PROPERTY_FIFO], EXPECT_HOLDS);
    assert_int_equal(s->must_see_count, 2);
    assert_string_equal(s->must_see[0].p, "wait");
    assert_string_equal(s->must_see[1].p, "crash");
    rig_free(&r);

    must_load(&r, layered, "crash.three");
    assert_int_equal(s->client_count, 3);
    assert_int_equal(s->timeout_ms, 9);
    assert_int_equal(s->expect[PROPERTY_PROMPT], EXPECT_VIOLATED);
    assert_int_equal(s->expect[PROPERTY_NO_LEAK], EXPECT_UNSAID);
    assert_true(s->model.judged[PROPERTY_NO_LEAK]);            /* it is judged by default */
    assert_int_equal(s->expect[PROPERTY_FIFO], EXPECT_UNSAID);
    assert_false(s->model.judged[PROPERTY_FIFO]);
    rig_free(&r);

    must_load(&r, layered, "clock_jump.two");
    assert_int_equal(s->faults[FAULT_CLOCK_JUMP].budget, 2);
    assert_int_equal(s->faults[FAULT_CLOCK_JUMP].amount, -5);
    assert_int_equal(s->timeout_ms, 7);
    assert_int_equal(s->why[PROPERTY_PROMPT].n, 0);
    rig_free(&r);

    must_load(&r, layered, "lag_and_failover.two");
    assert_int_equal(s->replicas, 1);
    assert_int_equal(s->faults[FAULT_LAG].budget, 1);
    assert_int_equal(s->faults[FAULT_FAILOVER].budget, 1);
    rig_free(&r);

    must_load(&r, layered, "wipe.two");
    assert_int_equal(s->must_see_count, 2);
    assert_string_equal(s->must_see[0].p, "grant");
    rig_free(&r);

    must_load(&r, layered, "odd");
    assert_int_equal(s->client_count, 1);
    assert_string_equal(s->title.p, "odd");
    assert_int_equal(s->faults[FAULT_PAUSE].budget, 2);
    assert_int_equal(s->must_see_count, 1);
    rig_free(&r);

    const char *all = names_of(&r, layered);
    assert_non_null(strstr(all, "lag_and_failover.two"));
    assert_non_null(strstr(all, "restart.two"));
    assert_null(strstr(all, "restart.three"));
    assert_null(strstr(all, " lose_message.two"));
    assert_non_null(strstr(all, "pause_and_lose_message.two"));
    rig_free(&r);
}

/* Property: the program is that of the case, too, in every process. */
static void a_twin_has_its_own_program_and_shows_no_bug(void **state)
{
    (void)state;
    static const char text[] =
        "return { clients = { 'A' }, title = 'broken', exhibit = { bug = '#1' }, program = function(me) me:log('bug') "
            "end,\n"
        "  expect = { prompt = { 'violated', idle_ms = 5, why = 'w' } },\n"
        "  twin = { title = 'mended', program = function(me) me:log('mended') end, expect = { prompt = 'holds' } } }";
    static const struct { const char *name, *logged, *bug, *twin; expectation expected; } row[] = {
        { "exhibit", "bug", "#1", "s.lua:twin", EXPECT_VIOLATED }, { "twin", "mended", "", "", EXPECT_HOLDS },
    };
    rig r;
    assert_string_equal(names_of(&r, text), "exhibit twin");
    rig_free(&r);
    for (size_t i = 0; i < COUNT(row); i++) {
        must_load(&r, text, row[i].name);
        assert_string_equal(r.scenario.exhibit.bug.n ? r.scenario.exhibit.bug.p : "", row[i].bug);
        assert_string_equal(r.scenario.exhibit.twin.n ? r.scenario.exhibit.twin.p : "", row[i].twin);
        assert_int_equal(r.scenario.expect[PROPERTY_PROMPT], row[i].expected);
        assert_int_equal(r.scenario.model.parameter[PROPERTY_PROMPT], 5);
        assert_int_equal(r.scenario.why[PROPERTY_PROMPT].n, i == 0 ? 1 : 0);
        r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
        assert_non_null(r.p);
        const task_view *tasks;
        assert_int_equal(process_tasks(r.p, &tasks), 1);
        assert_true(process_run(r.p, tasks[0].id, r.now_ms, &r.out, &r.e));
        bool said = false;
        for (size_t k = 0; k < r.out.count; k++)
            said = said || (r.out.items[k].kind == OUTPUT_LOG && str_eq(r.out.items[k].text, str_from(row[i].logged)));
        assert_true(said);
        rig_free(&r);
    }
}

static void what_is_wrong_with_cases_is_told_where_it_is_written(void **state)
{
    (void)state;
    static const struct { const char *text, *name, *said; } row[] = {
        { HEAD "cases = 7 }", "", "s.lua:2:1: error[scenario]: cases has to be a table of cases by name" },
        { HEAD "cases = { {} } }", "", "values without a name" },
        { HEAD "cases = { ['A'] = {} } }", "", "a case's name has at most" },
        { HEAD "cases = { a = 'x' } }", "", "cases.a has to be a table of fields, or false" },
        { HEAD "cases = { a = true } }", "", "cases.a has to be a table of fields, or false" },
        { HEAD "cases = { ['a.*'] = {} } }", "", "is the name of no case of this file" },
        { HEAD "cases = { a = {}, ['*'] = false, a = false } }", "", "no case" },
        { HEAD "cases = { a = { cases = {} } } }", "a", "stands in the file's own table" },
        { HEAD "cases = { a = { twin = {} } } }", "a", "stands in the file's own table" },
        { HEAD "cases = { a = { faults = 'all' } } }", "a", "faults has to be \"all\" or a table" },
        { HEAD "cases = { a = { tilte = 'x' } } }", "a", "s.lua:2:17: error[scenario]: unknown field 'tilte'" },
        { HEAD "cases = { a = { expect = { fifo = 'hold' } } } }", "a", "s.lua:2:28: error[scenario]: unknown outcome "
          "'hold'" },
        { HEAD "cases = { a = { expect = { fifo = { 'holds', why = 7 } } } } }", "a", "has to be a string" },
        { HEAD "cases = { a = { clients = {} } } }", "a", "has no field 'clients'" },
        { HEAD "faults = 'al' }", "", "faults has to be \"all\" or a table" },
        { HEAD "faults = 'all' }", "", "has 33 cases, and none is named" },
        { HEAD "faults = 'all' }", "crsh.two", "did you mean s.lua:crash.two?" },
        { HEAD "faults = 'all', cases = { ['crsh.two'] = {} } }", "", "did you mean \"crash.two\"?" },
        { HEAD "faults = 'all', cases = { ['crash.four'] = {} } }", "", "names more clients than the 3" },
        { HEAD "faults = 'all', cases = { ['*'] = false } }", "", "no case is left" },
        { "return { clients = { 'A' }, program = function() end, faults = 'all' }", "", "takes two clients or more" },
        { HEAD "twin = 'R03_mended.lua' }", "", "twin has to be a table of fields" },
        { "return setmetatable({}, { __index = function() error('no') end })", "", "has no field 'clients'" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r;
        if (load_case(&r, row[i].text, row[i].name))
            fail_msg("row %zu loads", i);
        if (!strstr(rig_error(&r), row[i].said))
            fail_msg("row %zu: not '%s' but %s", i, row[i].said, rig_error(&r));
        assert_int_equal(r.e.class_, ERR_SCENARIO);
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_patterns_are_what_they_say),
        cmocka_unit_test(a_name_has_a_file_and_a_case),
        cmocka_unit_test(the_matrix_has_every_kind_and_number),
        cmocka_unit_test(a_file_without_cases_is_one_scenario),
        cmocka_unit_test(the_tables_of_a_case_lie_upon_each_other),
        cmocka_unit_test(a_twin_has_its_own_program_and_shows_no_bug),
        cmocka_unit_test(what_is_wrong_with_cases_is_told_where_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
