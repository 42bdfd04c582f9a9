/* test_client_hostile.c - client code that attacks the machine under it: whatever it does ends as a located error of
 * its own, or works. Each row here once crashed the program, ended it without a word, or never came back. */
#include "client_rig.h"

/* Runs the program until it waits for something else than a request, fails or ends. false: it failed, r->e says how. */
static bool run(rig *r, const char *text)
{
    if (!rig_load(r, NULL, text))
        return false;
    r->p = process_new(&r->scenario, &r->loader, 0, 0, r->now_ms, &r->e);
    bool ok = r->p && rig_run(r, 0);
    for (uint32_t id = 1; ok && rig_task(r, 0) && rig_task(r, 0)->status == TASK_REQUEST; id++)
        ok = rig_answer(r, id, reply_nil());
    return ok;
}

static void a_program_that_is_no_lua_function_can_wait(void **state)
{
    (void)state;
    rig r;
    bool ok = run(&r, "return { clients = { 'A' }, program = coroutine.wrap(function(me) me:call('PING') "
                  "me:call('PING') me:log('end') end) }");
    if (!ok)
        print_error("%s", rig_error(&r));
    assert_true(ok);
    assert_non_null(strstr(rig_text(&r), "log end"));
    rig_free(&r);
}

static void an_error_of_a_built_in_program_is_told_at_the_program(void **state)
{
    (void)state;
    rig r;
    assert_false(run(&r, "return { clients = { 'A' },\n  program = error }"));
    assert_int_equal(r.e.line, 2);
    assert_int_equal(r.e.col, 3);
    rig_free(&r);
}

static void handlers_and_callbacks_may_be_wrapped_coroutines(void **state)
{
    (void)state;
    rig r;
    assert_true(run(&r, "return { clients = { 'A' }, program = function(me)\n"
                        "local f = me:send('PING')  f:on_answer(coroutine.wrap(function(m) m:sleep(5) "
                        "m:log('answered') end)) me:sleep(9) end }"));
    assert_true(rig_answer(&r, 1, reply_nil()));
    assert_true(rig_run(&r, 1));
    r.now_ms += 5;
    assert_true(rig_run(&r, 1));
    assert_non_null(strstr(rig_text(&r), "log answered"));
    rig_free(&r);
}

/* The scenario's table and a view's are read raw: nothing protects that reading. */
static void metamethods_of_tables_that_are_read_never_run(void **state)
{
    (void)state;
    rig r;
    static const char *const texts[] = {
        "return setmetatable({ clients = { 'A' } }, { __index = function() while true do end end })",
        "return setmetatable({ clients = { 'A' } }, { __index = function() error('no') end })",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(run(&r, texts[i]));
        assert_int_equal(r.e.class_, ERR_SCENARIO);
        assert_string_equal(r.e.message.p, "the scenario has no field 'program'");
        rig_free(&r);
    }
    rig_program(&r, NULL, "local evil = setmetatable({}, { __index = function(t, k) error('no') end })\n"
                          "me:observe('L', { view = function(redis, lock) return evil end }) me:sleep(1)");
    lock_view view;
    assert_true(process_view(r.p, 0, r.now_ms, NULL, NULL, r.a, &view, &r.e));
    assert_int_equal(view.holder_count, 0);
    rig_free(&r);
}

/* A driver may be a class: its view is found as any field is, once. */
static void a_view_that_is_inherited_is_found(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL, "local base = { view = function(redis, lock) return { ttl_ms = 7 } end }\n"
                          "me:observe('L', setmetatable({}, { __index = base })) me:sleep(1)");
    lock_view view;
    assert_true(process_view(r.p, 0, r.now_ms, NULL, NULL, r.a, &view, &r.e));
    assert_int_equal(view.ttl_ms, 7);
    rig_free(&r);
}

static void what_never_ends_ends_at_its_line(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "local function f(m) while true do m:spawn('f', f) end end\nf(me)",
        "while true do pcall(coroutine.wrap(function() coroutine.yield() end)) end",
        ("local all = {} while true do local co = coroutine.create(function() pcall(coroutine.yield) end) "
        "coroutine.resume(co) all[#all + 1] = co end"),
        "local all = {} while true do all[#all + 1] = coroutine.wrap(function() end) end",
        "local f = me:send('PING') while true do f:on_answer(function() end) end",
        "while true do me:send('PING') end",
        "while true do me:spawn('x', function() end) end",
        "local t = {} while true do me.process[t] = me.on(me, 1) t = { t } end",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        static char text[1024];
        snprintf(text, sizeof text, "return { clients = { 'A' }, program = function(me)\n%s\nend }", bodies[i]);
        rig r;
        bool ok = run(&r, text);
        if (ok || r.e.class_ != ERR_DRIVER || r.e.line < 2 || r.e.line > 3)
            print_error("%s\nends as\n%s", bodies[i], rig_error(&r));
        assert_false(ok);
        assert_int_equal(r.e.class_, ERR_DRIVER);
        assert_in_range(r.e.line, 2, 3);
        rig_free(&r);
    }
}

