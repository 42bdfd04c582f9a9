-- A client that takes a lock with a lease may count on it: should it never unlock, the lock is freed by itself. The
-- fenced lock's lockAndGetToken(lease, unit) drops both arguments, and takes the lock as if none had been given: the
-- watchdog renews it for as long as the process lives, and no other client gets in any more.
--
-- How likely: certain, for a caller that relies on the lease, or whose unlock fails; one that always unlocks never
-- notices. tryLockAndGetToken(wait, lease, unit) passes the lease on. The mend: so should this one (the twin).
-- Checked against redisson 4.7.0 by reading RedissonFencedLock.lockAndGetToken(leaseTime, unit), which calls the form
-- without arguments.
local redisson = require "redisson.fenced"

return {
  title   = "lockAndGetToken forgets the lease it was given",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    redisson.lock(me, "order:42"):acquire { lease_ms = 1000 }         -- and the lease ends by itself
    me:work(100)
  end,
  expect  = {
    prompt = { "violated", idle_ms = 1000 },
    no_deadlock = "violated",
  },
  must_see = { "wait", "renewal" },

  -- The same with our mend: the lease reaches the script.
  twin = {
    title   = "lockAndGetToken passes its lease on",
    expect  = {
      prompt = { "holds", idle_ms = 1000 },
      no_deadlock = "holds",
    },
    must_see = { "wait", "expiry" },
    patch   = {
      ["redisson/fenced.lua"] = [[
@@
-local family = setmetatable({ names = names_of, forgets_lease = true, leaves_unsynced = true },
-                            { __index = plain.family })
+local family = setmetatable({ names = names_of, leaves_unsynced = true }, { __index = plain.family })
]],
    },
  },
}
