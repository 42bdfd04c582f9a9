/* test_search.c - worlds and searches on small scenarios: counts of whole searches, schedules, faults, shrinking,
 * verdicts. */
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

/* Property: nothing is merged and nothing is left out: two clients of three steps have 6!/(3!3!) = 20 schedules. */
static void two_clients_of_three_steps_have_twenty_schedules(void **state)
{
    static const struct { const char *clients; int calls; uint64_t schedules; } row[] = {
        { "'A'", 3, 1 }, { "'A', 'B'", 1, 2 }, { "'A', 'B'", 2, 6 }, { "'A', 'B'", 3, 20 }, { "'A', 'B', 'C'", 1, 6 },
        { "'A', 'B', 'C'", 2, 90 }, { "'A', 'B', 'C'", 3, 1680 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { %s }, explore = 'exhaustive', program = "
                 "function(me) for i = 1, %d do me:call('INCR', 'n') end end }", row[i].clients, row[i].calls);
        outcome *out = fixture_run(*state, lua, (search_options){ .no_fold = true });
        assert_int_equal(out->verdict, VERDICT_PASS);
        assert_true(out->search.complete);
        assert_int_equal(out->search.runs, row[i].schedules);
    }
}

/* Property: n clients of k steps that nothing tells apart have (k+1)^n states: merged wherever they meet, and nowhere
 * else. */
static void the_states_of_independent_clients_multiply(void **state)
{
    static const struct { const char *clients; int calls; uint64_t states, transitions; } row[] = {
        { "'A'", 3, 4, 3 }, { "'A', 'B'", 1, 4, 4 }, { "'A', 'B'", 3, 16, 24 }, { "'A', 'B', 'C'", 2, 27, 54 },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[512];
        snprintf(lua, sizeof lua, "return { title = 't', clients = { %s }, explore = 'exhaustive', program = "
                 "function(me) for i = 1, %d do me:step() end end }", row[i].clients, row[i].calls);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        assert_int_equal(out->verdict, VERDICT_VACUOUS);       /* who only steps does nothing */
        assert_true(out->search.complete);
        assert_int_equal(out->search.states, row[i].states);
        assert_int_equal(out->search.transitions, row[i].transitions);
    }
}

