/* test_world_trials.c - a text of a script that does the same on all that a search asked of it leads another search
 * through the same states; and a text that does anything else is noticed, wherever the difference hides. */
#include "fixture.h"

#include "memo/trials.h"

static fixture_file files[] = { { "acquire.lua", NULL }, { "release.lua", NULL },
                                { "unused.lua", "return redis.call('ping')" }, { "driver.lua", NULL }, { NULL, NULL } };

static const char acquire[] =
    "local lock, lease = KEYS[1], ARGV[1]\n"
    "if redis.call('set', lock, ARGV[2], 'nx', 'px', lease) then return 1 end\n"
    "if redis.call('get', lock) == 'nobody' then return 7 end\n"
    "return -redis.call('pttl', lock)\n";

static const char release[] =
    "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end\n"
    "redis.call('del', KEYS[1])\n"
    "redis.call('publish', 'free', ARGV[1])\n"
    "return 1\n";

static const char driver[] = "return { patience = 1 }\n";

static const char program[] =
    "local acquire, release, unused, driver = script 'acquire.lua', script 'release.lua', script 'unused.lua', require "
        "'driver'\n"
    "return { title = 't', clients = { 'A', 'B' }, program = function(me)\n"
    "  me:subscribe('free', function() end)\n"
    "  for _ = 1, driver.patience do\n"
    "    if me:eval(acquire, { 'l' }, { 100, me.id }) == 1 then me:work(30) me:eval(release, { 'l' }, { me.id }) else "
        "me:sleep(20) end\n"
    "  end\n"
    "  me:unsubscribe('free')\n"
    "end, %s }";

static int fresh(void **state)
{
    files[0].text = acquire;
    files[1].text = release;
    files[3].text = driver;
    fixture_files = files;
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

static outcome *search(arena *a, const char *text, trials *t, search_options o)
{
    o.trials = t;
    return fixture_run(a, text, o);
}

static trials *taken_down(arena *a, const char *fields, search_options o)
{
    trials *t = trials_new((redis_limits){ 0 });
    search(a, arena_printf(a, program, fields).p, t, o);
    return t;
}

static bool same(const trials *t, const char *path, const char *text)
{
    size_t tried;
    return trials_same(t, str_from(path), str_from(text), &tried);
}

static const char *with(arena *a, const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    assert_non_null(at);
    return arena_printf(a, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what)).p;
}

/* Each row is another text of acquire.lua. */
static const struct { const char *what, *by; bool same; } changes[] = {
    { "local lock", "-- a comment\nlocal lock", true },
    { "'set'", "'SET'", true },
    { "local lock, lease = KEYS[1], ARGV[1]", "local lease, lock = ARGV[1], KEYS[1]", true },
    { "return 7", "return 8", true },              /* never reached: no call asks for it */
    { "return 1", "return 1.5", true },            /* Redis cuts it */
    { "return 1", "return 2", false },
    { "return 1", "return '1'", false },
    { "-redis.call('pttl', lock)", "-1 - redis.call('pttl', lock)", false },
    { "lease) then", "lease + 1) then", false },
    { "'px', lease", "'px', lease, 'get'", false },
    { "return 1", "redis.call('hset', 'h', 'f', 1) return 1", false },
    { "return 1", "redis.call('publish', 'free', 'x') return 1", false },
    { "return 1", "x = 1", false },                /* a global: an error */
    { "return 1", "redis.call('get', 'undeclared') return 1", false },
    { "return 1", "redis.call('incr', lock) return 1", false },
    { "return 1", "while true do end", false },
    { "return 1", "return tonumber(redis.call('time')[1]) % 2", false },
    /* differs at another time only */
    { "return 1", "if tonumber(redis.call('time')[1]) > 1800000000 then return 2 end return 1", false },
    { "return 1", "if", false },                   /* no Lua */
};

