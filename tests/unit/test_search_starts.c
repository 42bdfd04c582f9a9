/* test_search_starts.c - when clients come: at any moment, at a given one, or after what another client does. */
#include "client/load.h"
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

static outcome *search(arena *a, const char *clients, const char *program, search_options o)
{
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', clients = { %s }, program = function(me) %s end, expect = { prompt = { "
               "'holds', idle_ms = 50 } } }",
               FIXTURE_LOCK, clients, program);
    outcome *out = fixture_run(a, lua.p, o);
    buf_free(&lua);
    return out;
}

/* Property: an open start is one more step, which anything may come before: n clients of k steps have (k + 2)^n states
 * instead of (k + 1)^n. */
static void an_open_start_is_a_step(void **state)
{
    static const struct { const char *clients; bool open; uint64_t states; } row[] = {
        { "'A', 'B'", false, 16 }, { "'A', 'B'", true, 25 }, { "'A', { 'B', start_ms = 0 }", true, 20 },
        { "{ 'A', start_ms = 0 }, { 'B', start_ms = 0 }", true, 16 }, { "'A', 'B', 'C'", true, 125 },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int slow = 0; slow < 2; slow++) {
            char lua[256];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { %s }, program = function(me) for i = 1, 3 do "
                     "me:step() end end }", row[i].clients);
            outcome *out = fixture_run(*state, lua, (search_options){ .open_starts = row[i].open, .no_memo = slow });
            assert_true(out->search.complete);
            assert_int_equal(out->search.states, row[i].states);
        }
}

/* Check, subscribe, park: the oldest lost wake-up. With both at 0 and work of a fixed length, the release never falls
 * between question and park. */
static const char careless[] =
    "if not try(me, 'L', 1000) then local bell = me:semaphore(0)"
    " me:subscribe('ch', function() bell:release() end) bell:acquire(1000) try(me, 'L', 1000) end"
    " me:work(10) unlock(me, 'L')";

static void a_meeting_that_fixed_times_rule_out_is_found(void **state)
{
    outcome *out = search(*state, "'A', 'B'", careless, (search_options){ 0 });
    assert_int_equal(out->properties[PROPERTY_PROMPT].outcome, OUTCOME_HOLDS);
    static const search_options how[] = {
        { .open_starts = true }, { .open_starts = true, .no_memo = true },
        { .open_starts = true, .strategy = "uniform", .runs = 2000, .seed = 1 },
        { .open_starts = true, .strategy = "pct", .runs = 2000, .seed = 1 },
    };
    for (size_t i = 0; i < COUNT(how); i++) {
        out = search(*state, "'A', 'B'", careless, how[i]);
        assert_int_equal(out->properties[PROPERTY_PROMPT].outcome, OUTCOME_VIOLATED);
        const counterexample *x = out->properties[PROPERTY_PROMPT].example;
        assert_true(x->replayed);
        assert_true(str_find(x->schedule, '.', 0) < x->schedule.n);
        /* The schedule alone says who starts when. */
        outcome *again = search(*state, "'A', 'B'", careless,
                                (search_options){ .schedule = arena_str(*state, x->schedule).p });
        assert_int_equal(again->properties[PROPERTY_PROMPT].outcome, OUTCOME_VIOLATED);
    }
    out = search(*state, "'A', { 'B', after = 'A.acquire', start_ms = 5 }", careless,
                 (search_options){ .open_starts = true });
    assert_int_equal(out->properties[PROPERTY_PROMPT].outcome, OUTCOME_HOLDS);
}

/* Property: one that starts after an operation is not there before, and is there at once afterwards, in every kind of
 * search; a world in which that never happens comes to rest without it, which is no pass where all was looked at. */