/* Small worlds with everything in them: locks, leases, time, every fault, spawned tasks, messages. */
static const char *const small_worlds[] = {
    "clients = { 'A', 'B' }, program = function(me) if try(me, 'L', 50) then me:work(20) unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { crash = 1 }, program = function(me) if try(me, 'L', 50) then me:work(20) "
    "unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { pause = 1 }, expect = { strict_mutual_exclusion = 'violated' }, program = "
    "function(me) local ok, ttl = try(me, 'L', 50) if not ok then me:sleep(ttl + 1) ok = try(me, 'L', 50) end if ok "
    "then me:work(20) unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { lose_reply = 1 }, timeout_ms = 10, program = function(me) if try(me, 'L', 30) "
    "then unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { evict = 1 }, program = function(me) if try(me, 'L', 50) then unlock(me, 'L') "
    "end end",
    "clients = { 'A' }, program = function(me) local t = me:spawn('w', function(m) m:call('INCR', 'n') end) "
    "me:call('INCR', 'n') t:join() end",
    "clients = { 'A', 'B' }, program = function(me) if me.client == 'A' then me:call('PUBLISH', 'ch', 'x') return end "
    "local s = me:semaphore(0) me:subscribe('ch', function() s:release(1) end) s:acquire(10) me:unsubscribe('ch') end",
    "clients = { { 'A', threads = 2 } }, program = function(me) local p = me.process p.n = (p.n or 0) + 1 me:step() "
    "me:call('SET', 'k', p.n) end",
    "clients = { 'A', 'B' }, program = function(me) me:call('SADD', 's', 'a', 'b', 'c') local x = me:call('SPOP', 's') "
    "me:call('SET', x or 'n', 1) end",
    "clients = { 'A', 'B' }, program = function(me) local n = me:eval(script.text [[ return math.random(3) ]], {}, {}) "
    "me:call('SET', 'k' .. n, 1) end",
    "clients = { 'A', 'B' }, program = function(me) local x = me:choose { 1, 2 } me:sleep(x) me:call('SET', 'k', x) "
    "end",
    "clients = { 'A', 'B' }, faults = { restart = 1 }, program = function(me) local ok, ttl = try(me, 'L', 50) if not "
    "ok then me:sleep(ttl + 1) ok = try(me, 'L', 50) end if ok then unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { lose_message = 1 }, program = function(me) if me.client == 'A' then "
    "me:call('PUBLISH', 'ch', 'x') me:call('PUBLISH', 'ch', 'y') return end local s = me:semaphore(0) "
    "me:subscribe('ch', function(_, m) me:call('SET', 'got', m) s:release(1) end) s:acquire(10) me:unsubscribe('ch') "
    "end",
    "clients = { 'A', 'B' }, faults = { lose_request = 1 }, timeout_ms = 10, program = function(me) if try(me, 'L', "
    "30) then unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { late_request = 1 }, timeout_ms = 10, program = function(me) if try(me, 'L', "
    "30) then unlock(me, 'L') end end",
    "clients = { 'A' }, faults = { late_request = 1, crash = 1 }, timeout_ms = 30, program = function(me) "
    "me:call('SET', 'k', me:now() + 12) end",
    "clients = { 'A', 'B' }, cluster = true, faults = { move_slot = 2 }, program = function(me) me:call('MSET', "
    "'{k}1', me.client, '{k}2', '1') me:eval(script.text [[ return redis.call('INCR', KEYS[1]) ]], { 'n' }, {}) end",
    "clients = { 'A' }, faults = { oom = 2 }, program = function(me) me:call('SET', 'k', '1') me:call('SET', 'k', '2') "
    "end",
    "clients = { 'A', 'B' }, faults = { duplicate = 1 }, program = function(me) if try(me, 'L', 50) then unlock(me, "
    "'L') end end",
    "clients = { 'A', 'B' }, faults = { wipe = 1 }, program = function(me) local n = me:call('INCR', 'n') if n then "
    "me:call('SET', me.client, n) end if try(me, 'L', 50) then unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { clock_jump = { 1, ms = 40 } }, program = function(me) local t = me:now() if "
    "try(me, 'L', 50) then me:sleep(3) if me:now() - t < 30 then unlock(me, 'L') end end end",
    "clients = { 'A', 'B' }, faults = { server_clock_jump = { 1, ms = 40 } }, program = function(me) if try(me, 'L', "
    "50) then me:sleep(20) unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { script_flush = 1 }, program = function(me) if try(me, 'L', 50) or try(me, 'L', "
    "50) then unlock(me, 'L') end end",
    "clients = { 'A', 'B' }, faults = { interrupt = 1 }, program = function(me) local s = me:semaphore(0) if try(me, "
    "'L', 50) then me:sleep(20) unlock(me, 'L') elseif s:acquire(30) == nil then me:call('INCR', 'n') end end",
    "clients = { 'A', 'B' }, replicas = 1, faults = { lag = 1 }, program = function(me) me:call('INCR', 'n') "
    "me:call('SET', me.client, me:call('WAIT', 1, 5) or 'none') end",
    "clients = { { 'A', threads = 2 } }, faults = { preempt = 1 }, program = function(me) local p = me.process p.n = "
    "(p.n or 0) + 1 me:call('SET', 'k', p.n) end",
    "clients = { 'A', 'B' }, faults = { stall = 1 }, expect = { strict_mutual_exclusion = 'violated' }, program = "
    "function(me) if try(me, 'L', 50) then me:work(20) unlock(me, 'L') elseif me.client == 'B' then me:sleep(60) if "
    "try(me, 'L', 50) then unlock(me, 'L') end end end",
    "clients = { 'A', 'B' }, replicas = 1, faults = { failover = 1 }, program = function(me) if try(me, 'L', 50) or "
    "try(me, 'L', 50) then me:work(20) unlock(me, 'L') end end",
};

