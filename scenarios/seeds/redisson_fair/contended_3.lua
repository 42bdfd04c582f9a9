-- Three clients want the lock at once, twice each: who asked first should be served first, and nobody forgotten.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: three clients",
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
    -- A free lock goes to the head of the queue, and to newcomers only if nobody queues.
    fifo = "holds",
  },
  must_see = { "contention", "wait" },
}
