-- Seed 000: setting the expiry at each acquire "makes sure that the lock does not expire during the work". Refuted for
-- a lease of the caller's own: re-entering starts it anew (that part is confirmed), but nothing starts it during the
-- work.
local redisson = require "redisson.lock"

return {
  title   = "claim of seed 000: the lock does not expire during the work",
  clients = { "A", { "B", start_ms = 500 } },
  program = function(me)
    local lock = redisson.lock(me, "order:42", { lease_ms = 1000 })
    lock:acquire()
    if me.client == "A" then
      me:work(900)
      lock:acquire()                           -- a second lease of 1000 ms begins here
      me:work(900)
      assert(me:call("PTTL", "order:42") == 100)
      me:work(200)
      local freed, why = lock:release()
      assert(freed == nil and why == "not owner")
    else
      me:work(50)
      lock:release()
    end
  end,
  expect  = { mutual_exclusion = "holds", strict_mutual_exclusion = "violated" },
  must_see = { "re-entry", "expiry", "wait" },
}
