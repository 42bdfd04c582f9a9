/* test_search_memo.c - the tables against the worlds they stand for: a search that looks everything up and one that
 * runs every step again from the start must find the same states, transitions, outcomes and sights. */
#include "base/rng.h"
#include "fixture.h"

#include <inttypes.h>
#include <stdlib.h>

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

static const counterexample *example_of(const outcome *o, int p)
{
    return o->properties[p].outcome == OUTCOME_VIOLATED ? o->properties[p].example : NULL;
}

static bool same_outcomes(const outcome *x, const outcome *y)
{
    bool same = x->verdict == y->verdict && x->search.states == y->search.states &&
                x->search.transitions == y->search.transitions &&
                x->search.same == y->search.same && x->search.longest == y->search.longest &&
                    x->search.complete == y->search.complete &&
                str_eq(x->seen, y->seen) && str_eq(x->reason, y->reason);
    for (int p = 0; p < PROPERTY_COUNT; p++) {
        const counterexample *a = example_of(x, p), *b = example_of(y, p);
        same = same && x->properties[p].outcome == y->properties[p].outcome && !a == !b;
        same = same && (!a || (str_eq(a->schedule, b->schedule) && a->replayed && b->replayed));
    }
    return same;
}

static void print_out(const char *name, const outcome *o)
{
    print_error("%s: %s, %llu states, %llu transitions, %llu the same, longest %llu, seen %.*s\n", name,
                verdict_name(o->verdict),
                (unsigned long long)o->search.states, (unsigned long long)o->search.transitions,
                (unsigned long long)o->search.same, (unsigned long long)o->search.longest, STR_ARG(o->seen));
}

typedef enum { SAME, DIFFERS, TOO_LARGE } compared;

/* Searches both ways, unless the graph is too large for it. */
static compared compare(arena *a, const char *fields, uint64_t states_max, uint64_t *states)
{
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', explore = 'exhaustive', %s }", FIXTURE_LOCK, fields);
    const char *text = arena_str(a, buf_str(&lua)).p;
    buf_free(&lua);
    outcome *tables = fixture_run(a, text, (search_options){ .max_states = states_max });
    if (tables->verdict != VERDICT_ERROR && (!tables->search.complete || tables->search.states > states_max))
        return TOO_LARGE;
    outcome *runs = fixture_run(a, text, (search_options){ .no_memo = true });
    *states += tables->search.states;
    if (tables->verdict != VERDICT_ERROR && same_outcomes(tables, runs))
        return SAME;
    print_out("tables", tables);
    print_out("no memo", runs);
    print_error("{ %s }\n", fields);
    return DIFFERS;
}

