/* test_stock.c - a program's own test of its lock scripts, in C, with cmocka and locksim's library: nothing of locksim
 * is known here but what `pkg-config locksim` says. Run it in the folder of the scripts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locksim.h>

static void no_error(locksim_error *e)
{
    if (e)
        fail_msg("%s", locksim_error_text(e));
}

/* Every order of the two workers: no two workers are in the stock room together. */
static void nobody_shares_the_stock_room(void **state)
{
    (void)state;
    locksim_error *e = NULL;
    locksim_scenario *s = locksim_load("stock.lua:plain", NULL, &e);
    no_error(e);
    assert_string_equal(locksim_scenario_title(s), "the stock room's lock");
    locksim_result *r = locksim_run(s, NULL, &e);
    no_error(e);
    if (locksim_result_verdict(r) != LOCKSIM_PASS)
        fail_msg("%s", locksim_result_text(r));
    assert_true(locksim_result_counts(r).complete);
    assert_int_equal(locksim_result_find(r, "mutual_exclusion")->outcome, LOCKSIM_HOLDS);
    locksim_result_free(r);
    locksim_scenario_free(s);
}

/* A lease is no more than a lease: the story of the pause is there to be read, step by step. */
static void a_pause_lets_the_second_worker_in(void **state)
{
    (void)state;
    locksim_error *e = NULL;
    locksim_scenario *s = locksim_load("stock.lua:pause", NULL, &e);
    no_error(e);
    locksim_result *r = locksim_run(s, &(locksim_run_options){ .max_states = 100000 }, &e);
    no_error(e);
    const locksim_property *p = locksim_result_find(r, "LK002");
    assert_int_equal(p->outcome, LOCKSIM_VIOLATED);
    assert_true(p->expected_violated && !p->failed);
    assert_true(p->steps > 2);
    int pauses = 0, grants = 0;
    for (size_t i = 0; i < p->steps; i++) {
        const locksim_step *step = locksim_result_step(r, p, i);
        printf("%-8s %-2s %s\n", step->token, step->client, step->did);
        pauses += strncmp(step->token, "!pause", 6) == 0;
        grants += strstr(step->notes, "granted") != NULL;
    }
    assert_int_equal(pauses, 1);
    assert_int_equal(grants, 2);
    locksim_result_free(r);
    locksim_scenario_free(s);
}

static char *text_of(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 4096);
    assert_non_null(f);
    assert_true(fread(text, 1, 4095, f) > 0);
    fclose(f);
    return text;
}

/* The scripts themselves, at instants that nobody has to wait for. */
static void a_lease_ends_and_the_release_tells_the_waiters(void **state)
{
    (void)state;
    static const char *const lock[] = { "stock:7", NULL }, *const both[] = { "stock:7", "{stock:7}:free", NULL };
    static const char *const a[] = { "a", "1000", NULL }, *const b[] = { "b", "1000", NULL };
    locksim_error *e = NULL;
    char *acquire = text_of("acquire.lua"), *release = text_of("release.lua");
    locksim_store *s = locksim_store_new(NULL, &e);
    no_error(e);
    assert_int_equal(locksim_store_eval(s, 1, acquire, lock, a, &e)->integer, 1);
    assert_int_equal(locksim_store_eval(s, 2, acquire, lock, b, &e)->integer, 0);
    assert_true(locksim_store_advance(s, 1001, &e));
    assert_int_equal(locksim_store_eval(s, 2, acquire, lock, b, &e)->integer, 1);
    assert_int_equal(locksim_store_eval(s, 1, release, both, a, &e)->integer, 0);

    assert_string_equal(locksim_store_command(s, 3, (const char *const[]){ "SUBSCRIBE", both[1], NULL }, &e)->shown,
                        "1) \"subscribe\"\n2) \"{stock:7}:free\"\n3) (integer) 1");
    assert_int_equal(locksim_store_eval(s, 2, release, both, b, &e)->integer, 1);
    const locksim_reply *message = locksim_store_next(s, 3, &e);
    assert_int_equal(message->item_count, 3);
    assert_string_equal(message->items[2].text.at, "free");
    assert_null(locksim_store_next(s, 3, &e));
    assert_null(locksim_store_finding(s, &e));
    no_error(e);
    locksim_store_free(s);
    free(acquire);
    free(release);
}

/* What is wrong is told by its place. */
static void a_typing_error_is_an_error_with_its_place(void **state)
{
    (void)state;
    static const char text[] = "return {\n  clients = { 'A' },\n  program = function(me) end,\n"
                               "  fualts = { crash = 1 },\n}\n";
    locksim_error *e = NULL;
    assert_null(locksim_load_text("mine.lua", text, sizeof text - 1, NULL, &e));
    assert_int_equal(locksim_error_code(e), LOCKSIM_SCENARIO);
    assert_string_equal(locksim_error_file(e), "mine.lua");
    assert_int_equal(locksim_error_line(e), 4);
    assert_non_null(strstr(locksim_error_text(e), "faults"));
    locksim_error_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_shares_the_stock_room),
        cmocka_unit_test(a_pause_lets_the_second_worker_in),
        cmocka_unit_test(a_lease_ends_and_the_release_tells_the_waiters),
        cmocka_unit_test(a_typing_error_is_an_error_with_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
