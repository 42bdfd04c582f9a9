-- With replicas an acquire counts only if one of them is known to have it. Other locks take back what it may have done and try again;
-- lockAndGetToken leaves it at that, and its caller, who is told that he failed, holds the lock by the server's account.
local redisson = require "redisson.fenced"

return {
  title    = "redisson/fenced: an acquire that no replica has",
  replicas = 1,
  clients  = { "A" },
  program  = function(me)
    local lock = redisson.lock(me, "order:42", { replicas = 1 })
    local got, why = lock:acquire()
    if got then
      lock:release()
    else
      assert(why == "nosync" and me:call("HEXISTS", "order:42", me.id) == 1)
      me:log("left behind")
    end
  end,
  faults   = { lag = 1 },
  expect   = {
    -- The watchdog was not started, so the lease ends it.
    no_leak = "holds",
  },
  must_see = { "lag", "grant", "expiry" },
}
