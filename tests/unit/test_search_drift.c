/* test_search_drift.c - clients whose clocks go too fast or too slow. */
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

#define SERVER_TIME \
    "local function server_ms(me) local t = me:call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end "

/* What the client finds wrong ends the run. */
static outcome *search(arena *a, const char *drift, const char *fields, const char *code, search_options o)
{
    buf lua = { 0 };
    buf_printf(&lua, SERVER_TIME "return { title = 't', %s clients = { { 'A', start_ms = 7, drift = '%s' } },"
                                 " program = function(me) %s end }", fields, drift, code);
    outcome *out = fixture_run(a, lua.p, o);
    buf_free(&lua);
    return out;
}

/* Property: a timer takes as long as its clock needs to show that it is over, and never less; work takes as long as it
 * takes. */
static void a_timer_goes_by_the_clients_own_clock(void **state)
{
    static const struct { const char *drift; int ms, took_ms; } row[] = {
        { "+1/100", 250, 248 }, { "-1/100", 250, 253 }, { "+1/1000", 30000, 29971 }, { "-1/1000", 30000, 30031 },
        { "+1/10", 11, 10 }, { "-1/10", 9, 10 },
        { "+1/10", 1, 1 }, { "-1/1000", 1, 2 },
    };
    static const char *const waits[] = { "me:sleep(%d)", "me:semaphore(0):acquire(%d)" };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(waits); k++) {
            char wait[160], code[512];
            snprintf(wait, sizeof wait, waits[k], row[i].ms);
            snprintf(code, sizeof code,
                     "local from = server_ms(me) %s local took = server_ms(me) - from assert(took == %d, took)"
                     " me:work(250) took = server_ms(me) - from assert(took == %d + 250, took)",
                     wait, row[i].took_ms, row[i].took_ms);
            outcome *out = search(*state, row[i].drift, "", code, (search_options){ 0 });
            if (out->verdict == VERDICT_ERROR)
                fail_msg("%s %s: %s", row[i].drift, wait, out->error.message.p);
        }
}

/* Property: the clock gains or loses one millisecond every so many, counted from the beginning. */
static void a_reading_drifts_by_steps(void **state)
{
    static const struct { const char *drift; int sign, every_ms; } row[] = {
        { "+1/10", 1, 10 }, { "-1/10", -1, 10 }, { "+1/1000", 1, 1000 }, { "-1/37", -1, 37 },
    };
    static const search_options how[] = { { 0 }, { .no_memo = true }, { .no_fold = true },
                                          { .strategy = "uniform", .runs = 2, .seed = 1 } };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(how); k++) {
            char code[512];
            snprintf(code, sizeof code,
                     "local from = server_ms(me) for _, ms in ipairs { 9, 1, 26, 1, 963, 5000 } do me:work(ms)"
                     " local now = server_ms(me) local steps = %d * math.floor((now - from + 7) / %d)"
                     " assert(me:now() == now + steps, me:now() - now .. ' ' .. steps)"
                     " assert(me:monotonic() == me:now(), 'monotonic') end",
                     row[i].sign, row[i].every_ms);
            outcome *out = search(*state, row[i].drift, "", code, how[k]);
            if (out->verdict == VERDICT_ERROR)
                fail_msg("%s, way %zu: %s", row[i].drift, k, out->error.message.p);
        }
}

/* A lease that its holder renews in time by its own clock, which is too slow. */
static void a_slow_clock_renews_too_late(void **state)
{
    static const char *const code =
        "if me.client == 'B' then me:work() if try(me, 'L', 100) then unlock(me, 'L') end return end "
        "try(me, 'L', 100) for i = 1, 2 do me:sleep(95)"
        " me:eval(\"return redis.call('PEXPIRE', KEYS[1], 100)\", { 'L' }, {}, { op = 'renew', lock = 'L' }) end "
        "unlock(me, 'L')";
    static const struct { const char *drift; property_outcome holds; } row[] = {
        { "+1/10", OUTCOME_HOLDS }, { "-1/1000", OUTCOME_HOLDS }, { "-1/10", OUTCOME_VIOLATED },
        { "-1/25", OUTCOME_HOLDS }, { "-1/18", OUTCOME_VIOLATED },
    };
    static const search_options how[] = { { 0 }, { .no_memo = true },
                                          { .strategy = "uniform", .runs = 2000, .seed = 1 } };
    for (size_t i = 0; i < COUNT(row); i++)
        for (size_t k = 0; k < COUNT(how); k++) {
            buf lua = { 0 };
            buf_printf(&lua, "%sreturn { title = 't', start_ms = 0, clients = { { 'A', drift = '%s' }, 'B' },"
                             " expect = { strict_mutual_exclusion = 'holds' }, program = function(me) %s end }",
                             FIXTURE_LOCK, row[i].drift, code);
            outcome *out = fixture_run(*state, lua.p, how[k]);
            buf_free(&lua);
            assert_int_not_equal(out->verdict, VERDICT_ERROR);
            assert_int_equal(out->properties[PROPERTY_STRICT_MUTUAL_EXCLUSION].outcome, row[i].holds);
        }
}

/* Without a reader of the time a clock that drifts costs no state: only timers are others. */
static void a_clock_that_nobody_reads_is_no_state(void **state)
{
    static const char *const loop = "for i = 1, 30 do me:sleep(100) me:call('GET', 'k') end";
    uint64_t states = search(*state, "+1/1000", "", loop, (search_options){ 0 })->search.states;
    assert_int_equal(states, search(*state, "-1/10", "", loop, (search_options){ 0 })->search.states);
    /* For ever: each state comes back. */
    static const char *const forever = "while true do me:sleep(100) me:call('GET', 'k') end";
    assert_true(search(*state, "-1/10", "", forever, (search_options){ .max_states = 50 })->search.complete);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_timer_goes_by_the_clients_own_clock, fresh, gone),
        cmocka_unit_test_setup_teardown(a_reading_drifts_by_steps, fresh, gone),
        cmocka_unit_test_setup_teardown(a_slow_clock_renews_too_late, fresh, gone),
        cmocka_unit_test_setup_teardown(a_clock_that_nobody_reads_is_no_state, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