/* Each says what a table could get wrong. */
static const char *const worlds[] = {
    /* a loop that polls in zero time, beside one that sleeps; while time passes, its request is a later one */
    ("clients = { 'A', 'B' }, program = function(me) if me.client == 'A' then while not try(me, 'L', 20) do end "
        "unlock(me, 'L') return end"
    " if try(me, 'L', 20) then me:sleep(5) unlock(me, 'L') end end, expect = { no_busy_wait = 'violated' }"),
    /* the same with a time-out that must not strike, as the request is always a fresh one */
    ("clients = { 'A' }, timeout_ms = 7, program = function(me) me:call('SET', 'k', 1, 'PX', 20) while me:call('GET', "
        "'k') do end end,"
    " expect = { no_busy_wait = 'violated' }"),
    /* a loop over two requests, and one that ends at a deadline */
    ("clients = { 'A' }, program = function(me) me:call('SET', 'k', 1, 'PX', 3) repeat me:call('PING') until "
        "me:call('PTTL', 'k') < 0 end,"
    " expect = { no_busy_wait = 'violated' }"),
    /* messages wake a task, or come late */
    ("clients = { 'A', 'B' }, faults = { lose_message = 1 }, program = function(me) if me.client == 'A' then "
        "me:call('PUBLISH', 'ch', me:now())"
    " me:call('PUBLISH', 'ch', 'y') return end local s = me:semaphore(0) me:subscribe('ch', function(m, x) "
        "me:call('SET', 'k', x) s:release(1) end)"
    " s:acquire(10) me:unsubscribe('ch') end"),
    ("clients = { 'A', 'B' }, program = function(me) me:subscribe('ch', function(m, x) if me.client == 'A' then "
        "m:call('INCR', x) end end)"
    " if me.client == 'B' then me:call('PUBLISH', 'ch', 'n') end end"),
    /* crash with a request held up; restart while it is */
    ("clients = { 'A', 'B' }, faults = { crash = 1, late_request = 1 }, timeout_ms = 5, program = function(me) if "
        "try(me, 'L', 20) then"
    " unlock(me, 'L') end end, expect = { no_leak = 'violated', prompt = 'holds' }"),
    ("clients = { 'A' }, faults = { restart = 1, late_request = 1 }, timeout_ms = 5, program = function(me) "
    "me:call('INCR', 'n') me:call('INCR', 'n') end"),
    ("clients = { 'A' }, faults = { restart = 2 }, program = function(me) me:call('INCR', 'n') me:sleep(3) "
    "me:call('INCR', 'n') end"),
    ("clients = { 'A', 'B' }, faults = { restart = { 1, of = 'A' } }, program = function(me) if me.client == 'A' then "
        "me:subscribe('ch', function() end)"
    " me:sleep(2) me:call('PUBLISH', 'ch', 'a') else me:sleep(1) for i = 1, 3 do me:call('PUBLISH', 'ch', i) end end "
    "end"),
    ("clients = { 'A', 'B' }, faults = { crash = 1 }, program = function(me) me:subscribe('ch', function() end) "
        "me:call('PUBLISH', 'ch', 'x')"
    " me:unsubscribe('ch') end"),
    /* a request twice, and once too often */
    ("clients = { 'A' }, faults = { duplicate = 1 }, program = function(me) me:call('INCR', 'n') me:call('INCR', 'n') "
    "end"),
    ("clients = { 'A' }, faults = { duplicate = 1, lose_reply = 1 }, timeout_ms = 5, program = function(me) "
    "me:call('INCR', 'n') me:call('GET', 'n') end"),
    /* time-outs: the request lost, the reply lost */
    ("clients = { 'A', 'B' }, faults = { lose_request = 1, lose_reply = 1 }, timeout_ms = 10, program = function(me) "
    "me:call('INCR', 'n') end"),
    /* replicas: who waits for them, and what a failover loses */
    ("clients = { 'A', 'B' }, replicas = 1, faults = { lag = 1, failover = 1 }, program = function(me) me:call('INCR', "
        "'n')"
    " local got = me:call('WAIT', 1, 5) me:call('SET', 'acks' .. me.client, got or 'none') end"),
    ("clients = { 'A', 'B' }, replicas = 1, faults = { failover = { 2, writes = 2 } }, program = function(me) "
    "me:call('INCR', 'n') me:call('SET', me.client, 1, 'PX', 5) end"),
    ("clients = { 'A', 'B' }, replicas = 1, faults = { lag = { 1, ms = 20 }, failover = 1 }, program = function(me)"
    " local v, e = me:call('INCR', 'n', { sync = 1 }) me:call('SET', 'k', e and e.kind or v) end"),
    ("clients = { 'A' }, replicas = 1, faults = { lag = { 1, ms = 20 }, late_request = 1 }, timeout_ms = 5, program = "
        "function(me)"
    " local _, e = me:call('INCR', 'n', { sync = 1 }) if e then me:call('SET', 'k', e.kind) end end"),
    ("clients = { 'A', 'B' }, replicas = 2, faults = { lag = { 1, ms = 20 }, failover = 1 }, program = function(me) "
        "me:call('INCR', 'n')"
    " me:call('SET', 'k', me:call('WAIT', 1, 5)) end"),
    /* a key's end is told, and servers have faults at the same time */
#define TOLD "notify_keyspace_events = 'Ex', clients = { 'A' }, program = function(me)" \
             " me:subscribe('__keyevent@0__:expired', function(m) m:call('PING') end) me:call('SET', 'k', 'x', 'PX', " \
             "5)" \
             " me:sleep(9) end"
    TOLD ", faults = { script_flush = 1 }", TOLD ", replicas = 1, faults = { lag = { 1, ms = 3 } }",
    TOLD ", faults = { server_clock_jump = { 1, ms = 3 } }", TOLD ", servers = 2, faults = { script_flush = 1, evict = "
    "1 }",
    /* clocks that drift */
    ("clients = { { 'A', drift = '+1/10' }, { 'B', drift = '-1/13' } }, program = function(me) local from = me:now()"
    " me:sleep(11) me:call('SET', me.client, me:now() + 3) me:sleep(me:now() - from)"
    " if me:now() - from > 22 then me:call('INCR', 'late') end end"),
    ("clients = { { 'A', drift = '+1/10' } }, end_ms = 50, program = function(me) while true do me:sleep(7)"
    " me:call('SET', 'k', me:now(), 'PX', 5) end end"),
    /* ... that jump, and the clock that never does */
    ("clients = { { 'A', start_ms = 0, drift = '+1/10' } }, faults = { clock_jump = { 1, ms = 2 } }, end_ms = 90, "
    "program = function(me) while true do me:work(20) local now = me:eval(\"local t = redis.call('TIME') return t[1] * "
    "1000 + math.floor(t[2] / 1000)\", {}, {}) me:call('SET', 'k', me:monotonic() - now) end end"),
    ("clients = { 'A', 'B' }, faults = { clock_jump = { 1, ms = 40 } }, program = function(me) local t, from = "
    "me:monotonic(), me:now() me:sleep(3) if me:now() - from > me:monotonic() - t then me:call('INCR', 'jumped') end"
    " me:call('SET', me.client, me:monotonic() + 9) end"),
    /* script cache: known, flushed, known again */
    ("clients = { 'A', 'B' }, faults = { script_flush = 1, wipe = 1 }, program = function(me) local s = script.text [[ "
        "return redis.call('INCR', KEYS[1]) ]]"
    " local n, e = me:eval(s, { 'n' }, {}) if e then me:call('SET', 'e', e.kind) end me:eval(s, { 'n' }, {}) end"),
    ("clients = { 'A', 'B' }, faults = { wipe = 1 }, program = function(me) if me.client == 'A' then "
        "me:subscribe('ch', function() end)"
    " else me:call('PUBLISH', 'ch', 'x') end end"),
    /* chance inside scripts */
    ("clients = { 'A', 'B' }, program = function(me) me:call('SADD', 's', 'a', 'b', 'c') local x = me:call('SPOP', "
        "'s') me:call('SET', x or 'n', 1)"
    " me:call('RANDOMKEY') end"),
    ("clients = { 'A', 'B' }, program = function(me) local n = me:eval(script.text [[ return math.random(3) ]], {}, "
    "{}) me:call('SET', 'k' .. n, 1) end"),
    /* instants: in keys, in variables, in words of requests under way, of the dead too */
    ("clients = { 'A', { 'B', skew_ms = 7 } }, program = function(me) local t = me:now() + 5 me:call('SET', me.client, "
        "t) me:sleep(9)"
    " if me:now() > t then me:call('DEL', me.client) end end"),
    ("clients = { 'A', 'B' }, faults = { clock_jump = { 1, ms = 40 } }, program = function(me) local t = me:now() "
        "me:sleep(3) if me:now() - t > 30 then"
    " me:call('INCR', 'jumped') end end"),
    ("clients = { 'A', 'B' }, servers = 2, faults = { server_clock_jump = { 1, ms = 6 } }, program = function(me) "
        "me:on(2):call('SET', me.client, 'x', 'PX', 9)"
    " me:call('SET', 't', me:now() + 9) me:sleep(4) me:eval(\"local t = redis.call('TIME') local now = t[1] * 1000 + "
        "math.floor(t[2] / 1000)\""
    " .. \" if now > tonumber(redis.call('GET', 't')) then redis.call('INCR', 'late') end\", { 't' }, {}) end"),
    ("clients = { 'A', 'B' }, replicas = 1, faults = { server_clock_jump = { 1, ms = -6 }, failover = 1 }, program = "
        "function(me)"
    " me:call('SET', me.client, 'x', 'PX', 5) me:sleep(3) end"),
    ("clients = { 'A', 'B' }, faults = { late_request = 1, crash = 1 }, timeout_ms = 30, program = function(me) "
    "me:call('SET', me.client, me:now() + 12) end"),
    /* ... and of nobody but the dead */
    ("clients = { 'A', 'B' }, faults = { late_request = 1, crash = 1 }, timeout_ms = 30, program = function(me) if "
        "me.client == 'A' then"
    " me:call('SET', 'k', me:now() + 12) else me:sleep(50) end end"),
    ("clients = { 'A' }, end_ms = 25, program = function(me) while true do me:call('SET', 'k', 1, 'PX', 9) "
    "me:sleep(10) end end"),
    /* latency: requests, answers and messages take a while, none or all of it */
    "clients = { 'A', 'B' }, latency_ms = { 1, 3 }, program = function(me) me:call('INCR', 'n') end",
    ("clients = { 'A', 'B' }, latency_ms = { 0, 2 }, program = function(me) if me.client == 'A' then "
        "me:call('PUBLISH', 'ch', 'x') return end"
    " local s = me:semaphore(0) me:subscribe('ch', function() s:release(1) end) s:acquire(4) end"),
    /* tasks: threads, spawned ones, cancelled ones, futures */
    ("clients = { { 'A', threads = 2 } }, program = function(me) local p = me.process p.s = p.s or me:semaphore(1) "
        "p.s:acquire(5) me:call('INCR', 'n')"
    " me:sleep(2) p.s:release(1) end"),
    ("clients = { 'A' }, faults = { interrupt = 1 }, program = function(me) local t = me:spawn('w', function(m) while "
        "true do m:sleep(4) m:call('INCR', 'n') end end)"
    " me:sleep(10) t:cancel() end"),
    ("clients = { 'A', 'B' }, program = function(me) local f = me:send('return redis.call(\"INCR\", KEYS[1])', { 'n' "
    "}, {}) me:call('GET', 'n') f:wait(5) end"),
    ("clients = { 'A', 'B' }, servers = 2, program = function(me) me:on(1):call('INCR', 'n') me:on(2):call('INCR', "
    "'n') end"),
    ("clients = { 'A', 'B' }, servers = 2, faults = { wipe = 1 }, program = function(me) me:on(2):call('SET', 'k', "
    "me.id, 'NX', 'PX', 8) me:sleep(8) end"),
    ("clients = { 'A', 'B' }, program = function(me) local x = me:choose { 1, 2 } me:sleep(x) me:call('SET', 'k', x) "
    "end"),
    ("clients = { 'A' }, work_ms = { 2, 5 }, program = function(me) if try(me, 'L', 4) then me:work() unlock(me, 'L') "
    "end end"),
    /* what the monitors keep: fairness, grants that outlive the lease, two locks, an invariant of the user's */
    ("clients = { 'A', 'B' }, faults = { pause = 1 }, program = function(me) if try(me, 'L', 20) then me:work(10) "
        "unlock(me, 'L') end"
    " if try(me, 'M', 30) then unlock(me, 'M') end end, expect = { strict_mutual_exclusion = 'violated' }"),
    ("clients = { 'A', 'B' }, program = function(me) while not try(me, 'L', 50) do me:sleep(7) end me:work(10) "
        "unlock(me, 'L') end,"
    " expect = { fifo = { 'holds', max_overtakes = 3 }, prompt = { 'holds', idle_ms = 100 } }"),
    ("clients = { 'A', 'B' }, program = function(me) if try(me, 'L', 1000) then unlock(me, 'L') end end,"
    " always = function(view) for id in pairs(view.holders) do if id == 'B:1' then return false, 'B is in' end end "
        "return true end,"
    " expect = { always = 'violated' }"),
    /* pops that wait: served by others, in the order of coming; timed out; left by a crash, an interrupt, a patience
     * that ends; broken off */
    ("clients = { { 'A', threads = 2 }, 'B' }, faults = { crash = 1 }, program = function(me) if me.client == 'B' then "
        "me:call('RPUSH', 'q', 'x')"
    " me:sleep(20) me:call('RPUSH', 'q', 'y', 'z') return end me:call('BLPOP', 'q', 0.03) end"),
    ("clients = { 'A', 'B', 'C' }, faults = { restart = 1 }, program = function(me) if me.client == 'A' then "
        "me:call('RPUSH', 'in', 1) elseif me.client == 'B' then"
    " me:call('BLMOVE', 'in', 'out', 'LEFT', 'RIGHT', 0) else me:call('BRPOPLPUSH', 'out', 'in', 0.1) end end, expect "
    "= { no_deadlock = 'violated' }"),
    ("clients = { 'A', 'B' }, servers = 2, latency_ms = { 1, 3 }, faults = { wipe = 1 }, program = function(me) if "
        "me.client == 'A' then"
    " me:on(2):call('RPUSH', 'q', me:now()) else me:on(2):call('BLPOP', 'q', 0.01) me:on(1):call('BLMPOP', 0.01, 1, "
    "'q', 'LEFT') end end"),
    ("clients = { 'A', 'B' }, faults = { interrupt = 1 }, program = function(me) if me.client == 'A' then me:sleep(10) "
        "me:call('PUBLISH', 'ch', 'm')"
    " me:call('RPUSH', 'q', 1) return end me:subscribe('ch', function(t) t:call('BLPOP', 'q', 0.02) end) "
    "me:call('BLPOP', 'q', me:now() + 5, 0.02) end"),
    ("clients = { 'A', 'B' }, end_ms = 100, replicas = 1, faults = { failover = 1 }, timeout_ms = 5, program = "
        "function(me) if me.client == 'A' then"
    " me:call('RPUSH', 'q', 1) me:call('RPUSH', 'q', 2) return end for i = 1, 2 do me:call('BLPOP', 'q', "
        "0.02) end end"),
    /* readers of a stream that wait: all are told, from where each of them reads on; some in vain, some again */
    ("clients = { 'A', 'B', 'C' }, faults = { crash = 1 }, program = function(me) if me.client == 'A' then me:sleep(3) "
        "me:call('XADD', 's', '*', 'n', 1)"
    " me:sleep(3) me:call('XADD', 's', '*', 'n', 2) return end local last = '$' for i = 1, 2 do local got = "
        "me:call('XREAD', 'BLOCK', 5, 'STREAMS', 's', last)"
    " if got then last = got[1][2][1][1] me:call('INCR', 'got') end end end, expect = { no_deadlock = 'violated' }"),
    ("clients = { 'A', 'B' }, faults = { wipe = 1 }, program = function(me) if me.client == 'A' then me:call('XADD', "
        "'s', 'MAXLEN', 0, '5-1', 'n', 1)"
    " me:call('XADD', 's', '7-*', 'n', 2) me:call('XDEL', 's', '7-0') return end me:call('XREAD', 'COUNT', 1, "
        "'BLOCK', 9, 'STREAMS', 't', 's', '$', '5-1') end"),
    /* a lock that is passed on by a list, and answered late */
    ("clients = { 'A', 'B' }, latency_ms = { 0, 3 }, program = function(me) if me.client == 'B' then me:sleep(5) "
        "me:call('RPUSH', 'q', 1) return end"
    " me:wants('L') me:call('BLPOP', 'q', 0, { op = 'acquire', lock = 'L', lease = 4 }) me:granted('L', { lease = 4 }) "
    "end"),
    /* what connections remember: queued, watched and touched, by others, by time, by oneself; another database; ended
     * by EXEC or a fault */
#define WATCHED "me:call('WATCH', 'k') local v = me:call('GET', 'k') me:call('MULTI') me:call('SET', 'k', (v or 0) + " \
    "1) me:call('INCR', 'n')"
    "clients = { 'A', 'B' }, program = function(me) " WATCHED " if not me:call('EXEC') then me:call('INCR', 'failed') "
    "end end",
    ("clients = { 'A', 'B' }, program = function(me) if me.client == 'A' then me:call('SET', 'k', 1, 'PX', 5) "
        "me:sleep(3) me:call('DEL', 'k') return end"
    " me:call('WATCH', 'k', 'l') me:sleep(4) me:call('MULTI') me:call('SET', 'at', me:now() + 7) me:sleep(1) "
    "me:call('EXEC') end"),
    ("clients = { 'A', 'B' }, program = function(me) me:call('SELECT', me.client == 'A' and 1 or 0) me:call('INCR', "
        "'n') me:call('WATCH', 'n')"
    " if me.client == 'A' then me:call('SELECT', 0) end me:call('MULTI') me:call('INCR', 'n') me:call('EXEC') end"),
    ("clients = { 'A', 'B' }, faults = { restart = 1 }, program = function(me) if me.client == 'B' then return end "
    WATCHED " me:call('EXEC') end"),
    "clients = { 'A', 'B' }, faults = { crash = 1, duplicate = 1 }, timeout_ms = 5, program = function(me) if "
        "me.client == 'B' then me:call('SET', 'k', 5)"
    " return end " WATCHED " me:call('EXEC') end",
    ("clients = { 'A', 'B' }, servers = 2, faults = { wipe = 1 }, program = function(me) local s = me:on(2) "
        "s:call('MULTI') s:call('INCR', 'n')"
    " s:call('EXEC') end"),
    ("clients = { 'A', 'B' }, replicas = 1, faults = { failover = 1 }, program = function(me) if me.client == 'B' then "
        "me:call('SET', 'k', 5) return end "
    WATCHED " me:call('EXEC') end"),
    "clients = { 'A', 'B' }, faults = { lose_request = 1, lose_reply = 1 }, timeout_ms = 5, program = function(me) if "
        "me.client == 'B' then"
    " me:call('SET', 'k', 5) return end " WATCHED " me:call('EXEC') end",
    ("clients = { 'A', 'B' }, program = function(me) me:call('MULTI') me:call('PUBLISH', 'ch') me:call('INCR', 'n') "
        "local _, e = me:call('EXEC')"
    " me:call('SET', 'e', e and e.text or '') me:call('MULTI') me:call('INCR', 'n') me:call('DISCARD') end"),
    /* two locks that have a value in common, and late answers: the order of execution across them is a part of the
     * state */
    ("clients = { 'A', 'B' }, latency_ms = { 0, 1 }, program = function(me) local name = me.client == 'A' and 'g:x y' "
        "or 'g:y'"
    " me:observe(name, { spec = 'grouped', view = function() return { holders = {} } end }) me:call('INCR', 'n', { op "
        "= 'acquire', lock = name, lease = 2 })"
    " me:granted(name, { lease = 2 }) me:call('DECR', 'n', { op = 'release', lock = name }) end,"
    " expect = { mutual_exclusion = 'violated', matches_spec = 'violated' }"),
    /* granted before anything was asked, in the very first step */
    ("clients = { 'A', 'B' }, program = function(me) me:granted('L', { lease = 8 }) me:step() me:released('L') end, "
    "expect = { mutual_exclusion = 'violated' }"),
    /* announced before anybody asked */
    "clients = { 'A' }, program = function(me) me:wants('L') me:refused('L') me:gave_up('L') me:call('PING') end",
};

