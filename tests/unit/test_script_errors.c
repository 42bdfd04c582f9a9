/* test_script_errors.c - what a client sees of a script's values and errors, and what an observer is told about it.
 * The texts are a Redis 7.0.15 server's; tests/conformance/scripts compares many more with the server itself. */
#include "script/script.h"
#include "script_rig.h"

static void values_become_replies(void **state)
{
    RIG_ALL(*state, { "return", "$-1" }, { "return 'a'", "$1 a" }, { "return 3.99", ":3" }, { "return -3.99", ":-3" },
            { "return -0", ":0" },
            { "return 1/0", ":-9223372036854775808" }, { "return 0/0", ":-9223372036854775808" },
            { "return 2^63", ":-9223372036854775808" },
            { "return true", ":1" }, { "return false", "$-1" }, { "return function() end", "$-1" },
            { "return cjson.null", "$-1" },
            { "return {1,2,nil,4}", "*2 :1 :2" }, { "return {nil,1}", "*0" },
            { "return {function() end,1}", "*2 $-1 :1" }, { "return {err='MY x'}", "-MY x" },
            { "return {ok='x',err='y'}", "-y" }, { "return {1,ok='x'}", "+x" }, { "return {err=1}", "*0" },
            { "return {err='a\\r\\nb\\r\\n'}", "-a  b" },
            { "return {double=0.1}", "$19 0.10000000000000001" }, { "return {map={a=1}}", "*2 $1 a :1" },
            { "return {set={x=false}}", "*1 $1 x" },
            { "return {big_number='12'}", "$2 12" }, { "return #redis.call('echo','a\\0b')", ":3" },
            { "return {big_number='1\\r\\n\\0'}", "$4 1  " }, { "return {ok='1\\0a'}", "+1" },
            { "return {err='x\\n\\0y'}", "-x" }, { "return {verbatim_string={format='txt',string='hi'}}", "$2 hi" },
            { "redis.setresp(3) return {true,false}", "*2 :1 :0" },
            { "return 1,2", ":1" }, { "return {{},{{}}}", "*2 *0 *1 *0" }, { "", "$-1" });
}

static void replies_become_values(void **state)
{
    RIG_ALL(*state, { "return type(redis.call('get','none'))", "$7 boolean" },
            { "return type(redis.call('set','k','v'))", "$5 table" },
            { "redis.setresp(3) return type(redis.call('get','none'))", "$3 nil" },
            { "redis.call('hset','h','f','1') redis.setresp(3) return redis.call('hgetall','h').map.f", "$1 1" },
            { "redis.call('zadd','z',3.3,'m') return redis.call('zscore','z','m')", "$18 3.2999999999999998" },
            { "redis.setresp(3) return type(redis.call('zscore','z','m').double)", "$6 number" },
            { "return redis.call('incr','n')+0.5", ":1" });
}

static void arguments_are_strings_or_numbers(void **state)
{
    RIG_ALL(*state, { "return redis.call('echo',0.1)", "$19 0.10000000000000001" },
            { "return redis.call('echo',1e17)", "$5 1e+17" },
            { "return redis.call('echo',-0)", "$2 -0" }, { "return redis.call('echo',3.0)", "$1 3" },
            { "return redis.call('echo',0/0)", "$4 -nan" },
            { "return redis.call()", "-ERR Please specify at least one argument for this redis lib call, on "
              "@user_script:1." },
            { "return redis.call('get',nil)", "-ERR Lua redis lib command arguments must be strings or integers, on "
              "@user_script:1." },
            { "return redis.pcall('get',{})", "-ERR Lua redis lib command arguments must be strings or integers" });
}

