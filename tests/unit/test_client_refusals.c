/* test_client_refusals.c - what client code may not do: each ends as an error at its own line and column, and never
 * hangs. */
#include "client_rig.h"

/* The program's body stands on line 2 of s.lua. Runs task 0 until it waits or fails, answering every request with
 * nil. */
static void run_body(rig *r, const char *body)
{
    static char text[4096];
    snprintf(text, sizeof text, "return { clients = { \"A\" }, program = function(me)\n%s\nend }\n", body);
    static const rig_file files[] = {
        { "broken.lua", "local x = 1\nlocal = 2" }, { "fails.lua", "local t = nil\nreturn t.x" },
        { "loop/a.lua", "return require 'loop.b'" },
        { "loop/b.lua", "return require 'loop.a'" }, { "once.lua", "return { n = 1 }" },
        { "nothing.lua", "local x = 1" },
        { "script.lua", "return 1" }, { NULL, NULL },
    };
    if (!rig_load(r, files, text)) {
        print_error("%s", rig_error(r));
        fail();
    }
    r->p = process_new(&r->scenario, &r->loader, 0, 0, r->now_ms, &r->e);
    bool ok = rig_run(r, 0);
    for (uint32_t id = 1; ok && rig_task(r, 0) && rig_task(r, 0)->status == TASK_REQUEST; id++)
        ok = rig_answer(r, id, reply_nil());
}

typedef struct {
    const char *body, *message;
    int line, col;
} row;

static void check(const row *rows, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        rig r;
        run_body(&r, rows[i].body);
        if (r.e.class_ != ERR_DRIVER || strcmp(r.e.message.p, rows[i].message) != 0 || r.e.line != rows[i].line ||
            r.e.col != rows[i].col)
            wrong++, print_error("%s\nis told as\n%s%s\nand not as %d:%d: %s\n", rows[i].body, rig_error(&r),
                                 rig_text(&r), rows[i].line, rows[i].col, rows[i].message);
        rig_free(&r);
    }
    assert_int_equal(wrong, 0);
}

static void what_is_not_there_is_told_by_name_and_place(void **state)
{
    (void)state;
    static const row rows[] = {
        { "local a = 1  os.time()", "client code has no global 'os': the clock is me:now()", 2, 14 },
        { "print('x')", "client code has no global 'print': me:log(text) writes to the story", 2, 1 },
        { "strin.rep('x', 2)", "client code has no global 'strin'; did you mean 'string'?", 2, 1 },
        { "local x = nothing_like_it", "client code has no global 'nothing_like_it'", 2, 11 },
        { "counter = 1 + 2", "assignment to global 'counter': write 'local counter', or keep shared state in "
          "me.process", 2, 1 },
        { "local a\na, total = 1, 2", "assignment to global 'total': write 'local total', or keep shared state in "
          "me.process", 3, 4 },
        { "function helper() end", "assignment to global 'helper': write 'local helper', or keep shared state in "
          "me.process", 2, 10 },
        { "string.rep = nil", "this table belongs to locksim and cannot be changed (field 'rep')", 2, 14 },
        { "rawset(string, 'rep', 1)", "this table belongs to locksim and cannot be changed", 2, 1 },
        { "setmetatable(string, {})", "cannot change a protected metatable", 2, 1 },
        { "getmetatable('').__index.rep = nil", "attempt to index a boolean value", 2, 18 },
        { "me.foo = 1", "me is the task's handle and cannot be changed; use locals, or me.process for what tasks share",
          2, 10 },
        { "me.__index.sleep = nil", "me has no '__index'", 2, 4 },
        { "local f, x = me.sleep, me[1]", "me has no '1'", 2, 28 },
        { "me:evall('x')", "me has no 'evall'; did you mean 'eval'?", 2, 4 },
        { "me:semaphore(1):take()", "there is no method 'take' here", 2, 17 },
        { "local s = script 'script.lua' return s.sha",
          "a script has no field 'sha'; it has name, text, sha1, answers", 2, 40 },
        { "local t = {} for k in pairs({ [true] = 1 }) do end", "a table with a key of type boolean has no order to "
          "walk it in; use strings or numbers as keys", 2, 23 },
        { "tostring({})", "tostring of a table would show where it lies in memory, which differs from run to run",
          2, 1 },
        { "setmetatable({}, { __mode = 'k' })", "weak tables are not available in client code: when they lose an entry "
          "is left to chance", 2, 1 },
        { "local x = ('x'):dump()", "attempt to call method 'dump' (a nil value)", 2, 17 },
        { "coroutine.yield(1)", "coroutine.yield outside a coroutine", 2, 11 },
    };
    check(rows, COUNT(rows));
}