static void tables_and_runs_agree_on_small_worlds(void **state)
{
    uint64_t states = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(worlds); i++) {
        compared c = compare(*state, worlds[i], 800, &states);
        if (c == TOO_LARGE)
            print_error("too large: { %s }\n", worlds[i]);
        wrong += c != SAME;
        arena_reset(*state);
    }
    assert_int_equal(wrong, 0);
    print_message("  %llu states\n", (unsigned long long)states);
}

/* What a client leaves in the script cache by itself is no part of a state: it is refused, where it is asked for. */
static void what_is_no_part_of_a_state_is_refused(void **state)
{
    static const struct { const char *calls, *says; } row[] = {
        { "me:call('SCRIPT', 'FLUSH')", "script_flush" },
        { "me:call('SCRIPT', 'EXISTS', 'x')", "me:eval" },
        { "me:call('EVALSHA', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db', '0')", "me:eval" },
        { ("me:call('SELECT', '0') me:call('UNWATCH') me:call('SCRIPT', 'LOAD', 'return 1') me:call('EVAL', 'return "
          "1', '0')"), NULL },
        { "me:eval(script.text [[ return redis.call('SELECT', 1) ]], {}, {})", NULL },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int no_memo = 0; no_memo < 2; no_memo++) {
            char lua[1024];
            snprintf(lua, sizeof lua, "return { title = 't', clients = { 'A', 'B' }, explore = 'exhaustive',\n program "
                     "= function(me)\n %s end }",
                     row[i].calls);
            outcome *out = ARENA_NEW(*state, outcome);
            search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &(search_options){ .no_memo = no_memo },
                       out);
            assert_int_equal(out->verdict == VERDICT_ERROR, row[i].says != NULL);
            if (!row[i].says)
                continue;
            buf b = { 0 };
            err_print(&out->error, &b);
            assert_non_null(strstr(b.p, row[i].says));
            assert_non_null(strstr(b.p, "test.lua:3"));
            buf_free(&b);
            err_clear(&out->error);
        }
}

