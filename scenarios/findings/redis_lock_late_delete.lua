-- redis-lock releases by DEL if its own clock says that the lease is not over; nothing in Redis is compared. A release
-- that is sent in time and executed late deletes the lock of the next holder, and a third one comes in beside it.
--
-- How likely: a release in the last moments of the lease and a request that takes longer than what is left of it: a
-- slow network, a pause between the clock and the socket. The documents say that done() does nothing once the timeout
-- has released the lock. The mend: a value that is never used twice, and a script that compares it: the twin. Checked
-- against redis-lock 1.0.0 by a trace of its client (05_late_delete: the third one holds from 1600 ms on, beside the
-- second) and by reading index.js.
local driver = require "redis_lock.lock"

return {
  title   = "redis-lock: a late release deletes the lock of the next one",
  clients = { { "A", start_ms = 0 }, { "B", start_ms = 10 }, { "C", start_ms = 20 } },
  program = function(me)
    local lock = driver.lock(me, "order:42", { lease_ms = 1000, retry_ms = 400 })
    if lock:acquire() then
      me:work(me.client == "A" and 100 or 500)
      lock:release()
    end
  end,
  faults  = { late_request = { 1, of = "A", op = "release" } },
  expect  = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "late_request", "contention" },

  twin = {
    title   = "redis-lock: a release compares",
    expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["redis_lock/lock.lua"] = [[
@@
-local function key_of(name)
+local release = script "basic/set_nx/release.lua"
+
+local function key_of(name)
   return "lock." .. name
 end
@@
-  local reply = me:call("SET", key_of(name), until_ms, "PX", lease_ms, "NX", options)
+  self.value = me.id .. "/" .. me:unique("token")
+  local reply = me:call("SET", key_of(name), self.value, "PX", lease_ms, "NX", options)
@@
-    local _, problem = me:call("DEL", key_of(name), { op = "release", lock = name })
+    local _, problem = me:eval(release, { key_of(name) }, { self.value }, { op = "release", lock = name })
]],
    },
  },
}
