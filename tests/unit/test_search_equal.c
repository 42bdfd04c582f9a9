/* test_search_equal.c - equal clients count once: nothing but the number of states changes. */
#include "fixture.h"

#include <inttypes.h>

#include "base/rng.h"
#include "scenario/equals.h"

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

/* ---- worlds ---- */

static const char *const names[] = { "'A'", "'A', 'B'", "'A', 'B', 'C'", "'A', 'B', 'C', 'D'" };

static str world_text(arena *a, size_t clients, const char *faults, const char *body)
{
    return arena_printf(a, FIXTURE_LOCK "return { title = 't', clients = { %s }, timeout_ms = 50, faults = { %s }, "
                        "program = function(me) %s end }",
                        names[clients - 1], faults, body);
}

/* What tells one client from the others is somewhere else in each. */
static const struct { size_t clients; const char *faults, *body; } rows[] = {
    { 3, "evict = 1", "if try(me, 'l', 30000) then unlock(me, 'l') end" },
    { 3, "crash = 1", "if try(me, 'l', 100) then me:work(10) unlock(me, 'l') end" },
    { 3, "pause = 1", "if try(me, 'l', 30) then me:work(40) unlock(me, 'l') end" },
    { 2, "lose_reply = 1, restart = 1", "if try(me, 'l', 30) then me:work(40) unlock(me, 'l') end" },
    /* ids of others in answers, in what clients remember, in requests */
    { 3, "", "me:call('SET', 'last', me.id) local last = me:call('GET', 'last') me:step() me:call('SET', 'seen', "
      "last)" },
    { 4, "", "local last = me:call('GET', 'last') me:call('SET', 'last', me.id) if last then me:call('HINCRBY', "
      "'after', last, 1) end" },
    /* ... in messages and channels */
    { 2, "lose_message = 1", "me:subscribe('c', function(h, m) me:call('HSET', 'told', me.id, m) end) "
      "me:call('PUBLISH', 'c', me.id)" },
    { 3, "", "me:subscribe('c:' .. me.id, function(h, m) me:call('INCR', 'told') end) local last = me:call('GETSET', "
      "'last', me.id) "
             "if last then me:call('PUBLISH', 'c:' .. last, 'go') end" },
    /* ... in lists, hashes and sets */
    { 3, "evict = 1", "me:call('RPUSH', 'q', me.id) me:sleep(5) if me:call('LINDEX', 'q', 0) == me.id then "
      "me:call('LPOP', 'q') end" },
    { 3, "", "me:call('SADD', 's', me.id) me:call('SETNX', 'k:' .. me.id, 1) me:sleep(5) me:call('SREM', 's', me.id)" },
    { 3, "", "me:call('SET', 'u', me:unique('token'), 'NX') me:sleep(3) me:call('GET', 'u')" },
    /* ... in what connections remember, in pops that wait, in what replicas lack */
    { 2, "", "me:call('WATCH', 'w') me:call('MULTI') me:call('SET', 'w', me.id) me:call('EXEC')" },
    { 3, "", "me:call('BLPOP', 'q:' .. me.id, 'q', 0.02) me:call('RPUSH', 'q', me.id)" },
    { 2, "pause = 1", "me:call('BLPOP', 'q', 0.02) me:call('RPUSH', 'q', me.id)" },
    { 3, "", "me:call('XREAD', 'BLOCK', 20, 'STREAMS', 's:' .. me.id, 's', 0, '$') me:call('XADD', 's', '*', 'by', "
      "me.id)" },
    { 3, "failover = 1 }, replicas = 1, must_see = {", "me:call('SADD', 's', me.id) me:call('SETNX', 'k', me.id)" },
    { 2, "lag = { 1, ms = 20 }, failover = 1 }, replicas = 2, must_see = {", "me:call('SET', 'k', me.id) me:sleep(5) "
      "if me:call('GET', 'k') == me.id then me:call('DEL', 'k') end" },
    /* lengths whose bytes read as ids: A:1, B:1 */
    { 2, "", "me:call('SET', 'k:' .. me.id, 'x', 'PX', 3226177) me:call('GET', 'k:' .. me.id) me:call('SET', 'k:' .. "
      "me.id, 'x', 'PX', 3226178)" },
    { 2, "", "me:call('SET', 'k:' .. me.id, 'x', 'PX', 3226177) if me:call('PTTL', 'k:' .. me.id) == 3226177 then "
      "me:sleep(3226178) end" },
    /* locks that are named by ids */
    { 2, "", "if try(me, 'l:' .. me.id, 100) then me:work(10) unlock(me, 'l:' .. me.id) end" },
    { 3, "", "local mine = me:call('SETNX', 'a', me.id) == 1 local lock = 'l:' .. me:call('GET', 'a') if try(me, lock, "
      "100) then unlock(me, lock) end" },
    /* a task waits for ever */
    { 3, "", "if me:call('SET', 'first', me.id, 'NX') then me:semaphore(0):acquire() end" },
    { 2, "", "me:spawn('tick', function(me) while true do me:sleep(10) end end) if me:choose { true, false } then "
      "me:step() end me:semaphore(0):acquire()" },
    { 3, "crash = 1", "me:wants('l') while me:call('SET', 'l', me.id, 'NX') == nil do me:sleep(10) end me:granted('l') "
      "me:call('DEL', 'l') me:released('l')" },
};

