-- One process freezes and any one message is lost, each at any moment.
return {
  title   = "notes/reentrant_mended: a pause and a lost message, two clients",
  clients = { "A", "B" },
  program = require "once",
  faults  = { pause = 1, lose_message = 1 },
  expect  = {
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "pause", "lose_message" },
}
