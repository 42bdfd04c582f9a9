/* test_search_preempt.c - threads of one process change places before an access to what they share, so often as the
 * budget says, nowhere in me:atomic and never where they cannot wait. */
#include "fixture.h"

static int fresh(void **state)
{
    *state = arena_new();
    return 0;
}

static int gone(void **state)
{
    arena_free(*state);
    return 0;
}

/* Two threads run `body`, which knows `shared`, a variable of the file, and `note`, which grants a lock for ten
 * milliseconds. */
static outcome *search(arena *a, const char *faults, const char *body, search_options o)
{
    buf lua = { 0 };
    buf_printf(&lua,
               "local shared = { list = {} }\n local count = 0\n"
               "local function enter(me) me:granted('L') me:work(10) me:released('L') end\n"
               "local Box = {} Box.__index = Box function Box.add(box) box.n = box.n + 1 return box.n end\n"
               "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults = { %s },"
               " program = function(me) shared.last = count %s end }",
               faults, body);
    outcome *out = fixture_run(a, lua.p, o);
    buf_free(&lua);
    return out;
}

/* Property: each of two threads reads n, then writes it. It starts (S); stops before the read (R) and before the
 * write (W) while the other one lives and the budget is not used up; there it goes on, or is preempted (r, w) and
 * continues later; it ends (D).
 *
 * By hand, for one preemption. With it left: SS; RS WS DS rS wS, of which the last two have used it; the same five
 * the other way round; DD. Used up: from rS come DS and rD, from wS come DS and wD, from all of these DD with 2, and
 * from wD DD with 1: DS rD wD and their mirrors, and two ends. 1 + 10 + 1 + 6 + 2 = 20. Ways out: 2 of SS; R and W
 * have 2 each, DS has 1, rS and wS 2 each: 9, twice; DS rD wD one each, twice. 26. The other rows were counted by a
 * program of 40 lines that knows these rules and nothing else. */
static void every_switch_is_taken_and_counted(void **state)
{
    static const struct { const char *faults; uint64_t states, transitions; } row[] = {
        { "", 4, 4 }, { "preempt = 0", 4, 4 }, { "preempt = 1", 20, 26 }, { "preempt = 2", 44, 64 },
        { "preempt = 3", 59, 86 }, { "preempt = 4", 65, 94 },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int slow = 0; slow < 2; slow++) {
            char lua[256];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults "
                     "= { %s },"
                                      " program = function(me) me.process.n = (me.process.n or 0) + 1 end }",
                                      row[i].faults);
            outcome *out = fixture_run(*state, lua, (search_options){ .no_memo = slow });
            assert_true(out->search.complete);
            assert_int_equal(out->search.states, row[i].states);
            assert_int_equal(out->search.transitions, row[i].transitions);
        }
}

/* Property: a task that stands where it may be preempted goes on by itself: one that waits for what it hands over has
 * lost no wake-up. */
static void who_may_be_preempted_is_not_parked(void **state)
{
    static const char lua[] = FIXTURE_LOCK
        "return { title = 't', clients = { { 'A', start_ms = 5 }, { 'B', start_ms = 0 } }, faults = { preempt = { 1, "
            "of = 'A' } }, program = function(me)"
        " if me.client == 'B' then try(me, 'L', 1000) me:sleep(10) unlock(me, 'L') return end"
        " me:observe('L', driver) local p = me.process p.gate = me:semaphore(0) me:subscribe('ch', function() "
            "p.gate:release(1) end)"
        " me:wants('L') p.gate:acquire() me:unsubscribe('ch') if try(me, 'L', 50) then unlock(me, 'L') end end }";
    for (int slow = 0; slow < 2; slow++) {
        outcome *out = fixture_run(*state, lua, (search_options){ .no_memo = slow });
        assert_true(out->search.complete);
        assert_int_equal(out->properties[PROPERTY_NO_LOST_WAKEUP].outcome, OUTCOME_HOLDS);
    }
}

