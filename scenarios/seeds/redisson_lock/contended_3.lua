-- Three clients want the lock at once, once each: who asked first should be served first, and nobody forgotten.
local redisson = require "redisson.lock"

return {
  title   = "redisson/lock: three clients",
  clients = { "A", "B", "C" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
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
