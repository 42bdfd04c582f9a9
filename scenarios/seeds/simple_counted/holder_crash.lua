-- The holder dies with the lock: the other must get in once the lease has run out.
local simple = require "simple.counted"

return {
  title   = "simple/counted: the holder dies",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = simple.lock(me, "order:42", { lease_s = 2, retry_ms = 250 })
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { crash = { 1, of = "A" } },
  expect  = {
    -- The dead believe nothing.
    strict_mutual_exclusion = "holds",
    -- What is left of the lease (2 s), and then at most one sleep of 250 ms.
    prompt = { "holds", idle_ms = 2251 },
  },
  must_see = { "crash", "expiry" },
}
