/* test_search_whole.c - what only the graph of all states can tell: deadlock proved, starvation as a loop that is
 * replayed, leaks in a world that never comes to rest, and of the shortest stories the one with the fewest switches.
 * Each has a counterpart that must hold. */
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

/* A string lock, without a lease unless one is said, whose waiters ask again every 10 ms. */
#define SPIN_LOCK \
    "local take = script.text [[ if not redis.call('set', KEYS[1], ARGV[1], 'NX') then return 0 end" \
    " if ARGV[2] ~= '0' then redis.call('pexpire', KEYS[1], ARGV[2]) end return 1 ]]\n" \
    "local give = script.text [[ return redis.call('del', KEYS[1]) ]]\n" \
    "local renew = script.text [[ return redis.call('pexpire', KEYS[1], ARGV[1]) ]]\n" \
    "local function acquire(me, name, lease)\n" \
    "  me:wants(name)\n" \
    "  while me:eval(take, { name }, { me.id, lease or 0 }, { op = 'acquire', lock = name }) == 0 do " \
    "me:refused(name) me:sleep(10) end\n" \
    "  me:granted(name, { count = 1 })\n" \
    "end\n" \
    "local function release(me, name)\n" \
    "  me:eval(give, { name }, {}, { op = 'release', lock = name })\n" \
    "  me:released(name, { count = 0 })\n" \
    "end\n"

static outcome *run(void **state, const char *lock, const char *fields)
{
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', explore = 'exhaustive', %s }", lock, fields);
    outcome *out = fixture_run(*state, lua.p, (search_options){ 0 });
    buf_free(&lua);
    assert_int_not_equal(out->verdict, VERDICT_ERROR);
    assert_true(out->search.complete);
    return out;
}

static const counterexample *broken(const outcome *out, property p)
{
    assert_int_equal(out->properties[p].outcome, OUTCOME_VIOLATED);
    assert_true(out->properties[p].example->replayed);
    return out->properties[p].example;
}

static bool has(str text, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= text.n; i++)
        if (memcmp(text.p + i, part, n) == 0)
            return true;
    return false;
}

/* Property: two locks taken in opposite order are a deadlock although both waiters ask again for ever; in one order
 * they are none. */
static void two_locks_in_opposite_order(void **state)
{
    static const struct { const char *second; bool dead; } row[] = { { "'M', 'L'", true }, { "'L', 'M'", false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[1024];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B' }, program = function(me) local x, y = 'L', 'M'\n"
                 "  if me.client == 'B' then x, y = %s end\n"
                 "  acquire(me, x) acquire(me, y) release(me, y) release(me, x) end", row[i].second);
        outcome *out = run(state, SPIN_LOCK, fields);
        if (!row[i].dead) {
            assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
            continue;
        }
        const counterexample *c = broken(out, PROPERTY_NO_DEADLOCK);
        assert_true(has(c->text, "for ever"));
        assert_true(has(c->schedule, "[ "));
    }
}

/* Property: a waiter that sleeps until it is woken, and whose wake-up came before it slept, can never go on, whatever
 * timers tick; one that looks again after the subscription is never lost. */
static void a_lost_wake_up_beside_a_ticking_timer(void **state)
{
    static const struct { const char *look; bool dead; } row[] = { { "false", true },
                                                                   { "me:call('GET', 'k')", false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[1024];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B' }, program = function(me)\n"
                 "  if me.client == 'A' then me:call('SET', 'k', 1) me:call('PUBLISH', 'ch', 'x') return end\n"
                 "  local s = me:semaphore(0)\n"
                 "  me:spawn('ticker', function(m) while true do m:sleep(10) end end, { daemon = true })\n"
                 "  me:subscribe('ch', function() s:release(1) end)\n"
                 "  if not %s then s:acquire() end\n"
                 "  me:unsubscribe('ch') end", row[i].look);
        outcome *out = run(state, "", fields);
        if (!row[i].dead) {
            assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
            continue;
        }
        assert_true(has(broken(out, PROPERTY_NO_DEADLOCK)->text, "something other than a lock"));
    }
}

