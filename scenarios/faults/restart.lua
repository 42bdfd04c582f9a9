-- A process restarts and is another client from then on: its old self's lock is not its own, and it waits for it like
-- anybody.
local redisson = require "redisson.lock"

return {
  title   = "fault restart: the holder's process starts again",
  clients = { "A" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { restart = 1 },
  expect  = {
    -- The new client is A#1, the lock says A: to Redis these are two clients, and the new one waits 30 s for the old
    -- one.
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "restart" },
}
