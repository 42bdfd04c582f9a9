-- The same where nothing is given back that may not have been taken.
local finding = require "semaphore_undone_refusal"

return {
  title    = "redisson/semaphore: a refusal that no replica has stays one",
  replicas = finding.replicas,
  clients  = finding.clients,
  program  = finding.program,
  faults   = finding.faults,
  expect   = {
    strict_mutual_exclusion = "holds",
    -- What was taken at the master, and not said so, is lost with its caller.
    no_leak = "violated",
  },
  must_see = finding.must_see,
}
