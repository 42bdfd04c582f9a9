-- A message goes to the clients connected at that moment, and to them once. A waiter whose subscription is being
-- renewed when the lock is freed hears nothing, and sleeps beside a free lock until the lease that it was told of
-- would have ended.
-- Checked against redisson 4.7.0 by a trace of the real client (lock_33).
local redisson = require "redisson.lock"

return {
  title   = "G9: a message comes at most once",
  exhibit = { bug = "G9", library = "Redisson", versions = "up to 4.7.0 (open)",
              what = "a lost unlock message is slept through" },
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    lock:release()
  end,
  faults  = { lose_message = 1 },
  expect  = { prompt = { "violated", idle_ms = 10000 } },
  must_see = { "lose_message", "wait" },

  -- The twin of G9, a mend of ours: no waiter sleeps for longer than 5 s without asking.
  twin = {
    title   = "G9 mended: no waiter relies on a message alone",
    expect  = { prompt = { "holds", idle_ms = 10000 } },
    patch   = {
      ["redisson/client/park.lua"] = [[
-- park.lua: how a thread sleeps until a message's permit comes, or for 5 s: a message may be lost.
local longest_ms = 5000

return function(entry, ttl_ms)
  return entry.latch:acquire(ttl_ms < 0 and longest_ms or math.min(ttl_ms, longest_ms))
end
]],
    },
  },
}
