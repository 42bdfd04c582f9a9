/* test_script_escapes.c - the known ways out of Redis's own sandbox, by the names under which they were published, and
 * a table of further attacks: each ends as an answer or an error, reaches nothing, and the next script finds a clean
 * interpreter. */
#include "script_rig.h"

#include "../conformance/script_hostile.h"

/* All that a script could have changed for the next one: names, kinds, methods, metatables, KEYS and ARGV, what
 * libraries answer. */
static const char canary[] =
    "local t = {} for k, v in pairs(_G) do t[#t + 1] = k .. type(v) end\n"
    "for _, lib in ipairs{string, table, math, coroutine, bit, cjson, cmsgpack, struct, redis, getmetatable(''), "
        "getmetatable(_G)} do\n"
    "  for k, v in pairs(lib) do t[#t + 1] = tostring(k) .. type(v) end\n"
    "end\n"
    "table.sort(t)\n"
    "local co, plain, sum = coroutine.wrap(function(a) return coroutine.yield(a + 1) * 2 end), {}, 0\n"
    "for i = 1, 100 do sum = sum + i end\n"
    "return {redis.sha1hex(table.concat(t, ' ')), sum, #KEYS, KEYS[1], #ARGV, ARGV[1], co(1), co(2), "
        "tostring(getmetatable(plain)),\n"
    "  ('aXb'):lower():rep(2), ('k=v'):match('(%w)=(%w)'), cjson.encode({1, {}}), #cmsgpack.pack({1}), "
        "tostring(coroutine.running()),\n"
    "  tostring(getmetatable(KEYS)), tostring(redis.call('get', 'none')), select(2, pcall(function() return nosuch "
        "end)), struct.size('i4'),\n"
    "  bit.tohex(255), tostring(next({})), select(2, loadstring('x=')), tostring(1/0), #tostring({}), "
        "redis.call('ping')}";

static void keep_song(script_rig *g, buf *song)
{
    buf_clear(song);
    buf_addz(song, rig_eval(g, canary));
    if (song->n == 0 || song->p[0] != '*')
        fail_msg("the canary says %s", song->p);
}

static void sings_as_ever(script_rig *g, const buf *song, const char *after)
{
    const char *now = rig_eval(g, canary);
    if (strcmp(now, song->p) != 0)
        fail_msg("after %s\n  the next script finds %s\n  not                   %s", after, now, song->p);
}

/* Property: none of them harms the next script.
 * How: all on one server, one after the other; cjson's settings, which are the server's to keep, go with a flush. */
static void no_attack_is_felt_by_the_next_script(void **state)
{
    script_rig *g = *state;
    buf song = { 0 };
    keep_song(g, &song);
    for (size_t i = 0; i < COUNT(script_hostile); i++) {
        const char *answer = rig_eval(g, script_hostile[i]);
        if (strstr(answer, "locksim: script exceeded"))
            fail_msg("%s\n  %s", script_hostile[i], answer);
        str flush[] = { S("script"), S("flush") };
        if (strstr(script_hostile[i], "cjson.encode_") || strstr(script_hostile[i], "cjson.decode_"))
            rig_command(g, flush, 2);
        sings_as_ever(g, &song, script_hostile[i]);
    }
    buf_free(&song);
}

/* Each attempt returns what it got hold of; `answer` is what it may get. The same song before and after. */
static void attacks_fail(void **state, const script_row *rows, size_t n)
{
    script_rig *g = *state;
    buf song = { 0 };
    keep_song(g, &song);
    for (size_t i = 0; i < n; i++) {
        rig_all(g, &rows[i], 1);
        sings_as_ever(g, &song, rows[i].body);
    }
    buf_free(&song);
}
#define ATTACKS_FAIL(state, ...) attacks_fail((state), (const script_row[]){ __VA_ARGS__ }, \
    COUNT(((const script_row[]){ __VA_ARGS__ })))

/* CVE-2022-0543: Debian's package left `package` among the globals, and its loadlib opened any library of the
 * system. */
static void cve_2022_0543_package(void **state)
{
    ATTACKS_FAIL(state, { "return rawget(_G,'package')", "$-1" },
                 { "return {pcall(function() return package.loadlib('liblua5.1.so.0','luaopen_io') end)}",
                   "*2 $-1 $79 user_script:1: Script attempted to access nonexistent global variable 'package'" },
                 { ("local n=0 for _,l in pairs(_G) do if type(l)=='table' then for k in pairs(l) do if k=='loadlib' "
                   "or k=='loaded' or k=='loaders' or k=='seeall' or k=='preload' then n=n+1 end end end end return n"),
                   ":0" },
                 { ("for _,t in ipairs{getmetatable(''),getmetatable(_G)} do for k,v in pairs(t) do if "
                   "type(v)=='table' and rawget(v,'loadlib') then return k end end end"), "$-1" });
}