/* What a view and `always` say is kept by the keyspace alone. So they may refer to what the program leaves as it is,
 * and to nothing else. */
static void what_judges_the_keyspace_does_not_change(void **state)
{
#define VIEW(says) "local view = function(redis, name) return { holders = { ['A:1'] = " says " } } end"
    static const struct { const char *before, *program, *says; } row[] = {
        { "local n = 0 " VIEW("n"), ("me:observe('L', { view = view }) me:call('INCR', 'k') n = n + 1 me:call('INCR', "
          "'k')"), "view of lock \"L\"" },
        { "local t = { { n = 0 } } " VIEW("t[1].n"), "me:observe('L', { view = view }) me:call('INCR', 'k') t[1].n = 1",
          "view of lock \"L\"" },
        { "local n = 0 " VIEW("n") " local plain = view view = function(r, k) n = n + 1 return plain(r, k) end",
          "me:observe('L', { view = view }) me:call('INCR', 'k')", "view of lock \"L\"" },
        { VIEW("redis.call('TIME')[1] % 2"), "me:observe('L', { view = view }) me:call('INCR', 'k')",
          "cannot ask for the time" },
        { "local n = 0 " VIEW("1") " bound = function(v) n = n + 1 return n < 3 end",
          "me:observe('L', { view = view }) me:call('INCR', 'k') me:call('INCR', 'k')", "always" },
        { "local n = 0 " VIEW("1") " bound = function(v) return n < 3 end",
          "n = n + 1 me:observe('L', { view = view }) me:call('INCR', 'k')", "always" },
        { "local n = { 1 } " VIEW("n[1]") " bound = function(v) return v.holders['A:1'] == n[1] end",
          ("local m, began_ms = n, me:now() me:observe('L', { view = view }) me:sleep(5) me:call('INCR', 'k')"
          " me:observe('M', { view = function(redis, name) return { ttl_ms = m[1] + 0 * began_ms } end }) me:sleep(7) "
          "me:call('INCR', 'k')"), NULL },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int no_memo = 0; no_memo < 2; no_memo++) {
            const char *lua = arena_printf(*state, "local bound %s return { title = 't', clients = { 'A' }, explore = "
                                           "'exhaustive', always = bound, program = function(me) %s end }",
                                           row[i].before, row[i].program).p;
            outcome *out = ARENA_NEW(*state, outcome);
            search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &(search_options){ .no_memo = no_memo },
                       out);
            buf b = { 0 };
            err_print(&out->error, &b);
            if ((out->verdict == VERDICT_ERROR) != (row[i].says != NULL) || (row[i].says && !strstr(b.p, row[i].says)))
                fail_msg("row %zu, no_memo %d: %s\n%s", i, no_memo, verdict_name(out->verdict), b.n ? b.p : "");
            buf_free(&b);
            err_clear(&out->error);
        }
}

