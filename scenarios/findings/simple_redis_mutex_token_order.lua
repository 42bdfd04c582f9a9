-- simple-redis-mutex takes the lock by SET and asks for its fencing token by INCR afterwards. A client that stands
-- between the two until its lease is over gets a larger token than the next holder, whose writes a resource then
-- refuses, while it lets the stale ones in: just what tokens are for, turned round.
--
-- How likely: as likely as what fencing is made for, a client that stands still for longer than its lease; its pause
-- has to fall into one round trip of each lock(). The mend: take and number in one script, and look at the time: the
-- twin. Checked against simple-redis-mutex 3.0.0 by a trace of its client (07_token_out_of_order: tokens 2 and 1) and
-- by reading tryLock() in dist/index.js; the documents recommend the token for this very danger.
local driver = require "simple_redis_mutex.lock"

return {
  title   = "simple-redis-mutex: a lock that is over comes with the newest token",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 1500 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000 })
    if lock:try_acquire() then
      me:work(100)
      me:use("db", lock.grant.fence)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A", op = "number" } },
  -- A process keeps its subscription, and the script takes its channel for a key: see
  -- scenarios/faults/simple_redis_mutex.lua.
  expect  = { strict_mutual_exclusion = "violated", matches_spec = "violated", script_health = "violated",
              no_leak = "violated" },
  must_see = { "pause", "expiry" },

  twin = {
    title   = "simple-redis-mutex: taken and numbered in one script, and no grant when it is over",
    faults  = { pause = { 1, of = "A", op = "acquire" } },
    expect  = { fencing = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["simple_redis_mutex/lock.lua"] = [[
@@
 local release = script "simple_redis_mutex/lock/release.lua"
+local acquire = script "basic/fenced/acquire.lua"

@@
   local asked_ms = me:now()
-  local got, problem = me:call("SET", key_of(name), value, "PX", lease_ms, "NX",
-                               { op = "acquire", lock = name, lease = lease_ms })
+  local fence, problem = me:eval(acquire, { key_of(name), counter }, { value, lease_ms },
+                                 { op = "acquire", lock = name, lease = lease_ms })
   if problem then
     return nil, problem
-  elseif got ~= "OK" then
+  elseif fence == 0 then
     self.me:refused(name)
     return false
-  end
-  local fence
-  fence, problem = me:call("INCR", counter, { op = "number", lock = name })
-  if problem then
-    return nil, problem
+  elseif me:now() - asked_ms >= lease_ms then
+    return false
   end
]],
    },
  },
}