static outcome *search(arena *a, str lua, bool symmetry, unsigned without)
{
    outcome *out = fixture_run(a, lua.p, (search_options){ .symmetry = symmetry, .equals_without = without,
                                                           .max_states = 60000 });
    return out;
}

/* Is all that people read the same, and do the states that are left stand for exactly those that there are? */
static bool agree(const outcome *plain, const outcome *folded)
{
    uint64_t states = folded->search.stand_for ? folded->search.stand_for : folded->search.states;
    bool same = plain->verdict == folded->verdict && plain->search.states == states &&
                plain->example_count == folded->example_count &&
                folded->search.states <= plain->search.states && plain->unmet_count == folded->unmet_count &&
                plain->search.longest == folded->search.longest;
    for (int p = 0; p < PROPERTY_COUNT && same; p++)
        same = plain->properties[p].outcome == folded->properties[p].outcome;
    for (size_t i = 0; i < plain->example_count && same; i++)
        same = str_eq(plain->examples[i].schedule, folded->examples[i].schedule) &&
               str_eq(plain->examples[i].text, folded->examples[i].text) && folded->examples[i].replayed;
    return same;
}

/* Property: with and without, the same verdicts and stories, word for word; the states stand for those that there
 * are. */
static void nothing_but_the_count_changes(void **state)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        str lua = world_text(*state, rows[i].clients, rows[i].faults, rows[i].body);
        const outcome *plain = search(*state, lua, false, 0), *folded = search(*state, lua, true, 0);
        assert_int_not_equal(plain->verdict, VERDICT_ERROR);
        assert_true(plain->search.complete);
        if (!agree(plain, folded))
            fail_msg("row %zu: %" PRIu64 " states, folded %" PRIu64 " for %" PRIu64 ": %s", i, plain->search.states,
                     folded->search.states, folded->search.stand_for, folded->means.p);
    }
}

/* Each part of a state with ids in it, left as it is, and each look at what tells clients apart, left out, is noticed
 * in some row. */
static void everything_that_is_renamed_or_looked_at_matters(void **state)
{
    static const struct { size_t clients; const char *faults, *body; } apart[] = {
        { 3, "", "if me.client == 'B' then me:call('SET', 'b', 1) end me:call('INCR', 'n')" },
        { 2, "", "me:call('SET', 'k' .. (me.id < 'B' and 1 or 2), 1)" },
        { 3, "", "me:eval(script.text [=[ if string.byte(ARGV[1]) == 66 then return redis.call('INCR', 'b') end return "
          "redis.call('INCR', 'n') ]=], {}, { me.id })" },
    };
    for (unsigned without = 1; without < EQUALS_WITHOUT_ALL; without *= 2) {
        bool noticed = false;
        for (size_t i = 0; i < COUNT(rows) + COUNT(apart) && !noticed; i++) {
            bool first = i < COUNT(rows);
            size_t k = first ? i : i - COUNT(rows);
            str lua = first ? world_text(*state, rows[k].clients, rows[k].faults, rows[k].body)
                            : world_text(*state, apart[k].clients, apart[k].faults, apart[k].body);
            const outcome *plain = search(*state, lua, false, 0);
            noticed = !agree(plain, search(*state, lua, true, without));
            if (!agree(plain, search(*state, lua, true, 0)))
                fail_msg("row %zu", i);
        }
        if (!noticed)
            fail_msg("nobody notices %u", without);
    }
}

