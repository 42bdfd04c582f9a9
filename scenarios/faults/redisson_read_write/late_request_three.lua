-- Any one request is executed after its sender has given up on it.
return {
  title   = "redisson/read_write: a late request, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { late_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "late_request" },
}