/* More values than a stack holds: to pcall, xpcall, coroutines, and through them. */
static void full_stacks_end_as_errors(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "local t = {} for i = 1, 7990 do t[i] = i end local a = {} for i = 1, 200 do a[i] = 'a' end\n"
        "local f = function() end return pcall(f, a, a, a, a, a, a, a, a, a, a, a, a, a, unpack(t))",
        "local t = {} for i = 1, 7995 do t[i] = i end return pcall(select, 1, unpack(t))",
        "local t = {} for i = 1, 7995 do t[i] = i end local f = function(a) me:step() return a end return pcall(f, 1, "
        "2, 3, unpack(t))",
        "local t = {} for i = 1, 7995 do t[i] = i end local co = coroutine.create(function(a) "
            "coroutine.yield(unpack(t)) end)\n"
        "coroutine.resume(co, 1, 2, 3, 4, unpack(t)) return 1, 2, 3, coroutine.resume(co, 5, 6, 7, unpack(t))",
        "local t = {} for i = 1, 7995 do t[i] = i end local function f(n) if n == 0 then return unpack(t) end return "
            "1, pcall(f, n - 1) end\n"
        "return 1, 2, 3, f(20)",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        static char text[1024];
        snprintf(text, sizeof text, "return { clients = { 'A' }, program = function(me)\n%s\nend }", bodies[i]);
        rig r;
        if (!run(&r, text))
            assert_int_not_equal(r.e.line, 0);
        rig_free(&r);
    }
}

static void a_process_that_failed_can_still_be_looked_at(void **state)
{
    (void)state;
    rig r;
    assert_false(run(&r, "return { clients = { 'A' }, program = function(me) me:call('SET', 'k', 'v', { op = 'a long "
                     "operation' }) error('x') end }"));
    process_forget(r.p, 1);
    const task_view *t = rig_task(&r, 0);
    assert_non_null(t);
    assert_int_not_equal(t->next.n, 0);
    rig_free(&r);
}

/* Lua's own counts the results in an int, and wrote beyond its stack. */
static void unpack_counts_its_results(void **state)
{
    (void)state;
    static const char *const calls[] = { "unpack({}, 0, 2147483647)", "unpack({}, -2147483648, 2147483647)",
                                         "unpack({}, 1, 2147483647)", "unpack({}, 1, 8001)" };
    for (size_t i = 0; i < COUNT(calls); i++) {
        char text[200];
        snprintf(text, sizeof text, "return { clients = { 'A' }, program = function(me)\n%s\nend }", calls[i]);
        rig r;
        assert_false(run(&r, text));
        assert_int_equal(r.e.line, 2);
        assert_string_equal(r.e.message.p, "too many results to unpack");
        rig_free(&r);
    }
    rig r;
    assert_true(run(&r, "return { clients = { 'A' }, program = function(me) me:log(select('#', unpack({}, 2147483647, "
                    "2147483647)) .. select('#', unpack({}, 3, 2))\n"
                        ".. table.concat({ unpack({ 1, 2, 3 }, 2) })) end }"));
    assert_string_equal(rig_text(&r), "0 log 1023\n0 ended\n");
    rig_free(&r);
}

/* A NUL would cut the texts that name the lock. */
static void the_name_of_a_lock_holds_no_nul(void **state)
{
    (void)state;
    static const char *const lines[] = { "me:wants('a\\0b')", "me:granted('\\0')", "me:use('a\\0', 1)",
                                         "me:observe('a\\0b', { view = function() return {} end })",
                                         "me:eval('return 1', {}, {}, { lock = 'L\\0' })" };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[400];
        snprintf(text, sizeof text, "return { clients = { 'A' }, program = function(me)\n%s\nend }", lines[i]);
        rig r;
        assert_false(run(&r, text));
        assert_int_equal(r.e.class_, ERR_DRIVER);
        assert_int_equal(r.e.line, 2);
        if (!strstr(r.e.message.p, "holds a NUL byte"))
            fail_msg("%s says %s", lines[i], r.e.message.p);
        rig_free(&r);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_is_no_lua_function_can_wait),
        cmocka_unit_test(an_error_of_a_built_in_program_is_told_at_the_program),
        cmocka_unit_test(handlers_and_callbacks_may_be_wrapped_coroutines),
        cmocka_unit_test(metamethods_of_tables_that_are_read_never_run),
        cmocka_unit_test(a_view_that_is_inherited_is_found),
        cmocka_unit_test(what_never_ends_ends_at_its_line),
        cmocka_unit_test(full_stacks_end_as_errors),
        cmocka_unit_test(a_process_that_failed_can_still_be_looked_at),
        cmocka_unit_test(the_name_of_a_lock_holds_no_nul),
        cmocka_unit_test(unpack_counts_its_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
