/* test_client_scenario.c - a scenario file becomes plain data, or a located error; the same input gives the same
 * output. */
#include "client_rig.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#define HEAD "return { clients = { 'A' }, program = function(me) end, "

static void a_whole_scenario_is_read(void **state)
{
    (void)state;
    rig r;
    bool ok = rig_load(&r, NULL,
                       "return {\n"
                       "  title = 'all of it',\n"
                       "  clients = { 'A', { 'B2', threads = 2, skew_ms = -250, drift = '-1/50', start_ms = 10 } },\n"
                       "  program = function(me) end,\n"
                       "  servers = 5, replicas = 1, latency_ms = { 1, 3 }, timeout_ms = 500, work_ms = 7, end_ms = "
                       "60000,\n"
                       "  faults = { pause = 1, clock_jump = { 2, ms = -250 }, failover = { writes = 2 }, crash = { 1, "
                       "of = 'B2' } },\n"
                       "  explore = { random = 20000, strategy = 'pct', depth = 4 },\n"
                       "  expect = { strict_mutual_exclusion = 'violated', fifo = { 'holds', max_overtakes = 1 }, "
                       "LK013 = 'holds' },\n"
                       "  must_see = { 'expiry', 'wait', 'pause' },\n"
                       "  limits = { steps = 77 },\n"
                       "  always = function(view) return true end,\n"
                       "  exhibit = { bug = '#2278', library = 'Redisson', versions = 'to 3.31', what = 'sleeps', twin "
                       "= 'R03_mended.lua' },\n"
                       "  workload = { arrivals = { think_ms = 5 } },\n"
                       "}\n");
    if (!ok)
        fail_msg("%s", rig_error(&r));
    const scenario *s = &r.scenario;
    assert_string_equal(s->title.p, "all of it");
    assert_string_equal(s->exhibit.bug.p, "#2278");
    assert_string_equal(s->exhibit.library.p, "Redisson");
    assert_string_equal(s->exhibit.versions.p, "to 3.31");
    assert_string_equal(s->exhibit.what.p, "sleeps");
    assert_string_equal(s->exhibit.twin.p, "R03_mended.lua");
    assert_int_equal(s->client_count, 2);
    assert_string_equal(s->clients[1].name.p, "B2");
    assert_int_equal(s->clients[0].threads, 1);
    assert_int_equal(s->clients[1].threads, 2);
    assert_int_equal(s->clients[1].skew_ms, -250);
    assert_int_equal(s->clients[1].drift, -50);
    assert_int_equal(s->clients[1].start_ms, 10);
    assert_int_equal(s->servers, 5);
    assert_int_equal(s->replicas, 1);
    assert_int_equal(s->latency_lo_ms, 1);
    assert_int_equal(s->latency_hi_ms, 3);
    assert_int_equal(s->work_lo_ms, 7);
    assert_int_equal(s->work_hi_ms, 7);
    assert_int_equal(s->timeout_ms, 500);
    assert_int_equal(s->end_ms, 60000);
    assert_int_equal(s->faults[FAULT_PAUSE].budget, 1);
    assert_int_equal(s->faults[FAULT_CLOCK_JUMP].budget, 2);
    assert_int_equal(s->faults[FAULT_CLOCK_JUMP].amount, -250);
    assert_int_equal(s->faults[FAULT_FAILOVER].budget, 1);
    assert_int_equal(s->faults[FAULT_FAILOVER].amount, 2);
    assert_string_equal(s->faults[FAULT_CRASH].of.p, "B2");
    assert_int_equal(s->faults[FAULT_EVICT].budget, 0);
    assert_int_equal(s->explore, EXPLORE_RANDOM);
    assert_int_equal(s->runs, 20000);
    assert_int_equal(s->strategy, STRATEGY_PCT);
    assert_int_equal(s->depth, 4);
    assert_int_equal(s->expect[PROPERTY_STRICT_MUTUAL_EXCLUSION], EXPECT_VIOLATED);
    assert_int_equal(s->expect[PROPERTY_FIFO], EXPECT_HOLDS);
    assert_int_equal(s->expect[PROPERTY_OWNER_ONLY], EXPECT_UNSAID);
    assert_true(s->model.judged[PROPERTY_FIFO] && s->model.judged[PROPERTY_PROMPT] && s->model.judged[PROPERTY_ALWAYS]);
    assert_int_equal(s->model.parameter[PROPERTY_FIFO], 1);
    assert_int_equal(s->must_see_count, 3);
    assert_string_equal(s->must_see[2].p, "pause");
    assert_int_equal(s->max_steps, 77);
    assert_true(s->has_always);
    rig_free(&r);
}

