-- The same with permits that run out: what a lost answer took comes back with its lease.
local permits = require "redisson.permits"
local finding = require "semaphore_lost_answer"

return {
  title   = "a permit that nobody knows of runs out",
  clients = finding.clients,
  program = function(me)
    finding.program(me, permits, { permits = 1, lease_ms = 1000 })
  end,
  faults  = finding.faults,
  expect  = { no_deadlock = "holds", no_leak = "holds" },
  must_see = finding.must_see,
}