/* Property: the end of the run proves nothing: a waiter whom it cuts off is not stuck. */
static void the_end_of_the_run_is_no_deadlock(void **state)
{
    outcome *out = run(state, SPIN_LOCK, "clients = { 'A', 'B' }, end_ms = 95, program = function(me) acquire(me, 'L') "
                       "me:work(100) release(me, 'L') end");
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_HOLDS);
}

/* Property: a paused process can resume, so nobody waits for it for ever; a crashed one cannot. */
static void a_pause_is_no_deadlock_and_a_crash_is_one(void **state)
{
    static const struct { const char *fault; bool dead; } row[] = { { "pause", false }, { "crash", true } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[512];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B' }, faults = { %s = { 1, of = 'A' } }, program = "
                 "function(me)\n"
                 "  if me.client == 'A' then me:work() me:call('SET', 'k', 1) me:call('PUBLISH', 'ch', 'x') return "
                 "end\n"
                 "  local s = me:semaphore(0)\n"
                 "  me:subscribe('ch', function() s:release(1) end)\n"
                 "  if not me:call('GET', 'k') then s:acquire() end\n"
                 "  me:unsubscribe('ch') end", row[i].fault);
        outcome *out = run(state, "", fields);
        assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, row[i].dead ? OUTCOME_VIOLATED : OUTCOME_HOLDS);
    }
}

/* Property: where a fault is what leads to a loop, it is named: without it the same loop is none, or nobody waits in
 * it. */
static void a_fault_that_leads_to_a_loop_is_blamed(void **state)
{
    static const struct { const char *faults, *blame; } row[] = {
        { "crash = { 1, of = 'A' }", "without !crash A (step 2) the same schedule passes" },
        { "crash = { 1, of = 'A' }, clock_jump = 1", "without !crash A (step 2) the same schedule passes" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[512];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B' }, faults = { %s }, program = function(me)\n"
                 "  acquire(me, 'L') release(me, 'L') end", row[i].faults);
        const counterexample *x = broken(run(state, SPIN_LOCK, fields), PROPERTY_NO_DEADLOCK);
        assert_true(has(x->schedule, "["));
        assert_string_equal(x->blame.p, row[i].blame);
    }
}

/* Property: a poller can be passed over for ever, each time another is quicker; where a queue decides it cannot.
 * The loop is replayed, and so it is from a saved schedule; without its brackets it shows nothing. */
static const char spinning[] = SPIN_LOCK
    "return { title = 't', clients = { 'A', 'B' }, explore = 'exhaustive', expect = { bounded_wait = 'violated' },\n"
    "  program = function(me) while true do acquire(me, 'L') me:work() release(me, 'L') end end }";

static void a_spin_lock_starves(void **state)
{
    scenario *sc = fixture_scenario(*state, spinning);
    outcome found = { 0 }, again = { 0 }, plain = { 0 };
    search_run(*state, sc, &fixture_loader, &(search_options){ 0 }, &found);
    assert_int_equal(found.verdict, VERDICT_PASS);
    const counterexample *c = broken(&found, PROPERTY_BOUNDED_WAIT);
    print_message("  %.*s [%.*s]\n", STR_ARG(c->text), STR_ARG(c->schedule));
    assert_true(has(c->text, "come back to the same state"));
    search_replay(*state, sc, &fixture_loader, &(search_options){ 0 }, c->schedule, &again);
    assert_int_equal(again.properties[PROPERTY_BOUNDED_WAIT].outcome, OUTCOME_VIOLATED);
    assert_int_equal(again.run.count, c->steps);
    str without = arena_str(*state, c->schedule);
    for (size_t i = 0; i < without.n; i++)
        if (strchr("[]", without.p[i]))
            ((char *)without.p)[i] = ' ';
    search_replay(*state, sc, &fixture_loader, &(search_options){ .max_steps = 30 }, without, &plain);
    assert_int_not_equal(plain.properties[PROPERTY_BOUNDED_WAIT].outcome, OUTCOME_VIOLATED);
}

/* Property: a back-off that a fair coin decides starves nobody, and it is said that only luck does it; one that an
 * adversary chooses does. */
