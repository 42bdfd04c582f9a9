/* test_compare.c - two versions of a script side by side: what a client can tell, what only the keys show, what counts
 * as the same; and the tables against runs from the start. */
#include "fixture.h"

#include <stdlib.h>

#include "client/load.h"
#include "search/versions.h"

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

/* One version: the text that stands for s.lua. NULL: it has none. */
static bool version_read(void *context, str name, arena *a, str *path, str *text, err *e)
{
    const char *const *script = context;
    if (!str_eq(name, S("s.lua")) || !*script)
        return err_set(e, ERR_SCENARIO, "cannot find '%.*s'", STR_ARG(name));
    *path = S("v/s.lua");
    *text = arena_str(a, str_from(*script));
    return true;
}

typedef struct {
    const char *first, *second, *fields;
    compare_verdict verdict;
    const char *says;      /* in the violation's sentence, or the error; NULL: not looked at */
    lockstep_relation by;
} row;

#define LOOP "clients = { 'A', 'B' }, program = function(me) local s = script 's.lua' "
#define TWICE LOOP "for i = 1, 2 do me:eval(s, { 'k', 'q' }, { me.client, '10' }) me:sleep(7) end end"
#define TAKE "if redis.call('exists', KEYS[1]) == 0 then redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1 " \
    "end "
#define KEYS_TOO .by = { .keys = true }

static compare_outcome *compare_row(arena *a, const row *r, search_options so)
{
    const loader first = { .context = (void *)&r->first, .read = version_read },
                         second = { .context = (void *)&r->second, .read = version_read };
    scenario *sc = ARENA_NEW(a, scenario);
    err e = { 0 };
    str text = arena_printf(a, "return { title = 't', %s }", r->fields);
    if (!scenario_load(a, &first, S("test.lua"), text, sc, &e))
        fail_msg("%s", buf_str(&e.message).p);
    compare_outcome *out = ARENA_NEW(a, compare_outcome);
    compare_search(a, sc, &first, &second, &so, &r->by, out);
    return out;
}

static const counterexample *example_of(const compare_outcome *c)
{
    const property_result *p = c->found.properties;
    return p[PROPERTY_EQUIVALENT].example ? p[PROPERTY_EQUIVALENT].example : p[PROPERTY_SAME_KEYS].example;
}

static const char *said(arena *a, const compare_outcome *c)
{
    buf b = { 0 };
    if (c->verdict == COMPARE_ERROR)
        err_print(&c->found.error, &b);
    else if (example_of(c))
        buf_add(&b, example_of(c)->text);
    const char *text = arena_str(a, buf_str(&b)).p;
    buf_free(&b);
    return text;
}

/* Both ways to search say the same, in as many states, and tell the same story. */
static void judge_row(arena *a, const row *r, size_t number)
{
    compare_outcome *tables = compare_row(a, r, (search_options){ .max_states = 20000 });
    compare_outcome *runs = compare_row(a, r, (search_options){ .no_memo = true, .max_states = 20000 });
    const char *text = said(a, tables);
    if (tables->verdict != r->verdict || (r->says && !strstr(text, r->says)))
        fail_msg("row %zu: %s, wanted %s: %s", number, compare_verdict_name(tables->verdict),
                 compare_verdict_name(r->verdict), text);
    assert_int_equal(runs->verdict, r->verdict);
    assert_string_equal(said(a, runs), text);
    assert_int_equal(tables->found.search.states, runs->found.search.states);
    assert_int_equal(tables->found.search.transitions, runs->found.search.transitions);
    const counterexample *x = example_of(tables), *y = example_of(runs);
    assert_int_equal(!x, !y);
    if (x && y) {
        assert_true(str_eq(x->schedule, y->schedule));
        assert_true(x->replayed && y->replayed);
    }
    search_options briefly = { .untold = true };
    compare_outcome *untold = compare_row(a, r, briefly);
    assert_int_equal(untold->verdict, r->verdict);
    assert_null(example_of(untold));
    err_clear(&tables->found.error);
    err_clear(&runs->found.error);
    err_clear(&untold->found.error);
    arena_reset(a);
}

static void judge_rows(arena *a, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        judge_row(a, &rows[i], i);
}

