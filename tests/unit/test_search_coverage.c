/* test_search_coverage.c - what a search says it reached of each script, whichever way it searched. */
#include "fixture.h"

static const fixture_file files[] = {
    { "take.lua",
      "if redis.call('exists', KEYS[1]) == 1 then\n  return 0\nend\nredis.call('set', KEYS[1], 1)\nreturn 1" },
    { NULL, NULL },
};

#define PROGRAM \
    "local take, unused = script 'take.lua', script.text 'return 9'\n" \
    "return { title = 't', clients = { 'A', 'B' }, %s program = function(me)\n" \
    "  me:eval(take, { 'k' }, {})\n" \
    "  me:eval('redis.call(\"del\", KEYS[1]) return 1', { 'k' }, {}, { op = 'give' })\n" \
    "end }"

static int fresh(void **state)
{
    fixture_files = files;
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

static const outcome *searched(arena *a, const char *explore, search_options o)
{
    char lua[1024];
    snprintf(lua, sizeof lua, PROGRAM, explore);
    const outcome *out = fixture_run(a, lua, o);
    assert_int_equal(out->verdict, VERDICT_PASS);
    assert_int_equal(out->script_count, 2);
    /* a text, by its driver's word; what nobody sent is not there */
    assert_string_equal(out->scripts[0].name.p, "give");
    assert_string_equal(out->scripts[1].name.p, "take.lua");
    return out;
}

/* Property: one schedule reaches its own lines and no others; a search that tries every order reaches them all. */
static void a_search_tells_what_it_reached(void **state)
{
    static const struct { const char *explore; search_options o; bool both; } row[] = {
        { "explore = { schedule = 'A A B B' },", { 0 }, false }, { "explore = { schedule = 'A B A B' },", { 0 }, true },
        { "explore = 'exhaustive',", { 0 }, true }, { "explore = 'exhaustive',", { .no_fold = true }, true },
        { "explore = { random = 50 },", { 0 }, true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const outcome *out = searched(*state, row[i].explore, row[i].o);
        const coverage_script *take = &out->scripts[1];
        assert_int_equal(take->line_count, 4);
        assert_int_equal(take->branch_count, 2);
        assert_true((take->lines[1].count > 0) == row[i].both);
        assert_true((take->branches[0].count > 0) == row[i].both);
        assert_true(take->branches[1].count > 0 && take->lines[2].count > 0);
        assert_true(out->scripts[0].lines[0].count == take->lines[0].count);
    }
}

/* Property: the same search, the same counts. */
static void counts_are_the_same_each_time(void **state)
{
    const outcome *once = searched(*state, "explore = { random = 50 },", (search_options){ .seed = 3 });
    const outcome *again = searched(*state, "explore = { random = 50 },", (search_options){ .seed = 3 });
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(once->scripts[1].lines[i].count, again->scripts[1].lines[i].count);
    assert_int_equal(once->scripts[1].lines[0].count, 100);      /* 50 runs, each client once */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_search_tells_what_it_reached, fresh, gone),
        cmocka_unit_test_setup_teardown(counts_are_the_same_each_time, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
