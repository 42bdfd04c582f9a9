-- Redis starts again with nothing in it, at any moment.
return {
  title   = "basic/blocking: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- A lease that ends leaves no sign: whoever waits at the server hears of it only when that wait is over, and may be second then.
    prompt = { "holds", idle_ms = 4501 },
  },
  must_see = { "wipe" },
}