/* A view learns how far a stored instant is: a hold that ends with it is seen to end, and one that does not is not. A
 * number that is no time has no distance. */
static void view_tells_how_far_an_instant_is(void **state)
{
    static const struct { const char *held; verdict verdict; } row[] = {
        { "redis.ms_left(redis.call('GET', 't')) > 0", VERDICT_PASS },
        { "redis.ms_left(redis.call('GET', 't')) > -10", VERDICT_VACUOUS },
        { "redis.ms_left(10) == nil", VERDICT_VACUOUS },
        { "redis.ms_left(10) ~= nil or redis.ms_left(redis.call('GET', 't')) > 0", VERDICT_PASS },
    };
    for (size_t i = 0; i < COUNT(row); i++)
        for (int no_memo = 0; no_memo < 2; no_memo++) {
            const char *lua = arena_printf(*state,
                "return { title = 't', clients = { 'A' }, explore = 'exhaustive', must_see = { 'expiry' }, expect = { "
                "no_leak = '%s', lease_set = 'violated' }, program = function(me) me:call('SET', 't', me:now() + 5)"
                " me:observe('L', { view = function(redis) return { holders = { ['A:1'] = (%s) and 1 or nil } } end })"
                " me:sleep(3) me:call('INCR', 'k') me:sleep(6) end }",
                row[i].verdict == VERDICT_PASS ? "holds" : "violated", row[i].held).p;
            outcome *out = ARENA_NEW(*state, outcome);
            search_run(*state, fixture_scenario(*state, lua), &fixture_loader, &(search_options){ .no_memo = no_memo },
                       out);
            buf b = { 0 };
            err_print(&out->error, &b);
            if (out->verdict != row[i].verdict)
                fail_msg("row %zu, no_memo %d: %s\n%s", i, no_memo, verdict_name(out->verdict), b.n ? b.p : "");
            buf_free(&b);
            err_clear(&out->error);
        }
}

/* One view is asked of each lock: where clients register several, that is said, and only there. */
static void views_that_differ_are_told(void **state)
{
    static const struct { const char *views, *mine; bool differ; } row[] = {
        { "local one = function(redis, name) return {} end local two = function(redis, name) return { ttl_ms = 1 } end",
          "me.client == 'A' and one or two", true },
        { "local function of(id) return function(redis, name) return { holders = { [id] = 1 } } end end",
          "of(me.client)", true },
        { "local function of(id) return function(redis, name) return { holders = { [id] = 1 } } end end", "of('x')",
          false },
        { "local one = function(redis, name) return {} end", "one", false },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        const char *lua = arena_printf(*state, "%s return { title = 't', clients = { 'A', 'B' }, explore = "
                                       "'exhaustive', program = function(me) me:call('INCR', 'k') me:observe('L', { "
                                       "view = %s }) end }", row[i].views, row[i].mine).p;
        outcome *out = fixture_run(*state, lua, (search_options){ 0 });
        if ((strstr(out->means.p, "different views of \"L\"") != NULL) != row[i].differ)
            fail_msg("row %zu: %s", i, out->means.p);
    }
}

/* A client that waits for a certain instant comes back to the same state until then, as long as only distances from now
 * count. */
