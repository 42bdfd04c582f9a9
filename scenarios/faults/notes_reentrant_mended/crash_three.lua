-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "notes/reentrant_mended: a crash, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A waiter asks only every 30 s. In the very millisecond in which the lease ends it asks in vain, and has to wait 30 s more.
    prompt = { "violated", idle_ms = 30001 },
  },
  must_see = { "crash" },
}