static void waiting_where_lua_cannot_suspend_is_told_at_the_call(void **state)
{
    (void)state;
#define WHY " cannot wait here: Lua cannot suspend inside a sort or gsub callback, a metamethod, the iterator of a " \
    "for-in, a view, " \
            "or while a file is loaded"
    static const row rows[] = {
        { "table.sort({ 2, 1 }, function(a, b) me:call('GET', 'k') return a < b end)", "me:call" WHY, 2, 40 },
        { "string.gsub('x', '.', function(c)\n  me:sleep(1) end)", "me:sleep" WHY, 3, 6 },
        { "local t = setmetatable({}, { __index = function(t, k) return me:eval('return 1') end }) return t.x",
          "me:eval" WHY, 2, 65 },
        { "for x in function() me:step() end do end", "me:step" WHY, 2, 24 },
        { "for x in coroutine.wrap(function() me:work() end) do end", "me:work" WHY, 2, 39 },
        { "local s = me:semaphore(0) table.sort({ 2, 1 }, function() s:acquire() end)", "s:acquire" WHY, 2, 61 },
        { "table.sort({ 2, 1 }, function(a, b) local ok, e = pcall(function() me:sleep(1) end) error(e, 0) end)",
          "me:sleep" WHY, 2, 71 },
        { "table.sort({ 2, 1 }, function(a, b) coroutine.yield() end)", "coroutine.yield" WHY, 2, 47 },
        { "table.sort({ 2, 1 }, function(a, b) return me:choose{ true, false } end)", "me:choose" WHY, 2, 47 },
    };
    check(rows, COUNT(rows));
}

static void what_needs_no_wait_works_where_lua_cannot_suspend(void **state)
{
    (void)state;
    rig r;
    run_body(&r, "local t = { 3, 1, 2 }\n"
                 "table.sort(t, function(a, b) local ok, less = pcall(function() return a < b end) return less end)\n"
                 "local s = ''\n"
                 "for x in coroutine.wrap(function() for _, v in ipairs(t) do coroutine.yield(v) end end) do s = s .. "
                 "x end\n"
                 "local m = setmetatable({}, { __index = function(t, k) local ok, e = pcall(error, { k }) return e[1] "
                 "end })\n"
                 "me:log(s .. m.deep .. tostring(m.x))\n");
    assert_string_equal(rig_text(&r), "0 log 123deepx\n0 ended\n");
    rig_free(&r);
}

