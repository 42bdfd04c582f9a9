/* test_search_counts.c - how many states there are, where that can be counted by hand: a state that is taken for
 * another one, or two that are one, show in no verdict of a small world, and in the number of states at once. */
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

static outcome *search(arena *a, const char *fields, bool no_memo)
{
    const char *lua = arena_printf(a, "return { title = 't', explore = 'exhaustive', %s }", fields).p;
    outcome *out = fixture_run(a, lua, (search_options){ .no_memo = no_memo });
    assert_int_not_equal(out->verdict, VERDICT_ERROR);
    assert_true(out->search.complete);
    return out;
}

static uint64_t count(arena *a, const char *fields, bool no_memo)
{
    return search(a, fields, no_memo)->search.states;
}

/* Property: no state is lost among a hundred thousand.
 * How: three clients each stand in one of 47 places, whatever the others do. A print of 22 bits would lose more than
 * a thousand. Without tables every step is run again, so there 91 * 90 + 2 states have to do, which lie three steps
 * from the start: of those such a print loses eight. */
static void no_state_is_taken_for_another(void **state)
{
    assert_int_equal(count(*state, "clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 }, { 'C', start_ms = 0 } },"
                                   " program = function(me) me:call('SET', 'k', 1) for i = 1, 46 do me:step() end end",
                                   false), 47 * 47 * 47);
    assert_int_equal(count(*state, "clients = { { 'A', start_ms = 0 } }, program = function(me) local t = {} for i = "
                           "1, 90 do t[i] = i end"
                                   " local a, b = me:choose(t), me:choose(t) me:step() return a, b end", true),
                     1 + 90 + 90 * 90 + 1);
}

/* Property: a lease that a request was sent with is told apart as long as the request is on its way: it is what
 * monitors will be told.
 * How: after the choice all else is the same. The request is executed while its sender sleeps, or is on its way: two
 * states for each of two leases. */
static void a_lease_on_its_way_is_told_apart(void **state)
{
    static const char both[] =
        "clients = { { 'A', start_ms = 0 } }, program = function(me)\n"
        "  local function ask() local lease = me:choose { 1000, %d } me:send('SET', { 'L' }, { 1 }, { op = 'acquire', "
            "lock = 'L', lease = lease }) end\n"
        "  ask() me:sleep(1) me:call('DEL', 'L', { op = 'release', lock = 'L' }) end";
    for (int no_memo = 0; no_memo < 2; no_memo++) {
        uint64_t differ = count(*state, arena_printf(*state, both, 10).p, no_memo),
                          same = count(*state, arena_printf(*state, both, 1000).p, no_memo);
        assert_true(differ > same);
    }
}

/* Property: a message that waits may be delivered between a request's execution and its answer, also when its channel
 * was left meanwhile. */
static void a_message_comes_before_an_answer(void **state)
{
    for (int no_memo = 0; no_memo < 2; no_memo++)
        assert_int_equal(count(*state, "clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 } }, program = "
                               "function(me)\n"
                                       "  if me.client == 'B' then me:call('PUBLISH', 'ch', 'x') return end\n"
                                       "  local got = 0 me:subscribe('ch', function() got = got + 1 end) "
                                       "me:unsubscribe('ch')\n"
                                       "  local before = got me:call('PING') me:call('SET', 'k', got - before) end",
                                       no_memo), 28);
}

/* Property: what asks for the time of day, and not for the time between two events, is noticed, in scripts and in
 * clients.
 * How: questions with two answers. A comparison at one other instant is told the same answer as often as not; at
 * four, once in sixteen. */
static void who_asks_for_the_time_of_day_is_noticed(void **state)
{
    enum { UNITS = 40, MISSED_MAX = 8 };
    static const char *const asks[] = {
        "me:eval([[ local t = redis.call('TIME') return math.floor((t[1] * 1000 + math.floor(t[2] / 1000)) / %d) %% 2 "
        "]], {}, {})",
        "if math.floor(me:now() / %d) %% 2 == 1 then me:call('PING') else me:call('TIME') end",
    };
    for (size_t i = 0; i < COUNT(asks); i++) {
        int missed = 0;
        for (int n = 0; n < UNITS; n++) {
            const char *program = arena_printf(*state, asks[i], 997 + 2 * n * n + n).p;
            outcome *out = search(*state, arena_printf(*state, "clients = { { 'A', start_ms = 0 } }, end_ms = 10, "
                                                       "program = function(me) %s end", program).p, false);
            missed += strstr(out->means.p, "the time of day is a part of every state") == NULL;
        }
        print_message("  %d of %d are not noticed\n", missed, UNITS);
        assert_in_range(missed, 0, MISSED_MAX);
    }
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, fresh, gone)
    const struct CMUnitTest tests[] = {
        T(no_state_is_taken_for_another), T(a_lease_on_its_way_is_told_apart), T(a_message_comes_before_an_answer),
        T(who_asks_for_the_time_of_day_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