/* The faults among the sights, one bit a kind. */
static uint32_t faults_in(str seen)
{
    uint32_t bits = 0;
    for (size_t from = 0; from < seen.n;) {
        size_t to = str_find(seen, ' ', from);
        for (int k = 0; k < FAULT_KINDS; k++)
            bits |= (uint32_t)str_eq(str_slice(seen, from, to), str_from(fault_name(k))) << k;
        from = to + 1;
    }
    return bits;
}

/* Property: visiting every state once reaches what running every schedule reaches: the same outcome of every
 * property. */
static void folding_reaches_what_every_schedule_reaches(void **state)
{
    uint32_t faults = 0;
    for (size_t i = 0; i < COUNT(small_worlds); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', explore = 'exhaustive', limits = { steps = 60 }, %s }",
                 FIXTURE_LOCK, small_worlds[i]);
        outcome *all = fixture_run(*state, lua, (search_options){ .no_fold = true, .runs = 60000 });
        outcome *folded = fixture_run(*state, lua, (search_options){ 0 });
        print_message("  %zu: %llu schedules, %llu states, %llu transitions\n", i, (unsigned long long)all->search.runs,
                      (unsigned long long)folded->search.states, (unsigned long long)folded->search.transitions);
        assert_true(all->search.complete);
        assert_true(folded->search.complete);
        assert_true(folded->search.runs <= all->search.runs);
        for (int p = 0; p < PROPERTY_COUNT; p++)
            assert_int_equal(all->properties[p].outcome, folded->properties[p].outcome);
        assert_true(str_eq(all->seen, folded->seen));
        faults |= faults_in(all->seen);
    }
    assert_int_equal(faults, (UINT32_C(1) << FAULT_KINDS) - 1);
}

/* A client that polls for ever has a finite graph: loops that come back to the same state fold. */
static void a_client_that_retries_for_ever_is_a_finite_graph(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 't', clients = { 'A', 'B' }, explore = 'exhaustive', program = function(me)\n"
             "  while not try(me, 'L', 100) do me:sleep(10) end me:work(25) unlock(me, 'L') end }");
    outcome *out = fixture_run(*state, lua, (search_options){ 0 });
    assert_true(out->search.complete);
    assert_int_equal(out->verdict, VERDICT_PASS);
}

/* Property: a pause longer than the lease lets a second client in; the schedule of DESIGN.md shows it. */
static const char pause_scenario[] = FIXTURE_LOCK
    "return { title = 'pause', clients = { 'A', { 'B', start_ms = 10 } }, faults = { pause = 1 },\n"
    "  program = function(me) local ok = try(me, 'L', 30000) if ok then me:work(100) unlock(me, 'L') end end,\n"
    "  explore = { schedule = 'A A !pause A +30001 B B' }, expect = { strict_mutual_exclusion = 'violated' } }";

static void a_pause_past_the_lease_lets_a_second_client_in(void **state)
{
    outcome *out = fixture_run(*state, pause_scenario, (search_options){ 0 });
    assert_int_equal(out->verdict, VERDICT_PASS);
    const property_result *strict = &out->properties[PROPERTY_STRICT_MUTUAL_EXCLUSION];
    assert_int_equal(strict->outcome, OUTCOME_VIOLATED);
    assert_true(strict->example->replayed);
    assert_int_equal(out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome, OUTCOME_HOLDS);
}

