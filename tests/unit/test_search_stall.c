/* test_search_stall.c - one thread of a process stands while that process's timers, messages and other threads go on:
 * at every wait, so often as the budget says, nowhere in me:atomic, and it excuses nothing. */
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

/* Fails only where client code does. */
static outcome *run(arena *a, const char *lua, search_options o)
{
    outcome *out = ARENA_NEW(a, outcome);
    search_run(a, fixture_scenario(a, lua), &fixture_loader, &o, out);
    return out;
}

enum { WAYS = 5 };
static const search_options ways[WAYS] = {
    { 0 }, { .no_memo = true }, { .no_fold = true, .runs = 100000 }, { .strategy = "uniform", .runs = 200, .seed = 1 },
    { .strategy = "pct", .runs = 200, .seed = 1 },
};
enum { SAMPLED = 3 };              /* the ways from here on draw */

/* Property: each of two clients makes one step. It is ready (R), stands (S) or is done (D).
 *
 * By hand, nobody stalled yet: RR RD DR DD. RR has four ways out, RD and DR two. One stands: SR RS with two, SD DS with
 * one. He went on: RR RD DR DD, without a stall left; two, one, one. 4 + 4 + 4 = 12 states, 8 + 6 + 4 = 18
 * transitions. */
static void every_stall_is_taken_and_counted(void **state)
{
    static const struct { const char *clients; uint64_t states, transitions; } row[] = {
        { "{ 'A', start_ms = 0 }", 5, 4 }, { "{ 'A', start_ms = 0 }, { 'B', start_ms = 0 }", 12, 18 },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int slow = 0; slow < 2; slow++) {
            char lua[256];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { %s }, faults = { stall = 1 }, program = "
                     "function(me) me:step() end }", row[i].clients);
            outcome *out = fixture_run(*state, lua, (search_options){ .no_memo = slow });
            assert_true(out->search.complete);
            assert_int_equal(out->search.states, row[i].states);
            assert_int_equal(out->search.transitions, row[i].transitions);
        }
}

/* Two threads of one client, A:2 is stalled alone. */
static void one_thread_stands_and_the_other_goes_on(void **state)
{
    static const char lua[] = "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, faults = { "
                              "stall = %d }, program = function(me) local p = me.process if me.thread == 1 then p.n = "
                                  "0 for i = 1, 3 do me:sleep(10) p.n = i end return end"
                              " me:sleep(5) me:sleep(10) if p.n == 3 then error('seen') end end }";
    for (int budget = 0; budget < 2; budget++)
        for (size_t i = 0; i < WAYS; i++) {
            char text[512];
            snprintf(text, sizeof text, lua, budget);
            assert_int_equal(run(*state, text, ways[i])->verdict == VERDICT_ERROR, budget == 1);
        }
}

/* A lock of 50 ms that a watchdog renews every 20 ms. `take`: how the thread learns that it has it, and starts the
 * watchdog. */
#define WATCHED_LOCK FIXTURE_LOCK \
    "local function watch(me) me:spawn('watchdog', function(w) while true do w:sleep(20)" \
    " if not me.process.held then return end w:call('PEXPIRE', 'L', 50, { op = 'renew', lock = 'L' }) end end, { " \
    "daemon = true }) end\n" \
    "local function ask(me) local ttl, problem = me:eval(acquire, { 'L' }, { 50, me.id }, { op = 'acquire', lock = " \
    "'L' })" \
    " if problem then return -1 end if ttl == nil then me.process.held = true watch(me) end return ttl end\n" \
    "return { title = 't', clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 10 } }, faults = { %s = { 1, of = " \
    "'A' } }," \
    " expect = { strict_mutual_exclusion = 'holds' }, program = function(me)" \
    " me:observe('L', driver) me:wants('L') local ttl = %s if ttl ~= nil then me:refused('L') me:sleep(ttl + 1) ttl " \
    "= %s end" \
    " if ttl ~= nil then me:gave_up('L') return end me:granted('L', { renew_ms = 20 }) me:work(30) me.process.held = " \
    "nil" \
    " me:eval(release, { 'L' }, { me.id, 'ch' }, { op = 'release', lock = 'L' }) me:released('L') end }"

/* Property: a watchdog keeps the lease of a thread that stands, where a paused process loses it. But a thread that
 * stands between the answer and the start of its watchdog has none: unless the answer and the start are one atomic
 * call. What the client promised until it releases is then broken, and a stall excuses that no more than it excuses
 * anything else. */