static void a_start_after_an_operation(void **state)
{
    static const struct { const char *program; bool met; } row[] = {
        { "if me.client == 'A' then me:sleep(20) me:call('SET', 'k', 1, 'PX', 5, { op = 'take' }) me:sleep(20) else"
          " assert(me:call('GET', 'k') == '1') end", true },
        { "if me.client == 'A' then me:call('PING') else error('here') end", false },
        { "if me.client == 'A' then me:send('return 1', {}, {}, { op = 'take' }) me:work() me:call('SET', 'k', 1) else"
          " me:call('GET', 'k') end", true },
    };
    static const search_options how[] = { { 0 }, { .no_memo = true }, { .open_starts = true },
                                          { .open_starts = true, .no_memo = true },
                                          { .strategy = "uniform", .runs = 50, .seed = 1 }, { .no_fold = true },
                                          { .schedule = "" } };
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t states[2] = { 0 };
        for (size_t k = 0; k < COUNT(how); k++) {
            char lua[512];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', { 'B', after = 'A.take' } }, faults = { "
                     "crash = 1 }, program = function(me) %s end }", row[i].program);
            outcome *out = fixture_run(*state, lua, how[k]);
            assert_int_equal(out->verdict, row[i].met || !out->search.complete ? VERDICT_PASS : VERDICT_VACUOUS);
            assert_true(out->search.complete || k >= 4);
            if (k < 4 && k % 2 == 0)
                states[k / 2] = out->search.states;
            else if (k < 4)
                assert_int_equal(out->search.states, states[k / 2]);
        }
    }
}

static int is_met(const outcome *out, const char *op, const char *place)
{
    int met = -1;
    for (size_t i = 0; i < out->meeting_count; i++)
        if (str_eq(out->meetings[i].op, str_from(op)) && str_eq(out->meetings[i].place, str_from(place)))
            met = met == 1 || out->meetings[i].met;
    return met;
}

/* Property: what fell where is counted, by tables as without; what never did can be demanded. */
static void meetings_are_counted(void **state)
{
    for (int open = 0; open < 2; open++) {
        outcome *table = search(*state, "'A', 'B'", careless, (search_options){ .open_starts = open });
        outcome *slow = search(*state, "'A', 'B'", careless, (search_options){ .open_starts = open, .no_memo = true });
        outcome *sample = search(*state, "'A', 'B'", careless,
                                 (search_options){ .open_starts = open, .strategy = "uniform", .runs = 200,
                                                   .seed = 1 });
        assert_int_equal(is_met(table, "release", "subscribe"), open);
        assert_int_equal(is_met(table, "release", "wait"), 1);
        assert_int_equal(is_met(table, "release", "nowhere"), -1);
        assert_true(table->unmet_count > 0 && table->unmet_count < table->meeting_count && !table->meetings_full);
        assert_int_equal(slow->meeting_count, table->meeting_count);
        assert_int_equal(slow->unmet_count, table->unmet_count);
        for (size_t i = 0; i < table->meeting_count; i++) {
            const meeting *x = &table->meetings[i];
            assert_true(x->met == (i >= table->unmet_count));
            char op[64], place[64];
            snprintf(op, sizeof op, "%.*s", STR_ARG(x->op));
            snprintf(place, sizeof place, "%.*s", STR_ARG(x->place));
            assert_int_equal(is_met(slow, op, place), is_met(table, op, place));
            assert_true(is_met(sample, op, place) <= is_met(table, op, place));
        }
    }
    static const struct { const char *must; bool open; verdict verdict; } row[] = {
        { "'get at sleep'", false, VERDICT_VACUOUS }, { "'get at sleep'", true, VERDICT_PASS },
        { "'get at lunch'", true, VERDICT_VACUOUS },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', { 'B', start_ms = %s } }, must_meet = { %s "
                 "}, program = function(me) me:call('GET', 'k') me:sleep(5) me:call('GET', 'k') end }",
                 row[i].open ? "3" : "9", row[i].must);
        assert_int_equal(fixture_run(*state, lua, (search_options){ 0 })->verdict, row[i].verdict);
    }
    /* Who touches something else meets nobody. */
    outcome *apart = fixture_run(*state, "return { title = 't', clients = { 'A', 'B' }, program = function(me) "
                                 "me:call('GET', me.client) me:sleep(5)"
                                         " me:call('GET', me.client) end }", (search_options){ .open_starts = true });
    assert_int_equal(apart->meeting_count, 0);
}

