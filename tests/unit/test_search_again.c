/* test_search_again.c - LK032: a request that the driver may send again is tried twice, wherever worlds run, and nobody
 * notices. */
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

/* A nested hold is given back by a script that counts down: `latch` keeps a second run from counting again. */
#define RELEASES \
    "local naive = script.text [[ if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', " \
    "KEYS[1]) end return 1 ]]\n" \
    "local latched = script.text [[ if redis.call('EXISTS', KEYS[2]) == 1 then return 1 end " \
    " if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', KEYS[1]) end redis.call('SET', " \
    "KEYS[2], 1, 'PX', 50) return 1 ]]\n"

#define COUNTED(body) \
    "clients = { 'A', 'B' }, program = function(me) me:call('HINCRBY', 'h' .. me.client, me.id, 2) " body " end"

static const char *const naive = COUNTED("me:eval(naive, { 'h' .. me.client }, { me.id }, { op = 'release', resend = "
                                         "true })");
static const char *const latched = COUNTED("me:eval(latched, { 'h' .. me.client, 'latch' .. me.client }, { me.id }, { "
                                           "op = 'release', resend = true })");
static const char *const once = COUNTED("me:eval(naive, { 'h' .. me.client }, { me.id }, { op = 'release', resend = "
                                        "false })");

static outcome *run(arena *a, const char *fields, const char *explore, bool named, search_options o)
{
    const char *lua = arena_printf(a, "%sreturn { title = 't', explore = %s, %s%s }", RELEASES, explore, fields,
                                   named ? ", expect = { idempotent = 'holds' }" : "").p;
    return fixture_run(a, lua, o);
}

static property_outcome idempotent(const outcome *o)
{
    assert_int_not_equal(o->verdict, VERDICT_ERROR);
    return o->properties[PROPERTY_IDEMPOTENT].outcome;
}

typedef struct { const char *explore; search_options o; } way;

static const way ways[] = {
    { "'exhaustive'", { 0 } },
    { "'exhaustive'", { .no_memo = true } },
    { "{ random = 20 }", { .seed = 3 } },
    { "{ schedule = '' }", { 0 } },
};

static void every_way_judge(arena *a, const char *fields, property_outcome expected)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        outcome *o = run(a, fields, ways[i].explore, true, ways[i].o);
        if (idempotent(o) != expected)
            fail_msg("way %zu: outcome %d", i, (int)idempotent(o));
    }
}

static void a_release_that_counts_again_is_caught_in_every_way(void **state)
{
    every_way_judge(*state, naive, OUTCOME_VIOLATED);
}

static void a_latch_keeps_the_second_run_from_counting(void **state)
{
    every_way_judge(*state, latched, OUTCOME_HOLDS);
}

/* Otherwise a driver that marks nothing would be praised for it. */
static void without_a_request_that_may_be_sent_again_nothing_is_judged(void **state)
{
    every_way_judge(*state, once, OUTCOME_NOT_JUDGED);
}

/* A hold of 2 counts down to 1; the second run deletes the hash. */
static void the_story_says_what_the_second_run_would_change(void **state)
{
    outcome *o = run(*state, naive, "'exhaustive'", true, (search_options){ 0 });
    assert_int_equal(idempotent(o), OUTCOME_VIOLATED);
    const counterexample *c = o->properties[PROPERTY_IDEMPOTENT].example;
    assert_non_null(c);
    assert_true(c->replayed);
    const char *text = arena_str(*state, c->text).p;
    assert_non_null(strstr(text, "A:1 may send its release (request "));
    assert_non_null(strstr(text, "hA {A:1 = 1} -> gone."));
}