static void what_is_true_at_few_instants_is_met(void **state)
{
    static const char *const until[] = {
        "me:now() % 10 == 7", "math.fmod(me:now(), 100) == 42", "me:now() / 16 == math.floor(me:now() / 16)",
        "string.sub(me:now(), -1) == '7'", "tostring(me:now()):match('42$')",
    };
    static const search_options ways[] = { { 0 }, { .no_memo = true }, { .no_fold = true } };
    for (size_t i = 0; i < COUNT(until); i++)
        for (size_t k = 0; k < COUNT(ways); k++) {
            const char *lua = arena_printf(*state, "return { title = 't', clients = { 'A' }, must_see = { 'grant' }, "
                                           "explore = 'exhaustive', program = function(me) repeat me:sleep(1) until %s "
                                           "me:granted('L') end }", until[i]).p;
            outcome *o = fixture_run(*state, lua, ways[k]);
            if (o->verdict != VERDICT_PASS)
                fail_msg("until %s, way %zu: %s", until[i], k, verdict_name(o->verdict));
        }
}

/* ---- worlds by chance ---- */

static const char *const statements[] = {
    "me:call('INCR', 'n')", "me:call('SET', 'k', me.id, 'NX', 'PX', 6)", "me:call('DEL', 'k')",
    "me:call('PEXPIRE', 'n', 4)", "if try(me, 'L', 7) then me:work(3) unlock(me, 'L') end",
    "if try(me, 'L', 9) then unlock(me, 'L') end", "try(me, 'M', 5)",
    "while not try(me, 'L', 6) do me:sleep(4) end unlock(me, 'L')", "for i = 1, 2 do try(me, 'L', 5) end",
    "local t = me:now() + 3 me:sleep(2) me:call('SET', 't', t)", "me:sleep(5)", "me:work(2)", "me:step()",
    "local x = me:choose { 1, 4 } me:sleep(x)", "me:call('SADD', 's', 'a', 'b') me:call('SPOP', 's')",
    "me:eval(script.text [[ return redis.call('INCRBY', KEYS[1], math.random(2)) ]], { 'r' }, {})",
    ("me:eval(script.text [[ local t = redis.call('TIME') return redis.call('SET', KEYS[1], t[1] * 1000 + "
    "math.floor(t[2] / 1000) + 5) ]], { 't' }, {})"),
    "local t = me:spawn('w', function(m) m:sleep(2) m:call('INCR', 'w') end) me:call('GET', 'w') t:join()",
    ("local t = me:spawn('d', function(m) while true do m:sleep(3) m:call('PEXPIRE', 'k', 6) end end, { daemon = true "
    "}) me:sleep(4) t:cancel()"),
    "local p = me.process p.s = p.s or me:semaphore(1) if p.s:acquire(3) then me:call('INCR', 'n') p.s:release(1) end",
    "local s = me:semaphore(0) me:subscribe('ch', function() s:release(1) end) s:acquire(4) me:unsubscribe('ch')",
    "me:call('PUBLISH', 'ch', me.client)", "me:subscribe('ch', function(m, x) m:call('SET', 'got', x) end)",
    "local f = me:send('return redis.call(\"INCR\", KEYS[1])', { 'n' }, {}) me:call('GET', 'k') f:wait(3)",
    "me:call('SET', 'u', me:unique('id'))", ("local ok, e = me:call('GET', 'n', { timeout_ms = 2 }) if e then "
    "me:call('SET', 'e', e.kind) end"),
    "me:on(2):call('INCR', 'n')", "me:call('WAIT', 1, 3)", ("me:call('ZADD', 'z', me:now(), me.id) "
    "me:call('ZREMRANGEBYSCORE', 'z', 0, me:now() - 2)"),
    "me:call('BLPOP', 'q', 0.004)", ("local x = me:call('BLPOP', 'q', 'p', 0.002) if x then me:call('SET', 'x', x[2]) "
    "end"),
    "me:call('RPUSH', 'q', me.id, me:now())", "me:call('BLMOVE', 'q', 'p', 'LEFT', 'RIGHT', 0.003)",
    "me:call('BZPOPMIN', 'z', 0.003) me:call('INCR', 'n')",
    ("local t = me:spawn('b', function(m) m:call('BRPOP', 'q', 0.003) m:call('INCR', 'w') end) me:call('LPUSH', 'q', "
    "1) t:join()"),
    "me:on(2):call('BLPOP', 'q', 0.005) me:on(2):call('RPUSH', 'q', 1)", "me:call('XADD', 's:log', '1-*', 'by', me.id)",
    "me:call('XREAD', 'BLOCK', 3, 'STREAMS', 's:log', '$')", "me:call('XREAD', 'STREAMS', 's:log', '0')",
    ("local x = me:call('XREAD', 'BLOCK', 4, 'STREAMS', 's:log', 's:now', '1-1', '$') if x then me:call('SET', 'x', "
    "x[1][1]) end"), "me:call('XADD', 's:now', '*', 'by', me.id)", "me:call('XDEL', 's:log', '1-0', '1-2')",
    ("me:subscribe('__keyevent@0__:expired', function(m) m:call('PING') end) me:call('SET', 'k', 'x', 'PX', 3)"
    " me:sleep(5)"),
    "me:wants('L') me:refused('L') me:gave_up('L')", "me:use('res', 1)",
    "local a = { me.id } a.next = a me:call('INCR', 'n') a.next = nil",
};

static const char *const fields[] = {
    "timeout_ms = 3", "timeout_ms = 10", "latency_ms = { 0, 2 }", "latency_ms = 1", "end_ms = 6", "end_ms = 40",
    "work_ms = { 1, 3 }", "replicas = 1",
    "notify_keyspace_events = 'Ex'", "notify_keyspace_events = 'Ex'",
};

static const char *chance_of(rng *r, const char *const *list, size_t count)
{
    return list[rng_below(r, count)];
}

static void put_faults(rng *r, buf *out)
{
    bool taken[FAULT_KINDS] = { 0 }, replicas = false;
    size_t count = rng_below(r, 3);
    buf_addz(out, ", faults = { ");
    for (size_t i = 0; i < count; i++) {
        fault_kind k = (fault_kind)rng_below(r, FAULT_KINDS);
        if (!taken[k])
            buf_printf(out, "%s = %d, ", fault_name(k), 1 + (rng_below(r, 5) == 0));
        taken[k] = true;
        replicas |= k == FAULT_LAG || k == FAULT_FAILOVER;
    }
    buf_printf(out, "}, servers = 2%s%s", replicas ? ", replicas = 1" : "",
               taken[FAULT_MOVE_SLOT] ? ", cluster = true" : "");
}

