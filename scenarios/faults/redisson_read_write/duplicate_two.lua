-- Any one request is executed twice, the copy at any later moment.
return {
  title   = "redisson/read_write: a request executed twice, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { duplicate = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- The copy of a write adds its lease to what is left: a hold of which nobody hears lasts for two leases.
    prompt = { "violated", idle_ms = 30001 },
    -- The copy of a write adds its lease to what is left.
    lease_set = "violated",
    -- The copy of an acquire is a hold of which its owner hears nothing.
    matches_spec = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "duplicate" },
}