static void wrong_arguments_are_told_at_the_call(void **state)
{
    (void)state;
    static const row rows[] = {
        { "me:sleep(1.5)", "the time to sleep has to be an integer, this is 1.5", 2, 4 },
        { "me:sleep(-1)", "the time to sleep has to be at least 0, this is -1", 2, 4 },
        { "me:sleep()", "the time to sleep is missing", 2, 4 },
        { "me:sleep(0/0)", "the time to sleep has to be an integer, this is not a number", 2, 4 },
        { "me:eval(nil)", "a script is expected (script \"file.lua\", or Lua text), this is a nil", 2, 4 },
        { "me:eval('return 1', 'k')", "keys have to be a list, this is a string", 2, 4 },
        { "me:eval('return 1', { 'k' }, { 1, {} })", "argument 2 of the request cannot be sent: it is a table; send "
          "strings and numbers", 2, 4 },
        { "me:eval('return 1', { 'k' }, { true })", "argument 1 of the request cannot be sent: it is a boolean; send "
          "strings and numbers", 2, 4 },
        { "me:eval('return 1', { 'k', nil, 'l' })", "keys have to be a list without holes or names: 1 of 2 fields are "
          "not in it", 2, 4 },
        { "me:eval('return 1', {}, {}, { timeout = 1 })", "a request has no option 'timeout': did you mean timeout_ms; "
          "it has op, lock, lease, timeout_ms, resend, again, sync, permits, fcall",
          2, 4 },
        { "me:call('GET', 'k', { again = 'yes' })", "again has to be true or false, this is a string", 2, 4 },
        { "me:call('GET', 'k', { sync = 9 })", "sync is a number of replicas, at most 8", 2, 4 },
        { "me:call('GET', 'k', { permits = -1 })", "permits has to be at least 0, this is -1", 2, 4 },
        { "me:call('GET', 'k', { sync = -1 })", "sync has to be at least 0, this is -1", 2, 4 },
        { "me:call('GET', 'k', { resend = 1 })", "resend has to be true or false, this is a number", 2, 4 },
        { "me:eval('return 1', {}, {}, { lease = 1.5 })", "lease has to be an integer, this is 1.5", 2, 4 },
        { "me:call()", "the name of a command is expected", 2, 4 },
        { "me:call('GET', nil, 'x')", "argument 1 of the request cannot be sent: it is a nil; send strings and numbers",
          2, 4 },
        { "me.call('GET')", "me is expected before the method's name (write x:method(), not x.method())", 2, 4 },
        { "me:on(2)", "there is no server 2: the scenario has 1 (servers = 2)", 2, 4 },
        { "me:choose{}", "there is nothing to choose from: me:choose takes a list of values", 2, 4 },
        { "local t = {} for i = 1, 1001 do t[i] = i end me:choose(t)",
          "me:choose takes at most 1000 values: each is a step of its own to the search", 2, 49 },
        { "me:granted('L', { leese = 1 })", "there is no option 'leese' here; known: lease renew_ms token mode count "
          "told ",
          2, 4 },
        { "me:wants()", "bad argument #1 to 'wants' (string expected, got no value)", 2, 4 },
        { "me:observe('L', { view = 1 })", "the driver's field 'view' has to be a function, this is a number", 2, 4 },
        { "me:observe('L', { view = function() end, spec = 'fairr' })", "there is no specification 'fairr'; known: "
          "none, mutex, idempotent_mutex, reentrant, fair, read_write, semaphore, latch, grouped", 2, 4 },
        { "me:spawn('x', tostring)", "me:spawn takes a Lua function", 2, 4 },
        { "error('plain')", "plain", 2, 1 },
        { "error({ message = 'in a table' })", "in a table", 2, 1 },
        { "error({})", "an error value that is no text (a table)", 2, 1 },
        { "local x = me.id + {}", "attempt to perform arithmetic on field 'id' (a string value)", 2, 20 },
        { "local t = {} t.a.b = 1", "attempt to index field 'a' (a nil value)", 2, 22 },
        { "local function f() return me:call('GET', 'k') .. 'x' end\nreturn 'a' .. f()",
          "attempt to concatenate a nil value", 2, 50 },
        { "script 'none.lua'", "no file \"none.lua\" in the test", 2, 1 },
        { "local m = require 'none'", "no file \"none.lua\" in the test", 2, 11 },
        { "require 'broken'", "'<name>' expected near '='", 2, 7 },
        { "require 'fails'", "attempt to index local 't' (a nil value)", 2, 10 },
        { "require 'loop.a'", "require: 'loop/a.lua' requires itself", 1, 8 },
    };
    check(rows, COUNT(rows));
}

static void a_thread_uses_its_own_handle(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "return { clients = { { 'A', threads = 2 } }, program = function(me)\n"
                                   "  me.process.me = me.process.me or me\n  me.process.me:sleep(1)\nend }"));
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_true(rig_run(&r, 0));
    assert_false(rig_run(&r, 1));
    assert_string_equal(r.e.message.p, "this handle belongs to A:1, but A:2 is running: pass each task its own me");
    assert_int_equal(r.e.line, 3);
    rig_free(&r);
}

static void modules_run_once_and_scripts_are_one_object(void **state)
{
    (void)state;
    rig r;
    run_body(&r, "local a, b = require 'once', require 'once'  a.n = 2\n"
                 "me:log(tostring(rawequal(a, b)) .. b.n .. tostring(require 'nothing'))\n"
                 "me:log(tostring(script 'script.lua' == script 'script.lua') .. tostring(script.text 'x' == "
                 "script.text 'x'))\n"
                 "me:log((script 'script.lua').text .. #(script.text 'y').sha1)\n");
    assert_string_equal(rig_text(&r), "0 log true2true\n0 log truetrue\n0 log return 140\n0 ended\n");
    rig_free(&r);
}

