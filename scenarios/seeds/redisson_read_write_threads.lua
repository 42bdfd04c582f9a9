-- A writer of another process holds the lock, and two threads of one process wait to read. Its release says that the
-- lock is free: both must wake up, though it is one message.
local redisson = require "redisson.read_write"

return {
  title   = "redisson/read_write: two readers of a process",
  clients = { { "W", start_ms = 0 }, { "R", threads = 2, start_ms = 10 } },
  program = function(me)
    local lock = redisson[me.client == "W" and "write" or "read"](me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  expect  = {
    mutual_exclusion = "holds",
    -- A waiter is let in with the message, and not a lease later.
    prompt = { "holds", idle_ms = 1 },
    bounded_wait = { "holds", hand_offs = 3 },
    -- The readers' timeout keys are not among the scripts' KEYS.
    script_health = "violated",
  },
  must_see = { "wait" },
}
