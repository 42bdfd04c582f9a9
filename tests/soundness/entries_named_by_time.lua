-- truth: always (LK090) violated (two requests of one millisecond are one member, and count once)
-- A limiter of two a second by a sorted set whose members are the times themselves; three come at once.
local ask = [[
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[1] - 1000)
if redis.call("ZCARD", KEYS[1]) >= 2 then return 0 end
redis.call("ZADD", KEYS[1], ARGV[1], ARGV[1])
return redis.call("INCR", KEYS[2])]]

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 }, { "C", start_ms = 0 } },
  program = function(me)
    me:observe("L", { view = function() return { holders = {}, keys = {} } end })
    me:eval(ask, { "{w}", "{w}:passed" }, { string.format("%d", me:now()) })
  end,
  always = function(_, redis) return tonumber(redis.call("GET", "{w}:passed") or 0) <= 2, "three passed" end,
}
