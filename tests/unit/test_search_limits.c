/* test_search_limits.c - the limits of the exhaustive search: exact, never a crash, and with an account of what was
 * covered. */
#include "fixture.h"

#include "base/size.h"

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

/* Three clients of three steps: 4^3 states, of which nothing can happen in one. */
static const char cube[] = "return { title = 't', clients = { 'A', 'B', 'C' }, program = function(me) for i = 1, 3 do "
                           "me:step() end end }";
enum { CUBE = 64, CUBE_TRANSITIONS = 144, CUBE_DEPTH = 9 };

static bool says(str text, const char *what)
{
    for (size_t i = 0; i < text.n; i++)
        if (str_starts(str_slice(text, i, text.n), str_from(what)))
            return true;
    return false;
}

/* Property: a limit of n states is met by graphs of n states and fewer, and by no other. */
static void a_limit_of_states_is_exact(void **state)
{
    for (uint64_t max = 1; max <= CUBE + 1; max++) {
        outcome *out = fixture_run(*state, cube, (search_options){ .max_states = max });
        bool all = max >= CUBE;
        /* who only steps does nothing */
        assert_int_equal(out->verdict, all ? VERDICT_VACUOUS : VERDICT_INCONCLUSIVE);
        assert_int_equal(out->search.complete, all);
        assert_int_equal(out->search.states, all ? CUBE : max);
        assert_true((!all || out->search.transitions == CUBE_TRANSITIONS) && all == (out->search.waiting == 0));
        assert_true(all || says(out->reason, "the limit of "));
    }
}

/* How many of the states of three counters lie within `depth` steps. */
static uint64_t within(uint64_t depth)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < CUBE; i++)
        n += i % 4 + i / 4 % 4 + i / 16 <= depth;
    return n;
}

/* Property: the account is true: within the depth that it tells all states were met, and one step deeper not all. */
static void the_account_of_a_limit_is_true(void **state)
{
    for (uint64_t max = 1; max < CUBE; max++) {
        outcome *out = fixture_run(*state, cube, (search_options){ .max_states = max });
        assert_true(max >= within(out->search.longest));
        assert_true(max <= within(out->search.longest + 1));
        assert_true(out->search.waiting > 0 && out->search.waiting <= max);
        assert_true(says(out->means, "not broken so far: no_deadlock, "));
    }
    outcome *out = fixture_run(*state, cube, (search_options){ 0 });
    assert_int_equal(out->search.longest, CUBE_DEPTH);
    assert_false(says(out->means, "not broken"));
}

/* Property: what was broken before the limit is told, and the verdict says so. */
static void a_violation_before_the_limit_counts(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A', 'B' }, always = function() return true end, program = "
                      "function(me)\n"
                      "  me:eval('return foo', {}, {}) while true do me:call('INCR', 'n') end end }";
    outcome *out = fixture_run(*state, lua, (search_options){ .max_states = 50 });
    assert_int_equal(out->verdict, VERDICT_FAIL);
    assert_int_equal(out->properties[PROPERTY_SCRIPT_HEALTH].outcome, OUTCOME_VIOLATED);
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_UNDECIDED);
    assert_true(out->examples[0].replayed);
}

/* Property: where nobody asks what is to blame for what was expected, the rest of the story is the same, and surprises
 * are blamed. */
static void blame_is_left_out_of_what_is_expected_only(void **state)
{
    for (int row = 0; row < 4; row++) {
        bool surprise = row & 1, sampled = row & 2;
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', 'B' }, expect = { strict_mutual_exclusion = "
                 "'%s' },\n"
                                  "faults = { pause = 1 }, program = function(me) while not me:call('SET', 'L', me.id, "
                                  "'NX', 'PX', 10) do me:sleep(11) end\n"
                                  "me:granted('L', { lease = 10 }) me:step() me:released('L') end }",
                 surprise ? "holds" : "violated");
        search_options all = { .runs = sampled ? 200 : 0 }, quick = all;
        quick.unblamed = true;
        outcome *told = fixture_run(*state, lua, all), *left = fixture_run(*state, lua, quick);
        assert_int_equal(told->verdict, surprise ? VERDICT_FAIL : VERDICT_PASS);
        assert_int_equal(left->verdict, told->verdict);
        assert_true(told->example_count == 1 && left->example_count == 1);
        const counterexample *x = &told->examples[0], *y = &left->examples[0];
        assert_true(x->replayed && y->replayed && x->blame.n > 0 && str_eq(y->blame, surprise ? x->blame : S("")));
        assert_true(str_eq(x->schedule, y->schedule) && x->steps == y->steps && x->switches == y->switches &&
                    str_eq(x->why, y->why));
    }
}

