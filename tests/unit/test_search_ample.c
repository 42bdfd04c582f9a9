/* test_search_ample.c - steps that commute, taken in one order: nothing but the number of states changes. */
#include "fixture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/rng.h"
#include "search/vector.h"

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

/* What the server and the clients' memory remember of the order of all steps decides who hangs for ever: some of
 * eight outcomes are to be had, and whether this one is shows whether an order was left out. */
#define JUDGE(number) \
    "local function judge(me) local h = 7 for _, s in ipairs(me:call('LRANGE', 'q', 0, -1) or {}) do for i = 1, #s " \
    "do h = (h * 31 + s:byte(i)) %% 1009 end end if h %% 8 == " number " then me:semaphore(0):acquire() end end\n"

static str world_text(arena *a, const char *clients, const char *faults, unsigned number, const char *body)
{
    str judge = arena_printf(a, JUDGE("%u"), number);
    return arena_printf(a, FIXTURE_LOCK "local flag = false\n%.*sreturn { title = 't', clients = { %s }, start_ms = 0, "
                        "timeout_ms = 20, faults = { %s }, program = function(me) %s end }",
                        STR_ARG(judge), clients, faults, body);
}

static outcome *search(arena *a, str lua, bool symmetry, bool reduction, unsigned without)
{
    return fixture_run(a, lua.p, (search_options){ .symmetry = symmetry, .reduction = reduction,
                                                   .ample_without = without, .max_states = 8000 });
}

static bool is_reduced(const outcome *o)
{
    return strstr(o->means.p, "steps that commute were taken in one order") != NULL;
}

/* Is all that people read the same? */
static bool agree(const outcome *plain, const outcome *reduced)
{
    bool same = plain->verdict == reduced->verdict && plain->example_count == reduced->example_count &&
                reduced->search.states <= plain->search.states;
    for (int p = 0; p < PROPERTY_COUNT && same; p++)
        same = plain->properties[p].outcome == reduced->properties[p].outcome;
    for (size_t i = 0; i < plain->example_count && same; i++)
        same = str_eq(plain->examples[i].schedule, reduced->examples[i].schedule) &&
               str_eq(plain->examples[i].text, reduced->examples[i].text) && reduced->examples[i].replayed;
    return same;
}

/* Where the search with ample sets gave up because something breaks, something does. */
static bool gives_up_rightly(const outcome *o)
{
    bool broken = o->verdict == VERDICT_ERROR;
    for (int p = 0; p < PROPERTY_COUNT; p++)
        broken |= o->properties[p].outcome == OUTCOME_VIOLATED;
    return broken || !strstr(o->means.p, "something breaks, or may, and only a search");
}

/* Programs of a few requests and steps drawn from a seed: tasks of one process that share its memory, messages, sleeps,
 * locks. */
static str drawn(arena *a, rng *r)
{
    static const char *const lines[] = {
        "me:call('RPUSH', 'q', me.client)", "me:call('RPUSH', 'q', me.client)", "me:step()", "me:sleep(5)",
        "me:sleep(5)", "me:spawn('t', function(me) flag = not flag me:call('RPUSH', 'q', 't' .. me.client) end)",
        "me:subscribe('c', function(h, m) flag = true end)", ("me:subscribe('c', function(h, m) flag = not flag "
        "me:call('RPUSH', 'q', m) end)"), "me:call('PUBLISH', 'c', 'x')", "me:call('PUBLISH', 'c', me.client)",
        "if flag then me:call('RPUSH', 'q', 'f') end", "me:spawn('u', function(me) me:step() flag = true end)",
        "if try(me, 'l', 25) then me:step() unlock(me, 'l') end", "flag = flag or me:call('GET', 'k')",
        "me:call('SET', 'k', me.client, 'PX', 5)", "me:step() flag = not flag",
        "if try(me, 'l', 5) then me:sleep(5) unlock(me, 'l') end", "me:call('BLPOP', 'w', 0.01)",
        "me:call('RPUSH', 'w', me.client)", ("local s = me:semaphore(0) me:spawn('v', function(me) me:step() "
        "s:release() end) if s:acquire(5) then flag = not flag end"),
    };
    static const char *const faults[] = { "", "", "", "crash = 1", "pause = 1", "lose_reply = 1", "evict = 1",
                                          "lose_message = 1", "interrupt = 1", "duplicate = 1", "restart = 1" };
    static const char *const clients[] = { "'A', 'B'", "'A', 'B'", "'A', { 'B', start_ms = 5 }", "'A', 'B', 'C'",
                                           "'A', { 'B', threads = 2 }", "'A', { 'B', after = 'A.get' }" };
    buf body = { 0 };
    size_t count = 1 + (size_t)rng_below(r, 4);
    for (size_t k = 0; k < count; k++)
        buf_printf(&body, "do %s end ", lines[rng_below(r, COUNT(lines))]);
    if (rng_below(r, 3) == 0)
        buf_printf(&body, "if me.client == 'A' then %s else %s end ", lines[rng_below(r, COUNT(lines))],
                   lines[rng_below(r, COUNT(lines))]);
    buf_byte(&body, '\0');
    body.n--;
    if (strstr(body.p, "subscribe"))
        buf_addz(&body, "me:unsubscribe('c') ");
    buf_addz(&body, "judge(me)");
    buf_byte(&body, '\0');
    const char *who = clients[rng_below(r, COUNT(clients))], *fault = faults[rng_below(r, COUNT(faults))];
    str lua = world_text(a, who, fault, (unsigned)rng_below(r, 8), body.p);
    buf_free(&body);
    return lua;
}

