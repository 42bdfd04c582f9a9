-- From 3.24.0 to 3.51.0 an unlock that no replica was known to have was sent again under a new request id, for which
-- there is no latch. The inner unlock runs while the replica lags, runs again, and takes the outer hold too.
local redisson = require "redisson.lock"

return {
  title    = "an unlock that is sent again as another one",
  exhibit  = { bug = "#6651 #6844", library = "Redisson", versions = "3.24.0 to 3.51.0",
               what = "an unlock that no replica has is sent again past its latch" },
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000, replicas = 1 })
    lock:acquire()
    if me.client == "A" then
      lock:acquire()
      lock:release()
    end
    me:work(100)
    lock:release()
  end,
  faults   = { lag = { 1, ms = 3500 } },  -- longer than a second of WAIT, a pause, and the second of the next WAIT
  expect   = { mutual_exclusion = "violated" },
  must_see = { "lag", "resend" },
  patch   = {
    ["redisson/client/no_sync.lua"] = [[
@@

 -- The same release again: its latch knows it. Each attempt takes a hold off the watchdog and resets the lease field,
 -- as a failed unlock does; the caller sees to the last one. A semaphore's release has no latch, and is not sent
 -- again.
 function M.release(lock, _, request, trouble)
   if lock.family.releases_once then
     return once(lock, "release", nil, request, trouble)
   end
-  return until_synced(lock, "release", nil, request, request.failed or function() end, trouble)
+  local failed, anew = request.failed, request.anew
+  function request.anew(again)
+    local fresh = anew(again)
+    fresh.keys[#fresh.keys] = names.latch(again.name, again.me:unique("request"))
+    return fresh
+  end
+  return until_synced(lock, "release", nil, request, failed, trouble)
 end
]],
  },

  -- R31b mended in 3.52.0: the same request is sent again, and its latch knows it.
  twin = {
    title    = "an unlock that is sent again as what it is",
    expect   = { mutual_exclusion = "holds", reentrancy = "holds" },
    patch   = {},
  },
}
