-- Seed 002's reentrant lock sets the expiry at the first hold only (Redisson's sets it at each): who re-enters late is
-- thrown out early.
local simple = require "simple.counted"

return {
  title   = "claim of seed 002: a re-entry renews nothing",
  clients = { "A", { "B", start_ms = 500 } },
  program = function(me)
    local lock = simple.lock(me, "dist_lock", { lease_s = 1, retry_ms = 100 })
    lock:acquire()
    if me.client == "A" then
      me:work(900)
      lock:acquire()                           -- asks for 1 s more, and gets 100 ms
      me:work(500)
    end
    me:work(50)
    lock:release()
    lock:release()
  end,
  expect  = { lease_set = "violated", mutual_exclusion = "violated", strict_mutual_exclusion = "violated" },
  must_see = { "re-entry", "expiry" },
}
