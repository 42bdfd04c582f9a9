-- lock(5 s), and within it lock() through the same object. The second sends the lease of the first, which the object
-- still has; its watchdog comes after 10 s, and the lock has ended by then.
-- Checked against redisson 4.7.0 by a trace of the real client (lock_18: an acquire without a lease sends the one that
-- its object has).
local redisson = require "redisson.lock"

return {
  title   = "H05a: a lease leaks into the lock() within it",
  exhibit = { bug = "not reported", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a given lease leaks into a nested lock()" },
  clients = { "A", { "B", start_ms = 5500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire { lease_ms = 5000 }
    lock:acquire()
    me:work(6000)
    lock:release()
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated" },
  must_see = { "re-entry" },

  -- The twin of H05a, a mend of ours: an acquire without a lease never sends an earlier one.
  twin = {
    title   = "H05a mended: a nested lock() gets a whole lease",
    expect  = { mutual_exclusion = "holds" },
    patch   = {
      ["redisson/client/lease.lua"] = [[
@@
 -- The TTL that an acquire sends, which was given lease_ms, or nil.
-function M.ttl(object, lease_ms)
-  return lease_ms or object.lease_ms
+function M.ttl(_, lease_ms)
+  return lease_ms or watchdog.timeout_ms
 end
@@
 function M.granted(object, lease_ms)
-  if lease_ms then
-    object.lease_ms = lease_ms
-  end
+  object.lease_ms = lease_ms or watchdog.timeout_ms
 end

 -- An unlock was answered: 0 while holds remain, 1 when the lock is free, nil if there was nothing to give back, or no
 -- answer came.
 function M.released(object, reply)
]],
    },
  },
}
