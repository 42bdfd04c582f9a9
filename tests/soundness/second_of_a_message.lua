-- truth: always (LK090) violated
-- A sends the time; B goes on at any moment after it, a millisecond later and in another second.
local marks = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    me:observe("L", marks)
    me:sleep(1500)
    if me.client == "A" then
      me:work()
      me:call("PUBLISH", "c", me:now())
      return
    end
    local told, at = me:semaphore(0), nil
    me:subscribe("c", function(_, text) at = tonumber(text); told:release() end)
    told:acquire(5000)
    if at then
      me:work()
      if me:now() - at == 1 and math.floor(me:now() / 1000) ~= math.floor(at / 1000) then
        me:call("SADD", "marks", "x")
      end
    end
    me:unsubscribe("c")
  end,
  end_ms = 9000,
  always = function(view) return #view.queue == 0 end,
}