/* The same, found by chance and shortened. */
static void chance_finds_the_pause_and_shortens_it(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 'pause', clients = { 'A', 'B' }, faults = { pause = 1 },\n"
             "  program = function(me)\n"
             "    for i = 1, 3 do local ok, ttl = try(me, 'L', 30000) if ok then me:work(100) unlock(me, 'L') break "
             "end me:sleep(ttl + 1) end\n"
             "  end, explore = { random = 2000 }, expect = { strict_mutual_exclusion = 'violated' } }");
    for (int pct = 0; pct < 2; pct++) {
        outcome *out = fixture_run(*state, lua, (search_options){ .seed = 7, .strategy = pct ? "pct" : "uniform" });
        assert_int_equal(out->verdict, VERDICT_PASS);
        const counterexample *c = out->properties[PROPERTY_STRICT_MUTUAL_EXCLUSION].example;
        assert_true(c->replayed);
        assert_true(c->steps <= 12);
        assert_true(c->blame.n > 0);
        assert_int_equal(c->steps, c->story.count);
        /* blame names rows of the story, in which time that passes takes several */
        assert_int_equal(c->blamed_count, 1);
        assert_true(str_starts(c->story.rows[c->blamed[0] - 1].token, S("!pause")));
        assert_true(c->decides > c->blamed[0] && c->story.rows[c->decides - 1].token.p[0] != '+');
        char step[32];
        snprintf(step, sizeof step, "(step %zu) it passes", c->decides);
        assert_true(strstr(c->blame.p, step) != NULL);
    }
}

/* Property: one seed, one result, to the last step. */
static void the_same_seed_gives_the_same_result(void **state)
{
    outcome *x = fixture_run(*state, pause_scenario, (search_options){ .seed = 3, .strategy = "uniform", .runs = 300 });
    outcome *y = fixture_run(*state, pause_scenario, (search_options){ .seed = 3, .strategy = "uniform", .runs = 300 });
    outcome *z = fixture_run(*state, pause_scenario, (search_options){ .seed = 4, .strategy = "uniform", .runs = 300 });
    assert_int_equal(x->search.transitions, y->search.transitions);
    assert_int_equal(x->example_count, y->example_count);
    for (size_t i = 0; i < x->example_count; i++)
        assert_true(str_eq(x->examples[i].schedule, y->examples[i].schedule));
    assert_int_not_equal(x->search.transitions, z->search.transitions);
}

/* Property: an owner who never releases keeps a waiter out until the lease ends, at d + 1 and not at d. */
static void a_lease_ends_after_its_deadline_millisecond(void **state)
{
    static const struct { const char *wait; property_outcome granted; } row[] = { { "+1000", 0 }, { "+1001", 1 } };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A', { 'B', start_ms = 5 } }, program = "
                 "function(me) local ok = try(me, 'L', 1000) if me.client == 'B' then me:log(ok and 'in' or 'out') end "
                 "end, explore = { schedule = 'A %s B B' }, expect = { no_leak = 'violated' } }", FIXTURE_LOCK,
                 row[i].wait);
        outcome *out = ARENA_NEW(*state, outcome);
        search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &(search_options){ 0 }, out);
        assert_int_not_equal(out->verdict, VERDICT_ERROR);
        bool in = false;
        for (size_t r = 0; r < out->run.count; r++)
            in |= strstr(out->run.rows[r].notes.p, "in") != NULL;
        assert_int_equal(in, row[i].granted);
    }
}

