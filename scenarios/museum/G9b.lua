-- A message goes to the clients that are connected at that moment, and to none later. A semaphore's waiter parks
-- without limit, for it has no lease whose end to wait for: if the message about the permit finds its connection down,
-- it waits beside a free permit until another release.
-- Checked against redisson 4.7.0 by a trace of the real client (semaphore_01: a waiter asks again after a message, and
-- only then) and reading RedissonSemaphore.acquire.
local redisson = require "redisson.semaphore"

return {
  title   = "G9b: the semaphore's message is lost",
  exhibit = { bug = "G9", library = "Redisson", versions = "all", what = "a semaphore's waiter misses the message " ..
              "and sleeps for ever" },
  clients = { "A", "B" },
  program = function(me)
    local pool = redisson.semaphore(me, "pool", { permits = 1 })
    pool:try_set_permits()
    if pool:acquire() then
      me:work(100)
      pool:release()
    end
  end,
  faults  = { lose_message = 1 },
  expect  = {
    no_lost_wakeup = "violated",
    -- The same waiter.
    no_deadlock = "violated",
  },
  must_see = { "lose_message", "wait" },

  -- The twin of G9b, mended by us: a waiter asks again by itself once a second.
  twin = {
    title   = "G9b mended: the waiter asks again",
    expect  = {
      no_lost_wakeup = "holds",
      no_deadlock = "holds",
      prompt = { "holds", idle_ms = 1000 },
    },
    patch   = {
      ["redisson/patience.lua"] = [[
-- patience.lua: how long a waiter of a semaphore or a latch parks before it asks again by itself: a second.
return function(parked, left_ms)
  return parked:acquire(math.min(left_ms or 1000, 1000))
end
]],
    },
  },
}
