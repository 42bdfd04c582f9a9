-- Any one request never reaches Redis: its sender hears nothing, and gives up after its time-out.
return {
  title   = "redisson/read_write: a lost request, three clients",
  clients = { "A", "B", "C" },
  program = require "once".one_writer,
  faults  = { lose_request = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- A lost UNSUBSCRIBE is not sent again: the subscription stays.
    no_leak = "violated",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "lose_request" },
}
