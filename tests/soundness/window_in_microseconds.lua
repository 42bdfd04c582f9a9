-- truth: always (LK090) violated
-- A sliding window of two seconds, its scores microseconds: B gets in once A's entry has left it, and not before.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

local enter = "local t = redis.call('TIME') local now = t[1] * 1000000 + t[2] " ..
    "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[1] * 1000) " ..
    "if redis.call('ZCARD', KEYS[1]) > 0 then return 0 end redis.call('ZADD', KEYS[1], now, ARGV[2]) return 1"
return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "B" then
      me:work()
    end
    local entries = me:call("ZCARD", "k")
    if me:eval(enter, { "k" }, { 2000, me.id }) == 1 and entries == 1 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