static void versions_that_nobody_can_tell_apart_are_equivalent(void **state)
{
    static const row rows[] = {
        { TAKE "return 0", TAKE "return 0", TWICE, COMPARE_EQUIVALENT, KEYS_TOO },
        /* another way to say the same */
        { TAKE "return 0", "if redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2], 'NX') then return 1 end return 0",
          TWICE, COMPARE_EQUIVALENT, KEYS_TOO },
        { TAKE "return 0", "if not redis.call('get', KEYS[1]) then redis.call('set', KEYS[1], ARGV[1]) "
          "redis.call('pexpire', KEYS[1], ARGV[2]) return 1 end"
                           " return 0", TWICE ", faults = { evict = 1 }", COMPARE_EQUIVALENT, KEYS_TOO },
        /* both ask for the time, and answer it */
        { "local t = redis.call('TIME') redis.call('set', KEYS[1], t[1]) return t[1] + 5",
          "local t = redis.call('TIME')[1] redis.call('set', KEYS[1], t) return 5 + t", TWICE, COMPARE_EQUIVALENT,
          KEYS_TOO },
        /* errors are the same but for hashes and lines */
        { "return redis.call('incr', KEYS[1], 1)", "\n\n\nlocal x = 1 return redis.call('incr', KEYS[1], x)", TWICE,
          COMPARE_EQUIVALENT, KEYS_TOO },
        /* every fault strikes both */
        { TAKE "return 0", "-- again\n" TAKE "return 0", LOOP "me:eval(s, { 'k' }, { me.client, '10' }) me:sleep(4) "
          "me:eval(s, { 'k' }, { me.client, '10' }) end, replicas = 1, faults = { lag = { 1, ms = 5 }, failover = 1 }",
          COMPARE_EQUIVALENT, KEYS_TOO },
        { TAKE "return 0", "-- again\n" TAKE "return 0", LOOP "local n, e = me:eval(s, { 'k' }, { me.client, '10' }) "
          "if e then me:eval(s, { 'k' }, { 'e', '10' }) end end, faults = { wipe = 1, script_flush = 1, crash = 1 }",
          COMPARE_EQUIVALENT, KEYS_TOO },
        { TAKE "return 0", "-- again\n" TAKE "return 0", LOOP "local n, e = me:eval(s, { 'k' }, { me.client, '10' }) "
          "if e and e.kind == 'noscript' then me:call('SCRIPT', 'LOAD', s.text) end me:eval(s, { 'k' }, { me.client, "
          "'9' }) end, faults = { script_flush = 1, restart = 1 }", COMPARE_EQUIVALENT,
          KEYS_TOO },
        /* commands are no scripts */
        { "return 1", "return 1 ", "clients = { 'A', 'B' }, program = function(me) me:call('RPUSH', 'q', me.client) "
          "me:call('BLPOP', 'q', 0.01) me:call('SPOP', 's') end",
          COMPARE_EQUIVALENT, KEYS_TOO },
        { "return redis.call('rpush', KEYS[1], ARGV[1])", "return redis.call('lpush', KEYS[1], ARGV[1])",
          LOOP "if me.client == 'A' then me:call('BLPOP', 'k', 0.01) else me:eval(s, { 'k' }, { 'x' }) end end",
          COMPARE_EQUIVALENT, KEYS_TOO },
    };
    judge_rows(*state, rows, COUNT(rows));
}

