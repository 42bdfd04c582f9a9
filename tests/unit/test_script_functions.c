/* test_script_functions.c - libraries of Redis functions: when they are there, what they keep, and what is told of
 * them. Texts and replies are compared with real servers by tests/conformance (function_cases.h). */
#include "script/script.h"
#include "script_rig.h"

static const char COUNTER[] =
    "#!lua name=c\nlocal n=0\nredis.register_function('next',function(keys,args) n=n+1 return n end)\n"
    "redis.register_function('same',function(keys,args) return redis.call('incr',keys[1]) end)";

static reply send(script_rig *g, const char *const *words)
{
    str argv[8];
    size_t argc = 0;
    for (; words[argc]; argc++)
        argv[argc] = str_from(words[argc]);
    return rig_command(g, argv, argc);
}

#define SEND(g, ...) send(g, (const char *const[]){ __VA_ARGS__, NULL })

static void assert_error(reply r, const char *text)
{
    assert_int_equal(r.kind, REPLY_ERROR);
    assert_memory_equal(r.text.p, text, r.text.n);
    assert_int_equal(r.text.n, strlen(text));
}

/* Property: a library's locals live until it is replaced; SCRIPT FLUSH, FLUSHALL and a script that blew its budget do
 * not touch them. */
static void a_library_keeps_its_locals(void **state)
{
    script_rig *g = *state;
    assert_int_equal(SEND(g, "function", "load", COUNTER).kind, REPLY_BULK);
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 1);
    assert_int_equal(SEND(g, "fcall", "NEXT", "0").integer, 2);
    SEND(g, "script", "flush");
    SEND(g, "flushall");
    SEND(g, "eval", "while true do end", "0");
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 3);
    SEND(g, "function", "load", "replace", COUNTER);
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 1);
}

/* Property: a load that fails leaves the old library as it was. */
static void a_failed_load_changes_nothing(void **state)
{
    script_rig *g = *state;
    SEND(g, "function", "load", COUNTER);
    SEND(g, "fcall", "next", "0");
    assert_error(SEND(g, "function", "load", "replace", ("#!lua name=c\nredis.register_function('other',function() "
                      "end)\nnosuch()")),
                 "ERR Error registering functions: ERR user_function:3: Script attempted to access nonexistent global "
                 "variable 'nosuch'");
    assert_int_equal(g->findings_n, 1);
    assert_error(SEND(g, "fcall", "other", "0"), "ERR Function not found");
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 2);
    assert_error(SEND(g, "function", "load", "#!lua name=d\nredis.register_function('next',function() end)"),
                 "ERR Function next already exists");
}

/* Property: where states are merged, what changes a library's locals is an error each time, a finding, and undone; what
 * changes nothing, and what differs only in a table that the function made itself, is not. */
static void kept_state_is_refused_where_nobody_knows_of_it(void **state)
{
    (void)state;
    script_rig *g = rig_open((redis_limits){ .pure_functions = true });
    static const char *const impure[] = {
        "n=n+1 return 1", "t.x=1 return 1", "t.t.u[1]=nil return 1", "setmetatable(t,{}) return 1",
        "table.insert(t,1) return 1",
        "co=coroutine.create(function() end) return 1", "g=function() return n end return 1", "s=s..'x' error('after')",
        "rawset(t,1,2) return 1",
    };
    static const char *const pure[] = {
        "local k={n} k[2]=t.t return #k", "return s..n", "keys[1]='x' args[2]=3 return keys[1]",
        "t.x=1 t.x=nil return 0", "return h(4)", "local c=coroutine.wrap(function() return n end) return c()",
        "return redis.call('incr','n')", "n=n+1 n=n-1 return n",
    };
    static const char head[] = "#!lua name=p\nlocal n,s,t,co,g=0,'a',{t={u={1}}},nil,nil\nlocal function h(x) return "
                               "x*2 end\n"
                               "redis.register_function('f',function(keys,args) ";
    for (size_t i = 0; i < COUNT(impure) + COUNT(pure); i++) {
        bool bad = i < COUNT(impure);
        char body[512];
        snprintf(body, sizeof body, "%s%s end)", head, bad ? impure[i] : pure[i - COUNT(impure)]);
        assert_int_equal(SEND(g, "function", "load", "replace", body).kind, REPLY_BULK);
        for (int again = 0; again < 2; again++) {
            reply r = SEND(g, "fcall", "f", "1", "k", "a");
            if (bad)
                assert_true(r.kind == REPLY_ERROR && strstr(r.text.p, "library 'p' keeps"));
            else
                assert_true(r.kind != REPLY_ERROR);
            assert_int_equal(g->findings_n > 0, bad || strstr(body, "incr"));    /* which names no key of its own */
        }
    }
    rig_close(g);
}

/* Property: an error says the function's name and the library's line; a step budget stops it, and the library runs
 * again afterwards. */
