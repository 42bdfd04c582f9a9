-- The holder dies with the lock: the other must get in once the lease has run out.
local notes = require "notes.reentrant_mended"

return {
  title   = "notes/reentrant_mended: the holder dies",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = notes.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- No message comes, and the refusal does not say how long: the waiter sleeps 30 s and asks again.
    prompt = { "holds", idle_ms = 30001 },
  },
  must_see = { "crash", "expiry" },
}
