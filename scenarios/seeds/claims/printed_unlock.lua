-- Seed 004's unlock as printed calls redis.publish, which no Redis has: the last unlock deletes the lock, then fails,
-- and wakes no waiter.
local notes = require "notes.reentrant"

return {
  title   = "claim of seed 004: unlock notifies the waiters",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    lock:acquire()
    me:work(100)
    local freed, why = lock:release()
    assert(freed == nil and why:find("publish", 1, true))
  end,
  expect  = {
    script_health = "violated",
    -- B hears nothing and asks again only after one lease.
    prompt = { "violated", idle_ms = 1000 },
  },
  must_see = { "wait" },
}