/* Programs of a few requests drawn from a seed. */
static void generated_worlds_agree(void **state)
{
    enum { WORLDS = 120 };
    static const char *const lines[] = {
        "me:call('SET', 'k', me.id)", "me:call('SET', 'k', me.id, 'NX', 'PX', 20)",
        "if me:call('GET', 'k') == me.id then me:call('DEL', 'k') end", "local x = me:call('GET', 'k') me:step() if x "
        "then me:call('HINCRBY', 'h', x, 1) end", "me:call('RPUSH', 'q', me.id)", "me:call('LPOP', 'q')",
        "if me:call('LINDEX', 'q', 0) == me.id then me:call('INCR', 'n') end", "me:sleep(10)",
        "me:call('SADD', 's', me.id)", "me:call('SREM', 's', me.id)", "if try(me, 'l', 25) then me:sleep(10) "
        "unlock(me, 'l') end", "me:call('PUBLISH', 'c', me.id)",
        "me:subscribe('c', function(h, m) if m == me.id then me:call('INCR', 'own') end end)",
        "me:call('ZADD', 'z', me:call('INCR', 'n'), me.id)", "local first = me:call('ZRANGE', 'z', 0, 0) if first[1] "
        "== me.id then me:call('ZREM', 'z', me.id) end",
        "me:eval(script.text [=[ if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end "
        "return 0 ]=], { 'k' }, { me.id })",
    };
    static const char *const faults[] = { "", "", "crash = 1", "pause = 1", "evict = 1", "lose_reply = 1",
                                          "duplicate = 1" };
    rng r = rng_new(18, 1);
    size_t folded_worlds = 0;
    for (int i = 0; i < WORLDS; i++) {
        buf body = { 0 };
        size_t clients = 2 + (size_t)rng_below(&r, 2), count = 1 + (size_t)rng_below(&r, 3);
        for (size_t k = 0; k < count; k++)
            buf_printf(&body, "do %s end ", lines[rng_below(&r, COUNT(lines))]);
        buf_byte(&body, '\0');
        str lua = world_text(*state, clients, faults[rng_below(&r, COUNT(faults))], body.p);
        const outcome *plain = search(*state, lua, false, 0);
        if (plain->search.complete && plain->verdict != VERDICT_ERROR) {
            const outcome *folded = search(*state, lua, true, 0);
            folded_worlds += folded->search.stand_for > 0;
            if (!agree(plain, folded))
                fail_msg("world %d: %" PRIu64 " states, folded %" PRIu64 " for %" PRIu64 ":\n%s", i,
                         plain->search.states, folded->search.states, folded->search.stand_for, lua.p);
        }
        buf_free(&body);
    }
    assert_true(folded_worlds > WORLDS / 2);
}

/* ---- the plain lock by its rules ---- */

enum { CLIENTS = 3, STEPS = 8, EVICTIONS = 2 };
typedef struct { unsigned at[CLIENTS], owner, holds, evicted; } rules;         /* owner: 0 is nobody */

static unsigned number_of(const rules *r)
{
    unsigned n = 0;
    for (int c = 0; c < CLIENTS; c++)
        n = n * (STEPS + 1) + r->at[c];
    return ((n * (CLIENTS + 1) + r->owner) * 3 + r->holds) * (EVICTIONS + 1) + r->evicted;
}

/* Take, take again, give back, give back, twice; a refused first take is tried again. false: nothing changes. */
static bool rule(const rules *r, unsigned c, rules *to)
{
    *to = *r;
    if (r->at[c] == STEPS)
        return false;
    bool mine = r->owner == c + 1, takes = r->at[c] % 4 < 2;
    if (takes && r->owner && !mine)
        to->at[c] += r->at[c] % 4;
    else
        to->at[c]++;
    if (takes && (!r->owner || mine)) {
        to->owner = c + 1;
        to->holds++;
    } else if (!takes && mine && --to->holds == 0)
        to->owner = 0;
    return true;
}

/* Of all permutations the one with the lowest number. */
static unsigned least_of(const rules *r)
{
    static const unsigned orders[][CLIENTS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 },
                                                { 2, 1, 0 } };
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < COUNT(orders); i++) {
        rules x = *r;
        for (unsigned c = 0; c < CLIENTS; c++) {
            x.at[orders[i][c]] = r->at[c];
            if (r->owner == c + 1)
                x.owner = orders[i][c] + 1;
        }
        least = number_of(&x) < least ? number_of(&x) : least;
    }
    return least;
}

static bool first_time(bool *met, unsigned n)
{
    bool was = met[n];
    met[n] = true;
    return !was;
}

/* Property: the states that are left are the orbits, counted here by walking through all states by the lock's rules and
 * trying all permutations. */