/* CVE-2024-31449: bit.tohex with the smallest integer as its width wrote below its buffer. */
static void cve_2024_31449_tohex(void **state)
{
    ATTACKS_FAIL(state, { "return #bit.tohex(65535,-2147483648)", ":8" },
                 { "return bit.tohex(65535,-2147483648)", "$8 0000FFFF" },
                 { "return bit.tohex(65535,-2147483647)", "$8 0000FFFF" },
                 { "return bit.tohex(65535,2^31)", "$8 0000FFFF" },
                 { "return bit.tohex(-1,2^53)", "$0 " }, { "for i=-40,40 do bit.tohex(i,i*2^26) end return 1", ":1" });
}

/* CVE-2024-46981: a collection ordered by the script, at the wrong moment, freed what was still in use; finalizers ran
 * as it ended. */
static void cve_2024_46981_collector(void **state)
{
    ATTACKS_FAIL(state, { ("setmetatable({},{__gc=function() redis.call('set','k','finalized') end}) collectgarbage() "
                          "return redis.call('exists','k')"), ":0" },
                 { "return rawget(_G,'newproxy')", "$-1" },
                 { ("local t={} for i=1,50 do t[i]=coroutine.wrap(function() collectgarbage() coroutine.yield(i..'s') "
                   "end) t[i]() end t=nil collectgarbage() return 1"), ":1" },
                 { ("local s=0 for i=1,40 do local p=('x'):rep(i)..i s=s+#p:gsub('x',function() collectgarbage() "
                   "return 'yy' end) end return s"), ":1711" },
                 { ("return {xpcall(function() error({('z'):rep(50)}) end,function(e) collectgarbage() return #e[1] "
                   "end)}"), "*2 $-1 :50" },
                 { ("local m={__index=function(t,k) collectgarbage() return k..'v' end} return "
                   "setmetatable({},m)[('k'):rep(30)]"), "$31 kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkv" },
                 { ("local m={__concat=function(a,b) collectgarbage() return 'c' end} return "
                   "('a'):rep(99)..setmetatable({},m)"), "$1 c" });
    /* The interpreter is closed with all of it still there. */
    script_rig *g = *state;
    rig_eval(g, "local t=setmetatable({},{__gc=error,__mode='k'}) for i=1,99 do t[coroutine.create(error)]=i end "
             "KEYS.t=t return 1");
    str flush[] = { S("script"), S("flush") };
    assert_int_equal(rig_command(g, flush, 2).kind, REPLY_STATUS);
}

/* CVE-2025-49844: the parser kept the name of the chunk where the collector did not see it; a collection while it
 * reads frees it. */
static void cve_2025_49844_name_of_a_chunk(void **state)
{
    static const script_row rows[] = {
        { ("local n=0 local f,e=load(function() collectgarbage() n=n+1 if n<100 then return 'local v'..n..'='..n..' ' "
          "end end,('n'):rep(60)..'\\0') return {type(f),f()}"), "*1 $8 function" },
        { ("local n=0 local f,e=load(function() collectgarbage() local junk={} for i=1,200 do junk[i]=('n'):rep(60)..i "
          "end n=n+1 if n<100 then return 'local v'..n..'='..n..' ' end return n==100 and '+' or nil "
          "end,'='..('n'):rep(59)..'\\0') return {type(f),e}"),
          "*2 $3 nil $100 nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn:1: unexpected symbol near '+'" },
        { ("local n=0 local f=load(function() collectgarbage() n=n+1 return ({'return function() ','error(','\"x\"',') "
          "','end'})[n] end,'=a\\0b') return {pcall(f())}"),
          "*2 $-1 $6 a:1: x" },
    };
    script_rig *g = *state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *answer = rig_eval(g, rows[i].body);
        if (answer[0] != '*')
            fail_msg("%s\n  gives %s", rows[i].body, answer);
    }
    assert_string_equal(rig_eval(g, rows[0].body), rows[0].answer);
    assert_string_equal(rig_eval(g, rows[2].body), rows[2].answer);
}

