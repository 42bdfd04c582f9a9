-- Redisson considers a lock safe when one replica has it, however many there are. Here two follow, one of them lags,
-- and the one that lags takes over: the lock that WAIT confirmed is gone while its holder works.
-- Checked against redisson 4.7.0 by reading (a batch counts when its WAIT says 1), and a trace with one replica
-- (replica_01).
local redisson = require "redisson.lock"

return {
  title    = "failover to the replica that had not confirmed",
  exhibit  = { bug = "G4", library = "Redisson", versions = "up to 4.7.0 (open)",
               what = "one replica confirms the lock, another takes over" },
  replicas = 2,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 30000, replicas = 2 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults   = { lag = { 1, ms = 400 }, failover = 1 },
  expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "lag", "failover" },

  -- G4_wait where all replicas have to confirm. A lagging one then keeps every client out, and no failover loses a
  -- lock; a replica that loses what it confirmed still would.
  twin = {
    title    = "failover to a replica, after all have confirmed",
    expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
    patch   = {
      ["redisson/client/synced.lua"] = [[
@@
 local M = {}
-
-local timeout_ms, wait_ms = 3000, 1000         -- of a request, and what WAIT is given besides

@@
   with.resend = true
-  with.sync = 1                                -- one is enough, however many there are
-  with.timeout_ms = timeout_ms + wait_ms
+  with.sync = lock.opts.replicas               -- all of them
   local reply, problem, sent
@@
     end
-    if not resend.silent(problem) then
+    if problem == nil or (problem.kind ~= "timeout" and problem.kind ~= "lost") then
       break
-    end
-  end
-  if problem and problem.kind == "nosync" then
-    -- for so long WAIT waits for replicas before it says that they are too few
-    local _, interrupted = lock.me:sleep(wait_ms)
-    if interrupted then
-      return nil, { kind = "interrupted", after = "nosync" }
     end
]],
    },
  },
}
