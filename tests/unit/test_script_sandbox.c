/* test_script_sandbox.c - a script reaches what Redis 7.0 gives it and nothing else, and cannot change it for the next
 * one. */
#include "script_rig.h"

#include "../conformance/script_cases.h"

/* The whole list, so that nothing comes in unnoticed. Source: pairs(_G) on a Redis 7.0.15 server. */
static void the_globals_are_exactly_redis_own(void **state)
{
    script_rig *g = *state;
    assert_string_equal(rig_eval(g, "local t={} for k in pairs(_G) do t[#t+1]=k end table.sort(t) return "
                                 "table.concat(t,' ')"),
                        "$271 ARGV KEYS _G _VERSION __redis__err__handler assert bit cjson cmsgpack collectgarbage "
                        "coroutine error gcinfo getmetatable ipairs load loadstring math next pairs pcall rawequal "
                        "rawget rawset redis select setmetatable string struct table tonumber tostring type unpack "
                        "xpcall");
    static const char *const members[][2] = {
        { "string", "byte char dump find format gfind gmatch gsub len lower match rep reverse sub upper" },
        { "table", "concat foreach foreachi getn insert maxn remove setn sort" },
        { "math", "abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp huge ldexp log log10 max min mod "
          "modf pi pow rad random "
                  "randomseed sin sinh sqrt tan tanh" },
        { "coroutine", "create resume running status wrap yield" },
        { "bit", "arshift band bnot bor bswap bxor lshift rol ror rshift tobit tohex" },
        { "cjson", "_NAME _VERSION decode decode_invalid_numbers decode_max_depth encode encode_invalid_numbers "
          "encode_keep_buffer "
                   "encode_max_depth encode_number_precision encode_sparse_array new null" },
        { "cmsgpack", "_COPYRIGHT _DESCRIPTION _NAME _VERSION pack unpack unpack_limit unpack_one" },
        { "struct", "pack size unpack" },
        { "redis", "LOG_DEBUG LOG_NOTICE LOG_VERBOSE LOG_WARNING REDIS_VERSION REDIS_VERSION_NUM REPL_ALL REPL_AOF "
          "REPL_NONE REPL_REPLICA "
                   "REPL_SLAVE acl_check_cmd breakpoint call debug error_reply log pcall replicate_commands set_repl "
                   "setresp sha1hex status_reply" },
    };
    for (size_t i = 0; i < COUNT(members); i++) {
        char body[200];
        snprintf(body, sizeof body, "local t={} for k in pairs(%s) do t[#t+1]=k end table.sort(t) return "
                 "table.concat(t,' ')", members[i][0]);
        const char *answer = strchr(rig_eval(g, body), ' ');
        assert_non_null(answer);
        assert_string_equal(answer + 1, members[i][1]);
    }
}

/* Every table of the sandbox refuses every way of writing, with Redis's text: with a position from Lua code, without
 * from C. */
static void nothing_shared_can_be_written(void **state)
{
    script_rig *g = *state;
    static const char *const tables[] = { "_G", "string", "table", "math", "coroutine", "bit", "cjson", "cmsgpack",
                                          "struct", "redis", "getmetatable('')",
                                          "getmetatable(_G)" };
    static const struct { const char *write; bool in_lua; } ways[] = {
        { "t.new=1", true }, { "t[1]=1", true }, { "for k in pairs(t) do t[k]=nil end", true },
        { "rawset(t,'x',1)", false },
        { "rawset(t,1,nil)", false }, { "setmetatable(t,{})", false }, { "setmetatable(t,nil)", false },
        { "table.insert(t,1)", false },
        { "table.insert(t,1,1)", false },
    };
    for (size_t i = 0; i < COUNT(tables); i++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            char body[200];
            snprintf(body, sizeof body, "local t=%s %s", tables[i], ways[w].write);
            const char *answer = rig_eval_short(g, body), *want = ways[w].in_lua
                ? "-ERR user_script:1: Attempt to modify a readonly table, on @user_script:1."
                : "-ERR Attempt to modify a readonly table, on @user_script:1.";
            if (strcmp(answer, want) != 0)
                fail_msg("%s\n  gives %s", body, answer);
        }
    the_globals_are_exactly_redis_own(state);
}