/* CVE-2025-46817: unpack counted its results in an int. */
static void cve_2025_46817_unpack(void **state)
{
    static const char *const calls[] = { "unpack({},0,2147483647)", "unpack({},-2147483648,2147483647)",
                                         "unpack({},-1,2147483646)", "unpack({},1,2147483647)",
                                         "unpack({},-2147483647,1)", "unpack({},2,2^31)", "unpack({},1,8001)" };
    script_rig *g = *state;
    for (size_t i = 0; i < COUNT(calls); i++) {
        char body[200];
        snprintf(body, sizeof body, "return {pcall(function() return select('#',%s) end)}", calls[i]);
        const char *answer = rig_eval(g, body);
        bool refused = strstr(answer, "too many results to unpack") != NULL;
        if (!refused && strcmp(answer, "*2 :1 :0") != 0)
            fail_msg("%s gives %s", calls[i], answer);
    }
    ATTACKS_FAIL(state, { "return {pcall(unpack,{},2147483647,2147483647)}", "*1 :1" });
}

/* CVE-2025-46818: the metatables of basic types are shared by all who use the server, and could be filled. */
static void cve_2025_46818_basic_types(void **state)
{
    static const char readonly[] = "-ERR user_script:1: Attempt to modify a readonly table, on @user_script:1.";
    ATTACKS_FAIL(state, { "getmetatable('').__index=function() return 'stolen' end", readonly },
                 { "getmetatable('').__add=error", readonly },
                 { "getmetatable('').__index.lower=function(s) return 'stolen' end", readonly },
                 { "string.lower=nil", readonly },
                 { ("return {getmetatable(1),getmetatable(true),getmetatable(error),"
                   "getmetatable(coroutine.create(function() end)),getmetatable(cjson.null),1}"), "*0" },
                 { "return {pcall(setmetatable,1,{})}", ("*2 $-1 $51 bad argument #1 to '?' (table expected, got "
                   "number)") });
}

/* CVE-2025-46819: a comment or string in long brackets whose end never comes, with very many `=`, was read past its
 * end. */
static void cve_2025_46819_long_brackets(void **state)
{
    static const char *const shapes[] = { "return [%s", "return [%s[", "return [%s[ ]%s", "--[%s", "--[%s[ x",
                                          "--[%s[ ]%s", "x=[%s[]%s" };
    static const size_t lengths[] = { 0, 1, 2, 31, 32, 33, 1000, 65534, 65535, 65536, 70000 };
    script_rig *g = *state;
    size_t tried = 0;
    for (size_t s = 0; s < COUNT(shapes); s++)
        for (size_t n = 0; n < COUNT(lengths); n++) {
            char *signs = calloc(1, lengths[n] + 1);
            memset(signs, '=', lengths[n]);
            buf body = { 0 };
            const char *second = strstr(strstr(shapes[s], "%s") + 2, "%s");
            if (second)
                buf_printf(&body, shapes[s], signs, signs);
            else
                buf_printf(&body, shapes[s], signs);
            const char *answer = rig_eval(g, body.p);
            bool commented = strncmp(shapes[s], "--[%s", 5) == 0 && strcmp(answer, "$-1") == 0;
            if (!commented && strncmp(answer, "-ERR Error compiling script", 27) != 0)
                fail_msg("%.60s... of %zu gives %.100s", body.p, lengths[n], answer);
            tried++;
            buf_free(&body);
            free(signs);
        }
    assert_int_equal(tried, COUNT(shapes) * COUNT(lengths));
}

/* CVE-2022-24735: a script put code of its own into the libraries, and the next one, of another user, called it. */
static void cve_2022_24735_libraries(void **state)
{
    script_rig *g = *state;
    static const char *const libraries[] = { "string", "table", "math", "coroutine", "bit", "cjson", "cmsgpack",
                                             "struct", "redis", "_G", "getmetatable('')",
                                             "getmetatable(_G)" };
    static const char *const ways[] = { "t[k]=evil", "rawset(t,k,evil)", "setmetatable(t,{__index=evil})",
                                        "table.insert(t,evil)", "table.sort(t,evil)",
                                        "getmetatable(t).__index=evil", ("setmetatable(getmetatable(t) or "
                                        "t,{__index=evil})"), "rawset(getmetatable(t) or t,k,evil)",
                                        "loadstring('local t,k,v=... t[k]=v')(t,k,evil)",
                                        "for n in pairs(t) do t[n]=evil end", ("table.foreach(t,function(n) t[n]=evil "
                                        "end)"),
                                        "coroutine.wrap(function() t[k]=evil end)()",
                                        "string.gsub('x','x',function() t[k]=evil end)" };
    buf song = { 0 };
    keep_song(g, &song);
    for (size_t l = 0; l < COUNT(libraries); l++)
        for (size_t w = 0; w < COUNT(ways); w++) {
            char body[400];
            snprintf(body, sizeof body, "local t=%s local k=next(t) local function evil() redis.call('set','stolen',1) "
                     "return 'evil' end pcall(function() %s end) return redis.call('exists','stolen')", libraries[l],
                     ways[w]);
            rig_eval(g, body);
            sings_as_ever(g, &song, body);
            assert_string_equal(rig_eval(g, "return redis.call('exists','stolen')"), ":0");
        }
    buf_free(&song);
}