static void errors_say_where_they_were_raised(void **state)
{
    RIG_ALL(*state, { "error('boom')", "-ERR user_script:1: boom, on @user_script:1." },
            { "error('boom',0)", "-ERR boom, on @user_script:1." },
            { "\n\nerror()", "-ERR nil, on @user_script:3." }, { "error({err='MY x'})", "-MY x, on @user_script:1." },
            { "local function f()\n redis.call('get')\nend\n\nf()", "-ERR Wrong number of args calling Redis command "
              "from script, on @user_script:2." },
            { "#!lua\n\n\nredis.call('get')", "-ERR Wrong number of args calling Redis command from script, on "
              "@user_script:4." },
            { "local x return x.y",
              "-ERR user_script:1: attempt to index local 'x' (a nil value), on @user_script:1." },
            { "loadstring('error(1)','@other')()", "-ERR other:1: 1, on @other:1." },
            { "return foo", "-ERR user_script:1: Script attempted to access nonexistent global variable 'foo', on "
              "@user_script:1." },
            { "return redis.pcall('get')", "-ERR Wrong number of args calling Redis command from script" },
            { "return {pcall(redis.call,'get')}", "*2 $-1 $58 ERR Wrong number of args calling Redis command from "
              "script" },
            { "return {pcall(error,{err='x'})}", "*2 $-1 $1 x" }, { "return select('#',pcall(error,{}))", ":3" },
            { "return redis.set_repl(-0.5)", "$-1" }, { "return redis.log(-0.5,'x')", "$-1" },
            { "return (pcall(redis.set_repl,-1))", "$-1" },
            { "return redis.error_reply('x')", "-ERR x" }, { "return redis.error_reply('-A x')", "-A x" },
            { "return redis.error_reply(1)", "-ERR wrong number or type of arguments" },
            { "return +", "-ERR Error compiling script (new function): user_script:1: unexpected symbol near '+'" });
}

/* Where the real server would crash, we answer and say so. */
static void what_crashes_the_real_server_is_found(void **state)
{
    script_rig *g = *state;
    static const char *const crashes[] = { "error({a=1})", "error({err=true})", "error({})",
                                           "error(setmetatable({},{__tostring=function() return 'x' end}))",
                                           "error(setmetatable({},{__index=function() error('again') end}))" };
    for (size_t i = 0; i < COUNT(crashes); i++) {
        assert_int_equal(rig_eval(g, crashes[i])[0], '-');
        if (strncmp(g->findings.p, "crash@1 ", 8) != 0)
            fail_msg("%s\n  finds %s", crashes[i], g->findings.p);
        assert_int_equal(g->findings_n, 1);
    }
}

static const char *findings(script_rig *g, const char *body)
{
    rig_eval(g, body);
    char *at;
    while (g->findings.p && (at = strstr(g->findings.p, " script: ")))
        memmove(at, at + 49, strlen(at + 49) + 1);
    return g->findings.p ? g->findings.p : "";
}

/* KEYS are "k" and "{k}2", which share their slot. */
static void findings_name_what_and_where(void **state)
{
    script_rig *g = *state;
    static const script_row rows[] = {
        { "return redis.call('set',KEYS[1],1)", "" }, { "return redis.call('get','k')", "" },
        { "return redis.call('del','{k}2','k')", "" },
        { "\nreturn redis.call('get','other')", "undeclared@2 other; cross-slot@2 other; " },
        { "redis.call('get','{k}3')", "undeclared@1 {k}3; " },
        { "redis.call('mget',KEYS[1],'{k}4','{k}5')", "undeclared@1 {k}4; undeclared@1 {k}5; " },
        { "redis.pcall('get','{k}6')", "undeclared@1 {k}6; " },
        { "redis.call('sintercard',2,KEYS[1],'{k}7')", "undeclared@1 {k}7; " },
        { "redis.call('publish','channel','x') redis.call('ping')", "" },
        { "x=1", "global@1 x; error@1 ERR user_script:1: Attempt to modify a readonly table, on @user_script:1.; " },
        { "\n_G.y=1",
          "global@2 y; error@2 ERR user_script:2: Attempt to modify a readonly table, on @user_script:2.; " },
        { "rawset(_G,'z',1)", "global@1 z; error@1 ERR Attempt to modify a readonly table, on @user_script:1.; " },
        { "pcall(function() w=1 end)", "global@1 w; " },
        { "\nredis.call('get')", "error@2 ERR Wrong number of args calling Redis command from script, on "
          "@user_script:2.; " }, { "return redis.pcall('get')", "" },
        { "return redis.error_reply('x')", "" }, { "return +", "error@0 ERR Error compiling script (new function): "
                                                   "user_script:1: unexpected symbol near '+'; " },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(findings(g, rows[i].body), rows[i].answer) != 0)
            fail_msg("%s\n  finds %s\n  not   %s", rows[i].body, g->findings.p, rows[i].answer);
    /* KEYS themselves in two slots. */
    str argv[] = { S("eval"), S("return 1"), S("2"), S("a"), S("b") };
    rig_command(g, argv, COUNT(argv));
    assert_string_equal(g->findings.p, "cross-slot@0 b; ");
}