static void a_function_has_budgets_and_places(void **state)
{
    (void)state;
    script_rig *g = rig_open((redis_limits){ .script_steps = 5000 });
    SEND(g, "function", "load", "#!lua name=b\nlocal n=0\nredis.register_function('spin',function()\nwhile true do end "
         "end)\n"
                                "redis.register_function('n',function() n=n+1 return n end)");
    assert_int_equal(SEND(g, "fcall", "n", "0").integer, 1);
    assert_error(SEND(g, "fcall", "spin", "0"), "ERR locksim: script exceeded its budget of 5000 steps script: spin, "
                 "on @user_function:4.");
    assert_int_equal(g->budget_n, 1);
    assert_int_equal(SEND(g, "fcall", "n", "0").integer, 1);      /* its Lua state was thrown away */
    assert_error(SEND(g, "function", "load", "#!lua name=l\nwhile true do end"),
                 "ERR Error registering functions: ERR locksim: loading the library exceeded its budget");
    assert_int_equal(SEND(g, "fcall", "n", "0").integer, 1);
    rig_close(g);
}

/* Property: without a connection a text is loaded as what it is, and forgotten or wiped with the rest. */
static void libraries_come_and_go_with_scripts(void **state)
{
    script_rig *g = *state;
    char sha1[41];
    str why;
    redis_sha1(str_from(COUNTER), sha1);
    assert_true(redis_is_library(str_from(COUNTER)) && !redis_is_library(S("#!lua flags=no-writes\nreturn 1")) &&
                !redis_is_library(S("return 'name='")));
    assert_false(redis_knows_script(g->server, str_from(sha1)));
    for (int round = 0; round < 2; round++) {
        assert_true(redis_load_script(g->server, str_from(COUNTER), g->a, &why));
        redis_flush_scripts(g->server);
        assert_true(redis_knows_script(g->server, str_from(sha1)));
        round ? redis_wipe(g->server) : redis_forget_scripts(g->server);
        assert_false(redis_knows_script(g->server, str_from(sha1)));
        assert_error(SEND(g, "fcall", "next", "0"), "ERR Function not found");
    }
    assert_false(redis_load_script(g->server, S("#!lua name=x\nreturn +"), g->a, &why));
}

/* Property: math.random is one for scripts and functions. */
static void functions_draw_where_scripts_do(void **state)
{
    script_rig *g = *state;
    SEND(g, "function", "load", "#!lua name=r\nredis.register_function('draw',function() return math.random(1000000) "
         "end)");
    int64_t first = SEND(g, "eval", "return math.random(1000000)", "0").integer,
                    second = SEND(g, "fcall", "draw", "0").integer;
    int64_t third = SEND(g, "eval", "return math.random(1000000)", "0").integer;
    script_rig *alone = rig_open((redis_limits){ 0 });
    const int64_t drawn[] = { first, second, third };
    for (size_t i = 0; i < COUNT(drawn); i++)
        assert_int_equal(SEND(alone, "eval", "return math.random(1000000)", "0").integer, drawn[i]);
    rig_close(alone);
}

/* Property: what DUMP writes RESTORE makes again, and a dump's bytes are those of a real 7.0.15; one wrong bit, and
 * nothing changes. */
static void a_dump_brings_libraries_back(void **state)
{
    static const char empty[] = "\n\0]\x9b\\@\x0f\x7f\xa2\xda";
    static const char one[] = "\xf5""0#!lua name=d\nredis.register_function('f',print)";
    script_rig *g = *state;
    reply r = SEND(g, "function", "dump");
    assert_int_equal(r.text.n, sizeof empty - 1);
    assert_memory_equal(r.text.p, empty, r.text.n);
    SEND(g, "function", "load", COUNTER);
    SEND(g, "fcall", "next", "0");
    buf dump = { 0 };
    buf_add(&dump, SEND(g, "function", "dump").text);
    assert_int_equal(dump.n, 3 + sizeof COUNTER - 1 + 10);
    str argv[] = { S("function"), S("restore"), buf_str(&dump), S("append") };
    for (size_t bit = 0; bit < dump.n * 8; bit++) {
        dump.p[bit / 8] ^= (char)(1 << bit % 8);
        assert_error(rig_command(g, argv, 3), "ERR DUMP payload version or checksum are wrong");
        dump.p[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_error(rig_command(g, argv, 4), "ERR Library c already exists");
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 2);
    argv[3] = S("flush");
    assert_int_equal(rig_command(g, argv, 4).kind, REPLY_STATUS);
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 1);
    SEND(g, "function", "flush");
    assert_int_equal(rig_command(g, argv, 3).kind, REPLY_STATUS);
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 1);
    argv[2] = (str){ one, sizeof one - 1 };
    assert_error(rig_command(g, argv, 4), "ERR DUMP payload version or checksum are wrong");
    assert_int_equal(SEND(g, "fcall", "next", "0").integer, 2);
    buf_free(&dump);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_library_keeps_its_locals, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_failed_load_changes_nothing, rig_setup, rig_teardown),
        cmocka_unit_test(kept_state_is_refused_where_nobody_knows_of_it),
        cmocka_unit_test(a_function_has_budgets_and_places),
        cmocka_unit_test_setup_teardown(libraries_come_and_go_with_scripts, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(functions_draw_where_scripts_do, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_dump_brings_libraries_back, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
