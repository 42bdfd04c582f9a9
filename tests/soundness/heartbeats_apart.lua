-- truth: always (LK090) violated
-- Two members each write a heartbeat, once, at any moment. A sweep removes the member whose last heartbeat is more
-- than 40 ms older than the newest one, as ZREVRANGE and ZRANGEBYSCORE see them. Truth: VIOLATED.
local marks = { view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end }
local sweep = [[
local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not newest[2] then return 0 end
local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', newest[2] - ARGV[1])
if #old > 0 then redis.call('SADD', KEYS[2], old[1]) end
return #old]]
return {
  clients = { "A", "B", "C" },
  program = function(me)
    me:observe("L", marks)
    if me.client ~= "C" then
      me:call("ZADD", "members", me:now(), me.client)
      return
    end
    me:eval(sweep, { "members", "marks" }, { 40 })
  end,
  always = function(view) return #view.queue == 0 end,
  waive = { "cross_slot", "undeclared_key" },
}