/* Property: where a thread may be preempted, nobody else of the world comes first. B makes one step, so there are 20
 * states before and 20 after it; of the 20 steps of B one is left for each state in which no thread of A stands at R
 * or W, 16. 26 + 26 + 16 = 68. */
static void nothing_else_happens_where_a_thread_may_be_preempted(void **state)
{
    static const char lua[] = "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 }, { 'B', start_ms = "
                              "0 } }, faults = { preempt = 1 }, program = function(me) if me.client == 'B' then "
                                  "me:step() else me.process.n = (me.process.n or 0) + 1 end end }";
    for (int slow = 0; slow < 2; slow++) {
        outcome *out = fixture_run(*state, lua, (search_options){ .no_memo = slow });
        assert_true(out->search.complete);
        assert_int_equal(out->search.states, 40);
        assert_int_equal(out->search.transitions, 68);
    }
}

/* Look, then set: two see what was, if they change places between the two. `set` is one access or several. */
static const struct { const char *what, *look, *set; } memory[] = {
    { "me.process", "me.process.held", "me.process.held = true" },
    { "a table of the file", "shared.held", "shared.held = true" },
    { "a computed name", "shared[me.client]", "shared[me.client] = true" },
    { "a variable of the file", "count > 0", "count = count + 1" },
    { "the length of a list", "#shared.list > 0", "shared.list[1] = true" },
    { "a built-in function", "next(shared.list)", "table.insert(shared.list, true)" },
    { "an object of a class", "shared.box and shared.box.n == 1", "shared.box = setmetatable({ n = 0 }, Box) "
      "shared.box:add()" },
};

static const char *const ways[] = { "if %s then return end %s enter(me)",
                                    "local mine me:atomic(function() if %s then return end %s mine = true end) if mine "
                                    "then enter(me) end" };

/* Property: LK001 breaks with one switch between looking and setting, in every kind of search; not without, and not
 * in me:atomic. The counterexample's schedule breaks it again by itself. */
static void a_switch_between_look_and_set(void **state)
{
    static const search_options how[] = { { 0 }, { .no_memo = true }, { .strategy = "uniform", .runs = 500, .seed = 1 },
                                          { .strategy = "pct", .runs = 500, .seed = 1 } };
    for (size_t i = 0; i < COUNT(memory); i++)
        for (size_t k = 0; k < 3 * COUNT(how); k++) {
            const char *faults = k / COUNT(how) == 1 ? "" : "preempt = 1";
            bool atomic = k / COUNT(how) == 2, breaks = k / COUNT(how) == 0;
            char body[512];
            snprintf(body, sizeof body, ways[atomic], memory[i].look, memory[i].set);
            search_options o = how[k % COUNT(how)];
            outcome *out = search(*state, faults, body, o);
            if (out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome != (breaks ? OUTCOME_VIOLATED : OUTCOME_HOLDS))
                fail_msg("%s, way %zu", memory[i].what, k);
            if (!breaks)
                continue;
            const counterexample *x = out->properties[PROPERTY_MUTUAL_EXCLUSION].example;
            assert_true(x->replayed);
            o = (search_options){ .schedule = arena_str(*state, x->schedule).p };
            assert_int_equal(search(*state, faults, body, o)->properties[PROPERTY_MUTUAL_EXCLUSION].outcome,
                             OUTCOME_VIOLATED);
        }
}

/* Property: a local that a task shares with another one is memory, too: where both have it as an upvalue, and where
 * it is a register of one. */
static void a_local_that_tasks_share(void **state)
{
    static const char *const body[] = {
        "local held = false local function try(task) if held then return end held = true enter(task) end me:spawn('x', "
        "try) try(me)",
        "local held = false me:spawn('x', function(task) if held then return end held = true enter(task) end)"
        " if held then return end held = true enter(me)",
    };
    for (size_t i = 0; i < COUNT(body); i++)
        for (int budget = 0; budget < 2; budget++)
            for (int slow = 0; slow < 2; slow++) {
                char lua[512];
                snprintf(lua, sizeof lua, "local function enter(me) me.process.entered = (me.process.entered or 0) + 1 "
                         "if me.process.entered == 2 then error('two') end end\n"
                                          "return { title = 't', clients = { 'A' }, faults = { preempt = %d }, program "
                                          "= function(me) %s end }", budget, body[i]);
                outcome *out = ARENA_NEW(*state, outcome);
                search_options o = { .no_memo = slow };
                search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
                assert_int_equal(out->verdict == VERDICT_ERROR, budget == 1);
            }
}

