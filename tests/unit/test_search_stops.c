/* test_search_stops.c - the stops of time against every millisecond: small worlds by chance, in which somebody compares times in one of many
 * ways, and whoever finds them so sets a mark. Whether the mark can be set must be the same where time stops at few instants, where it
 * stops at each millisecond, and without tables. STOPS_WORLDS says how many worlds; STOPS_SEED where to begin. */
#include "base/rng.h"
#include "fixture.h"

#include <inttypes.h>
#include <stdlib.h>

/* The mark is a key; who looks at it is the scenario's own invariant. */
#define HEAD \
    "local unmarked = { view = function(redis, name) return { holders = {}, queue = redis.call('SMEMBERS', 'marks'), keys = {} } end }\n" \
    "local now_of = \"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) \"\n"

/* How an instant D ms ahead is kept at key k: by the client's clock, by a script's. */
static const char *const writes[] = {
    "me:call('SET', 'k', me:now() + D)", "me:call('SET', 'k', me:now() + D .. ':' .. me.id)", "me:call('HSET', 'k', 'till', me:now() + D, 'by', me.id)",
    "me:call('ZADD', 'k', me:now() + D, me.id)", "me:call('SET', 'k', '{\"till\":' .. me:now() + D .. '}')", "me:call('SET', 'k', 'x', 'PX', D)",
    "me:eval(now_of .. \"return redis.call('SET', KEYS[1], now + D)\", { 'k' }, {})",
    "me:eval(now_of .. \"return redis.call('SET', KEYS[1], cjson.encode({ till = now + D }))\", { 'k' }, {})",
    "me:eval(now_of .. \"return redis.call('SET', KEYS[1], cmsgpack.pack({ till = now + D }))\", { 'k' }, {})",
    "me:eval(now_of .. \"return redis.call('SET', KEYS[1], (now + D) .. ':' .. ARGV[1], 'PX', E)\", { 'k' }, { me.id })",
};
enum { WRITES_PX = 5 };

/* The same, read: by the client, and inside a script. Each gives `till`, or nil. */
static const char *const reads[] = {
    "local till = tonumber(me:call('GET', 'k') or nil)", "local till = tonumber((me:call('GET', 'k') or ''):match('^%d+'))",
    "local till = tonumber(me:call('HGET', 'k', 'till') or nil)", "local till = tonumber(me:call('ZSCORE', 'k', 'A:1') or nil)",
    "local till = tonumber((me:call('GET', 'k') or ''):match('%d+'))", "local left = me:call('PTTL', 'k') local till = left > 0 and me:now() + left or nil",
    "local till = tonumber(me:call('GET', 'k') or nil)", "local till = tonumber((me:call('GET', 'k') or ''):match('%d%d%d%d+'))", NULL,
    "local till = tonumber((me:call('GET', 'k') or ''):match('^%d+'))",
};
static const char *const script_reads[] = {
    "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v)", "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v:match('^%d+'))",
    "local v = redis.call('HGET', KEYS[1], 'till') local till = v and tonumber(v)",
    "local v = redis.call('ZSCORE', KEYS[1], 'A:1') local till = v and tonumber(v)",
    "local v = redis.call('GET', KEYS[1]) local till = v and cjson.decode(v).till", "local p = redis.call('PTTL', KEYS[1]) local till = p > 0 and now + p",
    "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v)", "local v = redis.call('GET', KEYS[1]) local till = v and cjson.decode(v).till",
    "local v = redis.call('GET', KEYS[1]) local till = v and cmsgpack.unpack(v).till",
    "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v:match('^%d+'))",
};

/* NOW is the reader's clock, C and F are constants. */
static const char *const conditions[] = {
    "till - NOW == C", "till < NOW", "till - NOW <= C and till - NOW >= F", "NOW - till == C", "NOW > till + C", "till - NOW >= C", "NOW + C == till",
    "till == NOW", "till - C < NOW and NOW <= till - F", "NOW - C >= till and NOW - C < till + 1",
};

static const char *const before[] = { "me:work()", "me:work() me:call('PING')", "me:sleep(2) me:work()", "me:work() me:sleep(1)" };
static const char *const between[] = { "", "", "me:sleep(W)", "me:call('PING')", "me:sleep(W) me:call('PING')" };
static const char *const fields[] = {
    "", "", "", "work_ms = { 0, 7 }, ", "work_ms = { 3, 9 }, ", "faults = { pause = { 1, of = 'B' } }, ", "latency_ms = { 0, 3 }, ", "servers = 2, ",
};