/* Property: a search that keeps times as distances from now says so where code names an instant of its days, and only
 * there. */
static void an_instant_that_is_named_is_told(void **state)
{
    static const struct { const char *program; bool told; } row[] = {
        { "if me:now() == 1700000000123 then me:step() end", true },
        { "if tostring(me:now()) == '1700000000123' then me:step() end", true },
        { "me:eval('return redis.call(\"time\")[1] == \"1700000001\"', {}, {})", true },
        { "me:step() -- 1700000000123\n", false },
        { "if me:now() == 1600000000123 then me:step() end", false },
        { "me:call('SET', 'k', '17000000001230')", false },
        { "me:call('SET', 'k', 1)", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A' }, program = function(me) %s end }",
                 row[i].program);
        assert_int_equal(says(fixture_run(*state, lua, (search_options){ 0 })->means, " names an instant, 170000000"),
                         row[i].told);
        assert_false(says(fixture_run(*state, lua, (search_options){ .no_fold = true })->means, " names an instant"));
    }
}

/* Property: a glance has the verdict of the whole search, also where what breaks is expected; it ends at a surprise,
 * and tells no story. */
static void a_glance_has_the_same_verdict(void **state)
{
    static const struct { const char *program, *expect; bool sooner; } row[] = {
        { "for i = 1, 3 do me:step() end", "", false },
        { "me:eval('return foo', {}, {}) for i = 1, 9 do me:call('INCR', 'n') end", "", true },
        { "me:eval('return foo', {}, {}) for i = 1, 9 do me:call('INCR', 'n') end",
          "expect = { script_health = 'violated' },", false },
        { "for i = 1, 3 do me:step() end", "expect = { script_health = 'violated' },", false },
        { "me:spawn('w', function() end) me:subscribe('c', function() end)", "", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', 'B' }, %s program = function(me) %s end }",
                 row[i].expect, row[i].program);
        search_options briefly = { .glance = true };
        outcome *whole = fixture_run(*state, lua, (search_options){ 0 }), *glance = fixture_run(*state, lua, briefly);
        assert_int_equal(glance->verdict, whole->verdict);
        assert_int_equal(glance->example_count, 0);
        assert_int_equal(glance->search.states < whole->search.states, row[i].sooner);
    }
}

/* Property: a limit of memory ends the search near it, whatever it is, and the same way each time. */
static void a_limit_of_memory_ends_the_search(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A', 'B' }, program = function(me) while true do "
                      "me:call('INCR', 'n') end end }";
    uint64_t before = 0;
    for (uint64_t max = 1; max <= UINT64_C(16) << 20; max *= 16) {
        outcome *out = fixture_run(*state, lua, (search_options){ .max_memory = max });
        outcome *again = fixture_run(*state, lua, (search_options){ .memory_default = max });
        assert_int_equal(out->verdict, VERDICT_INCONCLUSIVE);
        assert_true(says(out->reason, "of memory came first"));
        assert_true(out->search.states >= before && out->search.bytes <= 2 * max + (UINT64_C(1) << 20));
        assert_true(out->search.states == again->search.states && out->search.bytes == again->search.bytes);
        before = out->search.states;
    }
    assert_true(before > 100);
}