/* Property: what only one task reaches, what never changes, and what a thread does alone costs no state. */
static void what_is_not_shared_is_no_point(void **state)
{
    static const char *const body[] = {
        "local own = {} own.n = 1 own[1] = 2 own.n = own.n + #own + own[1]",           /* a table of its own */
        "local own = setmetatable({ n = 0 }, Box) own:add() own:add()",    /* an object, a method: Box never changes */
        "local list = {} for i = 1, 3 do table.insert(list, i) end table.sort(list) for _ in ipairs(list) do end",
        "local n = 0 local function more() n = n + 1 end more() more()",    /* a variable of its own functions */
    };
    for (size_t i = 0; i < COUNT(body); i++) {
        uint64_t states[2];
        for (int with = 0; with < 2; with++) {
            char lua[512];
            snprintf(lua, sizeof lua, "local Box = {} Box.__index = Box function Box.add(box) box.n = box.n + 1 return "
                     "box.n end\n"
                                      "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults "
                                      "= { preempt = %d }, program = function(me) %s end }", with, body[i]);
            states[with] = fixture_run(*state, lua, (search_options){ 0 })->search.states;
        }
        assert_int_equal(states[0], states[1]);
    }
}

/* Property: nor does it while answers are still to come, in whatever order they come. */
static void what_is_not_shared_is_no_point_before_answers(void **state)
{
    uint64_t states[2];
    for (int with = 0; with < 2; with++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults = { "
                 "preempt = 1 }, program = function(me)"
                                  " local f = me:send('INCR', { 'a' }, {}) local g = me:send('INCR', { 'b' }, {}) "
                                  "g:wait() %s f:wait() end }",
                 with ? "local own = { n = 0 } own.n = own.n + 1" : "");
        states[with] = fixture_run(*state, lua, (search_options){ 0 })->search.states;
    }
    assert_int_equal(states[0], states[1]);
}

/* Property: as many switches as the budget says, and no more. The first thread looks six times at what the second one
 * counts, and waits nowhere: it sees as many changes as it was preempted. */
static void no_more_switches_than_the_budget(void **state)
{
    for (int budget = 0; budget <= 3; budget++)
        for (int changes = 1; changes <= 3; changes++) {
            char lua[512];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults "
                     "= { preempt = %d }, program = function(me)"
                                      " local p = me.process if me.thread == 2 then for i = 1, 3 do p.n = i me:step() "
                                      "end return end local last, seen = p.n, 0 for i = 1, 6 do local n = p.n if n ~= "
                                      "last then last = n seen = seen + 1 end end if seen == %d then error('seen') end "
                                      "end }", budget, changes);
            outcome *out = ARENA_NEW(*state, outcome);
            search_options o = { 0 };
            search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
            assert_int_equal(out->verdict == VERDICT_ERROR, changes <= budget);
        }
}

/* Property: inside a metamethod, a comparison of sort, an iterator or a gsub no thread can stand still; it goes on,
 * and nothing fails. */