/* Property: in a schedule a client starts at 0, unless the schedule has its start as a step. */
static void a_schedule_says_who_starts_when(void **state)
{
    static const struct { const char *schedule, *story; } row[] = {
        { "+20 A.set B.set", "+20 A.set B.set" },
        { "+20 A.start A.set +10 B.start B.set", "+20 A.start A.set +10 B.start B.set" },
        { "+20 A.start A.set", "+20 A.start A.set B.start B.set" }, { "+20 A.set", "+20 A.set B.set" },
        /* the second start is that of a new life */
        { "!restart A A.start A.set B.set", "!restart A A.start A.set B.set" },
        { "+5 A.start !restart A A.start +5 A.set", "+5 A.start !restart A A.start +5 A.set B.start B.set" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome *out = fixture_run(*state, "return { title = 't', clients = { 'A', 'B' }, program = function(me) "
                                   "me:call('SET', 'k', me.id) end }",
                                   (search_options){ .schedule = row[i].schedule });
        assert_int_equal(out->verdict, VERDICT_PASS);
        buf b = { 0 };
        for (size_t k = 0; k < out->run.count; k++)
            buf_printf(&b, "%s%.*s", k ? " " : "", STR_ARG(out->run.rows[k].token));
        assert_string_equal(b.p, row[i].story);
        buf_free(&b);
    }
}

/* Property: what `after` cannot mean is refused where it is written. */
static void a_wrong_after_is_refused(void **state)
{
    static const char *const clients[] = {
        "'A', { 'B', after = 'C.acquire' }", "'A', { 'B', after = 'B.acquire' }", "'A', { 'B', after = 'A' }",
        "'A', { 'B', after = '' }", "{ 'A', after = 'B.x' }, { 'B', after = 'A.x' }",
        "{ 'A', after = 'B.x' }, { 'B', after = 'C.x' }, { 'C', after = 'A.x' }", "'A', { 'B', after = 7 }",
        "'A', { 'B', after = 'A.x', start_ms = 'open' }", "'A', { 'B', start_ms = 'soon' }",
    };
    for (size_t i = 0; i < COUNT(clients); i++) {
        char lua[256];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { %s }, program = function(me) end }", clients[i]);
        scenario *sc = ARENA_NEW(*state, scenario);
        err e = { 0 };
        assert_false(scenario_load(*state, &fixture_loader, S("test.lua"), str_from(lua), sc, &e));
        assert_int_equal(e.class_, ERR_SCENARIO);
        assert_true(e.line == 1);
        err_clear(&e);
    }
}

/* Property: a fault that is aimed at an operation strikes nothing else, and strikes that: no other request is lost,
 * sent twice or late, and nobody crashes or stands still at another one. */