/* Property: the command line's limit comes before the scenario's, and that before the default. */
static void limits_have_an_order(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A', 'B', 'C' }, limits = { states = 20, memory = '900M' },\n"
                      "  program = function(me) for i = 1, 3 do me:step() end end }";
    assert_int_equal(fixture_run(*state, lua, (search_options){ 0 })->search.states, 20);
    assert_int_equal(fixture_run(*state, lua, (search_options){ .max_states = 30 })->search.states, 30);
    assert_int_equal(fixture_run(*state, lua, (search_options){ .max_states = 99, .memory_default = 1 })->search.states,
                     CUBE);
    assert_true(fixture_run(*state, lua, (search_options){ .max_states = 99, .max_memory = 1 })->search.states < CUBE);
}

/* Property: what is asked for beats what the scenario says. */
static void a_scenario_is_explored_as_asked(void **state)
{
    static const char *const says_so[] = { "'exhaustive'", "{ random = 5 }", "{ schedule = 'A A' }" };
    static const struct { search_options o; const char *kind; } row[] = {
        { { .exhaustive = true }, "exhaustive" }, { { .runs = 4 }, "uniform" }, { { .strategy = "pct" }, "pct" },
        { { .no_fold = true }, "every schedule" }, { { .schedule = "A" }, "schedule" },
    };
    for (size_t s = 0; s < COUNT(says_so); s++)
        for (size_t i = 0; i < COUNT(row); i++) {
            char lua[256];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A' }, explore = %s, program = function(me) "
                     "me:step() end }", says_so[s]);
            assert_true(str_starts(fixture_run(*state, lua, row[i].o)->search.strategy, str_from(row[i].kind)));
        }
}

static bool stop_after_some(void *context, const search_progress *at)
{
    search_progress *last = context;
    assert_true(at->states >= last->states && at->transitions >= last->transitions && at->depth >= last->depth);
    *last = *at;
    return at->states < 2000;
}

/* Property: an interrupted exhaustive search tells what was found so far, soon, even where every state needs
 * Lua. */
static void an_interrupted_search_reports(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A', 'B' }, program = function(me) while true do "
                      "me:call('INCR', 'n') end end }";
    search_progress last = { 0 };
    outcome *out = fixture_run(*state, lua, (search_options){ .context = &last, .progress = stop_after_some });
    assert_int_equal(out->verdict, VERDICT_INCONCLUSIVE);
    assert_true(says(out->reason, "interrupted"));
    assert_true(out->search.states >= 2000 && out->search.states < 2500);
    assert_true(last.depth > 0 && last.waiting > 0 && last.bytes > 0);
}

/* Property: there may be as many lengths of time as there are steps. */
static void every_step_may_take_another_time(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A' }, program = function(me) for i = 1, 2100 do me:sleep(i) "
                      "end end }";
    outcome *out = fixture_run(*state, lua, (search_options){ 0 });
    assert_int_equal(out->verdict, VERDICT_VACUOUS);       /* it sends no request */
    assert_int_equal(out->search.states, 2 * 2100 + 1);
}

typedef struct { int64_t looks, last; } clock_of_looks;

static int64_t looks(void *context)
{
    clock_of_looks *c = context;
    return ++c->looks > c->last ? 1000 : 0;
}

/* Property: whenever the time is over, in the search or in the second pass, what was found by then is told, and can be
 * replayed. */
static void time_may_be_over_at_any_moment(void **state)
{
    const char *lua = "return { title = 't', clients = { 'A', 'B' }, always = function() return true end, program = "
                      "function(me)\n"
                      "  me:call('SET', me.client, 1, 'PX', 20) me:eval('return foo', {}, {}) "
                       "me:call('INCR', 'n') end }";
    for (int no_memo = 0; no_memo < 2; no_memo++) {
        int64_t last = 0;
        bool over = true;
        for (; over; last++) {
            clock_of_looks c = { .last = last };
            outcome *out = fixture_run(*state, lua, (search_options){ .context = &c, .elapsed_ms = looks,
                                                                      .time_limit_ms = 500, .no_memo = no_memo });
            over = c.looks > c.last;
            assert_int_equal(out->verdict, out->example_count ? VERDICT_FAIL : VERDICT_INCONCLUSIVE);
            assert_true(!out->search.complete || out->search.waiting == 0);
            assert_true(out->search.complete || says(out->reason, "the time limit"));
            for (size_t i = 0; i < out->example_count; i++)
                assert_true(out->examples[i].replayed);
        }
        assert_true(last > (no_memo ? 10 : 3));
    }
}

