-- The same with a fresh value each time it asks: what comes back with the replica is not taken for the lock.
local confirmed = require "basic.confirmed"
local finding = require "confirmed_by_an_old_value"

return {
  title    = "an older key of one's own confirms nothing",
  replicas = finding.replicas,
  clients  = finding.clients,
  program  = function(me)
    finding.program(me, confirmed)
  end,
  faults   = finding.faults,
  expect   = {
    mutual_exclusion = "holds", strict_mutual_exclusion = "holds",
    -- The key of an earlier try is back, so that there is a lock whose owner has given it up.
    matches_spec = "violated",
  },
  must_see = finding.must_see,
}