/* Every fault kind can be a step of a schedule. */
static void every_fault_is_a_step_of_a_schedule(void **state)
{
    static const struct { fault_kind kind; const char *schedule, *extra; } row[] = {
        { FAULT_CRASH, "A !crash A", "" },
        { FAULT_RESTART, "A !restart A", "" },
        { FAULT_PAUSE, "!pause A A !resume A", "" },
        { FAULT_LOSE_MESSAGE, "B.subscribe B<answer A +10 A A !lose_message B", "" },
        { FAULT_LOSE_REQUEST, "!lose_request A.acquire +3000 A<timeout", "" },
        { FAULT_LOSE_REPLY, "A.acquire !lose_reply A.acquire +3000 A<timeout", "" },
        { FAULT_LATE_REQUEST, "!late_request A +3000 A<timeout A.acquire", "" },
        { FAULT_DUPLICATE, "!duplicate A.acquire A.acquire", "" },
        { FAULT_LAG, "!lag 1 A", ", replicas = 1" },
        { FAULT_FAILOVER, "A !failover 1=1", ", replicas = 1" },
        { FAULT_WIPE, "A !wipe 1", "" },
        { FAULT_EVICT, "A !evict L", "" },
        { FAULT_CLOCK_JUMP, "!clock_jump A=60000 A", "" },
        { FAULT_SERVER_CLOCK_JUMP, "A !server_clock_jump 1", "" },
        { FAULT_SCRIPT_FLUSH, "!script_flush 1 A", "" },
        { FAULT_INTERRUPT, "A !interrupt A", "" },
        { FAULT_PREEMPT, "A A.go_on !preempt A A:2", ", clients = { { 'A', threads = 2 }, 'B' }" },
        { FAULT_STALL, "A !stall A +10 !resume A A", "" },
        { FAULT_OOM, "!oom A.acquire A", "" },
        { FAULT_MOVE_SLOT, "!move_slot A.acquire A", ", cluster = true" },
    };
    assert_int_equal(COUNT(row), FAULT_KINDS);
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A', 'B' } %s, program = function(me)"
                 " me.process.n = (me.process.n or 0) + 1 if me.client == 'B' then me:subscribe('ch', function() end) "
                 "me:sleep(50) me:unsubscribe('ch') return end if try(me, 'L', 1000) then me:sleep(10) unlock(me, 'L') "
                 "end end, explore = { schedule = '%s' } }", FIXTURE_LOCK, row[i].extra, row[i].schedule);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        print_message("%s: %s\n", fault_name(row[i].kind), verdict_name(out->verdict));
        assert_int_not_equal(out->verdict, VERDICT_ERROR);
        assert_true(faults_in(out->seen) & UINT32_C(1) << row[i].kind);
    }
}

/* A schedule that names nobody, or a step that is not enabled, is said with its place and what is enabled. */
static void a_wrong_schedule_is_located(void **state)
{
    static const struct { const char *schedule, *says; } row[] = {
        { "A Z A", "'Z'" }, { "A !explode A", "!explode" }, { "A A<answer", "step 2" }, { "!crash", "target" },
        { "B<msg", "not enabled" },
        { "+", "'+'" }, { "!pause +5", "target" }, { "+99999999999999999999", "no step" }, { "A.nothing", "enabled" },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A', 'B' }, program = function(me) try(me, 'L', "
                 "1000) end, explore = { schedule = '%s' } }", FIXTURE_LOCK, row[i].schedule);
        outcome *out = ARENA_NEW(*state, outcome);
        search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &(search_options){ 0 }, out);
        assert_int_equal(out->verdict, VERDICT_ERROR);
        assert_int_equal(out->error.class_, ERR_SCENARIO);
        buf b = { 0 };
        err_print(&out->error, &b);
        if (!strstr(b.p, row[i].says))
            print_error("%s: %s", row[i].schedule, b.p);
        assert_non_null(strstr(b.p, row[i].says));
        buf_free(&b);
        err_clear(&out->error);
    }
}

/* Property: a client that parks for ever on a message nobody sends is found stuck (LK011), and its wake-up lost
 * (LK010). */
static void a_lost_message_leaves_a_waiter_stuck(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 'lost', clients = { 'A', 'B' }, faults = { lose_message = 1 }, program = function(me)\n"
             "  local gate = me:semaphore(0)\n"
             "  if me.client == 'B' then me:subscribe('ch', function() gate:release() end) end\n"
             "  while not try(me, 'L', 100000) do gate:acquire() end\n"
             "  me:work(10) unlock(me, 'L')\n"
             "  if me.client == 'B' then me:unsubscribe('ch') end\n"
             "end, explore = { random = 500 }, expect = { no_deadlock = 'violated', no_lost_wakeup = 'violated' } }");
    /* A must not park without a subscription: it only ever tries first. */
    outcome *out = fixture_run(*state, lua, (search_options){ .seed = 1 });
    assert_int_equal(out->properties[PROPERTY_NO_DEADLOCK].outcome, OUTCOME_VIOLATED);
    assert_int_equal(out->properties[PROPERTY_NO_LOST_WAKEUP].outcome, OUTCOME_VIOLATED);
    assert_true(out->properties[PROPERTY_NO_LOST_WAKEUP].example->replayed);
}

