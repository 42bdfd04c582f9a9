-- Redis starts again with nothing in it, at any moment.
return {
  title    = "redisson/lock with a replica: a wiped server, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once",
  faults   = { wipe = 1 },
  expect   = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "wipe" },
}
