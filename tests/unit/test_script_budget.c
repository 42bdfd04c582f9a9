/* test_script_budget.c - no script runs for ever or eats the machine: each is stopped within its budget, and leaves no
 * trace. */
#include "script_rig.h"

/* Each would go on for minutes, for ever, or until memory is gone: loops that swallow errors, work hidden in one
 * instruction, in one C function, in coroutines, handlers, metamethods, patterns, libraries, results, and strings made
 * to collide in Lua's table of strings. */
static const char *const bombs[] = {
    "while true do end",
    "for i=1,30 do redis.call('SETBIT', 'k'..i, 4294967295, 1) end",
    "for i=1,30 do redis.call('SETRANGE', 'k'..i, 536870900, 'x') end",
    "for i=1,1e5 do redis.call('SETRANGE', 'k'..i, 1e5, 'x') end",
    "local s=('x'):rep(1e5) for i=1,1e5 do redis.call('SET', 'k'..i, s) end",
    "while true do pcall(function() while true do end end) end",
    "while true do pcall(error) end",
    "while true do xpcall(function() error('x') end, function() while true do end end) end",
    "repeat local ok = pcall(string.rep, 'x', 1e9) until false",
    ("local co = coroutine.create(function() while true do coroutine.yield() end end) while true do "
    "coroutine.resume(co) end"),
    "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "while true do coroutine.wrap(function() end)() end",
    "local function f() local co=coroutine.wrap(function() pcall(f) end) co() end while true do pcall(f) end",
    "return string.rep('x', 1e9)",
    "local s = 'x' while true do s = s .. s end",
    "local s = ('x'):rep(2^25) while true do local t = s:sub(2) end",
    "local s = ('x'):rep(2^24) local k = s..'y' while true do local t = s..'y' end",
    "local s = ('x'):rep(2^24) while true do local t = s < s end",
    "local s = ('x'):rep(2^24) local t = s:sub(1,-2)..'y' while true do local u = s < t end",
    "local s = (' '):rep(2^24)..'1' while true do local u = s + 1 end",
    "local s = ('x'):rep(65000) local k = s..'y' while true do local t = s..'y' end",
    "local s = ('x'):rep(2^20) while true do local t = s:upper() end",
    "local s = ('x'):rep(2^20) while true do local t = #s end",
    "return string.find(('a'):rep(100000), ('a*'):rep(20)..'b')",
    "return string.find(('a'):rep(30), ('a?'):rep(30)..('a'):rep(30)..'b')",
    "return string.find(('a'):rep(1e6), '.-b')",
    "return ('a'):rep(1e5):gsub('a*b', 'x')",
    "return ('('):rep(1e6):find('%b()')",
    "return ('x'):rep(1e6):find(('['..('a'):rep(1e5)..']'):rep(3))",
    "local s=('x'):rep(1e6) while true do s:find('y',1,true) end",
    "local s=('x'):rep(1e6) while true do s:find('y') end",
    "local s=('xy'):rep(5e5) while true do s:find('xyxyxyxyxyxyxyxyxyxyz',1,true) end",
    "local s=('x'):rep(1e6) while true do s:match('^(x*)$') end",
    "return ('x'):rep(1e5):gsub('', ('y'):rep(1e5))",
    "for _ in ('x'):rep(1e6):gmatch('') do end",
    "for _ in ('x'):rep(1e7):gmatch('x') do end",
    "local t = {} while true do t[#t+1] = 'x' end",
    "local t = {} for i=1,1e9 do t[i] = i end",
    "local t = {} while true do t = {t} end",
    "local t = {} while true do t[{}] = {} end",
    "local t={} for i=1,1e5 do t[i]='' end while true do table.concat(t) end",
    "local t={} for i=1,1e5 do t[i]='' end table.concat(t, ('x'):rep(1e5))",
    "local t={} for i=1,1e5 do t[i]=i end while true do pcall(table.sort, t, function(a,b) return true end) end",
    "local t={} for i=1,1e5 do t[i]=(i*7919)%100003 end while true do table.sort(t) end",
    "local t={} for i=1,1e5 do t[i]=1 end while true do table.sort(t) end",
    "local t={} for i=1,1e5 do t[i]=i end while true do table.insert(t,1,0) end",
    "local t={} for i=1,1e5 do t[i]=i end while true do table.remove(t,1) end",
    "table.insert({},-1e9,1)",
    "local t={} for i=1,8000-50 do t[i]=i end while true do unpack(t) end",
    ("local t={} for i=1,7000 do t[i]=i end local function g(...) while true do local a=select('#',...) end end "
    "g(unpack(t))"),
    ("local t={} for i=1,7000 do t[i]=i end local function h() end local function g(...) while true do h(...) end end "
    "g(unpack(t))"),
    ("local function f(...) return "
    "f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,...) end f()"),
    ("local function h() end local n=0 local function f(...) n=n+1 if n>150 then while true do h(...) end end local "
    "a=f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,"
    "40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,74,75,76,"
    "77,78,79,80,...) return a end f()"),
    "local t={} for i=1,1e6 do t[i]=1 end for i=1,1e6 do t[i]=nil end while true do next(t) end",
    "local t={} for i=1,5e5 do t['k'..i]=1 end for k in pairs(t) do t[k]=nil end while true do next(t) end",
    ("local t={} for i=1,3e5 do t['k'..i]=1 end local k=next(t) for q in pairs(t) do if q~=k then t[q]=nil end end "
    "while true do next(t,k) end"),
    "local t={} for i=1,1e5 do t[i]=i end while true do for k in pairs(t) do end end",
    "local t={} for i=1,1e5 do t[i]=i end while true do table.foreach(t,tostring) end",
    "local t={} for i=1,1e5 do t[i]=i end while true do table.maxn(t) end",
    "local t='x' for i=1,40 do t={t,t} end return t",
    "local t='x' for i=1,40 do t={t,t} end return cjson.encode(t)",
    "local t='x' for i=1,14 do t={t,t,t,t,t,t,t,t} end return cmsgpack.pack(t)",
    "cjson.encode_sparse_array(false,0,0) return cjson.encode({[1e8]=1})",
    "cjson.encode_sparse_array(false,0,0) return cjson.encode({[2^31-1]=1})",
    "local s=('x'):rep(2^23) while true do cjson.encode(s) end",
    "local s=('['):rep(900)..(']'):rep(900) while true do cjson.decode(s) end",
    "return cjson.decode('['..('1,'):rep(5e6)..'1]')",
    "return cjson.decode(('['):rep(1e6))",
    "cjson.decode_max_depth(1e9) return cjson.decode(('['):rep(1e6))",
    "while true do cmsgpack.unpack('\\145\\145\\145\\145\\1') end",
    "while true do struct.pack('i32i32i32i32',1,2,3,4) end",
    "while true do struct.size(('i'):rep(1000)) end",
    "local s=('x'):rep(1e6) while true do string.format('%s%s%s',s,s,s) end",
    "local s=('x'):rep(1e6) while true do string.format('%q',s) end",
    "local function f() pcall(f) end while true do f() end",
    "local function f() return pcall(f) end while true do f() end",
    "while true do loadstring('return 1') end",
    "while true do load(function() return nil end) end",
    "load(function() while true do end end)",
    "return {load(function() return 1 end)}",
    "return load(function() return 'x' end)",
    "return load(function() return '--[=[' end)",
    "local function r() return load(r) end return load(r)",
    "local m={} m.__call=function(t) return t() end return setmetatable({},m)()",
    "local m={} m.__index=function(t,k) local s=0 for i=1,1e9 do s=s+i end end return setmetatable({},m).x",
    "while true do pcall(load,function() error('x') end) end",
    "while true do tostring({}) end",
    "while true do redis.sha1hex(('x'):rep(1000)) end",
    "local s=('x'):rep(2^23) while true do redis.sha1hex(s) end",
    "while true do redis.call('ping') end",
    "while true do redis.call('set','k',('x'):rep(1e5)) end",
    "while true do redis.call('append','k',('x'):rep(1e5)) end",
    "for i=1,1e9 do redis.call('rpush','k',i) end",
    "for i=1,2e5 do redis.call('rpush','k',i) end while true do redis.call('lrange','k',0,-1) end",
    "for i=1,2e5 do redis.call('rpush','k',i) end while true do redis.call('lpos','k','x') end",
    "for i=1,2e5 do redis.call('rpush','k',i) end while true do redis.call('lindex','k',1e5) end",
    "for i=1,1e9 do redis.call('zadd','k',-i,i) end",
    "for i=1,1e9 do redis.call('set','k'..i,1) end",
    "for i=1,1e5 do redis.call('set','k'..i,1) end while true do redis.call('keys','*') end",
    "for i=1,1e5 do redis.call('set','k'..i,1) end while true do redis.pcall('scan',0) end",
    "while true do redis.pcall('nosuch') end",
    "while true do redis.log(1,('x'):rep(1e5)) end",
    "while true do redis.error_reply('x') end",
    "while true do collectgarbage() end",
    "local t={} for i=1,1e5 do t[i]={} end while true do collectgarbage() end",
    "collectgarbage('stop') while true do local t={} end",
    "collectgarbage('restart') while true do local t={} end",
    "while true do local t={{},{},{},{}} end",
    "while true do local f=function() end end",
    "return tonumber((' '):rep(3e7)..'1')",
    "local s=(' '):rep(1e6)..'1' while true do tonumber(s) end",
    "local s=('f'):rep(1e6) while true do tonumber(s,16) end",
    "local s=('x'):rep(7900) while true do s:byte(1,-1) end",
    "local t={} for i=1,7900 do t[i]=65 end while true do string.char(unpack(t)) end",
    ("local co=coroutine.wrap(function() local co2=coroutine.wrap(function() while true do end end) while true do "
    "pcall(co2) end end) while true do pcall(co) end"),
    "while true do math.random() end",
    "error(setmetatable({},{__index=function() while true do end end}))",
    "local t={} for i=1,1e6 do t[i]=('x'):rep(100)..i..('y'):rep(100) end",
    "local p,s=('x'):rep(200),('y'):rep(200) local t={} for i=1e5,1e6 do t[#t+1]=p..i..s end",
    ("local p,s=('x'):rep(200),('y'):rep(200) local t={'['} for i=1e4,1.5e4 do t[#t+1]='\"'..p..i..s..'\",' end local "
    "j=table.concat(t)..'1]' t=nil cjson.decode(j) while true do end"),
    ("local p,s=('x'):rep(200),('y'):rep(200) local f='return \"'..p..'%d'..s..'\"' local k={} for i=1e4,1e6 do "
    "k[#k+1]=loadstring(f:format(i)) end"),
    "local p,s=('x'):rep(100),('y'):rep(100) for i=1e4,1e6 do redis.call('rpush','q',p..i..s) end",
};