/* Property: what depends on the time of day, and not on how far off an instant is, is noticed, for a pass by tables
 * would mean nothing; and the search without them comes to what every schedule comes to. */
static void the_time_of_day_is_noticed(void **state)
{
    static const struct { const char *program; bool noticed; } row[] = {
        { "if me:now() % 1000 < 500 then me:sleep(300) else me:sleep(700) end", false },     /* seconds fold */
        { "if me:now() % 60000 < 500 then me:sleep(300) else me:sleep(700) end", true },
        { "me:eval(script.text [[ local t = redis.call('TIME') if tonumber(t[1]) % 10 < 5 then return 1 end return 0 "
          "]], {}, {})", true },
        { "me:eval(script.text [[ local t = redis.call('TIME') if tonumber(t[1]) % 60 < 30 then redis.call('INCR', "
          "'n') end ]], {}, {})", true },
        { "if me:now() % 1000 >= 500 then me:eval('return foo', {}, {}) end me:sleep(600)", false },
        { "if me:now() % 10000 >= 500 then me:eval('return foo', {}, {}) end me:sleep(600)", true },
        { "me:call('SET', 'at', math.floor(me:now() / 1000)) me:sleep(600)", false },
        { "me:eval(script.text [[ redis.call('SET', 'day', math.floor(redis.call('TIME')[1] / 86400)) ]], {}, {})",
          true },
        { "me:eval(script.text [[ local t = redis.call('TIME') redis.call('SET', KEYS[1], t[1] * 1000 + "
          "math.floor(t[2] / 1000)) ]], { 'at' }, {})", false },
        { "me:call('ZADD', 'z', me:now() + 300, me.id) me:call('ZSCORE', 'z', me.id)", false },
        { "local till = me:now() + 500 me:sleep(400) if me:now() < till then me:call('INCR', 'n') end", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[1024];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', 'B' }, program = function(me) for i = 1, 2 "
                 "do %s me:sleep(100) end end }",
                 row[i].program);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 }),
                       *all = fixture_run(*state, lua, (search_options){ .no_fold = true });
        assert_int_equal(says(out->means, "the time of day is a part of every state"), row[i].noticed);
        assert_true(out->search.complete && all->search.complete);
        assert_int_equal(out->verdict, all->verdict);
        for (int p = 0; p < PROPERTY_COUNT; p++)
            assert_int_equal(out->properties[p].outcome, all->properties[p].outcome);
        for (size_t x = 0; x < out->example_count; x++)
            assert_true(out->examples[x].replayed);
    }
}

static void sizes_are_read_and_written(void **state)
{
    (void)state;
    static const struct { const char *text; uint64_t bytes; } row[] = {
        { "1", 1 }, { "64K", 65536 }, { "3m", 3u << 20 }, { "4G", UINT64_C(4) << 30 },
        { "8589934591G", UINT64_C(8589934591) << 30 },
        { "8589934592G", 0 }, { "", 0 }, { "K", 0 }, { "0", 0 }, { "-1", 0 }, { "1.5G", 0 }, { "1 G", 0 }, { "1KK", 0 },
        { "99999999999999999999", 0 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        uint64_t bytes = 0;
        bool ok = size_parse(str_from(row[i].text), &bytes);
        assert_int_equal(ok, row[i].bytes > 0);
        assert_int_equal(bytes, row[i].bytes);
    }
    static const struct { uint64_t bytes; const char *text; } shown[] = {
        { 0, "0 B" }, { 1023, "1023 B" }, { 1024, "1.0 KiB" }, { 1536, "1.5 KiB" }, { (1u << 20) - 1, "1.0 MiB" },
        { 5u << 20, "5.0 MiB" },
        { UINT64_C(4) << 30, "4.0 GiB" }, { UINT64_C(3) << 50, "3072.0 TiB" },
    };
    for (size_t i = 0; i < COUNT(shown); i++) {
        buf b = { 0 };
        size_print(shown[i].bytes, &b);
        assert_true(str_eq(buf_str(&b), str_from(shown[i].text)));
        buf_free(&b);
    }
}

/* Property: an uncaught error ends the search, and what it had found before is told and replayed all the same. */
static void a_finding_before_an_error_is_told(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 't', clients = { 'A' }, program = function(me)\n"
             "  me:eval(script.text [[ redis.call('SET', 'undeclared', 1) ]], {}, {}) me:step() me:step() "
             "error('deep') end }");
    outcome *out = fixture_run(*state, lua, (search_options){ 0 });
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_int_equal(out->properties[PROPERTY_SCRIPT_HEALTH].outcome, OUTCOME_VIOLATED);
    assert_true(out->properties[PROPERTY_SCRIPT_HEALTH].example->replayed);
    err_clear(&out->error);
}

