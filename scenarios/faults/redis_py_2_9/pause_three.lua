-- One process freezes at any moment and for any time: the others must not wait for it for ever, and it must not do harm when it
-- wakes.
return {
  title   = "redis_py/lock_2_9: a pause, three clients",
  clients = { "A", "B", "C" },
  program = require "once",
  faults  = { pause = 1 },
  expect  = {
    -- A DEL that is executed late deletes the lock of the next one, and a third comes in.
    mutual_exclusion = "violated",
    -- The lease ends while its holder is frozen. It wakes inside its critical section, where another one is by now.
    strict_mutual_exclusion = "violated",
    prompt = { "holds", idle_ms = 2801 },
    -- The key has no TTL: what nobody deletes stays, its instant long past.
    no_leak = "violated",
  },
  must_see = { "pause" },
}
