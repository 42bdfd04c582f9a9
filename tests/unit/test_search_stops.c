/* test_search_stops.c - the stops of time against every millisecond: small worlds by chance, in which a client compares
 * times in one of many ways, and one that finds them so sets a mark. Whether the mark can be set must be the same where
 * time stops at few instants, where it stops at each millisecond, without tables, and with nothing merged. And the
 * worlds are tested, too: a search for stops that lacks one of its rules must disagree. STOPS_WORLDS says how many
 * worlds; STOPS_SEED where to begin; STOPS_ONLY shows one of them. STOPS_RULES says among how many worlds each rule has
 * to be missed; 0: none is asked about. */
#include "base/rng.h"
#include "fixture.h"
#include "world/follow.h"

#include <inttypes.h>
#include <stdlib.h>

/* The mark is a key; who looks at it is the scenario's own invariant. In texts below
 *   D  how far ahead A's instant lies        C, F  constants of comparisons, F <= C        W  a short wait
 *   NOW  the comparing client's clock       P, Q  two numbers with P + Q = C: where C is told but never written */
#define HEAD \
    "local unmarked = { view = function(redis, name) return { holders = {}, queue = redis.call('SMEMBERS', 'marks'), " \
    "keys = {} } end }\n" \
    "local MARK = \"redis.call('SADD', 'marks', 'x')\"\n"
#define NOW_OF "local now_of = \"local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) \"\n"

/* How an instant D ms ahead gets from A to B, and how B reads it: as `till`, in its own code and in a script's (`v`:
 * what it reads first). NULL: it cannot there. */
typedef struct {
    const char *write, *read, *script_read;
    int64_t base_ms;       /* A and B start there: just before a second is full */
} carrier;

static const carrier carriers[] = {
    { "me:call('SET', 'k', me:now() + D)", "local till = tonumber(me:call('GET', 'k') or nil)",
      "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v)", 0 },
    { "me:call('SET', 'k', me:now() + D .. ':' .. me.id)", "local till = tonumber((me:call('GET', 'k') or "
      "''):match('^%d+'))",
      "local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v:match('^%d+'))", 0 },
    { "me:call('HSET', 'k', 'till', me:now() + D, 'by', me.id)", "local till = tonumber(me:call('HGET', 'k', 'till') "
      "or nil)",
      "local v = redis.call('HGET', KEYS[1], 'till') local till = v and tonumber(v)", 0 },
    { "me:call('ZADD', 'k', me:now() + D, me.id)", "local till = tonumber(me:call('ZSCORE', 'k', 'A:1') or nil)",
      "local v = redis.call('ZSCORE', KEYS[1], 'A:1') local till = v and tonumber(v)", 0 },
    { "me:call('SET', 'k', '{\"till\":' .. me:now() + D .. '}')", "local till = tonumber((me:call('GET', 'k') or "
      "''):match('%d+'))",
      "local v = redis.call('GET', KEYS[1]) local till = v and cjson.decode(v).till", 0 },
    { "me:call('SET', 'k', 'x', 'PX', D)", "local left = me:call('PTTL', 'k') or -2 local till = left > 0 and me:now() "
      "+ left or nil",
      "local p = redis.call('PTTL', KEYS[1]) local till = p > 0 and now + p", 0 },
    { "me:eval(now_of .. \"return redis.call('SET', KEYS[1], now + D)\", { 'k' }, {})",
      "local till = tonumber(me:call('GET', 'k') or nil)", "local v = redis.call('GET', KEYS[1]) local till = v and "
      "tonumber(v)", 0 },
    { "me:eval(now_of .. \"return redis.call('SET', KEYS[1], cjson.encode({ till = now + D }))\", { 'k' }, {})",
      "local till = tonumber((me:call('GET', 'k') or ''):match('%d%d%d%d+'))", "local v = redis.call('GET', KEYS[1]) "
      "local till = v and cjson.decode(v).till", 0 },
    { "me:eval(now_of .. \"return redis.call('SET', KEYS[1], cmsgpack.pack({ till = now + D }))\", { 'k' }, {})", NULL,
      "local v = redis.call('GET', KEYS[1]) local till = v and cmsgpack.unpack(v).till", 0 },
    { "me:eval(now_of .. \"return redis.call('SET', KEYS[1], (now + D) .. ':' .. ARGV[1], 'PX', E)\", { 'k' }, { me.id "
      "})",
      "local till = tonumber((me:call('GET', 'k') or ''):match('^%d+'))", "local v = redis.call('GET', KEYS[1]) local "
      "till = v and tonumber(v:match('^%d+'))", 0 },
    /* by a message, a list that B waits at, another server */
    { "me:call('PUBLISH', 'ch', me:now() + D)", "me:step() local till = got", NULL, 0 },
    { "me:call('RPUSH', 'q', me:now() + D)", "local r = me:call('BLPOP', 'q', '0.02') local till = r and "
      "tonumber(r[2])", NULL, 0 },
    { "me:call('RPUSH', 'q', me:now() + D)", "local r = me:call('BLPOP', 'q', '0.02') local till = r and "
      "tonumber(r[2])", NULL, 0 },
    { "me:on(2):call('SET', 'k', me:now() + D)", "local till = tonumber(me:on(2):call('GET', 'k') or nil)", NULL, 0 },
    /* whole seconds */
    { "me:eval(\"return redis.call('SET', KEYS[1], redis.call('TIME')[1] + C)\", { 'k' }, {})", NULL,
      "now = tonumber(t[1]) local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v)", 995 },
    { "me:call('SET', 'k', math.floor(me:now() / 1000) + C .. '/' .. me.id)", "local till = tonumber((me:call('GET', "
      "'k') or ''):match('^%d+')) till = till and till * 1000",
      "now = tonumber(t[1]) local v = redis.call('GET', KEYS[1]) local till = v and tonumber(v:match('^%d+'))", 995 },
    { "me:call('SET', 'k', 'x', 'PX', 1506)", "local left = me:call('TTL', 'k') or -2 local till = left >= 0 and left "
      "+ me:now()",
      "now = 0 local left = redis.call('TTL', KEYS[1]) local till = left >= 0 and left", 0 },
};