static void what_does_anything_else_is_noticed(void **state)
{
    trials *t = taken_down(*state, "", (search_options){ 0 });
    size_t tried;
    assert_true(trials_same(t, S("acquire.lua"), str_from(acquire), &tried));
    assert_true(tried > 2);
    for (size_t i = 0; i < COUNT(changes); i++)
        if (same(t, "acquire.lua", with(*state, acquire, changes[i].what, changes[i].by)) != changes[i].same)
            fail_msg("%s -> %s", changes[i].what, changes[i].by);
    /* another message */
    assert_false(same(t, "release.lua", with(*state, release, "ARGV[1])\nreturn 1", "'free')\nreturn 1")));
    trials_free(t);
}

/* What is taken for the same leads to the same search, step by step. */
static void the_same_on_all_trials_is_the_same_search(void **state)
{
    const char *text = arena_printf(*state, program, "expect = { no_leak = 'violated' }, faults = { crash = 1, "
                                    "lose_reply = 1 }").p;
    trials *t = trials_new((redis_limits){ 0 });
    const outcome *before = search(*state, text, t, (search_options){ 0 });
    size_t checked = 0;
    for (size_t i = 0; i < COUNT(changes); i++) {
        const char *changed = with(*state, acquire, changes[i].what, changes[i].by);
        if (!same(t, "acquire.lua", changed))
            continue;
        files[0].text = changed;
        const outcome *after = search(*state, text, NULL, (search_options){ 0 });
        assert_int_equal(after->search.states, before->search.states);
        assert_int_equal(after->search.transitions, before->search.transitions);
        assert_int_equal(after->search.longest, before->search.longest);
        for (int p = 0; p < PROPERTY_COUNT; p++)
            assert_int_equal(after->properties[p].outcome, before->properties[p].outcome);
        checked++;
    }
    assert_true(checked >= 5);
    trials_free(t);
}

/* A script that nobody ran can be any; a driver, or a file that was not loaded, is none. */
static void only_scripts_are_known(void **state)
{
    trials *t = taken_down(*state, "", (search_options){ 0 });
    assert_true(same(t, "unused.lua", "return 1"));
    assert_false(same(t, "driver.lua", driver));
    assert_false(same(t, "driver.lua", "return { patience = 2 }"));
    assert_false(same(t, "elsewhere.lua", acquire));
    trials_free(t);
}

/* Other searches do not ask each thing once, or were cut off: nothing is known then. */
static void nothing_is_known_of_other_searches(void **state)
{
    static const search_options others[] = { { .runs = 5 }, { .no_memo = true }, { .no_fold = true },
                                             { .max_states = 3 }, { .schedule = "A A" } };
    for (size_t i = 0; i < COUNT(others); i++) {
        trials *t = taken_down(*state, "", others[i]);
        if (same(t, "acquire.lua", acquire))
            fail_msg("options %zu", i);
        trials_free(t);
    }
}

/* What clients do may then depend on the text itself. */
static void a_client_that_knows_the_text_spoils_it(void **state)
{
    static const char *const uses[] = {
        "me:log(#a.text)", "me:log(a.sha1)", "me:eval(script.text('return 1'), {}, {})",
        "me:call('EVAL', 'return 1', 0)",
    };
    for (size_t i = 0; i < COUNT(uses); i++) {
        trials *t = trials_new((redis_limits){ 0 });
        const char *text = arena_printf(*state, "local a = script 'acquire.lua' return { title = 't', clients = { 'A' "
                                        "}, program = function(me) "
                                                "me:eval(a, { 'l' }, { 100, me.id }) %s end }", uses[i]).p;
        search(*state, text, t, (search_options){ 0 });
        if (same(t, "acquire.lua", acquire))
            fail_msg("%s", uses[i]);
        trials_free(t);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_does_anything_else_is_noticed, fresh, gone),
        cmocka_unit_test_setup_teardown(the_same_on_all_trials_is_the_same_search, fresh, gone),
        cmocka_unit_test_setup_teardown(only_scripts_are_known, fresh, gone),
        cmocka_unit_test_setup_teardown(nothing_is_known_of_other_searches, fresh, gone),
        cmocka_unit_test_setup_teardown(a_client_that_knows_the_text_spoils_it, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