static void put_world(rng *r, buf *out)
{
    static const char *const clients[] = { "'A'", "'A', 'B'", "'A', 'B'", "{ 'A', threads = 2 }",
                                           "'A', { 'B', start_ms = 2, skew_ms = 3 }",
                                           "'A', { 'B', drift = '-1/10' }", "{ 'A', drift = '+1/11' }, 'B'" };
    buf_clear(out);
    buf_printf(out, "clients = { %s }, limits = { steps = 100000 }", chance_of(r, clients, COUNT(clients)));
    put_faults(r, out);
    const char *field = chance_of(r, fields, COUNT(fields));
    if (rng_below(r, 2) && !strstr(out->p, "replicas"))
        buf_printf(out, ", %s", field);
    buf_addz(out, ", program = function(me)");
    for (int c = 0; c < 2; c++) {
        buf_printf(out, " if me.client == '%c' then", 'A' + c);
        size_t count = 1 + rng_below(r, 3);
        for (size_t i = 0; i < count; i++)
            buf_printf(out, " do %s end", chance_of(r, statements, COUNT(statements)));
        buf_addz(out, " end");
    }
    buf_addz(out, " end");
}

/* Property: whatever clients, faults and scripts come together. */
static void tables_and_runs_agree_on_worlds_by_chance(void **state)
{
    enum { WORLDS = 60, STATES_MAX = 150 };
    const char *first = getenv("MEMO_SEED"), *many = getenv("MEMO_WORLDS");
    uint64_t seed = first ? strtoull(first, NULL, 10) : 1, count = many ? strtoull(many, NULL, 10) : WORLDS, states = 0;
    size_t same = 0, wrong = 0;
    buf world = { 0 };
    for (uint64_t i = 0; i < count; i++) {
        rng r = rng_new(seed + i, 0);
        put_world(&r, &world);
        compared c = compare(*state, world.p, STATES_MAX, &states);
        if (c == DIFFERS)
            print_error("MEMO_SEED=%" PRIu64 "\n", seed + i);
        same += c == SAME;
        wrong += c == DIFFERS;
        arena_reset(*state);
    }
    buf_free(&world);
    print_message("  %zu worlds of %llu, %llu states\n", same, (unsigned long long)count, (unsigned long long)states);
    assert_int_equal(wrong, 0);
    assert_true(4 * same >= count);
}

/* ---- several threads ---- */

static bool same_work(const outcome *x, const outcome *y)
{
    return same_outcomes(x, y) && str_eq(x->means, y->means) && x->search.waiting == y->search.waiting &&
           x->search.stand_for == y->search.stand_for && x->search.executions == y->search.executions &&
           x->search.client_runs == y->search.client_runs &&
           x->meeting_count == y->meeting_count && x->unmet_count == y->unmet_count;
}

/* By one thread and by several, cut by this limit. */
static bool threads_agree(arena *a, const char *fields, bool symmetry, uint64_t states_max, uint64_t *states)
{
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', explore = 'exhaustive', %s }", FIXTURE_LOCK, fields);
    const char *text = arena_str(a, buf_str(&lua)).p;
    buf_free(&lua);
    outcome *one = fixture_run(a, text, (search_options){ .max_states = states_max, .symmetry = symmetry });
    bool same = true;
    for (size_t threads = 2; threads <= 4 && same; threads += 2) {
        cores *idle = cores_new(threads - 1);
        outcome *many = fixture_run(a, text, (search_options){ .max_states = states_max, .symmetry = symmetry,
                                                               .cores = idle, .together_rows = 16 });
        same = same_work(one, many);
        if (!same) {
            print_out("one thread", one);
            print_out("several", many);
            print_error("{ %s } max_states %llu\n%.*s\n%.*s\n", fields, (unsigned long long)states_max,
                        STR_ARG(one->means), STR_ARG(many->means));
        }
        cores_free(idle);
    }
    *states = one->search.states;
    return same;
}

/* Clients that are equal: as they wait, are queued, told of each other, and in what nobody remembers of them. */
static const char *const equal_worlds[] = {
    "clients = { 'A', 'B', 'C' }, faults = { evict = 1 }, program = function(me) if try(me, 'l', 30000) then "
    "unlock(me, 'l') end end",
    "clients = { 'A', 'B', 'C', 'D' }, program = function(me) me:call('RPUSH', 'q', me.id) me:sleep(5) "
    "if me:call('LINDEX', 'q', 0) == me.id then me:call('LPOP', 'q') end end",
    "clients = { 'A', 'B', 'C' }, faults = { crash = 1 }, program = function(me) me:wants('l') "
    "while me:call('SET', 'l', me.id, 'NX') == nil do me:sleep(10) end me:granted('l') me:call('DEL', 'l') "
    "me:released('l') end",
    "clients = { 'A', 'B', 'C' }, program = function(me) me:call('SET', 'last', me.id) "
    "local last = me:call('GET', 'last') me:step() me:call('SET', 'seen', last) end",
    "clients = { 'A', 'B', 'C', 'D', 'E' }, program = function(me) me:step() me:call('INCR', 'n') me:step() "
    "me:call('SADD', 's', me.id) end",
};

/* Wherever a limit strikes. */
static bool threads_agree_however_cut(arena *a, const char *fields, bool symmetry, uint64_t *states)
{
    enum { STATES_MAX = 3000 };
    uint64_t all, cut;
    bool same = threads_agree(a, fields, symmetry, STATES_MAX, &all);
    *states += all;
    for (uint64_t max = all / 3; same && max > 0 && max < all; max += all / 3 + 1)
        same = threads_agree(a, fields, symmetry, max, &cut);
    return same;
}

/* ---- what is kept, and gone on from ---- */

/* Checkpoints in memory, of a search that is interrupted when it was asked for the `left`-th time. */
typedef struct { buf kept[4], draft; size_t attempt; size_t left, made; int64_t clock; } keeper;

static bool keeper_begin(void *context, size_t attempt)
{
    keeper *k = context;
    k->attempt = attempt;
    buf_clear(&k->draft);
    return attempt < COUNT(k->kept);
}

