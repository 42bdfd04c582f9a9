-- Two threads share one lock object, and every attempt wrote its lease into the object, also one that was refused.
-- When the holder then gives back one of two holds, the lock is set to the short lease of a stranger, and ends while
-- it is held.
local redisson = require "redisson.lock"

return {
  title   = "R29a: a refused attempt shortens the lease of the holder",
  exhibit = { bug = "#4818", library = "Redisson", versions = "up to 3.15.1",
              what = "a refused attempt overwrites the lease field" },
  clients = { { "A", threads = 2, start_ms = 0 }, { "B", start_ms = 1500 } },
  program = function(me)
    local shared = me.process.lock or redisson.lock(me, "order:42")
    me.process.lock = shared
    local lock = shared:in_task(me)
    if me.id == "A:2" then
      me:sleep(50)
      if lock:try_acquire(nil, 1000) then
        lock:release()
      end
      return
    end
    lock:acquire { lease_ms = 60000 }
    if me.client == "A" then
      lock:acquire { lease_ms = 60000 }
      me:work(100)
      lock:release()
      me:work(2000)
    end
    lock:release()
  end,
  expect  = { mutual_exclusion = "violated", lease_set = "violated" },
  must_see = { "re-entry", "contention" },
  patch   = {
    ["redisson/client/lease.lua"] = [[
@@

 -- The TTL that an acquire sends, which was given lease_ms, or nil.
 function M.ttl(object, lease_ms)
-  return lease_ms or object.lease_ms
+  if lease_ms then
+    object.lease_ms = lease_ms
+  end
+  return object.lease_ms
 end
]],
  },

  -- The twin of R29a: only an acquire that was granted writes the field.
  twin = {
    title   = "R29a mended: a refused attempt leaves the holder alone",
    expect  = { mutual_exclusion = "holds", lease_set = "holds" },
    patch   = {},
  },
}