static void where_nothing_can_wait_nothing_is_preempted(void **state)
{
    static const char *const body[] = {
        "local t = setmetatable({}, { __index = function() me.process.n = (me.process.n or 0) + 1 return 1 end }) "
        "assert(t.x + t.y == 2)",
        "local t = setmetatable({}, { __add = function() me.process.n = (me.process.n or 0) + 1 return 5 end }) "
        "assert(t + t == 5)",
        ("local t = setmetatable({}, { __eq = function() me.process.n = (me.process.n or 0) + 1 return true end })"
         " assert(t == setmetatable({}, getmetatable(t)))"),
        "local t = { 3, 1, 2 } table.sort(t, function(a, b) me.process.n = (me.process.n or 0) + 1 return a < b end) "
        "assert(t[1] == 1)",
        "local function each(_, i) me.process.n = (me.process.n or 0) + 1 if i < 3 then return i + 1 end end for i in "
        "each, nil, 0 do assert(i < 4) end",
        "assert(string.gsub('abc', '.', function() me.process.n = (me.process.n or 0) + 1 return 'x' end) == 'xxx')",
        "local ok, why = pcall(function() me.process.n = (me.process.n or 0) + 1 error('out') end) assert(not ok and "
        "me.process.n)",
        "local co = coroutine.wrap(function() for i = 1, 3 do me.process.n = i coroutine.yield(i) end end) assert(co() "
        "== 1 and co() == 2 and co() == 3)",
        "local function deep(n) me.process.n = n if n == 0 then return 1, 2, 3 end return deep(n - 1) end local a, b, "
        "c = deep(3) assert(a + b + c == 6)",
        "local yes = (me.process.n == nil) me.process.n = 1 local x = yes and me.process.n or 2 assert(x)",
    };
    for (size_t i = 0; i < COUNT(body); i++) {
        for (int slow = 0; slow < 2; slow++) {
            outcome *out = search(*state, "preempt = 2", body[i], (search_options){ .no_memo = slow });
            if (out->verdict == VERDICT_ERROR || !out->search.complete)
                fail_msg("%s", body[i]);
        }
    }
}

/* Property: me:atomic hands over arguments, results and errors, and may ask Redis in between. */
static void atomic_calls_as_the_function_itself(void **state)
{
    static const char body[] =
        "local a, b, c = me:atomic(function(x, y) local n = me:call('INCR', 'n') return x + y, n, nil end, 1, 2) "
            "assert(a == 3 and b >= 1 and c == nil)"
        " local ok, why = pcall(function() me:atomic(function() me:call('PING') error({ 'mine' }) end) end) assert(not "
            "ok and why[1] == 'mine')"
        " ok, why = pcall(function() me:atomic(function() error({ 'mine' }) end) end) assert(not ok and why[1] == "
            "'mine')"
        " assert(me:atomic(function() return me:atomic(function() return 7 end) end) == 7)"
        " local co = coroutine.wrap(function() me:atomic(function() coroutine.yield(1) end) return 2 end) assert(co() "
            "== 1 and co() == 2)";
    for (int budget = 0; budget < 2; budget++)
        for (int slow = 0; slow < 2; slow++) {
            outcome *out = search(*state, budget ? "preempt = 1" : "", body, (search_options){ .no_memo = slow });
            assert_int_equal(out->verdict == VERDICT_ERROR, false);
            assert_true(out->search.complete);
        }
}

/* Property: preempt works with drivers that say in what their client's tasks run, and from no event
 * loop. */
static void a_driver_says_its_runtime(void **state)
{
    static const struct { const char *runtime, *faults, *error; } row[] = {
        { "'threads'", "preempt = 1", NULL }, { "'gil'", "preempt = 1", NULL }, { "'event loop'", "", NULL },
        { "nil", "", NULL },
        { "'event loop'", "preempt = 1", "runs on an event loop" }, { "nil", "preempt = 1", "does not say in what" },
        { "'event loop'", "preempt = { 1, of = 'A' }", "runs on an event loop" },
        { "'event loop'", "preempt = { 1, of = 'B' }", NULL },
        { "'fibers'", "", "not \"fibers\"" }, { "7", "", "not \"7\"" }, { "{}", "", "not a table" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "local driver = { runtime = %s, view = function() return { holders = {}, ttl_ms = "
                 "-2, queue = {}, keys = {} } end }\n"
                                  "return { title = 't', clients = { 'A', 'B' }, faults = { %s }, program = "
                                  "function(me) if me.client == 'A' then me:observe('L', driver) end end }",
                                  row[i].runtime, row[i].faults);
        outcome *out = ARENA_NEW(*state, outcome);
        search_options o = { 0 };
        search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
        assert_int_equal(out->verdict == VERDICT_ERROR, row[i].error != NULL);
        if (row[i].error) {
            assert_non_null(strstr(out->error.message.p, row[i].error));
            assert_true(out->error.line > 0);
        }
    }
}