static void client_tells_versions_apart(void **state)
{
    static const row rows[] = {
        { TAKE "return 0", TAKE "return nil", TWICE, COMPARE_DIFFERENT, "is answered 0 with the first version and nil "
          "with the second", KEYS_TOO },
        /* only after a lease has ended */
        { TAKE "return 0", "if redis.call('exists', KEYS[1]) == 0 then redis.call('set', KEYS[1], ARGV[1]) return 1 "
          "end return 0",
          LOOP "me:eval(s, { 'k' }, { me.client, '10' }) me:sleep(10) me:eval(s, { 'k' }, { me.client, '10' }) end",
          COMPARE_DIFFERENT,
          "is answered 1 with the first version and 0 with the second", .by = { .keys = false } },
        /* only under a fault */
        { "local n = redis.call('setnx', KEYS[1], 1) redis.call('incrby', KEYS[2], n) return n",
          "local n = redis.call('setnx', KEYS[1], 1) return redis.call('incrby', KEYS[2], n) == 2 and 7 or n", TWICE,
          COMPARE_EQUIVALENT, NULL, KEYS_TOO },
        { "local n = redis.call('setnx', KEYS[1], 1) redis.call('incrby', KEYS[2], n) return n",
          "local n = redis.call('setnx', KEYS[1], 1) return redis.call('incrby', KEYS[2], n) == 2 and 7 or n",
          TWICE ", faults = { evict = 1 }", COMPARE_DIFFERENT,
          "is answered 1 with the first version and 7 with the second", KEYS_TOO },
        /* only in a message, and only while a client listens */
        { "redis.call('publish', KEYS[1], 'free') return 1", "redis.call('publish', KEYS[1], '0') return 1",
          LOOP "if me.client == 'A' then me:subscribe('k', function() end) me:sleep(5) else me:eval(s, { 'k' }, {}) "
          "end end", COMPARE_DIFFERENT,
          "sends waiting clients \"free\" on k with the first version and \"0\" on k with the second", KEYS_TOO },
        { "redis.call('publish', KEYS[1], 'free') return 1", "return 1",
          LOOP "if me.client == 'A' then me:subscribe('k', function() end) me:sleep(5) else me:eval(s, { 'k' }, {}) "
          "end end", COMPARE_DIFFERENT, "nothing with the second",
          KEYS_TOO },
        { "return 1", "redis.call('publish', KEYS[1], 'free') return 1",
          LOOP "if me.client == 'A' then me:subscribe('k', function() end) me:sleep(5) else me:eval(s, { 'k' }, {}) "
          "end end", COMPARE_DIFFERENT, "nothing with the first",
          KEYS_TOO },
        /* two connections' messages have no order, one connection's have */
        { "redis.call('publish', 'k', 'x') redis.call('publish', 'k', 'y') return 1",
          "redis.call('publish', 'k', 'y') redis.call('publish', 'k', 'x') return 1",
          LOOP "if me.client == 'A' then me:subscribe('k', function() end) me:sleep(5) else me:eval(s, {}, {}) end end",
          COMPARE_DIFFERENT, NULL, KEYS_TOO },
        /* only in an error's text */
        { "return redis.error_reply('MINE no')", "return redis.error_reply('MINE No')", TWICE, COMPARE_DIFFERENT,
          "MINE No", KEYS_TOO },
        /* only in the time it says */
        { "return redis.call('TIME')[1] + 0", "return redis.call('TIME')[1] + 1", TWICE, COMPARE_DIFFERENT, NULL,
          KEYS_TOO },
        /* who waits at the server is served by one of them only */
        { "return redis.call('rpush', KEYS[1], 'x') and 1", "redis.call('rpush', KEYS[2], 'x') return 1",
          LOOP "if me.client == 'A' then me:call('BLPOP', 'k', 0) else me:eval(s, { 'k', 'q' }, {}) end end",
          COMPARE_DIFFERENT, "the answer it waited for", KEYS_TOO },
        /* a pop that waits with one of them */
        { "redis.call('rpush', KEYS[1], 'x') return 1", "return 1",
          LOOP "me:eval(s, { me.client }, {}) me:call('BLPOP', me.client, 0.01) end", COMPARE_DIFFERENT,
          "waits at the server", .by = { .keys = false } },
    };
    judge_rows(*state, rows, COUNT(rows));
}

static void keys_alone_show_a_difference(void **state)
{
    static const str trash[] = { { "x", 1 }, { "trash:*", 7 } }, other[] = { { "x*", 2 } };
    static const row rows[] = {
        { "redis.call('set', KEYS[1], 1) return 1", "redis.call('set', KEYS[1], 2) return 1", TWICE,
          COMPARE_KEYS_DIFFER, "k is \"1\" with the first version and \"2\"",
          KEYS_TOO },
        { "redis.call('set', KEYS[1], 1) return 1", "redis.call('set', KEYS[1], 2) return 1", TWICE, COMPARE_EQUIVALENT,
          NULL, .by = { .keys = false } },
        /* a key that nobody uses */
        { "return 1", "redis.call('set', 'trash', 1) return 1", TWICE, COMPARE_KEYS_DIFFER,
          "trash is not there with the first version", KEYS_TOO },
        { "return 1", "redis.call('set', 'trash:' .. ARGV[1], 1) return 1", TWICE, COMPARE_EQUIVALENT, NULL,
          .by = { .keys = true, .ignored = trash, .ignored_count = 2 } },
        { "return 1", "redis.call('set', 'trash', 1) return 1", TWICE, COMPARE_KEYS_DIFFER, NULL,
          .by = { .keys = true, .ignored = other, .ignored_count = 1 } },
        /* a millisecond */
        { "redis.call('set', KEYS[1], 1, 'PX', 10) return 1", "redis.call('set', KEYS[1], 1, 'PX', 11) return 1", TWICE,
          COMPARE_KEYS_DIFFER, "ttl 11", KEYS_TOO },
        { "redis.call('set', KEYS[1], 1, 'PX', 10) return 1", "redis.call('set', KEYS[1], 1, 'PX', 11) return 1", TWICE,
          COMPARE_EQUIVALENT, NULL,
          .by = { .keys = true, .ttl_within_ms = 1 } },
        { "redis.call('set', KEYS[1], 1, 'PX', 10) return 1", "redis.call('set', KEYS[1], 1, 'PX', 12) return 1", TWICE,
          COMPARE_KEYS_DIFFER, NULL,
          .by = { .keys = true, .ttl_within_ms = 1 } },
        { "redis.call('set', KEYS[1], 1, 'PX', 10) return 1", "redis.call('set', KEYS[1], 1) return 1", TWICE,
          COMPARE_KEYS_DIFFER, NULL,
          .by = { .keys = true, .ttl_within_ms = 1 } },
        /* an order that a command shows */
        { "redis.call('rpush', KEYS[1], 'a', 'b') return 1", "redis.call('lpush', KEYS[1], 'a', 'b') return 1",
          LOOP "me:eval(s, { me.client }, {}) end",
          COMPARE_KEYS_DIFFER, NULL, KEYS_TOO },
        /* one version loses its key first */
        { TAKE "return 1", "if redis.call('exists', KEYS[1]) == 0 then redis.call('set', KEYS[1], ARGV[1], 'PX', 4) "
          "end return 1",
          TWICE ", faults = { evict = 1 }", COMPARE_KEYS_DIFFER, NULL, KEYS_TOO },
    };
    judge_rows(*state, rows, COUNT(rows));
}