static void a_watchdog_runs_on_and_atomic_calls_are_whole(void **state)
{
    static const struct { const char *fault, *ask; bool promised, strict; } row[] = {
        { "stall", "me:atomic(ask, me)", true, true }, { "stall", "ask(me)", false, false },
        { "pause", "me:atomic(ask, me)", true, false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < WAYS; k++) {
            if (ways[k].no_fold)
                continue;          /* too many schedules */
            char lua[4096];
            snprintf(lua, sizeof lua, WATCHED_LOCK, row[i].fault, row[i].ask, row[i].ask);
            outcome *out = fixture_run(*state, lua, ways[k]);
            assert_true(k >= SAMPLED || out->search.complete);
            bool promised = out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome != OUTCOME_VIOLATED;
            bool strict = out->properties[PROPERTY_STRICT_MUTUAL_EXCLUSION].outcome != OUTCOME_VIOLATED;
            if (k < SAMPLED || row[i].promised)
                assert_int_equal(promised, row[i].promised);
            if (k < SAMPLED || row[i].strict)
                assert_int_equal(strict, row[i].strict);
            for (size_t x = 0; x < out->example_count; x++) {
                assert_true(out->examples[x].replayed);
                search_options again = { .schedule = arena_str(*state, out->examples[x].schedule).p };
                assert_int_equal(run(*state, lua, again)->properties[out->examples[x].property].outcome,
                                 OUTCOME_VIOLATED);
            }
        }
}

/* Property: without a watchdog a stalled thread loses its lease as a paused one does; the promise until it releases is
 * excused by the pause alone. */
static void a_stall_excuses_nothing(void **state)
{
    for (int stall = 0; stall < 2; stall++)
        for (size_t k = 0; k < SAMPLED; k++) {
            char lua[4096];
            snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 60 "
                     "} }, faults = { %s = { 1, of = 'A' } }, program = function(me) me:observe('L', driver) "
                     "me:wants('L') if me:eval(acquire, { 'L' }, { 50, me.id }, { op = 'acquire', lock = 'L' }) ~= nil "
                     "then me:gave_up('L') return end me:granted('L') me:sleep(10) unlock(me, 'L') end }", FIXTURE_LOCK,
                     stall ? "stall" : "pause");
            outcome *out = fixture_run(*state, lua, ways[k]);
            assert_int_equal(out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome,
                             stall ? OUTCOME_VIOLATED : OUTCOME_HOLDS);
        }
}

/* Property: what came first, the answer or the time-out, a stalled thread finds when it goes on, however late that is;
 * and of an answer that has come nothing is lost any more. Both at one instant may come in either order. */
static void the_answer_or_the_time_out_that_came_first(void **state)
{
    static const struct { const char *faults, *more, *program; bool wrong; } row[] = {
        /* it takes no time, so it is always there in time */
        { "stall = 1", "", "if not me:call('INCR', 'n') then error('gave up') end", false },
        { "stall = 1, lose_reply = 1", "", "if not me:call('INCR', 'n') then error('gave up') end", true },
        /* executed after its process gave up, 10 ms after it was sent: nobody hears of it */
        { "stall = 1, late_request = 1", "", "if me:call('GET', 'k') == 'late' then error('heard') end", false },
        { "stall = 0, late_request = 1", "", "if me:call('GET', 'k') == 'late' then error('heard') end", false },
        /* on the way for 4 to 6 ms there and as long back: 10 is reached, and may be too late */
        { "stall = 1", "latency_ms = { 4, 6 },", "if not me:call('INCR', 'n') then error('gave up') end", true },
        { "stall = 1", "latency_ms = { 4, 6 },", "if me:call('GET', 'k') == 'early' then error('heard') end", true },
        { "stall = 1", "latency_ms = { 2, 4 },", "if not me:call('INCR', 'n') then error('gave up') end", false },
        { "stall = 1", "latency_ms = { 6, 7 },", "if me:call('INCR', 'n') then error('heard') end", false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < WAYS; k++) {
            char lua[1024];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { { 'A', start_ms = 1 }, { 'B', start_ms = 0 } "
                     "}, timeout_ms = 10, %s faults = { %s }, limits = { steps = 60 }, program = function(me) if "
                     "me.client == 'B' then me:send(script.text [[ return redis.call('SET', KEYS[1], 'early') ]], { "
                     "'k' }, {}) me:sleep(13) me:send(script.text [[ return redis.call('SET', KEYS[1], 'late') ]], { "
                     "'k' }, {}) return end %s end }", row[i].more, row[i].faults, row[i].program);
            if (ways[k].no_fold)
                continue;          /* too many schedules */
            outcome *out = run(*state, lua, ways[k]);
            if (k < SAMPLED && (out->verdict == VERDICT_ERROR) != row[i].wrong)
                fail_msg("row %zu, way %zu", i, k);
            if (!row[i].wrong)
                assert_int_not_equal(out->verdict, VERDICT_ERROR);
        }
}

/* Property: a thread that stands is not accused of leaving the lock alone (LK013); one that sleeps that long by itself
 * is. */
static void a_stalled_waiter_is_not_slow(void **state)
{
    static const struct { const char *faults, *sleep; property_outcome outcome; } row[] = {
        { "", "100", OUTCOME_HOLDS }, { "", "101", OUTCOME_VIOLATED }, { "stall = 1", "100", OUTCOME_HOLDS },
        { "stall = 1", "101", OUTCOME_VIOLATED },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < SAMPLED; k++) {
            char lua[4096];
            snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A', 'B' }, start_ms = 0, faults = { %s }, "
                     "expect = { prompt = { 'holds', idle_ms = 100 } }, program = function(me) if me.client == 'B' "
                     "then me:sleep(300) return end me:observe('L', driver) me:wants('L') me:sleep(%s) if try(me, 'L', "
                     "50) then unlock(me, 'L') end end }",
                     FIXTURE_LOCK, row[i].faults, row[i].sleep);
            assert_int_equal(fixture_run(*state, lua, ways[k])->properties[PROPERTY_PROMPT].outcome, row[i].outcome);
        }
}