/* A name that is read as .n, and assigned by no function by that name, is taken for constant: to assign it in another
 * way is refused. */
static void a_computed_name_of_a_constant_field(void **state)
{
    static const char lua[] = "return { title = 't', clients = { { 'A', threads = 2 } }, faults = { preempt = 1 }, "
                              "program = function(me) local name = me.client == 'A' and 'n' or 'm' me.process[name] = "
                                  "1 assert(me.process.n) end }";
    outcome *out = ARENA_NEW(*state, outcome);
    search_options o = { 0 };
    search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_non_null(strstr(out->error.message.p, "cannot be assigned by a computed name"));
}

/* Property: rawset may assign any name: reading a field twice sees what the other thread set in between. */
static void rawset_assigns_any_name(void **state)
{
    static const char lua[] = "return { title = 't', clients = { { 'A', threads = 2 } }, faults = { preempt = 1 },"
                              " program = function(me) local p = me.process if me.thread == 2 then rawset(p, 'raw', 1) "
                                  "return end"
                              " if p.raw ~= p.raw then error('seen') end end }";
    outcome *out = ARENA_NEW(*state, outcome);
    search_options o = { 0 };
    search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_non_null(strstr(out->error.message.p, "seen"));
}

/* Property: the handlers of one message run one after the other, so they do not race; a handler and the program do. */
static void handlers_of_one_message_take_turns(void **state)
{
    for (int handlers = 1; handlers <= 2; handlers++) {
        char lua[1024];
        snprintf(lua, sizeof lua,
                 "return { title = 't', clients = { 'A', 'B' }, faults = { preempt = 1 }, program = function(me)"
                 " if me.client == 'B' then me:call('PUBLISH', 'ch', 'x') return end"
                 " local held, entered = false, 0 local function enter() if held then return end held = true"
                 " entered = entered + 1 if entered == 2 then error('two') end end"
                 " for i = 1, %d do me:subscribe('ch', enter) end %s me:sleep(50) me:unsubscribe('ch') end }",
                 handlers, handlers == 1 ? "enter()" : "");
        outcome *out = ARENA_NEW(*state, outcome);
        search_options o = { .open_starts = true };
        search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &o, out);
        assert_int_equal(out->verdict == VERDICT_ERROR, handlers == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_switch_is_taken_and_counted, fresh, gone),
        cmocka_unit_test_setup_teardown(who_may_be_preempted_is_not_parked, fresh, gone),
        cmocka_unit_test_setup_teardown(nothing_else_happens_where_a_thread_may_be_preempted, fresh, gone),
        cmocka_unit_test_setup_teardown(a_switch_between_look_and_set, fresh, gone),
        cmocka_unit_test_setup_teardown(a_local_that_tasks_share, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_not_shared_is_no_point, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_not_shared_is_no_point_before_answers, fresh, gone),
        cmocka_unit_test_setup_teardown(no_more_switches_than_the_budget, fresh, gone),
        cmocka_unit_test_setup_teardown(where_nothing_can_wait_nothing_is_preempted, fresh, gone),
        cmocka_unit_test_setup_teardown(atomic_calls_as_the_function_itself, fresh, gone),
        cmocka_unit_test_setup_teardown(a_driver_says_its_runtime, fresh, gone),
        cmocka_unit_test_setup_teardown(handlers_of_one_message_take_turns, fresh, gone),
        cmocka_unit_test_setup_teardown(rawset_assigns_any_name, fresh, gone),
        cmocka_unit_test_setup_teardown(a_computed_name_of_a_constant_field, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