static void other_faults_take_the_place_of_a_scenarios_own(void **state)
{
    (void)state;
    rig r;
    uint32_t budgets[FAULT_KINDS];
    err e = { 0 };
    assert_true(rig_load(&r, NULL,
                         HEAD "faults = { pause = 3, crash = { 2, of = 'A' }, lag = { 1, ms = 7 } }, must_see = { "
                         "'pause', 'wait' } }"));
    scenario *s = &r.scenario;
    assert_true(fault_budgets_parse(S("crash,lag=0,duplicate=1000"), budgets, &e));
    scenario_set_faults(r.a, s, budgets);
    for (int k = 0; k < FAULT_KINDS; k++)
        assert_int_equal(s->faults[k].budget, k == FAULT_CRASH ? 1 : k == FAULT_DUPLICATE ? 1000 : 0);
    assert_string_equal(s->faults[FAULT_CRASH].of.p, "A");
    assert_int_equal(s->faults[FAULT_LAG].amount, 7);
    assert_int_equal(s->must_see_count, 3);
    static const char *const seen[] = { "wait", "crash", "duplicate" };
    for (size_t i = 0; i < COUNT(seen); i++)
        assert_true(str_eq(s->must_see[i], str_from(seen[i])));
    assert_true(fault_budgets_parse(S("none"), budgets, &e));
    scenario_set_faults(r.a, s, budgets);
    for (int k = 0; k < FAULT_KINDS; k++)
        assert_int_equal(s->faults[k].budget, 0);
    assert_int_equal(s->must_see_count, 1);
    rig_free(&r);
}

static void a_small_scenario_has_the_defaults(void **state)
{
    (void)state;
    rig r;
    assert_true(rig_load(&r, NULL, "local p = function(me) end return { clients = { 'A' }, program = p, explore = { "
                         "schedule = 'A A' } }"));
    const scenario *s = &r.scenario;
    assert_int_equal(s->explore, EXPLORE_SCHEDULE);
    assert_string_equal(s->schedule.p, "A A");
    assert_int_equal(s->exhibit.bug.n, 0);
    assert_int_equal(s->servers, 1);
    assert_int_equal(s->timeout_ms, 3000);
    assert_int_equal(s->work_lo_ms, -1);
    assert_true(s->end_ms == INT64_MAX);
    assert_false(s->has_always);
    assert_true(s->max_states == 0 && s->max_memory == 0);
    rig_free(&r);
    assert_true(rig_load(&r, NULL, "return { clients = { 'A' }, program = function(me) end, limits = { states = 5, "
                         "memory = '3k' } }"));
    assert_int_equal(r.scenario.explore, EXPLORE_EXHAUSTIVE);
    assert_int_equal(r.scenario.max_states, 5);
    assert_int_equal(r.scenario.max_memory, 3072);
    rig_free(&r);
}