/* What finds them so. Constants that stand in no relation to the instants, 3 and 1, take part; ELSE is another path
 * that sets no mark. What no search for stops can see is left out: a window between two points at whose ends all is the
 * same. */
static const char *const conditions[] = {
    "till - NOW == C", "till < NOW", "till - NOW <= C and till - NOW >= F", "NOW - till == C", "NOW > till + C",
    /* a number that stands nowhere */
    "till - NOW == #'abcdefghi'", "till - NOW > #'abcdef' and (till - NOW < #'abcdefghi' or ELSE)",
    "till - NOW >= C", "NOW + C == till", "till == NOW", "till - C < NOW and NOW <= till - F",
    "NOW - C >= till and NOW - C < till + 1", "till - NOW == TOLD", "NOW - till == TOLD", "till - NOW == C + 1",
    "NOW - till == C + 1", "till - NOW + 1 == C", "till + till - NOW - NOW == C + C",
    "string.format('%020d', till) < string.format('%020d', NOW)",
    "(NOW - till) * (NOW - till) < 3", "NOW > till and math.floor((NOW - till) / 7) == 1",
    "(NOW - till) * 3 > tonumber('3' .. '1')", ("(NOW - till) * 3 > tonumber('3' .. '1') and ((NOW - till) * 3 < "
    "tonumber('3' .. '8') or ELSE)"),
};

/* How the constant C that a condition asks for (TOLD) is told, though nobody writes it. */
typedef struct { const char *at_a, *client, *script, *argv; } told;
static const told tellings[] = {
    { "", "local limit = C", "local limit = tonumber(ARGV[1])", "P + Q" },
    { "me:call('SET', 'm', P + Q)", "local limit = tonumber(me:call('GET', 'm') or nil) or 99",
      "local limit = tonumber(redis.call('GET', 'm') or nil) or 99", "" },
    { "me:call('SET', 'm', 'max=' .. P + Q)", "local limit = tonumber((me:call('GET', 'm') or '99'):match('%d+'))",
      "local limit = tonumber((redis.call('GET', 'm') or '99'):match('%d+'))", "" },
};

static const char *const before[] = {
    "me:sleep(0, 18)", "me:sleep(3, 21)",
    "me:work()", "me:work() me:call('PING')", "me:sleep(2) me:work()", "me:work() me:sleep(1)",
    "me:work() if me:choose { true, false } then me:sleep(1) end", "",
};
static const char *const between[] = { "", "", "me:sleep(W)", "me:call('PING')", "me:sleep(W) me:call('PING')" };
static const char *const fields[] = {
    "", "", "", "work_ms = { 0, 18 }, ", "work_ms = { 3, 21 }, ", "faults = { pause = { 1, of = 'B' } }, ",
    "latency_ms = { 0, 3 }, ", "latency_ms = { 2, 4 }, ", "faults = { clock_jump = { 1, of = 'B', ms = 4 } }, ",
    "faults = { clock_jump = { 1, of = 'B', ms = -3 } }, ", "faults = { server_clock_jump = { 1, ms = 5 } }, ",
    "faults = { server_clock_jump = { 1, ms = -4 } }, ",
    "faults = { late_request = { 1, of = 'B' } }, timeout_ms = 5, ", ("faults = { lose_reply = { 1, of = 'B' } }, "
    "timeout_ms = 4, "), "end_ms = 60, ",
};

static const char *const clocks[] = { "", "", "", "", "skew_ms = 3, ", "drift = '-1/10', ",
                                      "drift = '+1/12', skew_ms = 2, " };

/* Is there an entry of k with this score? */
#define AT(score) "local at = " score " if me:call('ZCOUNT', 'k', at, at) == 1 then me:eval(MARK) end"

/* What B finds at the place of l that says how long ago A wrote k. */
#define LOOKS_UP \
    "me:work() local since = me:now() - (tonumber(me:call('GET', 'k') or nil) or me:now()) " \
    "if me:call('GETRANGE', 'l', since, since) == 'b' then me:eval(MARK) end"

/* Worlds of other shapes: all that A and B do. THEN is a comparison as above, in which B reads what A wrote; where B
 * DRIFTS, its clock does. */