/* The error comes in the midst of a level, whose other states were met and not gone on from: their future is
 * unknown. */
static void an_error_in_the_midst_of_a_level_leaves_states_open(void **state)
{
    for (int before = 0; before < 6; before++) {
        char lua[4096];
        snprintf(lua, sizeof lua,
                 "%sreturn { title = 't', clients = { 'A', 'B', 'C' }, program = function(me)\n"
                 "  me:eval(script.text [[ redis.call('INCR', 'undeclared') ]], {}, {})\n"
                 "  for i = 1, 6 do me:call('INCR', 'x' .. me.client) if me.client == 'B' and i > %d then "
                 "error('deep') end end end }",
                 FIXTURE_LOCK, before);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        assert_int_equal(out->verdict, VERDICT_ERROR);
        assert_true(says(buf_str(&out->error.message), "deep"));
        assert_int_equal(out->properties[PROPERTY_SCRIPT_HEALTH].outcome, OUTCOME_VIOLATED);
        assert_true(out->search.waiting > 0);
        err_clear(&out->error);
    }
}

/* Property: more locks than a state can hold are refused with their place, not forgotten. */
static void too_many_locks_are_refused(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua,
             "return { title = 't', clients = { 'A' }, program = function(me) for i = 1, 40 do\n"
             "  me:observe('L' .. i, { spec = 'mutex', view = function() return { holders = {}, ttl_ms = -2 } end }) "
             "end end }");
    outcome *out = fixture_run(*state, lua, (search_options){ 0 });
    assert_int_equal(out->verdict, VERDICT_ERROR);
    assert_true(says(buf_str(&out->error.message), "more than 32 locks"));
    err_clear(&out->error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_limit_of_states_is_exact, fresh, gone),
        cmocka_unit_test_setup_teardown(the_account_of_a_limit_is_true, fresh, gone),
        cmocka_unit_test_setup_teardown(a_violation_before_the_limit_counts, fresh, gone),
        cmocka_unit_test_setup_teardown(blame_is_left_out_of_what_is_expected_only, fresh, gone),
        cmocka_unit_test_setup_teardown(an_instant_that_is_named_is_told, fresh, gone),
        cmocka_unit_test_setup_teardown(a_glance_has_the_same_verdict, fresh, gone),
        cmocka_unit_test_setup_teardown(a_limit_of_memory_ends_the_search, fresh, gone),
        cmocka_unit_test_setup_teardown(limits_have_an_order, fresh, gone),
        cmocka_unit_test_setup_teardown(an_error_in_the_midst_of_a_level_leaves_states_open, fresh, gone),
        cmocka_unit_test_setup_teardown(a_scenario_is_explored_as_asked, fresh, gone),
        cmocka_unit_test_setup_teardown(an_interrupted_search_reports, fresh, gone),
        cmocka_unit_test_setup_teardown(every_step_may_take_another_time, fresh, gone),
        cmocka_unit_test_setup_teardown(time_may_be_over_at_any_moment, fresh, gone),
        cmocka_unit_test_setup_teardown(the_time_of_day_is_noticed, fresh, gone),
        cmocka_unit_test_setup_teardown(a_finding_before_an_error_is_told, fresh, gone),
        cmocka_unit_test_setup_teardown(too_many_locks_are_refused, fresh, gone),
        cmocka_unit_test(sizes_are_read_and_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
