/* test_search_anew.c - how many states there are among a hundred thousand where every step is run anew (--no-memo):
 * test_search_counts.c counts as many by tables. It takes some twenty seconds, so it stands alone. */
#include "fixture.h"

/* Property: no state is lost among a hundred thousand.
 * How: one client writes one of 37 * 37 * 37 texts: as many states before as after. A print of 22 bits would lose more
 * than a thousand. */
static void no_state_is_taken_for_another(void **state)
{
    (void)state;
    arena *a = arena_new();
    outcome *out = fixture_run(a, "return { title = 't', explore = 'exhaustive', clients = { { 'A', start_ms = 0 } },"
                               " program = function(me) local t = {} for i = 1, 37 do t[i] = i end"
                               " local x, y, z = me:choose(t), me:choose(t), me:choose(t)"
                               " me:call('SET', 'k', x .. ' ' .. y .. ' ' .. z) end }",
                               (search_options){ .no_memo = true });
    assert_true(out->search.complete);
    assert_int_equal(out->search.states, 1 + 37 + 37 * 37 + 2 * 37 * 37 * 37);
    arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_state_is_taken_for_another) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