static void a_fault_may_be_aimed_at_an_operation(void **state)
{
    static const struct { const char *faults, *op; bool strikes; } row[] = {
        { "lose_reply = { 1, op = 'one' }", "one", true }, { "lose_reply = { 1, op = 'one', of = 'B' }", "one", true },
        { "lose_request = { 1, op = 'two' }", "two", true }, { "late_request = { 1, op = 'two' }", "two", true },
        { "duplicate = { 1, op = 'two' }", "two", true }, { "crash = { 1, op = 'one' }", "one", true },
        { "pause = { 1, op = 'two' }", "two", true }, { "interrupt = { 1, op = 'two', of = 'A' }", "two", true },
        { "restart = { 1, op = 'one' }", "one", true }, { "lose_reply = { 1, op = 'none' }", "none", false },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int slow = 0; slow < 2; slow++) {
            char lua[512];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', 'B' }, faults = { %s }, program = "
                     "function(me) me:call('SET', 'x', 1, { op = 'one' }) me:call('INCR', 'n', { op = 'two' }) end, "
                     "expect = { script_health = 'holds' } }",
                     row[i].faults);
            outcome *out = fixture_run(*state, lua, (search_options){ .no_memo = slow });
            assert_int_equal(out->verdict, row[i].strikes ? VERDICT_PASS : VERDICT_VACUOUS);
            char name[32];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(row[i].faults, " "), row[i].faults);
            assert_int_equal(strstr(out->seen.p, name) != NULL, row[i].strikes);
            world_options wo = { .schedule = NULL };
            err e = { 0 };
            world *w = world_new(fixture_scenario(*state, lua), &fixture_loader, &wo, &e);
            size_t strikes = 0, steps = 0;
            /* A, then B, each step by step: what could strike there? */
            for (; !world_over(w) && steps < 40; steps++) {
                const step *list;
                size_t count = world_enabled(w, &list), taken = SIZE_MAX;
                for (size_t k = 0; k < count; k++) {
                    buf token = { 0 };
                    world_name_step(w, &list[k], &token);
                    if (list[k].kind == STEP_FAULT) {
                        strikes++;
                        bool other = strstr(token.p, strcmp(row[i].op, "one") == 0 ? ".two" : ".one") != NULL;
                        assert_false(other);
                    } else if (taken == SIZE_MAX)
                        taken = k;
                    buf_free(&token);
                }
                if (taken == SIZE_MAX)
                    break;
                assert_true(world_take(w, &list[taken], &e));
            }
            assert_int_equal(strikes > 0, row[i].strikes);
            assert_true(strikes <= 4);    /* of four requests, two are of this operation: before and after */
            world_free(w);
        }
    static const char *const wrong[] = { "wipe = { 1, op = 'one' }", "lose_message = { 1, op = 'x' }",
                                         "pause = { 1, op = '' }" };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char lua[256];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A' }, faults = { %s }, program = function(me) "
                 "end }", wrong[i]);
        scenario *sc = ARENA_NEW(*state, scenario);
        err e = { 0 };
        assert_false(scenario_load(*state, &fixture_loader, S("test.lua"), str_from(lua), sc, &e));
        err_clear(&e);
    }
}

/* Property: all starts may be pinned at once, and one of them left open. */
static void all_starts_are_pinned_at_once(void **state)
{
    static const struct { const char *fields; uint64_t states; } row[] = {
        { "clients = { 'A', 'B' }, start_ms = 0", 16 }, { "clients = { 'A', { 'B', start_ms = 'open' } }, start_ms = 0",
                                                          20 },
        { "clients = { 'A', 'B' }, start_ms = 'open'", 25 },
        { "clients = { 'A', { 'B', start_ms = 0 } }, start_ms = 'open'", 20 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[256];
        snprintf(lua, sizeof lua,
                 "return { title = 't', %s, program = function(me) for i = 1, 3 do me:step() end end }", row[i].fields);
        assert_int_equal(fixture_run(*state, lua, (search_options){ .open_starts = true })->search.states,
                         row[i].states);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_open_start_is_a_step, fresh, gone),
        cmocka_unit_test_setup_teardown(a_meeting_that_fixed_times_rule_out_is_found, fresh, gone),
        cmocka_unit_test_setup_teardown(a_start_after_an_operation, fresh, gone),
        cmocka_unit_test_setup_teardown(meetings_are_counted, fresh, gone),
        cmocka_unit_test_setup_teardown(a_schedule_says_who_starts_when, fresh, gone),
        cmocka_unit_test_setup_teardown(a_fault_may_be_aimed_at_an_operation, fresh, gone),
        cmocka_unit_test_setup_teardown(all_starts_are_pinned_at_once, fresh, gone),
        cmocka_unit_test_setup_teardown(a_wrong_after_is_refused, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
