-- simple-redis-mutex: failAfter is over, lock() has thrown, and a try is still under way. It takes the lock, whose
-- release function goes to a promise that is settled already: no caller has it. The lock stays taken for its whole
-- timeout (30 s as it comes), by a caller that was told that it failed.
--
-- How likely: each release wakes all waiters, so that tries are often under way; the time of one round trip at the
-- end of each failAfter. A slow server makes it likely for all at once. The mend: a caller granted after that
-- gives it back: the twin. Checked against simple-redis-mutex 3.0.0 by a trace of its client (06_took_it_after_all)
-- and by reading lock() in dist/index.js.
local driver = require "simple_redis_mutex.lock"

return {
  title   = "simple-redis-mutex: lock() fails, and the lock is taken after all",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 0 } },
  program = function(me)
    local mine = { lease_ms = 3000, poll_ms = 900, wait_ms = me.client == "A" and 300 or nil }
    for _ = 1, me.client == "A" and 1 or 2 do
      local lock = driver.lock(me, "order:42", mine)
      if lock:acquire() then
        me:work(300)
        lock:release()
      end
    end
  end,
  -- A process keeps its subscription, and the script takes its channel for a key: see
  -- scenarios/faults/simple_redis_mutex.lua.
  expect  = { prompt = { "violated", idle_ms = 1000 }, script_health = "violated", no_leak = "violated" },
  must_see = { "message", "contention" },

  twin = {
    title   = "simple-redis-mutex: a late grant is given back",
    expect  = { prompt = { "holds", idle_ms = 1000 } },
    patch   = {
      ["simple_redis_mutex/lock.lua"] = [[
@@
     if grant then
+      if call.result ~= nil then
+        own:eval(release, { key_of(self.name), channel }, { grant.value }, { op = "release", lock = self.name })
+      end
       stop_asking(module, call)
]],
    },
  },
}