static void what_cannot_be_compared_is_said(void **state)
{
    static const row rows[] = {
        { "return 1", NULL, TWICE, COMPARE_ERROR, "cannot find 's.lua'", KEYS_TOO },
        { "return 1", "return 1\nlocal = 2", TWICE, COMPARE_ERROR, "v/s.lua:2: error[scenario]: the second version "
          "does not compile", KEYS_TOO },
        { "return KEYS[2]", "local a = KEYS[1]\nreturn KEYS[3]", TWICE, COMPARE_ERROR,
          "v/s.lua:2:8: error[scenario]: the second version of s.lua uses KEYS[3]", KEYS_TOO },
        /* what the first version does not get either is no difference */
        { "return KEYS[3] or 1", "return KEYS[3] or 1 ", TWICE, COMPARE_EQUIVALENT, NULL, KEYS_TOO },
        /* there are enough */
        { "return KEYS[1]", "return KEYS[1] or KEYS[2]", TWICE, COMPARE_EQUIVALENT, NULL, KEYS_TOO },
    };
    judge_rows(*state, rows, COUNT(rows));
}

/* A limit that comes first leaves it open; what was found before it stays found. */
static void limit_leaves_it_undecided(void **state)
{
    static const char endless[] = LOOP "while true do me:eval(s, { 'k', 'q' }, { me.client, '10' }) me:sleep(7) end "
                                  "end";
    static const row rows[] = {
        { "return redis.call('incr', KEYS[1])", "return redis.call('incrby', KEYS[1], 1)", endless, COMPARE_UNDECIDED,
          NULL, KEYS_TOO },
        { "redis.call('incr', KEYS[1]) return 1", "redis.call('incrby', KEYS[1], 2) return 1", endless,
          COMPARE_KEYS_DIFFER, NULL, KEYS_TOO },
        { "return redis.call('incr', KEYS[1])", "return redis.call('incrby', KEYS[1], redis.call('get', KEYS[1]) == "
          "'5' and 2 or 1)", endless, COMPARE_DIFFERENT, NULL, KEYS_TOO },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        compare_outcome *c = compare_row(*state, &rows[i], (search_options){ .max_states = 500 });
        assert_int_equal(c->verdict, rows[i].verdict);
        assert_false(c->found.search.complete && c->verdict == COMPARE_UNDECIDED);
    }
}

static bool granted(void *context, str name, bool second, const reply *r, arena *a, str *common, err *e)
{
    (void)context, (void)a, (void)name;
    if (r->kind == REPLY_BULK)
        return err_set(e, ERR_SCENARIO, "no answer of a lock");
    bool yes = second ? r->kind == REPLY_NIL : r->kind == REPLY_INTEGER && r->integer == 1;
    *common = yes ? S("granted") : S("refused");
    return true;
}

static void adapter_says_what_means_the_same(void **state)
{
    static const row rows[] = {
        { TAKE "return 0", "if redis.call('exists', KEYS[1]) == 0 then redis.call('set', KEYS[1], ARGV[1], 'PX', "
          "ARGV[2]) return nil end return redis.call('pttl', KEYS[1])",
          TWICE, COMPARE_EQUIVALENT, NULL, .by = { .keys = true, .adapt = granted } },
        { TAKE "return 0", TAKE "return nil", TWICE, COMPARE_DIFFERENT, NULL,
          .by = { .keys = true, .adapt = granted } },
        { TAKE "return 0", "return 'x'", TWICE, COMPARE_ERROR, "no answer of a lock",
          .by = { .keys = true, .adapt = granted } },
    };
    judge_rows(*state, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(versions_that_nobody_can_tell_apart_are_equivalent, fresh, gone),
        cmocka_unit_test_setup_teardown(client_tells_versions_apart, fresh, gone),
        cmocka_unit_test_setup_teardown(keys_alone_show_a_difference, fresh, gone),
        cmocka_unit_test_setup_teardown(what_cannot_be_compared_is_said, fresh, gone),
        cmocka_unit_test_setup_teardown(limit_leaves_it_undecided, fresh, gone),
        cmocka_unit_test_setup_teardown(adapter_says_what_means_the_same, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
