/* test_search_jitter.c - a sleep of a range, me:sleep(least, most), ends at any moment of it. */
#include "fixture.h"

static int fresh(void **state)
{
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

/* Stands for ever if `condition` is so after the sleep; `took`: how long it was. */
static property_outcome stands(arena *a, const char *client, const char *sleep, const char *condition, search_options o)
{
    buf lua = { 0 };
    buf_printf(&lua, "return { title = 't', clients = { %s }, program = function(me) local from = me:now() %s"
                     " local took = me:now() - from if %s then me:semaphore(0):acquire() end end }",
               client, sleep, condition);
    outcome *out = fixture_run(a, lua.p, o);
    buf_free(&lua);
    if (out->verdict == VERDICT_ERROR)
        fail_msg("%s", out->error.message.p);
    const counterexample *x = out->properties[PROPERTY_NO_DEADLOCK].example;
    assert_true(!x || x->replayed);
    return out->properties[PROPERTY_NO_DEADLOCK].outcome;
}

/* Property: each millisecond of the range, and no other, is one at which it can end. */
static void it_ends_at_any_moment_of_its_range(void **state)
{
    static const search_options how[] = { { .no_memo = false }, { .no_memo = true }, { .no_fold = true },
                                          { .every_ms = 20 }, { .strategy = "uniform", .runs = 300, .seed = 1 } };
    static const char *const sleeps[] = { "me:sleep(4, 9)", "me:sleep(1, 3) me:sleep(3, 6)",
                                          "local t = me:spawn('w', function(m) m:sleep(4, 9) end) t:join()" };
    static const struct { const char *condition; bool can; } row[] = {
        { "took == 3", false }, { "took == 4", true }, { "took == 7", true }, { "took == 9", true },
        { "took == 10", false },
    };
    for (size_t s = 0; s < COUNT(sleeps); s++)
        for (size_t i = 0; i < COUNT(row); i++)
            for (size_t k = 0; k < COUNT(how); k++) {
                property_outcome is = stands(*state, "{ 'A', start_ms = 0 }", sleeps[s], row[i].condition, how[k]);
                if ((is == OUTCOME_VIOLATED) != row[i].can)
                    fail_msg("%s, %s, way %zu: %s", sleeps[s], row[i].condition, k, property_outcome_name(is));
            }
}

/* A schedule names any millisecond of it. */
static void a_schedule_names_a_millisecond(void **state)
{
    static const struct { const char *schedule, *condition; property_outcome is; } row[] = {
        { "A=6", "took == 6", OUTCOME_VIOLATED }, { "A.sleep=9", "took == 9", OUTCOME_VIOLATED },
        { "A=4", "took == 4", OUTCOME_VIOLATED }, { "A=6", "took == 7", OUTCOME_HOLDS },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(stands(*state, "{ 'A', start_ms = 0 }", "me:sleep(4, 9)", row[i].condition,
                                (search_options){ .schedule = row[i].schedule }), row[i].is);
    outcome *out = fixture_run(*state,
                               "return { title = 't', clients = { 'A' }, program = function(me) me:sleep(4, 9) end }",
                               (search_options){ .schedule = "A=10" });
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_non_null(strstr(out->error.message.p, "me:sleep goes from 4 to 9 ms"));
}

/* By a clock that drifts both ends come sooner or later; a range of one millisecond is a sleep, and one that goes
 * backwards a mistake. */
static void its_ends_are_timers(void **state)
{
    static const char *const slow = "{ 'A', start_ms = 0, drift = '-1/10' }";
    static const char *const world_ms = "local t = me:call('TIME') local at = t[1] * 1000 + math.floor(t[2] / 1000)"
                                        " me:sleep(90, 180) t = me:call('TIME') local slept = t[1] * 1000 + "
                                            "math.floor(t[2] / 1000) - at";
    static const struct { const char *condition; bool can; } row[] = {
        { "slept < 100", false }, { "slept == 100", true }, { "slept == 200", true }, { "slept > 200", false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        assert_int_equal(stands(*state, slow, world_ms, row[i].condition, (search_options){ 0 }) == OUTCOME_VIOLATED,
                         row[i].can);
    assert_int_equal(stands(*state, "'A'", "me:sleep(5, 5)", "took ~= 5", (search_options){ 0 }), OUTCOME_HOLDS);
    outcome *out = fixture_run(*state,
                               "return { title = 't', clients = { 'A' }, program = function(me) me:sleep(5, 4) end }",
                               (search_options){ 0 });
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_non_null(strstr(out->error.message.p, "the longest time to sleep"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_ends_at_any_moment_of_its_range, fresh, gone),
        cmocka_unit_test_setup_teardown(a_schedule_names_a_millisecond, fresh, gone),
        cmocka_unit_test_setup_teardown(its_ends_are_timers, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