static bool stopped(const char *answer)
{
    return strncmp(answer, "-ERR locksim: script exceeded its budget of ", 44) == 0;
}

/* Property: each bomb ends in the error that says so, with a line, once found, and the next script finds a clean
 * interpreter.
 * How: budgets a tenth of the default, so that all of them together take seconds. */
static void every_bomb_ends_within_its_budget(void **state)
{
    (void)state;
    script_rig *g = rig_open((redis_limits){ .script_steps = 1000000, .script_bytes = 24 << 20 });
    size_t ended = 0;
    for (size_t i = 0; i < COUNT(bombs); i++) {
        const char *answer = rig_eval(g, bombs[i]);
        if (!stopped(answer))
            fail_msg("%s\n  gives %.200s", bombs[i], answer);
        bool returning = strcmp(bombs[i], "local t='x' for i=1,40 do t={t,t} end return t") == 0;
        assert_int_equal(strstr(answer, ", on @user_script:1.") == NULL, returning);
        if (g->budget_n != 1)
            fail_msg("%s\n  budget findings: %zu", bombs[i], g->budget_n);
        assert_string_equal(rig_eval(g, "local n=0 for i=1,100 do n=n+i end return {n,#KEYS,cjson.encode({1})}"),
                            "*3 :5050 :2 $3 [1]");
        str flush[] = { S("flushall") };
        rig_command(g, flush, 1);
        ended++;
    }
    assert_int_equal(ended, COUNT(bombs));
    rig_close(g);
}

