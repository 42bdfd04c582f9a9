/* test_search_ids.c - in life clients' ids are random: where the order of their bytes matters, all orders are
 * searched. */
#include "fixture.h"

#include "scenario/ids.h"

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

/* Clients "A" and "B", or with their names exchanged; the second comes once the first has left its id in `first`.
 * `code` sets `stands`: then the client waits for ever. */
static outcome *search(arena *a, bool exchanged, const char *code, search_options o)
{
    buf lua = { 0 };
    const char *first = exchanged ? "B" : "A", *second = exchanged ? "A" : "B";
    buf_printf(&lua,
               "return { title = 't', clients = { { '%s', start_ms = 0 }, { '%s', after = '%s.set' } }, program = "
               "function(me)  me:call('SET', 'first', me.id, 'NX')"
               "  local first, stands = me:call('GET', 'first'), false"
               "  if first ~= me.id then %s end"
               "  if stands then me:semaphore(0):acquire() end"
               " end }", first, second, first, code);
    outcome *out = fixture_run(a, lua.p, o);
    buf_free(&lua);
    assert_int_not_equal(out->verdict, VERDICT_ERROR);
    return out;
}

static const char *const by_order[] = {
    "me:call('ZADD', 'q', 0, first) me:call('ZADD', 'q', 0, me.id) stands = me:call('ZRANGE', 'q', 0, 0)[1] == me.id",
    "me:call('SADD', 's', first, me.id) stands = me:call('SMEMBERS', 's')[1] == me.id",
    ("stands = me:eval(script.text [=[ local t = {} t[ARGV[1]] = 1 t[ARGV[2]] = 1 for k in pairs(t) do return k end "
        "]=], {},"
    " { first, me.id }) == me.id"),
    ("stands = me:eval(script.text [=[ return ARGV[1] < redis.call('GET', KEYS[1]) and 1 or 0 ]=], { 'first' }, { "
    "me.id }) == 1"),
    "local t = { [first] = 1, [me.id] = 1 } for id in pairs(t) do stands = id == me.id break end",
    "local t = { first, me.id } table.sort(t) stands = t[1] == me.id",
    "me:call('SADD', 's', first, me:unique('id')) stands = me:call('SMEMBERS', 's')[1] ~= first",
};

/* Property: exchanging two clients' names changes nothing, by tables, without them and with nothing merged. */
static void names_may_be_exchanged(void **state)
{
    static const search_options how[] = { { .signatures = false }, { .no_memo = true }, { .no_fold = true } };
    for (size_t i = 0; i < COUNT(by_order); i++)
        for (size_t k = 0; k < COUNT(how); k++)
            for (int exchanged = 0; exchanged < 2; exchanged++) {
                outcome *out = search(*state, exchanged, by_order[i], how[k]);
                if (out->properties[PROPERTY_NO_DEADLOCK].outcome != OUTCOME_VIOLATED)
                    fail_msg("row %zu, way %zu, exchanged %d: %s", i, k, exchanged, out->means.p);
                assert_true(out->properties[PROPERTY_NO_DEADLOCK].example->replayed);
            }
}

/* Random runs draw an order; what breaks in the order of the names is told in that. */
static void random_runs_draw_an_order(void **state)
{
    for (size_t i = 0; i < COUNT(by_order); i++)
        for (int exchanged = 0; exchanged < 2; exchanged++) {
            outcome *out = search(*state, exchanged, by_order[i],
                                  (search_options){ .strategy = "uniform", .runs = 40, .seed = 1 });
            const counterexample *x = out->properties[PROPERTY_NO_DEADLOCK].example;
            assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_VIOLATED);
            assert_true(x->replayed);
            assert_int_equal(ids_word_in(x->schedule).n > 0, !exchanged);
        }
}

/* The story says in which order the ids lie, and a schedule begins by it. */
static void a_story_says_the_order(void **state)
{
    outcome *out = search(*state, false, by_order[0], (search_options){ 0 });
    const counterexample *x = out->properties[PROPERTY_NO_DEADLOCK].example;
    assert_true(str_starts(x->schedule, S("ids=B<A ")));
    assert_non_null(strstr(x->text.p, "ids=B<A"));
    assert_non_null(strstr(out->means.p, "all 2 orders were"));
    out = search(*state, false, by_order[0],
                 (search_options){ .schedule = "ids=B<A A.set A.get B.start B.set B.get B.zadd" });
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_VIOLATED);
    out = search(*state, false, by_order[0], (search_options){ .schedule = "A.set A.get B.start B.set B.get B.zadd" });
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
}

/* Where it makes no difference there is one order, and no state more. */
static void an_order_that_does_not_matter_costs_nothing(void **state)
{
    static const char *const row[] = {
        "me:call('HSET', 'h', first, 1, me.id, 2) stands = me:call('HGETALL', 'h')[1] == me.id",
        "me:call('ZADD', 'q', 1, first, 2, me.id) stands = me:call('ZRANGE', 'q', 0, 0)[1] == me.id",
        "me:call('SADD', 's', first, me.id) stands = me:eval(script.text [=[ local n = 0 for _, m in "
            "ipairs(redis.call('SMEMBERS', KEYS[1])) do"
        " if m == ARGV[1] then n = n + 1 end end return n ]=], { 's' }, { me.id }) == 2",
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome *out = search(*state, false, row[i], (search_options){ 0 });
        assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
        assert_null(strstr(out->means.p, "random"));
    }
}

/* Code that names an id says which it is. */
static void ids_that_code_names_are_no_others(void **state)
{
    outcome *out = search(*state, false, "me:call('ZADD', 'q', 0, 'A:1') me:call('ZADD', 'q', 0, me.id) stands = "
                          "me:call('ZRANGE', 'q', 0, 0)[1] == me.id",
                          (search_options){ 0 });
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
    assert_non_null(strstr(out->means.p, "only the order of the names was looked at"));
}

/* Orders of more than four clients: each comes first in one, and last in one. */
static void each_client_comes_first_and_last_in_some_order(void **state)
{
    arena *a = *state;
    scenario_client clients[6];
    for (size_t i = 0; i < COUNT(clients); i++)
        clients[i] = (scenario_client){ .name = arena_printf(a, "C%zu", i), .id = arena_printf(a, "C%zu", i) };
    for (size_t n = 2; n <= COUNT(clients); n++) {
        scenario sc = { .clients = clients, .client_count = n };
        bool first[6] = { false }, last[6] = { false };
        first[0] = last[n - 1] = true;
        for (size_t i = 1; i < ids_orders(n); i++) {
            const scenario *s = ids_order(a, &sc, i);
            first[s->ids[0]] = last[s->ids[n - 1]] = true;
            for (size_t k = 1; k < n; k++)
                assert_true(str_cmp(s->clients[s->ids[k - 1]].id, s->clients[s->ids[k]].id) < 0);
            for (size_t k = 1; k < i; k++)
                assert_memory_not_equal(s->ids, ids_order(a, &sc, k)->ids, n * sizeof *s->ids);
        }
        for (size_t k = 0; k < n; k++)
            assert_true(first[k] && last[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_may_be_exchanged, fresh, gone),
        cmocka_unit_test_setup_teardown(random_runs_draw_an_order, fresh, gone),
        cmocka_unit_test_setup_teardown(a_story_says_the_order, fresh, gone),
        cmocka_unit_test_setup_teardown(an_order_that_does_not_matter_costs_nothing, fresh, gone),
        cmocka_unit_test_setup_teardown(ids_that_code_names_are_no_others, fresh, gone),
        cmocka_unit_test_setup_teardown(each_client_comes_first_and_last_in_some_order, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
