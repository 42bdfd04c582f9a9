-- truth: always (LK090) violated
-- A's key ends 51 ms after the beginning. The server removes it at any later moment and tells B, which goes wrong only
-- if 55 or 56 ms have passed. Truth: VIOLATED: the server takes 4 ms.
local unmarked = {
  view = function(redis) return { holders = {}, queue = redis.call("SMEMBERS", "marks"), keys = {} } end,
}

return {
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  notify_keyspace_events = "Ex",
  program = function(me)
    me:observe("L", unmarked)
    if me.client == "A" then
      me:sleep(1)
      me:call("SET", "k", "A", "PX", 50)
      return
    end
    local began, told = me:now(), me:semaphore(0)
    me:subscribe("__keyevent@0__:expired", function() told:release() end)
    if told:acquire(1000) and me:now() - began >= 55 and me:now() - began <= 56 then
      me:call("SADD", "marks", "x")
    end
    me:unsubscribe("__keyevent@0__:expired")
  end,
  always = function(view) return #view.queue == 0 end,
}
