-- A process freezes past its lease and wakes inside its critical section, where another one works by now.
local redisson = require "redisson.lock"

return {
  title   = "fault pause: the holder's process freezes",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { pause = { 1, of = "A" } },
  expect  = {
    -- The watchdog is frozen with its process, so the lease ends after 30 s and B is let in; A works on, and learns of
    -- it only when it releases. Redis kept its promise, which is why the plain mutual_exclusion holds.
    mutual_exclusion = "holds",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "pause" },
}
