-- The mend of R29b went too far: the lease of a hold is not remembered at all, so when one of two holds is given back
-- the lock gets the watchdog's 30 s instead of the 10 s asked for, and no watchdog renews it. If its holder then
-- dies the others wait three times as long.
local redisson = require "redisson.lock"

return {
  title   = "R29c: a partial unlock makes the lease longer",
  exhibit = { bug = "#5623", library = "Redisson", versions = "3.19.2 to 3.27.1",
              what = "a partial unlock sets another lease" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 10000 })
    lock:acquire()
    lock:acquire()
    me:work(100)
    lock:release()
    me:work(100)
    lock:release()
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = { prompt = { "violated", idle_ms = 15000 } },
  must_see = { "crash", "expiry", "re-entry" },
  patch   = {
    ["redisson/client/lease.lua"] = [[
@@

--- An acquire was granted.
-function M.granted(object, lease_ms)
-  if lease_ms then
-    object.lease_ms = lease_ms
-  end
+-- An acquire was granted: the field stays as it is.
+function M.granted()
 end

 -- An unlock was answered: 0 while holds remain, 1 when the lock is free, nil if there was nothing to give back, or no
 -- answer came.
 function M.released(object, reply)
]],
  },

  -- The twin of R29c: the field keeps the lease of the hold until the lock is free.
  twin = {
    title   = "R29c mended: a partial unlock renews the lease that was asked for",
    expect  = { prompt = { "holds", idle_ms = 15000 } },
    patch   = {},
  },
}