/* Property: where a script is stopped depends on the script, not on what the interpreter did before.
 * How: it counts in the keyspace until it is stopped; before it, others leave garbage, long strings, or a spoiled
 * state. */
static void a_script_is_stopped_at_the_same_place_whatever_ran_before(void **state)
{
    (void)state;
    static const char *const endless[] = {
        "while true do redis.call('incr','n') end",
        "local s='' while true do s=s..('x'):rep(100) redis.call('incr','n') end",
        "local t={} while true do t[#t+1]={} redis.call('incr','n') end",
        "while true do local t={} for i=1,50 do t[i]=i..'y' end redis.call('incr','n') end",
        "local s=('x'):rep(2^20) while true do local t=s:upper() redis.call('incr','n') end",
        "while true do coroutine.wrap(function() redis.call('incr','n') end)() end",
        "while true do pcall(function() redis.call('incr','n') error({}) end) end",
        "for w in ('ab '):rep(1e6):gmatch('%a+') do redis.call('incr','n') end",
    };
    static const char *const before[] = {
        "return 1", "local t={} for i=1,5000 do t[i]={i..'z'} end return #t", "return #('x'):rep(3e5)",
        "local t={} for i=1,2000 do t['k'..i]=i end", "return #cjson.encode({('y'):rep(1000)})", "error('no')",
        "local s=('x'):rep(2^20) local t=s:upper()", "while true do end",
    };
    for (size_t e = 0; e < COUNT(endless); e++) {
        char first[32] = "";
        for (size_t b = 0; b <= COUNT(before); b++) {
            script_rig *g = rig_open((redis_limits){ .script_steps = 200000, .script_bytes = 8 << 20 });
            for (size_t i = 0; i < b; i++)
                rig_eval(g, before[i]);
            assert_true(stopped(rig_eval(g, endless[e])));
            const char *n = rig_eval(g, "return redis.call('get','n')");
            assert_int_equal(n[0], '$');
            if (b == 0)
                snprintf(first, sizeof first, "%s", n);
            else if (strcmp(first, n) != 0)
                fail_msg("%s\n  counted %s, after %zu other scripts %s", endless[e], first, b, n);
            rig_close(g);
        }
    }
}

