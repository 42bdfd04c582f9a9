-- A replica that missed the last writes takes over at any moment.
return {
  title    = "redisson/read_write: a failover, three clients",
  replicas = 1,
  clients  = { "A", "B", "C" },
  program  = require "once".one_writer,
  faults   = { failover = 1 },
  expect   = {
    -- The new server never heard of the lock, and gives it away while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 30001 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "failover" },
}