/* Each is a state and a command with resend = true; would the second run change something? */
static void keyspace_deadlines_and_messages_count_and_replies_do_not(void **state)
{
    static const struct { const char *before, *command; property_outcome outcome; const char *says; } row[] = {
        { "", "'SET', 'k', 1", OUTCOME_HOLDS, NULL },
        { "me:call('SET', 'k', 1)", "'DEL', 'k'", OUTCOME_HOLDS, NULL },               /* 1, then 0 */
        { "", "'SET', 'k', 1, 'PX', 50", OUTCOME_HOLDS, NULL },
        { "", "'APPEND', 'k', 'x'", OUTCOME_VIOLATED, "k \"x\" -> \"xx\"" },
        { "", "'RPUSH', 'k', 'x'", OUTCOME_VIOLATED, "k [x] -> [x, x]" },
        { "", "'SADD', 'k', 'x'", OUTCOME_HOLDS, NULL },
        { "me:call('RPUSH', 'k', 'x', 'y')", "'RPOPLPUSH', 'k', 'k'", OUTCOME_VIOLATED, "k [y, x] -> [x, y]" },
        { "", "'PUBLISH', 'ch', 'x'", OUTCOME_VIOLATED, "a message is published again" },
        { "me:call('SADD', 's', 'a', 'b', 'c')", "'SPOP', 's'", OUTCOME_VIOLATED, "s {" },
        { "me:call('SET', 'k', 5)", "'INCR', 'k', 'x'", OUTCOME_HOLDS, NULL },         /* an error both times */
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *fields = arena_printf(*state, "clients = { 'A' }, program = function(me) %s me:call(%s, { resend = "
                                          "true }) end",
                                          row[i].before, row[i].command).p;
        every_way_judge(*state, fields, row[i].outcome);
        const counterexample *c = run(*state, fields, "'exhaustive'", true,
                                      (search_options){ 0 })->properties[PROPERTY_IDEMPOTENT].example;
        if (row[i].says && !strstr(arena_str(*state, c->text).p, row[i].says))
            fail_msg("row %zu: %.*s", i, STR_ARG(c->text));
    }
}

/* A TTL that is added up is longer after the second run, though the value is the same. */
static void a_deadline_that_moves_is_a_change(void **state)
{
    const char *fields = "clients = { 'A' }, program = function(me) me:call('SET', 'k', 1, 'PX', 50) "
                         "me:eval(script.text [[ return redis.call('PEXPIRE', KEYS[1], redis.call('PTTL', KEYS[1]) + "
                             "50) ]], { 'k' }, {}, { resend = true }) end";
    every_way_judge(*state, fields, OUTCOME_VIOLATED);
    outcome *o = run(*state, fields, "'exhaustive'", true, (search_options){ 0 });
    const char *text = arena_str(*state, o->properties[PROPERTY_IDEMPOTENT].example->text).p;
    assert_non_null(strstr(text, "k with a TTL of 100 ms -> 150 ms"));
}

/* The same command on the same keyspace, from a request that may be sent again and from one that may not: the table of
 * commands has one entry for both, and must tell them apart in both orders. */
