-- truth: always (LK090) violated
-- Seconds since 1970 with three digits behind the point, as other languages tell the time.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { "A", "B" },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:call("SET", "k", string.format("%.3f", me:now() / 1000 + 1.234))
      return
    end
    me:work()
    local till, now = tonumber(me:call("GET", "k") or nil), me:now() / 1000
    if till and till < now and now - till < 0.0015 then
      me:call("SADD", "marks", "x")
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
