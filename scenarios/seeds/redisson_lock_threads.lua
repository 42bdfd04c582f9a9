-- Two threads of one process and another process want the lock. What the threads share is tried here: one watchdog for
-- both of them, which one of them stops while the other goes on for longer than a lease, and one subscription, which
-- the first of them to leave must not end.
local redisson = require "redisson.lock"

local function once(me)
  local lock = redisson.lock(me, "order:42")
  if lock:acquire() then
    me:work(me.id == "A:2" and 35000 or 100)
    lock:release()
  end
end

return {
  title   = "redisson/lock: two threads of a process",
  clients = { { "A", threads = 2, start_ms = 0 } },
  program = once,
  expect  = {
    -- Each hold is renewed for itself, until it ends.
    strict_mutual_exclusion = "holds",
    -- A release is heard by the process, and one of its waiters asks again.
    prompt = { "holds", idle_ms = 1 },
  },
  must_see = { "contention", "wait" },
  cases   = {
    alone = {},
    alone_and_late = {
      title   = "redisson/lock: two threads of a process, and a latecomer",
      clients = { { "A", threads = 2, start_ms = 0 }, { "B", start_ms = 20000 } },
    },
    another_process = {
      title   = "redisson/lock: two threads of a process, and another process",
      clients = { { "A", threads = 2, start_ms = 0 }, { "B", start_ms = 0 } },
    },
  },
}
