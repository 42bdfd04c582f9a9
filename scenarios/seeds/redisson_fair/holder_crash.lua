-- The holder dies with the lock: the other must get in once the lease has run out.
local redisson = require "redisson.fair"

return {
  title   = "redisson/fair: the holder dies",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- At the crash at most 30 s of the lease are left, and a millisecond, for the deadline itself still counts; the waiter
    -- sleeps no longer than that.
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "crash", "expiry" },
}
