-- The holder dies with the lock: the other must get in once the lease has run out.
local notes = require "notes.fair"

return {
  title   = "notes/fair: the holder dies",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = notes.lock(me, "{order:42}")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "A" } },
  end_ms  = 100000,
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- The lock expires, but nothing ever takes the dead owner from the head of the queue: the waiter can ask until the end of time.
    prompt = { "violated", idle_ms = 60000 },
  },
  must_see = { "crash", "expiry" },
}
