/* test_search_profile.c - what the states are made of: what one part makes of all states is what a search of the world
 * in which that part is bounded finds, to the state; and how a search goes on is told from its levels. */
#include <math.h>

#include "fixture.h"
#include "search/forecast.h"

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

static bool says(str text, const char *what)
{
    str w = str_from(what);
    for (size_t i = 0; i + w.n <= text.n; i++)
        if (str_starts(str_slice(text, i, text.n), w))
            return true;
    return false;
}

static outcome *search(arena *a, const char *clients, const char *program, const char *more, uint64_t max_states)
{
    char lua[2048];
    snprintf(lua, sizeof lua, "return { title = 't', start_ms = 0, clients = { %s }, program = function(me)\n%s\nend, "
             "%s }", clients, program, more);
    return fixture_run(a, lua, (search_options){ .max_states = max_states, .profile = true });
}

static const profile_row *row_of(const outcome *out, profile_kind kind, const char *what)
{
    assert_non_null(out->profile);
    assert_int_equal(out->profile->states, out->search.states);
    for (size_t i = 0; i < out->profile->count; i++)
        if (out->profile->rows[i].kind == kind && says(out->profile->rows[i].what, what))
            return &out->profile->rows[i];
    fail_msg("no row of '%s'", what);
    return NULL;
}

/* Property: the states that would be left are those of the world in which that part has one value. */
static void what_would_be_left_is_what_is_left(void **state)
{
    static const struct {
        profile_kind kind;
        const char *what, *clients, *program, *more, *bounded_program, *bounded_more;
        uint64_t values;
    } world[] = {
        { PROFILE_FACT, "local `k`", "'A', 'B'", "local k = me:choose{1, 2, 3, 4, 5} me:step() me:step() me:log(k)", "",
          "local k = me:choose{1, 1} me:step() me:step() me:log(k)", "", 5 },
        { PROFILE_FACT, "field `me.process.n`", "'A', 'B', 'C'",
          "me.process.n = me:choose{'x', 'y'} me:step() me:step()", "",
          "me.process.n = me:choose{'x', 'x'} me:step() me:step()", "", 2 },
        { PROFILE_FAULT, "pause", "'A', 'B'", "me:call('INCR', 'n') me:sleep(10)",
          "faults = { pause = 2, crash = 1 }", NULL, "faults = { crash = 1 }", 3 },
        { PROFILE_FAULT, "crash", "'A', 'B'", "me:call('INCR', 'n') me:sleep(10)",
          "faults = { pause = 2, crash = 1 }", NULL, "faults = { pause = 2 }", 2 },
        { PROFILE_PROPERTY, "fifo", "'A', 'B', 'C'",
          "me:wants('L') me:step() me:refused('L') me:step() me:gave_up('L') me:step()", "expect = { fifo = 'holds' }",
          NULL, "", 0 },
    };
    for (size_t i = 0; i < COUNT(world); i++) {
        outcome *all = search(*state, world[i].clients, world[i].program, world[i].more, 0);
        outcome *bounded = search(*state, world[i].clients, world[i].bounded_program ? world[i].bounded_program
                                  : world[i].program, world[i].bounded_more, 0);
        const profile_row *r = row_of(all, world[i].kind, world[i].what);
        assert_int_equal(all->profile->sampled, all->search.states);
        if (world[i].values)
            assert_int_equal(r->values, world[i].values);
        /* One client's value is bounded in the profile, all clients' in the other world. Where nobody can be paused, a
         * request and its answer are one step. */
        if (world[i].kind == PROFILE_FACT || str_eq(r->what, S("pause")))
            assert_true(r->left < all->search.states && r->left >= bounded->search.states);
        else
            assert_int_equal(r->left, bounded->search.states);
    }
}

/* Property: the same, to the state, where one client alone has the value. */
static void one_clients_value_is_counted_to_the_state(void **state)
{
    static const char both[] = "if me.client == 'A' then local k = me:choose{%s} me:step() me:step() me:log(k) "
                               "else me:step() me:step() end";
    char many[256], one[256];
    snprintf(many, sizeof many, both, "1, 2, 3, 4, 5");
    snprintf(one, sizeof one, both, "1, 1");
    outcome *all = search(*state, "'A', 'B'", many, "", 0), *bounded = search(*state, "'A', 'B'", one, "", 0);
    const profile_row *r = row_of(all, PROFILE_FACT, "local `k`");
    assert_int_equal(r->left, bounded->search.states);
    assert_int_equal(r->clients, 1);
    assert_true(says(r->where, "test.lua:2:"));
    outcome *cube = search(*state, "'A', 'B', 'C'", "for i = 1, 3 do me:step() end", "", 0);
    assert_int_equal(cube->search.states, 64);
    r = row_of(cube, PROFILE_WHOLE, "all of it");
    assert_int_equal(r->left, 16);                 /* 64 / 4 places of one client */
    assert_int_equal(r->values, 4);
    assert_int_equal(r->clients, 7);               /* each of the three */
}