/* Property: a loop of requests in zero time is LK051, and no hang. */
static void polling_without_pause_is_a_finding_and_no_hang(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 'busy', clients = { 'A', 'B' }, program = function(me)\n"
             "  while not try(me, 'L', 1000) do end me:work(10) unlock(me, 'L') end,\n"
             "  explore = { random = 200 }, expect = { no_busy_wait = 'violated' } }");
    outcome *out = fixture_run(*state, lua, (search_options){ .seed = 1 });
    assert_int_equal(out->properties[PROPERTY_NO_BUSY_WAIT].outcome, OUTCOME_VIOLATED);
}

/* What had to be seen and was not makes a pass vacuous; an expected break that chance did not find is inconclusive. */
static void verdicts_say_what_a_search_is_worth(void **state)
{
    static const struct { const char *fields; verdict verdict; } row[] = {
        { "explore = { random = 20 }", VERDICT_PASS },
        { "explore = { random = 20 }, must_see = { 'grant', 'release' }", VERDICT_PASS },
        { "explore = { random = 20 }, must_see = { 'expiry' }", VERDICT_VACUOUS },
        { "explore = { random = 20 }, expect = { mutual_exclusion = 'violated' }", VERDICT_INCONCLUSIVE },
        { "explore = 'exhaustive', expect = { mutual_exclusion = 'violated' }", VERDICT_FAIL },
        { "explore = { random = 20 }, limits = { steps = 1 }", VERDICT_INCONCLUSIVE },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A' }, program = function(me) try(me, 'L', "
                 "1000) unlock(me, 'L') end, %s }", FIXTURE_LOCK, row[i].fields);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        if (out->verdict != row[i].verdict)
            print_error("%s: %s (%.*s)\n", row[i].fields, verdict_name(out->verdict), STR_ARG(out->reason));
        assert_int_equal(out->verdict, row[i].verdict);
    }
}

/* Property: what nobody looked at is not said to hold, and to expect it is vacuous. */
static void a_property_without_evidence_is_not_judged(void **state)
{
    static const struct { const char *program, *expect; verdict verdict; property_outcome exclusion, owner_only,
                          health; } row[] = {
        { "me:call('PING')", "", VERDICT_PASS, OUTCOME_NOT_JUDGED, OUTCOME_NOT_JUDGED, OUTCOME_HOLDS },
        { "me:call('PING')", "mutual_exclusion = 'holds'", VERDICT_VACUOUS, OUTCOME_NOT_JUDGED, OUTCOME_NOT_JUDGED,
          OUTCOME_HOLDS },
        { "me:call('PING')", "owner_only = 'holds'", VERDICT_VACUOUS, OUTCOME_NOT_JUDGED, OUTCOME_NOT_JUDGED,
          OUTCOME_HOLDS },
        { "me:observe('L', driver)", "owner_only = 'holds'", VERDICT_VACUOUS, OUTCOME_NOT_JUDGED, OUTCOME_NOT_JUDGED,
          OUTCOME_HOLDS },
        { "try(me, 'L', 1000) unlock(me, 'L')", "mutual_exclusion = 'holds', owner_only = 'holds'", VERDICT_PASS,
          OUTCOME_HOLDS, OUTCOME_HOLDS, OUTCOME_HOLDS },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        char lua[4096];
        snprintf(lua, sizeof lua, "%sreturn { title = 't', clients = { 'A' }, program = function(me) %s end, explore = "
                 "{ random = 2 }, expect = { %s } }", FIXTURE_LOCK, row[i].program, row[i].expect);
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        assert_int_equal(out->verdict, row[i].verdict);
        assert_int_equal(out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome, row[i].exclusion);
        assert_int_equal(out->properties[PROPERTY_OWNER_ONLY].outcome, row[i].owner_only);
        assert_int_equal(out->properties[PROPERTY_SCRIPT_HEALTH].outcome, row[i].health);
    }
}