static const struct { const char *fields, *a, *b; } shapes[] = {
    /* B begins anew at any moment, or is woken at any */
    { "faults = { restart = { 1, of = 'B' } }, ", "", "THEN me:sleep(30)" },
    { "faults = { interrupt = { 1, of = 'B' } }, ", "", "local s = me:semaphore(0) if s:acquire(30) == nil then THEN "
      "end" },
    /* at a deadline a millisecond passes before the step that follows a wait */
    { "", "me:call('SET', 'k', 'x', 'PX', D) me:sleep(30)", "me:work() local till = me:now() + W me:sleep(W) if "
      "me:now() - till == 1 then me:eval(MARK) end" },
    /* no task asks for the time */
    { "", "me:call('SET', 'k', 'x', 'PX', D)", "me:work() me:eval(\"if redis.call('PTTL', KEYS[1]) == C then \" .. "
      "MARK .. \" end\", { 'k' }, {})" },
    { "", "me:call('SET', 'k', 'x', 'PX', D)", "me:work() if me:call('PTTL', 'k') == C + 1 then me:eval(MARK) end" },
    { "", "", "me:work() if me:choose { false, true } then THEN end" },
    /* a script that asks for something else, and answers the same */
    { "work_ms = { 0, 45 }, ", "me:call('SET', 'k', me:now() + D)", "me:work() me:eval(now_of .. \"local v = "
      "redis.call('GET', KEYS[1]) local past = v and (now - v) * 3\" .. \" if v and past > tonumber('6' .. '1') and "
      "(past < tonumber('7' .. '0') or not redis.call('PING')) then \" .. MARK .. \" end\", { 'k' }, {})" },
    /* whole seconds, nothing else counted */
    { "", "me:eval(\"return redis.call('SET', KEYS[1], redis.call('TIME')[1])\", { 'k' }, {})",
      "me:work() me:eval(\"local v = redis.call('GET', KEYS[1]) if v and redis.call('TIME')[1] - v == 8 then \" .. "
      "MARK .. \" end\", { 'k' }, {})" },
    /* what B reads and knows lies with it while it works */
    { "", "me:call('SET', 'k', me:now() + D)", "local till, limit = tonumber(me:call('GET', 'k') or nil), P + Q "
      "me:work() if till and me:now() - till == limit then me:eval(MARK) end" },
    { "work_ms = { 0, 25 }, ", "me:call('SET', 'k', me:now() + D)", "local till, limit = tonumber(me:call('GET', 'k') "
      "or nil), P + Q me:work() if till and till - me:now() == limit then me:eval(MARK) end" },
    /* a length that moves, held against a clock after a wait */
    { "", "me:call('SET', 'k', 'x', 'PX', D) me:sleep(25)", "me:work() local left = me:call('PTTL', 'k') or -2 local "
      "till = left > 0 and me:now() + left me:sleep(W) if till and till - me:now() == C then me:eval(MARK) end" },
    /* Redis compares, not Lua: by constants of the code, told, stored, known; before and after them; after a wait */
    { "", "me:call('ZADD', 'k', me:now() + D, 'x')", "me:work() " AT("me:now() - C") },
    { "", "me:call('ZADD', 'k', me:now() + D, 'x')", "me:work() " AT("me:now() - 17 - 1") },
    { "", "me:call('ZADD', 'k', me:now() + D, 'x')", "me:work() " AT("me:now() - 17 + 1") },
    { "", "me:call('ZADD', 'k', me:now() + D, 'x')",
      "me:work() local limit = me:eval('return #ARGV[1]', {}, { 'abcdefghijklmnopq' }) " AT("me:now() - limit") },
    { "", "me:call('SET', 'm', P + Q) me:call('ZADD', 'k', me:now() + D, 'x')",
      "me:work() local limit = tonumber(me:call('GET', 'm') or nil) or 99 " AT("me:now() - limit") },
    { "", "me:call('ZADD', 'k', me:now() + D, 'x')", "local limit = P + Q me:work() " AT("me:now() - limit") },
    { "", "me:call('ZADD', 'k', me:now() + D, 'x') me:sleep(25)", "me:work() me:sleep(W) " AT("me:now() - C") },
    { "", "me:call('ZADD', 'k', C, 'y') me:call('SET', 'l', 'x', 'PX', D)",
      "me:work() local left = me:call('PTTL', 'l') or -2 " AT("left") },
    { "", "me:eval(\"return redis.call('ZADD', KEYS[1], redis.call('TIME')[1], 'x')\", { 'k' }, {})",
      "me:work() me:eval(\"local at = redis.call('TIME')[1] - 8 if redis.call('ZCOUNT', KEYS[1], at, at) == 1 then \" "
      ".. MARK .. \" end\", { 'k' }, {})" },
    { "work_ms = { 0, 45 }, ", "me:call('ZADD', 'k', me:now(), 'x')", "me:work() " AT("me:now() - 31") },
    /* ... and looks up what no number tells */
    { "", "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 17) .. 'bbb' .. string.rep('c', 900))",
      "me:work() local since = me:now() - (tonumber(me:call('GET', 'k') or nil) or me:now()) "
      "local found = me:call('GETRANGE', 'l', since, since) if found == 'b' then me:eval(MARK) elseif found == 'c' "
      "then me:call('PING') end" },
    { "work_ms = { 0, 33 }, ", "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 17) .. 'bbb' .. "
      "string.rep('c', 900))",
      "me:work() local since = me:now() - (tonumber(me:call('GET', 'k') or nil) or me:now()) "
      "local found = me:call('GETRANGE', 'l', since, since) if found == 'b' then me:eval(MARK) elseif found == 'c' "
      "then me:call('PING') end" },
    { "work_ms = { 0, 33 }, ",
      "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 17) .. 'bbb' .. string.rep('c', 900))",
      "me:work() me:eval(now_of .. \"local v = redis.call('GET', KEYS[1]) local since = now - (v or now) local found = "
      "redis.call('GETRANGE', 'l', since, since) if found == 'b' then \" .. MARK .. \" elseif found == 'c' then "
      "redis.call('PING') end\", { 'k' }, {})" },
    /* Lua compares with a number that stands nowhere */
    { "", "me:call('SET', 'k', me:now() + D)", "me:work() local till = tonumber(me:call('GET', 'k') or nil) "
      "if till and me:now() - till == #'abcdefghijklmnopq' then me:eval(MARK) end" },
    /* ... and about which all is the same, or somewhere in a slot of time, told by the name of a key */
    { "", "me:call('SET', 'k', me:now())", "me:work() local since = tonumber(me:call('GET', 'k') or nil) "
      "if since and math.abs(me:now() - since - #'abcdefghijklmnopqrs') < 2 then me:eval(MARK) end" },
    { "", "me:call('SET', 'slot:' .. math.floor(me:now() / 7) + 1, 'x')",
      "me:work() if me:call('EXISTS', 'slot:' .. math.floor(me:now() / 7)) == 1 then me:eval(MARK) end" },
    /* what nobody sees of the first wait matters after the second one */
    { "", "me:call('PING')", "local since = me:now() me:work() local then_ms = me:now() me:work() "
      "if then_ms - since > 4 and then_ms - since < 7 and me:now() - then_ms > 6 and me:now() - then_ms < 9 then "
      "me:eval(MARK) end" },
    /* B looks at its clock once A has woken it: by a list, by a message */
    { "", "me:work() me:call('RPUSH', 'q', 'x')", "local since = me:now() local r = me:call('BLPOP', 'q', '0.02') "
      "if r and me:now() - since > 12 and me:now() - since < 15 then me:eval(MARK) end" },
    { "", "me:work() me:call('PUBLISH', 'ch', 'x')", "local s = me:semaphore(0) me:subscribe('ch', function() "
      "s:release() end) local since = me:now() if s:acquire(20) and me:now() - since > 12 and me:now() - since < 15 "
      "then me:eval(MARK) end" },
    /* A comes at any time; B's own timer, set before, looks at what A has left there: how long it lives, how old it is,
     * by the server's comparison; and whether it is there at all: for a few ms only */
    { "", "me:work() me:call('SET', 'k', 'x', 'PX', D)", "me:call('GET', 'k') me:sleep(19) local left = "
      "me:call('PTTL', 'k') if left > #'abc' and left < #'abcdef' then me:eval(MARK) end" },
    { "", "me:work() me:call('SET', 'k', me:now())", "me:sleep(19) local came = me:call('GET', 'k') "
      "if came and me:now() - came == #'abcdefg' then me:eval(MARK) end" },
    { "", "me:work() me:call('ZADD', 'k', me:now() + D, 'x')", "me:sleep(19) " AT("me:now() + 9") },
    { "", "me:work() me:sleep(5) me:call('SET', 'k', 'x', 'PX', 1)", "me:sleep(19) "
      "if me:call('GET', 'k') then me:eval(MARK) end" },
    /* what a third wait tells apart, of the one that comes at any time, and of the other one */
    { "", "me:call('SET', 'k', me:now())", "me:work() me:sleep(2) me:sleep(3) me:sleep(2) local came = "
      "me:call('GET', 'k') if came and me:now() - came == #'abcdefghijklmnop' then me:eval(MARK) end" },
    { "", "me:work() me:call('SET', 'k', 'x', 'PX', D)", "for i = 1, 5 do me:sleep(5) local left = "
      "me:call('PTTL', 'k') if left == #'abc' then me:eval(MARK) end end" },
    /* an instant of another epoch, and Redis that compares */
    { "", "me:call('ZADD', 'k', me:now() + D - 1600000000000, 'x')",
      "me:work() " AT("me:now() - 1600000000000") },
    /* in microseconds */
    { "", "me:call('ZADD', 'k', string.format('%.0f', (me:now() + D) * 1000), 'x')",
      "me:work() " AT("string.format('%.0f', me:now() * 1000)") },
    /* so long that a clock which drifts has gained or lost more than the millisecond to either side */
    { "work_ms = { 0, 45 }, ", "me:call('SET', 'k', me:now())", "local till = tonumber(me:call('GET', 'k') or nil) "
      "me:work() if till and me:now() - till == 31 then me:eval(MARK) end" },
    { "work_ms = { 0, 45 }, ", "me:call('ZADD', 'k', me:now(), 'x')", "DRIFTS me:work() " AT("me:now() - 31") },
    /* a millisecond before, or after, a length meets a constant */
    { "", "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 21):sub(2) .. 'b' .. "
      "string.rep('a', 900))", LOOKS_UP },
    { "", "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 21) .. 'ab' .. "
      "string.rep('a', 900))", LOOKS_UP },
    /* seconds that Redis compares */
    { "", "me:eval(\"return redis.call('ZADD', KEYS[1], redis.call('TIME')[1], 'x')\", { 'k' }, {})",
      "me:work() me:eval(\"local at = redis.call('TIME')[1] - 11 if redis.call('ZCOUNT', KEYS[1], at, at) == 1 then \" "
      ".. MARK .. \" end\", { 'k' }, {})" },
    { "", "me:eval(\"return redis.call('ZADD', KEYS[1], redis.call('TIME')[1], 'x')\", { 'k' }, {})",
      "me:work() me:sleep(1700) me:eval(\"local at = redis.call('TIME')[1] - 11 if redis.call('ZCOUNT', KEYS[1], at, "
      "at) == 1 then \" .. MARK .. \" end\", { 'k' }, {})" },
    /* a wide window that no number names */
    { "work_ms = { 0, 45 }, ", "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 3 * 4) .. "
      "string.rep('b', 4 * 5) .. string.rep('a', 9 * 100))", LOOKS_UP },
    /* a window between two points at which a comparison has the same result; what is told is a key of a table */
    { "work_ms = { 0, 33 }, ", "me:call('SET', 'k', me:now())", "me:work() local since = me:now() - "
      "(tonumber(me:call('GET', 'k') or nil) or me:now()) if (since - 13) * (since - 13) < 4 then me:eval(MARK) end" },
    { "", "me:call('SET', 'k', me:now())", "me:work() local limit = me:eval('return #ARGV[1]', {}, { "
      "'abcdefghijklmnopq' }) local since = me:now() - (tonumber(me:call('GET', 'k') or nil) or me:now()) "
      "if ({ [limit] = true })[since] then me:eval(MARK) end" },
    /* the last millisecond of a slot of time is as near to the next slot as it comes */
    { "work_ms = { 0, 33 }, ", "me:work() me:call('SET', 'k', math.floor(me:now() / 10) .. '/' .. me:now())",
      "me:work() local slot, at = (me:call('GET', 'k') or ''):match('(%d+)/(%d+)') "
      "if slot and math.floor(me:now() / 10) > tonumber(slot) and me:now() - at == 1 then me:eval(MARK) end" },
    /* two times that were stored at any moment, and a client that finds at any moment how far apart they are */
    { "", "me:call('SET', 'k', me:now()) me:work() local k, l = me:call('GET', 'k'), me:call('GET', 'l') "
      "if l and l - k == #'abcdefghi' then me:eval(MARK) end", "me:work() me:call('SET', 'l', me:now())" },
    { "", "me:call('SET', 'k', 'x', 'PX', D) me:work() local k, l = me:call('PTTL', 'k'), me:call('PTTL', 'l') "
      "if k > 0 and l - k == #'abcdefghi' then me:eval(MARK) end", "me:work() me:call('SET', 'l', 'x', 'PX', D)" },
    /* ... who works between finding that they are there and comparing them; who first looks how old one of them is */
    { "", "local since = me:now() me:work() local till = me:now() me:work() local l = me:call('GET', 'l') "
      "if l and l - since > #'abcde' and till - l > #'abcde' then me:eval(MARK) end", "me:work() me:call('SET', 'l', "
      "me:now())" },
    { "", "local since = me:now() me:work() local till = me:now() me:work() local l = me:call('GET', 'l') "
      "if l and till - l > #'abcde' and l - since > #'abcde' then me:eval(MARK) end", "me:work() me:call('SET', 'l', "
      "me:now())" },
    /* nothing but what a script asks for next tells that something is there */
    { "work_ms = { 0, 33 }, ",
      "me:call('SET', 'k', me:now()) me:call('SET', 'l', string.rep('a', 3 * 7 - 2) .. 'bbb' .. string.rep('c', 900))",
      "me:work() me:eval(now_of .. \"local v = redis.call('GET', KEYS[1]) local since = now - (v or now) local found = "
      "redis.call('GETRANGE', 'l', since, since) if found == 'b' then \" .. MARK .. \" elseif found == 'c' then "
      "redis.call('PING') end\", { 'k' }, {})" },
    /* two questions: what is left of one time, and how old another is */
    { "", "me:call('SET', 'k', 'x', 'PX', 20) me:work() local k, l = me:call('PTTL', 'k'), me:call('GET', 'l') "
      "local since = me:now() - (l or me:now()) if k >= 0 and k <= #'ab' and since >= #'abcde' and since <= #'abcdefg' "
      "then me:eval(MARK) end", "me:work() me:call('SET', 'l', me:now())" },
    /* the server removes a key some time after its end, and tells B */
    { "notify_keyspace_events = 'Ex', ", "me:call('SET', 'k', 'x', 'PX', 9)",
      "local s, since = me:semaphore(0), me:now() me:subscribe('__keyevent@0__:expired', function() s:release() end) "
      "local told = s:acquire(40) local after = me:now() - since "
      "if told and after > 9 + 3 and after < 9 + 6 then me:eval(MARK) end "
      "me:unsubscribe('__keyevent@0__:expired')" },
    /* a client computes in which second it is, and tells nobody */
    { "", "me:sleep(995) me:work() me:call('SET', 'k', me:now()) me:sleep(25)",
      "me:sleep(995) me:work() local n, k = me:now(), tonumber(me:call('GET', 'k') or nil) if k and n - k == 1 and "
      "math.floor(n / 1000) ~= math.floor(k / 1000) then me:eval(MARK) end" },
};

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *replace(arena *a, const char *text, const char *what, const char *with)
{
    buf b = { 0 };
    size_t n = strlen(what);
    for (const char *at = text; *at;) {
        bool word = strncmp(at, what, n) == 0 && (at == text || !is_letter(at[-1]));
        word = word && !(is_letter(at[n]) || at[n] == '\'' || at[n] == ':');
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

static const char *with_numbers(arena *a, rng *r, const char *text, bool seconds)
{
    static const char *const names[] = { "C", "D", "E", "F", "W", "P", "Q" };
    int64_t n[COUNT(names)] = { seconds ? (int64_t)rng_below(r, 2) : (int64_t)rng_below(r, 3) * 4,
                                12 + (int64_t)rng_below(r, 3), 18 + (int64_t)rng_below(r, 2), 0,
                                2 + 3 * (int64_t)rng_below(r, 2) };
    n[3] = n[0] > 2 ? n[0] - 3 : 0;
    n[5] = 100 + (int64_t)rng_below(r, 50);        /* far from C, and from any millisecond that is walked */
    n[6] = n[0] - n[5];
    for (size_t i = 0; i < COUNT(names); i++)
        text = replace(a, text, names[i], arena_printf(a, n[i] < 0 ? "(%" PRId64 ")" : "%" PRId64, n[i]).p);
    return text;
}

#define ANY(list) list[rng_below(r, COUNT(list))]

typedef struct { const char *reads; const told *limit; bool tells; } comparison;

/* What B does to look, and to set the mark. */
static comparison comparison_of(arena *a, rng *r, const carrier *k)
{
    comparison c = { .limit = &ANY(tellings) };
    bool script = k->script_read && (rng_below(r, 2) || !k->read);
    const char *condition = ANY(conditions);
    c.tells = strstr(condition, "TOLD");
    const char *clock = rng_below(r, 3) ? "me:now()" : "me:monotonic()";
    condition = replace(a, replace(a, condition, "NOW", script ? "now" : clock), "TOLD", "limit");
    condition = replace(a, condition, "ELSE", script ? "not redis.call('PING')" : "not me:call('PING')");
    if (script)
        c.reads = arena_printf(a, "me:eval(now_of .. \"%s %s if till and %s then \" .. MARK .. \" end\", { 'k' }, { %s "
                               "})", c.tells ? c.limit->script : "",
                               k->script_read, condition, c.tells ? c.limit->argv : "").p;
    else
        c.reads = arena_printf(a, "%s %s %s if till and %s then me:eval(MARK) end", c.tells ? c.limit->client : "",
                               k->read, ANY(between), condition).p;
    return c;
}

/* `shape` as above; from COUNT(shapes) on, none of them. */
enum { ANY_SHAPE = 2 * COUNT(shapes) };
static const char *world_of(arena *a, rng *r, size_t shape)
{
    const carrier *k = &ANY(carriers);
    comparison c = comparison_of(a, r, k);
    const char *field = ANY(fields), *start_b = rng_below(r, 3) == 0 ? "" : "start_ms = 0, ", *clock = ANY(clocks);
    const char *first_b = strstr(k->write, "PUBLISH") ? "local got me:subscribe('ch', function(m, text) got = "
                          "tonumber(text) end) " : "";
    const char *does_a = arena_printf(a, "%s %s %s", c.tells ? c.limit->at_a : "", k->write,
                                      rng_below(r, 3) == 0 ? "me:sleep(25) me:call('PING')" : "").p;
    const char *does_b = arena_printf(a, "%s%s %s", first_b, ANY(before), c.reads).p;
    if (shape < COUNT(shapes) && k->base_ms == 0) {
        field = shapes[shape].fields;
        clock = strstr(shapes[shape].b, "DRIFTS") ? "drift = '+1/12', " : clock;
        does_a = *shapes[shape].a ? shapes[shape].a : does_a;
        does_b = arena_printf(a, "%s%s", first_b, replace(a, replace(a, shapes[shape].b, "THEN", c.reads), "DRIFTS",
                                                              "")).p;
    }
    if (k->base_ms)
        start_b = "start_ms = 995, ";
    bool second = strstr(does_a, "on(2)"), now_of = strstr(does_a, "now_of") || strstr(does_b, "now_of");
    str text = arena_printf(a,
                            HEAD "%sreturn { title = 't', explore = 'exhaustive', %s%sclients = { { 'A', start_ms = %"
                            PRId64 " }, { 'B', %s%s} },\n"
                               " expect = { no_leak = 'violated', no_deadlock = 'violated' }, waive = { "
                               "'undeclared_key', 'cross_slot' }, always = function(v) "
                               "return #v.queue == 0 end,\n"
                               " program = function(me) me:observe('L', unmarked)\n if me.client == 'A' then %s return "
                               "end\n %s end }",
                            now_of ? NOW_OF : "", second ? "servers = 2, " : "", field, k->base_ms, start_b, clock,
                            does_a, does_b);
    return with_numbers(a, r, text.p, k->base_ms > 0);
}

/* ---- looking ---- */

enum { WALK_MS = 36, STATES_MAX = 2500, RUNS_MAX = 300 };

static int marked(arena *a, const char *lua, search_options o)
{
    o.max_states = STATES_MAX;
    o.untold = o.open_starts = o.glance = true;
    outcome *out = fixture_run(a, lua, o);
    int what = out->properties[PROPERTY_ALWAYS].outcome;
    if (out->verdict == VERDICT_ERROR)
        print_error("%s\n", lua);
    assert_true(out->verdict != VERDICT_ERROR);
    return what == OUTCOME_VIOLATED || out->search.complete ? what : OUTCOME_UNDECIDED;
}

static int64_t walk_ms(const char *lua)
{
    return strstr(lua, "995") ? 1012 : strstr(lua, "1506") ? 24 : strstr(lua, "45 }") ? 48 : WALK_MS;
}

static size_t number_of(const char *name, size_t otherwise)
{
    const char *said = getenv(name);
    return said ? (size_t)strtoul(said, NULL, 10) : otherwise;
}

typedef struct { size_t compared, unfolded, marked, wrong; } tally;

static bool decided(int what) { return what == OUTCOME_VIOLATED || what == OUTCOME_HOLDS; }

static bool differ(int x, int y) { return decided(x) && decided(y) && x != y; }

static void hold_against(tally *t, size_t i, const char *lua)
{
    arena *a = arena_new();
    int walk = marked(a, lua, (search_options){ .every_ms = walk_ms(lua) }),
               stops = marked(a, lua, (search_options){ 0 });
    int anew = i % 4 == 0 ? marked(a, lua, (search_options){ .no_memo = true }) : stops;
    int unfolded = i % 8 == 0 ? marked(a, lua, (search_options){ .no_fold = true, .runs = RUNS_MAX })
                   : OUTCOME_UNDECIDED;
    bool wrong = differ(walk, stops) || differ(stops, anew);
    wrong |= unfolded == OUTCOME_VIOLATED ? stops == OUTCOME_HOLDS : unfolded == OUTCOME_HOLDS &&
        stops == OUTCOME_VIOLATED;
    if (wrong)
        print_error("world %zu: stops %s, every millisecond %s, without tables %s, unfolded %s\n%s\n", i,
                    property_outcome_name(stops),
                    property_outcome_name(walk), property_outcome_name(anew), property_outcome_name(unfolded), lua);
    t->wrong += wrong;
    t->compared += decided(walk) && decided(stops);
    t->unfolded += decided(unfolded);
    t->marked += stops == OUTCOME_VIOLATED;
    arena_free(a);
}

static void stops_see_what_every_millisecond_shows(void **state)
{
    (void)state;
    size_t worlds = number_of("STOPS_WORLDS", 60), only = number_of("STOPS_ONLY", SIZE_MAX);
    tally t = { 0 };
    rng r = rng_new(number_of("STOPS_SEED", 1), 7);
    for (size_t i = 0; i < worlds; i++) {
        arena *a = arena_new();
        const char *lua = world_of(a, &r, (size_t)rng_below(&r, ANY_SHAPE));
        if (only == SIZE_MAX || only == i)
            hold_against(&t, i, lua);
        if (only == i)
            print_message("%s\n", lua);
        arena_free(a);
    }
    print_message("  %zu of %zu worlds compared, %zu unfolded, %zu marked\n", t.compared, worlds, t.unfolded, t.marked);
    assert_int_equal(t.wrong, 0);
    assert_true(only != SIZE_MAX || worlds < 50 ||
                (t.compared > worlds / 2 && t.marked > worlds / 5 && t.marked < t.compared && t.unfolded > 0));
}

/* A writes down when it came; B looks how long ago that was. */
#define LOOKS_SINCE(first, found) \
    "work_ms = { 0, 33 }, clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 } }, program = function(me) " \
    "me:observe('L', unmarked) if me.client == 'A' then me:call('SET', 'k', me:now()) return end " first " me:work() " \
    "local since = me:now() - (tonumber(me:call('GET', 'k') or nil) or me:now()) if " found \
    " then me:eval(MARK) end end"
/* A stores an instant that Redis holds against the one that B sends. */
#define SENDS_INSTANT(stored, sent) \
    "work_ms = { 0, 33 }, clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 } }, program = function(me) " \
    "me:observe('L', unmarked) if me.client == 'A' then me:call('ZADD', 'k', " stored ", 'x') me:call('SET', 'l', " \
    "me:now()) return end me:work() local since = tonumber(me:call('GET', 'l') or nil) or 0 local at = " sent \
    " if me:call('ZCOUNT', 'k', at, at) == 1 then me:eval(MARK) end end"

/* Worlds in which stops were missed once. */
static const char *const found[] = {
    "faults = { interrupt = { 1, of = 'B' } }, clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 } }, program = "
        "function(me) me:observe('L', unmarked)"
    " if me.client == 'A' then me:call('SET', 'k', 'x', 'PX', 14) me:sleep(25) me:call('PING') return end"
    " local s = me:semaphore(0) if s:acquire(30) == nil then local left = me:call('PTTL', 'k') or -2 local till = left "
        "> 0 and me:now() + left or nil"
    " me:sleep(2) me:call('PING') if till and till - me:now() == 4 then me:eval(MARK) end end end",
    /* functions in C that take one of many by its place; a table that is called, or reckoned with */
    LOOKS_SINCE("local t = {} for i = 0, 200 do t[i] = 'a' end t[17] = 'b'", "unpack(t, since, since) == 'b'"),
    LOOKS_SINCE("local t = {} for i = 1, 200 do t[i] = 'a' end t[17] = 'b'", "select(since + 1, unpack(t)) == 'b'"),
    LOOKS_SINCE("local t = {} for i = 0, 200 do t[i] = 'a' end t[17] = 'b'",
                "table.concat(t, '', since, since) == 'b'"),
    LOOKS_SINCE("local t = setmetatable({ [17] = true }, { __call = rawget })", "t(since)"),
    LOOKS_SINCE("local t = setmetatable({ [17] = true }, { __sub = rawget })", "t - since"),
    LOOKS_SINCE("", "math.min(math.max(since - 16, 0), math.max(18 - since, 0)) ~= 0"),
    LOOKS_SINCE("", "since < 10 and not tonumber(tostring(since), 8)"),
    /* instants that are sent, and move against time, or twice as fast */
    SENDS_INSTANT("me:now() - 17", "since + since - me:now()"),
    SENDS_INSTANT("me:now() + 36", "me:now() - since + me:now()"),
    /* a score of seconds, which Redis tells to seventeen digits */
    "work_ms = { 0, 33 }, clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 } }, program = function(me) "
        "me:observe('L', unmarked)"
    " if me.client == 'A' then me:call('ZADD', 'k', (me:now() + 25) / 1000, 'x') return end me:work()"
    " local function in_ms(ms) return string.format('%.3f', (me:now() + ms) / 1000) end"
    " if me:call('ZRANGEBYSCORE', 'k', in_ms(5), in_ms(6))[1] then me:eval(MARK) end end",
    /* A and B each write down when they came; C compares, by its own code and by Redis */
    "clients = { { 'A', start_ms = 0 }, 'B', 'C' }, program = function(me) me:observe('L', unmarked)"
    " if me.client ~= 'C' then me:call('SET', me.client, me:now()) return end"
    " local a, b = me:call('GET', 'A'), me:call('GET', 'B') if b and b - (a or b) == 17 then me:eval(MARK) end end",
    "clients = { { 'A', start_ms = 0 }, 'B', 'C' }, program = function(me) me:observe('L', unmarked)"
    " if me.client ~= 'C' then me:call('ZADD', 'k', me:now(), me.client) return end"
    " local b = me:call('ZSCORE', 'k', 'B') if not b then return end b = b - 17"
    " if me:call('ZCOUNT', 'k', b, b) == 1 then me:eval(MARK) end end",
    /* ... a second time of B's, after a wait */
    "clients = { { 'A', start_ms = 0 }, 'B', 'C' }, program = function(me) me:observe('L', unmarked)"
    " if me.client == 'B' then me:sleep(5) end"
    " if me.client ~= 'C' then me:call('SET', me.client, me:now()) return end"
    " local a, b = me:call('GET', 'A'), me:call('GET', 'B') if b and b - (a or b) == 17 then me:eval(MARK) end end",
    /* A wakes B, which wakes C: by lists, by messages */
    "clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 }, { 'C', start_ms = 0 } }, program = function(me) "
        "me:observe('L', unmarked)"
    " if me.client == 'A' then me:work() me:call('RPUSH', 'p', 'x') return end"
    " if me.client == 'B' then if me:call('BLPOP', 'p', '0.03') then me:call('RPUSH', 'q', 'x') end return end"
    " local since = me:now() local r = me:call('BLPOP', 'q', '0.03')"
    " if r and me:now() - since > 12 and me:now() - since < 15 then me:eval(MARK) end end",
    "clients = { { 'A', start_ms = 0 }, { 'B', start_ms = 0 }, { 'C', start_ms = 0 } }, program = function(me) "
        "me:observe('L', unmarked)"
    " if me.client == 'A' then me:work() me:call('PUBLISH', 'p', 'x') return end local s = me:semaphore(0)"
    " me:subscribe(me.client == 'B' and 'p' or 'q', function() s:release() end) local since = me:now()"
    " local woken = s:acquire(30) if woken and me.client == 'B' then me:call('PUBLISH', 'q', 'x')"
    " elseif woken and me:now() - since > 12 and me:now() - since < 15 then me:eval(MARK) end end",
};

static void what_was_missed_once_is_seen(void **state)
{
    (void)state;
    tally t = { 0 };
    for (size_t i = 0; i < COUNT(found); i++) {
        arena *a = arena_new();
        hold_against(&t, i, arena_printf(a, HEAD "return { title = 't', explore = 'exhaustive', expect = { no_leak = "
                                         "'violated', no_deadlock = 'violated' },"
                                                 " always = function(v) return #v.queue == 0 end, %s }", found[i]).p);
        arena_free(a);
    }
    assert_int_equal(t.wrong, 0);
    assert_int_equal(t.marked, COUNT(found));
}

/* ---- the generator ---- */

static const struct { uint64_t rule; const char *name; } rules[] = {
    { STOPS_HALVES, "halves" }, { STOPS_BEFORE, "the millisecond before" }, { STOPS_AFTER, "the millisecond after" },
    { STOPS_ENDS, "ends" },
    { STOPS_BEYOND, "beyond the last instant" }, { STOPS_MOVING, "moving lengths" },
    { STOPS_CODE, "constants of code" },
    { STOPS_HEARD, "constants heard" }, { STOPS_HELD, "constants held" }, { STOPS_SECONDS, "seconds" },
    { STOPS_LATER, "later" }, { STOPS_AT_ONCE, "at once" }, { STOPS_WAITS, "waits" }, { STOPS_WAYS, "ways" },
    { STOPS_DEADLINE, "deadlines" },
    { STOPS_RANGES, "ranges" }, { STOPS_FAULTS, "faults" }, { STOPS_PATHS, "paths" },
    { STOPS_BRANCHES, "ways of comparisons" }, { STOPS_LADDER, "lengths of all sizes" },
    { STOPS_OTHERS, "others that are woken" }, { STOPS_TIMERS, "timers of others" },
    { STOPS_FURTHER, "more waits than two" }, { STOPS_LAST, "last milliseconds" },
    { STOPS_ORDER, "what moves meets what does not" }, { STOPS_USED, "what else decides" },
    { STOPS_BENT, "what does not move evenly" }, { STOPS_SENT, "instants sent" },
    { STOPS_VISITS, "others who come at any moment" }, { STOPS_AGAIN, "... and come again" },
    { STOPS_DELAYS, "... and come later" },
    { STOPS_CORNERS, "... and compare twice" },
    { STOPS_EXPIRY, "expired keys that the server removes" },
    { STOPS_CLOCKS, "seconds of clocks" },
    { STOPS_DRIFT, "a clock that drifts" }, { STOPS_COMPARED, "what is compared" }, { STOPS_FAR, "other epochs" },
};

/* Two rules find by the way what others look for on purpose, in worlds as small as these: they are left out, too. (What
 * needs the second is in tests/soundness/counted_behind_an_age.lua.) */
static bool is_missed_without(arena *a, const char *lua, uint64_t rule)
{
    uint64_t wide = (STOPS_CORNERS | STOPS_TOLD) & ~rule;
    return marked(a, lua, (search_options){ .stops_without = wide | rule }) == OUTCOME_HOLDS &&
           marked(a, lua, (search_options){ .stops_without = wide }) == OUTCOME_VIOLATED;
}

/* Property: each rule matters, and the worlds show it: without it a result changes in some world of the first 500. */
static void without_any_one_rule_some_world_disagrees(void **state)
{
    enum { AIMED = 4 };        /* of each shape so many first */
    (void)state;
    size_t worlds = number_of("STOPS_RULES", 500), shown[COUNT(rules)] = { 0 }, left = COUNT(rules);
    if (worlds == 0)
        skip();
    rng r = rng_new(number_of("STOPS_SEED", 1), 7);
    for (size_t i = 0; i < worlds && left > 0; i++) {
        arena *a = arena_new();
        const char *lua = world_of(a, &r, i < AIMED * COUNT(shapes) ? i / AIMED : (size_t)rng_below(&r, ANY_SHAPE));
        if (marked(a, lua, (search_options){ 0 }) == OUTCOME_VIOLATED)
            for (size_t k = 0; k < COUNT(rules); k++)
                if (!shown[k] && is_missed_without(a, lua, rules[k].rule)) {
                    shown[k] = i + 1;
                    left--;
                }
        arena_free(a);
    }
    for (size_t k = 0; k < COUNT(rules); k++)
        if (shown[k])
            print_message("  without %s: world %zu\n", rules[k].name, shown[k] - 1);
        else
            print_error("  without %s: no world\n", rules[k].name);
    assert_int_equal(left, 0);
}

#define TEST(name) cmocka_unit_test(name)
int main(void)
{
    static const struct CMUnitTest tests[] = { TEST(what_was_missed_once_is_seen),
                                               TEST(stops_see_what_every_millisecond_shows),
                                               TEST(without_any_one_rule_some_world_disagrees) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