static void a_table_entry_serves_both_kinds_of_request(void **state)
{
    static const struct { const char *program; property_outcome outcome; } row[] = {
        { "me:call('INCR', 'k') me:call('DEL', 'k') me:call('INCR', 'k', { resend = true }) me:call('DEL', 'k')",
          OUTCOME_VIOLATED },
        { "me:call('INCR', 'k', { resend = true }) me:call('DEL', 'k') me:call('INCR', 'k') me:call('DEL', 'k')",
          OUTCOME_VIOLATED },
        { "me:call('INCR', 'k') me:call('DEL', 'k', { resend = true }) me:call('INCR', 'k') me:call('DEL', 'k')",
          OUTCOME_HOLDS },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        every_way_judge(*state, arena_printf(*state, "clients = { 'A' }, program = function(me) %s end",
                                             row[i].program).p, row[i].outcome);
}

/* Property: states, transitions, sights and what the clients are told are what they are without the second run. */
static void nobody_notices_the_second_run(void **state)
{
    const char *const worlds[] = {
        naive, latched,
        /* a message that a subscriber would hear twice */
        "clients = { 'A', 'B' }, program = function(me) if me.client == 'A' then me:call('PUBLISH', 'ch', 'x', { "
            "resend = true }) return end"
        " local s = me:semaphore(0) me:subscribe('ch', function(m, x) me:call('INCR', 'heard') s:release(1) end) "
        "s:acquire(10) end",
        /* chance: the next draw is the one it would have been */
        "clients = { 'A', 'B' }, program = function(me) me:call('SADD', 's', 'a', 'b', 'c', 'd') local x = "
            "me:call('SPOP', 's', { resend = true })"
        " me:call('SET', x or 'n', 1) me:call('SPOP', 's') end",
        /* a failover knows how many writes there were */
        "clients = { 'A' }, replicas = 1, faults = { failover = { 1, writes = 2 } }, program = function(me) for i = 1, "
            "3 do"
        " me:call('INCR', 'n', { resend = true }) end end",
        /* a loop in zero time is one, though something is written on the copy */
        "clients = { 'A' }, program = function(me) me:call('SET', 'k', 1, 'PX', 20) while me:call('SET', 'q', 1, 'NX', "
            "{ resend = true }) do end"
        " while me:call('GET', 'k', { resend = true }) do end end",
        "clients = { 'A', 'B' }, faults = { duplicate = 1, late_request = 1 }, timeout_ms = 5, program = function(me)"
        " me:call('INCR', 'n', { resend = true }) end",
        "clients = { 'A' }, faults = { script_flush = 1 }, program = function(me) local s = script.text [[ return "
            "redis.call('INCR', KEYS[1]) ]]"
        " me:eval(s, { 'n' }, {}, { resend = true }) me:eval(s, { 'n' }, {}, { resend = true }) end",
    };
    for (size_t i = 0; i < COUNT(worlds); i++)
        for (size_t k = 0; k < COUNT(ways); k++) {
            if (strstr(ways[k].explore, "random"))
                continue;              /* it ends when nothing is left to find, sooner or later */
            outcome *with = run(*state, worlds[i], ways[k].explore, true, ways[k].o);
            outcome *without = run(*state, worlds[i], ways[k].explore, false, ways[k].o);
            assert_int_equal(idempotent(without), OUTCOME_NOT_JUDGED);
            assert_int_not_equal(idempotent(with), OUTCOME_NOT_JUDGED);
            assert_true(with->search.states == without->search.states &&
                        with->search.transitions == without->search.transitions &&
                        with->search.same == without->search.same && str_eq(with->seen, without->seen));
            for (int p = 0; p < PROPERTY_COUNT; p++)
                if (p != PROPERTY_IDEMPOTENT)
                    assert_int_equal(with->properties[p].outcome, without->properties[p].outcome);
        }
}

/* A script error half-way leaves what was written: the second run writes it again, and is no second finding. */
static void an_error_half_way_is_reported_once(void **state)
{
    const char *fields = "clients = { 'A' }, program = function(me) me:eval(script.text [[ redis.call('INCR', KEYS[1]) "
                         "if redis.call('GET', KEYS[1]) == '2' then error('twice') end return 1 ]], { 'k' }, {}, { "
                             "resend = true }) end";
    every_way_judge(*state, fields, OUTCOME_VIOLATED);
    for (size_t i = 0; i < COUNT(ways); i++)       /* it fails on the copy only */
        assert_int_equal(run(*state, fields, ways[i].explore, true,
                             ways[i].o)->properties[PROPERTY_SCRIPT_HEALTH].outcome, OUTCOME_HOLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_release_that_counts_again_is_caught_in_every_way, fresh, gone),
        cmocka_unit_test_setup_teardown(a_latch_keeps_the_second_run_from_counting, fresh, gone),
        cmocka_unit_test_setup_teardown(without_a_request_that_may_be_sent_again_nothing_is_judged, fresh, gone),
        cmocka_unit_test_setup_teardown(the_story_says_what_the_second_run_would_change, fresh, gone),
        cmocka_unit_test_setup_teardown(keyspace_deadlines_and_messages_count_and_replies_do_not, fresh, gone),
        cmocka_unit_test_setup_teardown(a_deadline_that_moves_is_a_change, fresh, gone),
        cmocka_unit_test_setup_teardown(a_table_entry_serves_both_kinds_of_request, fresh, gone),
        cmocka_unit_test_setup_teardown(nobody_notices_the_second_run, fresh, gone),
        cmocka_unit_test_setup_teardown(an_error_half_way_is_reported_once, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