static void the_machine_is_out_of_reach(void **state)
{
    RIG_ALL(*state, { "return {rawget(_G,'os'),1}", "*0" },
            { "return io", "-ERR user_script:1: Script attempted to access nonexistent global variable 'io', on "
              "@user_script:1." },
            { "return rawget(_G,'debug')", "$-1" }, { "return rawget(_G,'require')", "$-1" },
            { "return rawget(_G,'dofile')", "$-1" },
            { "return rawget(_G,'loadfile')", "$-1" }, { "return rawget(_G,'print')", "$-1" },
            { "return rawget(_G,'getfenv')", "$-1" },
            { "return rawget(_G,'setfenv')", "$-1" }, { "return rawget(_G,'newproxy')", "$-1" },
            { "return rawget(_G,'package')", "$-1" },
            { "return select(2,loadstring(string.dump(function() return 1 end)))",
              "$53 [string \"\33LuaQ\"]:1: unexpected symbol near 'char(27)'" },
            { "local n=0 return select(2,load(function() n=n+1 if n==1 then return string.dump(function() end) end "
              "end))",
              "$43 (load):1: unexpected symbol near 'char(27)'" });
}

/* What a run does to the tables it was given, or to objects of its own, the next run does not see. */
static void one_run_leaves_nothing_to_the_next(void **state)
{
    script_rig *g = *state;
    rig_eval(g, "KEYS.x=1 KEYS[9]=2 ARGV[1]=nil setmetatable(KEYS,{__index=function() return 'ghost' end}) return 1");
    RIG_ALL(g, { "return {#KEYS,#ARGV,KEYS.x==nil,KEYS[9]==nil,KEYS[1],ARGV[1]}", "*6 :2 :2 :1 :1 $1 k $1 a" },
            { "local n=0 for k in pairs(KEYS) do n=n+1 end return n", ":2" },
            { "redis.setresp(3) return 1", ":1" }, { "return redis.call('get','none')", "$-1" },
            { "return type(redis.call('get','none'))", "$7 boolean" });
    /* The same script again: its file-level locals are new each time. */
    for (int i = 0; i < 3; i++)
        assert_string_equal(rig_eval(g, "local count=0 local function f() count=count+1 return count end return f()"),
                            ":1");
    /* A library's settings are the server's, until the interpreter is flushed. */
    rig_eval(g, "cjson.encode_number_precision(3) return 1");
    assert_string_equal(rig_eval(g, "return cjson.encode(1/3)"), "$5 0.333");
    str flush[] = { S("script"), S("flush") };
    rig_command(g, flush, 2);
    assert_string_equal(rig_eval(g, "return cjson.encode(1/3)"), "$16 0.33333333333333");
}

/* Property: KEYS and ARGV are those of this run, whatever arrays of which lengths earlier runs had and what these did
 * to them.
 * How: scripts that cannot change their arrays, so that these are kept, and scripts that can, by turns, with random
 * arguments. */
static void arrays_are_those_of_this_run(void **state)
{
    static const char *const bodies[] = {
        "return {#KEYS,#ARGV,tostring(KEYS),unpack(KEYS)}", "return {#ARGV,#KEYS,tostring(ARGV),unpack(ARGV)}",
        "table.insert(KEYS,'ghost') table.remove(ARGV) table.sort(ARGV) return {#KEYS}",
        "KEYS[1]='ghost' ARGV.n=1 return #ARGV", ("local t={KEYS,ARGV} for _,a in ipairs(t) do a[#a+1]='ghost' end "
        "return 1"), "return error(KEYS[1] or 'none')",
    };
    script_rig *g = *state, *fresh;
    uint64_t draw = 1;
    for (int round = 0; round < 600; round++) {
        char words[40][8];
        str argv[43] = { S("eval") };
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t keys_n = draw >> 40 & 3, n = keys_n + (draw >> 44 & 3);
        if (round % 50 == 0)
            keys_n = 20, n = 38;                           /* more than are kept */
        argv[1] = str_from(bodies[(draw >> 34) % COUNT(bodies)]);
        char count[4];
        snprintf(count, sizeof count, "%zu", keys_n);
        argv[2] = str_from(count);
        for (size_t i = 0; i < n; i++) {
            size_t which = (size_t)(draw >> (48 + i % 8)) & 3;
            snprintf(words[i], sizeof words[i], "w%zu", which);
            argv[3 + i] = str_from(which ? words[i] : "");
        }
        if (round % 70 == 0)                               /* a new interpreter has none */
            rig_command(g, (str[]){ S("script"), S("flush") }, 2);
        fresh = rig_open((redis_limits){ 0 });
        reply kept = rig_command(g, argv, n + 3), anew = rig_command(fresh, argv, n + 3);
        buf a = { 0 }, b = { 0 };
        reply_encode(&kept, 2, &a);
        reply_encode(&anew, 2, &b);
        assert_true(str_eq(buf_str(&a), buf_str(&b)));
        buf_free(&a);
        buf_free(&b);
        rig_close(fresh);
    }
}

static bool contains(const char *body, const char *part)
{
    return strstr(body, part) != NULL;
}

/* Property: a script does the same whichever of the three kinds of globals it was trusted with (script_env.c).
 * How: all scripts of the conformance table, as they are, with a store into a table, and with an assignment that never
 * runs. */
