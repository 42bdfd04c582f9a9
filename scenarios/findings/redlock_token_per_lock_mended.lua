-- The same with a fresh value for each try: what comes late finds a value that it does not look for.
local finding = require "redlock_token_per_lock"

return {
  title   = "Redlock: another value for each try",
  servers = finding.servers,
  clients = finding.clients,
  program = finding.program,
  faults  = finding.faults,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "holds" },
  must_see = finding.must_see,
}