/* Property: work hidden inside one instruction or one step of an iteration is paid for.
 * How: each round does about the same work and counts itself in the keyspace; so many rounds the budget of a million
 * steps may buy, and no more. */
static void hidden_work_is_paid_for(void **state)
{
    (void)state;
    static const struct { const char *body; int rounds_max; } rows[] = {
        { "local s=('x'):rep(2^20) local k=s..'y' while true do local t=s..'y' redis.call('incr','n') end", 200 },
        { "local s=('x'):rep(2^18-25) local k=s..'y' while true do local t=s..'y' redis.call('incr','n') end", 800 },
        { "local s=('x'):rep(2^20) while true do local t=s<s redis.call('incr','n') end", 200 },
        { "local s=(' '):rep(2^20)..'1' while true do local t=s+1 redis.call('incr','n') end", 200 },
        { ("local t={} for i=1,7000 do t[i]=i end local function h() end local function g(...) while true do h(...) "
          "redis.call('incr','n') end end g(unpack(t))"), 800 },
        { ("local function h() end local function g(...) while true do h(...) redis.call('incr','n') end end local n=0 "
          "local function f(...) n=n+1 if n==60 then g(...) end "
          "f(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,"
          "39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59,60,61,62,63,64,65,66,67,68,69,70,71,72,73,"
          "74,75,76,77,78,79,80,...) return 1 end f()"), 12000 },
        { ("local t={} for i=1,20000 do t[i]=1 end for i=1,20000 do t[i]=nil end while true do next(t) "
          "redis.call('incr','n') end"), 400 },
        { ("local t={} for i=1,20000 do t['k'..i]=1 end local k=next(t) for q in pairs(t) do if q~=k then t[q]=nil end "
          "end while true do next(t,k) redis.call('incr','n') end"), 400 },
        { "local s=('x'):rep(2^20) while true do s:find('y',1,true) redis.call('incr','n') end", 20 },
        { ("for i=1,5000 do redis.call('rpush','q',i) end while true do redis.call('lpos','q','x') "
          "redis.call('incr','n') end"), 1000 },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        script_rig *g = rig_open((redis_limits){ .script_steps = 1000000 });
        assert_true(stopped(rig_eval(g, rows[i].body)));
        const char *answer = strchr(rig_eval(g, "return redis.call('get','n') or '0'"), ' ');
        assert_non_null(answer);
        if (atoi(answer) < 1 || atoi(answer) > rows[i].rounds_max)
            fail_msg("%s\n  went round%s times", rows[i].body, answer);
        rig_close(g);
    }
}

/* A growth that Redis refuses was once paid for: a random script beside the real server was stopped by it. */
static void what_is_refused_costs_nothing(void **state)
{
    static const char *const calls[] = { "'setrange','k',2^52,'x'", "'setrange','k',2^32,''", "'setrange','k',-1,'x'",
                                         "'setbit','k',2^40,1",
                                         "'setbit','k',2^40" };
    for (size_t i = 0; i < COUNT(calls); i++) {
        char body[200];
        snprintf(body, sizeof body, "for i=1,100 do redis.pcall(%s) end return 1", calls[i]);
        assert_string_equal(rig_eval(*state, body), ":1");
    }
}

