-- A reader asks for the write lock: there is no upgrade, and he waits for himself.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: a reader who wants to write",
  clients = { "A" },
  program = function(me)
    redisson.read(me, "order:42"):acquire()
    redisson.write(me, "order:42"):acquire()
  end,
  expect  = {
    -- By design, as with java.util.concurrent; his watchdog renews what he waits for.
    no_deadlock = "violated",
    reentrancy = "holds",
    matches_spec = "holds",
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "contention", "renewal" },
}