static void a_fair_coin_ends_a_livelock(void **state)
{
    static const struct { const char *call; property_outcome outcome; } row[] = { { "random", OUTCOME_HOLDS },
                                                                                  { "choose", OUTCOME_VIOLATED } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[1024];
        snprintf(fields, sizeof fields, "clients = { { 'A', start_ms = 0 } }, expect = { bounded_wait = '%s' }, "
                 "program = function(me)\n"
                 "  me:wants('L')\n"
                 "  while me:%s { true, false } do me:sleep(10) end\n"
                 "  me:eval(take, { 'L' }, { me.id, 50 }, { op = 'acquire', lock = 'L' }) me:granted('L', { count = 1 "
                 "}) release(me, 'L') end",
                 row[i].outcome == OUTCOME_HOLDS ? "holds" : "violated", row[i].call);
        outcome *out = run(state, SPIN_LOCK, fields);
        assert_int_equal(out->properties[PROPERTY_BOUNDED_WAIT].outcome, row[i].outcome);
        assert_int_equal(has(out->note, "only if a fair coin"), row[i].outcome == OUTCOME_HOLDS);
    }
}

/* Property: no task holds up time for ever. A waiter that polls without a pause until the lease of the dead ends does
 * get in; where there is no lease it does not. */
static void a_loop_without_time_is_no_starvation(void **state)
{
    static const struct { int lease; property_outcome outcome; } row[] = { { 50, OUTCOME_HOLDS },
                                                                           { 0, OUTCOME_VIOLATED } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[1024];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B' }, faults = { crash = { 1, of = 'A' } },\n"
                 "  expect = { bounded_wait = '%s', no_busy_wait = 'violated' }, program = function(me)\n"
                 "  me:wants('L')\n"
                 "  while me:eval(take, { 'L' }, { me.id, %d }, { op = 'acquire', lock = 'L' }) == 0 do "
                 "me:refused('L') end\n"
                 "  me:granted('L', { count = 1 }) release(me, 'L') end",
                 row[i].outcome == OUTCOME_HOLDS ? "holds" : "violated", row[i].lease);
        outcome *out = run(state, SPIN_LOCK, fields);
        assert_int_equal(out->properties[PROPERTY_BOUNDED_WAIT].outcome, row[i].outcome);
        broken(out, PROPERTY_NO_BUSY_WAIT);
        if (row[i].outcome == OUTCOME_VIOLATED)
            assert_true(has(broken(out, PROPERTY_BOUNDED_WAIT)->schedule, "+"));
    }
}

/* A queue in Redis: its head is let in. */
#define TICKET_LOCK \
    "local ask = script.text [[ local q = redis.call('lrange', KEYS[1], 0, -1) local known = false" \
    " for i = 1, #q do known = known or q[i] == ARGV[1] end if not known then redis.call('rpush', KEYS[1], ARGV[1]) " \
    "end" \
    " if redis.call('lindex', KEYS[1], 0) == ARGV[1] then return 1 end return 0 ]]\n" \
    "local leave = script.text [[ return redis.call('lpop', KEYS[1]) ]]\n" \
    "local function acquire(me, name)\n" \
    "  me:wants(name)\n" \
    "  while me:eval(ask, { name }, { me.id }, { op = 'acquire', lock = name }) == 0 do me:refused(name) " \
    "me:sleep(10) end\n" \
    "  me:granted(name, { count = 1 })\n" \
    "end\n" \
    "local function release(me, name)\n" \
    "  me:eval(leave, { name }, {}, { op = 'release', lock = name })\n" \
    "  me:released(name, { count = 0 })\n" \
    "end\n"

/* Property: in a queue of n none sees more than n - 1 hand-offs before its own: that bound holds, and one less does
 * not. */
static void a_queue_bounds_the_wait_by_its_length(void **state)
{
    static const struct { int hand_offs; property_outcome outcome; } row[] = { { 2, OUTCOME_HOLDS },
                                                                               { 1, OUTCOME_VIOLATED } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[512];
        snprintf(fields, sizeof fields, "clients = { 'A', 'B', 'C' }, expect = { bounded_wait = { '%s', hand_offs = %d "
                 "} },\n"
                 "  program = function(me) while true do acquire(me, 'L') me:work(10) release(me, 'L') end end",
                 row[i].outcome == OUTCOME_HOLDS ? "holds" : "violated", row[i].hand_offs);
        outcome *out = run(state, TICKET_LOCK, fields);
        assert_int_equal(out->properties[PROPERTY_BOUNDED_WAIT].outcome, row[i].outcome);
        assert_int_equal(out->verdict, VERDICT_PASS);
        if (row[i].outcome == OUTCOME_VIOLATED)
            assert_true(has(broken(out, PROPERTY_BOUNDED_WAIT)->text, "to others 2 times"));
    }
}

