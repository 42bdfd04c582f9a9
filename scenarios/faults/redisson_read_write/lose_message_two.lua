-- Any one message is lost: whoever waited for it must find out by itself.
return {
  title   = "redisson/read_write: a lost message, two clients",
  clients = { "A", "B" },
  program = require "once".any_side,
  faults  = { lose_message = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "lose_message" },
}
