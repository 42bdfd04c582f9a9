-- Any one answer is lost: the request was executed, and its sender does not know.
return {
  title   = "redisson/multi: a lost answer, three clients",
  servers = 2,
  clients = { "A", "B", "C" },
  program = require "once" (),
  faults  = { lose_reply = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 30001 },
    -- unlock stops at the first lock that says no; those after it stay, and their watchdog renews them.
    no_leak = "violated",
  },
  must_see = { "lose_reply" },
}