static void keeper_put(void *context, const void *bytes, size_t n)
{
    buf_add(&((keeper *)context)->draft, (str){ bytes, n });
}

static bool keeper_end(void *context)
{
    keeper *k = context;
    buf was = k->kept[k->attempt];
    k->kept[k->attempt] = k->draft;
    k->draft = was;
    k->made++;
    return true;
}

static bool keeper_open(void *context, size_t attempt, str *bytes)
{
    keeper *k = context;
    *bytes = attempt < COUNT(k->kept) ? buf_str(&k->kept[attempt]) : S("");
    return bytes->n > 0;
}

static void keeper_close(void *context) { (void)context; }
static int64_t keeper_clock(void *context) { return ((keeper *)context)->clock++; }

static bool keeper_goes_on(void *context, const search_progress *at)
{
    keeper *k = context;
    (void)at;
    return k->left == 0 || --k->left > 0;
}

/* Interrupted again and again, and gone on with each time by a search that knows nothing but the checkpoints. */
static bool pieces_agree(arena *a, const char *fields, search_options o, uint64_t *made)
{
    enum { ROUNDS_MAX = 200 };
    buf lua = { 0 };
    buf_printf(&lua, "%sreturn { title = 't', explore = 'exhaustive', %s }", FIXTURE_LOCK, fields);
    const char *text = arena_str(a, buf_str(&lua)).p;
    buf_free(&lua);
    outcome *whole = fixture_run(a, text, o), *last = NULL;
    keeper k = { 0 };
    checkpoints door = { .context = &k, .often = true, .begin = keeper_begin, .put = keeper_put, .end = keeper_end,
                         .open = keeper_open, .close = keeper_close };
    o.checkpoints = &door;
    o.context = &k;
    o.elapsed_ms = keeper_clock;
    o.progress = keeper_goes_on;
    bool over = false;
    for (size_t i = 0; i < ROUNDS_MAX && !over; i++) {
        k.left = 2 + i * i;
        last = fixture_run(a, text, o);
        over = k.left > 0;
    }
    bool same = over && same_work(whole, last);
    if (!same) {
        print_out("at one go", whole);
        print_out("in pieces", last);
        print_error("{ %s } %zu checkpoints\n%.*s\n%.*s\n", fields, k.made, STR_ARG(whole->means),
                    STR_ARG(last->means));
    }
    *made += k.made;
    for (size_t i = 0; i < COUNT(k.kept); i++)
        buf_free(&k.kept[i]);
    buf_free(&k.draft);
    return same;
}

/* Property: where a search was interrupted, and how often, is to be seen in nothing. */
static void a_search_goes_on_from_its_checkpoints(void **state)
{
    enum { WORLDS = 30, STATES_MAX = 1500 };
    uint64_t made = 0, seed = getenv("MEMO_SEED") ? strtoull(getenv("MEMO_SEED"), NULL, 10) : 1,
             count = getenv("MEMO_WORLDS") ? strtoull(getenv("MEMO_WORLDS"), NULL, 10) : WORLDS;
    size_t wrong = 0;
    buf world = { 0 };
    for (size_t i = 0; i < COUNT(worlds); i++) {
        wrong += !pieces_agree(*state, worlds[i], (search_options){ .max_states = STATES_MAX }, &made);
        arena_reset(*state);
    }
    for (uint64_t i = 0; i < count; i++) {
        rng r = rng_new(seed + i, 0);
        put_world(&r, &world);
        wrong += !pieces_agree(*state, world.p, (search_options){ .max_states = STATES_MAX, .symmetry = i % 2 }, &made);
        arena_reset(*state);
    }
    for (size_t i = 0; i < COUNT(equal_worlds); i++) {
        cores *idle = cores_new(1);
        search_options o = { .max_states = STATES_MAX, .symmetry = true };
        wrong += !pieces_agree(*state, equal_worlds[i], o, &made);
        o.cores = idle;
        o.together_rows = 16;
        wrong += !pieces_agree(*state, equal_worlds[i], o, &made);
        cores_free(idle);
        arena_reset(*state);
    }
    buf_free(&world);
    print_message("  %llu checkpoints\n", (unsigned long long)made);
    assert_int_equal(wrong, 0);
    assert_true(made > 500);
}

/* Property: how many threads go through a level is to be seen in nothing.
 * How: every world, whole and cut by limits, by one thread, two and four that share levels of 16 rows and more. */
static void several_threads_come_to_the_result_of_one(void **state)
{
    enum { WORLDS = 60 };
    uint64_t states = 0, seed = getenv("MEMO_SEED") ? strtoull(getenv("MEMO_SEED"), NULL, 10) : 1,
             count = getenv("MEMO_WORLDS") ? strtoull(getenv("MEMO_WORLDS"), NULL, 10) : WORLDS;
    size_t wrong = 0;
    buf world = { 0 };
    for (size_t i = 0; i < COUNT(worlds); i++) {
        wrong += !threads_agree_however_cut(*state, worlds[i], false, &states);
        arena_reset(*state);
    }
    for (uint64_t i = 0; i < count; i++) {
        rng r = rng_new(seed + i, 0);
        put_world(&r, &world);
        wrong += !threads_agree_however_cut(*state, world.p, i % 2, &states);
        arena_reset(*state);
    }
    for (size_t i = 0; i < COUNT(equal_worlds); i++)
        wrong += !threads_agree_however_cut(*state, equal_worlds[i], true, &states);
    buf_free(&world);
    print_message("  %llu states\n", (unsigned long long)states);
    assert_int_equal(wrong, 0);
    assert_true(states > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_and_runs_agree_on_small_worlds, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_no_part_of_a_state_is_refused, fresh, gone),
        cmocka_unit_test_setup_teardown(what_judges_the_keyspace_does_not_change, fresh, gone),
        cmocka_unit_test_setup_teardown(view_tells_how_far_an_instant_is, fresh, gone),
        cmocka_unit_test_setup_teardown(views_that_differ_are_told, fresh, gone),
        cmocka_unit_test_setup_teardown(what_is_true_at_few_instants_is_met, fresh, gone),
        cmocka_unit_test_setup_teardown(tables_and_runs_agree_on_worlds_by_chance, fresh, gone),
        cmocka_unit_test_setup_teardown(a_search_goes_on_from_its_checkpoints, fresh, gone),
        cmocka_unit_test_setup_teardown(several_threads_come_to_the_result_of_one, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