/* What a lock script could honestly need stays far within the default budget. */
static void honest_work_is_not_stopped(void **state)
{
    RIG_ALL(*state, { "local c=0 for i=1,2e6 do c=c+i end return c", ":2000001000000" },
            { "local t={} for i=1,5e4 do t[i]=i end table.sort(t,function(a,b) return a>b end) return t[1]", ":50000" },
            { "local s={} for i=1,2e4 do s[#s+1]=tostring(i) end return #table.concat(s,',')", ":108893" },
            { "for i=1,1e4 do redis.call('rpush','q',i) end return #redis.call('lrange','q',0,-1)", ":10000" },
            { ("for i=1,1e4 do redis.call('zadd','z',i,i) end local all=redis.call('zrange','z',0,-1)"
              " for i=1,#all do redis.call('zincrby','z',-3e5,all[i]) end"
              " for i=1,#all do redis.call('zrem','z',all[i]) end return redis.call('exists','z')"), ":0" },
            { "return #(('lock:'):rep(20000):gsub('l','L'))", ":100000" },
            { "local n=0 for k in ('a,b,'):rep(5000):gmatch('[^,]+') do n=n+1 end return n", ":10000" },
            { "local t={} for i=1,3000 do t[i]={id=i,name='n'..i} end return #cjson.decode(cjson.encode(t))", ":3000" },
            { "local function f(n) if n==0 then return 0 end return 1+f(n-1) end return f(15000)", ":15000" },
            { ("local n=0 for i=1,1000 do local co=coroutine.wrap(function() for j=1,10 do coroutine.yield(j) end end) "
              "n=n+co() end return n"), ":1000" });
    assert_int_equal(((script_rig *)*state)->findings_n, 0);
}

/* What Lua itself refuses, it refuses before the budget does. */
static void runaway_recursion_ends_in_luas_own_error(void **state)
{
    RIG_ALL(*state, { "local function f() return 1+f() end return f()", ("-ERR user_script:1: stack overflow, on "
                      "@user_script:1.") },
            { "local t=setmetatable({},{}) getmetatable(t).__index=t return t.x",
              "-ERR user_script:1: loop in gettable, on @user_script:1." },
            { "return ('x'):rep(1e6):find(('a?'):rep(1e5)..'b')", ("-ERR locksim: script exceeded its budget of "
              "10000000 steps, on @user_script:1.") },
            { "return ('x'):rep(2e5):find(('x?'):rep(1e5)..'b')", ("-ERR user_script:1: pattern too complex, on "
              "@user_script:1.") });
}

/* Property: what a stopped script wrote stays, and what it published is delivered: Redis has no rollback. */
static void a_stopped_script_keeps_its_writes(void **state)
{
    script_rig *g = *state;
    assert_true(stopped(rig_eval(g, "redis.call('set','k','written') while true do end")));
    assert_string_equal(g->effects.p, "1: set k written = OK; ");
    assert_string_equal(rig_eval(g, "return redis.call('get','k')"), "$7 written");
}

/* A script that was compiled before the state was thrown away still runs by its name. */
static void scripts_survive_the_interpreter(void **state)
{
    script_rig *g = *state;
    str load[] = { S("script"), S("load"), S("return 42") };
    str sha = rig_command(g, load, 3).text;
    char name[41];
    snprintf(name, sizeof name, "%.*s", STR_ARG(sha));
    assert_true(stopped(rig_eval(g, "while true do end")));
    str call[] = { S("evalsha"), str_from(name), S("0") };
    reply r = rig_command(g, call, 3);
    assert_int_equal(r.kind, REPLY_INTEGER);
    assert_int_equal(r.integer, 42);
}

/* The smallest budgets stop at once and harm nothing. */
static void tiny_budgets_stop_cleanly(void **state)
{
    (void)state;
    static const uint64_t steps[] = { 1, 2, 10, 63, 64, 100, 1000 };
    for (size_t i = 0; i < COUNT(steps); i++) {
        script_rig *g = rig_open((redis_limits){ .script_steps = steps[i], .script_bytes = 1 });
        for (size_t b = 0; b < COUNT(bombs); b++) {
            const char *answer = rig_eval(g, bombs[b]);
            assert_true(answer[0] == '-' || answer[0] == '*' || answer[0] == '$' || answer[0] == ':');
        }
        rig_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bomb_ends_within_its_budget),
        cmocka_unit_test(a_script_is_stopped_at_the_same_place_whatever_ran_before),
        cmocka_unit_test(hidden_work_is_paid_for),
        cmocka_unit_test_setup_teardown(what_is_refused_costs_nothing, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(honest_work_is_not_stopped, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(runaway_recursion_ends_in_luas_own_error, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(a_stopped_script_keeps_its_writes, rig_setup, rig_teardown),
        cmocka_unit_test_setup_teardown(scripts_survive_the_interpreter, rig_setup, rig_teardown),
        cmocka_unit_test(tiny_budgets_stop_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
