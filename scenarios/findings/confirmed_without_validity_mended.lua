-- confirmed_without_validity.lua with a lock that counts its lease from before SET, and gives the lock back when the answers took longer.
local confirmed = require "basic.confirmed"
local faulty = require "confirmed_without_validity"

return {
  title    = "a confirmed lock is given back when it is over",
  replicas = faulty.replicas,
  clients  = faulty.clients,
  program  = function(me)
    faulty.program(me, confirmed)
  end,
  faults   = faulty.faults,
  expect   = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds", lease_set = "holds" },
  must_see = { "late_request" },
}
