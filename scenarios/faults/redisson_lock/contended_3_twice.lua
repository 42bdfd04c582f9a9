-- Three clients want the lock at once, twice each: the largest world of the plain lock without a fault.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: three clients, twice each",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    for _ = 1, 2 do
      if lock:acquire() then
        me:work(100)
        lock:release()
      end
    end
  end,
  expect  = {
    -- However many ask, one script at a time decides.
    strict_mutual_exclusion = "holds",
    -- Who asks just as the lock becomes free goes before those who wait for the message: there is no queue.
    fifo = "violated",
  },
  must_see = { "contention", "wait" },
}
