-- An acquire is executed after its sender gave up on it: the lock belongs to a client that does not know of it
-- and will not release it.
local redisson = require "redisson.lock"

return {
  title   = "fault late_request: a request is executed after its time-out",
  clients = { { "A", start_ms = 0 }, "B" },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:acquire() then
      me:work(100)
      lock:release()
    end
  end,
  faults  = { late_request = { 1, of = "A" } },
  expect  = {
    -- A gives up after 3 s. Its acquire is executed at that moment or any time later, and no client renews or releases
    -- what it took: B waits for the lease of 30 s.
    strict_mutual_exclusion = "holds",
    prompt = { "violated", idle_ms = 10000 },
  },
  must_see = { "late_request" },
}
