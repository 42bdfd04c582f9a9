-- Two threads of one process read, another process writes: the threads share one subscription, and are told apart in the lock.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: readers in one process, a writer in another",
  clients = { { "A", threads = 2 }, "B" },
  program = function(me)
    local lock = redisson[me.client == "A" and "read" or "write"](me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    strict_mutual_exclusion = "holds",
    prompt = { "holds", idle_ms = 1 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "grant", "wait", "wake-up" },
}
