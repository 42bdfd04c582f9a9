/* test_simulate_brief.c - a scenario's costs in brief, by the engine and a lock of a few lines. */
#include "fixture.h"
#include "occurrences.h"
#include "simulate/brief.h"

/* One client, 1 ms each way: it learns of its grant after 2 ms. Its acquiring runs EXISTS, HINCRBY, PEXPIRE; its
 * release HEXISTS, HINCRBY, DEL, PUBLISH: two requests, seven commands, and the same whatever the seed. */
static void what_one_acquisition_costs(void **state)
{
    (void)state;
    arena *a = arena_new();
    err e = { 0 };
    simulation_brief b;
    const scenario *sc = fixture_scenario(a, FIXTURE_LOCK "return { title = 't', clients = { 'A' }, "
                                             "program = function(me) if try(me, 'l', 1000) then me:work(5) unlock(me, "
                                             "'l') end end }");
    assert_true(simulate_brief(sc, &fixture_loader, 3, &b, &e));
    assert_true(b.acquired && b.seeds == 3 && b.wait_mean_ms.count == 3);
    assert_near(b.wait_mean_ms.mean, 2, 1e-9);
    assert_near(b.wait_mean_ms.half, 0, 1e-9);
    assert_near(b.wait_p99_ms.mean, 2, 2 * histogram_error(HISTOGRAM_FINE));
    assert_near(b.requests.mean, 2, 1e-9);
    assert_near(b.commands.mean, 7, 1e-9);
    arena_free(a);
}

static void nobody_acquires_and_that_is_said(void **state)
{
    (void)state;
    arena *a = arena_new();
    err e = { 0 };
    simulation_brief b;
    const scenario *sc = fixture_scenario(a, "return { title = 't', clients = { 'A' }, program = function(me) "
                                          "me:call('GET', 'k') end }");
    assert_true(simulate_brief(sc, &fixture_loader, 2, &b, &e));
    assert_false(b.acquired);
    arena_free(a);
}

/* Property: where each run would go on asking for ever, the first one is enough. */
static void who_asks_for_ever_is_not_waited_for_with_every_seed(void **state)
{
    (void)state;
    arena *a = arena_new();
    err e = { 0 };
    simulation_brief b;
    const scenario *sc = fixture_scenario(a, "return { title = 't', clients = { 'A' }, "
                                             "program = function(me) while true do me:call('GET', 'k') end end }");
    assert_true(simulate_brief(sc, &fixture_loader, 10, &b, &e));
    assert_false(b.acquired);
    assert_int_equal(b.seeds, 1);
    arena_free(a);
}

static void an_error_in_the_program_is_told_and_nothing_is_left(void **state)
{
    (void)state;
    arena *a = arena_new();
    err e = { 0 };
    simulation_brief b;
    const scenario *sc = fixture_scenario(a, "return { title = 't', clients = { 'A' }, program = function(me) "
                                          "me:nothing() end }");
    assert_false(simulate_brief(sc, &fixture_loader, 2, &b, &e));
    assert_int_equal(e.class_, ERR_DRIVER);
    assert_false(b.acquired);
    err_clear(&e);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_one_acquisition_costs),
        cmocka_unit_test(nobody_acquires_and_that_is_said),
        cmocka_unit_test(who_asks_for_ever_is_not_waited_for_with_every_seed),
        cmocka_unit_test(an_error_in_the_program_is_told_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
