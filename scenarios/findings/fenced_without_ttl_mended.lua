-- The same with our mend.
local finding = require "fenced_without_ttl"

return {
  title   = "a fenced lock without a TTL is still one owner's",
  clients = finding.clients,
  program = finding.program,
  expect  = { mutual_exclusion = "holds", matches_spec = "holds", lease_set = "violated" },
  must_see = { "grant" },
}