static void what_is_wrong_is_told_where_it_is_written(void **state)
{
    (void)state;
    static const struct { const char *text, *message, *hint; int line, col; } row[] = {
        { "return 5", "a scenario file returns a table, this one returns a number", NULL, 1, 1 },
        { "local x = 1", "a scenario file returns a table, this one returns nothing", NULL, 1, 1 },
        { "", "a scenario file returns a table, this one returns nothing", NULL, 1, 1 },
        { "return { title = 'x' }", "the scenario has no field 'clients'", "clients = { \"A\", \"B\" }", 1, 1 },
        { "return { clients = {}, program = 1 }", "program has to be a function(me), this is a number", NULL, 1, 24 },
        { "return { clients = { 'A' } }", "the scenario has no field 'program'", "program = function(me) ... end",
          1, 1 },
        { HEAD "\n  fault = {} }", "unknown field 'fault'", "did you mean 'faults'?", 2, 3 },
        { HEAD "xyzzy = {} }", "unknown field 'xyzzy'", "known: always, cases, clients", 1, 57 },
        { HEAD "title = 5 }", "title has to be a string, this is a number", NULL, 1, 57 },
        { HEAD "servers = 0 }", "servers has to be from 1 to 16, this is 0", NULL, 1, 57 },
        { HEAD "servers = 1.5 }", "servers has to be an integer, this is 1.5", NULL, 1, 57 },
        { HEAD "timeout_ms = '5' }", "timeout_ms has to be an integer, this is a string", NULL, 1, 57 },
        { HEAD "timeout_ms = 0/0 }", "timeout_ms has to be an integer, this is none (0/0)", NULL, 1, 57 },
        { HEAD "latency_ms = { 3, 1 } }", "latency_ms has to be { lo, hi } with lo <= hi", NULL, 1, 57 },
        { HEAD "latency_ms = { 3 } }", "latency_ms has to be { lo, hi } with lo <= hi", NULL, 1, 57 },
        { HEAD "latency_ms = -1 }", "latency_ms has to be at least 0, this is -1", NULL, 1, 57 },
        { HEAD "faults = 1 }", "faults has to be \"all\" or a table { pause = 1 }, this is a number", NULL, 1, 57 },
        { HEAD "faults = { 'pause' } }", "faults has values without a name; it takes faults by name: { pause = 1 }",
          NULL, 1, 57 },
        { HEAD "faults = {\n pauze = 1 } }", "unknown fault 'pauze'", "did you mean 'pause'?", 2, 2 },
        { HEAD "faults = { pause = -1 } }", "faults.pause has to be from 0 to 1000, this is -1", NULL, 1, 68 },
        { HEAD "faults = { pause = { 1, ms = 5 } } }", "unknown field of the fault pause 'ms'", NULL, 1, 81 },
        { HEAD "faults = { crash = { 1, of = 'Z' } } }", "unknown client 'Z'", "known: A", 1, 81 },
        { HEAD "expect = { fifoo = 'holds' } }", "unknown property 'fifoo'", "did you mean 'fifo'?", 1, 68 },
        { HEAD "expect = { fifo = 'hold' } }", "unknown outcome 'hold'", "did you mean 'holds'?", 1, 68 },
        { HEAD "expect = { fifo = { 'holds', max = 1 } } }", "unknown field of an expectation 'max'",
          "known: max_overtakes", 1, 86 },
        { HEAD "expect = { owner_only = { 'holds', n = 1 } } }", "owner_only takes no number: write owner_only = "
          "\"holds\" or \"violated\"", NULL, 1, 92 },
        { HEAD "explore = 'exhaustiv' }", "unknown way to explore 'exhaustiv'", "did you mean 'exhaustive'?", 1, 57 },
        { HEAD "explore = { schedule = 'A', random = 5 } }", "explore takes a schedule or a number of random runs, not "
          "both", NULL, 1, 57 },
        { HEAD "explore = { depth = 5 } }", "explore takes a schedule or a number of random runs, and has neither",
          NULL, 1, 57 },
        { HEAD "explore = { random = 5, strategy = 'ptc' } }", "unknown strategy 'ptc'", "known: uniform, pct", 1, 81 },
        { HEAD "must_see = { 'expiri' } }", "unknown event 'expiri'", "did you mean 'expiry'?", 1, 70 },
        { HEAD "limits = { stepps = 5 } }", "unknown limit 'stepps'", "did you mean 'steps'?", 1, 68 },
        { HEAD "limits = { states = 0 } }", "limits.states has to be", NULL, 1, 68 },
        { HEAD "limits = { memory = '5T' } }", "limits.memory is a number of bytes, or a text like \"512M\" or \"4G\"",
          NULL, 1, 68 },
        { HEAD "limits = { memory = 0 } }", "limits.memory has to be at least 1", NULL, 1, 68 },
        { HEAD "limits = { memory = {} } }", "limits.memory has to be a string, this is a table", NULL, 1, 68 },
        { HEAD "exhibit = '#2278' }", "exhibit has to be a table { bug = \"#2278\" }, this is a string", NULL, 1, 57 },
        { HEAD "exhibit = { '#2278' } }", "exhibit has values without a name", NULL, 1, 57 },
        { HEAD "exhibit = { what = 'sleeps' } }", "exhibit has to name its bug", NULL, 1, 57 },
        { HEAD "exhibit = { bug = 2278 } }", "exhibit.bug has to be a string, this is a number", NULL, 1, 69 },
        { HEAD "exhibit = { bug = '' } }", "exhibit has to name its bug", NULL, 1, 57 },
        { HEAD "exhibit = { bug = 'x', twine = 'y' } }", "unknown field of an exhibit 'twine'", "did you mean 'twin'?",
          1, 80 },
        { HEAD "always = true }", "always has to be a function(view, redis), this is a boolean", NULL, 1, 57 },
        { HEAD "[5] = 1 }", "a scenario's table has names only: title = , clients = , program = ...", NULL, 1, 1 },
        { HEAD "[{}] = 1 }", "the scenario has a key that is neither a name nor a position", NULL, 1, 1 },
        { "return { clients = { { 'A', drift = '1/1000' } }, program = function() end }",
          "drift is a sign and the part by which the clock is wrong, from 1/10 to 1/1000, this is \"1/1000\"",
          "it gains a millisecond every 1000", 1, 29 },
        { "return { clients = { { 'A', drift = '+1/9' } }, program = function() end }",
          "drift is a sign and the part by which the clock is wrong, from 1/10 to 1/1000, this is \"+1/9\"",
          NULL, 1, 29 },
        { "return { clients = { { 'A', drift = '-1/1001' } }, program = function() end }",
          "drift is a sign and the part by which the clock is wrong, from 1/10 to 1/1000, this is \"-1/1001\"",
          NULL, 1, 29 },
        { "return { clients = { { 'A', drift = '-1/99x' } }, program = function() end }",
          "drift is a sign and the part by which the clock is wrong, from 1/10 to 1/1000, this is \"-1/99x\"",
          NULL, 1, 29 },
        { "return { clients = { { 'A', drift = 1000 } }, program = function() end }",
          "clients[1].drift has to be a string", NULL, 1, 29 },
        { "return { clients = { 'A', 'A' }, program = function() end }", "two clients have the name \"A\"", NULL, 1,
          27 },
        { "return { clients = { '1x' }, program = function() end }", "a client's name is a letter, then letters, "
          "digits and _ (at most 32), this is \"1x\"",
          NULL, 1, 22 },
        { "return { clients = { { threads = 2 } }, program = function() end }",
          "clients[1] has no name: write { \"A\", ... }", NULL, 1, 22 },
        { "return { clients = { { 'A', thread = 2 } }, program = function() end }",
          "unknown field of a client 'thread'", "did you mean 'threads'?", 1, 29 },
        { "return { clients = { { 'A', threads = 0 } }, program = function() end }",
          "clients[1].threads has to be from 1 to 64, this is 0", NULL, 1, 29 },
        { "return { clients = { A = 1 }, program = function() end }", "clients has to be a list without names or holes",
          NULL, 1, 22 },
        { "return {\n  title = 'x'\n  clients = {} }", "'}' expected (to close '{' at line 1) near 'clients'", NULL,
          3, 3 },
        { "return { title = os.time() }", "client code has no global 'os': the clock is me:now()", NULL, 1, 18 },
        { "local t\nreturn { title = t.x }", "attempt to index local 't' (a nil value)", NULL, 2, 20 },
        { "while true do end", "endless loop", NULL, 1, 12 },
        { "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end", "endless loop", NULL, 1, 0 },
        { "local s = 'x' while true do s = s .. s end", "", NULL, 1, 0 },
        { "string.find(('a'):rep(50), ('a?'):rep(50) .. ('a'):rep(50) .. 'b') return 1", "endless loop", NULL, 1, 8 },
        { "require 'nothing'", "no file \"nothing.lua\" in the test", NULL, 1, 1 },
        { "coroutine.yield()", "coroutine.yield cannot wait here", NULL, 1, 11 },
    };
    int wrong = 0;
    for (size_t i = 0; i < COUNT(row); i++) {
        rig r;
        bool ok = rig_load(&r, NULL, row[i].text);
        if (ok || r.e.class_ != ERR_SCENARIO || strncmp(r.e.message.p, row[i].message, strlen(row[i].message)) != 0 ||
            (row[i].hint && (!r.e.hint.p || !strstr(r.e.hint.p, row[i].hint))) ||
            (row[i].col && (r.e.line != row[i].line || r.e.col != row[i].col)))
            wrong++, print_error("%s\n%s\nis not %d:%d: %s\n", row[i].text, ok ? "is loaded" : rig_error(&r),
                                 row[i].line, row[i].col, row[i].message);
        rig_free(&r);
    }
    assert_int_equal(wrong, 0);
}