/* Property: a stalled thread goes on at any millisecond at which that makes a difference. */
static void it_goes_on_at_every_instant_that_matters(void **state)
{
    for (size_t k = 0; k < 2; k++) {
        outcome *out = run(*state, "return { title = 't', clients = { { 'A', start_ms = 0 } }, faults = { stall = 1 }, "
                           "program = function(me)"
                                   " local at = me:now() me:step() if me:now() - at == 37 then error('seen') end end }",
                                   ways[k]);
        assert_int_equal(out->verdict, VERDICT_ERROR);
    }
}

/* Property: a stalled thread is not interrupted, and not stalled again; its process may be paused, and then it stays
 * where it is. */
static void what_may_happen_to_a_stalled_thread(void **state)
{
    static const struct { const char *schedule, *error; } row[] = {
        { "A !stall A +50 !resume A A", NULL },
        { "A !stall A !interrupt A", "'!interrupt A' is not enabled" },
        { "A !stall A !stall A", "'!stall A' is not enabled" },
        { "A !stall A +50 A", "'A' is not enabled" },
        { "!stall A", "'!stall A' is not enabled" },                               /* not begun */
        { "A !stall A !pause A !resume A +50 !resume A A", NULL },
        { "A !pause A !stall A", "'!stall A' is not enabled" },
        { "A !stall A !crash A !resume A", "'!resume A' is not enabled" },
        { "A !stall A !restart A A", NULL },
        { "A A:2 !stall A:2 +50 A !resume A:2 A:2", NULL },
        { "A A:2 !stall A:2 +50 !resume A", "'!resume A' is not enabled" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome *out = run(*state, "return { title = 't', clients = { { 'A', threads = 2, start_ms = 0 } }, program = "
                           "function(me) me:sleep(50) me:sleep(50) end }",
                           (search_options){ .schedule = row[i].schedule });
        if ((out->verdict == VERDICT_ERROR) != (row[i].error != NULL))
            fail_msg("%s", row[i].schedule);
        if (row[i].error)
            assert_non_null(strstr(out->error.message.p, row[i].error));
    }
}

/* Property: an event loop has no thread that could stand alone, and who says nothing is not stalled. */
static void a_driver_says_its_runtime(void **state)
{
    static const struct { const char *runtime, *faults, *error; } row[] = {
        { "'threads'", "stall = 1", NULL }, { "'gil'", "stall = 1", NULL }, { "'event loop'", "", NULL },
        { "nil", "", NULL },
        { "'event loop'", "stall = 1", "runs on an event loop, whose one thread" },
        { "nil", "stall = 1", "where they could be stalled" },
        { "'event loop'", "stall = { 1, of = 'B' }", NULL },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "local driver = { runtime = %s, view = function() return { holders = {}, ttl_ms = "
                 "-2, queue = {}, keys = {} } end }\n"
                                  "return { title = 't', clients = { 'A', 'B' }, faults = { %s }, program = "
                                  "function(me) if me.client == 'A' then me:observe('L', driver) end end }",
                                  row[i].runtime, row[i].faults);
        outcome *out = run(*state, lua, (search_options){ 0 });
        assert_int_equal(out->verdict == VERDICT_ERROR, row[i].error != NULL);
        if (row[i].error)
            assert_non_null(strstr(out->error.message.p, row[i].error));
    }
}

