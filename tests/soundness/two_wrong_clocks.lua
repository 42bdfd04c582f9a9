-- truth: always (LK090) violated
-- A's clock is 250 ms fast and B's 100 ms slow; B meets A's deadline by a number that nobody writes.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", skew_ms = 250 }, { "B", skew_ms = -100 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", me:now() + 400)
      return
    end
    me:work()
    local till = tonumber(me:call("GET", "k") or nil)
    if till and (me:now() - till) * 2 == 9 * 10 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