static void differ(size_t i, const outcome *plain, const outcome *reduced, str lua)
{
    fprintf(stderr, "%s\n%s\nplain %d, reduced %d\n", strstr(lua.p, "return { title"), reduced->means.p,
            plain->verdict, reduced->verdict);
    fail_msg("world %zu: %" PRIu64 " states, reduced %" PRIu64, i, plain->search.states, reduced->search.states);
}

/* Property: with and without, the same verdicts and stories, word for word. */
static void generated_worlds_agree(void **state)
{
    (void)state;
    const char *many = getenv("LOCKSIM_WORLDS"), *seed = getenv("LOCKSIM_SEED");
    size_t worlds = many ? (size_t)strtoull(many, NULL, 10) : 200, reduced_worlds = 0, fewer = 0, held = 0, done = 0;
    rng r = rng_new(seed ? strtoull(seed, NULL, 10) : 18, 3);
    for (size_t i = 0; i < worlds; i++) {
        arena *a = arena_new();
        str lua = drawn(a, &r);
        const outcome *plain = search(a, lua, i % 2, false, 0);
        if (plain->search.complete && plain->verdict != VERDICT_ERROR) {
            const outcome *reduced = search(a, lua, i % 2, true, 0);
            done++;
            reduced_worlds += is_reduced(reduced);
            fewer += reduced->search.states < plain->search.states;
            held += plain->verdict == VERDICT_PASS;
            if (!agree(plain, reduced) || !gives_up_rightly(reduced))
                differ(i, plain, reduced, lua);
        }
        arena_free(a);
    }
    print_message("%zu worlds of %zu: %zu hold, %zu were reduced, %zu have fewer states\n", done, worlds, held,
                  reduced_worlds, fewer);
    assert_true(done > worlds / 2 && fewer > worlds / 8 && held > worlds / 8);
}

/* Property: several threads come to the very states of one. */
static void threads_agree(void **state)
{
    static const char *const bodies[] = {
        "if try(me, 'l', 25) then me:sleep(5) unlock(me, 'l') end me:sleep(5) me:call('INCR', 'n')",
        "me:spawn('t', function(me) me:step() me:call('RPUSH', 'q', me.id) end) me:sleep(5) me:call('LPOP', 'q')",
        ("me:subscribe('c', function(h, m) flag = not flag end) me:call('PUBLISH', 'c', 'x') me:sleep(5) if flag then "
         "me:call('INCR', 'n') end me:unsubscribe('c')"),
    };
    for (size_t i = 0; i < 2 * COUNT(bodies); i++) {
        bool symmetry = i % 2;
        str lua = world_text(*state, i / 2 == 2 ? "'A', 'B'" : "'A', 'B', 'C'", "", 9, bodies[i / 2]);
        const outcome *plain = search(*state, lua, symmetry, false, 0), *one = search(*state, lua, symmetry, true, 0);
        cores *idle = cores_new(1);
        const outcome *two = fixture_run(*state, lua.p, (search_options){ .symmetry = symmetry, .reduction = true,
                                                                          .max_states = 8000, .cores = idle,
                                                                          .together_rows = 16 });
        cores_free(idle);
        if (!is_reduced(one) || !agree(plain, one) || one->search.states >= plain->search.states)
            differ(i, plain, one, lua);
        assert_true(agree(plain, one) && one->search.states < plain->search.states);
        assert_true(agree(one, two) && one->search.states == two->search.states);
        assert_int_equal(one->search.transitions, two->search.transitions);
        assert_int_equal(one->search.stand_for, two->search.stand_for);
    }
}

/* Property: where a limit of states ends the search in every order before it meets what breaks, and the other does meet
 * it, its story is told, and is said not to be proved shortest. */
static void what_only_the_reduced_search_meets_is_told(void **state)
{
    str lua = world_text(*state, "'A', 'B', 'C', 'D'", "", 9, "for i = 1, 3 do me:sleep(5) me:call('INCR', 'n') end if "
                         "me:call('GET', 'n') == '12' then me:semaphore(0):acquire() end");
    bool told = false;
    for (uint64_t max = 100; max < 20000 && !told; max += max / 4) {
        search_options o = { .max_states = max };
        const outcome *plain = fixture_run(*state, lua.p, o);
        o.reduction = true;
        const outcome *reduced = fixture_run(*state, lua.p, o);
        assert_false(plain->verdict == VERDICT_FAIL && reduced->verdict != VERDICT_FAIL);
        told = plain->verdict == VERDICT_INCONCLUSIVE && reduced->verdict == VERDICT_FAIL;
        if (told) {
            assert_int_equal(reduced->example_count, 1);
            assert_true(reduced->examples[0].replayed);
            assert_non_null(strstr(reduced->means.p, "not proved shortest"));
        }
    }
    assert_true(told);
}