/* Property: tables, runs and every schedule reach the same outcomes, and the first two the same states. */
static void all_ways_agree(void **state)
{
    static const char *const worlds[] = {
        "clients = { 'A', 'B' }, faults = { stall = 2 }, program = function(me) if try(me, 'L', 50) then me:sleep(20) "
        "unlock(me, 'L') end end",
        "clients = { { 'A', threads = 2 } }, faults = { stall = 1 }, program = function(me) local p = me.process p.n = "
        "(p.n or 0) + 1 me:step() me:call('SET', 'k', p.n) end",
        "clients = { 'A' }, faults = { stall = 1, pause = 1, lose_reply = 1 }, timeout_ms = 10, program = function(me) "
        "me:call('INCR', 'n') me:step() end",
        "clients = { 'A' }, faults = { stall = 1, late_request = 1 }, timeout_ms = 10, program = function(me) "
        "me:call('SET', 'k', me:now()) me:sleep(5) end",
        "clients = { 'A' }, faults = { stall = 1 }, program = function(me) local f = me:send(script.text [[ return "
        "redis.call('INCR', 'n') ]], {}, {}) f:on_answer(function(t) t:call('INCR', 'm') end) f:wait(5) end",
        "clients = { 'A', 'B' }, faults = { stall = 1 }, program = function(me) if me.client == 'A' then "
        "me:call('RPUSH', 'q', 'x') else me:call('BLPOP', 'q', 0.01) end end",
        "clients = { 'A' }, faults = { stall = 1, interrupt = 1 }, program = function(me) local s = me:semaphore(0) "
        "me:spawn('r', function(t) t:sleep(5) s:release(1) end) s:acquire(10) me:call('PING') end",
        "clients = { 'A' }, latency_ms = { 1, 2 }, faults = { stall = 1 }, timeout_ms = 3, program = function(me) "
        "me:call('INCR', 'n') end",
    };
    for (size_t i = 0; i < COUNT(worlds); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', start_ms = 0, limits = { steps = 60 }, expect = { "
                 "strict_mutual_exclusion = 'holds', no_leak = 'holds', no_deadlock = 'holds' }, %s }",
                 FIXTURE_LOCK, worlds[i]);
        outcome *out[3];
        for (size_t k = 0; k < 3; k++) {
            out[k] = fixture_run(*state, lua, ways[k]);
            if (!out[k]->search.complete)
                fail_msg("world %zu, way %zu is not complete", i, k);
            for (int p = 0; p < PROPERTY_COUNT; p++)
                assert_int_equal(out[k]->properties[p].outcome, out[0]->properties[p].outcome);
        }
        assert_int_equal(out[0]->search.states, out[1]->search.states);
        assert_int_equal(out[0]->search.transitions, out[1]->search.transitions);
        print_message("  %zu: %llu states, %llu schedules\n", i, (unsigned long long)out[0]->search.states,
                      (unsigned long long)out[2]->search.runs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_stall_is_taken_and_counted, fresh, gone),
        cmocka_unit_test_setup_teardown(one_thread_stands_and_the_other_goes_on, fresh, gone),
        cmocka_unit_test_setup_teardown(a_watchdog_runs_on_and_atomic_calls_are_whole, fresh, gone),
        cmocka_unit_test_setup_teardown(a_stall_excuses_nothing, fresh, gone),
        cmocka_unit_test_setup_teardown(the_answer_or_the_time_out_that_came_first, fresh, gone),
        cmocka_unit_test_setup_teardown(a_stalled_waiter_is_not_slow, fresh, gone),
        cmocka_unit_test_setup_teardown(it_goes_on_at_every_instant_that_matters, fresh, gone),
        cmocka_unit_test_setup_teardown(what_may_happen_to_a_stalled_thread, fresh, gone),
        cmocka_unit_test_setup_teardown(a_driver_says_its_runtime, fresh, gone),
        cmocka_unit_test_setup_teardown(all_ways_agree, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