static void random_bytes_and_tables_are_no_scenario_and_no_crash(void **state)
{
    (void)state;
    static const char *const words[] = {
        "clients", "=", "{", "}", "'A'", "program", "function(me) end", ",", "faults", "pause", "1", "-1", "1e400",
        "'x'", "expect", "fifo", "'holds'", "nil", "true", "explore", "schedule", "[1]", "must_see", "threads", "{}",
        "title", "0.5", "limits", "always", "work_ms",
    };
    uint64_t seed = 7;
    size_t loaded = 0;
    for (int round = 0; round < 2000; round++) {
        buf b = { 0 };
        if (round % 4 == 0) {
            for (int i = 0; i < round % 200; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                buf_byte(&b, (char)(1 + (seed >> 40) % 255));
            }
            buf_byte(&b, '@');
        } else {
            buf_addz(&b, HEAD);
            for (int i = 0; i < round % 12; i++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                buf_addz(&b, words[(seed >> 33) % COUNT(words)]);
                buf_byte(&b, ' ');
            }
            buf_byte(&b, '}');
        }
        rig r;
        bool ok = rig_load(&r, NULL, b.p);
        loaded += ok;
        if (!ok && (r.e.class_ != ERR_SCENARIO || r.e.line < 1))
            fail_msg("%s\n%s", b.p, rig_error(&r));
        rig_free(&r);
        buf_free(&b);
    }
    assert_true(loaded > 0);
}