static const char *replace(arena *a, const char *text, const char *what, const char *with)
{
    buf b = { 0 };
    size_t n = strlen(what);
    for (const char *at = text; *at;) {
        bool word = strncmp(at, what, n) == 0 && (at == text || !((at[-1] >= 'A' && at[-1] <= 'Z') || (at[-1] >= 'a' && at[-1] <= 'z')));
        word = word && !((at[n] >= 'A' && at[n] <= 'Z') || (at[n] >= 'a' && at[n] <= 'z') || at[n] == '\'' || at[n] == ':');
        if (word) {
            buf_addz(&b, with);
            at += n;
        } else
            buf_byte(&b, *at++);
    }
    const char *out = arena_str(a, buf_str(&b)).p;
    buf_free(&b);
    return out;
}

static const char *with_numbers(arena *a, rng *r, const char *text)
{
    static const char *const names[] = { "C", "D", "E", "F", "W" };
    int64_t n[COUNT(names)] = { (int64_t)rng_below(r, 6), 4 + (int64_t)rng_below(r, 8), 8 + (int64_t)rng_below(r, 6), 0, 1 + (int64_t)rng_below(r, 4) };
    n[3] = n[0] > 1 ? n[0] - 1 - (int64_t)rng_below(r, 2) : 0;
    for (size_t i = 0; i < COUNT(names); i++)
        text = replace(a, text, names[i], arena_printf(a, "%" PRId64, n[i]).p);
    return text;
}

#define ANY(list) list[rng_below(r, COUNT(list))]

static const char *world_of(arena *a, rng *r)
{
    size_t kind = (size_t)rng_below(r, COUNT(writes));
    bool script = rng_below(r, 2) || !reads[kind];
    const char *condition = replace(a, ANY(conditions), "NOW", script ? "now" : "me:now()"), *then;
    if (script)
        then = arena_printf(a, "me:eval(now_of .. \"%s if till and %s then redis.call('SADD', 'marks', 'x') end\", { 'k' }, {})", script_reads[kind], condition).p;
    else
        then = arena_printf(a, "%s %s if till and %s then me:call('SADD', 'marks', 'x') end", reads[kind], ANY(between), condition).p;
    str text = arena_printf(a, "%sreturn { title = 't', explore = 'exhaustive', %sclients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0%s } },\n"
                               " always = function(v) return #v.queue == 0 end, program = function(me) me:observe('L', unmarked)\n"
                               " if me.client == 'A' then %s %s return end\n %s %s end }", HEAD, ANY(fields), rng_below(r, 4) == 0 ? ", skew_ms = 3" : "",
                            writes[kind], rng_below(r, 3) == 0 ? "me:sleep(W) me:call('PING')" : "", ANY(before), then);
    return with_numbers(a, r, text.p);
}

static int marked(const outcome *o)
{
    return o->properties[PROPERTY_ALWAYS].outcome;
}

static size_t number_of(const char *name, size_t otherwise)
{
    const char *said = getenv(name);
    return said ? (size_t)strtoul(said, NULL, 10) : otherwise;
}

static void stops_see_what_every_millisecond_shows(void **state)
{
    enum { WALK_MS = 36, STATES_MAX = 4000 };
    (void)state;
    size_t worlds = number_of("STOPS_WORLDS", 60), wrong = 0, compared = 0, seen = 0;
    rng r = rng_new(number_of("STOPS_SEED", 1), 7);
    for (size_t i = 0; i < worlds; i++) {
        arena *a = arena_new();
        const char *lua = world_of(a, &r);
        outcome *stops = fixture_run(a, lua, (search_options){ .max_states = STATES_MAX, .untold = true });
        outcome *walk = fixture_run(a, lua, (search_options){ .max_states = STATES_MAX, .every_ms = WALK_MS, .untold = true });
        outcome *anew = i % 4 == 0 ? fixture_run(a, lua, (search_options){ .max_states = STATES_MAX, .no_memo = true, .untold = true }) : stops;
        bool done = marked(walk) == OUTCOME_VIOLATED || walk->search.complete;
        if (done && (marked(stops) != marked(walk) || marked(anew) != marked(stops))) {
            print_error("%zu: stops %s, every millisecond %s, without tables %s\n%s\n", i, property_outcome_name(marked(stops)),
                        property_outcome_name(marked(walk)), property_outcome_name(marked(anew)), lua);
            wrong++;
        }
        compared += done;
        seen += marked(stops) == OUTCOME_VIOLATED;
        arena_free(a);
    }
    print_message("  %zu of %zu worlds compared, %zu marked\n", compared, worlds, seen);
    assert_int_equal(wrong, 0);
    assert_true(compared > worlds / 2 && seen > worlds / 5 && seen < compared);
}

#define TEST(name) cmocka_unit_test(name)
int main(void)
{
    static const struct CMUnitTest tests[] = { TEST(stops_see_what_every_millisecond_shows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
