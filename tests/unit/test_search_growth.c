/* test_search_growth.c - a search without end names what grows, and names nothing where all comes back. */
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

static bool says(str text, const char *what)
{
    for (size_t i = 0; i < text.n; i++)
        if (str_starts(str_slice(text, i, text.n), str_from(what)))
            return true;
    return false;
}

static outcome *search(arena *a, const char *clients, const char *head, const char *program, uint64_t max_states)
{
    char lua[2048];
    snprintf(lua, sizeof lua, "%s\nreturn { title = 't', clients = { %s }, program = function(me)\n%s\nend }", head,
             clients, program);
    return fixture_run(a, lua, (search_options){ .max_states = max_states });
}

/* Property: what grows is named, with where it is written and its last values. */
static void what_grows_is_named(void **state)
{
    static const struct { const char *clients, *head, *program, *named[2]; } row[] = {
        { "'A'", "", "while true do me:call('INCR', 'n') end", { "the key `n` (\"", "\", ...)" } },
        { "'A', 'B'", "", "while true do me:call('HINCRBY', 'h', me.id, 1) end", { "`B:1` in the key `h` (", NULL } },
        { "'A'", "", "while true do me:call('RPUSH', 'l', 'x') end",
          { "the number of members of the key `l` (", NULL } },
        { "'A'", "", "local i = 0 while true do i = i + 1 me:call('SADD', 's', 'm' .. i) i = i % 7 + i end",
          { "client A: local `i` at test.lua:3 (", NULL } },
        { "'A'", "", "while true do me:call('ZINCRBY', 'z', 1, 'm') end", { "`m` in the key `z` (", NULL } },
        { "'A'", "", "local n = 40\nwhile true do\nn = n + 1\nme:step()\nend",
          { "client A: local `n` at test.lua:6 (", NULL } },
        { "'A', 'B'", "", "local t = { deep = { n = 0 } }\nwhile true do t.deep.n = t.deep.n + 1 me:step() end",
          { "local `t.deep.n` at test.lua:4 (", NULL } },
        { "'A'", "local n = 0 local function f() n = n + 1 end", "while true do f() me:step() end",
          { "variable `n`, used by the function at test.lua:1 (", NULL } },
        { "'A'", "", "while true do me.process.n = (me.process.n or 0) + 1 me:step() end",
          { "client A: field `me.process.n` (", NULL } },
        { "'A'", "", "local l = {} while true do l[#l + 1] = 'x' me:step() end",
          { "the number of fields of local `l` at test.lua:3 (", NULL } },
        { "'A'", "", "local s = '' while true do s = s .. 'x' me:step() end",
          { "local `s` at test.lua:3 (\"xx", NULL } },
        { "'A'", "", "local function f() me:step() f() return 1 end f()",
          { "the number of calls in each other in task A:1 (", NULL } },
        { "'A'", "", "while true do me:send('return 1', {}, {}) me:step() end",
          { "client A: the number of its requests under way (", NULL } },
        { "'A'", "", "while true do me:unique('x') me:step() end",
          { "client A: how often it asked me:unique (", NULL } },
        { "'A'", "", "while true do me:spawn('w', function(m) m:sleep(1000000) end) me:step() end",
          { "client A: the number of its tasks (", NULL } },
        { "'A', 'B'", "", "if me.client == 'A' then while true do me:call('PUBLISH', 'ch', 'x') end end "
          "me:subscribe('ch', function() end) me:sleep(1000)",
          { "client B: the number of messages on their way to it (", NULL } },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome *out = search(*state, row[i].clients, row[i].head, row[i].program, 600);
        assert_int_equal(out->verdict, VERDICT_INCONCLUSIVE);
        for (size_t k = 0; k < COUNT(row[i].named) && row[i].named[k]; k++)
            if (!says(out->reason, row[i].named[k]))
                fail_msg("%zu: '%s' is not in: %.*s", i, row[i].named[k], STR_ARG(out->reason));
    }
}

/* Property: large is not endless: where a limit comes first and nothing grows, nothing is named. */
static void what_comes_back_is_not_named(void **state)
{
    static const struct { const char *clients, *program; uint64_t max; } row[] = {
        { "'A', 'B', 'C', 'D'", "for i = 1, 4 do me:step() end", 500 },
        { "'A', 'B', 'C'", "local n = 0 while true do n = (n + 1) % 5 me:step() end", 100 },
        { "'A', 'B', 'C'", "while true do me:call('SET', 'n', me.id) me:call('GET', 'n') end", 20 },
        { "'A'", "me:step()", 1 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome *out = search(*state, row[i].clients, "", row[i].program, row[i].max);
        assert_int_equal(out->verdict, VERDICT_INCONCLUSIVE);
        assert_false(says(out->reason, "what kept growing"));
    }
    outcome *out = search(*state, "'A'", "", "for i = 1, 200 do me:call('INCR', 'n') end", 0);
    assert_int_equal(out->verdict, VERDICT_PASS);
    assert_int_equal(out->reason.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_grows_is_named, fresh, gone),
        cmocka_unit_test_setup_teardown(what_comes_back_is_not_named, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