#define HANG "me:semaphore(0):acquire()"
#define AWAY "me:call('GET', 'x')"

/* A task hangs for ever, or a monitor finds something, in one order of two steps of which a rule says that they do
 * not commute. */
static const struct { const char *clients, *fields, *body; } hidden[] = {
    /* a message comes before the step */
    { "'A', 'B'", "", "if me.client == 'B' then me:call('PUBLISH', 'c', 'x') else me:subscribe('c', function(h, m) "
      "flag = true end) me:step() if flag then " HANG " end me:unsubscribe('c') me:sleep(1) end" },
    /* a pause does */
    { "'A', 'B'", "faults = { pause = { 1, of = 'A' } },", "if me.client == 'B' then me:sleep(10) else local t = "
      "me:now() me:step() if me:now() - t >= 1 then " HANG " end " AWAY " me:sleep(1) end" },
    /* time does: work ends at any moment */
    { "'A', 'B'", "", "if me.client == 'A' then me:call('SET', 'k', 1) me:work() me:call('SET', 'k', 2) else "
      "me:sleep(10) if me:call('GET', 'k') == '1' then " HANG " end end" },
    /* the step ends what its thread believes */
    { "{ 'A', threads = 2 }, 'B'", "expect = { strict_mutual_exclusion = 'holds' },", "if me.id == 'A:2' then "
      "me:sleep(50) elseif me.client == 'A' then me:granted('l') me:call('SET', 'k', 1) me:step() elseif "
      "me:call('GET', 'k') then " AWAY " me:granted('l') me:sleep(1) end" },
    /* what it says changes nothing now, and would later */
    { "'A', 'B'", "expect = { fencing = 'holds' },", "if me.client == 'A' then me:granted('l', { token = 1 }) "
      "me:use('r', 0) me:sleep(5) me:use('r', 0) " AWAY " else me:sleep(5) " AWAY " me:granted('m', { token = 2 }) "
      "me:use('r', 0) end" },
    /* it goes round for ever */
    { "'A', 'B'", "", "if me.client == 'A' then while true do me:step() flag = not flag end end " AWAY " " HANG },
    /* with it the last program ends, and nothing more is struck */
    { "'A', 'B'", "faults = { crash = { 1, of = 'B' } },", "if me.client == 'A' then me:spawn('o', function(me) "
      "me:sleep(20) if me:call('GET', 'k') then me:eval(script.text [=[ return redis.call('GET', 'undeclared') ]=], "
      "{}, {}) end end) me:sleep(5) else me:spawn('d', function(me) me:sleep(10) me:call('DEL', 'k') end) me:sleep(5) "
      "me:call('SET', 'k', 1) end" },
    /* a millisecond passes first */
    { "'A', 'B'", "", "if me.client == 'B' then me:call('SET', 'k', 1, 'PX', 5) else local t = me:now() me:sleep(5) if "
      "me:now() - t == 6 then " HANG " end " AWAY " me:sleep(1) end" },
    /* it writes what another reads */
    { "'A', 'B'", "", "if me.client == 'A' then me:call('SET', 'k', 1) elseif not me:call('GET', 'k') then " HANG
      " end" },
    /* a fault makes a deadline of this very millisecond, so that time passes though a task holds it */
    { "'A', 'B'", "faults = { server_clock_jump = { 1, ms = 3 } },", "if me.client == 'B' then me:sleep(2) "
      "me:call('SET', 'k', 1, 'PX', 3) else local t = me:now() me:sleep(2) if me:now() - t == 3 "
      "then " HANG " end " AWAY " me:sleep(1) end" },
};

static str hidden_text(arena *a, size_t i)
{
    return arena_printf(a, FIXTURE_LOCK "local flag = false\nreturn { title = 't', clients = { %s }, start_ms = 0, %s "
                        "program = function(me) %s end }", hidden[i].clients, hidden[i].fields, hidden[i].body);
}

/* Each rule, left out, hides what a search in every order finds: the i-th in the i-th world. */
static void every_rule_matters(void **state)
{
    assert_int_equal(1u << COUNT(hidden), AMPLE_WITHOUT_ALL);
    for (size_t i = 0; i < COUNT(hidden); i++) {
        str lua = hidden_text(*state, i);
        const outcome *plain = search(*state, lua, false, false, 0);
        assert_int_equal(plain->verdict, VERDICT_FAIL);
        assert_true(agree(plain, search(*state, lua, false, true, 0)));
        if (agree(plain, search(*state, lua, false, true, 1u << i)))
            fail_msg("nobody notices that rule %zu is left out", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(generated_worlds_agree, fresh, gone),
        cmocka_unit_test_setup_teardown(threads_agree, fresh, gone),
        cmocka_unit_test_setup_teardown(what_only_the_reduced_search_meets_is_told, fresh, gone),
        cmocka_unit_test_setup_teardown(every_rule_matters, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
