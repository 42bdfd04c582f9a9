-- The same in the fair lock, to this day: its unlock calls a lock released that has vanished, whatever its owner.
local redisson = require "redisson.fair"

return {
  title   = "R30b: the fair lock calls a vanished lock released",
  exhibit = { bug = "#2018", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "unlock of a vanished fair lock reports success" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 1000 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = { matches_spec = "violated", no_leak = "violated" },
  must_see = { "pause", "expiry" },

  -- The twin of R30b, a mend of ours: the first in the queue is called as before, and the one that had lost the lock is
  -- told so.
  twin = {
    title   = "R30b mended: a client that lost the fair lock is told so",
    expect  = {
      matches_spec = "holds",
      -- Open to this day: a client that sleeps through its request's answer gives up without leaving the queue.
      no_leak = "violated",
    },
    patch   = {
      ["redisson/fair/release.lua"] = [[
@@
   wake_first()
-  redis.call('set', latch, 1, 'px', latch_ms)
-  return 1
+  return nil
 end
]],
    },
  },
}
