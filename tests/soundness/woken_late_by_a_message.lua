-- truth: always (LK090) violated
-- B parks for up to 30 s until a message comes. Woken with less than two seconds left, but not at the last, it goes wrong.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:work()
      me:call("PUBLISH", "unlocked", "x")
      return
    end
    local parked, began = me:semaphore(0), me:now()
    me:subscribe("unlocked", function() parked:release() end)
    if parked:acquire(30000) then
      local left_ms = 30000 - (me:now() - began)
      if left_ms < 2000 and left_ms > 500 then
        me:call("SADD", "marks", "x")
      end
    end
  end,
  always = function(v) return #v.queue == 0 end,
}