/* Property: a watchdog that outlives its program and renews the lock for ever leaks it, though time never comes to
 * rest; one that is cancelled does not. */
static void a_watchdog_that_renews_for_ever_leaks(void **state)
{
    static const struct { const char *end; bool leaks; } row[] = { { "", true },
                                                                   { "dog:cancel() release(me, 'L')", false } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char fields[1024];
        snprintf(fields, sizeof fields, "clients = { 'A' }, program = function(me)\n"
                 "  me:observe('L', { spec = 'mutex', view = function(redis, name) local v = redis.call('GET', name)\n"
                 "    return { holders = v and { [v] = 1 } or {}, ttl_ms = redis.call('PTTL', name), queue = {}, keys "
                 "= v and { name } or {} } end })\n"
                 "  acquire(me, 'L', 30)\n"
                 "  local dog = me:spawn('watchdog', function(m) while true do m:sleep(10) m:eval(renew, { 'L' }, { 30 "
                 "}, { op = 'renew', lock = 'L', lease = 30 }) end end,\n"
                 "    { daemon = true })\n"
                 "  %s end", row[i].end);
        outcome *out = run(state, SPIN_LOCK, fields);
        if (!row[i].leaks)
            assert_int_equal(out->properties[PROPERTY_NO_LEAK].outcome, OUTCOME_HOLDS);
        else
            assert_true(has(broken(out, PROPERTY_NO_LEAK)->text, "holds \"L\""));
    }
}

/* Property: of the shortest stories the one with the fewest switches: three steps of each client in one block. */
static void a_shortest_story_has_the_fewest_switches(void **state)
{
    outcome *out = run(state, "", "clients = { 'A', 'B' }, expect = { script_health = 'violated' }, program = "
                       "function(me)\n"
                                  "  me:call('INCR', 'n') me:call('INCR', 'n')\n"
                                  "  me:eval(script.text [[ if redis.call('GET', KEYS[1]) == '4' then error('four') "
                                  "end ]], { 'n' }, {}) end");
    const counterexample *c = broken(out, PROPERTY_SCRIPT_HEALTH);
    assert_int_equal(c->steps, 5);
    assert_int_equal(c->switches, 1);
}

/* Property: brackets that do not stand in pairs, or that show nothing, are refused with what is wrong. */
static void brackets_are_checked(void **state)
{
    static const struct { const char *schedule, *says; } row[] = {
        { "A [ A", "has no ']'" }, { "A ] A", "no loop can end" }, { "[ ] A", "no loop can end" },
        { "[ [ A ] ]", "no loop can begin" },
        { "B [ A ] A", "not enabled" }, { "[ A.acquire +10 A.work ]", "on the next round" },
        { "A B [ +10 B.sleep B.acquire ]", "A could move" },
        { "A B [ !pause A +10 ]", "a fault between the brackets" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        outcome out = { 0 };
        search_replay(*state, fixture_scenario(*state, spinning), &fixture_loader, &(search_options){ 0 },
                      str_from(row[i].schedule), &out);
        print_message("  %s: %.*s\n", row[i].schedule, STR_ARG(buf_str(&out.error.message)));
        assert_int_equal(out.verdict, VERDICT_ERROR);
        assert_true(has(buf_str(&out.error.message), row[i].says));
        err_clear(&out.error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, fresh, gone)
        T(two_locks_in_opposite_order), T(a_lost_wake_up_beside_a_ticking_timer), T(the_end_of_the_run_is_no_deadlock),
        T(a_pause_is_no_deadlock_and_a_crash_is_one), T(a_fault_that_leads_to_a_loop_is_blamed),
        T(a_spin_lock_starves), T(a_fair_coin_ends_a_livelock), T(a_loop_without_time_is_no_starvation),
        T(a_queue_bounds_the_wait_by_its_length),
        T(a_watchdog_that_renews_for_ever_leaks), T(a_shortest_story_has_the_fewest_switches), T(brackets_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
