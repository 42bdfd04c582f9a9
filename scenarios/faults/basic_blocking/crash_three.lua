-- One process dies at any moment: what it held must come free with its lease, and nobody may wait for the dead.
return {
  title   = "basic/blocking: a crash, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { crash = 1 },
  expect  = {
    strict_mutual_exclusion = "holds",
    -- A lease that ends leaves no sign: whoever waits at the server hears of it only when that wait is over, and may be second then.
    prompt = { "holds", idle_ms = 4501 },
  },
  must_see = { "crash" },
}