/* Property: patterns mean what stock Lua's mean.
 * How: random patterns and subjects in both. */
static void patterns_match_as_stock_lua_does(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a", "b", "c", ".", "%a", "%D", "%w", "[ab]", "[^a]", "[a-c]", "[%d-]", "[]]", "[^]a]", "(", ")", "()", "*",
        "+", "-", "?", "^", "$", "%b()", "%f[%w]",
        "%1", "%(", "[", "%", "%z", "%%", "x",
    };
    uint64_t seed = 4711;
    buf code = { 0 };
    enum { CASES = 1000 };
    buf_addz(&code, "local cases = {\n");
    for (int i = 0; i < CASES; i++) {
        buf_addz(&code, "{ '");
        for (int part = 0; part < 2; part++) {
            for (int n = 0; n < 1 + i % 6; n++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                uint64_t pick = seed >> 33;
                if (part == 0)
                    buf_byte(&code, "aabbcc(x)1 -"[pick % 12]);
                else
                    buf_addz(&code, pieces[pick % COUNT(pieces)]);
            }
            buf_addz(&code, part == 0 ? "', '" : "' },\n");
        }
    }
    buf_addz(&code,
             "}\nlocal function show(a, b, c, d, e, f, g, h, i, j, k)\n  local t, s = { a, b, c, d, e, f, g, h, i, j, "
             "k }, ''\n"
             "  for i = 1, 11 do s = s .. ' ' .. tostring(t[i]) end return s end\n"
             "local out = {}\nfor i, c in ipairs(cases) do\n"
             "  local s, p = c[1], c[2]\n"
             "  local line = i .. ' ' .. s .. ' ~ ' .. p .. show(pcall(string.find, s, p)) .. show(pcall(string.match, "
             "s, p, 2)) .. show(pcall(string.gsub, s, p, '<%0>'))\n"
             "    .. show(pcall(string.gsub, s, p, function(a, b) return a end, 2)) .. show(pcall(string.gsub, s, p, { "
             "a = 'A', ab = false }))\n"
             "    .. show(pcall(string.find, s, p, -2)) .. show(pcall(string.find, s, p, 1, true))\n"
             "  local _, next = pcall(string.gmatch, s, p)\n"
             "  for n = 1, 8 do line = line .. show(pcall(next)) end\n"
             "  out[#out + 1] = line\nend\n");
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    size_t n_code = code.n;
    buf_addz(&code, "return table.concat(out, '\\n')");
    if (luaL_loadbuffer(L, code.p, code.n, "=x") || lua_pcall(L, 0, 1, 0))
        fail_msg("%s", lua_tostring(L, -1));
    code.n = n_code;
    buf_addz(&code, "return { clients = { 'A' }, program = function(me) for i, line in ipairs(out) do me:log(line) end "
             "end }");
    rig r;
    if (!rig_load(&r, NULL, code.p))
        fail_msg("%s", rig_error(&r));
    const char *want = lua_tostring(L, -1);
    r.p = process_new(&r.scenario, &r.loader, 0, 0, r.now_ms, &r.e);
    assert_true(process_run(r.p, 0, r.now_ms, &r.out, &r.e));
    int differing = 0;
    for (int i = 0; i < CASES; i++) {
        size_t n = strcspn(want, "\n");
        if (!str_eq(r.out.items[i].text, (str){ want, n }) && differing++ < 5)
            print_error("case %d\nwant %.*s\nhave %.*s\n", i + 1, (int)n, want, STR_ARG(r.out.items[i].text));
        want += n + (want[n] == '\n');
    }
    assert_int_equal(differing, 0);
    buf_free(&code);
    lua_close(L);
    rig_free(&r);
}

