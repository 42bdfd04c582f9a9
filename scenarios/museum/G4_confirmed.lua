-- G4 where a client has the lock only when the replica has it and it is still there afterwards. One failover to that
-- very replica then does no harm. It is no twin: with more replicas than WAIT counted, or one that loses its memory,
-- it breaks as before.
local confirmed = require "basic.confirmed"
local faulty = require "G4"

return {
  title    = "failover, after the replica has confirmed the lock",
  replicas = faulty.replicas,
  clients  = faulty.clients,
  program  = function(me)
    local lock = confirmed.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(200)
      lock:release()
    end
  end,
  faults   = faulty.faults,
  expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  must_see = { "failover" },
}