static void the_plain_lock_has_as_many_states_as_orbits(void **state)
{
    enum { ALL = 9 * 9 * 9 * 4 * 3 * 3 };
    bool *met = arena_alloc(*state, ALL), *orbit = arena_alloc(*state, ALL);
    memset(met, 0, ALL);
    memset(orbit, 0, ALL);
    rules *queue = arena_alloc(*state, ALL * sizeof *queue), next;
    size_t count = 1, orbits = 0;
    queue[0] = (rules){ .owner = 0 };
    met[number_of(&queue[0])] = true;
    for (size_t i = 0; i < count; i++) {
        orbits += first_time(orbit, least_of(&queue[i]));
        for (unsigned c = 0; c < CLIENTS; c++)
            if (rule(&queue[i], c, &next) && first_time(met, number_of(&next)))
                queue[count++] = next;
        next = queue[i];
        next.owner = next.holds = 0;
        next.evicted++;
        if (queue[i].owner && queue[i].evicted < EVICTIONS && first_time(met, number_of(&next)))
            queue[count++] = next;
    }
    str lua = str_from("return { title = 't', clients = { 'A', 'B', 'C' }, start_ms = 0, faults = { evict = 2 }, "
                       "program = function(me) local acquire = script.text [=[ if redis.call('exists', KEYS[1]) == 0 "
                       "or redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('hincrby', KEYS[1], ARGV[1], "
                       "1) return 1 end return 0 ]=] local release = script.text [=[ if redis.call('hexists', KEYS[1], "
                       "ARGV[1]) == 0 then return 0 end if redis.call('hincrby', KEYS[1], ARGV[1], -1) == 0 then "
                       "redis.call('del', KEYS[1]) end return 1 ]=] for _ = 1, 2 do while me:eval(acquire, { 'l' }, { "
                       "me.id }) == 0 do end me:eval(acquire, { 'l' }, { me.id }) me:eval(release, { 'l' }, { me.id }) "
                       "me:eval(release, { 'l' }, { me.id }) end end }");
    const outcome *plain = search(*state, lua, false, 0), *folded = search(*state, lua, true, 0);
    assert_int_equal(plain->search.states, count);
    assert_int_equal(folded->search.states, orbits);
    assert_int_equal(folded->search.stand_for, count);
}

static void options_and_aims_tell_clients_apart(void **state)
{
    static const struct { const char *clients, *faults; bool equal; } row[] = {
        { "'A', 'B'", "", true },
        { "'A', 'BB'", "", false },
        { "'A', { 'B', threads = 2 }", "", false },
        { "'A', { 'B', skew_ms = 5 }", "", false },
        { "'A', { 'B', start_ms = 5 }", "", false },
        { "'A', { 'B', after = 'A.get' }", "", false },
        { "'A', 'B'", "crash = { 1, of = 'B' }", false },
        { "'A', 'B'", "crash = 1", true },
        { "'A', 'B', { 'C', skew_ms = 5 }", "", true },
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        str lua = arena_printf(*state, "return { title = 't', clients = { %s }, faults = { %s }, program = "
                               "function(me) me:call('GET', 'k') end }",
                               row[i].clients, row[i].faults);
        const outcome *plain = search(*state, lua, false, 0), *folded = search(*state, lua, true, 0);
        assert_int_equal(folded->search.stand_for > 0, row[i].equal);
        assert_true(agree(plain, folded));
    }
}

/* Property: where the time of day is a part of every state, too, the search begins a third time, and nothing of the
 * first two is left. */
static void a_search_begins_again_twice(void **state)
{
    str lua = world_text(*state, 2, "", "me:call('SET', 'at', math.floor(me:now() / 60000)) me:sleep(3) "
                         "me:call('GET', 'at')");
    const outcome *plain = search(*state, lua, false, 0), *folded = search(*state, lua, true, 0);
    assert_int_equal(folded->search.stand_for, 0);
    assert_true(agree(plain, folded));
    assert_non_null(strstr(folded->means.p, "the time of day is a part of every state"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_but_the_count_changes, fresh, gone),
        cmocka_unit_test_setup_teardown(everything_that_is_renamed_or_looked_at_matters, fresh, gone),
        cmocka_unit_test_setup_teardown(generated_worlds_agree, fresh, gone),
        cmocka_unit_test_setup_teardown(the_plain_lock_has_as_many_states_as_orbits, fresh, gone),
        cmocka_unit_test_setup_teardown(a_search_begins_again_twice, fresh, gone),
        cmocka_unit_test_setup_teardown(options_and_aims_tell_clients_apart, fresh, gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
