-- The holder is paused past its lease and wakes inside its critical section: the resource knows its token for an old one.
local redisson = require "redisson.fenced"

return {
  title   = "redisson/fenced: a pause longer than the lease",
  clients = { "A", { "B", start_ms = 10 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42")
    if lock:try_acquire(5000, 1000) then
      me:use("order 42", lock.token)
      me:work(100)
      me:use("order 42", lock.token)
      lock:release()
    end
  end,
  faults  = { pause = 1 },
  expect  = {
    -- Two believe to hold the lock ...
    strict_mutual_exclusion = "violated",
    -- ... and the resource lets only the later one in.
    fencing = "holds",
    -- A SUBSCRIBE that is not confirmed before its caller gives up is never undone.
    no_leak = "violated",
  },
  must_see = { "pause", "expiry" },
}