static void trusted_scripts_do_what_untrusted_ones_do(void **state)
{
    (void)state;
    static const char *const before[] = { "", "local _={} _.x=1 ", "if KEYS==nil then zz=1 end " };
    size_t compared = 0;
    for (size_t i = 0; i < COUNT(script_cases); i++) {
        const char *body = script_cases[i];
        if (body[0] == '#' || contains(body, "random") || contains(body, "\xef\xbb\xbf"))
            continue;
        char *first = NULL;
        for (size_t b = 0; b < COUNT(before); b++) {
            script_rig *g = rig_open((redis_limits){ 0 });
            buf text = { 0 };
            buf_printf(&text, "%s%s", before[b], body);
            const char *answer = rig_eval_short(g, text.p);
            if (!first)
                first = strdup(answer);
            else if (strcmp(first, answer) != 0)
                fail_msg("%s\n  gives %s\n  not   %s", text.p, answer, first);
            buf_free(&text);
            rig_close(g);
        }
        free(first);
        compared++;
    }
    assert_true(compared > 800);
}

/* No trusted script can hand the real table to code that writes. */
static void the_real_redis_table_never_gets_out(void **state)
{
    script_rig *g = *state;
    static const char *const attempts[] = {
        "table.insert(redis,1)", "return pcall(table.insert,redis,1)", "string.gsub('x','x',redis)",
        "return next(redis)", "return pairs(redis)", "local r=redis return unpack(r)",
        "return cjson.encode(redis)", "return cmsgpack.pack(redis)", "table.sort(redis)", "table.remove(redis)",
        "table.foreach(redis,tostring)", "return redis", "return {redis}", "error(redis)", "return select(1,redis)",
        "return tostring(redis)", "table.sort({redis,redis},rawequal)", "assert(redis,redis)", "table.concat(redis)",
        "_G.redis.call=nil", "loadstring('redis.call=nil')()", "loadstring('local r=... r.call=nil')(redis)",
        "load(function() return nil end)(redis)",
    };
    for (size_t i = 0; i < COUNT(attempts); i++) {
        rig_eval(g, attempts[i]);
        assert_string_equal(rig_eval(g, "return redis.call('ping')"), "+PONG");
        assert_string_equal(rig_eval(g, "local t={} t.x=redis.call('ping') return {t.x, #redis}"), "*2 +PONG :0");
    }
    RIG_ALL(g, { "return {redis == _G.redis, rawequal(redis,_G.redis)}", "*2 :1 :1" },
            { "return redis == redis", ":1" },
            { "return getmetatable(redis)", "$-1" });
}

/* Objects have no addresses here: the same run shows the same text, on every machine. */
static void objects_are_shown_by_number_not_by_address(void **state)
{
    script_rig *g = *state;
    static const char body[] = "local t,f={},function() end return "
                               "{tostring(t),tostring(f),tostring(t),tostring(coroutine.create(f))}";
    char *first = strdup(rig_eval(g, body));
    rig_eval(g, "local t={} for i=1,100 do t[i]={tostring({})} end return 1");
    assert_string_equal(rig_eval(g, body), first);
    assert_non_null(strstr(first, "table: 0x"));
    free(first);
}

/* Redis's own Lua takes [[ a [[ b ]] for a string, and Debian's for an error. Source: a Redis 7.0.15 server. */
static void long_brackets_do_not_nest(void **state)
{
    RIG_ALL(*state, { "return [[ a [[ b ]]", "$8  a [[ b " }, { "--[[ [[ ]] return 5", ":5" },
            { "return #[[[[]=]]", ":4" }, { "return [[[[]]..'[['..[=[[[]=]", "$6 [[[[[[" },
            { "return [[\n[[a\n]]..nosuch", "-ERR user_script:3: Script attempted to access nonexistent global "
              "variable 'nosuch', on @user_script:3." },
            { "return loadstring('return [[x[[]]')()", "$3 x[[" },
            { "local t,i={{7}},{1} return t[i[1]][ [[[[]]=='[[' and 1 ]", ":7" },
            { "return [[ [[", "-ERR Error compiling script (new function): user_script:1: unfinished long string near "
              "'<eof>'" });
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_globals_are_exactly_redis_own, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(nothing_shared_can_be_written, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(the_machine_is_out_of_reach, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(one_run_leaves_nothing_to_the_next, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(arrays_are_those_of_this_run, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(long_brackets_do_not_nest, rig_setup, rig_teardown),
        cmocka_unit_test(trusted_scripts_do_what_untrusted_ones_do),
        cmocka_unit_test_setup_teardown(the_real_redis_table_never_gets_out, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(objects_are_shown_by_number_not_by_address, rig_setup, rig_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