static void effects_are_told_in_order_with_their_lines(void **state)
{
    script_rig *g = *state;
    rig_eval(g, "redis.call('set',KEYS[1],1)\n\nlocal function f() return redis.pcall('incr','k') "
             "end\nf()\nredis.pcall('lpush','k','x') redis.call('nosuch')");
    assert_string_equal(g->effects.p, "1: set k 1 = OK; 3: incr k = 2; 5: lpush k x = error: WRONGTYPE Operation "
                        "against a key holding the wrong kind of value; "
                                      "5: nosuch = error: ERR Unknown Redis command called from script; ");
    rig_eval(g, "redis.log(redis.LOG_WARNING,'a',1,{},'b')");
    assert_string_equal(g->log.p, "3 a 1 b; ");
}

static reply family(script_rig *g, const char *a, const char *b, const char *c, const char *d)
{
    str argv[4];
    const char *words[] = { a, b, c, d };
    size_t argc = 0;
    while (argc < 4 && words[argc]) {
        argv[argc] = str_from(words[argc]);
        argc++;
    }
    return rig_command(g, argv, argc);
}

static void the_family_checks_its_arguments_in_redis_order(void **state)
{
    script_rig *g = *state;
    static const struct { const char *a, *b, *c, *d, *text; } rows[] = {
        { "eval", "return 1", "x", NULL, "ERR value is not an integer or out of range" },
        { "eval", "return +", "x", NULL, "ERR value is not an integer or out of range" },
        { "eval", "return 1", "1", NULL, "ERR Number of keys can't be greater than number of args" },
        { "eval", "return 1", "-1", NULL, "ERR Number of keys can't be negative" },
        { "evalsha", "short", "x", NULL, "NOSCRIPT No matching script. Please use EVAL." },
        { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "x", NULL, "ERR value is not an integer or out of "
          "range" },
        { "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0", NULL, "NOSCRIPT No matching script. Please use "
          "EVAL." },
        { "eval_ro", "#!lua\nreturn 1", "0", NULL, "ERR Can not execute a script with write flag using *_ro command." },
        { "eval", "#!lua name=x\nreturn 1", "0", NULL, "ERR Unknown lua shebang option: name=x" },
        { "eval", "#!lua", "0", NULL, "ERR Invalid script shebang" },
        { "script", "kill", NULL, NULL, "NOTBUSY No scripts in execution right now." },
        { "script", "flush", "x", NULL, "ERR SCRIPT FLUSH only support SYNC|ASYNC option" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        reply r = family(g, rows[i].a, rows[i].b, rows[i].c, rows[i].d);
        assert_int_equal(r.kind, REPLY_ERROR);
        if (!str_eq(r.text, str_from(rows[i].text)))
            fail_msg("row %zu: %.*s", i, STR_ARG(r.text));
    }
}

static void scripts_are_found_by_any_spelling_of_their_sha_until_flushed(void **state)
{
    script_rig *g = *state;
    reply r = family(g, "script", "load", "return 1", NULL);
    assert_true(str_eq(r.text, S("e0e1f9fabfc9d4800c877a703b823ac0578ff8db")));
    assert_int_equal(family(g, "evalsha", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "0", NULL).integer, 1);
    assert_int_equal(family(g, "script", "exists", "E0e1f9fabfc9d4800c877a703b823ac0578ff8db",
                            NULL).items[0].integer, 1);
    redis_flush_scripts(g->server);
    assert_int_equal(family(g, "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0", NULL).kind, REPLY_ERROR);
    str why;
    assert_true(redis_load_script(g->server, S("return 1"), g->a, &why));
    assert_false(redis_load_script(g->server, S("return +"), g->a, &why));
    assert_true(str_starts(why, S("ERR Error compiling script")));
    assert_int_equal(family(g, "evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "0", NULL).integer, 1);
    /* A run that fails is kept all the same. */
    family(g, "eval", "error('x')", "0", NULL);
    char hex[41];
    redis_sha1(S("error('x')"), hex);
    assert_int_equal(family(g, "script", "exists", hex, NULL).items[0].integer, 1);
    /* Thousands of scripts: the table grows. */
    for (int i = 0; i < 3000; i++) {
        char body[32];
        snprintf(body, sizeof body, "return %d", i);
        assert_int_equal(family(g, "eval", body, "0", NULL).integer, i);
    }
    assert_int_equal(family(g, "eval", "return 7", "0", NULL).integer, 7);
}

static void read_only_scripts_refuse_writes_one_by_one(void **state)
{
    script_rig *g = *state;
    assert_int_equal(family(g, "eval_ro", "return redis.call('exists','k')", "0", NULL).integer, 0);
    reply r = family(g, "eval_ro", "return redis.pcall('set','k','v')", "0", NULL);
    assert_true(str_eq(r.text, S("ERR Write commands are not allowed from read-only scripts.")));
    r = family(g, "eval", "#!lua flags=no-writes\nreturn redis.pcall('publish','c','v')", "0", NULL);
    assert_true(str_eq(r.text, S("ERR Write commands are not allowed from read-only scripts.")));
}

/* FIPS 180-4's own examples, and every length around the block boundaries against a rule: no two are alike. */
static void sha1_is_sha1(void **state)
{
    (void)state;
    char hex[41];
    static const struct { str text; const char *hex; } rows[] = {
        { { "abc", 3 }, "a9993e364706816aba3e25717850c26c9cd0d89d" },
        { { "", 0 }, "da39a3ee5e6b4b0d3255bfef95601890afd80709" },
        { { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56 },
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1" },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        redis_sha1(rows[i].text, hex);
        assert_string_equal(hex, rows[i].hex);
    }
    static char million[1000000];
    memset(million, 'a', sizeof million);
    redis_sha1((str){ million, sizeof million }, hex);
    assert_string_equal(hex, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    char before[41] = "";
    for (size_t n = 50; n < 140; n++) {
        redis_sha1((str){ million, n }, hex);
        assert_string_not_equal(hex, before);
        memcpy(before, hex, sizeof before);
    }
}

/* Source of the numbers: a fresh Redis 7.0.15 server. */
static void math_random_is_the_servers_own(void **state)
{
    script_rig *g = *state;
    RIG_ALL(g, { "return {tostring(math.random()),tostring(math.random()),math.random(1000)}",
                 "*3 $16 0.39646477363839 $16 0.84048536971234 :354" },
            { "math.randomseed(1) return math.random(1000000)", ":41631" },
            { "return tostring(math.random())", "$15 0.4544924448498" });
    redis_flush_scripts(g->server);
    assert_string_equal(rig_eval(g, "return math.random(1000000)"), ":834818");
    redis_wipe(g->server);
    assert_string_equal(rig_eval(g, "return tostring(math.random())"), "$16 0.39646477363839");
}

int main(void)
{
#define WITH_RIG(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        WITH_RIG(values_become_replies), WITH_RIG(replies_become_values), WITH_RIG(arguments_are_strings_or_numbers),
        WITH_RIG(errors_say_where_they_were_raised),
        WITH_RIG(what_crashes_the_real_server_is_found), WITH_RIG(findings_name_what_and_where),
        WITH_RIG(effects_are_told_in_order_with_their_lines),
        WITH_RIG(the_family_checks_its_arguments_in_redis_order),
        WITH_RIG(scripts_are_found_by_any_spelling_of_their_sha_until_flushed),
        WITH_RIG(read_only_scripts_refuse_writes_one_by_one), WITH_RIG(math_random_is_the_servers_own),
        cmocka_unit_test(sha1_is_sha1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
