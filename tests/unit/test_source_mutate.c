/* test_source_mutate.c - the mistakes that are made in a script: each operator has an example, and no mutant is like
 * another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mutate/mutants.h"

static int open_host(void **state)
{
    err e = { 0 };
    *state = source_host_new(&e);
    return *state ? 0 : -1;
}

static int close_host(void **state)
{
    source_host_free(*state);
    return 0;
}

static size_t list_of(void **state, arena *a, str text, mutant **list)
{
    size_t count;
    err e = { 0 };
    assert_true(mutants_list(*state, a, MUTANTS_OF_SCRIPT, S("x.lua"), text, list, &count, &e));
    return count;
}

/* Property: each operator makes the mistake that it is there for, where it is said to be. */
static void every_operator_has_an_example(void **state)
{
    static const struct { const char *text, *operator_, *mutant; int line, col; } row[] = {
        { "redis.call('del', KEYS[1])\nreturn 1", "drop call", "\nreturn 1", 1, 1 },
        { "redis.call('del', KEYS[1])\nreturn 1", "return early", "do return end redis.call('del', KEYS[1])\nreturn 1",
          1, 1 },
        { "redis.call('pexpire', KEYS[1], 5)", "drop expire", "", 1, 1 },
        { "redis.call('PEXPIRE', KEYS[1], 5)", "other command", "redis.call('EXPIRE', KEYS[1], 5)", 1, 12 },
        { "return redis.call('exists', KEYS[1])", "replace call", "return 0", 1, 8 },
        { "return redis.call('get', KEYS[1])", "replace call", "return false", 1, 8 },
        { "return redis.call('set', 'k', 'v', 'NX', 'PX', 7)", "drop option",
          "return redis.call('set', 'k', 'v', 'PX', 7)", 1, 34 },
        { "return redis.call('set', 'k', 'v', 'NX', 'PX', 7)", "drop option",
          "return redis.call('set', 'k', 'v', 'NX')", 1, 40 },
        { "redis.call('del', 'a')\nredis.call('del', 'b')", "reorder", "redis.call('del', 'b')\nredis.call('del', 'a')",
          1, 1 },
        { "if x < 1 then y() end", "negate", "if not (x < 1) then y() end", 1, 4 },
        { "if not x then y() end", "negate", "if x then y() end", 1, 4 },
        { "if x then y() end", "force", "if true then y() end", 1, 4 },
        { "if x then y() end", "force", "if false then y() end", 1, 4 },
        { "if x and z then y() end", "force", "if true and z then y() end", 1, 4 },
        { "if x or z then y() end", "force", "if x or false then y() end", 1, 9 },
        { "if x then y() end", "drop", "", 1, 1 },
        { "if a == b then y() end", "swap", "if a ~= b then y() end", 1, 6 },
        { "return a --[[ < ]] <= b", "swap", "return a --[[ < ]] < b", 1, 20 },
        { "return a > b", "swap", "return a >= b", 1, 10 },
        { "return (a) + b", "swap", "return (a) - b", 1, 12 },
        { "return a and b", "swap", "return a or b", 1, 10 },
        { "return -a", "swap", "return a", 1, 8 },
        { "return x(7)", "constant", "return x(8)", 1, 10 },
        { "return x(7)", "constant", "return x(0)", 1, 10 },
        { "return x(0)", "constant", "return x(1)", 1, 10 },
        { "return x('yes')", "constant", "return x('')", 1, 10 },
        { "return x('1')", "constant", "return x('2')", 1, 10 },
        { "return x(true)", "constant", "return x(false)", 1, 10 },
        { "return KEYS[1] .. KEYS[2]", "index", "return KEYS[2] .. KEYS[2]", 1, 13 },
        { "return ARGV[3] .. ARGV[1]", "index", "return ARGV[1] .. ARGV[1]", 1, 13 },
        { "return nil", "reply", "return 1", 1, 8 },
        { "return x()", "reply", "return nil", 1, 8 },
        { "do return end", "reply", "do return 1 end", 1, 4 },
        { "if x then return 1 end", "drop return", "if x then  end", 1, 11 },
        { "while x do break end", "drop break", "while x do  end", 1, 12 },
        { "x = 1\nwhile x do y() end", "drop", "x = 1\n", 2, 1 },
        { "repeat y() until x", "force", "repeat y() until true", 1, 18 },
        { "for i = 1, 9 do y() end", "constant", "for i = 2, 9 do y() end", 1, 9 },
        { "local function f() return 1 end return f()", "constant", "local function f() return 2 end return f()", 1,
          27 },
        { "#!lua flags=no-writes\nreturn 1", "constant", "#!lua flags=no-writes\nreturn 2", 2, 8 },
        { "-- \xc3\xa9\nreturn 1 -- \xff", "constant", "-- \xc3\xa9\nreturn 0 -- \xff", 2, 8 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        mutant *list;
        str text = str_from(row[i].text);
        size_t count = list_of(state, a, text, &list), k = 0;
        while (k < count && !(str_eq(list[k].operator_, str_from(row[i].operator_)) &&
                              str_eq(mutant_text(a, text, &list[k]), str_from(row[i].mutant))))
            k++;
        if (k == count)
            fail_msg("row %zu: no '%s' makes of \"%s\" \"%s\"", i, row[i].operator_, row[i].text, row[i].mutant);
        assert_int_equal(list[k].line, row[i].line);
        assert_int_equal(list[k].col, row[i].col);
        arena_free(a);
    }
}

/* Property: what client code can get wrong besides has an example, and what only speaks to the model has none. */
static void client_code_has_mistakes_of_its_own(void **state)
{
    static const struct { const char *text, *operator_, *mutant; } row[] = {
        { "local function f(me) local a, b = me:eval(s, k) end", "drop request",
          "local function f(me) local a, b = nil end" },
        { "local function f(me) local a, b = me:eval(s, k) end", "swallow error",
          "local function f(me) local a, b = (me:eval(s, k)) end" },
        { "local function f(me, p) return nil, p end", "swallow error", "local function f(me, p) return nil end" },
        { "local function f(me) return g(me) end", "swallow error", "local function f(me) return (g(me)) end" },
        { "local function f(me) return me:subscribe(c, d) end", "drop subscription",
          "local function f(me) return true end" },
        { "local function f(me, g) g:on_answer(function() h() end) end", "skip callback",
          "local function f(me, g) g:on_answer(function() end) end" },
        { "local function f(me) me:eval(s) x = 1 end", "reorder", "local function f(me) x = 1 me:eval(s) end" },
        { "local function f(me) me:call('DEL', k) end", "drop call", "local function f(me)  end" },
        { "local wait_ms = 7", "constant", "local wait_ms = 8" },
        { "return { lock = function(me) return me:now() end }", "reply",
          "return { lock = function(me) return nil end }" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        arena *a = arena_new();
        mutant *list;
        size_t count, k = 0;
        err e = { 0 };
        str text = str_from(row[i].text);
        assert_true(mutants_list(*state, a, MUTANTS_OF_DRIVER, S("x.lua"), text, &list, &count, &e));
        while (k < count && !(str_eq(list[k].operator_, str_from(row[i].operator_)) &&
                              str_eq(mutant_text(a, text, &list[k]), str_from(row[i].mutant))))
            k++;
        if (k == count)
            fail_msg("row %zu: no '%s' makes of \"%s\" \"%s\"", i, row[i].operator_, row[i].text, row[i].mutant);
        arena_free(a);
    }
}

/* Property: announcements, labels, views, loading and what stands in a scenario's table are not client code. */
static void what_only_tells_the_model_is_left_alone(void **state)
{
    static const struct { mutants_kind kind; const char *text; size_t count; } row[] = {
        { MUTANTS_OF_DRIVER, "local h = require 'holds' local s = script 'a.lua' return h", 0 },
        { MUTANTS_OF_DRIVER, "function M.view(redis, name) if redis.call('GET', name) then return 1 end end", 0 },
        { MUTANTS_OF_DRIVER, "local function holder_of(redis, name) return redis.call('GET', name) or 7 end", 0 },
        { MUTANTS_OF_DRIVER, "local M = { spec = 'mutex', view = function() return 1 end }", 0 },
        { MUTANTS_OF_SCENARIO, "return { clients = { 'A' }, program = function(me) me:work(7) end }", 0 },
        { MUTANTS_OF_SCENARIO, "local wait = 7 return { clients = { 'A' } }", 2 },
    };
    static const char notes[] = "local function f(me) me:granted('x', { lease = 7 }) end";
    for (size_t i = 0; i <= COUNT(row); i++) {
        arena *a = arena_new();
        mutant *list;
        size_t count;
        err e = { 0 };
        str text = str_from(i < COUNT(row) ? row[i].text : notes);
        assert_true(mutants_list(*state, a, i < COUNT(row) ? row[i].kind : MUTANTS_OF_DRIVER, S("x.lua"), text, &list,
                                 &count, &e));
        for (size_t k = 0; i == COUNT(row) && k < count; k++)
            assert_string_equal(list[k].operator_.p, "return early");
        if (i < COUNT(row))
            assert_int_equal(count, row[i].count);
        arena_free(a);
    }
}

static const char fair[] = "local lock, queue = KEYS[1], KEYS[2]\n"
                           "if redis.call('exists', lock) == 0 and redis.call('lindex', queue, 0) == ARGV[1] then\n"
                           "  redis.call('lpop', queue)\n"
                           "  redis.call('hset', lock, ARGV[1], 1)\n"
                           "  redis.call('pexpire', lock, tonumber(ARGV[2]) + 1)\n"
                           "  return nil\n"
                           "end\n"
                           "return redis.call('pttl', lock)\n";

/* Property: mutants come in the order of the text, each another text, none of them the script itself; twice the
 * same. */
static void mutants_are_told_apart_and_stay_in_order(void **state)
{
    arena *a = arena_new();
    mutant *list, *again;
    size_t count = list_of(state, a, str_from(fair), &list);
    assert_true(count > 30);
    assert_int_equal(list_of(state, a, str_from(fair), &again), count);
    for (size_t i = 0; i < count; i++) {
        str text = mutant_text(a, str_from(fair), &list[i]);
        assert_int_equal(list[i].number, i + 1);
        assert_false(str_eq(text, str_from(fair)));
        assert_true(str_eq(text, mutant_text(a, str_from(fair), &again[i])));
        assert_true(i == 0 || list[i].first >= list[i - 1].first);
        for (size_t k = 0; k < i; k++)
            assert_false(str_eq(text, mutant_text(a, str_from(fair), &list[k])));
    }
    arena_free(a);
}

static void what_is_no_lua_is_refused_where_it_stands(void **state)
{
    arena *a = arena_new();
    mutant *list;
    size_t count;
    err e = { 0 };
    assert_false(mutants_list(*state, a, MUTANTS_OF_SCRIPT, S("x.lua"), S("return 1\nif x then"), &list, &count, &e));
    assert_int_equal(e.class_, ERR_SCENARIO);
    assert_int_equal(e.line, 2);
    err_clear(&e);
    assert_true(mutants_list(*state, a, MUTANTS_OF_SCRIPT, S("x.lua"), S(""), &list, &count, &e));
    assert_int_equal(count, 0);
    assert_int_equal(e.class_, ERR_NONE);
    arena_free(a);
}

/* Property: patch would make the mutant of the script by its diff. */
static void a_diff_shows_the_lines_around(void **state)
{
    arena *a = arena_new();
    mutant *list;
    buf b = { 0 };
    size_t count = list_of(state, a, str_from(fair), &list), k = 0;
    while (k < count && !str_eq(list[k].operator_, S("drop expire")))
        k++;
    assert_true(k < count);
    mutant_diff(S("x.lua"), str_from(fair), &list[k], &b);
    assert_string_equal(b.p, "--- x.lua\n+++ x.lua\n@@ -2,7 +2,7 @@\n"
                             " if redis.call('exists', lock) == 0 and redis.call('lindex', queue, 0) == ARGV[1] then\n"
                             "   redis.call('lpop', queue)\n"
                             "   redis.call('hset', lock, ARGV[1], 1)\n"
                             "-  redis.call('pexpire', lock, tonumber(ARGV[2]) + 1)\n"
                             "+  \n"
                             "   return nil\n"
                             " end\n"
                             " return redis.call('pttl', lock)\n");
    buf_free(&b);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_operator_has_an_example, open_host, close_host),
        cmocka_unit_test_setup_teardown(client_code_has_mistakes_of_its_own, open_host, close_host),
        cmocka_unit_test_setup_teardown(what_only_tells_the_model_is_left_alone, open_host, close_host),
        cmocka_unit_test_setup_teardown(mutants_are_told_apart_and_stay_in_order, open_host, close_host),
        cmocka_unit_test_setup_teardown(what_is_no_lua_is_refused_where_it_stands, open_host, close_host),
        cmocka_unit_test_setup_teardown(a_diff_shows_the_lines_around, open_host, close_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