/* The user's own invariant is judged in every state. */
static void the_scenarios_own_invariant_is_judged(void **state)
{
    char lua[4096];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "return { title = 't', clients = { 'A', 'B' }, program = function(me) if try(me, 'L', 1000) then "
             "unlock(me, 'L') end end,\n"
             "  always = function(view) local n = 0 for id in pairs(view.holders) do if id == 'B:1' then return false, "
             "'B is in' end end return true end,\n"
             "  explore = { random = 50 }, expect = { always = 'violated' } }");
    outcome *out = fixture_run(*state, lua, (search_options){ .seed = 1 });
    assert_int_equal(out->verdict, VERDICT_PASS);
    assert_true(str_eq(out->properties[PROPERTY_ALWAYS].example->why, S("B is in")));
}

/* Property: a hold within a hold is promised from its execution, too, when a pause keeps its owner from reading the
 * answer. */
static void a_pause_before_a_nested_answer_is_read_promises_nothing_more(void **state)
{
    char lua[8192];
    snprintf(lua, sizeof lua, "%s%s", FIXTURE_LOCK,
             "local function take(me, hold)\n"
             "  me:observe('L', driver)\n"
             "  me:wants('L')\n"
             "  local sent = me:send(acquire, { 'L' }, { 100, me.id }, { op = 'acquire', lock = 'L', lease = 100 })\n"
             "  local ttl, problem = sent:wait()\n"
             "  if problem then me:gave_up('L') return false end\n"
             "  if ttl then me:refused('L') return false end\n"
             "  me:granted('L', { lease = 100, count = hold })\n"
             "  return true\n"
             "end\n"
             "return { title = 't', clients = { 'A', 'B' }, program = function(me)\n"
             "  if me.id == 'B:1' then me:sleep(101) take(me, 1) elseif take(me, 1) then take(me, 2) end\n"
             "end, faults = { pause = 1 } }");
    outcome *out = fixture_run(*state, lua, (search_options){ 0 });
    assert_true(out->search.complete);
    assert_int_equal(out->properties[PROPERTY_MUTUAL_EXCLUSION].outcome, OUTCOME_HOLDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_clients_of_three_steps_have_twenty_schedules, fresh, gone),
        cmocka_unit_test_setup_teardown(the_states_of_independent_clients_multiply, fresh, gone),
        cmocka_unit_test_setup_teardown(folding_reaches_what_every_schedule_reaches, fresh, gone),
        cmocka_unit_test_setup_teardown(a_client_that_retries_for_ever_is_a_finite_graph, fresh, gone),
        cmocka_unit_test_setup_teardown(a_pause_past_the_lease_lets_a_second_client_in, fresh, gone),
        cmocka_unit_test_setup_teardown(chance_finds_the_pause_and_shortens_it, fresh, gone),
        cmocka_unit_test_setup_teardown(the_same_seed_gives_the_same_result, fresh, gone),
        cmocka_unit_test_setup_teardown(a_lease_ends_after_its_deadline_millisecond, fresh, gone),
        cmocka_unit_test_setup_teardown(every_fault_is_a_step_of_a_schedule, fresh, gone),
        cmocka_unit_test_setup_teardown(a_wrong_schedule_is_located, fresh, gone),
        cmocka_unit_test_setup_teardown(a_lost_message_leaves_a_waiter_stuck, fresh, gone),
        cmocka_unit_test_setup_teardown(polling_without_pause_is_a_finding_and_no_hang, fresh, gone),
        cmocka_unit_test_setup_teardown(verdicts_say_what_a_search_is_worth, fresh, gone),
        cmocka_unit_test_setup_teardown(a_property_without_evidence_is_not_judged, fresh, gone),
        cmocka_unit_test_setup_teardown(the_scenarios_own_invariant_is_judged, fresh, gone),
        cmocka_unit_test_setup_teardown(a_pause_before_a_nested_answer_is_read_promises_nothing_more, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