static void endless_loops_end_whatever_catches_them(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function() while true do end end) end",
        "local function f() local co = coroutine.wrap(function() f() end) pcall(co) end while true do f() end",
        "while true do coroutine.wrap(function() end)() end",
        "while true do pcall(error) end",
        "table.sort({ 1, 2, 3 }, function() while true do end end)",
        "string.find(('a'):rep(40), ('a*'):rep(40) .. 'b')",
        "string.gsub(('a'):rep(3000000), '.-b', '')",
        "for w in string.gmatch(('a'):rep(50), ('a-'):rep(30) .. 'b') do end",
        "string.match(('('):rep(300000), '%b()')  while true do end",
        "local s = ('x'):rep(1000000) while true do local t = s .. 'y' end",
        "local a, b = ('x'):rep(9000000) .. 'a', ('x'):rep(9000000) .. 'b' while true do local c = a < b end",
        "local t = {} for i = 1, 100000 do t[i] = i end while true do table.sort(t) end",
        "while true do string.format('%99d', 1) end",
        "local t = {} while true do table.insert(t, 1, 0) end",
        "repeat local ok = me:semaphore(1):acquire() until false",
        "while true do me:log('x') end",
        "while true do me:send('PING') end",
        "local function f() return f() end f()",
        "local t = {} for i = 1, 7000 do t[i] = i end while true do math.max(unpack(t)) end",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        rig r;
        run_body(&r, bodies[i]);
        bool told = r.e.class_ == ERR_DRIVER && r.e.line == 2 && strstr(r.e.message.p, "endless loop");
        if (!told)
            fail_msg("%s\n%s", bodies[i], rig_error(&r));
        rig_free(&r);
    }
}

static void memory_bombs_end_whatever_catches_them(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "local s = 'x' while true do s = s .. s end",
        "local s = ('x'):rep(200000000) local t = s .. s",
        "while true do pcall(function() local s = ('x'):rep(200000000) local t = s .. s end) end",
        "local t = {} for i = 1, 1e9 do t[i] = { i } end",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        rig r;
        run_body(&r, bodies[i]);
        if (r.e.class_ != ERR_DRIVER || r.e.line != 2 ||
            (!strstr(r.e.message.p, "out of memory") && !strstr(r.e.message.p, "endless loop")))
            fail_msg("%s\n%s", bodies[i], rig_error(&r));
        rig_free(&r);
    }
}

static void depth_has_limits(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "local function f() return 1 + f() end f()",
        "local function f() return pcall(f) end me:log(tostring(f())) error('x')",
        "local function f() return coroutine.wrap(f)() end f()",
        "local t = {} t.__index = t setmetatable(t, t) return t.x",
        "string.rep('x', 1e300)",
        "string.find(('x'):rep(100), ('(x'):rep(100))",
        "local t = setmetatable({}, { __index = function(t, k) return t[k .. 'x'] end }) return t.x",
        "string.find(('x'):rep(1000), ('x?'):rep(1000))",
        "unpack({}, 1, 1e8)",
        "local s = 'return ' .. ('('):rep(1000) me:log(s) error(s)",
        "table.concat({}, 'x', 1, 1e9)",
    };
    for (size_t i = 0; i < COUNT(bodies); i++) {
        rig r;
        run_body(&r, bodies[i]);
        if (r.e.class_ != ERR_DRIVER || r.e.line != 2)
            fail_msg("%s\n%s", bodies[i], rig_error(&r));
        rig_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_told_by_name_and_place),
        cmocka_unit_test(waiting_where_lua_cannot_suspend_is_told_at_the_call),
        cmocka_unit_test(what_needs_no_wait_works_where_lua_cannot_suspend),
        cmocka_unit_test(wrong_arguments_are_told_at_the_call),
        cmocka_unit_test(a_thread_uses_its_own_handle),
        cmocka_unit_test(modules_run_once_and_scripts_are_one_object),
        cmocka_unit_test(endless_loops_end_whatever_catches_them),
        cmocka_unit_test(memory_bombs_end_whatever_catches_them),
        cmocka_unit_test(depth_has_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