/* Property: a sample comes near what all states say. */
static void a_sample_comes_near(void **state)
{
    static const char program[] = "if me.client == 'A' then local k = me:choose{1, 2, 3, 4, 5, 6, 7, 8} "
                                  "for i = 1, 20 do me:step() end me:log(k) else for i = 1, 20 do me:step() end end";
    outcome *out = search(*state, "'A', 'B', 'C'", program, "", 0);
    const profile_row *r = row_of(out, PROFILE_FACT, "local `k`");
    assert_true(out->profile->sampled < out->search.states);
    double want = (double)out->search.states / 8;
    assert_true(fabs((double)r->left - want) < 0.15 * want);
}

/* Property: where a limit came first, it is told unasked; where none did, it has to be asked for. */
static void an_unfinished_search_tells_unasked(void **state)
{
    static const char lua[] = "return { title = 't', clients = { 'A' }, program = function(me) "
                              "while true do me:call('INCR', 'n') end end }";
    outcome *cut = fixture_run(*state, lua, (search_options){ .max_states = 500 });
    assert_int_equal(cut->verdict, VERDICT_INCONCLUSIVE);
    const profile_row *r = row_of(cut, PROFILE_FACT, "the key `n`");
    assert_int_equal(r->of, PROFILE_SERVERS);
    assert_true(r->values > 100 && r->left < cut->search.states / 2);
    outcome *whole = fixture_run(*state, "return { title = 't', clients = { 'A' }, program = function(me) "
                                         "me:call('INCR', 'n') end }", (search_options){ 0 });
    assert_null(whole->profile);
    assert_null(fixture_run(*state, lua, (search_options){ .max_states = 50, .untold = true })->profile);
}

/* ---- forecast ---- */

/* Property: of levels that rise and fall as a bell does, what is beyond the last one is told within a tenth, before the
 * peak and behind it. */
static void a_bell_is_told_from_its_beginning(void **state)
{
    (void)state;
    for (size_t upto = 12; upto <= 50; upto++) {
        forecast f = { 0 };
        double beyond = 0;
        for (size_t d = 0; d < 70; d++) {
            double x = ((double)d - 30) / 9, size = 100000 * exp(-x * x);
            if (d < upto)
                forecast_add(&f, (uint64_t)size + 1);
            else
                beyond += size;
        }
        double told = (double)forecast_beyond(&f);
        if (told == 0 || beyond < 100)
            continue;      /* too far ahead to be told; or over */
        assert_true(fabs(told - beyond) < 0.1 * beyond + 20);
    }
    forecast peak = { 0 }, rise = { 0 };
    for (size_t d = 5; d < 17; d++)
        forecast_add(&rise, (uint64_t)(100000 * exp(-(((double)d - 30) / 9) * (((double)d - 30) / 9))) + 1);
    assert_int_equal(forecast_beyond(&rise), 0);   /* too early */
    for (size_t d = 20; d < 32; d++)
        forecast_add(&peak, (uint64_t)(100000 * exp(-(((double)d - 30) / 9) * (((double)d - 30) / 9))));
    assert_true(forecast_beyond(&peak) > 0);
}

/* Property: levels that only grow, or stay, have no end that could be told. */
static void no_end_is_told_where_none_is_in_sight(void **state)
{
    (void)state;
    forecast grows = { 0 }, stays = { 0 }, few = { 0 };
    for (uint64_t i = 0, size = 1; i < 20; i++, size *= 2) {
        forecast_add(&grows, size);
        forecast_add(&stays, 1000);
    }
    forecast_add(&few, 5);
    forecast_add(&few, 4);
    assert_int_equal(forecast_beyond(&grows), 0);
    assert_int_equal(forecast_beyond(&stays), 0);
    assert_int_equal(forecast_beyond(&few), 0);
    assert_true(fabs(forecast_growth(&grows) - 2) < 1e-9);
    assert_true(fabs(forecast_growth(&stays) - 1) < 1e-9);
    assert_true(fabs(forecast_growth(&few) - 0.8) < 1e-9);
    assert_true(forecast_growth(&(forecast){ 0 }) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_would_be_left_is_what_is_left, fresh, gone),
        cmocka_unit_test_setup_teardown(one_clients_value_is_counted_to_the_state, fresh, gone),
        cmocka_unit_test_setup_teardown(a_sample_comes_near, fresh, gone),
        cmocka_unit_test_setup_teardown(an_unfinished_search_tells_unasked, fresh, gone),
        cmocka_unit_test(a_bell_is_told_from_its_beginning),
        cmocka_unit_test(no_end_is_told_where_none_is_in_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