static void pairs_walks_numbers_then_strings_in_order(void **state)
{
    (void)state;
    rig r;
    rig_program(&r, NULL,
                "local t = { z = 1, a = 2, [10] = 3, [2] = 4, [-1] = 5, [1.5] = 6, ['10'] = 7, [''] = 8 }\n"
                "local s = '' for k, v in pairs(t) do s = s .. k .. '=' .. v .. ' ' end me:log(s)\n"
                "for i = 1, 40 do t['k' .. i % 7 .. i] = i end\n"
                "s = '' for k, v in pairs(t) do s = s .. k .. ' ' if k == 'a' then t.k110 = nil t.k011 = nil end end "
                "me:log(s)\n"
                "for k in pairs(t) do t[k] = nil end me:log(tostring(next(t)))\n"
                "me:log(next({ b = 1, a = 2 }) .. next({ b = 1, a = 2 }, 'a'))\n");
    const char *text = rig_text(&r);
    assert_non_null(strstr(text, "0 log -1=5 1.5=6 2=4 10=3 =8 10=7 a=2 z=1 \n0 log -1 1.5 2 10  10 a k014 k021 k028 "
                           "k035 k07 k11 k115 k122"));
    assert_null(strstr(text, "k110"));
    assert_non_null(strstr(text, "0 log nil\n0 log ab\n"));
    rig_free(&r);
}

/* Property: one input, one output, byte for byte, whatever was in memory before. */
static void the_same_inputs_give_the_same_outputs(void **state)
{
    (void)state;
    const char *body =
        "local t = {} for i = 1, 50 do t['k' .. i] = function() return i end end\n"
        "local s = me:semaphore(0)\n"
        "for i = 1, 5 do me:spawn('t' .. i, function(me) me:call('SET', me:unique('u'), me:now()) s:release() for k, f "
            "in pairs(t) do me:log(k .. f()) end end) end\n"
        "for i = 1, 5 do s:acquire() me:log('permit ' .. i) end\n"
        "local f = me:send('GET', { 'x' }) f:on_answer(function(me, v) me:granted('L') end)\n"
        "error({ 'x' })";
    const char *first = NULL;
    rig keep = { 0 };
    for (int round = 0; round < 2; round++) {
        rig r;
        rig_program(&r, NULL, body);
        for (uint32_t t = 1; t <= 5; t++)
            rig_run(&r, 6 - t);
        for (uint32_t q = 1; q <= 5; q++)
            rig_answer(&r, q, reply_ok());
        buf instants = { 0 };
        buf b = { 0 };
        for (int i = 0; i < 5; i++)
            if (!rig_run(&r, 0))
                break;
        assert_int_equal(r.e.class_, ERR_DRIVER);
        err_print(&r.e, &b);
        buf_add(&r.text, buf_str(&b));
        buf_free(&b);
        buf_free(&instants);
        if (round == 0) {
            first = rig_text(&r);
            keep = r;
        } else {
            assert_string_equal(rig_text(&r), first);
            assert_true(strlen(first) > 1000);
            rig_free(&r);
            rig_free(&keep);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_scenario_is_read),
        cmocka_unit_test(other_faults_take_the_place_of_a_scenarios_own),
        cmocka_unit_test(a_small_scenario_has_the_defaults),
        cmocka_unit_test(what_is_wrong_is_told_where_it_is_written),
        cmocka_unit_test(random_bytes_and_tables_are_no_scenario_and_no_crash),
        cmocka_unit_test(patterns_match_as_stock_lua_does),
        cmocka_unit_test(pairs_walks_numbers_then_strings_in_order),
        cmocka_unit_test(the_same_inputs_give_the_same_outputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
