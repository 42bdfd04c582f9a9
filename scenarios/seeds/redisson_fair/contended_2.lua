-- Two clients want the lock at once: one must wait, and must be let in when the other has finished.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: two clients",
  clients = { "A", "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    -- Only the head of the queue may take a free lock, and it takes it in one script.
    strict_mutual_exclusion = "holds",
    -- The release publishes to the head's own channel; the head asked once more after subscribing.
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "contention", "wait" },
}