/* CVE-2015-4335: bytecode that no compiler made reaches any memory; so none is taken, whichever way it comes. */
static void cve_2015_4335_bytecode(void **state)
{
    script_rig *g = *state;
    static const char *const ways[] = {
        "loadstring(code)", "loadstring(code,'=x')", "load(function() local c=code code=nil return c end)",
        "load(coroutine.wrap(function() for i=1,#code do coroutine.yield(code:sub(i,i)) end end))",
        ("load((function() local n=0 return function() n=n+1 if n==1 then return '' elseif n==2 then return code end "
        "end end)())"),
        ("load((function() local n=0 return function() n=n+1 if n==1 then return code:sub(1,1) elseif n==2 then return "
        "code:sub(2) end end end)())"),
    };
    for (size_t i = 0; i < COUNT(ways); i++) {
        char body[400];
        snprintf(body, sizeof body, "local code=string.dump(function() return 'ran' end) local f=%s return f and f() "
                 "or 'refused'", ways[i]);
        const char *answer = rig_eval(g, body);
        if (strcmp(answer, "$7 refused") != 0)
            fail_msg("%s gives %s", ways[i], answer);
    }
    str eval[] = { S("eval"), S("\033LuaQ\0\1\4\10\4\10\0"), S("0") };
    assert_int_equal(rig_command(g, eval, 3).kind, REPLY_ERROR);
}

/* CVE-2024-31228: a glob of very many stars went down the stack a level each. */
static void cve_2024_31228_globs(void **state)
{
    script_rig *g = *state;
    rig_eval(g, "redis.call('set',('a'):rep(5000),1) return 1");
    RIG_ALL(g, { "return #redis.call('keys',('*a'):rep(4000)..'b')", ":0" },
            { "return #redis.call('keys',('*'):rep(50000))", ":1" },
            { "return #redis.call('keys',('*?'):rep(2500))", ":1" });
}

/* A million keys are a million keys. */
static void a_million_keys(void **state)
{
    script_rig *g = *state;
    enum { KEYS_N = 1000000 };
    str *argv = calloc(KEYS_N + 3, sizeof *argv);
    argv[0] = S("eval");
    argv[1] = S("return {#KEYS, KEYS[1000000], #ARGV}");
    argv[2] = S("1000000");
    for (size_t i = 0; i < KEYS_N; i++)
        argv[3 + i] = i + 1 < KEYS_N ? S("{k}") : S("{k}last");
    reply r = rig_command(g, argv, KEYS_N + 3);
    assert_int_equal(r.kind, REPLY_ARRAY);
    assert_int_equal(r.items[0].integer, KEYS_N);
    assert_true(str_eq(r.items[1].text, S("{k}last")));
    assert_int_equal(r.items[2].integer, 0);
    argv[1] = S("local t={} for i=1,#KEYS do t[i]=KEYS[i] end return #redis.call('mget',unpack(t))");
    assert_int_equal(rig_command(g, argv, KEYS_N + 3).kind, REPLY_ERROR);
    free(argv);
    assert_string_equal(rig_eval(g, "return {#KEYS,KEYS[1]}"), "*2 :2 $1 k");
}

int main(void)
{
#define ESCAPE(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        ESCAPE(no_attack_is_felt_by_the_next_script), ESCAPE(cve_2022_0543_package), ESCAPE(cve_2024_31449_tohex),
        ESCAPE(cve_2024_46981_collector),
        ESCAPE(cve_2025_49844_name_of_a_chunk), ESCAPE(cve_2025_46817_unpack), ESCAPE(cve_2025_46818_basic_types),
        ESCAPE(cve_2025_46819_long_brackets),
        ESCAPE(cve_2022_24735_libraries), ESCAPE(cve_2015_4335_bytecode), ESCAPE(cve_2024_31228_globs),
        ESCAPE(a_million_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
