-- Redis starts again with nothing in it, at any moment.
return {
  title   = "redis_py/lock_2_10: a wiped server, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, while its holder works.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
    -- PEXPIRE does not ask whose lock it is.
    owner_only = "violated",
    prompt = { "holds", idle_ms = 2201 },
    -- Between the two requests the lock has no end.
    lease_set = "violated",
    -- Whose lock vanished between the two requests goes on as if he had it.
    matches_spec = "violated",
  },
  must_see = { "wipe" },
}
