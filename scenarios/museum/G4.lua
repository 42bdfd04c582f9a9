-- The master answers before its replica has the write. It dies, the replica takes over and knows of no lock. There is
-- no twin: an answer by one server is no promise of the next. WAIT narrows the gap (G4_confirmed); fencing tokens from
-- a counter in the same Redis do not close it, for the counter goes back, too.
local set_nx = require "basic.set_nx"

return {
  title    = "failover with asynchronous replication",
  exhibit  = { bug = "G4", library = "any lock on one master with replicas",
               what = "the replica never heard of the lock" },
  replicas = 1,
  clients  = { "A", { "B", start_ms = 10 } },
  program  = function(me)
    local lock = set_nx.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(200)
      lock:release()
    end
  end,
  faults   = { failover = 1 },
  expect   = { mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "failover" },
}
