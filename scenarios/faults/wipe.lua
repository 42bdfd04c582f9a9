-- Redis starts again with nothing in it: the lock is free while its holder works.
local redisson = require "redisson.lock"

return {
  title   = "fault wipe: the server starts again empty",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { wipe = 1 },
  expect  = {
    -- The lock went with the memory, and B gets it at once. Nothing tells A: its watchdog would notice at the next
    -- round, 10 s on.
    mutual_exclusion = "violated",
    strict_mutual_exclusion = "violated",
  },
  must_see = { "wipe" },
}
